// SPDX-License-Identifier: MIT
// What the walk must know of instructions of ir3: operands, fibers, where memory is. Which
// components they read and write is said by arch/ir3_uses.h.
#include <string.h>

#include "arch/ir3_uses.h"
#include "base/error.h"
#include "debug/session/why_priv.h"
#include "isa/ir3/lanes.h"

enum {
    HALF = 64,
    SFU = 4,
    FIRST_SHARED = LULL_ARCH_IR3_FIRST_SHARED,
    CONSTANTS = LULL_ARCH_IR3_CONSTANTS,
    SHARED = 504 * 4, // Source: Mesa ir3_compiler.c, shared_consts_base_offset.
};

static const struct lull_ir3_insn *of(const struct lull_insn *in)
{
    return &lull_arch_ir3_of(in)->in;
}

static const struct lull_ir3_insn *insn(const struct lull_why_insn *i)
{
    return of(lull_insn_in(&i->room));
}

static void uses_of(const struct lull_insn *in, struct lull_arch_ir3_uses *ret)
{
    lull_arch_ir3_uses(of(in), lull_arch_ir3_of(in)->gen, HALF, NULL, ret);
}

static uint64_t place(unsigned reg, unsigned lane, struct lull_wave_reg *ret)
{
    *ret =
        (struct lull_wave_reg){.cls = LULL_REG_ARCH, .index = (uint16_t)reg, .lane = (uint8_t)lane};
    return UINT64_MAX;
}

static unsigned number(const struct lull_wave_reg *reg)
{
    return reg->index;
}

static bool is_half(unsigned reg)
{
    return reg >= LULL_ARCH_IR3_HALVES && reg < CONSTANTS;
}

static bool is_predicate(unsigned reg)
{
    return reg >= LULL_ARCH_IR3_PREDICATE && reg < LULL_ARCH_IR3_PREDICATE + 4;
}

static bool is_address(unsigned reg)
{
    return reg >= LULL_ARCH_IR3_ADDRESS && reg < LULL_ARCH_IR3_ADDRESS + 4;
}

static unsigned size(unsigned reg)
{
    return is_predicate(reg) ? 1 : is_half(reg) || is_address(reg) ? 2 : LULL_WHY_DWORD;
}

static bool is_mask(unsigned reg)
{
    return is_predicate(reg) || is_address(reg);
}

static bool is_common(unsigned reg)
{
    return reg >= CONSTANTS;
}

/* One value for all fibers. */
static bool is_shared(unsigned reg)
{
    return reg == LULL_ARCH_IR3_ADDRESS + 1 || is_common(reg) ||
           (is_half(reg) ? reg - LULL_ARCH_IR3_HALVES >= FIRST_SHARED
                         : reg >= FIRST_SHARED && reg < LULL_ARCH_IR3_ADDRESS);
}

/* Halves of registers are the units in which they overlap: the first of them, and how many. */
static unsigned units(unsigned reg, unsigned *ret)
{
    const struct lull_arch_ir3_span one = {.number = reg, .count = 1};
    *ret = is_half(reg) || is_mask(reg) ? 1 : 2;
    return lull_arch_ir3_place(&one, 0);
}

static bool meet(unsigned a, unsigned b)
{
    unsigned n = 0, m = 0;
    const unsigned x = units(a, &n), y = units(b, &m);
    const bool known = x != LULL_ARCH_IR3_PLACES && y != LULL_ARCH_IR3_PLACES;
    return known ? x < y + m && y < x + n : a == b;
}

/* Component @p k of @p s, if the instruction means it. */
static bool component(const struct lull_arch_ir3_span *s, unsigned k, unsigned *ret)
{
    *ret = s->number + k;
    return !s->relative && (s->mask >> k & 1) != 0;
}

/* Constants that it writes: from @p ret_first on so many. */
static unsigned constants(const struct lull_ir3_insn *in, unsigned *ret_first)
{
    *ret_first = CONSTANTS + (unsigned)in->dst[0].value;
    return (in->op == LULL_IR3_OP_LDC_K ? 4 : 1) * (in->m.size > 0 ? (unsigned)in->m.size : 1);
}

static bool writes_constant(const struct lull_ir3_insn *in, unsigned reg)
{
    unsigned first = 0;
    const unsigned n = constants(in, &first);
    // Behind a1.x: whatever that is.
    return is_common(reg) &&
           (in->dst[0].kind == LULL_IR3_K_CONSTA1 || (reg >= first && reg < first + n));
}

/* brcst.active leaves the lower half of each cluster as it is, and those who have no active fiber
 * there. */
static bool brcst_keeps(const struct lull_ir3_insn *in, unsigned lane, uint64_t exec)
{
    const unsigned n = in->m.cluster > 0 ? in->m.cluster : 2, in_it = lane % n;
    if (in->op != LULL_IR3_OP_BRCST_ACTIVE || n > HALF) {
        return false;
    }
    const uint64_t lower = (UINT64_C(1) << n / 2) - 1;
    return in_it < n / 2 || (exec >> (lane - in_it) & lower) == 0;
}

/* The component of what it writes that has a part of @p reg; -1: none. */
static int step_of(const struct lull_arch_ir3_uses *u, unsigned reg)
{
    unsigned at = 0;
    for (unsigned i = 0; i < u->nwritten; i++) {
        const struct lull_arch_ir3_span *s = &u->written[i];
        for (unsigned k = 0; k < s->count; k++) {
            if (component(s, k, &at) && meet(at, reg)) {
                return (int)(s->count > 1 ? k : i);
            }
        }
    }
    return -1;
}

static bool writes(const struct lull_insn *in, unsigned reg, unsigned lane, uint64_t exec)
{
    struct lull_arch_ir3_uses u;
    uses_of(in, &u);
    if (u.writes_const) {
        return writes_constant(of(in), reg);
    }
    return step_of(&u, reg) >= 0 &&
           (is_shared(reg) || ((exec >> lane & 1) != 0 && !brcst_keeps(of(in), lane, exec)));
}

static bool chooses(const struct lull_insn *in)
{
    return of(in)->ndst > 0 && of(in)->dst[0].kind == LULL_IR3_K_RELGPR;
}

static bool is_float_type(unsigned type)
{
    return type == LULL_IR3_TYPE_F32 || type == LULL_IR3_TYPE_F16;
}

static bool moves(const struct lull_insn *insn)
{
    const struct lull_ir3_insn *in = of(insn);
    switch ((unsigned)in->op) {
    case LULL_IR3_OP_MOV: // Between types of one kind: else it converts.
        return is_float_type(in->m.type) == is_float_type(in->m.src_type) &&
               in->dst[0].half == in->src[0].half;
    case LULL_IR3_OP_SWZ:
    case LULL_IR3_OP_GAT:
    case LULL_IR3_OP_SCT:
    case LULL_IR3_OP_LDP:
    case LULL_IR3_OP_STP:
        return true;
    default:
        return false;
    }
}

static bool is_float(const struct lull_insn *insn)
{
    const struct lull_ir3_insn *in = of(insn);
    const char *name = lull_ir3_op_names[in->op], *dot = strchr(name, '.');
    return in->category == SFU || (in->op == LULL_IR3_OP_MOV && is_float_type(in->m.type)) ||
           (dot != NULL && dot[1] == 'f' && strncmp(name, "cmp", 3) != 0);
}

static bool crosses(const struct lull_insn *in)
{
    switch ((unsigned)of(in)->op) {
    case LULL_IR3_OP_SHFL:
    case LULL_IR3_OP_BRCST_ACTIVE:
    case LULL_IR3_OP_QUAD_SHUFFLE_BRCST:
    case LULL_IR3_OP_QUAD_SHUFFLE_HORIZ:
    case LULL_IR3_OP_QUAD_SHUFFLE_VERT:
    case LULL_IR3_OP_QUAD_SHUFFLE_DIAG:
    case LULL_IR3_OP_DSX:
    case LULL_IR3_OP_DSY:
        return true;
    default:
        return false;
    }
}

static bool decides(const struct lull_insn *in)
{
    const unsigned op = of(in)->op;
    return op == LULL_IR3_OP_PREDT || op == LULL_IR3_OP_PREDF ||
           lull_arch_ir3.flow(in, 0).kind == LULL_FLOW_BRANCH;
}

/* The other half of a wave of 128 fibers; NULL: there is none. */
static const struct lull_debug_wave *other_half(const struct lull_why_insn *i)
{
    const struct lull_wave_info *a = &i->w->info;
    for (size_t n = 0; n < i->d->nwaves; n++) {
        const struct lull_debug_wave *w = &i->d->waves[n];
        if (w->info.key == (a->key ^ 1)) {
            return w;
        }
    }
    return NULL;
}

static bool read_reg(const struct lull_why_insn *i, unsigned reg, unsigned lane, uint32_t *ret)
{
    uint64_t v = 0;
    struct lull_error *err = lull_debug_read_reg(i->d, i->w, LULL_REG_ARCH, reg, lane, &v);
    const bool good = err == NULL;
    *ret = (uint32_t)v;
    lull_error_free(err);
    return good;
}

/* A register that a0.x chooses, by its number without that. */
static unsigned chosen(const struct lull_why_insn *i, unsigned reg, unsigned lane)
{
    uint32_t a0 = 0;
    return read_reg(i, LULL_ARCH_IR3_ADDRESS, lane, &a0) ? reg + (unsigned)(int16_t)a0 : reg;
}

/* What is read of fiber @p fiber of the whole wave. */
static void add_fiber(const struct lull_why_insn *i, unsigned reg, unsigned fiber,
                      struct lull_why_operands *ret)
{
    const bool upper = fiber >= HALF;
    const struct lull_debug_wave *w = upper == i->w->info.second_half ? i->w : other_half(i);
    if (w != NULL) {
        lull_why_operand(ret, w, reg, fiber % HALF);
    }
}

/* The first fiber of the wave that is on: the scalar ALU reads its registers. */
static unsigned first_on(const struct lull_why_insn *i)
{
    const struct lull_debug_wave *other = other_half(i);
    uint64_t exec[2] = {0, 0};
    exec[i->w->info.second_half] = i->w->info.exec;
    if (other != NULL) {
        exec[other->info.second_half] = other->info.exec;
    }
    return exec[0] != 0   ? (unsigned)__builtin_ctzll(exec[0])
           : exec[1] != 0 ? HALF + (unsigned)__builtin_ctzll(exec[1])
                          : lull_wave_fiber(&i->w->info, 0);
}

/* Does component @p k of operand @p s go into component @p step of the result? -1: all do. */
static bool takes_part(const struct lull_ir3_insn *in, const struct lull_arch_ir3_span *s,
                       unsigned k, int step)
{
    const bool each = (in->category >= 1 && in->category <= SFU) && s->operand < in->nsrc &&
                      in->src[s->operand].r && s->count == in->m.repeat + 1u;
    switch ((unsigned)in->op) {
    case LULL_IR3_OP_SWZ:
    case LULL_IR3_OP_GAT:
        return step < 0 || s->operand == step;
    case LULL_IR3_OP_SCT:
        return step < 0 || (int)k == step;
    default:
        return step < 0 || !each || (int)k == step;
    }
}

/* Constants among the sources. */
static void add_constants(const struct lull_why_insn *i, unsigned lane, int step,
                          struct lull_why_operands *ret)
{
    const struct lull_ir3_insn *in = insn(i);
    for (unsigned n = 0; n < in->nsrc; n++) {
        const struct lull_ir3_operand *o = &in->src[n];
        const bool relative = o->kind == LULL_IR3_K_RELCONST;
        const unsigned more = o->r && step > 0 ? (unsigned)step : 0;
        unsigned reg = CONSTANTS + (unsigned)o->value + more;
        uint32_t a1 = 0;
        if (o->kind == LULL_IR3_K_CONSTA1 && read_reg(i, LULL_ARCH_IR3_ADDRESS + 1, lane, &a1)) {
            reg += a1;
        } else if (relative) {
            reg = chosen(i, reg, lane);
        } else if (o->kind != LULL_IR3_K_CONST) {
            continue;
        }
        lull_why_operand(ret, i->w, reg, lane);
    }
}

/* Fibers that @p lane gets operand @p s from; up to 2. */
static unsigned fibers(const struct lull_why_insn *i, const struct lull_arch_ir3_span *s,
                       unsigned lane, unsigned ret[2])
{
    const struct lull_ir3_insn *in = insn(i);
    const unsigned fiber = lull_wave_fiber(&i->w->info, lane);
    const unsigned n = other_half(i) != NULL ? 2 * HALF : HALF;
    const unsigned size = in->m.cluster > 0 ? in->m.cluster : 2, first = fiber & ~(size - 1);
    uint32_t by = in->nsrc > 1 ? (uint32_t)in->src[1].value : 0;
    const unsigned apart = in->op == LULL_IR3_OP_DSX ? 1 : 2;
    ret[0] = fiber;
    if (s->operand != 0 || !crosses(lull_insn_in(&i->room))) {
        return 1;
    }
    switch ((unsigned)in->op) {
    case LULL_IR3_OP_DSX:
    case LULL_IR3_OP_DSY:
        ret[0] = fiber & ~apart;
        ret[1] = fiber | apart;
        return 2;
    case LULL_IR3_OP_BRCST_ACTIVE:
        for (unsigned k = first; k < first + size / 2; k++) {
            ret[0] = (i->w->info.exec >> k % HALF & 1) != 0 ? k : ret[0];
        }
        return 1;
    default:
        if (in->nsrc > 1 && in->src[1].kind == LULL_IR3_K_GPR) {
            const unsigned reg =
                (unsigned)in->src[1].value + (in->src[1].half ? (unsigned)LULL_ARCH_IR3_HALVES : 0);
            (void)read_reg(i, reg, lane, &by);
        } else if (in->nsrc > 1 && in->src[1].kind == LULL_IR3_K_CONST) {
            (void)read_reg(i, CONSTANTS + (unsigned)in->src[1].value, lane, &by);
        }
        ret[0] = lull_ir3_partner(in, fiber, by, n);
        return 1;
    }
}

static void add_span(const struct lull_why_insn *i, const struct lull_arch_ir3_span *s,
                     unsigned lane, int step, struct lull_why_operands *ret)
{
    unsigned from[2] = {0, 0};
    const unsigned n = fibers(i, s, lane, from);
    for (unsigned k = 0; k < s->count; k++) {
        if ((s->mask >> k & 1) == 0 || !takes_part(insn(i), s, k, step)) {
            continue;
        }
        const unsigned reg = s->relative ? chosen(i, s->number + k, lane) : s->number + k;
        for (unsigned f = 0; f < n; f++) {
            add_fiber(i, reg, from[f], ret);
        }
    }
}

/* A half that the instruction leaves as it was is the other part of a whole register. */
static void add_rest(const struct lull_why_insn *i, const struct lull_arch_ir3_uses *u,
                     unsigned made, unsigned lane, struct lull_why_operands *ret)
{
    const unsigned low = LULL_ARCH_IR3_HALVES + 2 * made;
    const bool whole = made < FIRST_SHARED;
    for (unsigned k = 0; whole && k < 2; k++) {
        if (step_of(u, low + k) < 0) {
            lull_why_operand(ret, i->w, low + k, lane);
        }
    }
}

static void operands(const struct lull_why_insn *i, unsigned made, unsigned lane,
                     struct lull_why_operands *ret)
{
    struct lull_arch_ir3_uses u;
    uses_of(lull_insn_in(&i->room), &u);
    const int step = made != LULL_ARCH_NO_REG ? step_of(&u, made) : -1;
    const bool once = made != LULL_ARCH_NO_REG && is_shared(made);
    const unsigned first = once ? first_on(i) : 0;
    const bool elsewhere = once && first / HALF != i->w->info.second_half;
    const unsigned reads = once ? first % HALF : lane;
    struct lull_why_insn at = *i;
    at.w = elsewhere && other_half(i) != NULL ? other_half(i) : i->w;
    for (unsigned n = 0; n < u.nread; n++) {
        add_span(&at, &u.read[n], reads, step, ret);
    }
    add_constants(&at, reads, step, ret);
    for (unsigned n = 0; n < ret->n; n++) { // One value for all: it is as good as this fiber's.
        if (is_shared(ret->of[n].reg)) {
            ret->of[n] = (struct lull_why_operand){.w = i->w, .reg = ret->of[n].reg, .lane = lane};
        }
    }
    if (step >= 0) {
        add_rest(i, &u, made, lane, ret);
    }
    ret->note = insn(i)->op == LULL_IR3_OP_MOVMSK ? "a bit for each fiber that is on" : NULL;
}

/* Which source is what is stored; -1: none is. */
static int data_of(const struct lull_ir3_insn *in)
{
    const char *name = lull_ir3_op_names[in->op];
    const bool atomic = strncmp(name, "atomic", 6) == 0;
    if (strncmp(name, "atomic.b", 8) == 0 || in->op == LULL_IR3_OP_STIB_B) {
        return 0;
    }
    return in->op == LULL_IR3_OP_STG_A ? 2 : atomic || strncmp(name, "st", 2) == 0 ? 1 : -1;
}

static void address(const struct lull_why_insn *i, unsigned lane, struct lull_why_operands *ret)
{
    struct lull_arch_ir3_uses u;
    uses_of(lull_insn_in(&i->room), &u);
    const int data = data_of(insn(i));
    for (unsigned n = 0; n < u.nread; n++) {
        if (u.read[n].operand != data) {
            add_span(i, &u.read[n], lane, -1, ret);
        }
    }
}

/* An instruction on shared or private memory: l[r2.x + 4]. */
static bool is_own(const struct lull_ir3_insn *in, enum lull_why_where *ret)
{
    const bool atomic = in->op >= LULL_IR3_OP_ATOMIC_ADD && in->op <= LULL_IR3_OP_ATOMIC_XOR;
    switch ((unsigned)in->op) {
    case LULL_IR3_OP_LDP:
    case LULL_IR3_OP_STP:
        *ret = LULL_WHY_SCRATCH;
        return true;
    case LULL_IR3_OP_LDL:
    case LULL_IR3_OP_LDLW:
    case LULL_IR3_OP_STL:
    case LULL_IR3_OP_STLW:
        *ret = LULL_WHY_LDS;
        return true;
    default:
        *ret = atomic ? LULL_WHY_LDS : LULL_WHY_MEMORY;
        return atomic;
    }
}

static bool own_address(const struct lull_why_insn *i, unsigned lane, uint64_t *ret)
{
    const struct lull_ir3_insn *in = insn(i);
    const struct lull_ir3_operand *o = &in->src[0];
    const bool gpr = o->kind == LULL_IR3_K_GPR, constant = o->kind == LULL_IR3_K_CONST;
    const unsigned reg = (unsigned)o->value + (constant  ? (unsigned)CONSTANTS
                                               : o->half ? (unsigned)LULL_ARCH_IR3_HALVES
                                                         : 0);
    uint32_t v = (uint32_t)o->value;
    const bool good = (!gpr && !constant) || read_reg(i, reg, lane, &v);
    *ret = v + (uint32_t)in->m.offset;
    return good;
}

static void pieces(const struct lull_why_insn *i, unsigned lane, bool load,
                   struct lull_why_pieces *ret)
{
    const struct lull_ir3_insn *in = insn(i);
    const bool atomic = i->a.reads && i->a.writes;
    const int data = data_of(in);
    struct lull_why_piece p = {.where = LULL_WHY_MEMORY};
    const bool own = is_own(in, &p.where);
    const bool fetch = in->op == LULL_IR3_OP_ISAM; // Its elements are those of the mask.
    const unsigned n = fetch ? i->a.bytes / lull_arch_ir3_type_bytes(in->m.type)
                       : !atomic && in->m.size > 1 ? (unsigned)in->m.size
                                                   : 1;
    const unsigned bytes = own && !atomic ? lull_arch_ir3_type_bytes(in->m.type)
                           : own          ? LULL_WHY_DWORD
                                          : i->a.bytes / n;
    const unsigned each = bytes > LULL_WHY_DWORD ? LULL_WHY_DWORD : bytes; // u64: two.
    const bool half = !atomic && bytes == 2 && in->op != LULL_IR3_OP_LDC;
    const struct lull_ir3_operand *o = load || data < 0 ? &in->dst[0] : &in->src[data];
    unsigned first = (unsigned)o->value + (half ? (unsigned)LULL_ARCH_IR3_HALVES : 0);
    if (!load && !own && i->a.data >= 0) { // Behind the old value of atomic.b.
        first = (unsigned)i->a.data;
    }
    uint64_t va = i->a.va[lane];
    p.known = own ? own_address(i, lane, &va) : i->known && (i->a.mask >> lane & 1) != 0;
    p.outside = !own && (i->a.outside >> lane & 1) != 0;
    p.size = each;
    for (unsigned k = 0; k < n * (bytes / each); k++) {
        p.address = va + (uint64_t)k * each;
        p.reg = o->kind == LULL_IR3_K_GPR ? first + k : (unsigned)LULL_ARCH_NO_REG;
        lull_why_piece(ret, &p);
    }
}

static const char *start(unsigned reg)
{
    return !is_common(reg)            ? NULL
           : reg < CONSTANTS + SHARED ? "in the file of constants: the host put it there"
                                      : "a constant of all stages: the host put it there; Turnip "
                                        "has push constants there";
}

const struct lull_why_vendor lull_why_ir3 = {
    .place = place,
    .number = number,
    .size = size,
    .is_mask = is_mask,
    .is_common = is_common,
    .writes = writes,
    .chooses = chooses,
    .moves = moves,
    .is_float = is_float,
    .crosses = crosses,
    .decides = decides,
    .operands = operands,
    .address = address,
    .pieces = pieces,
    .meet = meet,
    .start = start,
};
