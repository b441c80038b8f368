// SPDX-License-Identifier: MIT
/* watch, rwatch, awatch, and what is said when one was hit. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/shell/shell.h"

void lull_debug_show_lanes(uint64_t lanes, struct lull_str *out)
{
    unsigned n = (unsigned)__builtin_popcountll(lanes);
    lull_str_addf(out, "%s", n == 0 ? "" : n == 1 ? ", lane" : ", lanes");
    for (unsigned i = 0; i < LULL_MAX_LANES; i++) {
        if ((lanes >> i & 1) == 0) {
            continue;
        }
        unsigned last = i;
        while (last + 1 < LULL_MAX_LANES && (lanes >> (last + 1) & 1) != 0) {
            last++;
        }
        lull_str_addf(out, " %u", i);
        if (last > i) {
            lull_str_addf(out, "-%u", last);
        }
        i = last;
    }
}

struct lull_error *lull_debug_show_watch(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    struct lull_breakpoint *b = NULL;
    for (size_t i = 0; b == NULL && i < LULL_MAX_BREAKPOINTS; i++) {
        b = d->breakpoints[i].number == d->watch_hit ? &d->breakpoints[i] : NULL;
    }
    if (b == NULL || b->kind != LULL_BREAK_WATCH) {
        return NULL;
    }
    uint64_t now = 0;
    struct lull_error *err = lull_debug_watched_value(d, b, &now);
    if (err != NULL) {
        return err;
    }
    lull_str_addf(c->out, "%s %u: %s\n", b->software ? "Software watchpoint" : "Watchpoint",
                  b->number, b->what);
    if (now != b->old_value) {
        lull_str_addf(c->out, "Old value = 0x%" PRIx64 "  (%" PRIu64 ")\n", b->old_value,
                      b->old_value);
        lull_str_addf(c->out, "New value = 0x%" PRIx64 "  (%" PRIu64 ")", now, now);
    } else {
        lull_str_addf(c->out, "Value = 0x%" PRIx64 "  (%" PRIu64 ")", now, now);
    }
    lull_str_addf(c->out, " by 0x%012" PRIx64 " ", d->watch_pc);
    lull_debug_show_symbol(d, d->watch_pc, c->out);
    lull_debug_show_lanes(d->watch_lanes, c->out);
    lull_str_addf(c->out, "\n");
    if (c->json != NULL) {
        lull_json_put_u64(c->json, "watchpoint", b->number);
        lull_json_put_hex(c->json, "old", b->old_value);
        lull_json_put_hex(c->json, "new", now);
        lull_json_put_hex(c->json, "watch_pc", d->watch_pc);
        lull_json_put_hex(c->json, "watch_lanes", d->watch_lanes);
    }
    b->old_value = now;
    return NULL;
}

LULL_MUST_USE static struct lull_error *any_watch(struct lull_cmd *c, enum lull_watch_kind kind)
{
    const char *at = c->args;
    bool software = lull_cmd_word(&at, "--software");
    if (*at == '\0') {
        return lull_error_new(LULL_ERR_INVALID,
                              "watch what? An address or a place, as in 'watch {u32}(out+16)'");
    }
    lull_cleanup(lull_freep) char *text = strdup(at);
    if (text == NULL) {
        return &lull_enomem;
    }
    char *condition = strstr(text, " if ");
    if (condition != NULL) {
        *condition = '\0';
        condition += 4;
    }
    for (size_t n = strlen(text); n > 0 && isspace((unsigned char)text[n - 1]); n--) {
        text[n - 1] = '\0';
    }
    unsigned number = 0;
    struct lull_error *err = lull_debug_watch(c->d, text, kind, software, condition, &number);
    if (err != NULL) {
        return err;
    }
    const struct lull_breakpoint *b = lull_debug_breakpoint(c->d, number);
    lull_str_addf(c->out, "%s %u: %s (0x%012" PRIx64 ", %u bytes)\n",
                  b->software ? "Software watchpoint" : "Watchpoint", number, b->what, b->va,
                  b->size);
    if (c->json != NULL) {
        lull_json_put_u64(c->json, "number", number);
        lull_json_put_hex(c->json, "address", b->va);
    }
    return NULL;
}

struct lull_error *lull_cmd_watch(struct lull_cmd *c)
{
    return any_watch(c, LULL_WATCH_WRITE);
}

struct lull_error *lull_cmd_rwatch(struct lull_cmd *c)
{
    return any_watch(c, LULL_WATCH_READ);
}

struct lull_error *lull_cmd_awatch(struct lull_cmd *c)
{
    return any_watch(c, LULL_WATCH_ACCESS);
}
