// SPDX-License-Identifier: MIT
/* Exceptions of the ALU: those that catchpoints name, and who raised one. */
#include "base/error.h"
#include "debug/code/code.h"
#include "debug/rdna/raised.h"
#include "debug/session/engine.h"
#include "debug/session/pipeline.h"

const char *lull_debug_exception_word(uint32_t excp)
{
    static const char *const words[] = {"invalid",   "denormal", "divzero", "overflow",
                                        "underflow", "inexact",  "intdiv"};
    unsigned n = 0;
    while (n + 1 < sizeof words / sizeof words[0] && (excp >> n & 1) == 0) {
        n++;
    }
    return words[n];
}

bool lull_debug_wants_exception(const struct lull_breakpoint *b, uint32_t excp)
{
    return b->number != 0 && b->enabled && b->kind == LULL_BREAK_EXCEPTION &&
           (b->by_value & excp) != 0;
}

/* What waves raised that nobody wants to know any more is not told. */
static void forget_raised(struct lull_debug *d, uint32_t excp)
{
    for (size_t i = 0; i < d->nwaves; i++) {
        struct lull_debug_wave *w = &d->waves[i];
        if (w->stopped && w->info.excp != 0 && (w->info.excp & ~d->exceptions) == 0 &&
            (w->info.excp & excp) == 0) {
            w->unreported = false;
        }
    }
}

struct lull_error *lull_debug_sync_exceptions(struct lull_debug *d)
{
    uint32_t excp = 0;
    for (size_t i = 0; i < d->nbreakpoints; i++) {
        const struct lull_breakpoint *b = d->breakpoints[i];
        excp |= lull_debug_wants_exception(b, LULL_EXCEPTION_ANY) ? (uint32_t)b->by_value : 0;
    }
    if (excp == d->exceptions) {
        return NULL;
    }
    if (d->target->ops->set_exceptions == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "a %s target raises no exceptions",
                              d->target->ops->kind);
    }
    forget_raised(d, excp);
    d->exceptions = excp;
    return d->target->ops->set_exceptions(d->target, excp);
}

const struct lull_breakpoint *lull_debug_catchpoint_of(const struct lull_debug *d,
                                                       const struct lull_debug_wave *w)
{
    for (size_t i = 0; i < d->nbreakpoints; i++) {
        if (lull_debug_wants_exception(d->breakpoints[i], w->info.excp)) {
            return d->breakpoints[i];
        }
    }
    return NULL;
}

bool lull_debug_raised_at(struct lull_debug *d, const struct lull_debug_wave *w, uint64_t *ret_va)
{
    struct lull_code_insn in = {0};
    return lull_debug_insns_before(d, w->info.pc, ret_va, 1) == 1 &&
           lull_code_at(d->target, *ret_va, &in) && *ret_va + in.size == w->info.pc;
}

uint64_t lull_debug_raised_lanes(struct lull_debug *d, const struct lull_debug_wave *w)
{
    uint64_t va = 0;
    uint64_t lanes = 0;
    if (lull_debug_raised_at(d, w, &va)) {
        lull_error_free(lull_raised_lanes(d->target, &w->info, va, w->info.excp, &lanes));
    }
    return lanes;
}
