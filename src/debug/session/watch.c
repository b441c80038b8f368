// SPDX-License-Identifier: MIT
/* Watchpoints: what they watch, and whether an access was to it. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/rdna/access.h"
#include "debug/session/engine.h"
#include "debug/session/fault.h"
#include "debug/session/pipeline.h"
#include "debug/session/watch_value.h"

enum { LOOK_BACK = 8 };

bool lull_debug_is_watch(const struct lull_breakpoint *b, bool software)
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
    lull_cleanup(lull_freep) struct lull_watchpoint *w = calloc(d->nbreakpoints + 1, sizeof *w);
    size_t n = 0;
    if (w == NULL) {
        return &lull_enomem;
    }
    uint64_t numbers = 0; // which ones, in one number
    for (size_t i = 0; i < d->nbreakpoints; i++) {
        const struct lull_breakpoint *b = d->breakpoints[i];
        if (lull_debug_is_watch(b, false)) {
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

struct lull_error *lull_debug_watched_value(struct lull_debug *d, const struct lull_breakpoint *b,
                                            uint64_t *ret)
{
    uint64_t value = 0;
    struct lull_error *err = d->target->ops->read(d->target, b->va, &value, b->size);
    if (err == NULL) {
        *ret = value;
    }
    return err;
}

struct lull_error *lull_debug_touching(struct lull_debug *d, const struct lull_debug_wave *wave,
                                       uint64_t va, const struct lull_breakpoint *b, uint64_t *ret)
{
    struct lull_access a = {0};
    bool known = false;
    *ret = 0;
    struct lull_error *err = lull_debug_access(d, wave, va, &a, &known);
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
    for (size_t i = 0; i < d->nbreakpoints; i++) {
        struct lull_breakpoint *b = d->breakpoints[i];
        if (!lull_debug_is_watch(b, false)) {
            continue;
        }
        bool line = (w->info.watch >> index++ & 1) != 0;
        for (size_t k = n; line && k > 0; k--) {
            uint64_t lanes = 0;
            struct lull_error *err = lull_debug_touching(d, w, at[k - 1], b, &lanes);
            if (err != NULL) {
                return err;
            }
            if (lanes != 0 || (k < n && lull_access_hides(d->target, at[k - 1]))) {
                d->watch_pc = at[k - 1];
                d->watch_lanes = lanes;
                *ret = b;
                return NULL;
            }
        }
    }
    return NULL;
}

void lull_debug_look_at_watched(struct lull_debug *d)
{
    for (size_t i = 0; i < d->nbreakpoints; i++) {
        struct lull_breakpoint *b = d->breakpoints[i];
        if (b->number != 0 && b->kind == LULL_BREAK_WATCH && b->value != NULL) {
            lull_watched_look(d, b->value);
        } else if (b->number != 0 && b->kind == LULL_BREAK_WATCH) {
            lull_error_free(
                lull_debug_watched_value(d, b, &b->old_value)); // unmapped now: as it was
        }
    }
}

bool lull_debug_has_watchpoints(const struct lull_debug *d)
{
    return d->target->ops->set_watchpoints != NULL;
}

bool lull_debug_watches_full(const struct lull_debug *d)
{
    size_t n = 0;
    for (size_t i = 0; i < d->nbreakpoints; i++) {
        n += lull_debug_is_watch(d->breakpoints[i], false);
    }
    return d->target->ops->set_watchpoints != NULL && n >= LULL_WATCHPOINTS;
}

bool lull_debug_watches_in_software(const struct lull_debug *d)
{
    for (size_t i = 0; i < d->nbreakpoints; i++) {
        if (lull_debug_is_watch(d->breakpoints[i], true)) {
            return true;
        }
    }
    return false;
}

/* "{u32}ADDRESS", or "ADDRESS" of four bytes. */
struct lull_error *lull_debug_watched_place(struct lull_debug *d, const char *text,
                                            struct lull_breakpoint *b)
{
    struct lull_location at = {0};
    bool typed = false;
    struct lull_error *err = lull_debug_memory_at(d, text, &typed, &at);
    if (err == NULL && !typed && *text == '{') {
        err = lull_error_new(LULL_ERR_INVALID,
                             "'%s' is a value, not a place: brackets, as in {u32}(out+16)", text);
    }
    if (err == NULL && typed && lull_ctype_bits(at.type) == 0) {
        return lull_error_new(LULL_ERR_INVALID,
                              "'%s' has parts: watch one of them, a member or an element", text);
    }
    b->va = at.address[0];
    b->size = typed ? lull_ctype_bits(at.type) / 8 : 4;
    if (err != NULL && *text != '{' && *text != '(') { // FILE:LINE is no expression
        lull_error_free(err);
        err = NULL;
        typed = false;
    }
    if (err == NULL && typed) {
        b->type = at.type;
        b->type.of = NULL; // It may go with the code that it is of.
    }
    return err != NULL || typed ? err : lull_debug_location(d, text, &b->va);
}
