// SPDX-License-Identifier: MIT
// Which templates an instruction has, and what of its operands they take.
#include "jit/vector.h"

#include "jit/machine.h"
#include "jit/shuffle.h"
#include "model/fp/fp.h"

static uint16_t index_of(const struct lull_jit_row *row, const struct lull_rdna_insn *in, int mode)
{
    if (mode < 0 && row->any == 0) {
        return 0;
    }
    if (row->same != 0 && in->src[0] == in->src[1] && !in->clamp && in->dpp == LULL_RDNA_NO_DPP) {
        return row->same;
    }
    return (in->clamp ? row->clamp : row->plain)[mode < 0 ? 0 : mode];
}

/** What a result of f32 is multiplied by: 2.0 or 4.0 as operands; 0: by nothing, or by a half,
 * which may give a denormal. */
static uint16_t factor(const struct lull_rdna_insn *in)
{
    enum { MUL_2 = 1, MUL_4, TWO = LULL_RDNA_FLOAT0 + 4, FOUR = LULL_RDNA_FLOAT0 + 6 };
    return in->omod == MUL_2 ? TWO : in->omod == MUL_4 ? FOUR : 0;
}

/** Whether MODE number @p mode lets (omod) do something: no denormal results, and not IEEE. */
static bool multiplies(int mode)
{
    return mode >= 0 && (lull_jit_modes[mode] & (2u << LULL_FP_DENORM_F32_SHIFT)) == 0 &&
           (lull_jit_modes[mode] & LULL_FP_IEEE) == 0;
}

/** Whether (omod) is done by a second instruction, or does nothing. */
static bool known_omod(const struct lull_rdna_insn *in, int mode)
{
    return in->omod == 0 || (mode >= 0 && lull_sem[in->op].d == LULL_T_F32 && !in->clamp &&
                             in->dpp == LULL_RDNA_NO_DPP && (factor(in) != 0 || !multiplies(mode)));
}

/** Operands without DPP, omod and the like. */
static bool known_form(const struct lull_uop *u, int mode)
{
    const struct lull_rdna_insn *in = u->in;
    const struct lull_sem *sem = &lull_sem[in->op];
    return sem->kind == LULL_SEM_LANES && !u->ttmp && known_omod(in, mode) &&
           (in->dpp == LULL_RDNA_NO_DPP || lull_jit_is_shuffled(u)) &&
           (u->fn == lull_valu_plain || u->fn == lull_valu_masks || u->fn == lull_valu_modified ||
            u->fn == lull_valu_general) &&
           (!in->clamp || (sem->flags & LULL_SEM_CLAMP) != 0);
}

/** Operands that are the same in a strip that is done again (EXEC is not), and have a value at all.
 */
static bool known_number(unsigned op)
{
    return op >= LULL_RDNA_VGPR0 || op < LULL_RDNA_EXEC ||
           (op >= LULL_RDNA_INT0 && op <= LULL_RDNA_INT_LAST) ||
           (op >= LULL_RDNA_FLOAT0 && op <= LULL_RDNA_INV_2PI) || op == LULL_RDNA_LITERAL;
}

/** A pair of registers, or a constant of 64 bits. */
static bool known_pair(unsigned op)
{
    return op >= LULL_RDNA_VGPR0 ? op < LULL_RDNA_VGPR0 + LULL_JIT_VGPRS - 1
           : lull_is_sgpr(op)    ? op < LULL_RDNA_TTMP0 && op % 2 == 0
                                 : known_number(op);
}

static bool known_source(const struct lull_uop *u, unsigned n)
{
    const struct lull_rdna_insn *in = u->in;
    const unsigned op = in->src[n];
    const uint8_t type = lull_sem[in->op].src[n];
    if (type == LULL_T_NONE || type == LULL_T_MASK) {
        return true;
    }
    const bool odd = type == LULL_T_BF16 || (lull_jit_is_v2(type) && in->enc != LULL_RDNA_VOP3P);
    return (lull_jit_is_64(type) ? known_pair(op) : known_number(op)) && type != LULL_T_WIDE &&
           (!odd || ((in->neg | in->abs) >> n & 1) == 0);
}

/** Source @p n of a packed instruction: which halves, and signs as they apply to its type. */
static void packed_source(const struct lull_rdna_insn *in, unsigned n, struct lull_jit_vector *v)
{
    const uint8_t type = v->type[n], bit = (uint8_t)(1 << n);
    const unsigned low = in->op_sel >> n & 1u, high = in->op_sel_hi >> n & 1u;
    const bool mix = type == LULL_T_MIX;
    const bool signs = mix || type == LULL_T_F32 || (lull_jit_is_v2(type) && type != LULL_T_V2I16);
    v->neg |= signs ? in->neg & bit : 0;
    v->neg_hi |= signs && !mix && type != LULL_T_F32 ? in->neg_hi & bit : 0;
    v->abs |= mix ? in->neg_hi & bit : 0;
    if (mix && high != 0) {
        v->type[n] = LULL_T_F16;
        v->view[n] = (uint8_t)(LULL_JIT_WIDE_LOW + low);
    } else if (lull_jit_is_v2(type) && (low != 0 || high == 0)) {
        v->view[n] = (uint8_t)(LULL_JIT_HALVES + low + 2 * high);
    }
}

/** Source @p n with what is taken of it. False: it is none of those known. */
static bool set_source(const struct lull_uop *u, unsigned n, struct lull_jit_vector *v)
{
    const struct lull_rdna_insn *in = u->in;
    const uint8_t bit = (uint8_t)(1 << n);
    v->src[n] = in->src[n];
    v->type[n] = lull_sem[in->op].src[n];
    if (in->enc == LULL_RDNA_VOP3P) {
        packed_source(in, n, v);
        return known_source(u, n);
    }
    v->neg |= in->neg & bit;
    v->abs |= in->abs & bit;
    if (lull_jit_is_16(v->type[n]) && (in->op_sel & bit) != 0) {
        v->view[n] = LULL_JIT_HALVES + 3;
    }
    return known_source(u, n);
}

/** Take the template for f16 that stand in f32, if there is one for what @p v is. */
static void widen(const struct lull_jit_target *t, const struct lull_rdna_insn *in, int mode,
                  struct lull_jit_vector *v)
{
    const uint16_t index = mode >= 0 ? t->rows[in->op].wide[mode] : 0;
    if (index == 0 || t->machine->narrow == NULL || in->clamp || v->shuffled || v->merges ||
        v->high) {
        return;
    }
    const uint16_t quick = t->machine->if_none != NULL ? t->rows[in->op].quick[mode] : 0;
    v->t = &t->templates[index - 1];
    v->quick = quick != 0 ? &t->templates[quick - 1] : NULL;
    v->wide = true;
    for (unsigned n = 0; n < 3; n++) {
        if (v->type[n] == LULL_T_F16) {
            v->view[n] =
                v->view[n] == LULL_JIT_WHOLE ? LULL_JIT_WIDE_LOW : (uint8_t)LULL_JIT_WIDE_HIGH;
        }
    }
}

static bool single(const struct lull_jit_target *t, const struct lull_uop *u, int mode,
                   struct lull_jit_vector *v)
{
    const struct lull_rdna_insn *in = u->in;
    const struct lull_sem *sem = &lull_sem[in->op];
    const uint16_t index = index_of(&t->rows[in->op], in, mode);
    if (index == 0 || !known_form(u, mode)) {
        return false;
    }
    *v = (struct lull_jit_vector){.t = &t->templates[index - 1],
                                  .signs = in->neg,
                                  .shuffled = in->dpp != LULL_RDNA_NO_DPP,
                                  .merges = !lull_jit_all_write(in),
                                  .literal = in->literal,
                                  .mask_in = LULL_RDNA_NONE,
                                  .mask_out = LULL_RDNA_NONE};
    bool ok = true;
    for (unsigned n = 0; n < 3; n++) {
        ok = set_source(u, n, v) && ok;
    }
    if (sem->src[2] == LULL_T_MASK || (sem->flags & LULL_SEM_VCC) != 0) {
        const bool named = sem->src[2] == LULL_T_MASK && in->src[2] != LULL_RDNA_NONE;
        v->mask_in = named ? in->src[2] : LULL_RDNA_VCC;
        ok = ok && v->mask_in < LULL_RDNA_TTMP0 && (v->mask_in & 1) <= (u->nlanes == 32 ? 1 : 0);
    }
    if (v->t->e >= 0 && in->sdst == LULL_RDNA_NULL) {
        v->mask_out = LULL_RDNA_NONE; // It is dropped.
    } else if (v->t->mask != 0 || v->t->e >= 0) {
        v->mask_out = (uint16_t)lull_valu_mask_dst(in);
        ok = ok && v->mask_out != LULL_RDNA_NONE &&
             (v->mask_out < LULL_RDNA_TTMP0 || v->mask_out == LULL_RDNA_EXEC) &&
             (v->mask_out & 1) <= (u->nlanes == 32 ? 1 : 0);
    }
    if (v->t->mask == 0) {
        ok = ok && in->dst >= LULL_RDNA_VGPR0 && in->dst != LULL_RDNA_NONE;
        v->dst = (uint16_t)(in->dst - LULL_RDNA_VGPR0);
        v->high =
            (sem->flags & LULL_SEM_DHI) != 0 || (lull_jit_is_16(sem->d) && (in->op_sel & 8) != 0);
        ok = ok && v->dst + lull_jit_result_dwords(v) <= LULL_JIT_VGPRS;
    }
    if (ok) {
        widen(t, in, mode, v);
    }
    return ok;
}

/** The multiplication of (omod), of what @p v gives: -0 becomes 0, as the sum with 0 is. */
static unsigned multiply(const struct lull_jit_target *t, const struct lull_rdna_insn *in, int mode,
                         const struct lull_jit_vector *v, struct lull_jit_vector *ret)
{
    const uint16_t index = t->rows[LULL_RDNA_OP_V_FMA_F32].plain[mode];
    if (index == 0) {
        return 0;
    }
    *ret = (struct lull_jit_vector){
        .t = &t->templates[index - 1],
        .src = {(uint16_t)(LULL_RDNA_VGPR0 + v->dst), factor(in), LULL_RDNA_INT0},
        .type = {LULL_T_F32, LULL_T_F32, LULL_T_F32},
        .dst = v->dst,
        .mask_in = LULL_RDNA_NONE,
        .mask_out = LULL_RDNA_NONE};
    return 2;
}

/** One of the operations of VOPD. */
static bool half(const struct lull_jit_target *t, const struct lull_uop *u, int mode, unsigned op,
                 const uint16_t src[2], struct lull_jit_vector *ret)
{
    const struct lull_sem *sem = &lull_sem[op];
    const uint16_t index = index_of(&t->rows[op], u->in, mode);
    if (index == 0 || sem->kind != LULL_SEM_LANES) {
        return false;
    }
    *ret = (struct lull_jit_vector){.t = &t->templates[index - 1],
                                    .src = {src[0], src[1], LULL_RDNA_NONE},
                                    .literal = u->literal,
                                    .mask_in = LULL_RDNA_NONE,
                                    .mask_out = LULL_RDNA_NONE};
    bool ok = ret->t->mask == 0 && ret->t->e < 0;
    for (unsigned n = 0; n < 3; n++) {
        ret->type[n] = sem->src[n];
        ok = ok && (n == 2 || sem->src[n] == LULL_T_NONE || known_number(src[n]));
    }
    if (sem->src[2] == LULL_T_MASK || (sem->flags & LULL_SEM_VCC) != 0) {
        ret->mask_in = LULL_RDNA_VCC;
    }
    return ok;
}

static bool reads(const struct lull_jit_vector *v, unsigned vgpr)
{
    bool found = false;
    for (unsigned n = 0; n < 2; n++) {
        found = found || (v->type[n] != LULL_T_NONE && v->src[n] == LULL_RDNA_VGPR0 + vgpr);
    }
    return found;
}

static unsigned dual(const struct lull_jit_target *t, const struct lull_uop *u, int mode,
                     struct lull_jit_vector ret[2])
{
    const struct lull_rdna_insn *in = u->in;
    struct lull_jit_vector x, y;
    if (u->ttmp || u->nlanes != 32 || in->dst < LULL_RDNA_VGPR0 || in->y.dst < LULL_RDNA_VGPR0 ||
        in->dst == in->y.dst || !half(t, u, mode, in->op, in->src, &x) ||
        !half(t, u, mode, in->y.op, in->y.src, &y)) {
        return 0;
    }
    x.dst = (uint16_t)(in->dst - LULL_RDNA_VGPR0);
    y.dst = (uint16_t)(in->y.dst - LULL_RDNA_VGPR0);
    const bool y_first = reads(&y, x.dst);
    ret[0] = y_first ? y : x;
    ret[1] = y_first ? x : y;
    return y_first && reads(&x, y.dst) ? 0 : 2;
}

/** v_swap_b32, whose registers change their names. */
static bool swap(const struct lull_uop *u, struct lull_jit_vector *ret)
{
    const struct lull_rdna_insn *in = u->in;
    *ret = (struct lull_jit_vector){.src = {in->src[0], LULL_RDNA_NONE, LULL_RDNA_NONE},
                                    .dst = (uint16_t)(in->dst - LULL_RDNA_VGPR0),
                                    .mask_in = LULL_RDNA_NONE,
                                    .mask_out = LULL_RDNA_NONE};
    return u->cls == LULL_UOP_QUICK && !u->ttmp && in->dpp == LULL_RDNA_NO_DPP &&
           in->dst >= LULL_RDNA_VGPR0 && in->src[0] >= LULL_RDNA_VGPR0;
}

unsigned lull_jit_vectors(const struct lull_jit_target *t, const struct lull_uop *u, int mode,
                          struct lull_jit_vector ret[LULL_JIT_MAX_VECTORS])
{
    if (u->in->op == LULL_RDNA_OP_V_SWAP_B32) {
        return swap(u, ret);
    }
    if (u->in->enc == LULL_RDNA_VOPD && u->fn == lull_valu_dual) {
        return dual(t, u, mode, ret);
    }
    if (!single(t, u, mode, &ret[0])) {
        return 0;
    }
    return u->in->omod != 0 && multiplies(mode) ? multiply(t, u->in, mode, &ret[0], &ret[1]) : 1;
}
