// SPDX-License-Identifier: MIT
// Marks of what categories 1 to 4 compute. What the operations are: data/isa/ir3.sem.
#include <string.h>

#include "check/shadow/shadow_priv.h"

enum { FIBERS = LULL_SHADOW_FIBERS, SOURCES = 3, HALF_BITS = 16, WORD_BITS = 32, BYTE_BITS = 8 };

/** How marks of the sources become those of the result. */
enum way {
    ANY,   // Of all of them, all.
    COPY,  // The first's.
    WIDEN, // The same, and of its sign.
    EITHER,
    AND,
    OR,
    UP, // From the lowest on.
    COMPARE,
    EQUAL,
    CHOOSE,
    SHL,
    SHR,
    ASHR,
    SHR_AND, // shrm: B >> A & C, and so on.
    SHL_AND,
    SHR_OR,
    SHL_OR,
    AND_OR,
};

/** Lanes' sources: marks and values. */
struct sources {
    bool some[SOURCES];
    uint32_t marks[SOURCES][FIBERS], v[SOURCES][FIBERS];
    uint32_t all; // Bits of the operation.
};

static bool is_float(unsigned type)
{
    return type == LULL_IR3_TYPE_F32 || type == LULL_IR3_TYPE_F16;
}

static bool is_signed(unsigned type)
{
    return type == LULL_IR3_TYPE_S32 || type == LULL_IR3_TYPE_S16 || type == LULL_IR3_TYPE_U8;
}

/** Bits of a number of @p type of category 1. */
static unsigned bits_of(unsigned type)
{
    return BYTE_BITS * lull_arch_ir3_type_bytes(type);
}

static enum way move_way(const struct lull_ir3_insn *in)
{
    const unsigned from = in->m.src_type, to = in->m.type;
    return from == to                                       ? COPY
           : is_float(from) || is_float(to)                 ? ANY
           : is_signed(from) && bits_of(to) > bits_of(from) ? WIDEN
                                                            : COPY;
}

static enum way compare_way(const struct lull_ir3_insn *in)
{
    const bool equal = in->m.cond == LULL_IR3_COND_EQ || in->m.cond == LULL_IR3_COND_NE;
    const bool plain = !in->src[0].neg && !in->src[0].abs && !in->src[1].neg && !in->src[1].abs;
    return equal && plain ? EQUAL : COMPARE;
}

/** Is it a sum of numbers of two's complement, whatever they are? */
static bool is_sum(const struct lull_ir3_insn *in)
{
    bool plain = !in->m.sat && !in->m.ei;
    for (unsigned i = 0; i < in->nsrc && i < SOURCES; i++) {
        plain = plain && !in->src[i].abs;
    }
    return plain;
}

static enum way way_of(const struct lull_ir3_insn *in)
{
    switch ((unsigned)in->op) {
    case LULL_IR3_OP_MOV:
    case LULL_IR3_OP_SWZ:
    case LULL_IR3_OP_GAT:
    case LULL_IR3_OP_SCT:
        return move_way(in);
    case LULL_IR3_OP_ABSNEG_F: // The sign alone is another.
        return COPY;
    case LULL_IR3_OP_ABSNEG_S:
    case LULL_IR3_OP_ADD_U:
    case LULL_IR3_OP_ADD_S:
    case LULL_IR3_OP_SUB_U:
    case LULL_IR3_OP_SUB_S:
    case LULL_IR3_OP_MUL_U24:
    case LULL_IR3_OP_MUL_S24:
    case LULL_IR3_OP_MULL_U:
    case LULL_IR3_OP_MAD_U16:
    case LULL_IR3_OP_MAD_S16:
    case LULL_IR3_OP_MADSH_M16:
    case LULL_IR3_OP_MAD_U24:
    case LULL_IR3_OP_MAD_S24:
    case LULL_IR3_OP_SAD_S16:
    case LULL_IR3_OP_SAD_S32:
        return is_sum(in) ? UP : ANY;
    case LULL_IR3_OP_NOT_B:
    case LULL_IR3_OP_XOR_B:
        return EITHER;
    case LULL_IR3_OP_AND_B:
        return AND;
    case LULL_IR3_OP_OR_B:
        return OR;
    case LULL_IR3_OP_CMPS_U:
    case LULL_IR3_OP_CMPS_S:
        return compare_way(in);
    case LULL_IR3_OP_CMPS_F:
        return COMPARE;
    case LULL_IR3_OP_SEL_B16:
    case LULL_IR3_OP_SEL_B32:
        return CHOOSE;
    case LULL_IR3_OP_SHL_B:
        return SHL;
    case LULL_IR3_OP_SHR_B:
        return SHR;
    case LULL_IR3_OP_ASHR_B:
        return ASHR;
    case LULL_IR3_OP_SHRM:
        return SHR_AND;
    case LULL_IR3_OP_SHLM:
        return SHL_AND;
    case LULL_IR3_OP_SHRG:
        return SHR_OR;
    case LULL_IR3_OP_SHLG:
        return SHL_OR;
    case LULL_IR3_OP_ANDG:
        return AND_OR;
    default:
        return ANY;
    }
}

/** From the lowest bit that is set upwards. */
static uint32_t up(uint32_t m)
{
    return m | (0 - m);
}

static uint32_t both(uint32_t ma, uint32_t a, uint32_t mb, uint32_t b)
{
    return (ma & mb) | (ma & b) | (mb & a);
}

static uint32_t either(uint32_t ma, uint32_t a, uint32_t mb, uint32_t b)
{
    return (ma & mb) | (ma & ~b) | (mb & ~a);
}

/** Marks, or values, @p v shifted by @p by. */
static uint32_t shifted(enum way how, uint32_t v, uint32_t by, uint32_t all)
{
    const unsigned width = all == UINT16_MAX ? HALF_BITS : WORD_BITS;
    by &= width - 1;
    if (how == SHL) {
        return v << by & all;
    }
    const bool top = how == ASHR && (v >> (width - 1)) != 0;
    return v >> by | (top ? ~(all >> by) & all : 0);
}

/** What shrm and its like have shifted or masked, with their third source. */
static uint32_t then(enum way how, const struct sources *s, unsigned i)
{
    const uint32_t all = s->all;
    const bool right = how == SHR_AND || how == SHR_OR;
    const enum way first = right ? SHR : SHL;
    uint32_t marks = both(s->marks[0][i], s->v[0][i], s->marks[1][i], s->v[1][i]);
    uint32_t v = s->v[0][i] & s->v[1][i];
    if (how != AND_OR) {
        marks = s->marks[0][i] != 0 ? all : shifted(first, s->marks[1][i], s->v[0][i], all);
        v = shifted(first, s->v[1][i], s->v[0][i], all);
    }
    return how == SHR_AND || how == SHL_AND ? both(marks, v, s->marks[2][i], s->v[2][i])
                                            : either(marks, v, s->marks[2][i], s->v[2][i]);
}

static uint32_t chosen(const struct sources *s, unsigned i)
{
    const uint32_t marks = s->marks[1][i], known = s->v[1][i] & ~marks;
    return marks != 0 && known == 0 ? s->all : known != 0 ? s->marks[0][i] : s->marks[2][i];
}

static uint32_t widened(const struct lull_ir3_insn *in, uint32_t m)
{
    const unsigned width = bits_of(in->m.src_type);
    const uint32_t low = (UINT32_C(1) << width) - 1;
    return (m & low) | ((m >> (width - 1) & 1) != 0 ? ~low : 0);
}

static uint32_t one(enum way how, const struct lull_ir3_insn *in, const struct sources *s,
                    unsigned i)
{
    const uint32_t a = s->marks[0][i], b = s->marks[1][i], any = a | b | s->marks[2][i];
    switch (how) {
    case COPY:
        return a;
    case WIDEN:
        return widened(in, a);
    case EITHER:
        return any;
    case AND:
        return both(a, s->v[0][i], b, s->v[1][i]);
    case OR:
        return either(a, s->v[0][i], b, s->v[1][i]);
    case UP:
        return up(any);
    case COMPARE:
        return any != 0;
    case EQUAL: // Known bits that are not the same decide.
        return any != 0 && ((s->v[0][i] ^ s->v[1][i]) & ~any) == 0;
    case CHOOSE:
        return chosen(s, i);
    case SHL:
    case SHR:
    case ASHR:
        return b != 0 ? s->all : shifted(how, a, s->v[1][i], s->all);
    case SHR_AND:
    case SHL_AND:
    case SHR_OR:
    case SHL_OR:
    case AND_OR:
        return then(how, s, i);
    case ANY:
        break;
    }
    return any != 0 ? UINT32_MAX : 0;
}

/** Do values of the sources count? */
static bool by_value(enum way how)
{
    return how != ANY && how != COPY && how != WIDEN && how != EITHER && how != UP &&
           how != COMPARE;
}

/** Values of source @p k, with what (neg) does to bits. */
static void fetch(const struct lull_shadow_now *n, const struct lull_ir3_operand *o, unsigned step,
                  uint32_t all, uint32_t *v)
{
    (void)lull_ir3_fetch(n->w, n->env, o, step, v);
    for (unsigned i = 0; i < FIBERS; i++) {
        v[i] = (o->neg ? ~v[i] : v[i]) & all;
    }
}

/** Repetition @p step: @p ret. @return Something is marked. */
static bool computed(struct lull_shadow_now *n, enum way how, unsigned step, uint32_t *ret)
{
    const struct lull_ir3_insn *in = n->in;
    struct sources s;
    bool some = false;
    s.all = in->nsrc > 0 && in->src[in->category == 3 ? 1 : 0].half ? UINT16_MAX : UINT32_MAX;
    n->from = 0;
    for (unsigned k = 0; k < SOURCES; k++) {
        const struct lull_ir3_operand *o = &in->src[k];
        s.some[k] = k < in->nsrc && lull_shadow_source(n, o, o->r ? step : 0, s.marks[k]);
        some = some || s.some[k];
        if (!s.some[k]) {
            memset(s.marks[k], 0, sizeof s.marks[k]);
        }
    }
    if (!some) {
        return false;
    }
    memset(s.v, 0, sizeof s.v);
    for (unsigned k = 0; by_value(how) && k < in->nsrc && k < SOURCES; k++) {
        fetch(n, &in->src[k], in->src[k].r ? step : 0, s.all, s.v[k]);
    }
    for (unsigned i = 0; i < FIBERS; i++) {
        ret[i] = one(how, in, &s, i);
    }
    return true;
}

/** swz, gat, sct: all is read before anything is written. */
static void several(struct lull_shadow_now *n)
{
    enum { MOST = 4 };
    const struct lull_ir3_insn *in = n->in;
    const enum way how = way_of(in);
    const bool spread = in->op == LULL_IR3_OP_SCT, gather = in->op == LULL_IR3_OP_GAT;
    const unsigned count = in->op == LULL_IR3_OP_SWZ ? 2 : MOST;
    uint32_t marks[MOST][FIBERS];
    bool some[MOST];
    for (unsigned k = 0; k < count; k++) {
        struct lull_ir3_insn single = *in;
        single.src[0] = in->src[spread ? 0 : k];
        single.src[0].r = true;
        single.nsrc = 1;
        n->in = &single;
        some[k] = computed(n, how, spread ? k : 0, marks[k]);
    }
    n->in = in;
    for (unsigned k = 0; k < count; k++) {
        lull_shadow_result(n, &in->dst[gather ? 0 : k], gather ? k : 0, some[k] ? marks[k] : NULL);
    }
}

void lull_shadow_alu(struct lull_shadow_now *n)
{
    const struct lull_ir3_insn *in = n->in;
    const enum lull_ir3_op op = in->op;
    if (op == LULL_IR3_OP_SWZ || op == LULL_IR3_OP_GAT || op == LULL_IR3_OP_SCT) {
        several(n);
        return;
    }
    const enum way how = way_of(in);
    for (unsigned step = 0; step <= in->m.repeat; step++) {
        uint32_t marks[FIBERS];
        const bool some = computed(n, how, step, marks);
        for (unsigned k = 0; k < in->ndst; k++) {
            lull_shadow_result(n, &in->dst[k], step, some ? marks : NULL);
        }
    }
}
