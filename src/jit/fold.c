// SPDX-License-Identifier: MIT
// Source: Intel SDM volume 2, chapters 3 to 5.
#include "jit/fold.h"

#include <string.h>

/** Map, prefix and opcode in one number. */
enum {
    VPAND = 0x11db,
    VPANDN = 0x11df,
    VPOR = 0x11eb,
    VPXOR = 0x11ef,
    VPADDD = 0x11fe,
    VPSUBD = 0x11fa,
    VPCMPEQD = 0x1176,
    VPCMPGTD = 0x1166,
    VSHIFT = 0x1172, // By an immediate; ext says which.
    VANDPS = 0x1054,
    VANDNPS = 0x1055,
    VORPS = 0x1056,
    VXORPS = 0x1057,
    VPMINSD = 0x2139,
    VPMINUD = 0x213b,
    VPMAXSD = 0x213d,
    VPMAXUD = 0x213f,
    VPMULLD = 0x2140,
    VPSRLVD = 0x2145,
    VPSRAVD = 0x2146,
    VPSLLVD = 0x2147,
    VMOVUPS = 0x1010,
    VMOVAPS = 0x1028,
    VMOVDQA = 0x116f,
    VMOVDQU = 0x126f,
    VPSHUFB = 0x2100,
    VBLENDVPS = 0x314a,
    VBLENDVPD = 0x314b,
    VPBLENDVB = 0x314c,
    VBROADCASTSS = 0x2118,
    VPBROADCASTD = 0x2158,
    VPTERNLOGD = 0x3125,
    VPRORVD = 0x2114,
    VPROLVD = 0x2115,
    ROR = 0,
    ROL = 1,
    SRL = 2,
    SRA = 4,
    SLL = 6,
    WIDTH = 32,
};

static unsigned name(const struct lull_jit_op *o)
{
    const bool narrow = o->w == 0 || o->evex == 0; // Of 32 bits, in EVEX.
    return !narrow ? 0 : (unsigned)o->map << 12 | (unsigned)o->pp << 8 | o->opcode;
}

/** Whether it is done to whole vectors. */
static bool is_whole(const struct lull_jit_op *o)
{
    return o->l == (o->evex != 0 ? 2 : 1);
}

bool lull_jit_fold_const(const struct lull_jit_target *t, int n, uint32_t *ret)
{
    const uint8_t *c = lull_jit_const_of(t, n);
    memcpy(ret, c, sizeof *ret);
    return memcmp(c, c + sizeof *ret, lull_jit_bytes(t) - sizeof *ret) == 0;
}

bool lull_jit_fold_load(const struct lull_jit_target *t, const struct lull_jit_op *o, uint32_t *ret)
{
    if (o->form != LULL_JIT_RM || o->konst < 0 || !is_whole(o)) {
        return false;
    }
    const bool same = lull_jit_fold_const(t, o->konst, ret);
    switch (name(o)) {
    case VBROADCASTSS:
    case VPBROADCASTD:
        return true;
    case VMOVUPS:
    case VMOVAPS:
    case VMOVDQA:
    case VMOVDQU:
        return same;
    default:
        return false;
    }
}

static uint32_t shifted(unsigned kind, uint32_t a, uint32_t by)
{
    if (kind == ROR || kind == ROL) {
        const uint32_t left = (kind == ROL ? by : 0 - by) % WIDTH;
        return left == 0 ? a : a << left | a >> (WIDTH - left);
    }
    if (kind == SRA) {
        return (uint32_t)((int32_t)a >> (by < WIDTH ? by : WIDTH - 1));
    }
    return by >= WIDTH ? 0 : kind == SRL ? a >> by : a << by;
}

bool lull_jit_fold_shift(const struct lull_jit_op *o, unsigned *ext)
{
    const unsigned n = name(o);
    const bool rotation = o->evex != 0 && (n == VPRORVD || n == VPROLVD);
    *ext = n == VPSRLVD ? SRL : n == VPSRAVD ? SRA : n == VPRORVD ? ROR : n == VPROLVD ? ROL : SLL;
    return o->form == LULL_JIT_RVM && is_whole(o) && o->w == 0 &&
           (n == VPSRLVD || n == VPSRAVD || n == VPSLLVD || rotation);
}

bool lull_jit_fold_commutes(const struct lull_jit_op *o)
{
    switch (o->form == LULL_JIT_RVM && is_whole(o) ? name(o) : 0) {
    case VPAND:
    case VPOR:
    case VPXOR:
    case VPADDD:
    case VPCMPEQD:
    case VANDPS:
    case VORPS:
    case VXORPS:
    case VPMULLD:
        return true;
    default:
        return false;
    }
}

/** Of two operands. */
static bool of_two(unsigned n, uint32_t a, uint32_t b, uint32_t *ret)
{
    const int32_t x = (int32_t)a, y = (int32_t)b;
    switch (n) {
    case VPAND:
    case VANDPS:
        *ret = a & b;
        return true;
    case VPANDN:
    case VANDNPS:
        *ret = ~a & b;
        return true;
    case VPOR:
    case VORPS:
        *ret = a | b;
        return true;
    case VPXOR:
    case VXORPS:
        *ret = a ^ b;
        return true;
    case VPADDD:
        *ret = a + b;
        return true;
    case VPSUBD:
        *ret = a - b;
        return true;
    case VPMULLD:
        *ret = a * b;
        return true;
    case VPCMPEQD:
        *ret = a == b ? UINT32_MAX : 0;
        return true;
    case VPCMPGTD:
        *ret = x > y ? UINT32_MAX : 0;
        return true;
    case VPMINSD:
        *ret = x < y ? a : b;
        return true;
    case VPMAXSD:
        *ret = x > y ? a : b;
        return true;
    case VPMINUD:
        *ret = a < b ? a : b;
        return true;
    case VPMAXUD:
        *ret = a > b ? a : b;
        return true;
    default:
        return false;
    }
}

bool lull_jit_fold(const struct lull_jit_op *o, uint32_t a, uint32_t b, uint32_t *ret)
{
    unsigned ext = 0;
    if (!is_whole(o) || o->tied != 0 || o->kd != 0 || o->k >= 0) {
        return false;
    }
    if (lull_jit_fold_shift(o, &ext)) {
        *ret = shifted(ext, a, b);
        return true;
    }
    if (o->form == LULL_JIT_VM && name(o) == VSHIFT) { // Its source is s2.
        *ret = shifted(o->ext, b, o->imm);
        return o->ext == SRL || o->ext == SRA || o->ext == SLL;
    }
    if (o->form == LULL_JIT_ZERO) {
        const bool ones = name(o) == VPCMPEQD || (o->evex != 0 && name(o) == VPTERNLOGD);
        *ret = ones ? UINT32_MAX : 0;
        return ones || name(o) == VPXOR || name(o) == VXORPS;
    }
    return o->form == LULL_JIT_RVM && o->has_imm == 0 && of_two(name(o), a, b, ret);
}

/** A whole word selects a whole one. */
static enum lull_jit_part selected(unsigned n, uint32_t mask)
{
    enum { SIGN_BIT = 31 };
    const bool bytes = n == VPBLENDVB;
    if (bytes && mask != 0 && mask != UINT32_MAX) {
        return LULL_JIT_PART_NONE;
    }
    return (mask >> SIGN_BIT) != 0 ? LULL_JIT_PART_SECOND : LULL_JIT_PART_FIRST;
}

static bool is(struct lull_jit_fact f, uint32_t v)
{
    return f.known && f.v == v;
}

/** Of two operands, one of which is 0 or has all bits set. */
static enum lull_jit_part part_of_two(unsigned n, struct lull_jit_fact a, struct lull_jit_fact b)
{
    const bool a0 = is(a, 0), b0 = is(b, 0), a1 = is(a, UINT32_MAX), b1 = is(b, UINT32_MAX);
    switch (n) {
    case VPAND:
    case VANDPS:
        return a0 || b0 ? LULL_JIT_PART_ZERO
               : a1     ? LULL_JIT_PART_SECOND
               : b1     ? LULL_JIT_PART_FIRST
                        : LULL_JIT_PART_NONE;
    case VPANDN:
    case VANDNPS:
        return a1 || b0 ? LULL_JIT_PART_ZERO : a0 ? LULL_JIT_PART_SECOND : LULL_JIT_PART_NONE;
    case VPOR:
    case VORPS:
    case VPXOR:
    case VXORPS:
    case VPADDD:
        return a0 ? LULL_JIT_PART_SECOND : b0 ? LULL_JIT_PART_FIRST : LULL_JIT_PART_NONE;
    case VPMULLD:
        return a0 || b0 ? LULL_JIT_PART_ZERO : LULL_JIT_PART_NONE;
    case VPSUBD:
        return b0 ? LULL_JIT_PART_FIRST : LULL_JIT_PART_NONE;
    case VPSRLVD:
    case VPSRAVD:
    case VPSLLVD:
        return a0 ? LULL_JIT_PART_ZERO : b0 ? LULL_JIT_PART_FIRST : LULL_JIT_PART_NONE;
    default:
        return LULL_JIT_PART_NONE;
    }
}

enum lull_jit_part lull_jit_fold_part(const struct lull_jit_op *o, struct lull_jit_fact a,
                                      struct lull_jit_fact b, struct lull_jit_fact mask)
{
    const unsigned n = name(o);
    if (!is_whole(o) || o->tied != 0 || o->kd != 0 || o->k >= 0) {
        return LULL_JIT_PART_NONE;
    }
    if (o->form == LULL_JIT_RVMR) {
        const bool select = n == VBLENDVPS || n == VBLENDVPD || n == VPBLENDVB;
        return select && mask.known ? selected(n, mask.v) : LULL_JIT_PART_NONE;
    }
    if (o->form == LULL_JIT_VM) {
        const bool shift = n == VSHIFT && (o->ext == SRL || o->ext == SRA || o->ext == SLL);
        return shift && o->imm == 0 ? LULL_JIT_PART_SECOND : LULL_JIT_PART_NONE;
    }
    return o->form == LULL_JIT_RVM && o->has_imm == 0 && o->w == 0 ? part_of_two(n, a, b)
                                                                   : LULL_JIT_PART_NONE;
}

bool lull_jit_fold_shuffle(const struct lull_jit_target *t, const struct lull_jit_op *o, uint32_t a,
                           uint32_t *ret)
{
    enum { NOTHING = 0x80 };
    if (o->form != LULL_JIT_RVM || !is_whole(o) || name(o) != VPSHUFB || o->konst < 0) {
        return false;
    }
    const uint8_t *from = lull_jit_const_of(t, o->konst);
    uint32_t first = 0;
    for (unsigned i = 0; i < t->lanes; i++) {
        uint32_t v = 0;
        for (unsigned k = 0; k < sizeof v; k++) {
            const uint8_t n = from[sizeof v * i + k];
            v |= ((n & NOTHING) != 0 ? 0 : a >> 8 * (n & 3) & 0xff) << 8 * k;
        }
        first = i == 0 ? v : first;
        if (v != first) {
            return false;
        }
    }
    *ret = first;
    return true;
}
