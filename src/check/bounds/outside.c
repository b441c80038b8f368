// SPDX-License-Identifier: MIT
#include "check/bounds/outside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "check/marks.h"

enum { LANES = 64, MAX_LOADS = 32, LOOK = 64 };

/** A load outside of the range of a descriptor, as it was executed last. */
struct load {
    uint64_t pc, lanes, address[LANES], base, available;
    unsigned bytes, descriptor;
    bool scalar;
};

/** Made for a wave's first such load. */
struct wave {
    struct lull_marks marks;
    unsigned nloads, since; // since: instructions, since it was last asked whether marks are left.
    struct load loads[MAX_LOADS];
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

/** "loads 4 bytes at byte 800 of the range of the descriptor in s4, which has 800 (element ...)".
 */
static char *load_text(const struct lull_check_now *n, const struct load *l, unsigned lane)
{
    struct lull_str s = {0};
    const uint64_t at = l->address[lane], offset = at - l->base;
    lull_str_addf(&s, "loads %u byte%s", l->bytes, l->bytes == 1 ? "" : "s");
    if (at >= l->base) {
        lull_str_addf(&s, " at byte %" PRIu64 " of", offset);
    } else {
        lull_str_addf(&s, " %" PRIu64 " bytes in front of", l->base - at);
    }
    lull_str_addf(&s, " the range of ");
    n->at->arch->descriptor(l->descriptor, &s);
    lull_str_addf(&s, ", which has %" PRIu64, l->available);
    if (at >= l->base && l->bytes != 0 && offset % l->bytes == 0 && l->available % l->bytes == 0) {
        lull_str_addf(&s, " (element %" PRIu64 " of %" PRIu64 ")", offset / l->bytes,
                      l->available / l->bytes);
    }
    char *text = s.err == NULL ? strdup(lull_str_text(&s)) : NULL;
    lull_error_free(s.err);
    s.err = NULL;
    lull_str_free(&s);
    return text;
}

/** The program uses what it got, in @p lanes; 0: the wave does. */
static void tell(const struct lull_check_now *n, struct wave *w, uint64_t lanes, const char *does)
{
    const struct load *l = w->marks.used != 0 ? &w->loads[w->marks.used - 1] : NULL;
    struct lull_finding *f =
        l == NULL ? NULL
                  : lull_check_found(n, "bounds",
                                     "what was loaded outside of the range of a descriptor is used",
                                     l->pc, n->at->pc);
    if (f != NULL && f->count == 1) {
        const uint64_t both = lanes & l->lanes, any = both != 0 ? both : l->lanes;
        const unsigned from = l->scalar ? 0 : (unsigned)__builtin_ctzll(any);
        f->sites[0] = lull_check_site(n, l->pc, from);
        f->sites[0].whole = l->scalar;
        f->sites[0].does = load_text(n, l, from);
        f->sites[1] =
            lull_check_site(n, n->at->pc, lanes != 0 ? (unsigned)__builtin_ctzll(lanes) : 0);
        f->sites[1].whole = lanes == 0;
        f->sites[1].does = lull_check_text("%s", does);
        f->note = lull_check_text("hardware gives 0 there: defined only where the program enables "
                                  "robustBufferAccess");
    }
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

/** The entry of the load at hand, which is number 1 and up; 0: there are too many. */
static uint32_t load_of(struct wave *w, uint64_t pc)
{
    for (uint32_t i = 0; i < w->nloads; i++) {
        if (w->loads[i].pc == pc) {
            return i + 1;
        }
    }
    return w->nloads == MAX_LOADS ? 0 : ++w->nloads;
}

/** Is dword @p d of lane @p l beyond the range? One that begins in it is not. */
static bool is_beyond(const struct lull_touch *t, unsigned l, unsigned d)
{
    const uint64_t offset = t->address[l] + 4 * (uint64_t)d - t->base;
    return (t->valid[l] >> d & 1) == 0 && offset >= t->available;
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
            lanes |= (uint64_t)is_beyond(t, l, d) << l;
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

/** Does every lane stay within the range? */
static bool is_inside(const struct lull_touch *t)
{
    return t->dropped == 0 && (t->low >= t->base && t->high - t->base + t->bytes <= t->available);
}

/** A load through a descriptor. */
static void loads(const struct lull_check_now *n, const struct lull_touch *t)
{
    if (t->available == 0 || is_inside(t) || is_typed(n)) {
        return; // A null descriptor is told as such.
    }
    struct wave *w = wave_of(n);
    const uint32_t number = w != NULL ? load_of(w, n->at->pc) : 0;
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
    struct load *l = &w->loads[number - 1];
    *l = (struct load){.pc = n->at->pc,
                       .lanes = lanes,
                       .base = t->base,
                       .available = t->available,
                       .bytes = t->bytes + 4 * t->dropped,
                       .descriptor = t->descriptor,
                       .scalar = t->scalar};
    for (unsigned i = 0; i < LANES; i++) {
        l->address[i] = t->scalar ? t->address[0] : (t->lanes >> i & 1) != 0 ? t->address[i] : 0;
    }
    lull_check_keep_insn(n);
    lull_check_call(n, true);
}

void lull_outside_memory(const struct lull_check_now *n, const struct lull_touch *t)
{
    struct wave *w = *n->of_wave;
    const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)n->at->insn;
    const bool marks = n->at->arch == &lull_arch_rdna3; // Others have none yet.
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
    if (t->described && t->kind == LULL_TOUCH_LOAD && !t->image && marks) {
        loads(n, t);
    }
}
