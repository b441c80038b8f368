// SPDX-License-Identifier: MIT
#include "check/hazards.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "check/checks.h"
#include "check/plans.h"

/** A wave: what the rules keep of it stands behind. */
struct wave {
    const void *key; // NULL: free.
    const void *group;
    uint64_t ninsns;
    uint32_t workgroup[3];
    _Alignas(8) unsigned char state[];
};

enum { MAX_FOUND = 65536, FIRST_WAVES = 256 };

/** What the rules keep of a wave, where the checks know waves. */
struct kept {
    struct lull_hazards *h;
    struct kept *next; // Of those that no wave has.
    _Alignas(8) unsigned char state[];
};

/** Of an instruction; behind it what the rules keep. */
struct plan {
    bool ends;
    _Alignas(16) unsigned char of[];
};

struct lull_hazards {
    struct lull_observer observer; // First.
    const struct lull_hazard_rules *rules;
    struct lull_plans plans;
    struct wave **waves; // Open addressing by their address; room is a power of 2.
    size_t nwaves, room;
    struct wave *last; // That was looked up last; NULL: none.
    struct lull_hazard *found;
    size_t nfound, found_room;
    uint64_t lost;
    bool past, again, stops; // As of src/check/checks.c.
    bool *traps;             // Of the observer that is attached.
    struct lull_check_module module;
    struct kept *spare;
};

LULL_MUST_USE static struct lull_error *grow(struct lull_hazards *h)
{
    const size_t room = h->room != 0 ? 2 * h->room : FIRST_WAVES;
    struct wave **waves = calloc(room, sizeof *waves);
    if (waves == NULL) {
        return &lull_enomem;
    }
    struct wave **old = h->waves;
    const size_t old_room = h->room;
    h->waves = waves;
    h->room = room;
    for (size_t i = 0; i < old_room; i++) {
        if (old[i] != NULL) {
            size_t at = (uintptr_t)old[i]->key / 64 & (room - 1);
            while (waves[at] != NULL) {
                at = (at + 1) & (room - 1);
            }
            waves[at] = old[i];
        }
    }
    free(old);
    return NULL;
}

struct lull_error *lull_hazards_new(const struct lull_hazard_rules *rules,
                                    struct lull_hazards **ret)
{
    struct lull_hazards *h = calloc(1, sizeof *h);
    struct lull_error *err = h == NULL ? &lull_enomem : grow(h);
    if (err != NULL) {
        free(h);
        return err;
    }
    h->rules = rules;
    h->traps = &h->observer.traps;
    h->plans.bytes = sizeof(struct plan) + (rules->plan_bytes + 15) / 16 * 16;
    *ret = h;
    return NULL;
}

static void forget(struct lull_hazards *h)
{
    for (size_t i = 0; i < h->room; i++) {
        free(h->waves[i]);
        h->waves[i] = NULL;
    }
    for (size_t i = 0; i < h->nfound; i++) {
        free(h->found[i].insn);
        free(h->found[i].cause_insn);
    }
    h->last = NULL;
    h->nwaves = h->nfound = 0;
}

void lull_hazards_stop(struct lull_hazards *h)
{
    h->stops = true;
}

void lull_hazards_again(struct lull_hazards *h, bool begins)
{
    h->again = begins;
    if (begins) {
        h->past = false;
        forget(h);
    }
}

void lull_hazards_free(struct lull_hazards *h)
{
    if (h == NULL) {
        return;
    }
    forget(h);
    while (h->spare != NULL) {
        struct kept *k = h->spare;
        h->spare = k->next;
        free(k);
    }
    lull_plans_done(&h->plans);
    free(h->waves);
    free(h->found);
    free(h);
}

static void clear_state(const struct lull_hazards *h, unsigned char *state)
{
    if (h->rules->clear != NULL) {
        h->rules->clear(state);
    } else {
        memset(state, 0, h->rules->state_bytes);
    }
}

static void start(const struct lull_hazards *h, struct wave *s, const struct lull_observed *at)
{
    *s = (struct wave){.key = at->wave, .group = at->group};
    memcpy(s->workgroup, at->workgroup, sizeof s->workgroup);
    clear_state(h, s->state);
}

// @p s, or a new wave that stands in its place now.
static struct wave *again(const struct lull_hazards *h, struct wave *s,
                          const struct lull_observed *o)
{
    if (s->ninsns > o->ninsns || s->group != o->group ||
        memcmp(s->workgroup, o->workgroup, sizeof s->workgroup) != 0) {
        start(h, s, o);
    }
    return s;
}

// What is known of a wave; a new wave in the place of an old one starts anew. NULL: no memory.
static struct wave *wave_of(struct lull_hazards *h, const struct lull_observed *o)
{
    if (h->last != NULL && h->last->key == o->wave) {
        return again(h, h->last, o);
    }
    size_t at = (uintptr_t)o->wave / 64 & (h->room - 1);
    while (h->waves[at] != NULL && h->waves[at]->key != o->wave) {
        at = (at + 1) & (h->room - 1);
    }
    struct wave *s = h->waves[at];
    if (s == NULL) {
        s = calloc(1, sizeof *s + h->rules->state_bytes);
        if (s == NULL) {
            h->lost++;
            return NULL;
        }
        start(h, s, o);
        h->waves[at] = s;
        struct lull_error *err = 2 * ++h->nwaves > h->room ? grow(h) : NULL;
        if (err != NULL && h->nwaves + 1 >= h->room) {
            h->lost++; // The table must keep a free place, or the search would not end.
            h->waves[at] = NULL;
            h->nwaves--;
            free(s);
            s = NULL;
        }
        lull_error_free(err);
    }
    h->last = s;
    return s != NULL ? again(h, s, o) : NULL;
}

// The finding of that kind at that place, new or not. NULL: lost.
static struct lull_hazard *finding(struct lull_hazards *h, enum lull_hazard_kind kind,
                                   const struct lull_observed *at)
{
    const char *mnemonic = at->arch->mnemonic(at->insn);
    for (size_t i = 0; i < h->nfound; i++) {
        struct lull_hazard *f = &h->found[i];
        if (f->kind == kind && f->pc == at->pc && f->vmid == at->space &&
            strcmp(f->mnemonic, mnemonic) == 0) {
            return f;
        }
    }
    if (h->nfound == h->found_room && h->nfound < MAX_FOUND) {
        const size_t room = 2 * h->found_room + 16;
        struct lull_hazard *more = realloc(h->found, room * sizeof *more);
        if (more != NULL) {
            h->found = more;
            h->found_room = room;
        }
    }
    if (h->nfound == h->found_room) {
        h->lost++;
        return NULL;
    }
    struct lull_hazard *f = &h->found[h->nfound++];
    *f = (struct lull_hazard){.kind = kind,
                              .pc = at->pc,
                              .vmid = at->space,
                              .arch = at->arch,
                              .mnemonic = mnemonic,
                              .insn = lull_check_insn_text(at),
                              .reg = LULL_HAZARD_NO_REG,
                              .place = at->place};
    memcpy(f->group, at->workgroup, sizeof f->group);
    *h->traps = h->stops && !h->again;
    return f;
}

struct lull_hazard *lull_hazard_found(const struct lull_hazard_now *n, enum lull_hazard_kind kind,
                                      unsigned reg, uint64_t cause)
{
    struct lull_hazard *f = finding(n->h, kind, n->at);
    if (f != NULL) {
        if (f->count == 0) {
            f->reg = (uint16_t)reg;
            f->cause = cause;
        }
        f->count++;
        f->lanes[0] |= n->at->active;
        f->lanes[1] |= n->at->active_high;
    }
    return f;
}

// NULL: no memory.
static const struct plan *plan_of(struct lull_hazards *h, const struct lull_observed *at)
{
    bool fresh = false;
    struct plan *p = lull_plans_of(&h->plans, at, &fresh);
    if (p == NULL) {
        h->lost++;
    } else if (fresh) {
        p->ends = at->arch->flow(at->insn, at->pc).kind == LULL_FLOW_END;
        if (h->rules->plan != NULL) {
            h->rules->plan(at, p->of);
        }
    }
    return p;
}

static void before(struct lull_observer *o, const struct lull_observed *at)
{
    struct lull_hazards *h = (struct lull_hazards *)o;
    // A trap handler is not the program's.
    struct wave *s = at->handler || h->past || at->arch != h->rules->arch ? NULL : wave_of(h, at);
    const struct plan *p = s != NULL ? plan_of(h, at) : NULL;
    if (p == NULL) {
        return;
    }
    s->ninsns = at->ninsns;
    h->rules->before(
        &(const struct lull_hazard_now){.h = h, .at = at, .state = s->state, .plan = p->of});
    if (p->ends) {
        start(h, s, at);
    }
}

static void out_of_range(struct lull_hazards *h, const struct lull_observed *at, unsigned lane,
                         uint64_t offset)
{
    struct lull_hazard *f = finding(h, LULL_HAZARD_LDS_RANGE, at);
    if (f != NULL) {
        if (f->count == 0) {
            f->address = offset;
            f->limit = at->local_bytes;
        }
        f->count++;
        f->lanes[lane / 64] |= UINT64_C(1) << (lane & 63);
    }
}

static void access(struct lull_observer *o, const struct lull_observed *at, unsigned lane,
                   uint64_t address, size_t size, int store)
{
    struct lull_hazards *h = (struct lull_hazards *)o;
    (void)store;
    const uint64_t offset = address - at->local_base;
    const enum lull_memory_kind kind = at->arch->memory(at->insn).kind;
    const bool local = (kind == LULL_MEMORY_LOCAL || kind == LULL_MEMORY_FLAT) &&
                       address >= at->local_base && offset <= UINT32_MAX;
    if (local && offset + size > at->local_bytes && !at->handler && !h->past) {
        out_of_range(h, at, lane, offset);
    }
}

/** The same, told by instruction. */
static void touch(struct lull_hazards *h, const struct lull_observed *at,
                  const struct lull_touch *t)
{
    if (!t->local || t->high + t->bytes <= at->local_bytes) {
        return;
    }
    for (uint64_t m = t->lanes; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(m);
        if (t->address[lane] + t->bytes > at->local_bytes) {
            out_of_range(h, at, t->from + lane, t->address[lane]);
        }
    }
}

static void memory(struct lull_observer *o, const struct lull_observed *at,
                   const struct lull_touch *t)
{
    struct lull_hazards *h = (struct lull_hazards *)o;
    if (!at->handler && !h->past) {
        touch(h, at, t);
    }
}

static void restored(struct lull_observer *o)
{
    struct lull_hazards *h = (struct lull_hazards *)o;
    h->past = !h->again;
}

struct lull_observer *lull_hazards_observer(struct lull_hazards *h)
{
    h->observer = (struct lull_observer){.before = before, .restored = restored};
    if (h->rules->by_lane) {
        h->observer.access = access;
    } else {
        h->observer.memory = memory;
        h->observer.no_scratch = true;
    }
    return &h->observer;
}

static struct lull_hazards *hazards_of(const struct lull_check_now *n)
{
    return (struct lull_hazards *)n->config;
}

static bool module_plan(const struct lull_check_now *n, void *plan)
{
    const struct lull_hazards *h = n->config;
    h->rules->plan(n->at, plan);
    return true;
}

static void module_starts(const struct lull_check_now *n)
{
    struct lull_hazards *h = hazards_of(n);
    struct kept *k = h->spare != NULL ? h->spare : calloc(1, sizeof *k + h->rules->state_bytes);
    if (k == NULL) {
        h->lost++;
        return;
    }
    h->spare = k->next;
    *k = (struct kept){.h = h};
    *n->of_wave = k;
}

static void module_before(const struct lull_check_now *n)
{
    struct kept *k = *n->of_wave;
    if (k != NULL) {
        k->h->rules->before(&(const struct lull_hazard_now){
            .h = k->h, .at = n->at, .state = k->state, .plan = n->plan});
    }
}

static void module_sum(const struct lull_check_now *n, struct lull_check_stretch *s, unsigned count,
                       void *ret)
{
    const struct lull_hazards *h = n->config;
    const void *plans[LULL_STRETCH_MOST];
    for (unsigned k = 0; k < count; k++) {
        plans[k] = lull_check_plan(n, s, k);
    }
    h->rules->sum(plans, s->pc, count, ret);
}

static bool module_calm(const struct lull_check_now *n, struct lull_check_stretch *s,
                        const void *sum)
{
    struct kept *k = *n->of_wave;
    (void)s;
    return k == NULL || k->h->rules->calm(k->state, sum);
}

static void module_passed(const struct lull_check_now *n, const void *sum)
{
    struct kept *k = *n->of_wave;
    if (k != NULL) {
        k->h->rules->passed(k->state, sum);
    }
}

static void module_memory(const struct lull_check_now *n, const struct lull_touch *t)
{
    touch(hazards_of(n), n->at, t);
}

static void module_drop(void *of_wave)
{
    struct kept *k = of_wave;
    clear_state(k->h, k->state);
    k->next = k->h->spare;
    k->h->spare = k;
}

struct lull_error *lull_hazards_join(struct lull_hazards *h, struct lull_checks *c)
{
    h->traps = &lull_checks_observer(c)->traps;
    h->module = (struct lull_check_module){.name = "hazards",
                                           .draws = true,
                                           .local_called = true,
                                           .plan_bytes = h->rules->plan_bytes,
                                           .plan = h->rules->plan != NULL ? module_plan : NULL,
                                           .starts = module_starts,
                                           .before = module_before,
                                           .memory = module_memory,
                                           .drop_wave = module_drop};
    if (h->rules->calm != NULL) {
        h->module.stands = h->rules->stands;
        h->module.sum_bytes = h->rules->sum_bytes();
        h->module.sum = module_sum;
        h->module.calm = module_calm;
        h->module.passed = module_passed;
    }
    return lull_checks_add(c, &h->module, h);
}

size_t lull_hazards_count(const struct lull_hazards *h)
{
    return h->nfound;
}

const struct lull_hazard *lull_hazards_at(const struct lull_hazards *h, size_t i)
{
    return &h->found[i];
}

uint64_t lull_hazards_lost(const struct lull_hazards *h)
{
    return h->lost;
}

const char *lull_hazard_name(enum lull_hazard_kind kind)
{
    static const char *const names[LULL_HAZARD_KINDS] = {
        [LULL_HAZARD_WAIT_READ] = "wait-read",
        [LULL_HAZARD_WAIT_WRITE] = "wait-write",
        [LULL_HAZARD_TRANS_USE] = "trans-use",
        [LULL_HAZARD_PARTIAL_FORWARD] = "partial-forward",
        [LULL_HAZARD_CMPX_PERMLANE] = "cmpx-permlane",
        [LULL_HAZARD_MATRIX] = "matrix",
        [LULL_HAZARD_LDS_DIRECT] = "lds-direct",
        [LULL_HAZARD_MASK_WRITE] = "mask-write",
        [LULL_HAZARD_EXEC_0] = "exec-0",
        [LULL_HAZARD_LDS_RANGE] = "lds-range",
        [LULL_HAZARD_EARLY] = "early",
        [LULL_HAZARD_LATE_READ] = "late-read",
        [LULL_HAZARD_JOIN] = "join",
    };
    return kind < LULL_HAZARD_KINDS ? names[kind] : "?";
}

bool lull_hazards_numbered(const struct lull_hazards *h)
{
    return h->rules->numbered;
}

void lull_hazard_text(const struct lull_hazards *all, const struct lull_hazard *h,
                      struct lull_str *out)
{
    for (const char *p = all->rules->sentences[h->kind]; *p != '\0'; p++) {
        if (p[0] == '%' && p[1] == 'R') {
            lull_arch_reg_name(h->arch, h->reg, out);
            p++;
        } else if (p[0] == '%' && p[1] == 'C') {
            if (h->cause_insn != NULL) {
                lull_str_addf(out, "'%s' at ", h->cause_insn);
            }
            lull_str_addf(out, "0x%" PRIx64, h->cause);
            p++;
        } else if (p[0] == '%' && p[1] == 'M') {
            if (h->missing != NULL) {
                lull_str_addf(out, "%s", h->missing);
            } else {
                lull_str_addf(out, "%u slot%s", h->slots, h->slots == 1 ? "" : "s");
            }
            p++;
        } else {
            lull_str_addf(out, "%c", *p);
        }
    }
    if (h->kind == LULL_HAZARD_LDS_RANGE) {
        lull_str_addf(out, "; byte 0x%" PRIx64 " of %u", h->address, h->limit);
    }
}
