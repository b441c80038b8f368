// SPDX-License-Identifier: MIT
// Which loops go strip by strip.
#include <string.h>

#include "isa/rdna/ops.h"
#include "jit/jumps.h"
#include "jit/loop.h"
#include "jit/machine.h"
#include "jit/scalar.h"

/** A loop being found. */
struct finder {
    const struct lull_jit_maker *m;
    const struct lull_jit_unit *unit;
    struct lull_jit_loop *l;
};

static const struct lull_jit_block *block_at(const struct finder *f, uint32_t at)
{
    const int k = lull_jit_find_block(f->unit, at);
    return k >= 0 ? &f->unit->block[k] : NULL;
}

/** Blocks from step @p n on that come back to the first. False: there are none. */
static bool find_steps(struct finder *f, unsigned n, uint32_t at)
{
    struct lull_jit_loop *l = f->l;
    const struct lull_jit_block *b = block_at(f, at);
    if (n != 0 && at == l->step[0].b->at) {
        l->nsteps = n;
        return true;
    }
    if (b == NULL || b->ninsns == 0 || n == LULL_JIT_LOOP_BLOCKS ||
        (n != 0 && at < l->step[0].b->at)) {
        return false;
    }
    for (unsigned i = 0; i < n; i++) {
        if (l->step[i].b == b) {
            return false;
        }
    }
    struct lull_jit_loop_step *s = &l->step[n];
    *s = (struct lull_jit_loop_step){.b = b, .mask = -1};
    if (!b->jumps) {
        return find_steps(f, n + 1, b->end);
    }
    const uint32_t here = b->end - 1;
    const struct lull_uop *u = &f->m->p->uop[here];
    const enum lull_jit_jump kind = lull_jit_jump_of(u);
    const uint32_t taken = lull_jit_target_of(u, here);
    if (kind == LULL_JIT_ALWAYS) {
        return find_steps(f, n + 1, taken);
    }
    const bool zero = kind == LULL_JIT_SCC0 || kind == LULL_JIT_VCCZ || kind == LULL_JIT_EXECZ;
    s->leaves = true;
    s->target = here + 1;
    s->on_zero = !zero;
    if (find_steps(f, n + 1, taken)) {
        return true;
    }
    s->target = taken;
    s->on_zero = zero;
    return find_steps(f, n + 1, here + 1);
}

static int find_mask(const struct lull_jit_loop *l, unsigned sgpr)
{
    int k = (int)l->nmasks;
    while (k-- != 0 && l->mask[k] != sgpr) {
    }
    return k;
}

/** The number of mask @p sgpr, which may be new; -1: no room, or none. */
static int add_mask(struct lull_jit_loop *l, unsigned sgpr)
{
    const int k = find_mask(l, sgpr);
    if (k >= 0 || l->nmasks == LULL_JIT_LOOP_MASKS || sgpr % 2 != 0 ||
        (sgpr >= LULL_RDNA_TTMP0 && sgpr != LULL_RDNA_EXEC)) {
        return k;
    }
    l->mask[l->nmasks] = (uint16_t)sgpr;
    return (int)l->nmasks++;
}

static bool moves_masks(const struct lull_uop *u)
{
    switch (u->in->op) {
    case LULL_RDNA_OP_S_MOV_B64:
    case LULL_RDNA_OP_S_AND_B64:
    case LULL_RDNA_OP_S_OR_B64:
    case LULL_RDNA_OP_S_XOR_B64:
    case LULL_RDNA_OP_S_AND_NOT1_B64:
        return true;
    default:
        return false;
    }
}

/** A vector instruction that a loop can do. */
static bool is_plain(const struct lull_jit_vector *v)
{
    bool good = !v->shuffled && !v->wide && !v->merges && !v->high && v->neg_hi == 0;
    for (unsigned n = 0; n < 3 && v->t != NULL; n++) {
        good = good && v->view[n] == LULL_JIT_WHOLE &&
               (v->type[n] == LULL_T_NONE || lull_jit_source_dwords(v, n) == 1) &&
               !lull_jit_is_16(v->type[n]);
    }
    return good && (v->t == NULL || lull_jit_result_dwords(v) == 1);
}

/** What each instruction is, but for which of them move masks. */
static bool find_items(struct finder *f)
{
    struct lull_jit_loop *l = f->l;
    for (unsigned i = 0; i < l->nsteps; i++) {
        struct lull_jit_loop_step *s = &l->step[i];
        uint32_t at = s->b->at;
        s->first = l->nitems;
        s->nitems = s->b->ninsns;
        for (unsigned k = 0; k < s->nitems; k++, l->nitems++) {
            struct lull_jit_loop_item *item = &l->item[l->nitems];
            const struct lull_uop *u = &f->m->p->uop[at];
            if (l->nitems == LULL_JIT_LOOP_ITEMS) {
                return false;
            }
            *item = (struct lull_jit_loop_item){.u = u};
            at += u->ndwords;
            if (lull_jit_jump_of(u) != LULL_JIT_NO_JUMP) {
                item->kind = LULL_JIT_LOOP_JUMP;
            } else if (u->cls == LULL_UOP_SKIP) {
                item->kind = LULL_JIT_LOOP_NOTHING;
            } else if (moves_masks(u) || lull_jit_is_scalar(u)) {
                item->kind = LULL_JIT_LOOP_SCALAR;
            } else {
                item->kind = LULL_JIT_LOOP_VECTOR;
                item->nvectors = lull_jit_vectors(f->m->target, u, f->m->mode, item->v);
                for (unsigned n = 0; n < item->nvectors; n++) {
                    item->v[n].quick = NULL;
                    if (!is_plain(&item->v[n])) {
                        return false;
                    }
                }
                if (item->nvectors == 0 || u->handler != NULL) {
                    return false;
                }
            }
        }
    }
    return true;
}

/** Masks, and what moves them. */
static bool find_masks(struct lull_jit_loop *l)
{
    add_mask(l, LULL_RDNA_EXEC);
    for (unsigned i = 0; i < l->nitems; i++) {
        struct lull_jit_loop_item *item = &l->item[i];
        for (unsigned n = 0; n < item->nvectors; n++) {
            if (item->v[n].mask_out != LULL_RDNA_NONE && add_mask(l, item->v[n].mask_out) < 0) {
                return false;
            }
        }
    }
    for (bool more = true; more;) {
        more = false;
        for (unsigned i = 0; i < l->nitems; i++) {
            struct lull_jit_loop_item *item = &l->item[i];
            const struct lull_rdna_insn *in = item->u->in;
            const bool two = in->op != LULL_RDNA_OP_S_MOV_B64;
            if (item->kind != LULL_JIT_LOOP_SCALAR || !moves_masks(item->u) ||
                (find_mask(l, in->dst) < 0 && find_mask(l, in->src[0]) < 0 &&
                 (!two || find_mask(l, in->src[1]) < 0))) {
                continue;
            }
            const int d = add_mask(l, in->dst), a = add_mask(l, in->src[0]),
                      b = two ? add_mask(l, in->src[1]) : 0;
            if (d < 0 || a < 0 || b < 0 || item->u->ttmp) {
                return false;
            }
            item->kind = LULL_JIT_LOOP_MASK;
            item->d = (uint8_t)d;
            item->a = (uint8_t)a;
            item->b = (uint8_t)b;
            more = true;
        }
    }
    return true;
}

static bool is_half_of_mask(const struct lull_jit_loop *l, unsigned sgpr)
{
    return find_mask(l, sgpr & ~1u) >= 0;
}

static bool add_pair(struct lull_jit_loop *l, unsigned pair)
{
    for (unsigned i = 0; i < l->npairs; i++) {
        if (l->pair[i] == pair) {
            return true;
        }
    }
    if (l->npairs == LULL_JIT_LOOP_PAIRS) {
        return false;
    }
    l->pair[l->npairs++] = (uint16_t)pair;
    return true;
}

/** A scalar instruction that has nothing to do with masks. */
static bool check_scalar(struct lull_jit_loop *l, const struct lull_uop *u)
{
    const struct lull_rdna_insn *in = u->in;
    const struct lull_sem *sem = &lull_sem[in->op];
    const struct lull_rdna_op_info *info = &lull_rdna_ops[in->op];
    const unsigned far = LULL_RDNA_S_VCC | LULL_RDNA_S_EXEC;
    int32_t holes[LULL_JIT_HOLE_K + 1];
    if (!lull_jit_is_scalar(u) || lull_jit_stencils[in->op][u->konst & 3].size == 0 ||
        !lull_jit_scalar_holes(u, holes) || ((info->reads | info->writes) & far) != 0) {
        return false;
    }
    for (unsigned n = 0; n < 2; n++) {
        const unsigned s = in->src[n];
        if (sem->src[n] != LULL_T_NONE && (u->konst >> n & 1) == 0 &&
            (is_half_of_mask(l, s) || is_half_of_mask(l, s + 1) || s >= LULL_RDNA_TTMP0)) {
            return false;
        }
    }
    if (sem->d == LULL_T_NONE) {
        return true;
    }
    const unsigned last = in->dst + (lull_jit_is_64(sem->d) ? 1u : 0);
    return last < LULL_RDNA_TTMP0 && !is_half_of_mask(l, in->dst) && !is_half_of_mask(l, last) &&
           add_pair(l, in->dst / 2u) && add_pair(l, last / 2);
}

static bool add_vgpr(struct lull_jit_loop *l, unsigned vgpr, bool written)
{
    unsigned i = 0;
    while (i < l->nvgprs && l->vgpr[i] != vgpr) {
        i++;
    }
    if (i == LULL_JIT_LOOP_VGPRS) {
        return false;
    }
    if (i == l->nvgprs) {
        l->nvgprs++;
        l->vgpr[i] = (uint16_t)vgpr;
    }
    l->written[i] = l->written[i] || written;
    return true;
}

static bool is_vgpr(unsigned src)
{
    return src >= LULL_RDNA_VGPR0 && src < LULL_RDNA_VGPR0 + LULL_JIT_VGPRS;
}

/** VGPRs of @p v; its scalars are no masks. */
static bool check_vector(struct lull_jit_loop *l, const struct lull_jit_vector *v)
{
    bool good = true;
    if (v->t == NULL) {
        return add_vgpr(l, v->dst, true) &&
               add_vgpr(l, v->src[0] - (unsigned)LULL_RDNA_VGPR0, true);
    }
    for (unsigned n = 0; n < 3 && good; n++) {
        if (v->type[n] == LULL_T_NONE || v->type[n] == LULL_T_MASK) {
            continue;
        }
        good = is_vgpr(v->src[n]) ? add_vgpr(l, v->src[n] - (unsigned)LULL_RDNA_VGPR0, false)
                                  : !is_half_of_mask(l, v->src[n]);
    }
    return good && (v->t->mask != 0 || add_vgpr(l, v->dst, true));
}

/** Whether a strip in which mask @p mask is 0 where step @p from may leave changes nothing more,
 * and all masks are 0 wherever the loop may end. */
static bool ends_quietly(const struct lull_jit_loop *l, unsigned from, unsigned mask)
{
    const unsigned all = (1u << l->nmasks) - 1;
    unsigned zero = 1u << mask;
    for (unsigned i = 1; i <= l->nsteps; i++) {
        const struct lull_jit_loop_step *s = &l->step[(from + i) % l->nsteps];
        if ((from + i) % l->nsteps == 0 && zero != all) {
            return false;
        }
        for (unsigned k = s->first; k < s->first + s->nitems; k++) {
            const struct lull_jit_loop_item *item = &l->item[k];
            const unsigned a = zero >> item->a & 1, b = zero >> item->b & 1;
            unsigned d = 0;
            switch (item->u->in->op) {
            case LULL_RDNA_OP_S_AND_B64:
                d = a | b;
                break;
            case LULL_RDNA_OP_S_OR_B64:
            case LULL_RDNA_OP_S_XOR_B64:
                d = a & b;
                break;
            default:
                d = a;
                break;
            }
            if (item->kind == LULL_JIT_LOOP_MASK) {
                zero = (zero & ~(1u << item->d)) | d << item->d;
            }
            for (unsigned n = 0; n < item->nvectors; n++) {
                const int out =
                    item->v[n].mask_out == LULL_RDNA_NONE ? -1 : find_mask(l, item->v[n].mask_out);
                if ((zero & 1) == 0) {
                    return false;
                }
                zero |= out >= 0 ? 1u << out : 0;
            }
        }
        if (s->leaves && zero != all) {
            return false;
        }
    }
    return true;
}

/** Who says SCC, for those that read it and at the ends; which masks decide. */
static bool check_ends(struct lull_jit_loop *l)
{
    int scc = -1; // The mask that it is of, or -1: in memory.
    for (unsigned i = 0; i < l->nsteps; i++) {
        struct lull_jit_loop_step *s = &l->step[i];
        for (unsigned k = s->first; k < s->first + s->nitems; k++) {
            const struct lull_jit_loop_item *item = &l->item[k];
            const struct lull_rdna_op_info *info = &lull_rdna_ops[item->u->in->op];
            if (item->kind == LULL_JIT_LOOP_MASK) {
                scc = item->u->in->op != LULL_RDNA_OP_S_MOV_B64 ? item->d
                      : scc == item->d                          ? -2
                                                                : scc;
            } else if (item->kind == LULL_JIT_LOOP_SCALAR) {
                if ((info->reads & LULL_RDNA_S_SCC) != 0 && scc != -1) {
                    return false;
                }
                scc = (info->writes & LULL_RDNA_S_SCC) != 0 ? -1 : scc;
            }
            for (unsigned n = 0; n < item->nvectors; n++) {
                const bool same = scc >= 0 && item->v[n].mask_out == l->mask[scc];
                scc = same ? -2 : scc;
            }
            if (item->kind != LULL_JIT_LOOP_JUMP || !s->leaves) {
                continue;
            }
            const enum lull_jit_jump jump = lull_jit_jump_of(item->u);
            const bool of_scc = jump == LULL_JIT_SCC0 || jump == LULL_JIT_SCC1;
            s->mask = of_scc
                          ? scc
                          : find_mask(l, jump >= LULL_JIT_EXECZ ? LULL_RDNA_EXEC : LULL_RDNA_VCC);
            s->by_scc = of_scc && scc >= 0;
            if (s->mask == -2 || (!of_scc && (s->mask < 0 || scc != -1)) ||
                (s->mask >= 0 && (!s->on_zero || !ends_quietly(l, i, (unsigned)s->mask)))) {
                return false;
            }
        }
    }
    return scc == -1;
}

bool lull_jit_find_loop(const struct lull_jit_maker *m, const struct lull_jit_unit *unit,
                        const struct lull_jit_block *b, struct lull_jit_loop *ret)
{
    struct finder f = {.m = m, .unit = unit, .l = ret};
    if (!b->again || m->target->machine != &lull_jit_machine_x86 || m->w->lanes != 64) {
        return false;
    }
    memset(ret, 0, offsetof(struct lull_jit_loop, item));
    ret->nmasks = ret->npairs = ret->nvgprs = 0;
    memset(ret->written, 0, sizeof ret->written);
    ret->step[0].b = b;
    if (!find_steps(&f, 0, b->at) || !find_items(&f) || !find_masks(ret)) {
        return false;
    }
    for (unsigned i = 0; i < ret->nitems; i++) {
        const struct lull_jit_loop_item *item = &ret->item[i];
        bool good = item->kind != LULL_JIT_LOOP_SCALAR || check_scalar(ret, item->u);
        for (unsigned n = 0; n < item->nvectors; n++) {
            good = good && check_vector(ret, &item->v[n]);
        }
        if (!good) {
            return false;
        }
    }
    return ret->nvgprs != 0 && check_ends(ret);
}
