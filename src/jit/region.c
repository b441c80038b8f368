// SPDX-License-Identifier: MIT
// Which instructions make a region. Nothing in it writes memory, so loads may go strip by strip.
#include "jit/region.h"

#include <string.h>

#include "isa/rdna/ops.h"
#include "jit/fuse.h"
#include "jit/shuffle.h"

// Loads that wait for each other, in one region; in one of strips of eight lanes, which are many.
enum { MOST_CHAIN = 1, MOST_CHAIN_OF_8 = 2 };

/** SGPRs by number. */
struct set {
    uint64_t bits[2];
};

static void put(struct set *s, unsigned sgpr)
{
    if (sgpr < LULL_RDNA_INT0) {
        s->bits[sgpr / 64] |= UINT64_C(1) << sgpr % 64;
    }
}

static bool has(const struct set *s, unsigned sgpr)
{
    return sgpr < LULL_RDNA_INT0 && (s->bits[sgpr / 64] >> sgpr % 64 & 1) != 0;
}

/** What the vector instructions so far read as numbers or masks, and write as masks. */
struct touched {
    struct set read, masks;
    struct set uniform; ///< Masks that scalar instructions made, all bits of which are the same.
    bool written[LULL_JIT_VGPRS];   ///< By VGPR; choices are not.
    bool equal[LULL_JIT_VGPRS];     ///< Those that are one number in all lanes.
    uint8_t choice[LULL_JIT_VGPRS]; ///< 1 + the number of the choice that a VGPR is, or 0.
    uint8_t chain[LULL_JIT_VGPRS];  ///< Loads of the region that wait for each other, up to it.
    unsigned nloads;                ///< So far.
    bool halves;                    ///< Some load is of 2 bytes.
};

static void take_out(struct set *s, unsigned sgpr)
{
    if (sgpr < LULL_RDNA_INT0) {
        s->bits[sgpr / 64] &= ~(UINT64_C(1) << sgpr % 64);
    }
}

static bool is_64(uint8_t type)
{
    return type == LULL_T_B64 || type == LULL_T_I64 || type == LULL_T_F64;
}

bool lull_jit_is_scalar(const struct lull_uop *u)
{
    const struct lull_rdna_op_info *info = &lull_rdna_ops[u->in->op];
    const unsigned far = LULL_RDNA_S_PC | LULL_RDNA_S_EXEC | LULL_RDNA_S_MODE;
    return lull_sem[u->in->op].kind == LULL_SEM_SCALAR && u->cls == LULL_UOP_QUICK &&
           (info->writes & far) == 0 && (info->reads & LULL_RDNA_S_PC) == 0 &&
           u->in->op != LULL_RDNA_OP_S_GETPC_B64 && u->fn == lull_sem_scalar[u->in->op];
}

/** Whether @p u, but for what it writes, may be done before the vector instructions that touch
 * @p t. */
static bool reads_go_first(const struct touched *t, const struct lull_uop *u)
{
    const struct lull_rdna_insn *in = u->in;
    for (unsigned k = 0; k < 2; k++) {
        const unsigned s = in->src[k];
        if (has(&t->masks, s) || has(&t->masks, s + 1) || (s == LULL_RDNA_VCCZ)) {
            return false;
        }
    }
    return (lull_rdna_ops[in->op].reads & LULL_RDNA_S_VCC) == 0 || !has(&t->masks, LULL_RDNA_VCC);
}

/** What reads a pair of SGPRs so far, but as a mask of the region's own, reads save @p n of it. */
static void read_saved(const struct touched *t, struct lull_jit_item *items, unsigned nitems,
                       unsigned pair, uint8_t n)
{
    for (unsigned i = 0; i < nitems; i++) {
        for (unsigned k = 0; items[i].kind == LULL_JIT_ITEM_VECTOR && k < items[i].nvectors; k++) {
            struct lull_jit_vector *v = &items[i].v[k];
            for (unsigned s = 0; s < 3; s++) {
                const bool number = v->type[s] != LULL_T_NONE && v->type[s] != LULL_T_MASK;
                if (number && v->src[s] / 2 == pair && v->saved[s] == 0) {
                    v->saved[s] = n;
                }
            }
            if (v->mask_in / 2 == pair && v->mask_saved == 0 && !has(&t->masks, v->mask_in)) {
                v->mask_saved = n;
            }
        }
    }
}

/** Whether all bits of @p src are the same; @p wide: of a pair. */
static bool is_uniform(const struct touched *t, unsigned src, bool wide)
{
    enum { MINUS_1 = LULL_RDNA_INT0 + 65 };
    return src == LULL_RDNA_INT0 || src == MINUS_1 ||
           (has(&t->uniform, src) && (!wide || has(&t->uniform, src + 1)));
}

/** Whether what @p u writes has the same bit everywhere: it selects between such values, or
 * combines them. Both halves of a pair that is uniform are the same, as they are made together. */
static bool all_or_none(const struct touched *t, const struct lull_uop *u)
{
    bool wide = false;
    switch (u->in->op) {
    case LULL_RDNA_OP_S_CSELECT_B64:
    case LULL_RDNA_OP_S_AND_B64:
    case LULL_RDNA_OP_S_OR_B64:
    case LULL_RDNA_OP_S_XOR_B64:
    case LULL_RDNA_OP_S_AND_NOT1_B64:
    case LULL_RDNA_OP_S_OR_NOT1_B64:
        wide = true;
        break;
    case LULL_RDNA_OP_S_CSELECT_B32:
    case LULL_RDNA_OP_S_AND_B32:
    case LULL_RDNA_OP_S_OR_B32:
    case LULL_RDNA_OP_S_XOR_B32:
    case LULL_RDNA_OP_S_AND_NOT1_B32:
    case LULL_RDNA_OP_S_OR_NOT1_B32:
        if (u->nlanes != 32) { // The other half of the pair may be something else.
            return false;
        }
        break;
    default:
        return false;
    }
    return is_uniform(t, u->in->src[0], wide) && is_uniform(t, u->in->src[1], wide);
}

/** Let @p u, the next instruction of @p r, be done before the vector instructions that touch @p t:
 * what it writes is saved for those that read it before. False: it cannot be. */
static bool go_first(struct touched *t, const struct lull_uop *u, struct lull_jit_item *items,
                     struct lull_jit_region *r)
{
    const struct lull_rdna_insn *in = u->in;
    const unsigned n = in->dst == LULL_RDNA_NONE ? 0 : is_64(lull_sem[in->op].d) ? 2 : 1;
    if (!reads_go_first(t, u)) {
        return false;
    }
    for (unsigned d = in->dst; d < in->dst + n; d++) {
        // Pairs are saved and put back whole, so the other half must be no mask of the region.
        if (d >= LULL_RDNA_EXEC || has(&t->masks, d) ||
            (has(&t->read, d) && (has(&t->masks, d ^ 1u) || r->nsaves + 2 > LULL_JIT_SAVES))) {
            return false;
        }
    }
    for (unsigned d = in->dst; d < in->dst + n; d++) {
        if (!has(&t->read, d)) {
            continue;
        }
        r->saves[r->nsaves].at = (uint16_t)r->ninsns;
        r->saves[r->nsaves].pair = (uint16_t)(d / 2);
        read_saved(t, items, r->ninsns, d / 2, (uint8_t)++r->nsaves);
        take_out(&t->read, d & ~1u);
        take_out(&t->read, d | 1);
    }
    const bool uniform = all_or_none(t, u);
    for (unsigned d = in->dst; d < in->dst + n; d++) {
        take_out(&t->uniform, d);
        if (uniform) {
            put(&t->uniform, d);
        }
    }
    return true;
}

/** Whether masks at @p a and @p b are different ones that share an SGPR. */
static bool overlap(unsigned a, unsigned b, unsigned lanes)
{
    return lanes == 64 && a != b && (a ^ b) == 1;
}

/** Whether @p v can follow the region @p r. */
static bool can_follow(const struct touched *t, const struct lull_jit_vector *v,
                       const struct lull_jit_region *r, unsigned lanes)
{
    for (unsigned n = 0; n < 3; n++) {
        const bool number = v->type[n] != LULL_T_NONE && v->type[n] != LULL_T_MASK;
        const unsigned last = v->src[n] + lull_jit_source_dwords(v, n) - 1;
        if (number && (has(&t->masks, v->src[n]) || has(&t->masks, last))) {
            return false;
        }
    }
    if (v->shuffled &&
        (t->written[v->src[0] - LULL_RDNA_VGPR0] || r->nshuffles == LULL_JIT_SHUFFLES)) {
        return false; // The source is made before the strips.
    }
    bool known = v->mask_out == LULL_RDNA_NONE;
    for (unsigned k = 0; k < r->nmasks; k++) {
        known = known || r->masks[k] == v->mask_out;
        if (overlap(r->masks[k], v->mask_in, lanes) || overlap(r->masks[k], v->mask_out, lanes)) {
            return false;
        }
    }
    return known || r->nmasks < LULL_JIT_MASKS;
}

static void note(struct touched *t, struct lull_jit_vector *v, struct lull_jit_region *r,
                 unsigned lanes)
{
    v->mask_uniform = has(&t->uniform, v->mask_in) && !has(&t->masks, v->mask_in) &&
                      (lanes == 32 || has(&t->uniform, v->mask_in + 1u));
    for (unsigned n = 0; n < 3; n++) {
        if (v->type[n] != LULL_T_NONE && v->type[n] != LULL_T_MASK) {
            put(&t->read, v->src[n]);
            put(&t->read, v->src[n] + lull_jit_source_dwords(v, n) - 1);
        }
    }
    put(&t->read, v->mask_in);
    put(&t->read, lanes == 64 ? v->mask_in + 1u : v->mask_in);
    if (v->mask_out == LULL_RDNA_NONE) {
        return;
    }
    put(&t->masks, v->mask_out);
    put(&t->masks, lanes == 64 ? v->mask_out + 1u : v->mask_out);
    unsigned k = 0;
    while (k < r->nmasks && r->masks[k] != v->mask_out) {
        k++;
    }
    r->masks[k] = v->mask_out;
    r->nmasks = k == r->nmasks ? k + 1 : r->nmasks;
}

/** VGPRs @p first to @p first + @p n - 1 have other values. */
static void note_vgprs(struct touched *t, unsigned first, unsigned n)
{
    for (unsigned i = first; i < first + n && i < LULL_JIT_VGPRS; i++) {
        t->written[i] = true;
        t->equal[i] = false;
        t->choice[i] = 0;
    }
}

/** Whether source @p n of @p v is a VGPR as it was before the region, or a choice of such. */
static bool untouched(const struct touched *t, const struct lull_jit_vector *v, unsigned n)
{
    const unsigned r = v->src[n] - (unsigned)LULL_RDNA_VGPR0;
    return v->src[n] >= LULL_RDNA_VGPR0 && r < LULL_JIT_VGPRS &&
           ((v->neg | v->abs) >> n & 1) == 0 && (!t->written[r] || t->choice[r] != 0);
}

/** What @p v, which is noted, does to VGPRs. A selection by a mask that is the same for all lanes,
 * between registers that nothing has touched, is a choice: made once, before the strips. */
static void note_results(struct touched *t, struct lull_jit_vector *v, unsigned op,
                         struct lull_jit_region *r)
{
    if (v->t == NULL) {
        note_vgprs(t, v->src[0] - (unsigned)LULL_RDNA_VGPR0, 1);
    }
    if (op == LULL_RDNA_OP_V_CNDMASK_B32 && !v->shuffled && v->mask_uniform &&
        r->nchoices < LULL_JIT_CHOICES && untouched(t, v, 0) && untouched(t, v, 1)) {
        for (unsigned n = 0; n < 2; n++) {
            v->from[n] = t->choice[v->src[n] - LULL_RDNA_VGPR0];
        }
        v->choice = (uint8_t)++r->nchoices;
        t->written[v->dst] = true;
        t->equal[v->dst] = false;
        t->choice[v->dst] = v->choice;
    } else if (v->t == NULL || v->t->mask == 0) {
        note_vgprs(t, v->dst, lull_jit_result_dwords(v));
        t->equal[v->dst] =
            op == LULL_RDNA_OP_V_MOV_B32 && !v->shuffled && v->src[0] < LULL_RDNA_VGPR0;
    }
}

/** How many loads that wait for each other what @p v, a vector instruction, reads is behind. */
static void note_chain(struct touched *t, const struct lull_jit_vector *v)
{
    uint8_t most = 0;
    for (unsigned n = 0; n < 3; n++) {
        const unsigned r = v->src[n] - (unsigned)LULL_RDNA_VGPR0;
        const bool vgpr = v->src[n] >= LULL_RDNA_VGPR0 && r < LULL_JIT_VGPRS;
        for (unsigned i = r; vgpr && i < r + lull_jit_source_dwords(v, n); i++) {
            most = t->chain[i] > most ? t->chain[i] : most;
        }
    }
    for (unsigned n = 0; v->t != NULL && n < v->t->ninputs; n++) {
        const bool old = v->t->inputs[n] == LULL_JIT_IN_D;
        most = old && t->chain[v->dst] > most ? t->chain[v->dst] : most;
    }
    if (v->t == NULL) { // v_swap_b32
        const uint8_t was = t->chain[v->dst];
        t->chain[v->src[0] - LULL_RDNA_VGPR0] = was;
    }
    if (v->mask_out == LULL_RDNA_NONE) {
        memset(&t->chain[v->dst], most, lull_jit_result_dwords(v));
    }
}

/** Let @p l, a load from LDS, be the next. False: it waits for so many others of the region that
 * strips one after the other would wait, too. Fewer instructions to the strip, and the host does
 * several strips at once; but each region goes through all strips, and what it writes is stored. */
static bool add_lds(struct touched *t, const struct lull_jit_lds *l, struct lull_jit_region *r)
{
    const unsigned nvgprs = lull_jit_lds_nvgprs(l), n = l->n * l->nregs;
    const uint8_t old = l->keep != 0 ? t->chain[l->dst] : 0;
    const unsigned behind = t->chain[l->address] + 1u, chain = behind > old ? behind : old;
    if (chain > (r->target->lanes == 8 ? MOST_CHAIN_OF_8 : MOST_CHAIN)) {
        return false;
    }
    r->nvgprs = nvgprs > r->nvgprs ? nvgprs : r->nvgprs;
    t->nloads++;
    t->halves = t->halves || l->bytes == 2;
    note_vgprs(t, l->dst, n);
    for (unsigned i = l->dst; i < l->dst + n && i < LULL_JIT_VGPRS; i++) {
        t->chain[i] = (uint8_t)chain;
    }
    return true;
}

/** Whether there is an instruction at dword @p i that ends in the page. */
static bool is_inside(const struct lull_code_page *p, unsigned i)
{
    struct lull_rdna_insn in;
    const size_t at = 4 * (size_t)i;
    return at + LULL_CODE_MAX_INSN <= LULL_PAGE_SIZE ||
           lull_rdna_decode_lax(p->bytes + at, LULL_PAGE_SIZE - at, &in) > 0;
}

const struct lull_uop *lull_jit_uop_at(struct lull_wave *w, struct lull_code_page *p, unsigned i)
{
    // What goes over the end is looked at only when it was executed, since that may be a fault.
    if (i >= LULL_CODE_DWORDS || (!p->known[i] && !is_inside(p, i))) {
        return NULL;
    }
    return p->known[i] || lull_code_make(w, p, i) == LULL_CODE_OK ? &p->uop[i] : NULL;
}

/** The instruction at @p u as the next of the region. False: it ends before. */
static bool add(const struct lull_uop *u, int mode, struct touched *t, struct lull_jit_item *items,
                struct lull_jit_region *r)
{
    struct lull_jit_item *item = &items[r->ninsns];
    item->u = u;
    if (u->cls == LULL_UOP_SKIP) {
        item->kind = LULL_JIT_ITEM_NOTHING;
        return true;
    }
    if (lull_jit_is_scalar(u)) {
        item->kind = LULL_JIT_ITEM_SCALAR;
        return go_first(t, u, items, r);
    }
    if (lull_jit_lds(u, &item->lds)) {
        item->kind = LULL_JIT_ITEM_LDS;
        item->lds.equal = t->equal[item->lds.address];
        return add_lds(t, &item->lds, r);
    }
    item->kind = LULL_JIT_ITEM_VECTOR;
    item->nvectors = lull_jit_vectors(r->target, u, mode, item->v);
    bool follows = item->nvectors != 0;
    for (unsigned n = 0; n < item->nvectors; n++) {
        follows = follows && can_follow(t, &item->v[n], r, u->nlanes);
    }
    for (unsigned n = 0; n < item->nvectors && follows; n++) {
        note(t, &item->v[n], r, u->nlanes);
        if (t->nloads != 0) {
            note_chain(t, &item->v[n]);
        }
        note_results(t, &item->v[n], item->nvectors == 1 ? u->in->op : LULL_RDNA_NOPS, r);
    }
    if (!follows) {
        return false;
    }
    r->nvgprs = u->nvgprs > r->nvgprs ? u->nvgprs : r->nvgprs;
    if (item->v[0].shuffled) {
        const unsigned n = lull_jit_shuffle_nvgprs(u);
        item->v[0].shuffle = (uint8_t)r->nshuffles++;
        r->nvgprs = n > r->nvgprs ? n : r->nvgprs;
    }
    return true;
}

/** How far behind its address each load, and later ones at the same address, read. */
static void find_ends(struct lull_jit_item *items, unsigned n)
{
    uint32_t end[256] = {0}; // By VGPR.
    while (n-- != 0) {
        struct lull_jit_item *item = &items[n];
        struct lull_jit_lds *l = &item->lds;
        for (unsigned k = 0; item->kind == LULL_JIT_ITEM_VECTOR && k < item->nvectors; k++) {
            memset(&end[item->v[k].dst], 0, sizeof end[0] * lull_jit_result_dwords(&item->v[k]));
            end[item->v[k].t == NULL ? item->v[k].src[0] - LULL_RDNA_VGPR0 : item->v[k].dst] = 0;
        }
        if (item->kind == LULL_JIT_ITEM_LDS) {
            memset(&end[l->dst], 0, sizeof end[0] * l->n * l->nregs);
            l->end = end[l->address] > l->end ? end[l->address] : l->end;
            end[l->address] = l->end;
        }
    }
}

/** How the lower half of a VGPR is read next. */
enum { AS_NOTHING, AS_WIDE, AS_OTHER };

/** What a vector instruction reads and writes, for mark_wide(). */
static void note_next(uint8_t next[LULL_JIT_VGPRS], const struct lull_jit_vector *v)
{
    if (v->t == NULL || v->t->mask == 0) {
        memset(&next[v->dst], AS_NOTHING, lull_jit_result_dwords(v));
    }
    for (unsigned n = 0; n < 3; n++) {
        const unsigned r = v->src[n] - (unsigned)LULL_RDNA_VGPR0;
        for (unsigned i = r; i < LULL_JIT_VGPRS && i < r + lull_jit_source_dwords(v, n); i++) {
            next[i] = v->wide && v->view[n] == LULL_JIT_WIDE_LOW ? AS_WIDE : AS_OTHER;
        }
    }
    for (unsigned n = 0; v->t != NULL && n < v->t->ninputs; n++) {
        if (v->t->inputs[n] == LULL_JIT_IN_D) {
            next[v->dst] = v->wide ? AS_WIDE : AS_OTHER;
        }
    }
    if (v->t == NULL) { // v_swap_b32
        next[v->dst] = AS_OTHER;
    }
}

/** Which loads of halves are read next as f16 that stand in f32. */
static void mark_wide(struct lull_jit_item *items, unsigned n)
{
    uint8_t next[LULL_JIT_VGPRS] = {0};
    while (n-- != 0) {
        struct lull_jit_item *item = &items[n];
        struct lull_jit_lds *l = &item->lds;
        for (unsigned k = item->nvectors; item->kind == LULL_JIT_ITEM_VECTOR && k-- != 0;) {
            note_next(next, &item->v[k]);
        }
        if (item->kind == LULL_JIT_ITEM_LDS) {
            l->wide = l->bytes == 2 && !l->sign && !l->high && next[l->dst] == AS_WIDE;
            memset(&next[l->dst], l->high ? AS_OTHER : AS_NOTHING, l->n * (size_t)l->nregs);
            next[l->address] = AS_OTHER;
        }
    }
}

unsigned lull_jit_find_region(struct lull_wave *w, struct lull_code_page *p, unsigned i, int mode,
                              unsigned most, struct lull_jit_item *items, struct lull_jit_region *r)
{
    struct touched t;
    unsigned nvectors = 0, at = i;
    bool open = true;
    const struct lull_uop *begin = lull_jit_uop_at(w, p, i);
    if (begin == NULL || (begin->handler != NULL && begin->in->enc != LULL_RDNA_DS)) {
        return 0; // Memory, mostly: there is no region.
    }
    lull_jit_clear(&t, sizeof t);
    r->next = NULL;
    r->first = &p->uop[i];
    r->ninsns = r->ndwords = r->nvgprs = 0;
    r->nmasks = r->nchoices = r->nshuffles = r->nsaves = 0;
    while (open && r->ninsns < most) {
        const struct lull_uop *u = lull_jit_uop_at(w, p, at);
        struct lull_jit_item *item = &items[r->ninsns];
        if (u == NULL || !add(u, mode, &t, items, r)) {
            break;
        }
        r->ninsns++;
        at += u->ndwords;
        r->ndwords = at - i;
        nvectors += item->kind == LULL_JIT_ITEM_LDS;
        if (item->kind == LULL_JIT_ITEM_VECTOR) {
            nvectors++;
            open = item->v[0].mask_out != LULL_RDNA_EXEC; // What is behind it has another EXEC.
        }
    }
    if (nvectors != 0) {
        if (t.nloads > 1) {
            find_ends(items, r->ninsns);
        }
        if (t.halves) {
            mark_wide(items, r->ninsns);
        }
        lull_jit_fuse(r->target, items, r->ninsns);
    }
    return nvectors;
}
