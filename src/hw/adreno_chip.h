// SPDX-License-Identifier: MIT
/** @file
 * Adreno GPUs by chip id.
 */
#ifndef LULL_HW_ADRENO_CHIP_H
#define LULL_HW_ADRENO_CHIP_H

#include <stdint.h>

/** Generation (6: a6xx) of a chip id, as captures and crash dumps have it; of one that is not in
 * the table, its uppermost byte. */
unsigned lull_adreno_gen(uint64_t chip);

#endif
