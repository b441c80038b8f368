// SPDX-License-Identifier: MIT
// Packets that set registers: SH, context and UCONFIG. What they set is kept, whether the model has
// a use for it or not; registers elsewhere are the kernel's.
#include "model/amd/cp/cp.h"

/** SET_*_REG: body[0] is the first register in dwords from @p base. */
static enum lull_cp_result set_regs(struct lull_cp *cp, uint32_t base, uint32_t size)
{
    const uint32_t first = lull_field(cp->p.body[0], LULL_PM4_SET_SH_REG_START__REG_MASK) * 4;
    const unsigned n = cp->p.nbody - 1;
    if (first >= size || n > (size - first) / 4) {
        return lull_cp_bad(cp, "%u registers from 0x%x are too many", n, base + first);
    }
    for (unsigned i = 0; i < n; i++) {
        lull_cp_write_reg(cp, base + first + 4 * i, cp->p.body[1 + i]);
    }
    return LULL_CP_NEXT;
}

static enum lull_cp_result set_sh(struct lull_cp *cp)
{
    return set_regs(cp, LULL_SH_BASE, LULL_SH_BYTES);
}

static enum lull_cp_result set_context(struct lull_cp *cp)
{
    return set_regs(cp, LULL_CONTEXT_BASE, LULL_CONTEXT_BYTES);
}

static enum lull_cp_result set_uconfig(struct lull_cp *cp)
{
    return set_regs(cp, LULL_UCONFIG_BASE, LULL_UCONFIG_BYTES);
}

/** SET_*_REG_PAIRS: (register, value) again and again. */
static enum lull_cp_result set_pairs(struct lull_cp *cp, uint32_t base)
{
    for (unsigned i = 0; i + 1 < cp->p.nbody; i += 2) {
        const uint32_t reg =
            base + lull_field(cp->p.body[i], LULL_PM4_SET_SH_REG_START__REG_MASK) * 4;
        if (!lull_cp_write_reg(cp, reg, cp->p.body[i + 1])) {
            return lull_cp_bad(cp, "register 0x%x", reg);
        }
    }
    return LULL_CP_NEXT;
}

static enum lull_cp_result set_sh_pairs(struct lull_cp *cp)
{
    return set_pairs(cp, LULL_SH_BASE);
}

static enum lull_cp_result set_context_pairs(struct lull_cp *cp)
{
    return set_pairs(cp, LULL_CONTEXT_BASE);
}

/** SET_*_REG_PAIRS_PACKED: a count, then two register numbers in a dword and their two values. */
static enum lull_cp_result set_packed(struct lull_cp *cp, uint32_t base)
{
    for (unsigned i = 1; i + 2 < cp->p.nbody; i += 3) {
        for (unsigned k = 0; k < 2; k++) {
            const uint32_t reg = base + (cp->p.body[i] >> 16 * k & 0xffff) * 4;
            if (!lull_cp_write_reg(cp, reg, cp->p.body[i + 1 + k])) {
                return lull_cp_bad(cp, "register 0x%x", reg);
            }
        }
    }
    return LULL_CP_NEXT;
}

static enum lull_cp_result set_sh_packed(struct lull_cp *cp)
{
    return set_packed(cp, LULL_SH_BASE);
}

static enum lull_cp_result set_context_packed(struct lull_cp *cp)
{
    return set_packed(cp, LULL_CONTEXT_BASE);
}

static enum lull_cp_result set_uconfig_pairs(struct lull_cp *cp)
{
    return set_pairs(cp, LULL_UCONFIG_BASE);
}

/** What LOAD_*_REG load, from memory laid out as the registers are: (register, count) pairs. */
static enum lull_cp_result load_regs(struct lull_cp *cp, uint32_t base, uint32_t size)
{
    const uint32_t *body = cp->p.body;
    const uint64_t va = (body[LULL_PM4_LOAD_SH_REG_ADDR_LO] & ~UINT32_C(3)) |
                        (uint64_t)body[LULL_PM4_LOAD_SH_REG_ADDR_HI] << 32;
    for (unsigned i = LULL_PM4_LOAD_SH_REG_RANGES; i + 1 < cp->p.nbody; i += 2) {
        const uint32_t first = lull_field(body[i], LULL_PM4_SET_SH_REG_START__REG_MASK) * 4;
        const uint32_t n = lull_field(body[i + 1], LULL_PM4_LOAD_SH_REG_INDEX_COUNT__DWORDS_MASK);
        if (first >= size || n > (size - first) / 4) {
            return lull_cp_bad(cp, "%u registers from 0x%x are too many", n, base + first);
        }
        for (uint32_t k = 0; k < n; k++) {
            uint32_t value = 0;
            if (!lull_vm_read(cp->vm, va + first + UINT64_C(4) * k, &value, sizeof value)) {
                return lull_cp_fault(cp);
            }
            lull_cp_write_reg(cp, base + first + 4 * k, value);
        }
    }
    return LULL_CP_NEXT;
}

static enum lull_cp_result load_sh(struct lull_cp *cp)
{
    return load_regs(cp, LULL_SH_BASE, LULL_SH_BYTES);
}

static enum lull_cp_result load_context(struct lull_cp *cp)
{
    return load_regs(cp, LULL_CONTEXT_BASE, LULL_CONTEXT_BYTES);
}

static enum lull_cp_result load_uconfig(struct lull_cp *cp)
{
    return load_regs(cp, LULL_UCONFIG_BASE, LULL_UCONFIG_BYTES);
}

/** LOAD_*_REG_INDEX: one range of registers, from the address itself. */
static enum lull_cp_result load_index(struct lull_cp *cp, uint32_t base, uint32_t size)
{
    const uint32_t *body = cp->p.body;
    const uint32_t first = lull_field(body[LULL_PM4_LOAD_SH_REG_INDEX_START],
                                      LULL_PM4_LOAD_SH_REG_INDEX_START__REG_MASK) *
                           4;
    const uint32_t n = lull_field(body[LULL_PM4_LOAD_SH_REG_INDEX_COUNT],
                                  LULL_PM4_LOAD_SH_REG_INDEX_COUNT__DWORDS_MASK);
    const uint64_t va = (body[LULL_PM4_LOAD_SH_REG_INDEX_ADDR_LO] & ~UINT32_C(3)) |
                        (uint64_t)body[LULL_PM4_LOAD_SH_REG_INDEX_ADDR_HI] << 32;
    if ((body[LULL_PM4_LOAD_SH_REG_INDEX_ADDR_LO] &
         LULL_PM4_LOAD_SH_REG_INDEX_ADDR_LO__INDEX_MASK) != 0) {
        return lull_cp_bad(cp, "indexed from a base");
    }
    if (first >= size || n > (size - first) / 4) {
        return lull_cp_bad(cp, "%u registers from 0x%x are too many", n, base + first);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t value = 0;
        if (!lull_vm_read(cp->vm, va + UINT64_C(4) * i, &value, sizeof value)) {
            return lull_cp_fault(cp);
        }
        lull_cp_write_reg(cp, base + first + 4 * i, value);
    }
    return LULL_CP_NEXT;
}

static enum lull_cp_result load_sh_index(struct lull_cp *cp)
{
    return load_index(cp, LULL_SH_BASE, LULL_SH_BYTES);
}

static enum lull_cp_result load_context_index(struct lull_cp *cp)
{
    return load_index(cp, LULL_CONTEXT_BASE, LULL_CONTEXT_BYTES);
}

static enum lull_cp_result load_uconfig_index(struct lull_cp *cp)
{
    return load_index(cp, LULL_UCONFIG_BASE, LULL_UCONFIG_BYTES);
}

/** (register AND mask) OR data. */
static enum lull_cp_result modify(struct lull_cp *cp, uint32_t reg, uint32_t keep, uint32_t data)
{
    if (!lull_cp_write_reg(cp, reg, (lull_cp_read_reg(cp, reg) & keep) | data)) {
        return lull_cp_bad(cp, "register 0x%x", reg);
    }
    return LULL_CP_NEXT;
}

static enum lull_cp_result context_rmw(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    const uint32_t reg = LULL_CONTEXT_BASE + lull_field(body[LULL_PM4_CONTEXT_REG_RMW_START],
                                                        LULL_PM4_CONTEXT_REG_RMW_START__REG_MASK) *
                                                 4;
    const uint32_t mask = body[LULL_PM4_CONTEXT_REG_RMW_MASK];
    return modify(cp, reg, ~mask, body[LULL_PM4_CONTEXT_REG_RMW_DATA] & mask);
}

static enum lull_cp_result reg_rmw(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    const uint32_t control = body[LULL_PM4_REG_RMW_CONTROL];
    const uint32_t reg = lull_field(control, LULL_PM4_REG_RMW_CONTROL__MOD_ADDR_MASK) * 4;
    uint32_t keep = body[LULL_PM4_REG_RMW_AND_MASK], data = body[LULL_PM4_REG_RMW_OR_MASK];
    if ((control & LULL_PM4_REG_RMW_CONTROL__AND_MASK_SRC_MASK) != 0) { // 1: registers
        keep = lull_cp_read_reg(cp, keep * 4);
    }
    if ((control & LULL_PM4_REG_RMW_CONTROL__OR_MASK_SRC_MASK) != 0) {
        data = lull_cp_read_reg(cp, data * 4);
    }
    return modify(cp, reg, keep, data);
}

const struct lull_cp_handler lull_cp_state_handlers[256] = {
    [LULL_PM4_SET_SH_REG] = {set_sh, 1},
    [LULL_PM4_SET_SH_REG_INDEX] = {set_sh, 1},
    [LULL_PM4_SET_SH_REG_PAIRS] = {set_sh_pairs, 2},
    [LULL_PM4_SET_SH_REG_PAIRS_PACKED] = {set_sh_packed, 1},
    [LULL_PM4_SET_SH_REG_PAIRS_PACKED_N] = {set_sh_packed, 1},
    [LULL_PM4_SET_CONTEXT_REG] = {set_context, 1},
    [LULL_PM4_SET_CONTEXT_REG_INDEX] = {set_context, 1},
    [LULL_PM4_SET_CONTEXT_REG_PAIRS] = {set_context_pairs, 2},
    [LULL_PM4_SET_CONTEXT_REG_PAIRS_PACKED] = {set_context_packed, 1},
    [LULL_PM4_SET_UCONFIG_REG] = {set_uconfig, 1},
    [LULL_PM4_SET_UCONFIG_REG_INDEX] = {set_uconfig, 1},
    [LULL_PM4_SET_UCONFIG_REG_PAIRS] = {set_uconfig_pairs, 2},
    [LULL_PM4_LOAD_SH_REG] = {load_sh, 4},
    [LULL_PM4_LOAD_CONTEXT_REG] = {load_context, 4},
    [LULL_PM4_LOAD_UCONFIG_REG] = {load_uconfig, 4},
    [LULL_PM4_LOAD_SH_REG_INDEX] = {load_sh_index, 4},
    [LULL_PM4_LOAD_CONTEXT_REG_INDEX] = {load_context_index, 4},
    [LULL_PM4_LOAD_UCONFIG_REG_INDEX] = {load_uconfig_index, 4},
    [LULL_PM4_CONTEXT_REG_RMW] = {context_rmw, 3},
    [LULL_PM4_REG_RMW] = {reg_rmw, 3},
};
