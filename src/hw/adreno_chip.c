// SPDX-License-Identifier: MIT
#include "hw/adreno_chip.h"

#include <stdlib.h>
#include <string.h>

#include "hw/adreno_doms.h"

enum { ANY_PATCH = 0xff };

unsigned lull_adreno_gen(uint64_t chip)
{
    const struct lull_dom_state s = {0};
    const char *name =
        lull_dom_enum_name(&lull_dom_adreno, &s, LULL_ADRENO_ENUM_adreno_chip, chip & UINT32_MAX);
    if (name == NULL) {
        name = lull_dom_enum_name(&lull_dom_adreno, &s, LULL_ADRENO_ENUM_adreno_chip,
                                  (chip & UINT32_MAX) | ANY_PATCH);
    }
    return name != NULL ? (unsigned)(name[1] - '0') : (unsigned)(chip >> 24 & 0xff);
}

unsigned lull_adreno_spaces(unsigned gen, const struct lull_dom *ret[LULL_ADRENO_SPACES])
{
    static const unsigned domains[] = {
        [2] = LULL_ADRENO_DOM_A2XX, [3] = LULL_ADRENO_DOM_A3XX, [4] = LULL_ADRENO_DOM_A4XX,
        [5] = LULL_ADRENO_DOM_A5XX, [6] = LULL_ADRENO_DOM_A6XX, [7] = LULL_ADRENO_DOM_A6XX,
    };
    if (gen < 2 || gen >= sizeof domains / sizeof domains[0]) {
        return 0;
    }
    ret[0] = &lull_dom_adreno.domains[domains[gen]];
    ret[1] = &lull_dom_adreno.domains[LULL_ADRENO_DOM_AXXX];
    return gen <= 3 ? 2 : 1;
}

static int by_name(const void *name, const void *domain)
{
    return strcmp(name, ((const struct lull_dom *)domain)->name);
}

const struct lull_dom *lull_adreno_domain(const char *name)
{
    return name != NULL ? bsearch(name, lull_dom_adreno.domains, lull_dom_adreno.ndomains,
                                  sizeof lull_dom_adreno.domains[0], by_name)
                        : NULL;
}

const struct lull_dom *lull_adreno_packet(const char *name)
{
    // CP_LOAD_STATE6_GEOM, _FRAG and _3D have one payload.
    static const char load[] = "CP_LOAD_STATE6_";
    const bool is_load = name != NULL && strncmp(name, load, sizeof load - 1) == 0;
    return lull_adreno_domain(is_load ? "CP_LOAD_STATE6" : name);
}
