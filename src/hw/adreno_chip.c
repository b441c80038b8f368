// SPDX-License-Identifier: MIT
#include "hw/adreno_chip.h"

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
