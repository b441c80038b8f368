// SPDX-License-Identifier: MIT
// Arguments of printf: what they are, and the code that makes dwords of them.
#include <spirv/unified1/spirv.h>

#include "spirv/printf_priv.h"

enum { DWORD_BITS = 32, QWORD_BITS = 64, MAX_COMPONENTS = 4 };

LULL_MUST_USE static struct lull_error *scalar(const struct lull_spv_insn *type,
                                               struct lull_spv_arg *ret)
{
    const uint32_t bits = lull_spv_word(type, 2);
    const bool whole = bits == 8 || bits == 16 || bits == DWORD_BITS || bits == QWORD_BITS;
    switch (type->op) {
    case SpvOpTypeBool:
        ret->kind = LULL_SPV_BOOL;
        ret->bits = 1;
        return NULL;
    case SpvOpTypeInt:
        ret->kind = LULL_SPV_INT;
        ret->bits = bits;
        ret->is_signed = lull_spv_word(type, 3) != 0;
        return whole ? NULL : lull_error_new(LULL_ERR_BAD_DATA, "an integer of %u bits", bits);
    case SpvOpTypeFloat:
        ret->kind = LULL_SPV_FLOAT;
        ret->bits = bits;
        // A fourth word says that it is of another encoding than IEEE 754's.
        return whole && bits != 8 && type->n == 3
                   ? NULL
                   : lull_error_new(LULL_ERR_BAD_DATA, "a float of %u bits%s", bits,
                                    type->n > 3 ? " of a special encoding" : "");
    default:
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "a type that printf does not print (instruction "
                              "%u): only numbers and vectors",
                              type->op);
    }
}

struct lull_error *lull_spv_printf_classify(const struct lull_spv *m, uint32_t id,
                                            struct lull_spv_arg *ret)
{
    *ret = (struct lull_spv_arg){.id = id, .n = 1};
    if (id == 0 || id >= m->bound) {
        return lull_error_new(LULL_ERR_BAD_DATA, "id %u, bound is %u", id, m->bound);
    }
    if (lull_spv_def(m, id).op == SpvOpString) {
        ret->kind = LULL_SPV_STRING;
        ret->bits = QWORD_BITS;
        const struct lull_spv_insn in = lull_spv_def(m, id);
        return lull_spv_string(&in, 2) != NULL
                   ? NULL
                   : lull_error_new(LULL_ERR_BAD_DATA, "string %u does not end", id);
    }
    struct lull_spv_insn type = lull_spv_def(m, m->type[id]);
    if (type.op == 0) {
        return lull_error_new(LULL_ERR_BAD_DATA, "id %u, which has no type that is known", id);
    }
    if (type.op == SpvOpTypePointer &&
        lull_spv_word(&type, 2) == SpvStorageClassPhysicalStorageBuffer) {
        ret->kind = LULL_SPV_POINTER;
        ret->bits = QWORD_BITS;
        return NULL;
    }
    if (type.op == SpvOpTypeVector) {
        ret->n = lull_spv_word(&type, 3);
        if (ret->n < 2 || ret->n > MAX_COMPONENTS) {
            return lull_error_new(LULL_ERR_BAD_DATA, "a vector of %u components", ret->n);
        }
        type = lull_spv_def(m, lull_spv_word(&type, 2));
    }
    return scalar(&type, ret);
}

/** Instruction with a result: type, new id, operands. */
static uint32_t unary(struct lull_spv_lower *l, struct lull_spv_buf *out, uint32_t op,
                      uint32_t type, uint32_t operand)
{
    const uint32_t id = lull_spv_id(&l->add);
    LULL_SPV_OP(out, op, type, id, operand);
    return id;
}

static uint32_t extract(struct lull_spv_lower *l, struct lull_spv_buf *out, uint32_t type,
                        uint32_t of, uint32_t index)
{
    const uint32_t id = lull_spv_id(&l->add);
    LULL_SPV_OP(out, SpvOpCompositeExtract, type, id, of, index);
    return id;
}

/** @p a as dwords, a vector of them if it is a vector. Its components have 32 bits or fewer. */
static uint32_t dwords(struct lull_spv_lower *l, struct lull_spv_buf *out,
                       const struct lull_spv_arg *a)
{
    struct lull_spv_add *add = &l->add;
    const uint32_t u32 = lull_spv_type_u32(add, a->n);
    uint32_t v = a->id;
    if (a->kind == LULL_SPV_BOOL) {
        const uint32_t one = lull_spv_u32_splat(add, a->n, 1),
                       zero = lull_spv_u32_splat(add, a->n, 0);
        const uint32_t id = lull_spv_id(add);
        LULL_SPV_OP(out, SpvOpSelect, u32, id, v, one, zero);
        return id;
    }
    if (a->kind == LULL_SPV_FLOAT && a->bits < DWORD_BITS) {
        v = unary(l, out, SpvOpFConvert, lull_spv_type_f32(add, a->n), v);
    }
    if (a->kind == LULL_SPV_INT && a->bits < DWORD_BITS) {
        return unary(l, out, SpvOpUConvert, u32, v);
    }
    const bool bits = a->kind == LULL_SPV_FLOAT || a->is_signed;
    return bits ? unary(l, out, SpvOpBitcast, u32, v) : v;
}

void lull_spv_printf_flatten(struct lull_spv_lower *l, struct lull_spv_buf *out,
                             const struct lull_spv_arg *a, uint64_t string_id,
                             struct lull_spv_buf *ret)
{
    const uint32_t u32 = lull_spv_type_u32(&l->add, 1);
    if (a->kind == LULL_SPV_STRING) {
        const uint32_t low = lull_spv_u32(&l->add, (uint32_t)string_id);
        const uint32_t high = lull_spv_u32(&l->add, (uint32_t)(string_id >> DWORD_BITS));
        lull_spv_buf_add(ret, (const uint32_t[]){low, high}, 2);
        return;
    }
    const uint32_t all = a->bits == QWORD_BITS ? a->id : dwords(l, out, a);
    const struct lull_spv_insn type = lull_spv_def(l->m, l->m->type[a->id]);
    for (uint32_t i = 0; i < a->n; i++) {
        if (a->bits != QWORD_BITS) {
            const uint32_t v = a->n == 1 ? all : extract(l, out, u32, all, i);
            lull_spv_buf_add(ret, &v, 1);
            continue;
        }
        const uint32_t one = a->n == 1 ? all : extract(l, out, lull_spv_word(&type, 2), all, i);
        const uint32_t two = unary(l, out, SpvOpBitcast, lull_spv_type_u32(&l->add, 2), one);
        const uint32_t v[2] = {extract(l, out, u32, two, 0), extract(l, out, u32, two, 1)};
        lull_spv_buf_add(ret, v, 2);
    }
}
