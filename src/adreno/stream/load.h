// SPDX-License-Identifier: MIT
/** @file
 * What a packet that loads state of a3xx to a7xx loads: CP_LOAD_STATE, CP_LOAD_STATE4 and
 * CP_LOAD_STATE6.
 *
 * Source: shared facts on freedreno, section 4 (Mesa src/freedreno/decode/cffdec.c).
 */
#ifndef LULL_ADRENO_STREAM_LOAD_H
#define LULL_ADRENO_STREAM_LOAD_H

#include <stdint.h>

enum lull_load_source { LULL_LOAD_DIRECT, LULL_LOAD_BINDLESS, LULL_LOAD_INDIRECT };

enum { LULL_LOAD_BINDLESS_DWORDS = 16 };

enum lull_load_what {
    LULL_LOAD_NOTHING, ///< Nobody knows what.
    LULL_LOAD_SHADER,
    LULL_LOAD_CONSTANTS,
    LULL_LOAD_SAMPLERS,
    LULL_LOAD_TEXTURES,
    LULL_LOAD_UBOS,
    LULL_LOAD_IBOS,
    LULL_LOAD_SSBO_SIZES,
    LULL_LOAD_SSBO_ADDRESSES,
    LULL_LOAD_PAIRS, ///< Pairs of dwords, nobody knows of what.
    LULL_LOAD_STATES,
};

/** What a load says of itself. */
struct lull_load {
    unsigned block, source, type; ///< As in the packet.
    uint32_t offset, units;
    enum lull_load_what what;
};

/** What block @p block and type @p type stand for. */
enum lull_load_what lull_load_what(unsigned gen, unsigned block, unsigned type);

/** Dwords of a unit. */
uint32_t lull_load_unit(unsigned gen, enum lull_load_what what);

/** The domain (in lull_dom_adreno) of a unit; -1: it has none. */
int lull_load_domain(unsigned gen, enum lull_load_what what);

#endif
