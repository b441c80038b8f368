// SPDX-License-Identifier: MIT
// Addresses of ir3's memory instructions. Source: Mesa isa/ir3-cat6.xml, ir3/ir3_a6xx.c (operands).
#include "debug/ir3/access.h"

#include "arch/arch.h"
#include "arch/ir3.h"
#include "base/error.h"
#include "debug/code/code.h"
#include "debug/ir3/descriptors.h"

enum { VEC4 = 16 };

/** The instruction under way. */
struct find {
    struct lull_access *a;
    const struct lull_adreno_dispatch *of;
    struct lull_ir3_insn in;
    unsigned bytes, n; ///< Of an element; elements of a fiber, one behind the other.
};

LULL_MUST_USE static struct lull_error *read_reg(const struct find *f, unsigned number,
                                                 unsigned lane, uint64_t *ret)
{
    const struct lull_wave_reg reg = {
        .cls = LULL_REG_ARCH, .index = (uint16_t)number, .lane = (uint8_t)lane};
    return f->a->target->ops->read_reg(f->a->target, f->a->wave->key, reg, ret);
}

/** Number of the register, for the arch, that @p o names with @p number. */
static unsigned reg_of(const struct lull_ir3_operand *o, int32_t number)
{
    return (unsigned)number + (o->half ? (unsigned)LULL_ARCH_IR3_HALVES : 0);
}

/** Component @p step of @p o in @p lane. */
LULL_MUST_USE static struct lull_error *operand(const struct find *f,
                                                const struct lull_ir3_operand *o, unsigned step,
                                                unsigned lane, uint32_t *ret)
{
    const int32_t number = o->value + (int32_t)step;
    const bool relative = o->kind == LULL_IR3_K_RELGPR || o->kind == LULL_IR3_K_RELCONST,
               constant = o->kind == LULL_IR3_K_CONST || o->kind == LULL_IR3_K_RELCONST ||
                          o->kind == LULL_IR3_K_CONSTA1;
    uint64_t v = 0, by = 0;
    struct lull_error *err = NULL;
    if (o->kind != LULL_IR3_K_GPR && !relative && !constant) {
        *ret = (uint32_t)o->value;
        return NULL;
    }
    if (relative || o->kind == LULL_IR3_K_CONSTA1) {
        err = read_reg(f, (unsigned)LULL_ARCH_IR3_ADDRESS + !relative, lane, &by);
    }
    const int32_t at = number + (relative ? (int16_t)by : (int32_t)by);
    err = err != NULL ? err
          : constant  ? read_reg(f, (unsigned)LULL_ARCH_IR3_CONSTANTS + (unsigned)at, lane, &v)
                      : read_reg(f, reg_of(o, at), lane, &v);
    *ret = (uint32_t)v;
    return err;
}

/** ldg, stg and atomics by address; if @p indexed with one more operand, of elements on a6xx or
 * bytes on a7xx. */
LULL_MUST_USE static struct lull_error *global_lanes(const struct find *f, bool indexed,
                                                     bool offsets)
{
    const struct lull_ir3_insn *in = &f->in;
    struct lull_error *err = NULL;
    for (unsigned i = 0; err == NULL && i < f->a->lanes; i++) {
        uint32_t lo = 0, hi = 0, index = 0;
        err = operand(f, &in->src[0], 0, i, &lo);
        err = err != NULL ? err : operand(f, &in->src[0], 1, i, &hi);
        if (err == NULL && indexed) {
            err = operand(f, &in->src[1], 0, i, &index);
        }
        const uint64_t offset = offsets ? (uint64_t)(int64_t)in->m.offset : 0;
        const uint64_t by = !indexed ? offset
                            : in->m.shift >= 2
                                ? (((uint64_t)index << (in->m.shift - 2)) + offset) * f->bytes
                                : (uint64_t)index + offset;
        f->a->va[i] = ((uint64_t)hi << 32 | lo) + by;
    }
    return err;
}

/** Where buffers of a fiber are. */
struct buffer {
    uint64_t va, bytes, each; ///< each: of an element of its format.
    bool known;
};

/** Does it load words of a buffer through a texture's descriptor, as Mesa's compiler loads what is
 * only read? isam.v does, and isam with one coordinate if that is a buffer's. */
static bool is_isam(const struct lull_ir3_insn *in)
{
    return in->op == LULL_IR3_OP_ISAM && (in->m.variant || !in->m.not_1d);
}

LULL_MUST_USE static struct lull_error *describe(const struct find *f, enum lull_ir3_desc_kind kind,
                                                 uint32_t index, struct buffer *ret)
{
    struct lull_ir3_desc d = {.kind = kind,
                              .bindless = f->in.m.bindless,
                              .set = f->in.m.base,
                              .known = true,
                              .index = index};
    struct lull_error *err = lull_ir3_desc_load(f->a->target, f->of, &d);
    *ret = (struct buffer){.va = d.buffer, .bytes = d.bytes, .known = d.is_buffer};
    ret->each = d.elements != 0 ? d.bytes / d.elements : 0;
    return err;
}

/**
 * Through a descriptor, which one operand names; another says where.
 *
 * @param unit Bytes of what the index counts; @p offset: of what is added.
 * @param[out] ret_known False: an image, or a descriptor that cannot be read.
 */
LULL_MUST_USE static struct lull_error *buffer_lanes(const struct find *f,
                                                     enum lull_ir3_desc_kind kind,
                                                     const struct lull_ir3_operand *const what[2],
                                                     unsigned unit, uint64_t offset,
                                                     bool *ret_known)
{
    struct lull_access *a = f->a;
    struct buffer b = {0};
    uint32_t last = 0;
    bool any = false;
    struct lull_error *err = NULL;
    for (unsigned i = 0; err == NULL && i < a->lanes; i++) {
        uint32_t which = 0, index = 0;
        uint64_t a1 = 0;
        if ((a->mask >> i & 1) == 0) {
            continue;
        }
        err = operand(f, what[0], 0, i, &which);
        err = err != NULL ? err : operand(f, what[1], 0, i, &index);
        if (err == NULL && f->in.m.a1) {
            err = read_reg(f, LULL_ARCH_IR3_ADDRESS + 1, i, &a1);
        }
        if (err != NULL) {
            return err;
        }
        which += (uint32_t)a1;
        if (!any || which != last) {
            err = describe(f, kind, which, &b);
        }
        any = true;
        last = which;
        // What isam gives is converted: plain for words alone.
        const bool plain = !is_isam(&f->in) || f->in.m.variant || b.each == f->bytes;
        *ret_known = *ret_known && b.known && plain;
        const uint64_t at = (uint64_t)index * unit + offset;
        a->va[i] = b.va + at;
        a->outside |= (uint64_t)(at + f->bytes > b.bytes) << i; // Elements behind it, one by one.
    }
    return err;
}

static bool between(enum lull_ir3_op op, enum lull_ir3_op first, enum lull_ir3_op last)
{
    return op >= first && op <= last;
}

/** An index of elements, the texture's number, and an offset that the word may have. */
LULL_MUST_USE static struct lull_error *isam_lanes(const struct find *f, bool *ret_known)
{
    const struct lull_ir3_operand *what[2] = {NULL, &f->in.src[0]};
    uint64_t offset = 0;
    for (unsigned i = 0; i < f->in.nsrc; i++) {
        what[0] = f->in.src[i].kind == LULL_IR3_K_TEX ? &f->in.src[i] : what[0];
        offset = f->in.src[i].kind == LULL_IR3_K_OFF ? (uint64_t)f->in.src[i].value : offset;
    }
    *ret_known = what[0] != NULL; // Else a register has it, or a1 alone.
    return *ret_known ? buffer_lanes(f, LULL_IR3_DESC_TEXTURE, what, f->bytes, offset * f->bytes,
                                     ret_known)
                      : NULL;
}

/** Elements of a fiber: of isam.v up to the last that its mask has. */
static unsigned elements(const struct lull_ir3_insn *in, bool atomic)
{
    if (is_isam(in)) {
        return !in->m.variant || in->m.wrmask == 0 ? 1
                                                   : 32u - (unsigned)__builtin_clz(in->m.wrmask);
    }
    return !atomic && in->m.size > 1 ? (unsigned)in->m.size : 1;
}

/** Bytes of an element. Type 6 of atomics is u64: Mesa isa/ir3-cat6.xml, #type-atomic. */
static unsigned element_bytes(const struct lull_ir3_insn *in, bool atomic)
{
    return atomic                      ? in->m.type == LULL_IR3_TYPE_U8 ? 8 : 4
           : in->op == LULL_IR3_OP_LDC ? 4
                                       : lull_arch_ir3_type_bytes(in->m.type);
}

/** The registers that a fiber stores from @p o on. */
static void stores(struct find *f, const struct lull_ir3_operand *o)
{
    if (o->kind == LULL_IR3_K_GPR) {
        f->a->data_class = LULL_REG_ARCH;
        f->a->data = (int)reg_of(o, o->value);
        f->a->ndata = f->n;
    }
}

/** By operation. @p ret_known: it has addresses that can be told. */
LULL_MUST_USE static struct lull_error *find_lanes(struct find *f, bool *ret_known)
{
    const struct lull_ir3_insn *in = &f->in;
    const bool store = in->op == LULL_IR3_OP_STIB_B;
    const struct lull_ir3_operand *what[2] = {&in->src[store ? 2 : 1], &in->src[store ? 1 : 0]};
    const bool by_address = between(in->op, LULL_IR3_OP_ATOMIC_G_ADD, LULL_IR3_OP_ATOMIC_G_XOR),
               by_buffer = between(in->op, LULL_IR3_OP_ATOMIC_B_ADD, LULL_IR3_OP_ATOMIC_B_XOR);
    *ret_known = true;
    switch ((unsigned)in->op) {
    case LULL_IR3_OP_LDG:
    case LULL_IR3_OP_LDG_A:
        return global_lanes(f, in->op == LULL_IR3_OP_LDG_A, true);
    case LULL_IR3_OP_STG:
    case LULL_IR3_OP_STG_A:
        stores(f, &in->src[in->op == LULL_IR3_OP_STG_A ? 2 : 1]);
        return global_lanes(f, in->op == LULL_IR3_OP_STG_A, true);
    case LULL_IR3_OP_LDC:
        return buffer_lanes(f, LULL_IR3_DESC_UBO, what, VEC4, 4 * (uint64_t)(uint32_t)in->m.offset,
                            ret_known);
    case LULL_IR3_OP_STIB_B:
        stores(f, &in->src[0]);
        break;
    case LULL_IR3_OP_LDIB_B:
        break;
    default:
        *ret_known = by_address || by_buffer;
        break;
    }
    if (by_address) {
        stores(f, &in->src[1]);
        return global_lanes(f, false, false);
    }
    if (by_buffer) { // Data from y on of the vector that takes the old value; u64 in two.
        struct lull_ir3_operand data = in->src[0];
        data.value += (int32_t)f->bytes / 4;
        stores(f, &data);
        what[0] = &in->src[2];
        what[1] = &in->src[1];
    }
    *ret_known = *ret_known && !in->m.typed;
    // Offsets of 64-bit atomics count 2 bytes.
    const unsigned unit = by_buffer && f->bytes == 8 ? 2 : f->bytes;
    return *ret_known ? buffer_lanes(f, LULL_IR3_DESC_STORAGE, what, unit,
                                     by_buffer ? 0 : (uint64_t)(uint32_t)in->m.offset * f->bytes,
                                     ret_known)
                      : NULL;
}

struct lull_error *lull_ir3_access_find(struct lull_target *t, const struct lull_wave_info *wave,
                                        const struct lull_adreno_dispatch *of, uint64_t va,
                                        struct lull_access *ret, bool *ret_known)
{
    struct lull_insn_room room;
    *ret = (struct lull_access){.target = t, .wave = wave, .data = -1};
    *ret_known = false;
    if (!lull_code_decode(t, va, &room)) {
        return NULL;
    }
    struct find f = {.a = ret, .of = of, .in = lull_arch_ir3_of(lull_insn_in(&room))->in};
    const struct lull_insn_memory memory = lull_arch_ir3.memory(lull_insn_in(&room));
    const bool atomic = memory.reads && memory.writes;
    f.bytes = element_bytes(&f.in, atomic);
    f.n = elements(&f.in, atomic);
    ret->name = lull_ir3_op_names[f.in.op];
    ret->lanes = wave->lanes;
    ret->mask = wave->exec & (memory.writes ? ~wave->helpers : UINT64_MAX);
    ret->reads = memory.reads;
    ret->writes = memory.writes;
    ret->bytes = f.bytes * f.n;
    ret->ndata = (ret->bytes + 3) / 4;
    return is_isam(&f.in) ? isam_lanes(&f, ret_known)
           : memory.kind == LULL_MEMORY_GLOBAL || memory.kind == LULL_MEMORY_BUFFER
               ? find_lanes(&f, ret_known)
               : NULL;
}
