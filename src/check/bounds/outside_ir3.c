// SPDX-License-Identifier: MIT
// Of ir3.
#include <stdlib.h>

#include "arch/arch.h"
#include "arch/ir3.h"
#include "check/bounds/outside.h"
#include "check/bounds/outside_load.h"
#include "check/shadow/shadow.h"

/** Numbers of loads of struct own have it. */
enum { OF_ALL = 1 << 16 };

/** Of the run: constants that a preamble has loaded for all waves of a dispatch, and where. */
struct own {
    uint64_t launch;
    const char *stage;
    struct lull_shadow_consts consts;
    struct lull_outside_loads loads;
};

_Static_assert(sizeof(struct own) <= LULL_OUTSIDE_IR3_BYTES, "there is room for it");

/** Made for a wave's first such load. */
struct wave {
    struct lull_shadow shadow;
    struct lull_shadow_memory priv; // While registers have marks.
    struct lull_outside_loads loads;
};

void lull_outside_ir3_drop(void *of_wave)
{
    struct wave *w = of_wave;
    lull_shadow_memory_done(&w->priv);
    free(w);
}

bool lull_outside_ir3_plan(const struct lull_check_now *n, void *plan)
{
    lull_shadow_plan(n->at, plan);
    return false;
}

/** NULL: no memory. */
static struct wave *wave_of(const struct lull_check_now *n)
{
    struct own *o = n->own;
    struct wave *w = *n->of_wave;
    if (w == NULL) {
        w = *n->of_wave = calloc(1, sizeof *w);
        if (w == NULL) {
            lull_checks_lose(n->all);
            return NULL;
        }
        w->shadow.consts = &o->consts;
    }
    return w;
}

void lull_outside_ir3_starts(const struct lull_check_now *n)
{
    struct own *o = n->own;
    if (o->launch != n->group->launch || o->stage != n->wave->stage) {
        o->launch = n->group->launch;
        o->stage = n->wave->stage;
        if (o->consts.any) {
            o->consts = (struct lull_shadow_consts){.any = false};
        }
    } else if (o->consts.any && wave_of(n) != NULL) {
        lull_check_call(n, true);
    }
}

void lull_outside_ir3_before(const struct lull_check_now *n)
{
    static const char *const uses[] = {[LULL_SHADOW_BRANCH] = "branches on what it got",
                                       [LULL_SHADOW_ADDRESS] = "takes what it got for an address",
                                       [LULL_SHADOW_DATA] = "stores what it got"};
    struct wave *w = *n->of_wave;
    const struct lull_shadow_plan *p = n->plan;
    const struct own *o = n->own;
    if (w == NULL || (!lull_shadow_left(&w->shadow) && !o->consts.any)) {
        lull_check_call(n, false);
        return;
    }
    if (!lull_shadow_meets(&w->shadow, n->at, p)) {
        return;
    }
    const struct lull_shadow_found f = lull_shadow_used(&w->shadow, n->at, p, false);
    const bool copies = p->kind == LULL_SHADOW_PRIVATE && f.use == LULL_SHADOW_DATA;
    if (f.use != LULL_SHADOW_MOVES && !copies) {
        const bool atomic = f.use == LULL_SHADOW_DATA && p->loads && p->stores;
        lull_outside_tell(n, (f.from & OF_ALL) != 0 ? &o->loads : &w->loads, f.from & ~OF_ALL,
                          f.lanes,
                          atomic ? "gives what it got to an atomic operation" : uses[f.use]);
        lull_shadow_settle(&w->shadow, n->at, p);
    }
    lull_shadow_move(&w->shadow, n->at, p);
}

/** Registers of dword @p d, or of its halves, which @p t loads, become marked. */
static void mark(struct wave *w, const struct lull_touch *t, unsigned d, const uint64_t lanes[2],
                 uint32_t number)
{
    enum { HALF_BYTES = 2, DWORD = 4 };
    const bool half = t->data >= LULL_ARCH_IR3_HALVES;
    const unsigned n = half && t->bytes - d * DWORD > HALF_BYTES ? 2 : 1;
    const unsigned first = half ? t->data - LULL_ARCH_IR3_HALVES + 2 * d : t->data + d;
    for (unsigned k = 0; k < n; k++) {
        lull_shadow_mark_operand(&w->shadow, (int32_t)(first + k), half, lanes, number);
    }
}

/** Private memory has what registers had. */
static void move(const struct lull_check_now *n, struct wave *w, const struct lull_touch *t)
{
    struct lull_shadow_never never = {0};
    if (lull_shadow_memory_private(&w->priv, n->at, 0)) {
        lull_shadow_access(&w->shadow, &w->priv, n->at, n->plan, t, &never);
    } else {
        lull_checks_lose(n->all);
    }
}

/** A load of all lanes, to shared registers or constants. */
static void load_all(const struct lull_check_now *n, const struct lull_touch *t)
{
    struct own *o = n->own;
    struct wave *w = wave_of(n);
    const uint32_t number = w != NULL ? lull_outside_number(&o->loads, n->at->pc) : 0;
    const uint64_t all[2] = {UINT64_MAX, UINT64_MAX};
    if (number == 0) {
        return;
    }
    lull_outside_note(n, t, &o->loads, number, 1);
    for (unsigned d = t->bytes / 4; d < t->bytes / 4 + t->dropped; d++) {
        if (t->data >= LULL_ARCH_IR3_CONSTANTS) {
            lull_shadow_mark_constant(&w->shadow, t->data - LULL_ARCH_IR3_CONSTANTS + d,
                                      number | OF_ALL);
        } else {
            const bool half = t->data >= LULL_ARCH_IR3_HALVES;
            const unsigned first = half ? t->data - LULL_ARCH_IR3_HALVES : t->data;
            lull_shadow_mark_operand(&w->shadow, (int32_t)(first + d), half, all, number | OF_ALL);
        }
    }
    lull_check_call(n, true);
}

void lull_outside_ir3_memory(const struct lull_check_now *n, const struct lull_touch *t)
{
    struct wave *w = *n->of_wave;
    if (t->scalar && t->dropped != 0 && t->available != 0) {
        load_all(n, t); // Of a descriptor of nothing all is told as such.
        return;
    }
    if (t->priv) {
        if (w != NULL) {
            move(n, w, t);
        }
        return;
    }
    if (!t->described || t->kind != LULL_TOUCH_LOAD || t->image || t->null || t->scalar ||
        lull_outside_inside(t)) {
        return;
    }
    w = wave_of(n);
    const uint32_t number = w != NULL ? lull_outside_number(&w->loads, n->at->pc) : 0;
    if (number == 0) {
        lull_checks_lose(n->all);
        return;
    }
    uint64_t all = 0;
    for (unsigned d = 0; d < (t->bytes + 3) / 4; d++) {
        uint64_t lanes[2] = {0}, *to = &lanes[t->from / 64];
        for (uint64_t m = t->lanes; m != 0; m &= m - 1) {
            const unsigned l = (unsigned)__builtin_ctzll(m);
            *to |= (uint64_t)lull_outside_beyond(t, l, d) << l;
        }
        all |= *to;
        if (*to != 0) {
            mark(w, t, d, lanes, number);
        }
    }
    if (all != 0) {
        lull_outside_note(n, t, &w->loads, number, all);
        lull_check_call(n, true);
    }
}
