// SPDX-License-Identifier: MIT
// What stands where, and moves: what the window and masks are made of.
#include "jit/vendor.h"
#include "jit/window.h"

#include "model/amd/wave/wave.h"

static const struct lull_vex move = {1, 0, 0, 1, 0x28}, move_back = {1, 0, 0, 1, 0x29};
// Of k registers, 16 bits: kmovw.
static const struct lull_vex kmov = {1, 0, 0, 0, 0x90}, kmov_to = {1, 0, 0, 0, 0x91};
static const struct lull_vex load = {1, 0, 0, 1, 0x10}, store = {1, 0, 0, 1, 0x11};

void lull_jit_reg_wide(struct lull_jit_window *q, struct lull_vex op, unsigned reg, unsigned v,
                       unsigned rm)
{
    op.l = 2;
    lull_evex_reg(q->x, (struct lull_evex){.op = op}, reg, v, rm);
}

void lull_jit_mem_wide(struct lull_jit_window *q, struct lull_vex op, unsigned reg, unsigned v,
                       struct lull_x86_mem m)
{
    op.l = 2;
    // Those of other maps may read less than a vector.
    const uint8_t unit = op.map == 1 ? (uint8_t)lull_jit_bytes(q->target) : 0;
    lull_evex_mem(q->x, (struct lull_evex){.op = op, .unit = unit}, reg, v, m);
}

void lull_jit_copy(struct lull_jit_window *q, unsigned to, unsigned from)
{
    // The form with the shorter prefix.
    const bool back = from >= 8 && to < 8;
    if (to != from && to >= LULL_JIT_K) {
        lull_vex_reg(q->x, kmov, to - LULL_JIT_K, 0, from - LULL_JIT_K);
    } else if (to != from && lull_jit_wide(q)) {
        lull_jit_reg(q, move, to, 0, from);
    } else if (to != from) {
        lull_vex_reg(q->x, back ? move_back : move, back ? from : to, 0, back ? to : from);
    }
}

void lull_jit_load(struct lull_jit_window *q, unsigned to, struct lull_x86_mem from)
{
    if (to >= LULL_JIT_K) {
        lull_vex_mem(q->x, kmov, to - LULL_JIT_K, 0, from);
    } else {
        lull_jit_mem(q, load, to, 0, from);
    }
}

void lull_jit_store(struct lull_jit_window *q, unsigned from, struct lull_x86_mem to)
{
    if (from >= LULL_JIT_K) {
        lull_vex_mem(q->x, kmov_to, from - LULL_JIT_K, 0, to);
    } else {
        lull_jit_mem(q, store, from, 0, to);
    }
}

struct lull_x86_mem lull_jit_at_spill(unsigned n)
{
    return (struct lull_x86_mem){LULL_R15, LULL_X86_NONE,
                                 (int32_t)(offsetof(struct lull_jit_area, spill) +
                                           sizeof(uint32_t[LULL_JIT_LANES]) * (size_t)n)};
}

struct lull_x86_mem lull_jit_at_exec(const struct lull_jit_window *q)
{
    return (struct lull_x86_mem){LULL_RDI, LULL_RBX, q->target->vendor->exec};
}

static int32_t sgpr_offset(uint32_t sgpr)
{
    return (int32_t)(offsetof(struct lull_wave, sgpr) + 4 * (size_t)sgpr);
}

struct lull_x86_mem lull_jit_at_saved(unsigned n)
{
    return (struct lull_x86_mem){LULL_R15, LULL_X86_NONE,
                                 (int32_t)(offsetof(struct lull_jit_area, saved) + 8 * (size_t)n)};
}

struct lull_x86_mem lull_jit_at_choice(unsigned n)
{
    return (struct lull_x86_mem){
        LULL_R15, LULL_X86_NONE,
        (int32_t)(offsetof(struct lull_jit_area, choice) + sizeof(uint32_t) * (size_t)n)};
}

struct lull_x86_mem lull_jit_at_pair(enum lull_jit_kind kind, uint32_t key)
{
    const size_t vgprs = offsetof(struct lull_jit_paired, vgpr),
                 masks = offsetof(struct lull_jit_paired, mask), each = 32;
    const size_t at = kind == LULL_JIT_VGPR ? vgprs + each * key
                                            : masks + each * (key & ~(uint32_t)LULL_JIT_PAIR_MASK);
    return (struct lull_x86_mem){LULL_R15, LULL_X86_NONE,
                                 (int32_t)(offsetof(struct lull_jit_area, paired) + at)};
}

struct lull_x86_mem lull_jit_at_pair_exec(unsigned half)
{
    return lull_jit_at_pair(LULL_JIT_MASK, LULL_JIT_PAIR_MASK | half);
}

struct lull_x86_mem lull_jit_at_sgpr(uint32_t key)
{
    const uint32_t sgpr = key & 0xff, save = key >> 8 & 0xff;
    if (save == 0) {
        return (struct lull_x86_mem){LULL_RDI, LULL_X86_NONE, sgpr_offset(sgpr)};
    }
    struct lull_x86_mem m = lull_jit_at_saved(save - 1);
    m.disp += 4 * (int32_t)(sgpr & 1);
    return m;
}

struct lull_x86_mem lull_jit_at_mask(uint32_t key)
{
    struct lull_x86_mem m = lull_jit_at_sgpr(key);
    m.index = LULL_RBX;
    return m;
}
