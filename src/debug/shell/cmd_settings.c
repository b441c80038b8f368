// SPDX-License-Identifier: MIT
/* set, show. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/session/kept.h"
#include "debug/shell/shell.h"

enum { MAX_TIMEOUT_MS = 3600000, SHOWN_VALUES = 10, DEFAULT_LINES = 10, MOST_LINES = 1000000 };

/* The values that were printed last, or the variables of the user's own. */
static void show_kept(struct lull_cmd *c, bool printed)
{
    static const struct lull_kept none = {0};
    const struct lull_kept *k = c->d->kept != NULL ? c->d->kept : &none;
    const uint64_t first = k->nprinted > SHOWN_VALUES ? k->nprinted - SHOWN_VALUES + 1 : 1;
    for (uint64_t i = first; printed && i <= k->nprinted; i++) {
        lull_str_addf(c->out, "$%" PRIu64 " = ", i);
        lull_value_show_active(&k->printed[i % LULL_MAX_HISTORY].value, 0, c->out);
        lull_str_addf(c->out, "\n");
    }
    for (size_t i = 0; !printed && i < k->nnamed; i++) {
        lull_str_addf(c->out, "$%s = ", k->named[i].name);
        lull_value_show_active(&k->named[i].value, 0, c->out);
        lull_str_addf(c->out, "\n");
    }
}

static const char *const lockings[] = {
    [LULL_LOCK_OFF] = "off",
    [LULL_LOCK_STEP] = "step",
    [LULL_LOCK_ON] = "on",
};

enum { NLOCKINGS = sizeof lockings / sizeof lockings[0] };

/* "trap" or "step". */
LULL_MUST_USE static struct lull_error *set_break_mode(struct lull_cmd *c, const char *mode)
{
    const bool trap = strcmp(mode, "trap") == 0;
    if (!trap && strcmp(mode, "step") != 0) {
        return lull_error_new(LULL_ERR_INVALID, "'%s': breakpoint mode is trap or step", mode);
    }
    return lull_debug_break_in_code(c->d, trap);
}

/* A number, or "unlimited". */
LULL_MUST_USE static struct lull_error *set_listsize(struct lull_debug *d, const char *text)
{
    uint64_t n = MOST_LINES;
    struct lull_error *err =
        strncmp(text, "unl", 3) == 0 ? NULL : lull_cmd_count(text, 1, MOST_LINES, &n);
    d->listsize = err == NULL ? (unsigned)n : d->listsize;
    return err;
}

/* "timeout MS". */
LULL_MUST_USE static struct lull_error *set_timeout(struct lull_debug *d, const char *text)
{
    uint64_t ms = 0;
    const char *at = text;
    if (!lull_cmd_number(&at, &ms) || *at != '\0' || ms == 0 || ms > MAX_TIMEOUT_MS) {
        return lull_error_new(LULL_ERR_INVALID, "'%s' is not a time of 1 to %d ms", text,
                              MAX_TIMEOUT_MS);
    }
    lull_debug_set_timeout(d, (unsigned)ms);
    return NULL;
}

static const char *const pendings[] = {
    [LULL_PENDING_AUTO] = "auto", [LULL_PENDING_ON] = "on", [LULL_PENDING_OFF] = "off"};

/* "breakpoint pending auto|on|off". */
LULL_MUST_USE static struct lull_error *set_pending(struct lull_debug *d, const char *text)
{
    for (unsigned i = 0; i < sizeof pendings / sizeof pendings[0]; i++) {
        if (strcmp(text, pendings[i]) == 0) {
            d->pending = (enum lull_debug_pending)i;
            return NULL;
        }
    }
    return lull_error_new(LULL_ERR_INVALID, "'%s': breakpoint pending is auto, on or off", text);
}

struct lull_error *lull_cmd_set(struct lull_cmd *c)
{
    const char *at = c->args;
    if (lull_cmd_gdb_setting(at)) {
        return NULL;
    }
    if (lull_cmd_word(&at, "pagination")) {
        c->d->no_pages = strcmp(at, "off") == 0;
        return c->d->no_pages || strcmp(at, "on") == 0 || *at == '\0'
                   ? NULL
                   : lull_error_new(LULL_ERR_INVALID, "'%s': pagination is on or off", at);
    }
    if (lull_cmd_word(&at, "height")) { // The terminal's; 0 and "unlimited": no pages.
        c->d->no_pages = strcmp(at, "0") == 0 || *at == 'u';
        return NULL;
    }
    (void)(lull_cmd_word(&at, "variable") || lull_cmd_word(&at, "var"));
    c->args = at;
    if (lull_cmd_word(&at, "scheduler-locking")) {
        for (unsigned i = 0; i < NLOCKINGS; i++) {
            if (strcmp(at, lockings[i]) == 0) {
                lull_debug_set_locking(c->d, (enum lull_locking)i);
                return NULL;
            }
        }
        return lull_error_new(LULL_ERR_INVALID, "'%s': scheduler-locking is off, step or on", at);
    }
    if (lull_cmd_word(&at, "listsize")) {
        return set_listsize(c->d, at);
    }
    if (lull_cmd_word(&at, "breakpoint")) {
        return lull_cmd_word(&at, "mode")      ? set_break_mode(c, at)
               : lull_cmd_word(&at, "pending") ? set_pending(c->d, at)
                                               : NULL; // The rest is gdb's.
    }
    if (lull_cmd_word(&at, "dprintf-style")) {
        c->d->dprintf_agent = strcmp(at, "agent") == 0;
        return c->d->dprintf_agent || strcmp(at, "gdb") == 0
                   ? NULL
                   : lull_error_new(LULL_ERR_INVALID, "'%s': dprintf-style is gdb or agent", at);
    }
    if (lull_cmd_word(&at, "record-memory")) {
        return lull_cmd_set_record_memory(c, at);
    }
    if (lull_cmd_word(&at, "record-writers")) {
        return lull_cmd_set_record_writers(c, at);
    }
    if (lull_cmd_word(&at, "timeout")) {
        return set_timeout(c->d, at);
    }
    if (*at == '\0') {
        return lull_error_new(
            LULL_ERR_INVALID,
            "set what? PLACE = EXPR, breakpoint mode, scheduler-locking, dprintf-style, "
            "listsize, record-memory, record-writers or timeout");
    }
    const bool variable = lull_cmd_word(&at, "var") || lull_cmd_word(&at, "variable");
    return lull_debug_assign(c->d, variable ? at : c->args);
}

/* A setting and what it is now. */
static void put_row(struct lull_cmd *c, const char *name, const char *value)
{
    const bool all = *c->args == '\0';
    if (all || strcmp(name, c->args) == 0) {
        lull_str_addf(c->out, "%-19s%s\n", name, value);
    }
    if (c->json != NULL && (all || strcmp(name, c->args) == 0)) {
        lull_json_put_str(c->json, name, value);
    }
}

static void put_rows(struct lull_cmd *c)
{
    const struct lull_debug *d = c->d;
    char memory[32], timeout[32], lines[32] = "unlimited";
    snprintf(memory, sizeof memory, "%" PRIu64 " MiB", d->record_bytes >> 20);
    snprintf(timeout, sizeof timeout, "%u ms", d->timeout_ms);
    if (d->listsize < MOST_LINES) {
        snprintf(lines, sizeof lines, "%u", d->listsize != 0 ? d->listsize : DEFAULT_LINES);
    }
    put_row(c, "target", lull_debug_kind(d));
    put_row(c, "path", lull_debug_path(d));
    put_row(c, "scheduler-locking", lockings[d->locking]);
    put_row(c, "breakpoint mode", d->break_by_step ? "step" : "trap");
    put_row(c, "breakpoint pending", pendings[d->pending]);
    put_row(c, "dprintf-style", d->dprintf_agent ? "agent" : "gdb");
    put_row(c, "listsize", lines);
    put_row(c, "pagination", d->no_pages ? "off" : "on");
    put_row(c, "record-memory", memory);
    put_row(c, "record-writers", d->record_writers ? "on" : "off");
    put_row(c, "timeout", timeout);
}

struct lull_error *lull_cmd_show(struct lull_cmd *c)
{
    if (strcmp(c->args, "values") == 0 || strncmp(c->args, "conv", 4) == 0) {
        show_kept(c, c->args[0] == 'v');
        return NULL;
    }
    const size_t before = c->out->size;
    put_rows(c);
    if (*c->args == '\0' && c->json != NULL) {
        lull_json_put_u64(c->json, "timeout_ms", c->d->timeout_ms);
    }
    if (strcmp(c->args, "height") == 0) {
        put_row(c, "height", c->d->no_pages ? "unlimited" : "the terminal's");
    }
    if (c->out->size != before) {
        return NULL;
    }
    if (!lull_cmd_gdb_setting(c->args)) {
        return lull_error_new(LULL_ERR_INVALID, "no setting '%s': 'show' lists them", c->args);
    }
    lull_str_addf(c->out, "%s: a setting of gdb's, which scripts may say; it has no effect here\n",
                  c->args);
    return NULL;
}
