// SPDX-License-Identifier: MIT
/** @file
 * Location expressions of DWARF: where a variable is, for one lane.
 *
 * A stack machine over operations that are decoded already. What registers and memory hold, its
 * user says. For AMDGPU, upstream LLVM 19 means what DWARF does not say: `xderef` names the space
 * of an address and loads nothing; behind a register alone (`bregx VGPRn, 0`) that register is
 * where the variable is; and what `fbreg` gives lies in the lane's scratch memory. Source: DWARF 5,
 * section 2.5 and 2.6; LLVM AMDGPUUsage (register numbers, address spaces).
 */
#ifndef LULL_SYMBOLS_LOCATION_H
#define LULL_SYMBOLS_LOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** Where an address leads. The first three have the numbers of LLVM's DWARF. */
enum lull_locspace {
    LULL_LOCSPACE_FLAT = 0,
    LULL_LOCSPACE_SCRATCH = 1, ///< Of a lane: bytes from the start of its scratch memory.
    LULL_LOCSPACE_LOCAL = 2,   ///< LDS: bytes from the start of the workgroup's.
};

/** An operation: its opcode and operands as DWARF has them. */
struct lull_locop {
    uint8_t op;
    uint64_t a, b;
    uint32_t at; ///< Byte in the expression, for branches.
};

struct lull_locexpr {
    size_t n;
    const struct lull_locop *ops;
};

/** What the expression can ask. Registers by their DWARF numbers. */
struct lull_locenv {
    void *ctx;
    unsigned lane;
    struct lull_error *(*read_register)(void *ctx, unsigned number, unsigned lane, uint64_t *ret);
    struct lull_error *(*read_memory)(void *ctx, enum lull_locspace space, unsigned lane,
                                      uint64_t address, void *buf, size_t size);
    const struct lull_locexpr *frame_base; ///< NULL: there is none.
};

enum lull_locplace_kind {
    LULL_LOCPLACE_NOWHERE, ///< Optimised out.
    LULL_LOCPLACE_MEMORY,
    LULL_LOCPLACE_REGISTER, ///< value: its number.
    LULL_LOCPLACE_VALUE,
};

enum { LULL_LOC_PIECES = 32 };

struct lull_locpiece {
    enum lull_locplace_kind kind;
    enum lull_locspace space;
    uint64_t value; ///< Address, register, value.
    uint64_t bytes; ///< Of the variable; 0: all of it.
};

struct lull_locplace {
    unsigned n;
    struct lull_locpiece pieces[LULL_LOC_PIECES];
};

/** DWARF numbers of registers. Source: LLVM AMDGPUUsage, "DWARF Register Identifier". */
enum lull_locreg { LULL_LOCREG_SGPR, LULL_LOCREG_VGPR, LULL_LOCREG_EXEC, LULL_LOCREG_PC };

/** Which register @p number is; false: none that we know. */
bool lull_locreg_of(uint64_t number, enum lull_locreg *ret_kind, unsigned *ret_index);

/**
 * @return LULL_ERR_BAD_DATA for a wrong expression (an empty stack, a branch to nowhere, more steps
 *         than any needs), LULL_ERR_UNSUPPORTED for operations that we do not know; or what the
 *         environment says.
 */
struct lull_error *lull_location_find(const struct lull_locexpr *expr,
                                      const struct lull_locenv *env,
                                      struct lull_locplace *ret) LULL_MUST_USE;

#endif
