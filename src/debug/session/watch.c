// SPDX-License-Identifier: MIT
/* Watchpoints: in hardware by the target, in software by stepping every wave and looking. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/rdna/access.h"
#include "debug/session/engine.h"
#include "debug/session/location.h"

enum { LOOK_BACK = 8, STEP_MS = 5, MAX_ROUNDS = 1000000, MAX_BYTES = 8, LANE_ROOM = 400 };

static bool is_watch(const struct lull_breakpoint *b, bool software)
{
    return b->number != 0 && b->enabled && b->kind == LULL_BREAK_WATCH && b->software == software;
}

/* Hits of watchpoints that are no more are nobody's; their places may be taken by others. */
static void forget_hits(struct lull_debug *d)
{
    for (size_t i = 0; i < d->nwaves; i++) {
        struct lull_debug_wave *w = &d->waves[i];
        if (w->stopped && w->info.stop == LULL_STOP_EXCEPTION && w->info.watch != 0) {
            w->unreported = false;
        }
    }
}

struct lull_error *lull_debug_sync_watchpoints(struct lull_debug *d)
{
    struct lull_watchpoint w[LULL_MAX_BREAKPOINTS];
    size_t n = 0;
    uint64_t numbers = 0; // which ones, in one number
    for (size_t i = 0; i < LULL_MAX_BREAKPOINTS; i++) {
        const struct lull_breakpoint *b = &d->breakpoints[i];
        if (is_watch(b, false)) {
            numbers = numbers * 1000003 + b->number;
            w[n++] = (struct lull_watchpoint){.va = b->va, .size = b->size, .kind = b->watch};
        }
    }
    if (numbers != d->watch_set) {
        forget_hits(d);
    }
    d->watch_set = numbers;
    if (d->target->ops->set_watchpoints == NULL) {
        return n == 0 ? NULL
                      : lull_error_new(LULL_ERR_UNSUPPORTED,
                                       "a %s target has no watchpoints: 'watch --software'",
                                       d->target->ops->kind);
    }
    return d->target->ops->set_watchpoints(d->target, w, n);
}

LULL_MUST_USE static struct lull_error *current_value(struct lull_debug *d,
                                                      const struct lull_breakpoint *b,
                                                      uint64_t *ret)
{
    uint64_t value = 0;
    struct lull_error *err = d->target->ops->read(d->target, b->va, &value, b->size);
    if (err == NULL) {
        *ret = value;
    }
    return err;
}

/* Lanes of the instruction at @p va that touch what @p b watches. */
LULL_MUST_USE static struct lull_error *touching(struct lull_debug *d,
                                                 const struct lull_debug_wave *wave, uint64_t va,
                                                 const struct lull_breakpoint *b, uint64_t *ret)
{
    struct lull_access a = {.d = d, .wave = wave};
    bool known = false;
    *ret = 0;
    if (!lull_debug_decode(d, va, &a.in)) {
        return NULL;
    }
    struct lull_error *err = lull_access_find(&a, &known);
    bool kind = b->watch == LULL_WATCH_WRITE  ? a.writes
                : b->watch == LULL_WATCH_READ ? a.reads
                                              : a.reads || a.writes;
    for (unsigned i = 0; err == NULL && known && kind && i < a.lanes; i++) {
        bool on = ((a.mask & ~a.outside) >> i & 1) != 0;
        bool meets = (a.va[i] ^ b->va) << 16 == 0 || // the same 48 bits
                     (a.va[i] < b->va + b->size && b->va < a.va[i] + a.bytes);
        *ret |= (uint64_t)(on && meets) << i;
    }
    return err;
}

/* A load may have overwritten the registers that its address came from. */
static bool hides(struct lull_debug *d, uint64_t va)
{
    struct lull_rdna_insn in = {0};
    return lull_debug_decode(d, va, &in) && in.dst != LULL_RDNA_NONE &&
           in.vaddr != LULL_RDNA_NONE && in.dst <= in.vaddr + 1u && in.vaddr < in.dst + 4u;
}

struct lull_error *lull_debug_watch_hit(struct lull_debug *d, const struct lull_debug_wave *w,
                                        struct lull_breakpoint **ret)
{
    uint64_t at[LOOK_BACK + 1] = {0};
    size_t n = lull_debug_insns_before(d, w->info.pc, at, LOOK_BACK);
    for (unsigned k = LOOK_BACK; n < LOOK_BACK && k > 0 && (n == 0 || at[n - 1] + 4 < w->info.pc);
         k--) {
        at[n++] = w->info.pc - 4ull * k; // no symbol: each dword may be the start of one
    }
    at[n++] = w->info.pc;
    unsigned index = 0;
    *ret = NULL;
    for (size_t i = 0; i < LULL_MAX_BREAKPOINTS; i++) {
        struct lull_breakpoint *b = &d->breakpoints[i];
        if (!is_watch(b, false)) {
            continue;
        }
        bool line = (w->info.watch >> index++ & 1) != 0;
        for (size_t k = n; line && k > 0; k--) {
            uint64_t lanes = 0;
            struct lull_error *err = touching(d, w, at[k - 1], b, &lanes);
            if (err != NULL) {
                return err;
            }
            if (lanes != 0 || (k < n && hides(d, at[k - 1]))) {
                d->watch_pc = at[k - 1];
                d->watch_lanes = lanes;
                *ret = b;
                return NULL;
            }
        }
    }
    return NULL;
}

static void show_lanes(uint64_t lanes, struct lull_str *out)
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
    struct lull_error *err = current_value(d, b, &now);
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
    show_lanes(d->watch_lanes, c->out);
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

void lull_debug_look_at_watched(struct lull_debug *d)
{
    for (size_t i = 0; i < LULL_MAX_BREAKPOINTS; i++) {
        struct lull_breakpoint *b = &d->breakpoints[i];
        if (b->number != 0 && b->kind == LULL_BREAK_WATCH) {
            lull_error_free(current_value(d, b, &b->old_value)); // unmapped now: as it was
        }
    }
}

bool lull_debug_watches_in_software(const struct lull_debug *d)
{
    for (size_t i = 0; i < LULL_MAX_BREAKPOINTS; i++) {
        if (is_watch(&d->breakpoints[i], true)) {
            return true;
        }
    }
    return false;
}

/* A software watchpoint whose value is another now; the wave that just stepped did it. */
LULL_MUST_USE static struct lull_error *changed(struct lull_debug *d, unsigned number, uint64_t pc,
                                                bool *ret)
{
    for (size_t i = 0; i < LULL_MAX_BREAKPOINTS; i++) {
        struct lull_breakpoint *b = &d->breakpoints[i];
        uint64_t now = 0;
        struct lull_error *err = is_watch(b, true) ? current_value(d, b, &now) : NULL;
        if (err != NULL) {
            return err;
        }
        struct lull_debug_wave *w = lull_debug_wave_by_number(d, number);
        if (!is_watch(b, true) || now == b->old_value || w == NULL) {
            continue;
        }
        err = lull_debug_hit(d, w, b, ret);
        if (err != NULL || *ret) {
            d->watch_hit = b->number;
            d->watch_wave = number;
            d->watch_pc = pc;
            return err != NULL ? err : touching(d, w, pc, b, &d->watch_lanes);
        }
        b->old_value = now;
    }
    return NULL;
}

/* One instruction of one wave. @p ret: the user should see where it stands now. */
LULL_MUST_USE static struct lull_error *step_wave(struct lull_debug *d, unsigned number, bool *ret)
{
    struct lull_debug_wave *w = lull_debug_wave_by_number(d, number);
    uint64_t pc = w->info.pc;
    enum lull_event event = LULL_EVENT_TIMEOUT;
    struct lull_error *err = lull_debug_let_go(d, w, LULL_RESUME_STEP);
    // At a barrier it comes back only after the others have stepped to it, too.
    if (err == NULL) {
        err = d->target->ops->wait(d->target, STEP_MS, &event);
    }
    if (err != NULL) {
        return err;
    }
    if (event == LULL_EVENT_DONE || event == LULL_EVENT_LOST) {
        lull_debug_ended(d, event == LULL_EVENT_DONE ? LULL_OUT_DONE : LULL_OUT_LOST);
        return NULL;
    }
    d->hold_pending = d->hold_pending || event == LULL_EVENT_HELD;
    err = lull_debug_refresh(d);
    w = lull_debug_wave_by_number(d, number);
    if (err != NULL || w == NULL) {
        return err;
    }
    enum lull_stop stop = w->info.stop;
    struct lull_breakpoint *b = lull_debug_breakpoint_at(d, w->info.pc);
    bool user = w->stopped && (b != NULL || (stop != LULL_STOP_STEP && stop != LULL_STOP_START &&
                                             stop != LULL_STOP_HOST));
    w->unreported = false;
    err = changed(d, number, pc, ret);
    if (err == NULL && !*ret && user) {
        err = lull_debug_counts(d, w, ret);
    }
    return err;
}

/* Nothing stands: wait for a wave, or for the end. @p ret: it came, or is told to the user. */
LULL_MUST_USE static struct lull_error *wait_for_first(struct lull_debug *d, bool *ret)
{
    enum lull_event event = d->hold_pending ? LULL_EVENT_HELD : LULL_EVENT_TIMEOUT;
    unsigned ms = d->timeout_ms != 0 ? d->timeout_ms : STEP_MS;
    struct lull_error *err =
        event == LULL_EVENT_HELD ? NULL : d->target->ops->wait(d->target, ms, &event);
    if (err == NULL && event == LULL_EVENT_HELD) {
        err = lull_debug_look_at_held(d, ret);
        d->outcome = *ret ? LULL_OUT_HELD : d->outcome;
    } else if (err == NULL && event == LULL_EVENT_STOPPED) {
        err = lull_debug_refresh(d);
    } else if (err == NULL && event == LULL_EVENT_TIMEOUT) {
        *ret = d->timeout_ms != 0;
        d->outcome = *ret ? LULL_OUT_TIMEOUT : d->outcome;
    } else if (err == NULL) {
        *ret = true;
        lull_debug_ended(d, event == LULL_EVENT_DONE ? LULL_OUT_DONE : LULL_OUT_LOST);
    }
    return err;
}

static bool any_stands(const struct lull_debug *d)
{
    for (size_t i = 0; i < d->nwaves; i++) {
        if (d->waves[i].stopped) {
            return true;
        }
    }
    return false;
}

struct lull_error *lull_debug_resume_watching(struct lull_debug *d)
{
    struct lull_target *t = d->target;
    bool hit = false;
    unsigned focus = d->focus;
    struct lull_error *err =
        t->ops->stop_new_waves != NULL ? t->ops->stop_new_waves(t, true) : NULL;
    if (err == NULL && d->held) {
        d->held = false;
        err = t->ops->release(t);
    }
    for (unsigned round = 0; err == NULL && !hit && round < MAX_ROUNDS; round++) {
        bool over = false;
        if (!any_stands(d)) {
            err = wait_for_first(d, &over);
        }
        if (d->interrupted != NULL && d->interrupted(d->run_ctx)) {
            d->was_interrupted = true;
            d->outcome = LULL_OUT_TIMEOUT;
        }
        if (over || d->was_interrupted) {
            break;
        }
        for (size_t i = 0; err == NULL && !hit && i < d->nwaves; i++) {
            focus = d->waves[i].number;
            err = d->waves[i].stopped ? step_wave(d, focus, &hit) : NULL;
        }
        if (!d->started) {
            break;
        }
    }
    if (t->ops->stop_new_waves != NULL) {
        struct lull_error *off = t->ops->stop_new_waves(t, false);
        if (err == NULL) {
            err = off;
        } else {
            lull_error_free(off);
        }
    }
    struct lull_debug_wave *w = hit ? lull_debug_wave_by_number(d, focus) : NULL;
    for (size_t i = 0; hit && (w == NULL || !w->stopped) && i < d->nwaves; i++) {
        w = &d->waves[i]; // the one that did it has ended: any that stands
    }
    if (err == NULL && w != NULL && w->stopped) {
        lull_debug_focus_stop(d, w);
    }
    return err;
}

/* "{u32}ADDRESS", or "ADDRESS" of four bytes. */
LULL_MUST_USE static struct lull_error *watched(struct lull_debug *d, const char *text,
                                                struct lull_breakpoint *b)
{
    struct lull_location at = {0};
    bool typed = false;
    struct lull_error *err = lull_debug_memory_at(d, text, &typed, &at);
    if (err == NULL && !typed && *text == '{') {
        err = lull_error_new(LULL_ERR_INVALID,
                             "'%s' is a value, not a place: brackets, as in {u32}(out+16)", text);
    }
    b->va = at.address[0];
    b->size = typed ? lull_ctype_bits(at.type) / 8 : 4;
    if (err != NULL && *text != '{' && *text != '(') { // FILE:LINE is no expression
        lull_error_free(err);
        err = NULL;
        typed = false;
    }
    return err != NULL || typed ? err : lull_debug_location(d, text, &b->va);
}

LULL_MUST_USE static struct lull_error *add_watch(struct lull_cmd *c, char *text,
                                                  struct lull_breakpoint *b)
{
    struct lull_debug *d = c->d;
    char *condition = strstr(text, " if ");
    if (condition != NULL) {
        *condition = '\0';
        condition += 4;
    }
    for (size_t n = strlen(text); n > 0 && isspace((unsigned char)text[n - 1]); n--) {
        text[n - 1] = '\0';
    }
    struct lull_error *err = watched(d, text, b);
    err = err != NULL ? err : current_value(d, b, &b->old_value);
    if (err != NULL) {
        return err;
    }
    b->what = strdup(text);
    err = b->what == NULL ? &lull_enomem : lull_debug_set_condition(d, b, condition);
    if (err != NULL) {
        return err;
    }
    b->number = d->next_breakpoint;
    err = lull_debug_sync_watchpoints(d);
    if (err == NULL) {
        d->next_breakpoint++;
        lull_str_addf(c->out, "%s %u: %s (0x%012" PRIx64 ", %u bytes)\n",
                      b->software ? "Software watchpoint" : "Watchpoint", b->number, b->what, b->va,
                      b->size);
    }
    if (err == NULL && c->json != NULL) {
        lull_json_put_u64(c->json, "number", b->number);
        lull_json_put_hex(c->json, "address", b->va);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *any_watch(struct lull_cmd *c, enum lull_watch_kind kind)
{
    const char *at = c->args;
    bool software = lull_cmd_word(&at, "--software");
    if (*at == '\0') {
        return lull_error_new(LULL_ERR_INVALID,
                              "watch what? An address or a place, as in 'watch {u32}(out+16)'");
    }
    if (software && kind != LULL_WATCH_WRITE) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "software watchpoints see changes only");
    }
    lull_cleanup(lull_freep) char *text = strdup(at);
    struct lull_breakpoint *b = NULL;
    struct lull_error *err = text == NULL ? &lull_enomem : lull_debug_free_breakpoint(c->d, &b);
    if (err != NULL) {
        return err;
    }
    *b = (struct lull_breakpoint){
        .kind = LULL_BREAK_WATCH, .enabled = true, .watch = kind, .software = software};
    err = add_watch(c, text, b);
    if (err != NULL) {
        lull_debug_delete_breakpoint(b);
    }
    return err;
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
