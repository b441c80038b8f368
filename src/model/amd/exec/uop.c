// SPDX-License-Identifier: MIT
// Predecode: what the run loop needs to know of an instruction, found once.
#include "model/amd/exec/uop.h"

#include <assert.h>
#include <string.h>

#include "base/cpu.h"
#include "model/amd/mem/mem.h"

// Scalar sources beyond those of rdna.h. Source: LLVM 19, AMDGPU operands of gfx11.
enum {
    SRC_MINUS_1 = 193,
    SRC_MINUS_16 = 208,
    SRC_SHARED_BASE = 235,
    SRC_SHARED_LIMIT,
    SRC_PRIVATE_BASE,
    SRC_PRIVATE_LIMIT,
    SRC_FLOATS = 240,
    SRC_LAST_FLOAT = 248,
    SRC_VCCZ = 251,
    SRC_EXECZ = 252,
};

// 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1 / (2 pi).
static const struct {
    uint64_t f64;
    uint32_t f32;
    uint16_t f16, bf16;
} inline_floats[] = {
    {0x3fe0000000000000, 0x3f000000, 0x3800, 0x3f00},
    {0xbfe0000000000000, 0xbf000000, 0xb800, 0xbf00},
    {0x3ff0000000000000, 0x3f800000, 0x3c00, 0x3f80},
    {0xbff0000000000000, 0xbf800000, 0xbc00, 0xbf80},
    {0x4000000000000000, 0x40000000, 0x4000, 0x4000},
    {0xc000000000000000, 0xc0000000, 0xc000, 0xc000},
    {0x4010000000000000, 0x40800000, 0x4400, 0x4080},
    {0xc010000000000000, 0xc0800000, 0xc400, 0xc080},
    {0x3fc45f306dc9c882, 0x3e22f983, 0x3118, 0x3e22},
};

static bool is_64(enum lull_sem_type type)
{
    return type == LULL_T_B64 || type == LULL_T_I64 || type == LULL_T_F64;
}

static uint64_t inline_float(unsigned n, enum lull_sem_type type)
{
    if (is_64(type)) {
        return inline_floats[n].f64;
    }
    if (type == LULL_T_F16 || type == LULL_T_V2F16) {
        return inline_floats[n].f16;
    }
    return type == LULL_T_BF16 || type == LULL_T_V2BF16 ? inline_floats[n].bf16
                                                        : inline_floats[n].f32;
}

uint64_t lull_scalar_const(unsigned op, enum lull_sem_type type, uint32_t literal)
{
    if (op >= LULL_RDNA_INT0 && op < SRC_MINUS_1) {
        return op - LULL_RDNA_INT0;
    }
    if (op >= SRC_MINUS_1 && op <= SRC_MINUS_16) {
        return ~(uint64_t)(op - SRC_MINUS_1);
    }
    if (op >= SRC_FLOATS && op <= SRC_LAST_FLOAT) {
        return inline_float(op - SRC_FLOATS, type);
    }
    if (op == LULL_RDNA_LITERAL) {
        return type == LULL_T_F64   ? (uint64_t)literal << 32
               : type == LULL_T_I64 ? (uint64_t)(int32_t)literal
                                    : literal;
    }
    return 0;
}

uint64_t lull_scalar_read(const struct lull_wave *w, unsigned op, enum lull_sem_type type,
                          uint32_t literal)
{
    switch (op) {
    case SRC_SHARED_BASE:
        return w->vm->shared_base;
    case SRC_SHARED_LIMIT:
        return w->vm->shared_base | UINT32_MAX;
    case SRC_PRIVATE_BASE:
        return w->vm->private_base;
    case SRC_PRIVATE_LIMIT:
        return w->vm->private_base | UINT32_MAX;
    case SRC_VCCZ:
        return lull_wave_vcc(w) == 0;
    case SRC_EXECZ:
        return lull_wave_exec(w) == 0;
    case LULL_RDNA_SCC:
        return w->scc;
    default:
        break;
    }
    if (lull_is_sgpr(op)) {
        return is_64(type) ? lull_sgpr64(w, op) : w->sgpr[op];
    }
    return lull_scalar_const(op, type, literal);
}

static bool is_const(unsigned op)
{
    return (op >= LULL_RDNA_INT0 && op <= SRC_MINUS_16) ||
           (op >= SRC_FLOATS && op <= SRC_LAST_FLOAT) || op == LULL_RDNA_LITERAL;
}

const struct lull_lane_fns *lull_lanes_host(void)
{
#if defined(__x86_64__)
    if (lull_cpu_is_v3()) {
        return lull_lanes_v3;
    }
#endif
    return lull_lanes_base;
}

static const struct lull_lane_tools *tools_host(void)
{
#if defined(__x86_64__)
    if (lull_cpu_is_v3()) {
        return &lull_tools_v3;
    }
#endif
    return &lull_tools_base;
}

/** Registers that an operand of @p type takes. */
static unsigned type_dwords(enum lull_sem_type type)
{
    return type == LULL_T_WIDE ? 4 : is_64(type) ? 2 : 1;
}

static unsigned vgpr_end(unsigned op, enum lull_sem_type type)
{
    return op >= LULL_RDNA_VGPR0 && op != LULL_RDNA_NONE ? op - LULL_RDNA_VGPR0 + type_dwords(type)
                                                         : 0;
}

static unsigned max_u(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static unsigned vgprs_needed(const struct lull_rdna_insn *in, const struct lull_sem *sem)
{
    unsigned n = vgpr_end(in->dst, sem->d);
    for (unsigned i = 0; i < 3; i++) {
        n = max_u(n, vgpr_end(in->src[i], sem->src[i]));
    }
    if (in->enc == LULL_RDNA_VOPD) {
        n = max_u(
            n, max_u(vgpr_end(in->y.dst, LULL_T_B32), max_u(vgpr_end(in->y.src[0], LULL_T_B32),
                                                            vgpr_end(in->y.src[1], LULL_T_B32))));
    }
    return n;
}

static bool is_v2(enum lull_sem_type type)
{
    return type == LULL_T_V2I16 || type == LULL_T_V2F16 || type == LULL_T_V2BF16;
}

/** Signs and outputs: what lull_valu_modified() can do. */
static bool has_signs(const struct lull_rdna_insn *in)
{
    return in->neg != 0 || in->abs != 0 || in->omod != 0 || in->clamp;
}

/** What only lull_valu_general() can do. */
static bool has_modifiers(const struct lull_rdna_insn *in, const struct lull_sem *sem)
{
    if (in->op_sel != 0 || in->neg_hi != 0 || in->dpp != LULL_RDNA_NO_DPP ||
        (in->enc == LULL_RDNA_VOP3P && has_signs(in))) {
        return true;
    }
    for (unsigned i = 0; i < 3; i++) {
        const bool high = (in->op_sel_hi >> i & 1) != 0;
        if (in->enc == LULL_RDNA_VOP3P &&
            ((is_v2(sem->src[i]) && !high) || (sem->src[i] == LULL_T_MIX && high))) {
            return true;
        }
    }
    return false;
}

/** Operands that lull_valu_plain() and lull_valu_modified() can do: 32 and 64 bits, or the low 16
 * of a register that is only read. */
static bool is_plain(const struct lull_rdna_insn *in, const struct lull_sem *sem)
{
    if (in->enc == LULL_RDNA_VOPD || has_modifiers(in, sem) || (sem->flags & LULL_SEM_DHI) != 0) {
        return false;
    }
    if (sem->d == LULL_T_B16 || sem->d == LULL_T_F16 || sem->d == LULL_T_BF16 ||
        type_dwords(sem->d) > 2) {
        return false;
    }
    for (unsigned i = 0; i < 3; i++) {
        if (sem->src[i] != LULL_T_NONE && type_dwords(sem->src[i]) > 2) {
            return false;
        }
    }
    return true;
}

/** A plain instruction with masks: lull_valu_masks(), if they are in SGPRs. */
static void make_masks(struct lull_uop *u, const struct lull_sem *sem)
{
    const struct lull_rdna_insn *in = u->in;
    const bool named = sem->src[2] == LULL_T_MASK && in->src[2] != LULL_RDNA_NONE;
    const unsigned from = named ? in->src[2] : LULL_RDNA_VCC;
    if (from >= LULL_RDNA_NULL) {
        return;
    }
    u->has_d = sem->d != LULL_T_MASK;
    u->mask_in = (uint16_t)from;
    u->mask_out = (uint16_t)lull_valu_mask_dst(in);
    u->fn = lull_valu_masks;
}

static void make_lanes(struct lull_uop *u, const struct lull_sem *sem)
{
    const struct lull_rdna_insn *in = u->in;
    const struct lull_lane_fns *l = &lull_lanes_host()[in->op];
    u->tools = tools_host();
    u->lane = in->clamp && l->clamp != NULL ? l->clamp : l->fn;
    u->fn = in->enc == LULL_RDNA_VOPD ? lull_valu_dual : lull_valu_general;
    if (!is_plain(in, sem)) {
        return;
    }
    u->fn = has_signs(in) ? lull_valu_modified : lull_valu_plain;
    u->reads_d = (sem->flags & LULL_SEM_DREAD) != 0;
    u->reads_mask = sem->src[2] == LULL_T_MASK || (sem->flags & LULL_SEM_VCC) != 0;
    bool simple = u->fn == lull_valu_plain && sem->d != LULL_T_MASK &&
                  (sem->flags & LULL_SEM_VCC) == 0 && in->sdst == LULL_RDNA_NONE;
    for (unsigned i = 0; i < 3; i++) {
        const unsigned op = in->src[i];
        u->reg[i] = UINT64_MAX; // VGPR 0 for those that are not there.
        if (sem->src[i] == LULL_T_NONE) {
            continue;
        }
        if (sem->src[i] == LULL_T_MASK) {
            simple = false;
        } else if (op >= LULL_RDNA_VGPR0) {
            u->base[i] = 4ull * (op - LULL_RDNA_VGPR0) * u->nlanes;
        } else {
            u->sgprs |= (uint8_t)(1 << i);
            u->konst |= (uint8_t)(is_const(op) ? 1 << i : 0);
            u->value[i] = lull_scalar_const(op, (enum lull_sem_type)sem->src[i], in->literal);
        }
        u->pairs |= (uint8_t)(is_64((enum lull_sem_type)sem->src[i]) ? 1 << i : 0);
    }
    u->doff = sem->d == LULL_T_MASK ? 0 : (in->dst - LULL_RDNA_VGPR0) * u->nlanes;
    u->pairs |= is_64((enum lull_sem_type)sem->d) ? LULL_UOP_PAIR_D : 0;
    simple = simple && u->pairs == 0;
    u->cls = simple ? LULL_UOP_INLINE : LULL_UOP_QUICK;
    if (!simple && u->fn == lull_valu_plain && u->pairs == 0) {
        make_masks(u, sem);
    }
}

void lull_uop_constant(struct lull_uop *u, unsigned n, const uint32_t *lanes)
{
    u->base[n] = (uint64_t)(uintptr_t)lanes;
    u->reg[n] = 0;
    u->sgprs &= (uint8_t) ~(1u << n);
}

static void make_scalar(struct lull_uop *u, const struct lull_sem *sem)
{
    u->fn = lull_sem_scalar[u->in->op];
    for (unsigned i = 0; i < 2; i++) {
        if (is_const(u->in->src[i])) {
            u->konst |= (uint8_t)(1 << i);
            u->value[i] = lull_scalar_const(u->in->src[i], sem->src[i], u->in->literal);
        }
    }
}

static enum lull_exec_result run_illegal(struct lull_wave *w, const struct lull_uop *u)
{
    (void)w, (void)u;
    return LULL_EXEC_ILLEGAL;
}

static enum lull_exec_result run_nop(struct lull_wave *w, const struct lull_uop *u)
{
    (void)w, (void)u;
    return LULL_EXEC_NEXT;
}

static enum lull_exec_result run_handler(struct lull_wave *w, const struct lull_uop *u)
{
    return u->handler(w, u->in);
}

/** TTMPs read 0 and ignore writes outside the trap handler. */
static bool uses_ttmp(const struct lull_rdna_insn *in)
{
    const unsigned ops[] = {in->dst,    in->sdst,  in->src[0], in->src[1],
                            in->src[2], in->sbase, in->saddr,  in->soffset};
    for (unsigned i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
        if (ops[i] >= LULL_RDNA_TTMP0 && ops[i] < LULL_RDNA_NULL) {
            return true;
        }
    }
    return false;
}

/** Operands that no semantics here can read: LDS direct, or numbers without meaning. */
static bool has_bad_source(const struct lull_rdna_insn *in, const struct lull_sem *sem)
{
    for (unsigned i = 0; i < 3; i++) {
        const unsigned op = in->src[i];
        if (sem->src[i] == LULL_T_NONE || op == LULL_RDNA_NONE || op >= LULL_RDNA_VGPR0 ||
            lull_is_sgpr(op)) {
            continue;
        }
        if (!is_const(op) && !(op >= SRC_SHARED_BASE && op <= SRC_PRIVATE_LIMIT) &&
            op != SRC_VCCZ && op != SRC_EXECZ && op != LULL_RDNA_SCC) {
            return true;
        }
    }
    return false;
}

void lull_uop_make(struct lull_uop *u, const struct lull_rdna_insn *in, unsigned lanes,
                   enum lull_wave_table table)
{
    memset(u, 0, sizeof *u);
    u->in = in;
    u->ndwords = (uint8_t)(in->size / 4);
    u->nlanes = (uint8_t)lanes;
    u->fn = run_illegal;
    u->ttmp = uses_ttmp(in);
    u->literal = in->literal;
    const struct lull_sem *sem = &lull_sem[in->op];
    if (sem->kind == LULL_SEM_NOP) {
        u->fn = run_nop;
        u->cls = LULL_UOP_SKIP;
        return;
    }
    u->handler = lull_sys_handler(in);
    const bool is_system = u->handler != NULL;
    u->handler = is_system ? u->handler : lull_mem_handler(in, table);
    if (u->handler != NULL) {
        u->fn = run_handler;
        // Memory changes registers only, or says what happened; so does a barrier.
        const bool full = is_system && in->op != LULL_RDNA_OP_S_BARRIER;
        u->cls = full ? LULL_UOP_FULL : u->ttmp ? LULL_UOP_TRAP : LULL_UOP_QUICK;
        return;
    }
    u->nvgprs = (uint16_t)vgprs_needed(in, sem);
    if (has_bad_source(in, sem)) {
        return;
    }
    switch ((enum lull_sem_kind)sem->kind) {
    case LULL_SEM_SCALAR:
        make_scalar(u, sem);
        break;
    case LULL_SEM_LANES:
        make_lanes(u, sem);
        break;
    case LULL_SEM_HAND: {
        lull_uop_fn *fn = lull_hand_handler(in);
        u->fn = fn != NULL ? fn : run_illegal;
        break;
    }
    case LULL_SEM_NONE:
    case LULL_SEM_NOP:
    case LULL_SEM_SYSTEM:
        return;
    }
    if ((sem->flags & LULL_SEM_MODE) != 0) {
        u->cls = LULL_UOP_FULL;
    } else if (u->ttmp) {
        u->cls = LULL_UOP_TRAP;
    } else if (u->cls == LULL_UOP_FULL) {
        u->cls = LULL_UOP_QUICK;
    }
}

static bool is_exec(unsigned reg)
{
    return reg == LULL_RDNA_EXEC || reg == LULL_RDNA_EXEC + 1;
}

static bool is_jump(unsigned op)
{
    return op == LULL_RDNA_OP_S_BRANCH || op == LULL_RDNA_OP_S_CBRANCH_SCC0 ||
           op == LULL_RDNA_OP_S_CBRANCH_SCC1 || op == LULL_RDNA_OP_S_CBRANCH_VCCZ ||
           op == LULL_RDNA_OP_S_CBRANCH_VCCNZ || op == LULL_RDNA_OP_S_CBRANCH_EXECZ ||
           op == LULL_RDNA_OP_S_CBRANCH_EXECNZ;
}

uint8_t lull_uop_calm(const struct lull_uop *u)
{
    const struct lull_rdna_op_info *info = &lull_rdna_ops[u->in->op];
    const unsigned flags = lull_sem[u->in->op].flags;
    const bool exec = (info->writes & LULL_RDNA_S_EXEC) != 0 || (flags & LULL_SEM_EXEC) != 0 ||
                      is_exec(u->in->dst) || is_exec(u->in->sdst) || is_exec(u->mask_out);
    const bool vector = u->fn == lull_valu_general || u->fn == lull_valu_plain ||
                        u->fn == lull_valu_masks || u->fn == lull_valu_modified ||
                        u->fn == lull_valu_dual;
    const bool mode = (info->writes & LULL_RDNA_S_MODE) != 0 || (flags & LULL_SEM_MODE) != 0;
    const bool pc = ((info->writes | info->reads) & LULL_RDNA_S_PC) != 0 ||
                    u->in->op == LULL_RDNA_OP_S_GETPC_B64;
    if (u->handler != NULL || u->ttmp || mode) {
        return LULL_CALM_NOT;
    }
    if (u->cls == LULL_UOP_SKIP) {
        return LULL_CALM_SCALAR;
    }
    if (u->cls == LULL_UOP_INLINE || (u->cls == LULL_UOP_QUICK && vector)) {
        return exec ? LULL_CALM_NOT : LULL_CALM_VECTOR;
    }
    if (u->cls != LULL_UOP_QUICK || u->fn == NULL || u->fn != lull_sem_scalar[u->in->op]) {
        return LULL_CALM_NOT;
    }
    return is_jump(u->in->op) ? LULL_CALM_JUMP
           : pc               ? LULL_CALM_NOT
           : exec             ? LULL_CALM_EXEC
                              : LULL_CALM_SCALAR;
}

/** Of a memory instruction: what it loads, and a status behind it. */
static unsigned loaded_end(const struct lull_rdna_insn *in)
{
    enum { TEXEL = 4, STATUS = 1 };
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    const unsigned n = lull_mem_dwords(op) * ((op->flags & LULL_MEM_F_TWO) != 0 ? 2 : 1);
    const unsigned data = vgpr_end(in->dst, LULL_T_B32);
    // ds_bvh_stack_rtn_b32 writes its address, too.
    const unsigned address = in->enc == LULL_RDNA_DS ? vgpr_end(in->vaddr, LULL_T_B32) : 0;
    return max_u(data != 0 ? data + max_u(n, TEXEL) + STATUS : 0, address);
}

unsigned lull_uop_written(const struct lull_uop *u)
{
    enum { MOST = 256 };
    const struct lull_rdna_insn *in = u->in;
    const enum lull_sem_kind kind = (enum lull_sem_kind)lull_sem[in->op].kind;
    if (in->enc >= LULL_RDNA_DS && in->enc <= LULL_RDNA_MIMG) {
        return loaded_end(in);
    }
    if (u->handler == NULL && kind == LULL_SEM_LANES) {
        return u->nvgprs;
    }
    // Registers that M0 chooses, matrices and the like.
    return vgpr_end(in->dst, LULL_T_B32) != 0 ? MOST : 0;
}

static enum lull_exec_result run_alu(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    struct lull_uop u;
    lull_uop_make(&u, in, w->lanes, w->table);
    return u.nvgprs > w->nvgprs ? LULL_EXEC_ILLEGAL : u.fn(w, &u);
}

lull_exec_fn *lull_alu_handler(const struct lull_rdna_insn *in)
{
    const uint8_t kind = lull_sem[in->op].kind;
    return kind == LULL_SEM_NONE || kind == LULL_SEM_SYSTEM ? NULL : run_alu;
}
