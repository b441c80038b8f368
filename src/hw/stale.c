// SPDX-License-Identifier: MIT
#include "hw/stale.h"

#include <stddef.h>

#include "hw/adreno_doms.h"

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

/** May the register hold garbage in front of a command buffer, or pass? */
static bool may_hold(const struct lull_stale *facts, const struct lull_dom_hit *hit, bool pass,
                     uint32_t reg)
{
    const unsigned usage = pass ? LULL_DOM_USE_RP_BLIT : LULL_DOM_USE_CMD;
    return hit->reg != NULL && hit->reg->usage == usage &&
           !lull_stale_in(facts->keep, facts->nkeep, reg) &&
           !(pass && lull_stale_in(facts->bound, facts->nbound, reg));
}

unsigned lull_stale_registers(unsigned gen, bool pass, uint32_t *ret, unsigned room)
{
    enum { END = 0x10000 };
    const struct lull_stale *facts = lull_stale_of(gen);
    const struct lull_dom *const doms[] = {&lull_dom_adreno.domains[LULL_ADRENO_DOM_A6XX]};
    struct lull_dom_index *index = NULL;
    unsigned n = 0;
    struct lull_error *err =
        facts != NULL ? lull_dom_index_new(&lull_dom_adreno, gen, doms, 1, END, &index) : NULL;
    for (uint32_t reg = 0; index != NULL && reg < END; reg++) {
        const struct lull_dom_hit hit = lull_dom_lookup(index, reg);
        if (may_hold(facts, &hit, pass, reg) && n++ < room) {
            ret[n - 1] = reg;
        }
    }
    lull_dom_index_free(index);
    lull_error_free(err);
    return n;
}
