// SPDX-License-Identifier: MIT
#include "check/marks.h"

#include <stdlib.h>
#include <string.h>

void lull_marks_forget(struct lull_marks *m)
{
    uint64_t *scratch = m->scratch;
    uint32_t *scratch_from = m->scratch_from;
    if (scratch != NULL) {
        memset(scratch, 0, LULL_MARKS_SCRATCH * sizeof *scratch);
    }
    memset(m, 0, sizeof *m);
    m->scratch = scratch;
    m->scratch_from = scratch_from;
}

void lull_marks_done(struct lull_marks *m)
{
    free(m->scratch);
    free(m->scratch_from);
}

void lull_marks_make(struct lull_marks *m, unsigned reg, uint64_t lanes, uint32_t from)
{
    const unsigned n = reg - LULL_RDNA_VGPR0;
    if (reg >= LULL_RDNA_VGPR0 && n < LULL_MARKS_VGPRS && lanes != 0) {
        m->any = true;
        m->v[n] |= lanes;
        m->v_from[n] = from;
    }
}

void lull_marks_make_scalar(struct lull_marks *m, unsigned reg, uint32_t from)
{
    if (reg < LULL_MARKS_SGPRS) {
        m->any = true;
        m->s[reg] = UINT32_MAX;
        m->s_from[reg] = from;
    }
}

bool lull_marks_left(const struct lull_marks *m)
{
    uint64_t some = m->scc || m->scratch != NULL;
    for (unsigned i = 0; i < LULL_MARKS_VGPRS; i++) {
        some |= m->v[i];
    }
    for (unsigned i = 0; i < LULL_MARKS_SGPRS; i++) {
        some |= m->s[i];
    }
    return some != 0;
}

/** The two halves of a mask, or a number twice. */
static uint64_t mask_at(const uint32_t *s, unsigned reg, unsigned lanes)
{
    const uint64_t low = s[reg & (LULL_MARKS_SGPRS - 1)];
    const uint64_t high = lanes == 64 ? s[(reg + 1) & (LULL_MARKS_SGPRS - 1)] : 0;
    return low | high << 32;
}

uint64_t lull_marks_of(const struct lull_marks *m, unsigned reg, unsigned lanes)
{
    if (reg >= LULL_RDNA_VGPR0) {
        return reg - LULL_RDNA_VGPR0 < LULL_MARKS_VGPRS ? m->v[reg - LULL_RDNA_VGPR0] : 0;
    }
    if (reg >= LULL_MARKS_SGPRS) {
        return 0;
    }
    return m->s[reg] == UINT32_MAX ? UINT64_MAX : mask_at(m->s, reg, lanes);
}

/** The same of an operand of 32 bits, which is no mask of lanes: what the next register has is
 * another's. */
static uint64_t marks_of_value(const struct lull_marks *m, unsigned reg, unsigned lanes)
{
    return reg >= LULL_MARKS_SGPRS ? lull_marks_of(m, reg, lanes) : m->s[reg] != 0 ? UINT64_MAX : 0;
}

static uint32_t value_of(const struct lull_observed *at, unsigned reg, unsigned lane)
{
    uint32_t v = 0;
    if (reg >= LULL_RDNA_INT0 && reg <= LULL_RDNA_INT64) {
        return reg - LULL_RDNA_INT0;
    }
    if (reg > LULL_RDNA_INT64 && reg <= LULL_RDNA_INT_LAST) {
        return LULL_RDNA_INT64 - reg;
    }
    return reg != LULL_RDNA_NULL && at->read(at, reg, lane, &v) ? v : 0;
}

static uint64_t mask_value(const struct lull_observed *at, unsigned reg)
{
    const uint64_t high = at->lanes == 64 ? value_of(at, reg + 1, 0) : 0;
    return value_of(at, reg, 0) | high << 32;
}

/** The number of the mark on @p reg. */
static uint32_t from_of(const struct lull_marks *m, unsigned reg)
{
    return reg < LULL_MARKS_SGPRS ? m->s_from[reg]
           : reg >= LULL_RDNA_VGPR0 && reg - LULL_RDNA_VGPR0 < LULL_MARKS_VGPRS
               ? m->v_from[reg - LULL_RDNA_VGPR0]
               : 0;
}

/** Marks of C ? B : A. */
static uint64_t chosen(const struct lull_marks *m, const struct lull_observed *at, unsigned a,
                       unsigned b, unsigned c)
{
    const uint64_t on = mask_value(at, c), ta = marks_of_value(m, a, at->lanes);
    return mask_at(m->s, c, at->lanes) | (on & marks_of_value(m, b, at->lanes)) | (~on & ta);
}

static void put_lanes(struct lull_marks *m, const struct lull_observed *at, unsigned reg,
                      uint64_t marks, uint32_t from)
{
    if (reg >= LULL_RDNA_VGPR0 && reg - LULL_RDNA_VGPR0 < LULL_MARKS_VGPRS) {
        uint64_t *v = &m->v[reg - LULL_RDNA_VGPR0];
        *v = (*v & ~at->active) | (marks & at->active);
        if ((marks & at->active) != 0) {
            m->v_from[reg - LULL_RDNA_VGPR0] = from;
        }
    }
}

/** The number of a mark of @p lanes among registers @p uses that are read. */
static uint32_t from_sources(const struct lull_marks *m, const struct lull_rdna_use *uses,
                             unsigned n, uint64_t lanes, unsigned of)
{
    uint32_t from = 0;
    for (unsigned i = 0; i < n; i++) {
        for (unsigned r = 0; !uses[i].write && r < uses[i].count && from == 0; r++) {
            const unsigned reg = uses[i].reg + r;
            from = (marks_of_value(m, reg, of) & lanes) != 0 ? from_of(m, reg) : 0;
        }
    }
    return from;
}

/** One half of a VOPD instruction: its sources' marks. */
static uint64_t dual_half(const struct lull_marks *m, const struct lull_observed *at, unsigned op,
                          const uint16_t src[2], unsigned dst)
{
    if (op == LULL_RDNA_OP_V_DUAL_CNDMASK_B32) {
        return chosen(m, at, src[0], src[1], LULL_RDNA_VCC);
    }
    uint64_t t = marks_of_value(m, src[0], at->lanes) | marks_of_value(m, src[1], at->lanes);
    const uint64_t reads = lull_rdna_ops[op].reads;
    return (reads & LULL_RDNA_S_DST) != 0 ? t | lull_marks_of(m, dst, at->lanes) : t;
}

static void dual(struct lull_marks *m, const struct lull_observed *at,
                 const struct lull_rdna_insn *in)
{
    const uint64_t x = dual_half(m, at, in->op, in->src, in->dst);
    const uint64_t y = dual_half(m, at, in->y.op, in->y.src, in->y.dst);
    struct lull_rdna_use uses[LULL_RDNA_MAX_USES];
    const unsigned n = (x | y) != 0 ? lull_rdna_uses(in, at->lanes, uses) : 0;
    const uint32_t from_x = from_sources(m, uses, n, x, at->lanes);
    const uint32_t from_y = from_sources(m, uses, n, y, at->lanes);
    put_lanes(m, at, in->dst, x, from_x);
    put_lanes(m, at, in->y.dst, y, from_y);
}

static unsigned first_lane(const struct lull_observed *at)
{
    return at->active != 0 ? (unsigned)__builtin_ctzll(at->active) : 0;
}

/** v_readlane, v_readfirstlane, v_writelane: one lane. False: it is none of them. */
static bool one_lane(struct lull_marks *m, const struct lull_observed *at,
                     const struct lull_rdna_insn *in)
{
    const bool write = in->op == LULL_RDNA_OP_V_WRITELANE_B32;
    if (!write && in->op != LULL_RDNA_OP_V_READLANE_B32 &&
        in->op != LULL_RDNA_OP_V_READFIRSTLANE_B32) {
        return false;
    }
    const unsigned lane = in->op == LULL_RDNA_OP_V_READFIRSTLANE_B32
                              ? first_lane(at)
                              : value_of(at, in->src[1], 0) & (at->lanes - 1);
    const uint64_t bit = UINT64_C(1) << lane, from = lull_marks_of(m, in->src[0], at->lanes);
    if (write) {
        const unsigned to = (in->dst - LULL_RDNA_VGPR0) & (LULL_MARKS_VGPRS - 1);
        m->v[to] = from != 0 ? m->v[to] | bit : m->v[to] & ~bit;
        m->v_from[to] = from != 0 ? from_of(m, in->src[0]) : m->v_from[to];
    } else if (in->dst < LULL_MARKS_SGPRS) {
        m->s[in->dst] = (from & bit) != 0 ? UINT32_MAX : 0;
        m->s_from[in->dst] = from_of(m, in->src[0]);
    }
    return true;
}

/** Marks of all sources of a vector instruction. */
static uint64_t sources(const struct lull_marks *m, const struct lull_observed *at,
                        const struct lull_rdna_insn *in, const struct lull_rdna_use *uses,
                        unsigned n)
{
    uint64_t t = 0;
    for (unsigned i = 0; i < n; i++) {
        const bool mask = uses[i].reg < LULL_RDNA_VGPR0 && uses[i].count == at->lanes / 32;
        for (unsigned r = 0; !uses[i].write && r < (mask ? 1u : uses[i].count); r++) {
            t |= (mask ? lull_marks_of : marks_of_value)(m, uses[i].reg + r, at->lanes);
        }
    }
    const bool across =
        in->dpp != LULL_RDNA_NO_DPP || (lull_rdna_info(in)->flags & LULL_RDNA_F_CROSS) != 0;
    return !across ? t : (t & at->active) != 0 ? UINT64_MAX : 0;
}

/** Lanes in which an operand without a mark decides what comes out. (A product with 0 is not such:
 * n - n / 0 * 0 is n % 0.) */
static uint64_t decided(const struct lull_marks *m, const struct lull_observed *at,
                        const struct lull_rdna_insn *in)
{
    const bool ones = in->op == LULL_RDNA_OP_V_OR_B32;
    const bool zero = in->op == LULL_RDNA_OP_V_AND_B32;
    uint64_t lanes = 0;
    for (unsigned i = 0; (ones || zero) && in->dpp == LULL_RDNA_NO_DPP && i < 2; i++) {
        const uint64_t marked = lull_marks_of(m, in->src[i], at->lanes);
        for (uint64_t k = at->active & ~marked; k != 0; k &= k - 1) {
            const unsigned l = (unsigned)__builtin_ctzll(k);
            const uint32_t v =
                in->src[i] == LULL_RDNA_LITERAL ? in->literal : value_of(at, in->src[i], l);
            lanes |= (uint64_t)(v == (ones ? UINT32_MAX : 0)) << l;
        }
    }
    return lanes;
}

static void vector(struct lull_marks *m, const struct lull_observed *at,
                   const struct lull_rdna_insn *in)
{
    struct lull_rdna_use uses[LULL_RDNA_MAX_USES];
    const unsigned n = lull_rdna_uses(in, at->lanes, uses);
    const bool choice =
        in->op == LULL_RDNA_OP_V_CNDMASK_B32 || in->op == LULL_RDNA_OP_V_CNDMASK_B16;
    const unsigned by = in->src[2] < LULL_MARKS_SGPRS ? in->src[2] : LULL_RDNA_VCC;
    uint64_t t = choice && in->dpp == LULL_RDNA_NO_DPP ? chosen(m, at, in->src[0], in->src[1], by)
                                                       : sources(m, at, in, uses, n);
    t &= (t & at->active) != 0 ? ~decided(m, at, in) : t;
    const uint32_t from = t != 0 ? from_sources(m, uses, n, t, at->lanes) : 0;
    for (unsigned i = 0; i < n; i++) {
        for (unsigned r = uses[i].reg; uses[i].write && r < (unsigned)uses[i].reg + uses[i].count;
             r++) {
            const unsigned half = r - uses[i].reg;
            if (r >= LULL_RDNA_VGPR0) {
                put_lanes(m, at, r, t, from);
            } else if (r < LULL_MARKS_SGPRS) {
                m->s[r] = (uint32_t)((t & at->active) >> 32 * (half & 1));
                m->s_from[r] = from;
            }
        }
    }
}

enum logic { PLAIN, AND, OR, AND_NOT1, OR_NOT1, COPY, SELECT };

static enum logic logic_of(unsigned op)
{
    switch (op) {
    case LULL_RDNA_OP_S_AND_B32:
    case LULL_RDNA_OP_S_AND_B64:
        return AND;
    case LULL_RDNA_OP_S_OR_B32:
    case LULL_RDNA_OP_S_OR_B64:
        return OR;
    case LULL_RDNA_OP_S_AND_NOT1_B32:
    case LULL_RDNA_OP_S_AND_NOT1_B64:
        return AND_NOT1;
    case LULL_RDNA_OP_S_OR_NOT1_B32:
    case LULL_RDNA_OP_S_OR_NOT1_B64:
        return OR_NOT1;
    case LULL_RDNA_OP_S_MOV_B32:
    case LULL_RDNA_OP_S_MOV_B64:
    case LULL_RDNA_OP_S_NOT_B32:
    case LULL_RDNA_OP_S_NOT_B64:
        return COPY;
    case LULL_RDNA_OP_S_CSELECT_B32:
    case LULL_RDNA_OP_S_CSELECT_B64:
        return SELECT;
    default:
        return PLAIN;
    }
}

static uint32_t bits_of(const struct lull_marks *m, unsigned reg)
{
    return reg < LULL_MARKS_SGPRS ? m->s[reg] : 0;
}

/** Marks of dword @p i of a result of bitwise logic, or of a choice. */
static uint32_t logic(const struct lull_marks *m, const struct lull_observed *at,
                      const struct lull_rdna_insn *in, enum logic how, unsigned i)
{
    const unsigned a = in->src[0] + (in->src[0] < LULL_MARKS_SGPRS ? i : 0);
    const unsigned b = in->src[1] + (in->src[1] < LULL_MARKS_SGPRS ? i : 0);
    const uint32_t ta = bits_of(m, a), tb = how == COPY ? 0 : bits_of(m, b);
    const uint32_t va = value_of(at, a, 0), vb = how == COPY ? 0 : value_of(at, b, 0);
    switch (how) {
    case AND:
        return (ta & tb) | (ta & vb) | (tb & va);
    case OR:
        return (ta & tb) | (ta & ~vb) | (tb & ~va);
    case AND_NOT1:
        return (ta & tb) | (ta & ~vb) | (tb & va);
    case OR_NOT1:
        return (ta & tb) | (ta & vb) | (tb & ~va);
    case COPY:
        return ta;
    case SELECT:
    case PLAIN:
        break;
    }
    return m->scc ? UINT32_MAX : value_of(at, LULL_RDNA_SCC, 0) != 0 ? ta : tb;
}

static void scalar(struct lull_marks *m, const struct lull_observed *at,
                   const struct lull_rdna_insn *in)
{
    struct lull_rdna_use uses[LULL_RDNA_MAX_USES];
    const unsigned n = lull_rdna_uses(in, at->lanes, uses);
    const struct lull_rdna_op_info *info = lull_rdna_info(in);
    const enum logic how = logic_of(in->op);
    bool any = (info->reads & LULL_RDNA_S_SCC) != 0 && m->scc;
    uint32_t result[2] = {0}, from = any ? m->scc_from : 0;
    for (unsigned i = 0; i < n; i++) {
        for (unsigned r = 0; !uses[i].write && r < uses[i].count; r++) {
            const bool marked = bits_of(m, uses[i].reg + r) != 0;
            any = any || marked;
            from = marked && from == 0 ? from_of(m, uses[i].reg + r) : from;
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        result[i] = how == PLAIN ? (any ? UINT32_MAX : 0) : logic(m, at, in, how, i);
    }
    for (unsigned i = 0; i < n; i++) {
        for (unsigned r = 0; uses[i].write && r < uses[i].count; r++) {
            if (uses[i].reg + r < LULL_MARKS_SGPRS) {
                m->s[uses[i].reg + r] = result[r & 1];
                m->s_from[uses[i].reg + r] = from;
            }
        }
    }
    if ((info->writes & LULL_RDNA_S_SCC) != 0) {
        m->scc = how == PLAIN ? any : (result[0] | result[1]) != 0;
        m->scc_from = from;
    }
    m->s[LULL_RDNA_EXEC] = m->s[LULL_RDNA_EXEC + 1] = 0;
}

static bool is_scalar(const struct lull_rdna_insn *in)
{
    return in->enc == LULL_RDNA_SOP1 || in->enc == LULL_RDNA_SOP2 || in->enc == LULL_RDNA_SOPK ||
           in->enc == LULL_RDNA_SOPC || in->enc == LULL_RDNA_SOPP;
}

void lull_marks_move(struct lull_marks *m, const struct lull_observed *at,
                     const struct lull_rdna_insn *in)
{
    if (is_scalar(in)) {
        scalar(m, at, in);
    } else if (in->enc == LULL_RDNA_VOPD) {
        dual(m, at, in);
    } else if (!one_lane(m, at, in)) {
        vector(m, at, in);
    }
}

/** The number of a mark that the instruction reads, of a register or of SCC. */
static uint32_t from_any(const struct lull_marks *m, const struct lull_observed *at,
                         const struct lull_rdna_insn *in)
{
    struct lull_rdna_use uses[LULL_RDNA_MAX_USES];
    const unsigned n = lull_rdna_uses(in, at->lanes, uses);
    const uint32_t from = from_sources(m, uses, n, UINT64_MAX, at->lanes);
    return from != 0 ? from : m->scc ? m->scc_from : from_of(m, LULL_RDNA_VCC);
}

static bool branches(const struct lull_marks *m, const struct lull_observed *at,
                     const struct lull_rdna_insn *in)
{
    const uint64_t marked = mask_at(m->s, LULL_RDNA_VCC, at->lanes);
    const struct lull_rdna_op_info *info = lull_rdna_info(in);
    switch (in->op) {
    case LULL_RDNA_OP_S_CBRANCH_SCC0:
    case LULL_RDNA_OP_S_CBRANCH_SCC1:
        return m->scc;
    case LULL_RDNA_OP_S_CBRANCH_VCCZ:
    case LULL_RDNA_OP_S_CBRANCH_VCCNZ:
        return marked != 0 && (mask_value(at, LULL_RDNA_VCC) & ~marked) == 0;
    default:
        break;
    }
    if (is_scalar(in)) { // Of what it writes into EXEC, lanes that are on.
        const bool writes = (info->writes & LULL_RDNA_S_EXEC) != 0 || in->dst == LULL_RDNA_EXEC;
        const enum logic how = logic_of(in->op);
        const uint64_t low = how == PLAIN ? bits_of(m, in->src[0]) : logic(m, at, in, how, 0);
        const uint64_t high = at->lanes != 64 ? 0
                              : how == PLAIN  ? bits_of(m, in->src[0] + 1u)
                                              : logic(m, at, in, how, 1);
        return writes && in->src[0] < LULL_MARKS_SGPRS && ((low | high << 32) & at->active) != 0;
    }
    if ((info->writes & LULL_RDNA_S_EXEC) == 0) {
        return false;
    }
    struct lull_rdna_use uses[LULL_RDNA_MAX_USES]; // v_cmpx
    const unsigned n = lull_rdna_uses(in, at->lanes, uses);
    return (sources(m, at, in, uses, n) & at->active) != 0;
}

bool lull_marks_branch(struct lull_marks *m, const struct lull_observed *at,
                       const struct lull_rdna_insn *in)
{
    const bool found = branches(m, at, in);
    m->used = found ? from_any(m, at, in) : m->used;
    return found;
}

bool lull_marks_is_access(const struct lull_rdna_insn *in)
{
    const bool across = (lull_rdna_info(in)->flags & LULL_RDNA_F_CROSS) != 0;
    return in->enc == LULL_RDNA_FLAT || in->enc == LULL_RDNA_GLOBAL ||
           in->enc == LULL_RDNA_SCRATCH || in->enc == LULL_RDNA_MUBUF ||
           in->enc == LULL_RDNA_MTBUF || (in->enc == LULL_RDNA_DS && !across) ||
           in->enc == LULL_RDNA_SMEM;
}

/** Lanes of @p lanes in which a register that @p in reads is marked; @p data: those of the data. */
static uint64_t read_lanes(struct lull_marks *m, const struct lull_observed *at,
                           const struct lull_rdna_insn *in, uint64_t lanes, bool data)
{
    struct lull_rdna_use uses[LULL_RDNA_MAX_USES];
    const unsigned n = lull_rdna_uses(in, at->lanes, uses);
    uint64_t t = 0;
    for (unsigned i = 0; i < n; i++) {
        const bool is_data = uses[i].reg == in->vdata || uses[i].reg == in->vdata2;
        for (unsigned r = 0; !uses[i].write && is_data == data && r < uses[i].count; r++) {
            const uint64_t here = marks_of_value(m, uses[i].reg + r, at->lanes) & lanes;
            m->used = here != 0 && t == 0 ? from_of(m, uses[i].reg + r) : m->used;
            t |= here;
        }
    }
    return t;
}

uint64_t lull_marks_exported(struct lull_marks *m, const struct lull_observed *at,
                             const struct lull_rdna_insn *in)
{
    return read_lanes(m, at, in, at->active, false) | read_lanes(m, at, in, at->active, true);
}

/** Spilled registers keep their marks. */
static void spill(struct lull_marks *m, const struct lull_touch *t)
{
    if (m->scratch == NULL) {
        m->scratch = calloc(LULL_MARKS_SCRATCH, sizeof *m->scratch);
        m->scratch_from = calloc(LULL_MARKS_SCRATCH, sizeof *m->scratch_from);
    }
    const bool there = m->scratch != NULL && m->scratch_from != NULL;
    for (uint64_t k = there ? t->lanes : 0; k != 0; k &= k - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(k);
        const uint64_t bit = UINT64_C(1) << l;
        for (unsigned d = 0; d < (t->bytes + 3) / 4; d++) {
            const uint64_t place = t->address[l] / 4 + d;
            const unsigned reg = t->data - LULL_RDNA_VGPR0 + d;
            if (place >= LULL_MARKS_SCRATCH || reg >= LULL_MARKS_VGPRS) {
                continue;
            }
            const bool load = t->kind == LULL_TOUCH_LOAD;
            const uint64_t from = load ? m->scratch[place] : m->v[reg];
            uint64_t *to = load ? &m->v[reg] : &m->scratch[place];
            *to = (*to & ~bit) | (from & bit);
            if ((from & bit) != 0 && load) {
                m->v_from[reg] = m->scratch_from[place];
            } else if ((from & bit) != 0) {
                m->scratch_from[place] = m->v_from[reg];
            }
        }
    }
}

/** What came from elsewhere has no marks. */
static void loaded(struct lull_marks *m, const struct lull_observed *at,
                   const struct lull_rdna_insn *in, uint64_t lanes)
{
    struct lull_rdna_use uses[LULL_RDNA_MAX_USES];
    const unsigned n = lull_rdna_uses(in, at->lanes, uses);
    for (unsigned i = 0; i < n; i++) {
        for (unsigned r = uses[i].reg; uses[i].write && r < (unsigned)uses[i].reg + uses[i].count;
             r++) {
            if (r >= LULL_RDNA_VGPR0 && r - LULL_RDNA_VGPR0 < LULL_MARKS_VGPRS) {
                m->v[r - LULL_RDNA_VGPR0] &= ~lanes;
            } else if (r < LULL_MARKS_SGPRS) {
                m->s[r] = 0;
            }
        }
    }
}

enum lull_marks_use lull_marks_access(struct lull_marks *m, const struct lull_observed *at,
                                      const struct lull_rdna_insn *in, const struct lull_touch *t,
                                      uint64_t *lanes)
{
    const uint64_t on = t->scalar ? UINT64_MAX : t->lanes;
    const bool access = lull_marks_is_access(in);
    if (!access && t->kind == LULL_TOUCH_LOAD) {
        return LULL_MARKS_NOTHING; // An image's, which lull_marks_move() has seen.
    }
    *lanes = read_lanes(m, at, in, on, false);
    if (*lanes == 0 && t->priv) {
        spill(m, t);
        return LULL_MARKS_NOTHING;
    }
    const enum lull_marks_use use = *lanes != 0 ? LULL_MARKS_ADDRESS : LULL_MARKS_DATA;
    *lanes = *lanes != 0                  ? *lanes
             : t->kind != LULL_TOUCH_LOAD ? read_lanes(m, at, in, on, true)
                                          : 0;
    if (access) {
        loaded(m, at, in, on);
    }
    return *lanes != 0 ? use : LULL_MARKS_NOTHING;
}
