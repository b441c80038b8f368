// SPDX-License-Identifier: MIT
/** @file
 * Adreno GPUs by chip id, and what is where in each generation.
 */
#ifndef LULL_HW_ADRENO_CHIP_H
#define LULL_HW_ADRENO_CHIP_H

#include <stdint.h>

#include "hw/dom.h"

enum { LULL_ADRENO_SPACES = 2 };

/** Generation (6: a6xx) of a chip id, as captures and crash dumps have it; of one that is not in
 * the table, its uppermost byte. */
unsigned lull_adreno_gen(uint64_t chip);

/** Register spaces of generation @p gen, to be searched in this order. @return Their number; 0: not
 * a2xx to a7xx. */
unsigned lull_adreno_spaces(unsigned gen, const struct lull_dom *ret[LULL_ADRENO_SPACES]);

/** Domain @p name of lull_dom_adreno; NULL: there is none, or no name. */
const struct lull_dom *lull_adreno_domain(const char *name);

/** Payload of the packet @p name; NULL: nothing is known of it. */
const struct lull_dom *lull_adreno_packet(const char *name);

#endif
