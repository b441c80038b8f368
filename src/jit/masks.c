// SPDX-License-Identifier: MIT
// Source: Intel SDM volume 2, chapters 3 to 5.
#include "jit/masks.h"

enum { UNORDERED = 3, ORDERED = 7 }; // Predicates of vcmpps.
enum { CC_NC = 3 };

static const struct lull_vex compare = {1, 0, 0, 1, 0xc2}, blend = {3, 1, 0, 1, 0x4a},
                             bits_of = {1, 0, 0, 1, 0x50}, test_ps = {2, 1, 0, 1, 0x0e},
                             test_bits = {2, 1, 0, 1, 0x17}, broadcast8 = {2, 1, 0, 1, 0x78};
// Of k registers, 16 bits: kmovw, also to a general register; kandw, kandnw, kxnorw, ktestw,
// kortestw.
static const struct lull_vex kmov = {1, 0, 0, 0, 0x90}, kmov_general = {1, 0, 0, 0, 0x93},
                             kand = {1, 0, 0, 1, 0x41}, kandn = {1, 0, 0, 1, 0x42},
                             kxnor = {1, 0, 0, 1, 0x46}, ktest = {1, 0, 0, 0, 0x99},
                             kortest = {1, 0, 0, 0, 0x98};

enum { GOOD = LULL_JIT_GOOD - LULL_JIT_K, ON = LULL_JIT_ON - LULL_JIT_K };

static void load_bits(struct lull_jit_window *q, unsigned p, struct lull_x86_mem bits)
{
    lull_vex_mem(q->x, broadcast8, p, 0, bits);
    lull_vex_mem(q->x, lull_vex_and_int, p, p, lull_jit_at_const(q, LULL_JIT_BITS));
    lull_vex_mem(q->x, lull_vex_equal32, p, p, lull_jit_at_const(q, LULL_JIT_BITS));
}

void lull_jit_masks_full(struct lull_jit_window *q)
{
    if (lull_jit_wide(q)) {
        lull_vex_reg(q->x, kxnor, ON, ON, ON);
    } else {
        lull_vex_reg(q->x, lull_vex_equal32, LULL_JIT_EXEC, LULL_JIT_EXEC, LULL_JIT_EXEC);
    }
}

/** Lanes that are not in doubt so far. */
static unsigned good(const struct lull_jit_window *q)
{
    return q->checked ? GOOD : ON;
}

void lull_jit_masks_begin(struct lull_jit_window *q)
{
    const struct lull_x86_mem exec = lull_jit_at_exec(q);
    if (q->full) {
        return; // All strips have the same: lull_jit_masks_full().
    }
    if (lull_jit_wide(q)) {
        lull_vex_mem(q->x, kmov, ON, 0, exec);
    } else {
        load_bits(q, LULL_JIT_EXEC, exec);
    }
}

void lull_jit_mask_load(struct lull_jit_window *q, unsigned p, struct lull_x86_mem bits)
{
    if (lull_jit_wide(q)) {
        lull_vex_mem(q->x, kmov, p - LULL_JIT_K, 0, bits);
    } else {
        load_bits(q, p, bits);
    }
}

void lull_jit_mask_uniform(struct lull_jit_window *q, unsigned p, struct lull_x86_mem dword)
{
    if (lull_jit_wide(q)) {
        lull_vex_mem(q->x, kmov, p - LULL_JIT_K, 0, dword);
    } else {
        lull_vex_mem(q->x, lull_vex_broadcast32, p, 0, dword);
    }
}

void lull_jit_mask_bits(struct lull_jit_window *q, unsigned p)
{
    if (lull_jit_wide(q)) {
        lull_vex_reg(q->x, kmov_general, LULL_RAX, 0, p - LULL_JIT_K);
    } else {
        lull_vex_reg(q->x, bits_of, LULL_RAX, 0, p);
    }
}

void lull_jit_mask_on(struct lull_jit_window *q, unsigned p)
{
    if (lull_jit_wide(q)) {
        lull_vex_reg(q->x, kand, p - LULL_JIT_K, p - LULL_JIT_K, ON);
    } else if (q->pair.there) {
        lull_vex_mem(q->x, lull_vex_and, p, p, lull_jit_at_pair_exec(q->pair.half));
    } else {
        lull_vex_reg(q->x, lull_vex_and, p, p, LULL_JIT_EXEC);
    }
}

void lull_jit_in_doubt(struct lull_jit_window *q, unsigned p)
{
    if (lull_jit_wide(q)) {
        lull_vex_reg(q->x, kandn, GOOD, p - LULL_JIT_K, good(q));
    } else if (q->pair.there) { // What is off is never looked at again.
        lull_vex_mem(q->x, lull_vex_and, LULL_JIT_EXEC, p, lull_jit_at_pair_exec(q->pair.half));
        lull_vex_reg(q->x, lull_vex_or, LULL_JIT_DOUBT, LULL_JIT_DOUBT, LULL_JIT_EXEC);
    } else if (q->checked) {
        lull_vex_reg(q->x, lull_vex_or, LULL_JIT_DOUBT, LULL_JIT_DOUBT, p);
    } else { // The first are all that there are.
        lull_jit_copy(q, LULL_JIT_DOUBT, p);
    }
    q->checked = true;
}

void lull_jit_unordered(struct lull_jit_window *q, unsigned a, unsigned b, unsigned temp)
{
    if (lull_jit_wide(q)) {
        const struct lull_evex ordered = {.op = {1, 0, 0, 2, 0xc2}, .k = (uint8_t)good(q)};
        lull_evex_reg(q->x, ordered, GOOD, a, b);
        lull_x86_byte(q->x, ORDERED);
        q->checked = true;
        return;
    }
    if (q->pair.there) {
        const bool vgpr = q->slot[a].kind == LULL_JIT_VGPR;
        const unsigned half = vgpr ? q->slot[a].key / LULL_JIT_HALF : q->pair.half;
        lull_vex_reg(q->x, compare, temp, a, b);
        lull_x86_byte(q->x, UNORDERED);
        lull_vex_mem(q->x, lull_vex_and, temp, temp, lull_jit_at_pair_exec(half));
        lull_vex_reg(q->x, lull_vex_or, LULL_JIT_DOUBT, LULL_JIT_DOUBT, temp);
        q->checked = true;
        return;
    }
    const unsigned to = q->checked ? temp : LULL_JIT_DOUBT; // The first is all that there is.
    lull_vex_reg(q->x, compare, to, a, b);
    lull_x86_byte(q->x, UNORDERED);
    if (q->checked) {
        lull_jit_in_doubt(q, to);
    }
    q->checked = true;
}

size_t lull_jit_doubt_jump(struct lull_jit_window *q)
{
    if (lull_jit_wide(q)) { // Carry: no lane is on and not good.
        lull_vex_reg(q->x, ktest, GOOD, 0, ON);
        return lull_x86_jump(q->x, CC_NC);
    }
    lull_vex_reg(q->x, test_ps, LULL_JIT_DOUBT, 0, LULL_JIT_EXEC);
    return lull_x86_jump(q->x, LULL_JNE);
}

size_t lull_jit_none_jump(struct lull_jit_window *q, unsigned p)
{
    if (lull_jit_wide(q)) {
        lull_vex_reg(q->x, kortest, p - LULL_JIT_K, 0, p - LULL_JIT_K);
    } else {
        lull_vex_reg(q->x, test_bits, p, 0, p);
    }
    return lull_x86_jump(q->x, LULL_JE);
}

void lull_jit_blend(struct lull_jit_window *q, unsigned to, unsigned a, unsigned b, unsigned mask)
{
    if (lull_jit_wide(q)) {
        const struct lull_evex merge = {.op = {1, 0, 0, 2, 0x28},
                                        .k = (uint8_t)(mask - LULL_JIT_K)};
        lull_jit_copy(q, to, a);
        lull_evex_reg(q->x, merge, to, 0, b);
    } else {
        lull_vex_reg(q->x, blend, to, a, b);
        lull_x86_byte(q->x, mask << 4);
    }
}

void lull_jit_store_on(struct lull_jit_window *q, unsigned p, struct lull_x86_mem to)
{
    if (q->full) {
        lull_jit_store(q, p, to);
    } else if (lull_jit_wide(q)) {
        // A third of the time of a load, a merge and a store (Zen 5).
        const struct lull_evex store = {.op = {1, 0, 0, 2, 0x11}, .k = ON, .unit = 64};
        lull_evex_mem(q->x, store, p, 0, to);
    } else {
        lull_jit_load(q, LULL_JIT_DOUBT, to);
        lull_vex_reg(q->x, blend, LULL_JIT_DOUBT, LULL_JIT_DOUBT, p);
        lull_x86_byte(q->x, LULL_JIT_EXEC << 4);
        lull_jit_store(q, LULL_JIT_DOUBT, to);
    }
}
