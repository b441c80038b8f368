// SPDX-License-Identifier: MIT
// What draws count for queries. Sampled by packets (cp_event.c).
#include "model/amd/gfx/gfx.h"

void lull_gfx_count_samples(struct lull_gpu *g, uint64_t n)
{
    if ((lull_gfx_reg(g, LULL_DRAW11_DB_COUNT_CONTROL) &
         LULL_DRAW11_DB_COUNT_CONTROL__ZPASS_ENABLE_MASK) != 0) {
        g->counters.samples_passed += n;
    }
}
