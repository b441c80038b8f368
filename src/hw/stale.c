// SPDX-License-Identifier: MIT
#include "hw/stale.h"

#include <stddef.h>

const struct lull_stale *lull_stale_of(unsigned gen)
{
    for (const struct lull_stale *s = lull_stale_gens; s->gen != 0; s++) {
        if (s->gen == gen) {
            return s;
        }
    }
    return NULL;
}

bool lull_stale_in(const struct lull_stale_range *ranges, unsigned n, uint32_t reg)
{
    for (unsigned i = 0; i < n; i++) {
        if (reg >= ranges[i].first && reg <= ranges[i].last) {
            return true;
        }
    }
    return false;
}
