// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "debug/code/code.h"
#include "debug/session/exported.h"
#include "debug/session/why_priv.h"

enum { ROOM = 1 << 16 };

struct lull_error *lull_why_search_begin(struct lull_why_search *s, struct lull_debug *d,
                                         const struct lull_why_vendor *vendor)
{
    struct lull_travel t = {0};
    *s = (struct lull_why_search){.d = d, .vendor = vendor};
    struct lull_error *err = lull_travel_state(d, &t);
    s->first = t.first;
    s->found = err == NULL ? calloc(ROOM, sizeof *s->found) : NULL;
    s->codes = err == NULL ? calloc(LULL_WHY_CODES, sizeof *s->codes) : NULL;
    return err == NULL && (s->found == NULL || s->codes == NULL) ? &lull_enomem : err;
}

void lull_why_search_done(struct lull_why_search *s)
{
    for (unsigned i = 0; i < LULL_WHY_TRACES; i++) {
        free(s->traces[i].found);
    }
    free(s->found);
    free(s->codes);
    *s = (struct lull_why_search){0};
}

/** The instruction at @p pc; NULL: there is none. Valid until the next call. */
static const struct lull_insn *insn_at(struct lull_why_search *s, uint64_t pc)
{
    struct lull_why_code *c = &s->codes[pc / s->d->target->ops->arch->align % LULL_WHY_CODES];
    if (!c->there || c->pc != pc) {
        c->pc = pc;
        c->there = true;
        c->good = lull_code_decode(s->d->target, pc, &c->room);
    }
    return c->good ? lull_insn_in(&c->room) : NULL;
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

/** The last instruction behind time @p from that changed the register, if it chose it at run time.
 */
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
            const struct lull_found *f = &s->found[n - 1];
            const struct lull_insn *in = insn_at(s, f->pc);
            if ((f->lanes >> p->lane & 1) != 0 && in != NULL && s->vendor->chooses(in)) {
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
            const struct lull_insn *in = f->time < until ? insn_at(s, f->pc) : NULL;
            if (in == NULL) {
                continue;
            }
            const bool chooses = s->vendor->chooses(in);
            indirect = indirect || chooses;
            if (!chooses && s->vendor->writes(in, (unsigned)p->address, p->lane, f->exec)) {
                *ret = *f;
                *ret_is = true;
            }
        }
        if (err == NULL && t->from >= until) {
            break;
        }
        until = t->from;
    }
    return err == NULL && indirect && !s->vendor->is_mask((unsigned)p->address)
               ? chosen_writer(s, p, *ret_is ? ret->time : 0, now, ret, ret_is)
               : err;
}

/** Addresses of instructions of the dispatch that write register @p reg. */
static unsigned writers_of(struct lull_why_search *s, unsigned reg, uint64_t *ret, unsigned room)
{
    const struct lull_arch *arch = s->d->target->ops->arch;
    struct lull_code_extent extent = {0};
    const uint64_t begin = s->d->dispatch.code_va;
    struct lull_error *err = lull_code_measure(s->d->target, begin, &extent);
    unsigned n = 0;
    const struct lull_insn *in = NULL;
    for (uint64_t at = begin;
         err == NULL && at < begin + extent.bytes && n < room && (in = insn_at(s, at)) != NULL;
         at += arch->size(in)) {
        if (s->vendor->writes(in, reg, 0, UINT64_MAX)) {
            ret[n++] = at;
        }
    }
    lull_error_free(err);
    return n;
}

/** The last that is found before @p until; @p lane LULL_MAX_LANES: whichever lanes it is of. */
LULL_MUST_USE static struct lull_error *last_found(struct lull_why_search *s,
                                                   const struct lull_search *what, unsigned lane,
                                                   uint64_t until, struct lull_found *ret,
                                                   bool *ret_is)
{
    struct lull_error *err = NULL;
    while (err == NULL && until > s->first) {
        struct lull_found_list list = {.all = s->found, .room = ROOM};
        err = s->d->target->ops->search(s->d->target, what, until, &list);
        for (size_t n = list.n; err == NULL && n > 0; n--) {
            const struct lull_found *f = &s->found[n - 1];
            if (lane == LULL_MAX_LANES || (f->lanes >> lane & 1) != 0) {
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

/** The last instruction of any wave that wrote a register that all have. */
LULL_MUST_USE static struct lull_error *common_writer(struct lull_why_search *s,
                                                      const struct lull_why_place *p,
                                                      uint64_t until, struct lull_found *ret,
                                                      bool *ret_is)
{
    struct lull_search *what = calloc(1, sizeof *what);
    struct lull_error *err = what == NULL ? &lull_enomem : NULL;
    if (err == NULL) {
        what->ncodes = writers_of(s, (unsigned)p->address, what->codes, LULL_SEARCH_CODES);
        err = what->ncodes == 0 ? NULL : last_found(s, what, LULL_MAX_LANES, until, ret, ret_is);
    }
    free(what);
    return err;
}

/** Stores to a place in memory. */
LULL_MUST_USE static struct lull_error *memory_writer(struct lull_why_search *s,
                                                      const struct lull_why_place *p,
                                                      uint64_t until, struct lull_found *ret,
                                                      bool *ret_is)
{
    const bool scratch = p->where == LULL_WHY_SCRATCH;
    struct lull_search what = {.nranges = 1, .has_wave = scratch, .hw_id1 = p->who.hw_id1};
    memcpy(what.workgroup, p->who.workgroup, sizeof what.workgroup);
    what.ranges[0] = (struct lull_search_range){
        .lds = p->where == LULL_WHY_LDS, .scratch = scratch, .va = p->address, .size = p->size};
    memcpy(what.ranges[0].workgroup, p->who.workgroup, sizeof what.workgroup);
    struct lull_found pixel = {0};
    struct lull_wrote by = {0};
    bool exported = false;
    struct lull_error *err =
        p->where == LULL_WHY_MEMORY
            ? lull_debug_exported(s->d, p->address, p->size, until, &by, &pixel, &exported)
            : NULL;
    err = err != NULL
              ? err
              : last_found(s, &what, scratch ? p->lane : LULL_MAX_LANES, until, ret, ret_is);
    if (err == NULL && exported && (!*ret_is || ret->time < pixel.time)) {
        *ret = pixel; // The back end of a draw wrote it, behind the export.
        *ret_is = true;
    }
    return err;
}

struct lull_error *lull_why_writer(struct lull_why_search *s, const struct lull_why_place *p,
                                   uint64_t until, struct lull_found *ret, bool *ret_is)
{
    const unsigned reg = (unsigned)p->address;
    *ret_is = false;
    if (p->where != LULL_WHY_REGISTER) {
        return memory_writer(s, p, until, ret, ret_is);
    }
    return s->vendor->is_common != NULL && s->vendor->is_common(reg)
               ? common_writer(s, p, until, ret, ret_is)
               : register_writer(s, p, until, ret, ret_is);
}

struct lull_error *lull_why_decider(struct lull_why_search *s, const struct lull_travel_wave *who,
                                    unsigned lane, uint64_t until, struct lull_found *ret,
                                    bool *ret_is)
{
    struct lull_why_trace *t = NULL;
    struct lull_error *err = NULL;
    *ret_is = false;
    while (err == NULL && until > s->first) {
        err = trace_of(s, who, until, &t);
        for (size_t i = err == NULL ? t->n : 0; i > 0; i--) {
            const struct lull_found *f = &t->found[i - 1];
            const struct lull_insn *in =
                f->time < until && (f->exec >> lane & 1) != 0 ? insn_at(s, f->pc) : NULL;
            if (in != NULL && s->vendor->decides(in)) {
                *ret = *f;
                *ret_is = true;
                return NULL;
            }
        }
        if (err == NULL && t->from >= until) {
            break;
        }
        until = t->from;
    }
    return err;
}
