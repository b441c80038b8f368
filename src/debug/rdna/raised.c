// SPDX-License-Identifier: MIT
#include "debug/rdna/raised.h"

#include "base/error.h"
#include "debug/rdna/access.h"
#include "isa/rdna/ops.h"

/** What a float is. */
enum {
    SMALL = 1, ///< Zero or denormal.
    DENORMAL = 2,
    LARGEST = 4,
    INFINITE = 8,
    QUIET = 16,
    SIGNALLING = 32,
};

/** Operand slot @p slot of an instruction, where its float stands. */
struct place {
    unsigned vgpr, bits; ///< bits 0: it is no float in VGPRs, or not all of one.
};

static unsigned classify(uint64_t v, unsigned bits)
{
    const unsigned mant = bits == 64 ? 52 : bits == 32 ? 23 : 10;
    const uint64_t a = v & ((UINT64_C(1) << (bits - 1)) - 1);
    const uint64_t inf = (UINT64_C(1) << (bits - 1)) - (UINT64_C(1) << mant);
    if (a > inf) {
        return (a >> (mant - 1) & 1) != 0 ? QUIET : SIGNALLING;
    }
    return a == inf                   ? INFINITE
           : a == inf - 1             ? LARGEST
           : a >= UINT64_C(1) << mant ? 0
           : a != 0                   ? SMALL | DENORMAL
                                      : SMALL;
}

static struct place place_of(const struct lull_rdna_insn *in, unsigned slot, unsigned operand)
{
    const unsigned type = lull_rdna_info(in)->type[slot];
    const unsigned bits = type == LULL_RDNA_T_F64   ? 64
                          : type == LULL_RDNA_T_F32 ? 32
                          : type == LULL_RDNA_T_F16 ? 16
                                                    : 0;
    const bool there = operand >= LULL_RDNA_VGPR0 && operand != LULL_RDNA_NONE;
    return (struct place){there ? operand - LULL_RDNA_VGPR0 : 0,
                          there && in->op_sel == 0 ? bits : 0};
}

static bool overlap(struct place a, struct place b)
{
    return a.vgpr <= b.vgpr + (b.bits == 64) && b.vgpr <= a.vgpr + (a.bits == 64);
}

LULL_MUST_USE static struct lull_error *class_of(struct lull_target *t,
                                                 const struct lull_wave_info *wave, struct place p,
                                                 unsigned lane, unsigned *ret)
{
    uint64_t v[2] = {0};
    struct lull_error *err = NULL;
    for (unsigned i = 0; err == NULL && i < (p.bits == 64 ? 2u : 1u); i++) {
        const struct lull_wave_reg reg = {
            .cls = LULL_REG_VGPR, .index = (uint16_t)(p.vgpr + i), .lane = (uint8_t)lane};
        err = t->ops->read_reg(t, wave->key, reg, &v[i]);
    }
    *ret = classify((uint32_t)v[0] | v[1] << 32, p.bits);
    return err;
}

/** Whether a result of class @p r from operands that have the classes @p s shows one of @p excp. */
static bool shows(uint32_t excp, unsigned r, unsigned s)
{
    const uint32_t by_zero = LULL_EXCEPTION_DIVZERO | LULL_EXCEPTION_INT_DIVZERO;
    return ((excp & by_zero) != 0 && r == INFINITE && (s & INFINITE) == 0) ||
           ((excp & LULL_EXCEPTION_OVERFLOW) != 0 && (r & (INFINITE | LARGEST)) != 0 &&
            (s & INFINITE) == 0) ||
           ((excp & LULL_EXCEPTION_INVALID) != 0 && (r & (QUIET | SIGNALLING)) != 0 &&
            ((s & QUIET) == 0 || (s & SIGNALLING) != 0)) ||
           ((excp & LULL_EXCEPTION_UNDERFLOW) != 0 && (r & SMALL) != 0) ||
           ((excp & LULL_EXCEPTION_DENORMAL) != 0 && (s & DENORMAL) != 0);
}

struct lull_error *lull_raised_lanes(struct lull_target *t, const struct lull_wave_info *wave,
                                     uint64_t va, uint32_t excp, uint64_t *ret)
{
    struct lull_rdna_insn in = {0};
    *ret = 0;
    if (!lull_access_insn(t, va, &in) || in.enc == LULL_RDNA_VOPD || in.enc == LULL_RDNA_VOP3P) {
        return NULL;
    }
    const struct place d = place_of(&in, LULL_RDNA_SLOT_DST, in.dst);
    struct place s[3] = {{0}};
    for (unsigned i = 0; i < 3; i++) {
        s[i] = place_of(&in, LULL_RDNA_SLOT_SRC0 + i, in.src[i]);
        const bool lost = (d.bits != 0 && overlap(d, s[i])) ||
                          (i == 0 && in.dpp != LULL_RDNA_NO_DPP); // of other lanes
        s[i].bits = lost ? 0 : s[i].bits;
    }
    struct lull_error *err = NULL;
    for (unsigned lane = 0; err == NULL && d.bits != 0 && lane < wave->lanes; lane++) {
        unsigned r = 0, all = 0, one = 0;
        if ((wave->exec >> lane & 1) == 0) {
            continue;
        }
        err = class_of(t, wave, d, lane, &r);
        for (unsigned i = 0; err == NULL && i < 3; i++) {
            err = s[i].bits != 0 ? class_of(t, wave, s[i], lane, &one) : NULL;
            all |= s[i].bits != 0 ? one : 0;
        }
        *ret |= (uint64_t)shows(excp, r, all) << lane;
    }
    return err;
}
