// SPDX-License-Identifier: MIT
/** @file
 * SDMA: the engines that copy. They are rings of the command processor (model/amd/cp) with packets
 * of their own, which do what they say at once, in order.
 *
 * struct lull_cp's p.body begins with the packet's header here, as data/pkt/sdma6.pkt counts.
 */
#ifndef LULL_MODEL_AMD_SDMA_H
#define LULL_MODEL_AMD_SDMA_H

#include "cmd/sdma6_pkts.h"
#include "model/amd/cp/cp.h"

// sdma_copy.c
lull_cp_fn lull_sdma_copy_linear, lull_sdma_linear_window, lull_sdma_tiled_window,
    lull_sdma_t2t_window;

static inline uint64_t lull_sdma_address(const uint32_t *lo)
{
    return lo[0] | (uint64_t)lo[1] << 32;
}

#endif
