// SPDX-License-Identifier: MIT
// Of ir3.
#include <stdlib.h>

#include "arch/arch.h"
#include "check/bounds/outside.h"
#include "check/bounds/outside_load.h"
#include "check/shadow/shadow.h"

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

void lull_outside_ir3_before(const struct lull_check_now *n)
{
    static const char *const uses[] = {[LULL_SHADOW_BRANCH] = "branches on what it got",
                                       [LULL_SHADOW_ADDRESS] = "takes what it got for an address",
                                       [LULL_SHADOW_DATA] = "stores what it got"};
    struct wave *w = *n->of_wave;
    const struct lull_shadow_plan *p = n->plan;
    if (w == NULL || !lull_shadow_left(&w->shadow)) {
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
        lull_outside_tell(n, &w->loads, f.from, f.lanes,
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

void lull_outside_ir3_memory(const struct lull_check_now *n, const struct lull_touch *t)
{
    struct wave *w = *n->of_wave;
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
    if (w == NULL) {
        w = *n->of_wave = calloc(1, sizeof *w);
    }
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
