// SPDX-License-Identifier: MIT
// What all memory instructions share: scalar operands, and doing nothing.
#include "hw/hwreg_regs.h"
#include "model/amd/mem/mem.h"

enum lull_exec_result lull_mem_nothing(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    (void)w;
    (void)in;
    return LULL_EXEC_NEXT;
}

uint32_t lull_mem_scalar(const struct lull_wave *w, unsigned operand)
{
    static const uint32_t floats[] = {
        0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
        0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983,
    };
    enum { FIRST_NEGATIVE = 193, LAST_NEGATIVE = 208, FIRST_FLOAT = 240, LAST_FLOAT = 248 };
    if (operand >= LULL_RDNA_TTMP0 && operand < LULL_RDNA_NULL &&
        (w->status & LULL_HWREG_STATUS__PRIV_MASK) == 0) {
        return 0;
    }
    if (operand < LULL_RDNA_INT0) {
        return operand == LULL_RDNA_NULL ? 0 : w->sgpr[operand];
    }
    if (operand < FIRST_NEGATIVE) {
        return operand - LULL_RDNA_INT0;
    }
    if (operand <= LAST_NEGATIVE) {
        return FIRST_NEGATIVE - 1 - operand;
    }
    return operand >= FIRST_FLOAT && operand <= LAST_FLOAT ? floats[operand - FIRST_FLOAT] : 0;
}
