// SPDX-License-Identifier: MIT
/** @file
 * Places: what an expression reads and `set` writes. Registers, one lane of a register, memory.
 */
#ifndef LULL_DEBUG_PLACE_H
#define LULL_DEBUG_PLACE_H

#include "debug/debug.h"

enum lull_place_kind {
    LULL_PLACE_SCALAR, ///< SGPR, VCC, EXEC, M0, TTMP, PC, hardware register.
    LULL_PLACE_VECTOR, ///< All lanes of a VGPR.
    LULL_PLACE_LANE,   ///< One lane of a VGPR.
    LULL_PLACE_MEMORY, ///< {type}address.
    LULL_PLACE_LDS,    ///< {type}lds:offset
    LULL_PLACE_CONST,  ///< $lane, $wave, $lanes: cannot be written.
};

struct lull_place {
    enum lull_place_kind kind;
    struct lull_wave_reg reg;
    unsigned count; ///< Registers: 1, or 2 for a 64-bit pair.
    unsigned bytes; ///< Memory: 1, 2, 4, 8.
    bool is_signed;
    bool all_lanes; ///< $v3[*]: write every active lane.
    uint64_t address;
    uint64_t value;      ///< CONST.
    unsigned bit, nbits; ///< A piece of a register ($scc); nbits 0: all of it.
};

/** Parse "$name", "$v3[5]", "$s[4:5]", "{u32}EXPR", "*(u32*)EXPR". @p ret_rest: where it ended. */
struct lull_error *lull_place_parse(struct lull_debug *d, const char *text, const char **ret_rest,
                                    struct lull_place *ret) LULL_MUST_USE;
struct lull_error *lull_place_read(struct lull_debug *d, const struct lull_place *place,
                                   struct lull_value *ret) LULL_MUST_USE;
/** A vector register takes a value for the focused lane, or a value of all lanes for all lanes. */
struct lull_error *lull_place_write(struct lull_debug *d, const struct lull_place *place,
                                    const struct lull_value *value) LULL_MUST_USE;

/** Kernel, code symbol or buffer by name. */
bool lull_debug_find_symbol(struct lull_debug *d, const char *name, uint64_t *ret_va);

#endif
