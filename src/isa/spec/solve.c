// SPDX-License-Identifier: MIT
// Bits that a text does not name, from the conditions and derived fields that it implies.
#include <math.h>
#include <string.h>

#include "isa/spec/assemble.h"
#include "isa/spec/index.h"

enum { FREE_BITS = 14, CHAIN = 8 };

/** Scopes of @p n and what encloses it, for the word as it is now. @return The innermost. */
static struct lull_spec_scope *scope_of(const struct assembly *a, const struct node *n,
                                        struct lull_spec_scope *chain)
{
    struct lull_spec_scope *s = chain;
    for (const struct node *at = n;; at = at->parent) {
        *s = (struct lull_spec_scope){
            .spec = a->spec,
            .bitset = at->bitset,
            .word = a->word >> at->shift & lull_spec_low_bits(at->bits),
            .gen = a->o->gen,
            .params = at->via != NULL ? at->via->params : NULL,
            .nparams = at->via != NULL ? at->via->nparams : 0,
        };
        if (at->parent == NULL || s == chain + CHAIN - 1) {
            break;
        }
        s->parent = s + 1;
        s++;
    }
    return chain;
}

static bool holds(const struct assembly *a, const struct constraint *c)
{
    struct lull_spec_scope chain[CHAIN];
    struct lull_spec_scope *s = scope_of(a, c->node, chain);
    const uint64_t value = lull_spec_eval(s, c->expr);
    for (unsigned i = 0; c->kind == IS_CASE && value != 0 && i < c->c->nfields; i++) {
        const struct lull_spec_field *f = &c->c->fields[i];
        if (lull_spec_is_given(f) && lull_spec_bits(s->word, f) != f->expect) {
            return false;
        }
    }
    return c->kind == IS_CASE    ? true
           : c->kind == IS_TRUTH ? (value != 0) == (c->value != 0)
                                 : value == c->value;
}

/** Bits of the word that expression @p expr of node @p n may depend on. */
static uint64_t depends(const struct assembly *a, const struct node *n, int16_t expr,
                        unsigned level)
{
    const struct lull_spec_expr *e = &a->spec->exprs[expr];
    uint64_t mask = 0;
    for (unsigned i = 0; level < LULL_SPEC_DEPTH && i < e->nuses; i++) {
        unsigned name = e->uses[i];
        const struct node *at = n;
        bool found = false;
        while (at != NULL && !found) {
            for (const struct lull_spec_bitset *b = at->bitset; b != NULL;
                 b = lull_spec_parent(a->spec, b)) {
                for (unsigned j = 0; j < b->ncases; j++) {
                    for (unsigned k = 0; k < b->cases[j].nfields; k++) {
                        const struct lull_spec_field *f = &b->cases[j].fields[k];
                        if (f->name != name) {
                            continue;
                        }
                        found = true;
                        mask |= f->expr >= 0 ? depends(a, at, f->expr, level + 1)
                                             : lull_spec_low_bits(f->bits) << (at->shift + f->lo);
                    }
                }
            }
            const struct lull_spec_field *via = at->via;
            for (unsigned j = 0; via != NULL && !found && j < via->nparams; j++) {
                if (via->params[j].as == name) {
                    name = via->params[j].name;
                    break;
                }
            }
            at = at->parent;
        }
    }
    return mask;
}

/** depends(), which the index remembers. */
static uint64_t depends_on(const struct assembly *a, const struct node *n, int16_t expr)
{
    struct lull_spec_asked asked = {.expr = (uintptr_t)expr};
    unsigned depth = 0;
    for (const struct node *at = n; at != NULL; at = at->parent) {
        if (a->o->index == NULL || depth == LULL_SPEC_MEMO_DEPTH) {
            return depends(a, n, expr, 0);
        }
        asked.bitset[depth] = at->bitset;
        asked.via[depth++] = at->via;
    }
    struct lull_spec_memo *memo = lull_spec_index_memo(a->o->index, &asked);
    if (memcmp(&memo->asked, &asked, sizeof asked) != 0) {
        *memo = (struct lull_spec_memo){.asked = asked, .bits = depends(a, n, expr, 0)};
    }
    return memo->bits;
}

/** Bits of the word that constraint @p c is about. */
static uint64_t about(const struct assembly *a, const struct constraint *c)
{
    uint64_t mask = depends_on(a, c->node, c->expr);
    for (unsigned i = 0; c->kind == IS_CASE && i < c->c->nfields; i++) {
        const struct lull_spec_field *f = &c->c->fields[i];
        mask |= lull_spec_is_given(f) ? lull_spec_low_bits(f->bits) << (c->node->shift + f->lo) : 0;
    }
    return mask;
}

/** The bits of @p value, lowest first, at the bits of @p mask. */
static uint64_t scatter(uint64_t value, uint64_t mask)
{
    uint64_t out = 0;
    for (; mask != 0; mask &= mask - 1, value >>= 1) {
        out |= value & 1 ? mask & -mask : 0;
    }
    return out;
}

/** Is the word found again as what it was made of? */
static bool found_again(const struct assembly *a)
{
    for (unsigned i = 0; i < a->nnodes; i++) {
        const struct node *n = a->nodes[i];
        const uint64_t word = a->word >> n->shift & lull_spec_low_bits(n->bits);
        const unsigned root = n->via != NULL ? n->via->sub : 0;
        if (lull_spec_find(a->spec, root, a->o->gen, word) != n->bitset) {
            return false;
        }
    }
    return true;
}

/** Bits that are 1: no call, as the compiler makes for processors without an instruction. */
static unsigned ones(uint64_t v)
{
    v -= v >> 1 & UINT64_C(0x5555555555555555);
    v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
    v = (v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(v * UINT64_C(0x0101010101010101) >> 56);
}

static bool solve(struct assembly *a, uint64_t open)
{
    // The constraint with the fewest unknown bits first.
    unsigned best = MAX_CONSTRAINTS, bits = 0;
    uint64_t unknown = 0;
    for (unsigned i = 0; i < a->nconstraints; i++) {
        if ((open >> i & 1) == 0) {
            continue;
        }
        const uint64_t mask = a->constraints[i].bits & ~a->known;
        const unsigned n = ones(mask);
        if (best == MAX_CONSTRAINTS || n < bits) {
            best = i;
            bits = n;
            unknown = mask;
        }
    }
    if (best == MAX_CONSTRAINTS) {
        return found_again(a);
    }
    const uint64_t word = a->word, known = a->known;
    if (bits > FREE_BITS) { // more than can be tried: as they are, 0
        return holds(a, &a->constraints[best]) && solve(a, open & ~(UINT64_C(1) << best));
    }
    a->known |= unknown;
    for (uint64_t v = 0; v < UINT64_C(1) << bits; v++) {
        a->word = word | scatter(v, unknown);
        if (holds(a, &a->constraints[best]) && solve(a, open & ~(UINT64_C(1) << best))) {
            return true;
        }
    }
    a->word = word;
    a->known = known;
    return false;
}

/** Give bits that nothing decided the value that the table has for them. */
static void put_defaults(struct assembly *a, const struct node *n)
{
    for (const struct lull_spec_bitset *b = n->bitset; b != NULL;
         b = lull_spec_parent(a->spec, b)) {
        const struct lull_spec_case *c = b->ncases > 0 ? &b->cases[b->ncases - 1] : NULL;
        for (unsigned i = 0; c != NULL && i < c->nfields; i++) {
            const struct lull_spec_field *f = &c->fields[i];
            const unsigned lo = n->shift + f->lo;
            const uint64_t open = lull_spec_low_bits(f->bits) << lo & ~a->known;
            if (f->type == LULL_SPEC_DEFAULT) {
                a->word |= f->expect << lo & open;
                a->known |= open;
            }
        }
    }
}

bool lull_spec_solve(struct assembly *a)
{
    const uint64_t all =
        a->nconstraints == MAX_CONSTRAINTS ? UINT64_MAX : (UINT64_C(1) << a->nconstraints) - 1;
    for (unsigned i = 0; i < a->nconstraints; i++) {
        a->constraints[i].bits = about(a, &a->constraints[i]);
    }
    const bool ok = solve(a, all);
    for (unsigned i = 0; ok && i < a->nnodes; i++) {
        put_defaults(a, a->nodes[i]);
    }
    return ok;
}

uint64_t lull_spec_half(float v)
{
    uint32_t w = 0;
    memcpy(&w, &v, sizeof w);
    const uint64_t sign = w >> 16 & 0x8000;
    if (isnan(v)) {
        return sign | 0x7e00;
    }
    if (isinf(v)) {
        return sign | 0x7c00;
    }
    int exponent = 0;
    const double m = frexp(fabs((double)v), &exponent);       // m in [0.5, 1)
    const int quantum = exponent < -13 ? -24 : exponent - 11; // of the last bit
    const double units = nearbyint(ldexp(m, exponent - quantum));
    const uint64_t h =
        exponent < -13 ? (uint64_t)units : ((uint64_t)(exponent + 14 - 1) << 10) + (uint64_t)units;
    return sign | (units == 0 ? 0 : h >= 0x7c00 ? 0x7c00 : h);
}
