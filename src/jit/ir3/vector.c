// SPDX-License-Identifier: MIT
// Which template an instruction of ir3 has, and where its operands stand.
#include "jit/ir3/ir3.h"

#include "jit/ir3_cases.h"

enum { FIRST_SHARED = LULL_IR3_GPRS };

static bool is_float(unsigned type)
{
    return type == LULL_IR3_TYPE_F32 || type == LULL_IR3_TYPE_F16;
}

static bool is_16(unsigned type)
{
    return lull_ir3_type_bits(type) == 16;
}

/** A modifier that cases of a row may differ by: its value, below n. */
struct modifier {
    uint16_t bit;
    uint8_t n, value;
};

/** The case of @p s with a result in shape @p shape: see gen/isa/sem/ir3_strips.py. */
static unsigned case_of(const struct lull_ir3_op_step *s, enum lull_jit_ir3_shape shape)
{
    const struct lull_ir3_members *m = &s->in.m;
    enum { CONDS = 6, ROUNDS = 4 };
    const struct modifier all[] = {
        {LULL_JIT_IR3_COND, CONDS, m->cond < CONDS ? m->cond : CONDS - 1},
        {LULL_JIT_IR3_ROUND, ROUNDS, m->round & 3},
        {LULL_JIT_IR3_SAT, 2, m->sat},
        {LULL_JIT_IR3_EI, 2, m->ei},
        {LULL_JIT_IR3_MIXED, 2, m->mixed},
        {LULL_JIT_IR3_HIGH, 2, m->high},
        // What is assumed by default: the engine compiles nothing else.
        {LULL_JIT_IR3_FUSED, 2, 0},
        {LULL_JIT_IR3_ZERO, 2, m->round == 0},
    };
    const struct lull_jit_ir3_cases *row = &lull_jit_ir3_cases[s->alu - lull_ir3_alu_rows];
    unsigned n = 0;
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
        n = (row->modifiers & all[i].bit) != 0 ? n * all[i].n + all[i].value : n;
    }
    return row->first + n * LULL_JIT_IR3_SHAPES + shape;
}

/** A register. False: it is none of a fiber's own, or its width is another than the row's. */
static bool set_register(const struct lull_ir3_op_step *s, unsigned n, uint32_t number,
                         struct lull_jit_vector *v)
{
    const bool half = s->in.src[n].half;
    if (!half && number >= FIRST_SHARED) {
        v->at[n] =
            (struct lull_jit_operand){LULL_JIT_SGPR, LULL_JIT_IR3_SHARED | (number - FIRST_SHARED)};
        return number < FIRST_SHARED + LULL_IR3_SHARED;
    }
    v->at[n] = (struct lull_jit_operand){LULL_JIT_VGPR, half ? number / 2 : number};
    v->view[n] = half && number % 2 != 0 ? LULL_JIT_HALVES + 3 : LULL_JIT_WHOLE;
    return number < LULL_IR3_GPRS && (!half || is_16(s->alu->source));
}

/** Source @p n of repetition @p step. False: it is something else than a register, a constant or a
 * number. */
static bool set_source(const struct lull_ir3_op_step *s, unsigned n, unsigned step,
                       struct lull_jit_vector *v)
{
    const struct lull_ir3_operand *o = &s->in.src[n];
    const bool half = is_16(s->alu->source);
    const uint32_t number = (uint32_t)o->value + (o->r ? step : 0);
    v->type[n] = half ? LULL_T_B16 : LULL_T_B32;
    v->neg |= (uint8_t)(o->neg << n);
    v->abs |= (uint8_t)(o->abs << n);
    switch (o->kind) {
    case LULL_IR3_K_GPR:
        return o->value >= 0 && set_register(s, n, number, v);
    case LULL_IR3_K_CONST: // Half ones of floats may be f32.
        v->at[n] = (struct lull_jit_operand){LULL_JIT_SGPR, number};
        return number < LULL_IR3_CONSTS && !(half && is_float(s->alu->source));
    case LULL_IR3_K_IMM:
        v->at[n] = (struct lull_jit_operand){LULL_JIT_CONST, o->half ? (uint32_t)o->value & 0xffff
                                                                     : (uint32_t)o->value};
        return true;
    case LULL_IR3_K_FLUT:
        v->at[n] =
            (struct lull_jit_operand){LULL_JIT_CONST, lull_ir3_flut((uint32_t)o->value, o->half)};
        return true;
    default:
        return false;
    }
}

/** Where the result of repetition @p step goes, and in which shape. */
static bool set_result(const struct lull_ir3_op_step *s, unsigned step, struct lull_jit_vector *v,
                       enum lull_jit_ir3_shape *shape)
{
    const struct lull_ir3_operand *o = &s->in.dst[0];
    const uint32_t number = (uint32_t)o->value + step;
    if (o->kind == LULL_IR3_K_PRED) {
        v->mask_out = number & 3;
        *shape = LULL_JIT_IR3_MASK;
        return true;
    }
    v->dst = (uint16_t)(o->half ? number / 2 : number);
    v->high = o->half && number % 2 != 0;
    *shape = is_16(s->alu->result) == o->half ? LULL_JIT_IR3_PLAIN : LULL_JIT_IR3_FITTED;
    return o->kind == LULL_IR3_K_GPR && o->value >= 0 && number < LULL_IR3_GPRS;
}

bool lull_jit_ir3_vector(const struct lull_jit_target *t, const struct lull_ir3_op_step *s,
                         unsigned step, struct lull_jit_vector *ret)
{
    static const uint8_t signs[] = {[LULL_IR3_MOD_F] = LULL_JIT_SIGN_BIT,
                                    [LULL_IR3_MOD_S] = LULL_JIT_TWOS_COMPLEMENT,
                                    [LULL_IR3_MOD_B] = LULL_JIT_ALL_BITS};
    const struct lull_ir3_insn *in = &s->in;
    enum { ROUND_UP = 2 }; // From there on it is not to nearest.
    enum lull_jit_ir3_shape shape = LULL_JIT_IR3_PLAIN;
    struct lull_jit_vector v = {.mask_in = LULL_RDNA_NONE, .mask_out = LULL_RDNA_NONE};
    if (s->alu == NULL || in->ndst != 1 || in->nsrc > 3 ||
        (in->category == 1 && s->alu->mode && in->m.round >= ROUND_UP)) {
        return false;
    }
    v.sign = signs[s->alu->modifier];
    bool ok = set_result(s, step, &v, &shape);
    for (unsigned n = 0; n < in->nsrc; n++) {
        ok = set_source(s, n, step, &v) && ok;
    }
    const uint16_t index = ok ? t->cases[case_of(s, shape)] : 0;
    if (index == 0) {
        return false;
    }
    v.t = &t->templates[index - 1];
    *ret = v;
    return true;
}
