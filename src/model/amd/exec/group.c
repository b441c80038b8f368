// SPDX-License-Identifier: MIT
// Waves of a workgroup that go from barrier to barrier: between two of them there is often little
// to do, less than it takes to look whose turn it is.
#include "hw/hwreg_regs.h"
#include "model/amd/wave/wave.h"

/** All waves of a group are at a barrier: they go on, if nothing else is to be done with one. */
static bool let_go(struct lull_wave *const *waves, unsigned n, uint32_t mode)
{
    const uint32_t others = LULL_HWREG_STATUS__HALT_MASK | LULL_HWREG_STATUS__FATAL_HALT_MASK |
                            LULL_HWREG_STATUS__PRIV_MASK;
    bool good = true;
    for (unsigned i = 0; i < n; i++) {
        const struct lull_wave *w = waves[i];
        good = good && w->state == LULL_WAVE_BARRIER && w->mode == mode && w->pending == 0 &&
               (w->status & others) == 0;
    }
    for (unsigned i = 0; i < n && good; i++) {
        waves[i]->state = LULL_WAVE_RUNNING;
        waves[i]->status &= ~(uint32_t)LULL_HWREG_STATUS__IN_BARRIER_MASK;
    }
    return good;
}

uint32_t lull_wave_run_group(struct lull_wave *const *waves, unsigned n, uint32_t turn,
                             uint32_t budget, struct lull_wave_at *at)
{
    struct lull_workgroup *const wg = waves[0]->wg;
    const uint32_t mode = waves[0]->mode;
    uint32_t used = 0, done = 0;
    at->ran = false;
    while (budget - used >= turn && !at->ran) {
        struct lull_wave *w = waves[at->wave];
        done = w->mode == mode ? lull_wave_resume(w, turn) : 0;
        if (done == 0) {
            break;
        }
        used += done;
        const bool last = wg->nbarrier + 1 == n;
        at->ran = w->state != LULL_WAVE_BARRIER || (last && !let_go(waves, n, mode));
        if (!at->ran) {
            wg->nbarrier = last ? 0 : wg->nbarrier + 1;
            at->wave = at->wave + 1 == n ? 0 : at->wave + 1;
        }
    }
    return used;
}
