// SPDX-License-Identifier: MIT
// Which instructions make a region: those of the ALU from one that somebody may come to, to the
// next.
#include "jit/ir3/ir3.h"

#include <string.h>

enum { FLOW = 0 }; // A category.

static bool is_nop(const struct lull_ir3_insn *in)
{
    return in->op == LULL_IR3_OP_NOP;
}

void lull_jit_ir3_leaders(const struct lull_ir3_program *p, bool *ret)
{
    memset(ret, 0, p->n * sizeof *ret);
    for (uint32_t i = 0; i < p->n; i++) {
        const struct lull_ir3_insn *in = &p->steps[i].in;
        const uint32_t target = i + (uint32_t)in->target;
        const bool flows = in->category == FLOW && !is_nop(in);
        if (flows && in->branches && target < p->n) {
            ret[target] = true;
        }
        if (flows && i + 1 < p->n) {
            ret[i + 1] = true;
        }
    }
}

/** What the region writes as predicates, with that of @p v. False: it has no room for it. */
static bool add_mask(struct lull_jit_region *r, const struct lull_jit_vector *v)
{
    unsigned k = 0;
    while (k < r->nmasks && r->masks[k] != v->mask_out) {
        k++;
    }
    if (v->mask_out == LULL_RDNA_NONE || k < r->nmasks) {
        return true;
    }
    if (r->nmasks == LULL_JIT_MASKS) {
        return false;
    }
    r->masks[r->nmasks++] = v->mask_out;
    return true;
}

/** Dwords of constants that @p v reads, or @p most. */
static uint32_t consts_of(const struct lull_jit_vector *v, uint32_t most)
{
    for (unsigned n = 0; n < 3; n++) {
        const struct lull_jit_operand *o = &v->at[n];
        const bool is_const = o->kind == LULL_JIT_SGPR && (o->key & LULL_JIT_IR3_SHARED) == 0;
        most = is_const && o->key >= most ? o->key + 1 : most;
    }
    return most;
}

/** Shared registers that @p v reads. */
static uint32_t shared_of(const struct lull_jit_vector *v)
{
    uint32_t read = 0;
    for (unsigned n = 0; n < 3; n++) {
        const struct lull_jit_operand *o = &v->at[n];
        const bool shared = o->kind == LULL_JIT_SGPR && (o->key & LULL_JIT_IR3_SHARED) != 0;
        read |= shared ? UINT32_C(1) << (o->key & (LULL_JIT_IR3_SHARED - 1)) : 0;
    }
    return read;
}

/** Does @p made write predicate @p n? */
static bool has_mask(const struct lull_jit_ir3_made *made, unsigned n)
{
    bool found = false;
    for (unsigned k = 0; k < made->region.nmasks; k++) {
        found = found || made->region.masks[k] == n;
    }
    return found;
}

/** May @p s, which is done once, be done before all of @p made? It reads nothing that fibers have,
 * and what it writes, none of those before it reads or writes. */
static bool goes_first(const struct lull_ir3_op_step *s, const struct lull_jit_ir3_made *made)
{
    const struct lull_ir3_operand *dst = &s->in.dst[0];
    for (unsigned k = 0; k < s->in.nsrc; k++) {
        const struct lull_ir3_operand *o = &s->in.src[k];
        if (o->kind == LULL_IR3_K_RELGPR || o->kind == LULL_IR3_K_PRED ||
            (o->kind == LULL_IR3_K_GPR && o->value < LULL_IR3_GPRS)) {
            return false;
        }
    }
    for (unsigned step = 0; step <= s->in.m.repeat; step++) {
        const unsigned n = (unsigned)dst->value + step;
        const unsigned shared = (n - LULL_IR3_GPRS) / (dst->half ? 2 : 1);
        if (dst->kind == LULL_IR3_K_PRED ? has_mask(made, n & 3)
                                         : shared >= 32 || (made->read >> shared & 1) != 0) {
            return false;
        }
    }
    return made->nscalars < LULL_JIT_IR3_SCALARS && made->code.n <= UINT8_MAX;
}

/** All repetitions of @p s as the next items of the region. False: it ends before. */
static bool add(const struct lull_jit_ir3_maker *m, const struct lull_ir3_op_step *s,
                struct lull_jit_ir3_made *made)
{
    struct lull_jit_region *r = &made->region;
    const struct lull_jit_region before = *r;
    if (s->in.m.eq || (s->alu == NULL && !is_nop(&s->in)) ||
        r->ninsns + s->in.m.repeat >= LULL_JIT_MAX_REGION) {
        return false;
    }
    if (s->alu != NULL && s->scalar && goes_first(s, made)) {
        made->scalars[made->nscalars++] = (uint8_t)made->code.n;
        return true;
    }
    uint32_t read = 0;
    for (unsigned step = 0; s->alu != NULL && step <= s->in.m.repeat; step++) {
        struct lull_jit_item *item = &m->items[r->ninsns++];
        item->kind = LULL_JIT_ITEM_VECTOR;
        item->nvectors = 1;
        if (!lull_jit_ir3_vector(m->target, s, step, item->v) || !add_mask(r, item->v)) {
            *r = before;
            return false;
        }
        made->nconsts = consts_of(item->v, made->nconsts);
        read |= shared_of(item->v);
    }
    made->read |= read;
    return true;
}

/** Up to @p most instructions from @p i on. @return items of them. */
static uint32_t find(const struct lull_jit_ir3_maker *m, uint32_t i, uint32_t most,
                     struct lull_jit_ir3_made *ret)
{
    const struct lull_jit_region none = {.area = m->area, .target = m->target};
    ret->region = none;
    ret->nconsts = 0;
    ret->code.n = 0;
    ret->nscalars = 0;
    ret->read = 0;
    while (ret->code.n < most && i + ret->code.n < m->p->n &&
           (ret->code.n == 0 || !m->leader[i + ret->code.n]) &&
           add(m, &m->p->steps[i + ret->code.n], ret)) {
        ret->code.n++;
    }
    return ret->region.ninsns;
}

/** Is instruction @p n of the region done before the others? */
static bool is_first(const struct lull_jit_ir3_made *made, uint32_t n)
{
    bool found = false;
    for (unsigned k = 0; k < made->nscalars; k++) {
        found = found || made->scalars[k] == n;
    }
    return found;
}

/** How many of the instructions of the region have all their items among the first @p items. */
static uint32_t whole(const struct lull_jit_ir3_maker *m, const struct lull_jit_ir3_made *ret,
                      uint32_t i, uint32_t items)
{
    uint32_t n = 0, used = 0;
    for (;; n++) {
        const struct lull_ir3_op_step *s = &m->p->steps[i + n];
        used += s->alu != NULL && !is_first(ret, n) ? s->in.m.repeat + 1u : 0;
        if (used > items) {
            return n;
        }
    }
}

bool lull_jit_ir3_region(const struct lull_jit_ir3_maker *m, uint32_t i,
                         struct lull_jit_ir3_made *ret, size_t *entry)
{
    struct lull_x86 *x = m->x;
    const size_t before = x->len;
    uint32_t most = UINT32_MAX;
    for (;;) {
        x->len = before;
        if (find(m, i, most, ret) == 0) {
            return false;
        }
        // push rbx, rbp, r12 to r15, rsi
        lull_x86_bytes(x, "\x53\x55\x41\x54\x41\x55\x41\x56\x41\x57\x56", 11);
        lull_x86_move(x, LULL_R12, LULL_RDI);
        lull_x86_load_imm(x, LULL_R14, (uint64_t)(uintptr_t)m->pool->bytes);
        lull_x86_load_imm(x, LULL_R15, (uint64_t)(uintptr_t)m->area);
        const uint32_t good =
            lull_jit_emit_region(x, m->pool, m->items, &ret->region, LULL_JIT_IR3_LANES);
        lull_x86_bytes(x, "\x5e\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5d\x5b\xc3", 12);
        if (good == ret->region.ninsns && !x->full) {
            *entry = before;
            return true;
        }
        most =
            good == ret->region.ninsns ? 0 : whole(m, ret, i, good); // Too much for the registers.
        if (most == 0 || x->full) {
            x->len = before;
            return false;
        }
    }
}
