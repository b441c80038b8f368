// SPDX-License-Identifier: MIT
/** @file
 * Which registers an instruction reads and writes, and what it waits for.
 */
#ifndef LULL_ISA_RDNA_REGS_H
#define LULL_ISA_RDNA_REGS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/rdna/rdna.h"

enum { LULL_RDNA_MAX_USES = 32 };

/** A run of registers, by operand number: below 128 scalar, from LULL_RDNA_VGPR0 on vector. */
struct lull_rdna_use {
    uint16_t reg;
    uint8_t count;
    bool write; ///< Otherwise it is read. What is read and written stands in two entries.
};

/**
 * Registers that @p in names, and VCC where it is implied. Left out: EXEC, SCC and M0 where they
 * are implied, and registers that are chosen at run time (v_movrel*).
 *
 * @param lanes 32 or 64.
 * @return Entries written to @p ret, which has room for LULL_RDNA_MAX_USES.
 */
unsigned lull_rdna_uses(const struct lull_rdna_insn *in, unsigned lanes, struct lull_rdna_use *ret);

/** Counter @p name ("vmcnt", "depctr_va_vdst" ...) of s_waitcnt or s_waitcnt_depctr. False: @p in
 * is neither, or the counter is at its maximum, so there is no wait for it. */
bool lull_rdna_waits(const struct lull_rdna_insn *in, const char *name, uint32_t *ret);

#endif
