// SPDX-License-Identifier: MIT
#include "check/uninit/stretch.h"

#include "isa/rdna/ops.h"

static bool is_scalar(const struct lull_rdna_insn *in)
{
    return in->enc == LULL_RDNA_SOP1 || in->enc == LULL_RDNA_SOP2 || in->enc == LULL_RDNA_SOPC ||
           in->enc == LULL_RDNA_SOPK || in->enc == LULL_RDNA_SOPP;
}

bool lull_uninit_stands(const void *plan)
{
    const struct lull_uninit_plan *p = plan;
    return !p->memory && !p->moves && !p->local && !p->looks && !p->lanes &&
           p->quick == LULL_QUICK_NONE;
}

/** Those of @p more that are not in @p but; NULL: all. */
static void add(struct lull_uninit_regs *to, const struct lull_uninit_regs *more,
                const struct lull_uninit_regs *but)
{
    for (unsigned i = 0; i < LULL_TWIN_VGPRS / 64; i++) {
        to->v[i] |= more->v[i] & (but != NULL ? ~but->v[i] : UINT64_MAX);
    }
    for (unsigned i = 0; i < LULL_TWIN_SGPRS / 64; i++) {
        to->s[i] |= more->s[i] & (but != NULL ? ~but->s[i] : UINT64_MAX);
    }
    to->scc = to->scc || (more->scc && (but == NULL || !but->scc));
    to->nv = to->nv > more->nv ? to->nv : more->nv;
}

void lull_uninit_sum(const struct lull_check_now *n, struct lull_check_stretch *s, unsigned count,
                     void *ret)
{
    struct lull_uninit_sum *sum = ret;
    struct lull_uninit_regs whole = {0}; // Written so far, all of them.
    for (unsigned k = 0; k < count; k++) {
        const struct lull_uninit_plan *p = lull_check_plan(n, s, k);
        const bool all = p->by_lane || (is_scalar(&p->in) && !p->keeps);
        struct lull_uninit_regs writes = p->writes;
        if ((lull_rdna_info(&p->in)->writes & LULL_RDNA_S_VCC) != 0) { // As finish() has it.
            writes.s[(LULL_RDNA_VCC + 1) / 64] |= UINT64_C(1) << (LULL_RDNA_VCC + 1) % 64;
        }
        add(&sum->reads, &p->reads, &whole);
        add(all ? &whole : &sum->parts, &writes, NULL);
        add(&sum->writes, &writes, NULL);
        for (unsigned i = 0; i < LULL_TWIN_VGPRS / 64; i++) {
            sum->sets[i] |= p->sets[i];
        }
    }
}

static bool meets(const struct lull_twin *t, const struct lull_uninit_regs *r)
{
    uint64_t m = (r->s[0] & t->sdirty[0]) | (r->s[1] & t->sdirty[1]);
    for (unsigned i = 0; i < r->nv; i++) {
        m |= r->v[i] & t->vdirty[i];
    }
    return m != 0 || (r->scc && t->scc_dirty);
}

bool lull_uninit_is_calm(const struct lull_uninit_wave *w, const struct lull_uninit_sum *s,
                         uint64_t active)
{
    const struct lull_twin *t = w->twin;
    const uint64_t all = t->w.lanes == 64 ? UINT64_MAX : UINT32_MAX;
    uint64_t some = 0;
    for (unsigned i = 0; active != all && i < s->writes.nv; i++) {
        some |= s->writes.v[i] & t->vdirty[i]; // Other lanes stay as they are.
    }
    return some == 0 && !meets(t, &s->reads) && !meets(t, &s->parts);
}

void lull_uninit_pass(struct lull_uninit_wave *w, const struct lull_uninit_sum *s, uint64_t active)
{
    struct lull_twin *t = w->twin;
    lull_given_follow(&w->given, s->sets, s->writes.nv, active);
    for (unsigned i = 0; i < s->writes.nv; i++) {
        t->vdirty[i] &= ~s->writes.v[i];
        t->vnever[i] &= ~s->writes.v[i];
    }
    for (unsigned i = 0; i < LULL_TWIN_SGPRS / 64; i++) {
        t->sdirty[i] &= ~s->writes.s[i];
        t->snever[i] &= ~s->writes.s[i];
    }
    t->scc_dirty = t->scc_dirty && !s->writes.scc;
}
