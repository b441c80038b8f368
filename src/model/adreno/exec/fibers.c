// SPDX-License-Identifier: MIT
// What a wave is before it does anything.
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "model/adreno/exec/wave.h"

void lull_ir3_wrong(struct lull_ir3_wave *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(w->wrong, sizeof w->wrong, format, args);
    va_end(args);
    w->status = LULL_IR3_FAULT;
}

void lull_ir3_wave_again(struct lull_ir3_wave *w, unsigned fibers, const struct lull_ir3_mask *live,
                         unsigned nregs)
{
    const size_t registers = offsetof(struct lull_ir3_wave, shared),
                 parked = offsetof(struct lull_ir3_wave, parked),
                 behind = parked + sizeof w->parked;
    memset((char *)w + registers, 0, parked - registers);
    if (nregs == LULL_IR3_GPRS) { // Plain data, also what nobody is parked at.
        memset(w->parked, 0, sizeof w->parked);
    }
    memset((char *)w + behind, 0, sizeof *w - behind);
    w->fibers = fibers;
    w->exec = *live;
    for (unsigned r = 0; r < nregs; r++) {
        for (unsigned i = 0; i < fibers; i++) {
            w->r[r][i] = lull_ir3_untouched(r, i);
        }
    }
    for (unsigned r = 0; r < LULL_IR3_SHARED; r++) {
        w->shared[r] = lull_ir3_untouched(LULL_IR3_GPRS + r, 0);
    }
}

void lull_ir3_wave_start(struct lull_ir3_wave *w, unsigned fibers, const struct lull_ir3_mask *live)
{
    lull_ir3_wave_again(w, fibers, live, LULL_IR3_GPRS);
}

void lull_ir3_wave_assume(struct lull_ir3_wave *w, const struct lull_ir3_assumptions *a)
{
    if (lull_ir3_assumes(a, LULL_IR3_ASSUME_REGISTERS, LULL_IR3_ASSUME_REGISTERS_ZERO)) {
        memset(w->r, 0, sizeof w->r);
        memset(w->shared, 0, sizeof w->shared);
    }
}

struct lull_ir3_mask lull_ir3_active(const struct lull_ir3_wave *w)
{
    struct lull_ir3_mask m = w->exec;
    for (unsigned i = 0; w->pred != LULL_IR3_PRED_NONE && i < 2; i++) {
        m.w[i] &= w->pred == LULL_IR3_PRED_TRUE ? w->pred_mask.w[i] : ~w->pred_mask.w[i];
    }
    return m;
}

unsigned lull_ir3_first(const struct lull_ir3_mask *m)
{
    return m->w[0] != 0   ? (unsigned)__builtin_ctzll(m->w[0])
           : m->w[1] != 0 ? 64 + (unsigned)__builtin_ctzll(m->w[1])
                          : LULL_IR3_FIBERS;
}
