// SPDX-License-Identifier: MIT
// Of ir3.
#include "check/uninit/uninit.h"

#include <inttypes.h>
#include <stdlib.h>

#include "arch/arch.h"
#include "check/objects.h"
#include "check/origin.h"
#include "check/shadow/shadow.h"
#include "check/uninit/never.h"
#include "model/adreno/exec/wave.h"

enum { PAGE = 4096 };

/** Of the run. */
struct own {
    struct lull_origins origins; // First.
    struct wave *spare;
};

struct wave {
    struct own *own;
    struct wave *next; // Of those that no wave has.
    struct lull_shadow_memory priv;
    struct lull_shadow shadow;
};

/** It is kept for another wave: its marks are many, and mostly there are few. */
static void drop_wave(void *of_wave)
{
    struct wave *w = of_wave;
    lull_shadow_memory_done(&w->priv);
    lull_shadow_clear(&w->shadow);
    w->next = w->own->spare;
    w->own->spare = w;
}

/** NULL: no memory. */
static struct wave *new_wave(struct own *own)
{
    struct wave *w = own->spare;
    if (w != NULL) {
        own->spare = w->next;
        return w;
    }
    w = calloc(1, sizeof *w);
    if (w != NULL) {
        w->own = own;
    }
    return w;
}

static void done(void *of_run)
{
    struct own *own = of_run;
    while (own->spare != NULL) {
        struct wave *w = own->spare;
        own->spare = w->next;
        free(w);
    }
    lull_origins_done(&own->origins);
}

static void drop_group(void *of_group)
{
    lull_shadow_memory_done(of_group);
    free(of_group);
}

enum { SOME = 3 };

/** In how many of @p lanes has the launch left register @p r alone? */
static unsigned untouched(const struct lull_ir3_wave *of, unsigned r, const unsigned lanes[SOME])
{
    unsigned n = 0;
    for (unsigned i = 0; i < SOME; i++) {
        n += of->r[r][lanes[i]] == lull_ir3_untouched(r, lanes[i]);
    }
    return n;
}

/** Register @p r, which it has written in some lanes. */
static void mark_some(struct lull_shadow *s, const struct lull_ir3_wave *of, unsigned r)
{
    uint64_t lanes[2] = {0};
    for (unsigned i = 0; i < of->fibers; i++) {
        lanes[i / 64] |= (uint64_t)(of->r[r][i] == lull_ir3_untouched(r, i)) << i % 64;
    }
    lanes[0] &= of->exec.w[0];
    lanes[1] &= of->exec.w[1];
    lull_shadow_mark(s, r, UINT32_MAX, lanes, 0);
}

/** Registers that the launch did not write are as a wave without a launch has them. Most it writes
 * in all lanes that are on, or in none. */
static void mark_never(struct lull_shadow *s, const struct lull_ir3_wave *of)
{
    const uint64_t *on = of->exec.w;
    uint64_t regs[LULL_SHADOW_WORDS] = {0};
    const unsigned first = on[0] != 0   ? (unsigned)__builtin_ctzll(on[0])
                           : on[1] != 0 ? 64 + (unsigned)__builtin_ctzll(on[1])
                                        : 0;
    const unsigned last = on[1] != 0   ? 127 - (unsigned)__builtin_clzll(on[1])
                          : on[0] != 0 ? 63 - (unsigned)__builtin_clzll(on[0])
                                       : 0;
    const unsigned lanes[SOME] = {first, (first + last) / 2, last};
    for (unsigned r = 0; r < LULL_IR3_GPRS; r++) {
        regs[r / 64] |= (uint64_t)(untouched(of, r, lanes) == SOME) << r % 64;
    }
    for (unsigned r = 0; r < LULL_IR3_SHARED; r++) {
        const unsigned at = LULL_IR3_GPRS + r;
        regs[at / 64] |= (uint64_t)(of->shared[r] == lull_ir3_untouched(at, 0)) << at % 64;
    }
    lull_shadow_mark_whole(s, regs, on);
    for (unsigned r = 0; r < LULL_IR3_GPRS; r++) {
        const unsigned n = untouched(of, r, lanes);
        if (n != 0 && n != SOME) {
            mark_some(s, of, r);
        }
    }
}

static void starts(const struct lull_check_now *n)
{
    struct wave *w = new_wave(n->own);
    const struct lull_check_objects *known = n->config;
    if (known != NULL && known->never != NULL) {
        lull_never_starts(known->never, n);
    }
    if (*n->of_group == NULL) {
        *n->of_group = calloc(1, sizeof(struct lull_shadow_memory));
    }
    if (w == NULL || *n->of_group == NULL) {
        lull_checks_lose(n->all);
        if (w != NULL) {
            drop_wave(w);
        }
        return;
    }
    mark_never(&w->shadow, n->wave->key);
    *n->of_wave = w;
}

/** Registers that the instruction at hand reads and nothing wrote: it is where they come from. */
static void number(const struct lull_check_now *n, struct wave *w, const struct lull_shadow_plan *p)
{
    for (;;) {
        unsigned lane = 0;
        const unsigned reg = lull_shadow_unnumbered(&w->shadow, n->at, p, &lane);
        struct lull_str s = {0};
        if (reg == LULL_SHADOW_REGS) {
            return;
        }
        lull_arch_reg_name(n->at->arch, reg, &s);
        char *text = lull_check_text("reads %s, which nothing wrote",
                                     s.err == NULL ? lull_str_text(&s) : "a register");
        lull_error_free(s.err);
        s.err = NULL;
        lull_str_free(&s);
        const uint32_t from = lull_uninit_origin(n, LULL_WHERE_REGISTER, lane, text);
        if (from == 0) {
            return;
        }
        w->shadow.from[reg] = from;
    }
}

static void tell(const struct lull_check_now *n, const struct lull_shadow_found *f)
{
    static const struct {
        enum lull_uninit_use use;
        const char *does;
    } uses[] = {
        [LULL_SHADOW_BRANCH] = {LULL_UNINIT_BRANCHES, "branches on it"},
        [LULL_SHADOW_ADDRESS] = {LULL_UNINIT_ADDRESSES, "takes it for an address"},
        [LULL_SHADOW_DATA] = {LULL_UNINIT_STORES, "stores it"},
    };
    const unsigned lane = f->lanes[0] != 0 ? (unsigned)__builtin_ctzll(f->lanes[0])
                                           : 64 + (unsigned)__builtin_ctzll(f->lanes[1]);
    lull_uninit_tell(n, f->from, n->at->pc, uses[f->use].use, lane, false, uses[f->use].does);
}

static bool plan(const struct lull_check_now *n, void *to)
{
    lull_shadow_plan(n->at, to);
    return true;
}

static void before(const struct lull_check_now *n)
{
    struct wave *w = *n->of_wave;
    const struct lull_shadow_plan *p = n->plan;
    if (w == NULL || !lull_shadow_meets(&w->shadow, n->at, p)) {
        return;
    }
    if (!lull_shadow_reads(&w->shadow, n->at, p)) { // What it writes gets a value.
        lull_shadow_move(&w->shadow, n->at, p);
        return;
    }
    number(n, w, p);
    const struct lull_shadow_found f = lull_shadow_used(&w->shadow, n->at, p, true);
    const bool copies = p->kind == LULL_SHADOW_LOCAL || p->kind == LULL_SHADOW_PRIVATE;
    if (f.use != LULL_SHADOW_MOVES && !(f.use == LULL_SHADOW_DATA && copies)) {
        lull_check_keep_insn(n);
        tell(n, &f);
        lull_shadow_settle(&w->shadow, n->at, p);
    }
    lull_shadow_move(&w->shadow, n->at, p);
}

/** What was loaded and nothing wrote comes from here. */
static void loaded(const struct lull_check_now *n, struct wave *w, const struct lull_shadow_plan *p,
                   const struct lull_shadow_never *v)
{
    const bool local = p->kind == LULL_SHADOW_LOCAL;
    char *text = local ? lull_uninit_local_text(n, v->address)
                       : lull_check_text("loads byte 0x%" PRIx64
                                         " of its private memory, which it did not write",
                                         v->address);
    const uint32_t from =
        lull_uninit_origin(n, local ? LULL_WHERE_LOCAL : LULL_WHERE_SCRATCH, v->lane, text);
    for (unsigned r = 0; r < LULL_SHADOW_REGS; r++) {
        if ((p->writes[r / 64] >> r % 64 & 1) != 0 && w->shadow.from[r] == 0) {
            w->shadow.from[r] = from;
        }
    }
}

/** Lanes of @p t whose byte @p at behind the first is of memory that nothing wrote. */
static bool never_wrote(const struct lull_check_now *n, const struct lull_never *v,
                        const struct lull_touch *t, unsigned at, uint64_t lanes[2])
{
    uint64_t last = UINT64_MAX;
    bool never = false;
    for (uint64_t m = t->lanes; m != 0; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(m);
        const uint64_t page = (t->address[l] + at) / PAGE;
        if ((t->valid[l] >> at / 4 & 1) == 0) {
            continue;
        }
        if (page != last) {
            const uint8_t *host = lull_shadow_host(n->at, page * PAGE);
            last = page;
            never = host != NULL && lull_fresh_has(&v->fresh, host);
        }
        lanes[t->from / 64] |= (uint64_t)never << l;
    }
    return lanes[t->from / 64] != 0;
}

/** It has loaded from memory of which something was never written. */
static void load_never(const struct lull_check_now *n, struct wave *w, const struct lull_never *v,
                       const struct lull_touch *t)
{
    const struct lull_ir3_insn *in = &lull_arch_ir3_of(n->at->insn)->in;
    const unsigned unit = lull_arch_ir3_type_bytes(in->m.type);
    for (unsigned k = 0; k < t->bytes / unit; k++) {
        uint64_t lanes[2] = {0};
        if (!never_wrote(n, v, t, k * unit, lanes)) {
            continue;
        }
        const unsigned lane = (unsigned)__builtin_ctzll(lanes[t->from / 64]);
        char *text = lull_check_text("loads from address 0x%" PRIx64
                                     ", in a page that neither the host nor the GPU ever wrote",
                                     t->address[lane] + (uint64_t)k * unit);
        lull_shadow_mark_operand(&w->shadow, in->dst[0].value + (int32_t)k, unit < 4, lanes,
                                 lull_uninit_origin(n, LULL_WHERE_MEMORY, t->from + lane, text));
    }
}

/** Is @p t a load into registers as memory has it? */
static bool is_plain(const struct lull_observed *at, const struct lull_touch *t)
{
    const struct lull_ir3_insn *in = &lull_arch_ir3_of(at->insn)->in;
    return t->kind == LULL_TOUCH_LOAD && !t->image && in->ndst > 0 &&
           in->dst[0].kind == LULL_IR3_K_GPR;
}

static void memory(const struct lull_check_now *n, const struct lull_touch *t)
{
    struct wave *w = *n->of_wave;
    const struct lull_shadow_plan *p = n->plan;
    struct lull_shadow_memory *m = t->local ? *n->of_group : w != NULL ? &w->priv : NULL;
    struct lull_shadow_never never = {0};
    const struct lull_check_objects *known = n->config;
    const struct lull_never *unwritten = known != NULL ? known->never : NULL;
    if (w != NULL && unwritten != NULL && unwritten->fresh.unwritten != 0 && !t->local &&
        !t->priv && is_plain(n->at, t)) {
        load_never(n, w, unwritten, t);
        return;
    }
    // Of a draw another stage's waves may have written local memory.
    if (w == NULL || (!t->local && !t->priv) || (t->local && n->wave->stage != NULL)) {
        return;
    }
    const bool there = !t->local || m->bits != NULL
                           ? t->local || lull_shadow_memory_private(m, n->at, UINT8_MAX)
                           : lull_shadow_memory_new(m, n->at->local_bytes, 0, UINT8_MAX);
    if (!there) {
        lull_checks_lose(n->all);
        return;
    }
    lull_shadow_access(&w->shadow, m, n->at, p, t, &never);
    if ((never.lanes[0] | never.lanes[1]) != 0) {
        loaded(n, w, p, &never);
    }
}

const struct lull_check_module lull_check_uninit_ir3 = {.name = "uninit",
                                                        .draws = true,
                                                        .priv = true,
                                                        .plan_bytes =
                                                            sizeof(struct lull_shadow_plan),
                                                        .plan = plan,
                                                        .own_bytes = sizeof(struct own),
                                                        .starts = starts,
                                                        .before = before,
                                                        .memory = memory,
                                                        .drop_wave = drop_wave,
                                                        .drop_group = drop_group,
                                                        .done = done};
