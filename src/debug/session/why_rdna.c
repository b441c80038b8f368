// SPDX-License-Identifier: MIT
// What the walk must know of instructions of gfx1100: operands, lanes, where memory is.
#include <string.h>

#include "base/error.h"
#include "debug/session/why_priv.h"
#include "hw/hwreg_regs.h"
#include "isa/rdna/ops.h"

enum { DWORD = LULL_WHY_DWORD, HALF = 32, INLINE_0 = 128, INLINE_64 = 192, COMPONENTS = 4 };

static const struct lull_rdna_insn *of(const struct lull_insn *in)
{
    return (const struct lull_rdna_insn *)in;
}

static const struct lull_rdna_insn *insn(const struct lull_why_insn *i)
{
    return of(lull_insn_in(&i->room));
}

static bool is_vector(unsigned operand)
{
    return operand >= LULL_RDNA_VGPR0 && operand != LULL_RDNA_NONE;
}

static uint64_t place(unsigned reg, unsigned lane, struct lull_wave_reg *ret)
{
    if (reg == LULL_RDNA_SCC) {
        *ret = (struct lull_wave_reg){.cls = LULL_REG_HW, .index = LULL_HWREG_STATUS};
        return LULL_HWREG_STATUS__SCC_MASK;
    }
    *ret = reg >= LULL_RDNA_VGPR0
               ? (struct lull_wave_reg){.cls = LULL_REG_VGPR,
                                        .index = (uint16_t)(reg - LULL_RDNA_VGPR0),
                                        .lane = (uint8_t)lane}
               : (struct lull_wave_reg){.cls = LULL_REG_SGPR, .index = (uint16_t)reg};
    return UINT64_MAX;
}

static unsigned number(const struct lull_wave_reg *reg)
{
    return reg->index + (reg->cls == LULL_REG_VGPR ? (unsigned)LULL_RDNA_VGPR0 : 0u);
}

static unsigned size(unsigned reg)
{
    (void)reg;
    return DWORD;
}

static bool is_mask(unsigned reg)
{
    return reg < LULL_RDNA_VGPR0;
}

static bool meet(unsigned a, unsigned b)
{
    return a == b;
}

/* The lane that v_writelane_b32 writes, if the text says it. */
static bool writes_lane(const struct lull_rdna_insn *in, unsigned lane)
{
    const unsigned v = in->src[1];
    return v < INLINE_0 || v > INLINE_64 || v - INLINE_0 == lane;
}

static bool writes(const struct lull_insn *insn, unsigned reg, unsigned lane, uint64_t exec)
{
    const struct lull_rdna_insn *in = of(insn);
    struct lull_arch_use uses[LULL_ARCH_MAX_USES];
    const unsigned n = lull_arch_rdna3.uses(insn, 64, uses);
    bool is = false;
    for (unsigned i = 0; i < n; i++) {
        is = is || (uses[i].write && reg >= uses[i].reg && reg < uses[i].reg + uses[i].count);
    }
    if (!is || reg < LULL_RDNA_VGPR0) {
        return is;
    }
    return in->op == LULL_RDNA_OP_V_WRITELANE_B32
               ? writes_lane(in, lane)
               : (exec >> lane & 1) != 0 && !lull_why_dpp_keeps(in, lane, exec);
}

/* It writes a register that M0 chooses. */
static bool chooses(const struct lull_insn *in)
{
    const unsigned op = of(in)->op;
    return op == LULL_RDNA_OP_V_MOVRELD_B32 || op == LULL_RDNA_OP_V_MOVRELSD_B32 ||
           op == LULL_RDNA_OP_V_MOVRELSD_2_B32;
}

static bool moves(const struct lull_insn *in)
{
    switch (of(in)->op) {
    case LULL_RDNA_OP_V_MOV_B32:
    case LULL_RDNA_OP_S_MOV_B32:
    case LULL_RDNA_OP_S_MOV_B64:
    case LULL_RDNA_OP_V_READLANE_B32:
    case LULL_RDNA_OP_V_READFIRSTLANE_B32:
    case LULL_RDNA_OP_V_WRITELANE_B32:
        return true;
    default:
        return of(in)->enc == LULL_RDNA_SCRATCH;
    }
}

static bool is_float(const struct lull_insn *in)
{
    const char *name = lull_rdna_info(of(in))->name;
    return strstr(name, "_f32") != NULL && strncmp(name, "v_cmp", 5) != 0;
}

static bool crosses(const struct lull_insn *in)
{
    switch (of(in)->op) {
    case LULL_RDNA_OP_V_READFIRSTLANE_B32:
    case LULL_RDNA_OP_V_READLANE_B32:
    case LULL_RDNA_OP_V_PERMLANE16_B32:
    case LULL_RDNA_OP_V_PERMLANEX16_B32:
    case LULL_RDNA_OP_V_PERMLANE64_B32:
    case LULL_RDNA_OP_DS_SWIZZLE_B32:
    case LULL_RDNA_OP_DS_PERMUTE_B32:
    case LULL_RDNA_OP_DS_BPERMUTE_B32:
        return true;
    default:
        return of(in)->dpp != LULL_RDNA_NO_DPP;
    }
}

static void add_other(const struct lull_why_insn *i, const struct lull_why_lane *other,
                      struct lull_why_operands *ret)
{
    const bool on = other->from >= 0 && (i->w->info.exec >> other->from & 1) != 0;
    if (other->from >= 0 && (on || !other->needs_on) && other->reg >= LULL_RDNA_VGPR0) {
        lull_why_operand(ret, i->w, other->reg, (unsigned)other->from);
    } else {
        ret->note =
            other->from < 0 ? "no lane gives it a value" : "the lane that it reads is off: 0";
    }
}

static void operands(const struct lull_why_insn *i, unsigned made, unsigned lane,
                     struct lull_why_operands *ret)
{
    const struct lull_rdna_insn *in = insn(i);
    struct lull_arch_use uses[LULL_ARCH_MAX_USES];
    const unsigned n = lull_arch_rdna3.uses(lull_insn_in(&i->room), i->w->info.lanes, uses);
    const struct lull_why_lane other = lull_why_lane(i->d, i->w, in, lane);
    const bool one = in->op == LULL_RDNA_OP_V_WRITELANE_B32;
    (void)made;
    if (other.crosses) {
        add_other(i, &other, ret);
    }
    for (unsigned k = 0; k < n; k++) {
        const unsigned reg = uses[k].reg;
        const bool is_other = other.crosses && reg == other.reg && in->src[1] != reg;
        const bool skip = uses[k].write || is_other ||
                          (reg >= LULL_RDNA_EXEC && reg <= LULL_RDNA_EXEC + 1u) ||
                          (one && reg >= LULL_RDNA_VGPR0); // The other lanes stay.
        for (unsigned r = 0; !skip && r < uses[k].count; r++) {
            lull_why_operand(ret, i->w, reg + r, lane);
        }
    }
}

static void address(const struct lull_why_insn *i, unsigned lane, struct lull_why_operands *ret)
{
    if (is_vector(insn(i)->vaddr)) {
        lull_why_operand(ret, i->w, insn(i)->vaddr, lane);
    }
}

static unsigned exec(unsigned lane)
{
    return LULL_RDNA_EXEC + lane / HALF;
}

/* Two addresses of an LDS instruction: bytes at each, and of a unit of the offsets. */
struct two {
    unsigned bytes, stride;
};

static bool has_two(const struct lull_rdna_insn *in, struct two *ret)
{
    enum { APART = 64 };
    switch (in->op) {
    case LULL_RDNA_OP_DS_LOAD_2ADDR_B32:
    case LULL_RDNA_OP_DS_STORE_2ADDR_B32:
        *ret = (struct two){DWORD, DWORD};
        return true;
    case LULL_RDNA_OP_DS_LOAD_2ADDR_B64:
    case LULL_RDNA_OP_DS_STORE_2ADDR_B64:
        *ret = (struct two){2 * DWORD, 2 * DWORD};
        return true;
    case LULL_RDNA_OP_DS_LOAD_2ADDR_STRIDE64_B32:
    case LULL_RDNA_OP_DS_STORE_2ADDR_STRIDE64_B32:
        *ret = (struct two){DWORD, APART * DWORD};
        return true;
    case LULL_RDNA_OP_DS_LOAD_2ADDR_STRIDE64_B64:
    case LULL_RDNA_OP_DS_STORE_2ADDR_STRIDE64_B64:
        *ret = (struct two){2 * DWORD, APART * 2 * DWORD};
        return true;
    default:
        return false;
    }
}

/* Pieces of LDS: behind those of the first address come the second's. */
static void local_pieces(const struct lull_why_insn *i, unsigned lane, bool load,
                         struct lull_why_pieces *ret)
{
    const struct lull_rdna_insn *in = insn(i);
    struct two two = {0};
    const bool both = has_two(in, &two);
    const unsigned bytes = both ? 2 * two.bytes : i->a.bytes;
    const unsigned each = both ? two.bytes / DWORD : UINT32_MAX;
    uint64_t base = 0;
    if (!is_vector(in->vaddr) || in->gds) {
        return;
    }
    struct lull_error *err =
        lull_debug_read_reg(i->d, i->w, LULL_REG_VGPR, in->vaddr - LULL_RDNA_VGPR0, lane, &base);
    for (unsigned k = 0; k * DWORD < bytes; k++) {
        const unsigned left = bytes - k * DWORD;
        const bool second = k >= each;
        const uint32_t offset = both ? (second ? in->offset1 : in->offset0) * two.stride +
                                           DWORD * (second ? k - each : k)
                                     : (uint32_t)in->imm + DWORD * k;
        const struct lull_why_piece p = {.where = LULL_WHY_LDS,
                                         .known = err == NULL,
                                         .address = (uint32_t)base + offset,
                                         .size = left < DWORD ? left : DWORD,
                                         .reg = load     ? in->dst + k
                                                : second ? in->vdata2 + k - each
                                                         : in->vdata + k};
        lull_why_piece(ret, &p);
    }
    lull_error_free(err);
}

/* Scratch is interleaved by dwords over the lanes of the wave: the byte in the lane's own. */
static bool own_byte(const struct lull_why_insn *i, uint64_t *va)
{
    uint64_t base = 0;
    struct lull_error *err = lull_debug_read_reg(i->d, i->w, LULL_REG_FLAT_SCRATCH, 0, 0, &base);
    const uint64_t at = *va - base, row = (uint64_t)i->w->info.lanes * DWORD;
    const bool good = err == NULL && insn(i)->enc == LULL_RDNA_SCRATCH;
    *va = good ? at / row * DWORD + at % DWORD : *va;
    lull_error_free(err);
    return good;
}

static void pieces(const struct lull_why_insn *i, unsigned lane, bool load,
                   struct lull_why_pieces *ret)
{
    const struct lull_rdna_insn *in = insn(i);
    if (in->enc == LULL_RDNA_DS) {
        local_pieces(i, lane, load, ret);
        return;
    }
    const bool converts = (lull_rdna_info(in)->flags & LULL_RDNA_F_FORMAT) != 0;
    const unsigned bytes = converts ? COMPONENTS * DWORD : i->a.bytes;
    const unsigned at = i->a.scalar ? 0 : lane;
    for (unsigned k = 0; k * DWORD < bytes; k++) {
        const unsigned left = i->a.bytes > k * DWORD ? i->a.bytes - k * DWORD : i->a.bytes;
        struct lull_why_piece p = {.known = i->known && (i->a.mask >> at & 1) != 0,
                                   .outside = (i->a.outside >> at & 1) != 0,
                                   .address = i->a.va[at] +
                                              (i->a.bytes > k * DWORD ? DWORD * (uint64_t)k : 0),
                                   .size = left < DWORD ? left : DWORD,
                                   .reg = load                   ? in->dst + k
                                          : is_vector(in->vdata) ? in->vdata + k
                                                                 : (unsigned)LULL_ARCH_NO_REG};
        p.where = own_byte(i, &p.address) ? LULL_WHY_SCRATCH : LULL_WHY_MEMORY;
        lull_why_piece(ret, &p);
    }
}

const struct lull_why_vendor lull_why_rdna = {
    .place = place,
    .number = number,
    .size = size,
    .is_mask = is_mask,
    .writes = writes,
    .chooses = chooses,
    .moves = moves,
    .is_float = is_float,
    .crosses = crosses,
    .operands = operands,
    .address = address,
    .exec = exec,
    .pieces = pieces,
    .meet = meet,
};
