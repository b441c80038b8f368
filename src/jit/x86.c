// SPDX-License-Identifier: MIT
// Source: Intel SDM volume 2, chapters 3 to 5.
#include "jit/machine.h"
#include "jit/masks.h"

static void broadcast(struct lull_jit_window *q, unsigned to, struct lull_x86_mem dword)
{
    lull_jit_mem(q, lull_vex_broadcast32, to, 0, dword);
}

static void chosen(struct lull_jit_window *q, unsigned to, unsigned n)
{
    lull_x86_bytes(q->x, "\x41\x8b\x87", 3); // mov eax,[r15+disp32]
    lull_x86_u32(q->x, (uint32_t)lull_jit_at_choice(n).disp);
    lull_jit_load(q, to, (struct lull_x86_mem){LULL_R13, LULL_RAX, 0});
}

static void strip_of(struct lull_jit_window *q, unsigned to, int32_t disp)
{
    // rbx counts lanes in bytes of a mask, eight to each: mov eax,ebx; shl eax,5.
    lull_x86_bytes(q->x, "\x89\xd8\xc1\xe0\x05", 5);
    lull_jit_load(q, to, (struct lull_x86_mem){LULL_R15, LULL_RAX, disp});
}

static void and_with(struct lull_jit_window *q, unsigned to, unsigned from, uint32_t n)
{
    lull_jit_mem(q, lull_vex_and, to, from, lull_jit_at_const(q, n));
}

static void xor_with(struct lull_jit_window *q, unsigned to, unsigned from, uint32_t n)
{
    lull_jit_mem(q, lull_vex_xor, to, from, lull_jit_at_const(q, n));
}

static void with_sign(struct lull_jit_window *q, unsigned to, unsigned from, bool half,
                      struct lull_jit_sign sign)
{
    enum { SHIFT_LEFT = 6, SHIFT_ARITHMETIC = 4, HALF_BITS = 16 };
    const struct lull_vex shift = {1, 1, 0, 1, 0x72}, magnitude = {2, 1, 0, 1, 0x1e},
                          add = {1, 1, 0, 1, 0xfe};
    if (half) {
        lull_jit_reg(q, shift, SHIFT_LEFT, to, from); // vpslld, vpsrad
        lull_x86_byte(q->x, HALF_BITS);
        lull_jit_reg(q, shift, SHIFT_ARITHMETIC, to, to);
        lull_x86_byte(q->x, HALF_BITS);
        from = to;
    }
    if (sign.abs) {
        lull_jit_reg(q, magnitude, to, 0, from); // vpabsd
        from = to;
    }
    if (sign.neg) { // ~(v - 1)
        const uint32_t ones = lull_jit_const32(q, UINT32_MAX);
        lull_jit_mem(q, add, to, from, lull_jit_at_const(q, ones));
        xor_with(q, to, to, ones);
    }
}

static void halves(struct lull_jit_window *q, unsigned to, unsigned from, unsigned which)
{
    uint8_t bytes[4 * LULL_JIT_LANES];
    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)((i & 12) + 2 * (which >> (i >> 1 & 1) & 1) + (i & 1));
    }
    lull_jit_mem(q, lull_vex_shuffle, to, from, lull_jit_at_const(q, lull_jit_const(q, bytes)));
}

/** The lower half of each lane of @p p, or the upper, as numbers of 16 bits one behind the other,
 * to the lower half of @p to. */
static void gather(struct lull_jit_window *q, unsigned to, unsigned p, bool high)
{
    enum { HALF_BITS = 16, JOIN = 8 }; // JOIN: the first quarter, then the third.
    const struct lull_vex shift = {1, 1, 0, 1, 0x72}, narrow = {2, 2, 0, 2, 0x33},
                          quarters = {3, 1, 1, 1, 0x00};
    uint8_t from[4 * LULL_JIT_LANES];
    if (!lull_jit_wide(q)) {
        for (unsigned i = 0; i < sizeof from; i++) {
            from[i] = (uint8_t)(4 * (i >> 1 & 3) + 2 * high + (i & 1));
        }
        lull_jit_mem(q, lull_vex_shuffle, to, p, lull_jit_at_const(q, lull_jit_const(q, from)));
        lull_jit_reg(q, quarters, to, 0, to);
        lull_x86_byte(q->x, JOIN);
        return;
    }
    if (high) {
        lull_jit_reg(q, shift, 2, to, p); // vpsrld
        lull_x86_byte(q->x, HALF_BITS);
    }
    lull_jit_reg(q, narrow, high ? to : p, 0, to);
}

static void widen(struct lull_jit_window *q, unsigned to, unsigned from, bool high)
{
    const struct lull_vex convert = {2, 1, 0, 1, 0x13}; // vcvtph2ps
    gather(q, to, from, high);
    lull_jit_reg(q, convert, to, 0, to);
}

static void narrow(struct lull_jit_window *q, unsigned to, unsigned from)
{
    enum { AS_MXCSR = 4 };
    // vcvtps2ph, whose destination is in r/m; vpmovzxwd.
    const struct lull_vex convert = {3, 1, 0, 1, 0x1d}, zeros = {2, 1, 0, 1, 0x33};
    lull_jit_reg(q, convert, from, 0, to);
    lull_x86_byte(q->x, AS_MXCSR);
    lull_jit_reg(q, zeros, to, 0, to);
}

static void or_with(struct lull_jit_window *q, unsigned to, unsigned from)
{
    lull_jit_reg(q, lull_vex_or, to, to, from);
}

const struct lull_jit_machine lull_jit_machine_x86 = {
    .copy = lull_jit_copy,
    .load = lull_jit_load,
    .store = lull_jit_store,
    .broadcast = broadcast,
    .chosen = chosen,
    .strip_of = strip_of,
    .mask_load = lull_jit_mask_load,
    .mask_uniform = lull_jit_mask_uniform,
    .mask_on = lull_jit_mask_on,
    .blend = lull_jit_blend,
    .in_doubt = lull_jit_in_doubt,
    .unordered = lull_jit_unordered,
    .if_none = lull_jit_none_jump,
    .and_with = and_with,
    .xor_with = xor_with,
    .with_sign = with_sign,
    .halves = halves,
    .widen = widen,
    .narrow = narrow,
    .or_with = or_with,
};
