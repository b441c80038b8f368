// SPDX-License-Identifier: MIT
// Registers: who wrote them, and what work reads.
#include <string.h>

#include "adreno/lint/lint_priv.h"

/** The group of draw state that runs now: its number and 1; 0: none, or one that is run at once and
 * forgotten. */
static uint8_t running_group(const struct lull_cap *c)
{
    enum { AT_ONCE = 8 };
    for (unsigned i = c->s.nframes; i > 0; i--) {
        const struct lull_as_frame *f = &c->s.frames[i - 1];
        if (f->kind == LULL_AS_GROUP) {
            return (f->flags & AT_ONCE) != 0 ? 0 : (uint8_t)(f->number + 1);
        }
    }
    return 0;
}

void lull_lint_write(struct lull_lint *l, struct lull_cap *c, uint32_t reg, bool changes)
{
    const struct lull_as_packet *p = c->s.packet;
    const uint8_t group = running_group(c);
    l->writers[reg] = (struct lull_lint_writer){.address = p != NULL ? p->address : 0,
                                                .submit = l->submit,
                                                .group = group,
                                                .serial = group != 0 ? l->serials[group - 1] : 0};
    if (l->busy != 0 && changes && l->facts != NULL &&
        lull_stale_in(l->facts->unbanked, l->facts->nunbanked, reg)) {
        struct lull_lint_finding f = {.rule = LULL_LINT_NO_WAIT,
                                      .reg = reg,
                                      .hit = lull_dom_lookup(c->index, reg),
                                      .earlier = l->busy,
                                      .before = l->busy_name,
                                      .mend = "CP_WAIT_FOR_IDLE before the write"};
        lull_lint_tell(l, c, &f);
    }
}

void lull_lint_group(struct lull_lint *l, unsigned id, enum lull_as_group_what what)
{
    const bool all = what == LULL_AS_GROUP_ALL_OFF;
    for (unsigned i = all ? 0 : id; i < (all ? LULL_CAP_GROUPS : id + 1); i++) {
        l->serials[i] += what != LULL_AS_GROUP_LEFT_OUT;
    }
}

unsigned lull_lint_work(const struct lull_cap *c, const struct lull_cap_draw *d)
{
    static const enum lull_stale_work kinds[] = {
        [LULL_CAP_DRAW] = LULL_STALE_DRAW,
        [LULL_CAP_DISPATCH] = LULL_STALE_DISPATCH,
        [LULL_CAP_BLIT] = LULL_STALE_BLIT,
        [LULL_CAP_EVENT] = LULL_STALE_RESOLVE,
    };
    const bool pixels = d->kind == LULL_CAP_DRAW && c->s.mode != LULL_AS_BINNING;
    const bool direct = d->kind == LULL_CAP_DRAW && d->indirect == 0;
    if (d->kind == LULL_CAP_EVENT && (d->what == NULL || strcmp(d->what, "BLIT") != 0)) {
        return 0;
    }
    return 1u << kinds[d->kind] | (unsigned)pixels << LULL_STALE_PIXELS |
           (unsigned)direct << LULL_STALE_DIRECT;
}

static bool written(const struct lull_lint *l, uint32_t reg)
{
    return l->writers[reg % LULL_CAP_REGS].submit == l->submit;
}

/** Bits of a register; false: nobody wrote it in this submit, or nobody knows what. */
static bool bits(const struct lull_lint *l, const struct lull_cap *c, uint32_t reg,
                 const struct lull_stale_test *t, uint32_t *ret)
{
    const struct lull_as_regs *regs = lull_astream_regs(&c->s);
    const uint64_t mask = (UINT64_C(1) << (t->hi - t->lo + 1)) - 1;
    if (!written(l, reg) || (regs->unknown[reg / 64] >> reg % 64 & 1) != 0) {
        return false;
    }
    *ret = (uint32_t)(regs->v[reg] >> t->lo & mask);
    return true;
}

/** How many elements of the row are read; 0: it does not count. What depends on a register that
 * nobody wrote does not: that register is told by a row of its own. */
static uint32_t elements(const struct lull_lint *l, const struct lull_cap *c,
                         const struct lull_stale_read *r)
{
    uint32_t n = 1, v = 0;
    for (unsigned i = 0; i < r->ntests; i++) {
        const struct lull_stale_test *t = &r->tests[i];
        if (t->op == LULL_STALE_VIA) {
            continue;
        }
        if (!bits(l, c, t->reg, t, &v)) {
            return 0;
        }
        if (t->op == LULL_STALE_EACH) {
            n = (v + t->value - 1) / t->value;
        } else if ((t->op == LULL_STALE_IS) != (v == t->value)) {
            return 0;
        }
    }
    return n < r->count ? n : r->count;
}

/** Which element the @p k th one is; false: nobody knows. */
static bool element(const struct lull_lint *l, const struct lull_cap *c,
                    const struct lull_stale_read *r, uint32_t k, uint32_t *ret)
{
    *ret = k;
    for (unsigned i = 0; i < r->ntests; i++) {
        const struct lull_stale_test *t = &r->tests[i];
        if (t->op == LULL_STALE_VIA) {
            return bits(l, c, t->reg + k * t->value, t, ret) && *ret < r->count;
        }
    }
    return true;
}

static void read_one(struct lull_lint *l, struct lull_cap *c, const struct lull_cap_draw *d,
                     uint32_t reg)
{
    const struct lull_lint_writer *w = &l->writers[reg];
    struct lull_lint_finding f = {.draw = d, .packet = d->packet, .reg = reg};
    f.hit = lull_dom_lookup(c->index, reg);
    if (!written(l, reg)) {
        f.rule = LULL_LINT_NEVER_WRITTEN;
        f.mend = "write it in this submit, before this packet";
        lull_lint_tell(l, c, &f);
    } else if (w->group != 0 && w->serial != l->serials[w->group - 1]) {
        f.rule = LULL_LINT_STALE_GROUP;
        f.group = w->group - 1u;
        f.earlier = w->address;
        f.before = "a group that was taken away or set anew since";
        f.mend = "write it in the group that took its place, or before this packet";
        lull_lint_tell(l, c, &f);
    }
}

void lull_lint_reads(struct lull_lint *l, struct lull_cap *c, const struct lull_cap_draw *d,
                     unsigned work)
{
    for (unsigned i = 0; i < l->facts->nreads; i++) {
        const struct lull_stale_read *r = &l->facts->reads[i];
        const uint32_t n = (work >> r->work & 1) != 0 ? elements(l, c, r) : 0;
        for (uint32_t k = 0; k < n; k++) {
            uint32_t which = 0;
            const bool known = element(l, c, r, k, &which);
            for (uint32_t dword = 0; known && dword < r->dwords; dword++) {
                read_one(l, c, d, r->reg + which * r->stride + dword);
            }
        }
    }
}
