// SPDX-License-Identifier: MIT
#include "check/bounds/outside.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "check/bounds/outside_load.h"
#include "check/marks.h"

enum { LOOK = 64 };

/** Made for a wave's first such load. */
struct wave {
    struct lull_marks marks;
    unsigned since; // Instructions, since it was last asked whether marks are left.
    struct lull_outside_loads loads;
};

void lull_outside_drop(void *of_wave)
{
    struct wave *w = of_wave;
    lull_marks_done(&w->marks);
    free(w);
}

static struct wave *wave_of(const struct lull_check_now *n)
{
    if (*n->of_wave == NULL) {
        *n->of_wave = calloc(1, sizeof(struct wave));
        if (*n->of_wave == NULL) {
            lull_checks_lose(n->all);
        }
    }
    return *n->of_wave;
}

/** The program uses what it got, in @p lanes; 0: the wave does. */
static void tell(const struct lull_check_now *n, struct wave *w, uint64_t lanes, const char *does)
{
    lull_outside_tell(n, &w->loads, w->marks.used, (const uint64_t[2]){lanes, 0}, does);
    lull_marks_forget(&w->marks);
}

void lull_outside_before(const struct lull_check_now *n)
{
    struct wave *w = *n->of_wave;
    const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)n->at->insn;
    if (w == NULL || !w->marks.any) {
        lull_check_call(n, false);
        return;
    }
    if (!lull_marks_is_access(in)) {
        if (lull_marks_branch(&w->marks, n->at, in)) {
            tell(n, w, 0, "branches on what it got");
        } else {
            lull_marks_move(&w->marks, n->at, in);
        }
    }
    if (++w->since == LOOK) {
        w->since = 0;
        w->marks.any = lull_marks_left(&w->marks);
    }
}

/** Dwords of a scalar load. */
static void mark_scalar(struct wave *w, const struct lull_touch *t, uint32_t number)
{
    for (unsigned d = 0; d < t->dropped; d++) {
        const uint64_t offset = t->address[0] + t->bytes + 4 * (uint64_t)d - t->base;
        if (offset >= t->available) {
            lull_marks_make_scalar(&w->marks, t->data + t->bytes / 4 + d, number);
        }
    }
}

static uint64_t mark_lanes(struct wave *w, const struct lull_touch *t, uint32_t number)
{
    uint64_t all = 0;
    for (unsigned d = 0; d < (t->bytes + 3) / 4; d++) {
        uint64_t lanes = 0;
        for (uint64_t m = t->lanes; m != 0; m &= m - 1) {
            const unsigned l = (unsigned)__builtin_ctzll(m);
            lanes |= (uint64_t)lull_outside_beyond(t, l, d) << l;
        }
        lull_marks_make(&w->marks, t->data + d, lanes, number);
        all |= lanes;
    }
    return all;
}

/** Is it a fetch of a texel? Those outside of images are not told either. */
static bool is_typed(const struct lull_check_now *n)
{
    const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)n->at->insn;
    return in->enc == LULL_RDNA_MTBUF || strstr(lull_rdna_info(in)->name, "_format_") != NULL;
}

/** A load through a descriptor. */
static void loads(const struct lull_check_now *n, const struct lull_touch *t)
{
    if (t->available == 0 || lull_outside_inside(t) || is_typed(n)) {
        return; // A null descriptor is told as such.
    }
    struct wave *w = wave_of(n);
    const uint32_t number = w != NULL ? lull_outside_number(&w->loads, n->at->pc) : 0;
    if (number == 0) {
        return;
    }
    uint64_t lanes = 1;
    if (t->scalar) {
        mark_scalar(w, t, number);
    } else {
        lanes = mark_lanes(w, t, number);
    }
    if (!w->marks.any || lanes == 0) {
        return;
    }
    lull_outside_note(n, t, &w->loads, number, lanes);
    lull_check_call(n, true);
}

void lull_outside_memory(const struct lull_check_now *n, const struct lull_touch *t)
{
    struct wave *w = *n->of_wave;
    const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)n->at->insn;
    uint64_t lanes = 0;
    if (w != NULL && w->marks.any) {
        const enum lull_marks_use use = lull_marks_access(&w->marks, n->at, in, t, &lanes);
        if (use == LULL_MARKS_ADDRESS) {
            tell(n, w, t->scalar ? 0 : lanes, "takes what it got for an address");
        } else if (use == LULL_MARKS_DATA) {
            tell(n, w, lanes,
                 t->kind == LULL_TOUCH_STORE ? "stores what it got"
                                             : "gives what it got to an atomic operation");
        }
    }
    if (t->described && t->kind == LULL_TOUCH_LOAD && !t->image) {
        loads(n, t);
    }
}
