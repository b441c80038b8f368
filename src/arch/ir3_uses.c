// SPDX-License-Identifier: MIT
#include "arch/ir3_uses.h"

enum { FIRST_SCALAR_ALU = 650, TEXTURES = 5, WIDE = LULL_IR3_TYPE_U8 };

/** The instruction at hand. */
struct uses {
    const struct lull_ir3_insn *in;
    unsigned gen, lanes;
    const struct lull_arch_ir3_aliases *aliases;
    struct lull_arch_ir3_uses *ret;
};

static bool is_shared(const struct lull_ir3_operand *o)
{
    return o->kind == LULL_IR3_K_GPR && o->value >= LULL_ARCH_IR3_FIRST_SHARED;
}

static void add(struct lull_arch_ir3_span *list, unsigned *n, struct lull_arch_ir3_span span)
{
    if (*n < LULL_ARCH_IR3_SPANS && span.count > 0 && span.mask != 0) {
        list[(*n)++] = span;
    }
}

static struct lull_arch_ir3_span single(unsigned number)
{
    return (struct lull_arch_ir3_span){
        .number = number, .count = 1, .mask = UINT32_MAX, .operand = LULL_ARCH_IR3_IMPLIED};
}

/** Number of register @p o as lull_arch_ir3 has it; false: it is not a register. */
static bool number_of(const struct lull_ir3_operand *o, bool half, unsigned *ret)
{
    switch (o->kind) {
    case LULL_IR3_K_GPR:
    case LULL_IR3_K_RELGPR:
        *ret = (half ? LULL_ARCH_IR3_HALVES : 0) + (unsigned)o->value;
        return o->kind == LULL_IR3_K_RELGPR || (o->value >= 0 && o->value < LULL_ARCH_IR3_REGS);
    case LULL_IR3_K_ADDR:
        *ret = LULL_ARCH_IR3_ADDRESS + (unsigned)(o->value & 1);
        return true;
    case LULL_IR3_K_PRED:
        *ret = LULL_ARCH_IR3_PREDICATE + (unsigned)(o->value & 3);
        return true;
    default:
        return false;
    }
}

static unsigned coordinates(const struct lull_ir3_insn *in)
{
    // isam.v: of a buffer.
    const bool one = in->op == LULL_IR3_OP_ISAM && (!in->m.not_1d || in->m.variant);
    return (in->m.dim3 ? 3 : one ? 1 : 2) + in->m.array;
}

/** How many components; *first: how far behind the register that is named. */
static unsigned count_of(const struct lull_ir3_insn *in, const struct lull_ir3_components *c,
                         unsigned *first)
{
    const unsigned words = in->m.type == WIDE ? 2 : 1;
    const bool compares = in->op == LULL_IR3_OP_ATOMIC_CMPXCHG ||
                          in->op == LULL_IR3_OP_ATOMIC_G_CMPXCHG ||
                          in->op == LULL_IR3_OP_ATOMIC_B_CMPXCHG;
    *first = 0;
    switch (c->count) {
    case LULL_IR3_COUNT_FIXED:
        return c->fixed;
    case LULL_IR3_COUNT_SIZE:
        return in->m.size > 0 ? (unsigned)in->m.size : 1;
    case LULL_IR3_COUNT_MASK:
        return 4;
    case LULL_IR3_COUNT_DIMS:
        return in->m.dims > 0 ? in->m.dims : 1;
    case LULL_IR3_COUNT_COORD:
        return coordinates(in);
    case LULL_IR3_COUNT_OLD:
        return words;
    case LULL_IR3_COUNT_DATA:
        return words * (compares ? 2 : 1);
    case LULL_IR3_COUNT_AFTER:
        *first = words;
        return words * (compares ? 2 : 1);
    case LULL_IR3_COUNT_CLUSTER:
        return in->m.cluster / 32;
    case LULL_IR3_COUNT_NONE:
    case LULL_IR3_COUNT_CONST:
        break;
    }
    return 0;
}

static struct lull_arch_ir3_span span_of(const struct lull_ir3_insn *in,
                                         const struct lull_ir3_components *c,
                                         const struct lull_ir3_operand *o)
{
    const bool half = c->typed
                          ? in->m.type != LULL_IR3_TYPE_F32 && in->m.type != LULL_IR3_TYPE_U32 &&
                                in->m.type != LULL_IR3_TYPE_S32
                          : o->half;
    unsigned first = 0, number = 0;
    struct lull_arch_ir3_span s = {.half = half, .relative = o->kind == LULL_IR3_K_RELGPR};
    const unsigned count = count_of(in, c, &first);
    if (number_of(o, half, &number)) {
        s.number = number + first;
        s.count = count;
        s.mask = c->count == LULL_IR3_COUNT_MASK ? in->m.wrmask : UINT32_MAX;
    }
    return s;
}

/** The register that a texture instruction reads instead of @p o; NULL: none. */
static const struct lull_ir3_operand *alias_of(const struct lull_arch_ir3_aliases *a,
                                               const struct lull_ir3_operand *o, unsigned k)
{
    for (unsigned i = 0; a != NULL && i < a->n && o->kind == LULL_IR3_K_GPR; i++) {
        if (a->of[i].value == o->value + (int32_t)k && a->of[i].half == o->half) {
            return &a->by[i];
        }
    }
    return NULL;
}

/** A source of a row; texture instructions have some of their components elsewhere. */
static void add_source(struct uses *n, const struct lull_ir3_components *c, unsigned at)
{
    const struct lull_ir3_operand *o = &n->in->src[at];
    const struct lull_ir3_components one = {.count = LULL_IR3_COUNT_FIXED, .fixed = 1};
    struct lull_arch_ir3_span s = span_of(n->in, c, o);
    s.operand = (uint8_t)at;
    for (unsigned k = 0; n->in->category == TEXTURES && k < s.count; k++) {
        const struct lull_ir3_operand *alias = alias_of(n->aliases, o, k);
        if (alias != NULL) {
            s.mask &= ~(1u << k);
            struct lull_arch_ir3_span other = span_of(n->in, &one, alias);
            other.operand = (uint8_t)at;
            add(n->ret->read, &n->ret->nread, other);
        }
    }
    add(n->ret->read, &n->ret->nread, s);
    if (s.relative) {
        add(n->ret->read, &n->ret->nread, single(LULL_ARCH_IR3_ADDRESS));
    }
}

static void of_row(struct uses *n)
{
    const struct lull_ir3_insn *in = n->in;
    const bool to_const = n->ret->row->written.count == LULL_IR3_COUNT_CONST;
    for (unsigned k = 0; k < in->nsrc && k < 4; k++) {
        add_source(n, &n->ret->row->read[k], k);
    }
    if (!to_const && in->ndst > 0) {
        add(n->ret->written, &n->ret->nwritten, span_of(in, &n->ret->row->written, &in->dst[0]));
        for (unsigned i = 0; i < n->ret->nwritten; i++) {
            n->ret->written[i].count += in->category == 4 ? in->m.repeat : 0u;
        }
    }
    n->ret->writes_const = to_const;
    if ((to_const && in->dst[0].kind == LULL_IR3_K_CONSTA1) || in->m.a1) {
        add(n->ret->read, &n->ret->nread, single(LULL_ARCH_IR3_ADDRESS + 1));
    }
    for (unsigned i = 0; i < n->ret->nread && in->category == 4; i++) {
        n->ret->read[i].count += in->src[0].r ? in->m.repeat : 0u;
    }
}

/** Slots after the others that source @p k is read. */
static unsigned late(const struct uses *n, unsigned k)
{
    const enum lull_ir3_op op = n->in->op;
    if (op == LULL_IR3_OP_GAT || op == LULL_IR3_OP_SWZ) {
        return k;
    }
    if (n->in->category != 3 || k != 2) {
        return 0;
    }
    const bool mad = op >= LULL_IR3_OP_MAD_U16 && op <= LULL_IR3_OP_MAD_F32;
    for (unsigned i = 0; i < lull_ir3_nlate_rows; i++) {
        const struct lull_ir3_late_read *r = &lull_ir3_late_rows[i];
        if ((r->all || mad) && n->gen >= r->first_gen && n->gen <= r->last_gen &&
            n->lanes >= r->first_lanes && n->lanes <= r->last_lanes) {
            return r->slots;
        }
    }
    return 0;
}

/** Categories 0 to 3. */
static void of_alu(struct uses *n)
{
    const struct lull_ir3_components one = {.count = LULL_IR3_COUNT_FIXED, .fixed = 1};
    const struct lull_ir3_insn *in = n->in;
    const unsigned more = n->ret->alu ? in->m.repeat : 0;
    const bool gat = in->op == LULL_IR3_OP_GAT, sct = in->op == LULL_IR3_OP_SCT;
    for (unsigned k = 0; k < in->nsrc; k++) {
        struct lull_arch_ir3_span s = span_of(in, &one, &in->src[k]);
        const bool pair = in->op == LULL_IR3_OP_BARY_F && k == 1; // i and j.
        s.count = s.count == 0 ? 0 : sct ? 4 : pair ? 2 : in->src[k].r ? more + 1 : 1;
        s.at = late(n, k);
        s.operand = (uint8_t)k;
        s.step = s.relative || pair ? 0 : 1;
        add(n->ret->read, &n->ret->nread, s);
        if (in->src[k].kind == LULL_IR3_K_RELGPR || in->src[k].kind == LULL_IR3_K_RELCONST) {
            add(n->ret->read, &n->ret->nread, single(LULL_ARCH_IR3_ADDRESS));
        }
    }
    for (unsigned k = 0; k < in->ndst; k++) {
        struct lull_arch_ir3_span s = span_of(in, &one, &in->dst[k]);
        s.count = s.count == 0 ? 0 : gat ? 4 : in->ndst > 1 ? 1 : more + 1;
        s.at = s.relative ? more : k;
        s.operand = (uint8_t)k;
        s.step = s.relative ? 0 : 1;
        add(n->ret->written, &n->ret->nwritten, s);
    }
    if (in->op == LULL_IR3_OP_PREDT || in->op == LULL_IR3_OP_PREDF) {
        add(n->ret->read, &n->ret->nread, single(LULL_ARCH_IR3_PREDICATE));
    }
}

/** Of category 1 to 3, with nothing but shared registers, constants and immediates. */
static bool is_scalar(const struct uses *n)
{
    const struct lull_ir3_insn *in = n->in;
    if (!n->ret->alu || in->op == LULL_IR3_OP_MOVMSK || n->gen < FIRST_SCALAR_ALU ||
        in->ndst == 0 || !is_shared(&in->dst[0])) {
        return false;
    }
    for (unsigned k = 0; k < in->nsrc; k++) {
        const uint8_t kind = in->src[k].kind;
        if (kind == LULL_IR3_K_RELGPR || (kind == LULL_IR3_K_GPR && !is_shared(&in->src[k]))) {
            return false;
        }
    }
    return true;
}

void lull_arch_ir3_uses(const struct lull_ir3_insn *in, unsigned gen, unsigned lanes,
                        const struct lull_arch_ir3_aliases *aliases, struct lull_arch_ir3_uses *ret)
{
    struct uses n = {in, gen, lanes, aliases, ret};
    *ret = (struct lull_arch_ir3_uses){.row = &lull_ir3_op_waits[in->op],
                                       .alu = in->category >= 1 && in->category <= 3};
    ret->scalar = is_scalar(&n);
    if (ret->row->known) {
        of_row(&n);
    } else if (ret->alu || in->category == 0) {
        of_alu(&n);
    }
}

void lull_arch_ir3_alias(struct lull_arch_ir3_aliases *a, const struct lull_ir3_insn *in)
{
    if (in->op == LULL_IR3_OP_ALIAS && a->n < LULL_ARCH_IR3_ALIASES) {
        a->of[a->n] = in->dst[0];
        a->by[a->n++] = in->src[0];
    } else if (in->category == TEXTURES) {
        a->n = 0;
    }
}

unsigned lull_arch_ir3_place(const struct lull_arch_ir3_span *span, unsigned k)
{
    unsigned n = span->number + k;
    if (n >= LULL_ARCH_IR3_CONSTANTS) {
        return LULL_ARCH_IR3_PLACES;
    }
    if (n >= LULL_ARCH_IR3_HALVES) {
        n -= LULL_ARCH_IR3_HALVES;
        n = n < LULL_ARCH_IR3_FIRST_SHARED ? n : n + LULL_ARCH_IR3_FIRST_SHARED;
        return n < LULL_ARCH_IR3_SPECIAL ? n : LULL_ARCH_IR3_PLACES;
    }
    if (n >= LULL_ARCH_IR3_PREDICATE) {
        return LULL_ARCH_IR3_SPECIAL + 2 + (n - LULL_ARCH_IR3_PREDICATE) % 4;
    }
    if (n >= LULL_ARCH_IR3_ADDRESS) {
        return LULL_ARCH_IR3_SPECIAL + (n - LULL_ARCH_IR3_ADDRESS) % 2;
    }
    return n < LULL_ARCH_IR3_REGS ? 2 * n : LULL_ARCH_IR3_PLACES;
}
