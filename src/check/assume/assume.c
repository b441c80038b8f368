// SPDX-License-Identifier: MIT
#include "check/assume/assume.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "check/nan/values.h"
#include "hw/hwreg_regs.h"
#include "isa/rdna/granted.h"
#include "isa/rdna/regs.h"

static const char name[] = "assumptions";

enum { REALTIME = 0x83, HWREG_ID = 0x3f, WORD = 4, LONGEST = 48 };

/** Of an instruction: rows that may matter, as bits. */
struct plan {
    uint32_t always, nans, memory;
};

static struct lull_assumed *sums(const struct lull_check_now *n)
{
    const struct lull_check_objects *o = n->config;
    return o->assumed;
}

unsigned lull_assume_rows(void)
{
    return lull_rdna_ngranted;
}

static bool is_of(const char *mnemonic, const char *patterns)
{
    for (const char *p = patterns; *p != '\0';) {
        char one[LONGEST] = "";
        const size_t n = strcspn(p, " ");
        memcpy(one, p, n < LONGEST - 1 ? n : LONGEST - 1);
        if (fnmatch(one, mnemonic, 0) == 0) {
            return true;
        }
        p += n + (p[n] == ' ');
    }
    return false;
}

/** Does it ask for the time? The message, or the register, is a constant of the instruction. */
static bool reads_clock(const struct lull_rdna_insn *in)
{
    return in->op == LULL_RDNA_OP_S_GETREG_B32 ? (in->imm & HWREG_ID) == LULL_HWREG_SHADER_CYCLES
                                               : in->src[0] == REALTIME;
}

static void add_row(struct plan *p, unsigned row, const struct lull_rdna_insn *in)
{
    const uint32_t bit = UINT32_C(1) << row;
    switch (lull_rdna_granted[row].when) {
    case LULL_RDNA_GRANTED_ALWAYS:
        p->always |= bit;
        break;
    case LULL_RDNA_GRANTED_CLOCK:
        p->always |= reads_clock(in) ? bit : 0;
        break;
    case LULL_RDNA_GRANTED_TWO_NANS:
        p->nans |= bit;
        break;
    case LULL_RDNA_GRANTED_ONE_PLACE:
    case LULL_RDNA_GRANTED_ONE_PLACE_RETURNS:
    case LULL_RDNA_GRANTED_ONE_PLACE_STORES:
        p->memory |= bit;
        break;
    }
}

static bool plan(const struct lull_check_now *n, void *to)
{
    struct plan *p = to;
    const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)n->at->insn;
    struct lull_nan_op ops[2];
    const unsigned nops = lull_nan_ops(in, ops);
    for (unsigned row = 0; row < lull_rdna_ngranted; row++) {
        bool there = is_of(lull_rdna_info(in)->name, lull_rdna_granted[row].patterns);
        for (unsigned i = 0; i < nops; i++) {
            there = there || is_of(lull_rdna_ops[ops[i].op].name, lull_rdna_granted[row].patterns);
        }
        if (there) {
            add_row(p, row, in);
        }
    }
    return true;
}

static void tell(const struct lull_check_now *n, unsigned row, uint64_t lanes)
{
    const struct lull_rdna_granted *g = &lull_rdna_granted[row];
    struct lull_finding *f = lull_check_found(n, name, g->name, n->at->pc, 0);
    if (f != NULL && f->count == 1) {
        f->fact = true;
        f->sites[0] =
            lull_check_site(n, n->at->pc, lanes != 0 ? (unsigned)__builtin_ctzll(lanes) : 0);
        f->sites[0].whole = lanes == 0;
        f->sites[0].does = lull_check_text("takes for granted: %s", g->what);
        f->note = lull_check_text("%s (%s)", g->why, g->source);
    }
}

/** Instruction at hand: it rests on @p rows. */
static void rests(const struct lull_check_now *n, uint32_t rows, uint64_t lanes)
{
    struct lull_assumed *s = sums(n);
    s->rest += rows != 0;
    s->rows |= rows;
    for (; rows != 0; rows &= rows - 1) {
        tell(n, (unsigned)__builtin_ctz(rows), lanes);
    }
}

/** Does operand @p b have in lane @p l the bits that @p a has? */
static bool same(const struct lull_nan_value *a, const struct lull_nan_value *b, unsigned l)
{
    return a->kind == b->kind && a->low[l] == b->low[l] &&
           (a->kind != LULL_NAN_F64 || a->high[l] == b->high[l]);
}

/** Lanes in which two operands of @p o are NaNs, and not the same ones. */
static uint64_t two_nans(const struct lull_check_now *n, const struct lull_nan_op *o)
{
    const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)n->at->insn;
    struct lull_nan_value v[LULL_NAN_SOURCES];
    uint64_t nans[LULL_NAN_SOURCES], lanes = 0;
    unsigned count = 0;
    if (lull_nan_kind(o->op, LULL_RDNA_SLOT_DST) == LULL_NAN_NONE) {
        return 0; // A compare, a conversion: no NaN comes out.
    }
    for (unsigned i = 0; i < o->nsrc; i++) {
        const enum lull_nan_kind kind = lull_nan_kind(o->op, LULL_RDNA_SLOT_SRC0 + i);
        if (kind != LULL_NAN_NONE && lull_rdna_ops[o->op].type[LULL_RDNA_SLOT_SRC0 + i] != 0) {
            lull_nan_read(n->at->wave, in, o->src[i], kind, &v[count]);
            nans[count] = lull_nan_lanes(&v[count], n->at->lanes) & n->at->active;
            count++;
        }
    }
    for (unsigned a = 0; a < count; a++) {
        for (unsigned b = a + 1; b < count; b++) {
            for (uint64_t m = nans[a] & nans[b]; m != 0; m &= m - 1) {
                const unsigned l = (unsigned)__builtin_ctzll(m);
                lanes |= same(&v[a], &v[b], l) ? 0 : UINT64_C(1) << l;
            }
        }
    }
    return lanes;
}

static void before(const struct lull_check_now *n)
{
    const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)n->at->insn;
    const struct plan *p = n->plan;
    const bool scalar = in->enc == LULL_RDNA_SOP1 || in->enc == LULL_RDNA_SOPK;
    uint64_t lanes = scalar ? 0 : n->at->active;
    uint32_t rows = p->always;
    sums(n)->executed++;
    if (p->nans != 0) {
        struct lull_nan_op ops[2];
        const unsigned nops = lull_nan_ops(in, ops);
        uint64_t nans = 0;
        for (unsigned i = 0; i < nops; i++) {
            nans |= two_nans(n, &ops[i]);
        }
        rows |= nans != 0 ? p->nans : 0;
        lanes = p->always == 0 ? nans : lanes;
    }
    rests(n, rows, lanes);
}

/** Do lanes @p a and @p b store the same? */
static bool same_data(const struct lull_check_now *n, const struct lull_touch *t, unsigned a,
                      unsigned b)
{
    uint32_t va = 0, vb = 0;
    const uint32_t mask = t->bytes < WORD ? (UINT32_C(1) << 8 * t->bytes) - 1 : UINT32_MAX;
    if (t->texels != NULL) {
        return memcmp(t->texels + (size_t)a * LULL_TOUCH_TEXEL,
                      t->texels + (size_t)b * LULL_TOUCH_TEXEL, t->bytes) == 0;
    }
    for (unsigned i = 0; i < (t->bytes + WORD - 1) / WORD; i++) {
        if (!n->at->read(n->at, t->data + i, a, &va) || !n->at->read(n->at, t->data + i, b, &vb) ||
            ((va ^ vb) & mask) != 0) {
            return false;
        }
    }
    return true;
}

/** Lanes that come to an address to which another came before; @p values: with other data. */
static uint64_t one_place(const struct lull_check_now *n, const struct lull_touch *t, bool values)
{
    uint64_t lanes = 0;
    if (t->shape == LULL_TOUCH_RUN) {
        return 0;
    }
    for (uint64_t m = t->lanes; m != 0; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(m);
        for (uint64_t k = t->lanes & ((UINT64_C(1) << l) - 1); k != 0; k &= k - 1) {
            const unsigned other = (unsigned)__builtin_ctzll(k);
            if (t->address[l] == t->address[other] && (!values || !same_data(n, t, l, other))) {
                lanes |= UINT64_C(1) << l;
            }
        }
    }
    return lanes;
}

static void memory(const struct lull_check_now *n, const struct lull_touch *t)
{
    const struct plan *p = n->plan;
    uint32_t rows = 0;
    uint64_t lanes = 0;
    for (uint32_t m = t->scalar ? 0 : p->memory; m != 0; m &= m - 1) {
        const unsigned row = (unsigned)__builtin_ctz(m);
        const enum lull_rdna_granted_when when = lull_rdna_granted[row].when;
        const bool stores = when == LULL_RDNA_GRANTED_ONE_PLACE_STORES;
        const bool fits = t->kind == (stores ? LULL_TOUCH_STORE : LULL_TOUCH_ATOMIC) &&
                          (when != LULL_RDNA_GRANTED_ONE_PLACE_RETURNS || t->returns);
        const uint64_t met = fits ? one_place(n, t, stores) : 0;
        rows |= met != 0 ? UINT32_C(1) << row : 0;
        lanes |= met;
    }
    rests(n, rows, lanes);
}

const struct lull_check_module lull_check_assume = {.name = name,
                                                    .images = true,
                                                    .plan_bytes = sizeof(struct plan),
                                                    .plan = plan,
                                                    .before = before,
                                                    .memory = memory};
