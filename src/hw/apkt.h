// SPDX-License-Identifier: MIT
/** @file
 * The dwords of an Adreno packet, for the functions of hw/adreno_pkts.h, which gen/dom.py makes of
 * data/adreno/: one for each field of each packet.
 */
#ifndef LULL_HW_APKT_H
#define LULL_HW_APKT_H

#include <stdint.h>

/** A packet without its header. */
struct lull_apkt_args {
    const uint32_t *words;
    uint32_t n; ///< Of them that are the packet's.
    uint32_t
        there;    ///< Of them that may be read: n, or more for a decoder that reads beyond packets.
    unsigned gen; ///< 2 to 7.
};

/** Dword @p i; 0 behind the end. */
static inline uint32_t lull_apkt_dword(const struct lull_apkt_args *p, uint32_t i)
{
    return i < p->there ? p->words[i] : 0;
}

#endif
