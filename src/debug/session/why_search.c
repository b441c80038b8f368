// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "debug/rdna/access.h"
#include "debug/session/why_priv.h"
#include "isa/rdna/ops.h"

enum { ROOM = 1 << 16, INLINE_0 = 128, INLINE_64 = 192 };

struct lull_error *lull_why_search_begin(struct lull_why_search *s, struct lull_debug *d)
{
    struct lull_travel t = {0};
    *s = (struct lull_why_search){.d = d};
    struct lull_error *err = lull_travel_state(d, &t);
    s->first = t.first;
    s->found = err == NULL ? calloc(ROOM, sizeof *s->found) : NULL;
    return err == NULL && s->found == NULL ? &lull_enomem : err;
}

void lull_why_search_done(struct lull_why_search *s)
{
    for (unsigned i = 0; i < LULL_WHY_TRACES; i++) {
        free(s->traces[i].found);
    }
    free(s->found);
    *s = (struct lull_why_search){0};
}

/** The lane that v_writelane_b32 writes, if the text says it. */
static bool writes_lane(const struct lull_rdna_insn *in, unsigned lane)
{
    const unsigned v = in->src[1];
    return v < INLINE_0 || v > INLINE_64 || v - INLINE_0 == lane;
}

bool lull_why_writes(const struct lull_rdna_insn *in, unsigned lanes, uint64_t reg, unsigned lane,
                     uint64_t exec)
{
    struct lull_arch_use uses[LULL_ARCH_MAX_USES];
    const unsigned n = lull_arch_rdna3.uses((const struct lull_insn *)in, lanes, uses);
    bool writes = false;
    for (unsigned i = 0; i < n; i++) {
        writes = writes || (uses[i].write && reg >= uses[i].reg &&
                            reg < (uint64_t)uses[i].reg + uses[i].count);
    }
    if (!writes || reg < LULL_RDNA_VGPR0) {
        return writes;
    }
    return in->op == LULL_RDNA_OP_V_WRITELANE_B32
               ? writes_lane(in, lane)
               : (exec >> lane & 1) != 0 && !lull_why_dpp_keeps(in, lane, exec);
}

/** What @p who executed before @p until: the last of it, at least. */
LULL_MUST_USE static struct lull_error *trace_of(struct lull_why_search *s,
                                                 const struct lull_travel_wave *who, uint64_t until,
                                                 struct lull_why_trace **ret)
{
    for (unsigned i = 0; i < LULL_WHY_TRACES; i++) {
        struct lull_why_trace *t = &s->traces[i];
        if (t->found != NULL && memcmp(&t->who, who, sizeof *who) == 0 && t->from < until &&
            until <= t->until) {
            *ret = t;
            return NULL;
        }
    }
    struct lull_why_trace *t = &s->traces[s->next++ % LULL_WHY_TRACES];
    struct lull_search what = {.wave = true, .hw_id1 = who->hw_id1};
    memcpy(what.workgroup, who->workgroup, sizeof what.workgroup);
    free(t->found);
    *t = (struct lull_why_trace){
        .who = *who, .until = until, .found = calloc(ROOM, sizeof *t->found)};
    struct lull_found_list list = {.all = t->found, .room = ROOM};
    struct lull_error *err = t->found != NULL
                                 ? s->d->target->ops->search(s->d->target, &what, until, &list)
                                 : &lull_enomem;
    t->n = list.n;
    t->from = list.from;
    *ret = t;
    return err;
}

/** It writes a register that M0 chooses. */
static bool writes_indirectly(const struct lull_rdna_insn *in)
{
    return in->op == LULL_RDNA_OP_V_MOVRELD_B32 || in->op == LULL_RDNA_OP_V_MOVRELSD_B32 ||
           in->op == LULL_RDNA_OP_V_MOVRELSD_2_B32;
}

/** The last instruction behind time @p from that changed the register, if it chose it by M0. */
LULL_MUST_USE static struct lull_error *chosen_writer(struct lull_why_search *s,
                                                      const struct lull_why_place *p, uint64_t from,
                                                      uint64_t until, struct lull_found *ret,
                                                      bool *ret_is)
{
    struct lull_search what = {.nranges = 1, .has_wave = true, .hw_id1 = p->who.hw_id1};
    struct lull_error *err = NULL;
    memcpy(what.workgroup, p->who.workgroup, sizeof what.workgroup);
    what.ranges[0] = (struct lull_search_range){.registers = true, .va = p->address, .size = 1};
    while (err == NULL && until > s->first && until > from) {
        struct lull_found_list list = {.all = s->found, .room = ROOM};
        err = s->d->target->ops->search(s->d->target, &what, until, &list);
        for (size_t n = list.n; err == NULL && n > 0 && s->found[n - 1].time > from; n--) {
            struct lull_rdna_insn in = {0};
            const struct lull_found *f = &s->found[n - 1];
            if ((f->lanes >> p->lane & 1) != 0 && lull_access_insn(s->d->target, f->pc, &in) &&
                writes_indirectly(&in)) {
                *ret = *f;
                *ret_is = true;
                return NULL;
            }
        }
        if (err == NULL && list.from >= until) {
            break;
        }
        until = list.from;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *register_writer(struct lull_why_search *s,
                                                        const struct lull_why_place *p,
                                                        uint64_t until, struct lull_found *ret,
                                                        bool *ret_is)
{
    struct lull_why_trace *t = NULL;
    struct lull_error *err = NULL;
    const uint64_t now = until;
    bool indirect = false;
    while (err == NULL && until > s->first && !*ret_is) {
        err = trace_of(s, &p->who, until, &t);
        for (size_t i = err == NULL ? t->n : 0; i > 0 && !*ret_is; i--) {
            const struct lull_found *f = &t->found[i - 1];
            struct lull_rdna_insn in = {0};
            if (f->time >= until || !lull_access_insn(s->d->target, f->pc, &in)) {
                continue;
            }
            indirect = indirect || writes_indirectly(&in);
            if (!writes_indirectly(&in) && lull_why_writes(&in, 64, p->address, p->lane, f->exec)) {
                *ret = *f;
                *ret_is = true;
            }
        }
        if (err == NULL && t->from >= until) {
            break;
        }
        until = t->from;
    }
    return err == NULL && indirect && p->address >= LULL_RDNA_VGPR0
               ? chosen_writer(s, p, *ret_is ? ret->time : 0, now, ret, ret_is)
               : err;
}

/** Stores to a place in memory, in the order of the last first. */
LULL_MUST_USE static struct lull_error *memory_writer(struct lull_why_search *s,
                                                      const struct lull_why_place *p,
                                                      uint64_t until, struct lull_found *ret,
                                                      bool *ret_is)
{
    const bool scratch = p->where == LULL_WHY_SCRATCH;
    struct lull_search what = {.nranges = 1, .has_wave = scratch, .hw_id1 = p->who.hw_id1};
    struct lull_error *err = NULL;
    memcpy(what.workgroup, p->who.workgroup, sizeof what.workgroup);
    what.ranges[0] = (struct lull_search_range){
        .lds = p->where == LULL_WHY_LDS, .scratch = scratch, .va = p->address, .size = p->size};
    memcpy(what.ranges[0].workgroup, p->who.workgroup, sizeof what.workgroup);
    while (err == NULL && until > s->first) {
        struct lull_found_list list = {.all = s->found, .room = ROOM};
        err = s->d->target->ops->search(s->d->target, &what, until, &list);
        for (size_t n = list.n; err == NULL && n > 0; n--) {
            const struct lull_found *f = &s->found[n - 1];
            if (!scratch || (f->lanes >> p->lane & 1) != 0) {
                *ret = *f;
                *ret_is = true;
                return NULL;
            }
        }
        if (err == NULL && list.from >= until) {
            break;
        }
        until = list.from;
    }
    return err;
}

struct lull_error *lull_why_writer(struct lull_why_search *s, const struct lull_why_place *p,
                                   uint64_t until, struct lull_found *ret, bool *ret_is)
{
    *ret_is = false;
    return p->where == LULL_WHY_REGISTER ? register_writer(s, p, until, ret, ret_is)
                                         : memory_writer(s, p, until, ret, ret_is);
}
