// SPDX-License-Identifier: MIT
// RDNA3: what src/isa/rdna knows, as an arch. Register numbers are hardware's operand numbers.
#include "isa/rdna/rdna.h"
#include "arch/arch.h"
#include "isa/rdna/ops.h"
#include "isa/rdna/regs.h"

enum {
    NSGPRS = 106,
    NTTMPS = 16,
    NVGPRS = 256,
    RETURN_SGPR = 30, ///< s[30:31] at a call. Source: LLVM AMDGPUUsage, "Call Convention".
};

static const struct lull_arch_bank banks[] = {
    {.name = "s", .group = LULL_REGS_SCALAR, .first = 0, .count = NSGPRS, .bits = 32},
    {.name = "ttmp",
     .group = LULL_REGS_SPECIAL,
     .first = LULL_RDNA_TTMP0,
     .count = NTTMPS,
     .bits = 32},
    {.name = "v",
     .group = LULL_REGS_VECTOR,
     .first = LULL_RDNA_VGPR0,
     .count = NVGPRS,
     .bits = 32,
     .per_lane = true},
};

// Source of the names: the assembler's, as in LLVM's AMDGPU documents.
static const struct lull_arch_name names[] = {
    {"vcc_lo", LULL_RDNA_VCC, 1, 32, false},
    {"vcc_hi", LULL_RDNA_VCC + 1, 1, 32, false},
    {"vcc", LULL_RDNA_VCC, 2, 32, false},
    {"exec_lo", LULL_RDNA_EXEC, 1, 32, false},
    {"exec_hi", LULL_RDNA_EXEC + 1, 1, 32, false},
    {"exec", LULL_RDNA_EXEC, 2, 32, false},
    {"m0", LULL_RDNA_M0, 1, 32, false},
    {"scc", LULL_RDNA_SCC, 1, 1, false},
};

_Static_assert(sizeof(struct lull_rdna_insn) <= LULL_INSN_BYTES, "an instruction fits");

static const struct lull_rdna_insn *of(const struct lull_insn *in)
{
    return (const struct lull_rdna_insn *)in;
}

static int decode(const struct lull_arch_mode *mode, const void *code, size_t size,
                  struct lull_insn_room *ret)
{
    struct lull_rdna_insn *in = (struct lull_rdna_insn *)(void *)ret->bytes;
    const int n =
        mode->lax ? lull_rdna_decode_lax(code, size, in) : lull_rdna_decode(code, size, in);
    return n > 0 ? n : n == LULL_RDNA_TRUNCATED ? -1 : 0;
}

static unsigned size_of(const struct lull_insn *in)
{
    return of(in)->size;
}

static const char *mnemonic(const struct lull_insn *in)
{
    return lull_rdna_info(of(in))->name;
}

static void print(const struct lull_insn *in, const struct lull_insn_print *how,
                  struct lull_str *out)
{
    const struct lull_rdna_print p = {
        .wave_size = how->lanes, .pc = how->pc, .symbol = how->symbol, .ctx = how->ctx};
    lull_rdna_show(of(in), &p, out);
}

static struct lull_flow flow(const struct lull_insn *insn, uint64_t pc)
{
    const struct lull_rdna_insn *in = of(insn);
    const struct lull_rdna_op_info *info = lull_rdna_info(in);
    struct lull_flow f = {.kind = LULL_FLOW_NEXT,
                          .barrier = (info->flags & LULL_RDNA_F_BARRIER) != 0,
                          .lets_go = in->op == LULL_RDNA_OP_S_SENDMSG};
    if ((info->flags & LULL_RDNA_F_END) != 0) {
        f.kind = in->op == LULL_RDNA_OP_S_CODE_END ? LULL_FLOW_PAD : LULL_FLOW_END;
    }
    if ((info->flags & LULL_RDNA_F_BRANCH) == 0) {
        return f;
    }
    // What keeps an address behind itself calls; what has none to go to gets it from registers.
    f.known = info->type[LULL_RDNA_SLOT_IMM] == LULL_RDNA_T_REL16;
    f.target = f.known ? pc + in->size + 4 * (uint64_t)(int64_t)in->imm : 0;
    if (info->type[LULL_RDNA_SLOT_DST] == LULL_RDNA_T_B64) {
        f.kind = LULL_FLOW_CALL;
    } else if (f.known) {
        f.kind = (info->flags & LULL_RDNA_F_COND) != 0 ? LULL_FLOW_BRANCH : LULL_FLOW_JUMP;
    } else {
        f.kind =
            info->type[LULL_RDNA_SLOT_IMM] != LULL_RDNA_T_NONE ? LULL_FLOW_TRAP : LULL_FLOW_RETURN;
    }
    return f;
}

static bool stands(const struct lull_arch_use *uses, unsigned n, unsigned reg, bool write)
{
    for (unsigned i = 0; i < n; i++) {
        if (uses[i].reg == reg && uses[i].write == write) {
            return true;
        }
    }
    return false;
}

// Does the text name VCC or EXEC? Not as the result of v_cmpx and as the mask of VOPD.
static bool named(const struct lull_rdna_insn *in, unsigned reg)
{
    const bool cmpx = (lull_rdna_info(in)->writes & LULL_RDNA_S_EXEC) != 0;
    const uint16_t dst = cmpx && in->dst == LULL_RDNA_EXEC ? LULL_RDNA_NONE : in->dst;
    const uint16_t mask = in->enc == LULL_RDNA_VOPD ? LULL_RDNA_NONE : in->src[2];
    const uint16_t fields[] = {dst,          mask,         in->src[0], in->src[1],
                               in->y.src[0], in->y.src[1], in->sdst,   in->saddr,
                               in->soffset,  in->sbase,    in->ssamp};
    for (unsigned i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (fields[i] == reg) {
            return true;
        }
    }
    return reg != LULL_RDNA_VCC && reg != LULL_RDNA_EXEC;
}

// VCC, EXEC, SCC and M0, where the semantics have them without an operand; behind @p n entries.
static unsigned implied(const struct lull_rdna_insn *in, unsigned lanes, struct lull_arch_use *ret,
                        unsigned n)
{
    const struct lull_rdna_op_info *info = lull_rdna_info(in);
    const struct {
        unsigned bit, reg, count;
    } rows[] = {{LULL_RDNA_S_SCC, LULL_RDNA_SCC, 1},
                {LULL_RDNA_S_M0, LULL_RDNA_M0, 1},
                {LULL_RDNA_S_VCC, LULL_RDNA_VCC, lanes / 32},
                {LULL_RDNA_S_EXEC, LULL_RDNA_EXEC, lanes / 32}};
    for (unsigned i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        const bool write = i % 2 != 0;
        const unsigned bit = rows[i / 2].bit, reg = rows[i / 2].reg;
        if (((write ? info->writes : info->reads) & bit) != 0 && !stands(ret, n, reg, write)) {
            ret[n++] = (struct lull_arch_use){.reg = (uint16_t)reg,
                                              .count = (uint8_t)rows[i / 2].count,
                                              .write = write,
                                              .implied = true};
        }
    }
    return n;
}

static unsigned uses(const struct lull_insn *insn, unsigned lanes, struct lull_arch_use *ret)
{
    const struct lull_rdna_insn *in = of(insn);
    struct lull_rdna_use all[LULL_RDNA_MAX_USES];
    const unsigned n = lull_rdna_uses(in, lanes, all);
    for (unsigned i = 0; i < n; i++) {
        ret[i] = (struct lull_arch_use){.reg = all[i].reg,
                                        .count = all[i].count,
                                        .write = all[i].write,
                                        .implied = !named(in, all[i].reg)};
    }
    return implied(in, lanes, ret, n);
}

static uint16_t bytes_of(const struct lull_rdna_op_info *info)
{
    unsigned type = info->type[LULL_RDNA_SLOT_VDATA];
    type = type != LULL_RDNA_T_NONE ? type : info->type[LULL_RDNA_SLOT_DST];
    if (type == LULL_RDNA_T_B8 || type == LULL_RDNA_T_U8 || type == LULL_RDNA_T_I8) {
        return 1;
    }
    return lull_rdna_type_is_16(type) ? 2 : (uint16_t)(4 * lull_rdna_type_dwords[type]);
}

static struct lull_insn_memory memory(const struct lull_insn *insn)
{
    const struct lull_rdna_insn *in = of(insn);
    const struct lull_rdna_op_info *info = lull_rdna_info(in);
    static const uint8_t kinds[] = {
        [LULL_RDNA_SMEM] = LULL_MEMORY_SCALAR,     [LULL_RDNA_DS] = LULL_MEMORY_LOCAL,
        [LULL_RDNA_FLAT] = LULL_MEMORY_FLAT,       [LULL_RDNA_GLOBAL] = LULL_MEMORY_GLOBAL,
        [LULL_RDNA_SCRATCH] = LULL_MEMORY_PRIVATE, [LULL_RDNA_MUBUF] = LULL_MEMORY_BUFFER,
        [LULL_RDNA_MTBUF] = LULL_MEMORY_BUFFER,    [LULL_RDNA_MIMG] = LULL_MEMORY_IMAGE,
        [LULL_RDNA_EXP] = LULL_MEMORY_NONE,
    };
    const bool atomic = (info->flags & LULL_RDNA_F_ATOMIC) != 0;
    const bool reads = atomic || (info->flags & LULL_RDNA_F_LOAD) != 0;
    const bool writes = atomic || (info->flags & LULL_RDNA_F_STORE) != 0;
    if (!reads && !writes) {
        return (struct lull_insn_memory){0};
    }
    const enum lull_memory_kind kind = (enum lull_memory_kind)kinds[in->enc];
    const bool converts = kind == LULL_MEMORY_IMAGE || (info->flags & LULL_RDNA_F_FORMAT) != 0;
    return (struct lull_insn_memory){.kind = kind,
                                     .reads = reads,
                                     .writes = writes,
                                     .bytes = converts ? (uint16_t)0 : bytes_of(info)};
}

/** By its first register. */
static void descriptor(unsigned number, struct lull_str *out)
{
    lull_str_addf(out, "the descriptor in %s%u", number < NSGPRS ? "s" : "register ", number);
}

const struct lull_arch lull_arch_rdna3 = {
    .name = "rdna3",
    .align = 4,
    .max_size = 20,
    .lanes = {32, 64},
    .return_reg = RETURN_SGPR,
    .banks = banks,
    .nbanks = sizeof banks / sizeof banks[0],
    .names = names,
    .nnames = sizeof names / sizeof names[0],
    .decode = decode,
    .size = size_of,
    .mnemonic = mnemonic,
    .print = print,
    .flow = flow,
    .uses = uses,
    .memory = memory,
    .descriptor = descriptor,
};
