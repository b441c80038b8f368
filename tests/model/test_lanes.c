// SPDX-License-Identifier: MIT
// The fast ways of a vector instruction against the slow one, bit for bit, on random operands:
// - lane functions for each kind of host against those without host arithmetic, in all modes;
// - instructions without modifiers by the fast path against the general path, on random masks.
// Arguments: [seed [rounds]].
#include "isa/rdna/ops.h"
#include "model/amd/exec/uop.h"
#include "model/bare.h"
#include "model/fp/fp_host.h"
#include "test.h"

static uint64_t state;

static uint32_t random32(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state * 0x2545f4914f6cdd1d >> 32);
}

/** Any bits, small integers, and the corners of the float formats. */
static uint32_t operand(void)
{
    static const uint32_t corners[] = {
        0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
        0x7fc00001, 0x7f800001, 0xffc12345, 0x00000001, 0x807fffff, 0x00800000,
        0x7f7fffff, 0x4f000000, 0xcf000000, 0x4f800000, 0x3f000000, 0x7c003c00,
        0x00018001, 0x7e00fc01, 0x3ff00000, 0x7ff00000, 0xffffffff, 0x7fffffff,
    };
    const uint32_t r = random32();
    switch (r & 3) {
    case 0:
        return corners[(r >> 8) % TEST_ROWS(corners)];
    case 1:
        return r >> 8 & 63;
    default:
        return random32();
    }
}

static void fill(uint32_t v[32])
{
    // Without NaNs, and sometimes of one sign, so that the fast answer stands.
    enum { WILD, NEAR_ONE, ANY_SIGN, ONE_SIGN } kind = random32() & 3;
    const uint32_t sign = random32() & 0x80000000;
    for (unsigned i = 0; i < 32; i++) {
        const uint32_t r = random32(), e = random32() % 42;
        v[i] = kind == WILD       ? operand()
               : kind == NEAR_ONE ? 0x3f000000 + (r & 0x80ffffff)
               : kind == ANY_SIGN ? (r & 0x807fffff) + 0x35000000 + (e << 23)
                                  : sign | ((r & 0x7fffff) + 0x35000000 + (e << 23));
    }
}

struct lanes {
    uint32_t d[32], dh[32], a[32], ah[32], b[32], bh[32], c[32], ch[32];
    uint32_t out;
};

static void run_lanes(lull_lane_fn *fn, struct lanes *l, uint32_t mode, uint32_t in)
{
    struct lull_lane_ctx x = {.mode = mode,
                              .literal = 0x40490fdb,
                              .in = in,
                              .ah = l->ah,
                              .bh = l->bh,
                              .ch = l->ch,
                              .dh = l->dh,
                              .neg = in & 3};
    const uint32_t saved = lull_fp_host_begin(mode);
    fn(l->d, l->a, l->b, l->c, &x);
    lull_fp_host_end(saved);
    l->out = x.out;
}

/** @return whether @p table gives for @p op what the base table gives without the host. */
static bool same_lanes(const struct lull_lane_fns *table, unsigned op, unsigned rounds)
{
    for (unsigned n = 0; n < rounds; n++) {
        struct lanes first;
        memset(&first, 0, sizeof first);
        uint32_t *all[] = {first.d, first.dh, first.a, first.ah,
                           first.b, first.bh, first.c, first.ch};
        for (unsigned i = 0; i < TEST_ROWS(all); i++) {
            fill(all[i]);
        }
        // Every second time with the rounding that all fast ways know.
        const uint32_t round = n % 2 == 0 ? 15 : 0;
        const uint32_t mode = (random32() & (0xf0 | round)) | (random32() & 0x800300);
        const uint32_t in = random32();
        struct lanes want = first, got = first;
        run_lanes(lull_lanes_base[op].soft, &want, mode, in);
        run_lanes(table[op].fn, &got, mode, in);
        if (memcmp(&want, &got, sizeof want) != 0) {
            for (unsigned i = 0; i < 32; i++) {
                if (want.d[i] != got.d[i] || want.dh[i] != got.dh[i] ||
                    ((want.out ^ got.out) >> i & 1) != 0) {
                    printf("# %s: mode 0x%x a 0x%x b 0x%x c 0x%x d 0x%x: got 0x%x bit %u, want "
                           "0x%x bit %u\n",
                           lull_rdna_ops[op].name, mode, first.a[i], first.b[i], first.c[i],
                           first.d[i], got.d[i], got.out >> i & 1, want.d[i], want.out >> i & 1);
                    break;
                }
            }
            return false;
        }
    }
    return true;
}

static void test_tables(unsigned rounds)
{
    for (unsigned op = 0; op < LULL_RDNA_NOPS; op++) {
        if (lull_sem[op].kind != LULL_SEM_LANES) {
            continue;
        }
        bool ok = lull_lanes_base[op].fn == lull_lanes_base[op].soft ||
                  same_lanes(lull_lanes_base, op, rounds);
        if (lull_lanes_host() != lull_lanes_base) {
            ok = same_lanes(lull_lanes_host(), op, rounds) && ok;
        }
        test_case(ok, lull_rdna_ops[op].name, "differs from the lanes without host arithmetic");
    }
}

/** A source for a 32-bit operand: VGPR, SGPR, inline constant or literal. */
static uint16_t source(uint32_t *literal)
{
    switch (random32() % 5) {
    case 0:
        return (uint16_t)(random32() % 100);
    case 1:
        return (uint16_t)(LULL_RDNA_INT0 + random32() % 81);
    case 2:
        *literal = operand();
        return LULL_RDNA_LITERAL;
    default:
        return (uint16_t)(LULL_RDNA_VGPR0 + random32() % 8);
    }
}

static void random_wave(struct bare *b, uint64_t seed)
{
    const uint64_t saved = state;
    state = seed;
    for (unsigned i = 0; i < 10 * 64; i++) {
        b->vgpr[i] = operand();
    }
    for (unsigned i = 0; i < LULL_RDNA_VCC + 2; i++) {
        b->w.sgpr[i] = operand();
    }
    const bool all = (random32() & 1) != 0;
    b->w.sgpr[LULL_RDNA_EXEC] = all ? UINT32_MAX : random32();
    b->w.sgpr[LULL_RDNA_EXEC + 1] = b->w.lanes == 32 ? 0 : all ? UINT32_MAX : random32();
    b->w.mode = random32() & 0xff;
    state = saved;
}

/** OMOD and CLAMP without the host's arithmetic. */
static void soft_out(uint32_t *d, unsigned omod, bool clamp, uint32_t mode)
{
    for (unsigned i = 0; i < 32; i++) {
        d[i] = lull_f32_out(d[i], omod, clamp, mode);
    }
}

/** One random instruction of @p op by both paths. @return false: they differ. */
static bool same_paths(unsigned op)
{
    struct lull_rdna_insn in = {.op = (uint16_t)op,
                                .enc = LULL_RDNA_VOP3,
                                .size = 8,
                                .sdst = LULL_RDNA_NONE,
                                .literal = 0x40490fdb,
                                .op_sel_hi = 7};
    const struct lull_sem *sem = &lull_sem[op];
    if ((lull_rdna_ops[op].encs >> LULL_RDNA_VOP3P & 1) != 0) {
        in.enc = LULL_RDNA_VOP3P;
        in.op_sel_hi =
            sem->src[0] == LULL_T_MIX ? 0 : 7; // What the assembler writes without modifiers.
    }
    for (unsigned i = 0; i < 3; i++) {
        // Sources and D may overlap by one register.
        in.src[i] = sem->src[i] == LULL_T_NONE   ? LULL_RDNA_NONE
                    : sem->src[i] == LULL_T_MASK ? (uint16_t)(random32() % 100)
                                                 : source(&in.literal);
    }
    const struct lull_rdna_op_info *info = &lull_rdna_ops[op];
    if (in.enc != LULL_RDNA_VOP3P && random32() % 2 == 0) {
        in.neg = (uint8_t)(random32() & (info->mod | info->neg_only));
        in.abs = (uint8_t)(random32() & info->mod);
        in.clamp = (info->flags & LULL_RDNA_F_CLAMP) != 0 && random32() % 2 == 0;
        in.omod = (info->flags & LULL_RDNA_F_OMOD) != 0 ? random32() & 3 : 0;
    }
    in.dst = (uint16_t)(sem->d == LULL_T_MASK ? 10 : LULL_RDNA_VGPR0 + random32() % 8);
    struct lull_uop u;
    const uint32_t lanes = (random32() & 1) != 0 ? 64 : 32;
    lull_uop_make(&u, &in, lanes, LULL_TABLE_PLAIN);
    if (u.fn != lull_valu_plain && u.fn != lull_valu_masks && u.fn != lull_valu_modified &&
        u.fn != lull_valu_general) {
        return true;
    }
    const uint64_t seed = (uint64_t)random32() << 32 | random32() | 1;
    struct bare *fast = bare_new(lanes), *slow = bare_new(lanes);
    random_wave(fast, seed);
    random_wave(slow, seed);
    const uint32_t saved = lull_fp_host_begin(fast->w.mode);
    u.fn(&fast->w, &u);
    lull_fp_host_end(saved);
    u.lane = in.clamp && lull_lanes_base[op].clamp != NULL ? lull_lanes_base[op].clamp
                                                           : lull_lanes_base[op].soft;
    struct lull_lane_tools tools = lull_tools_base;
    tools.out_f32 = soft_out;
    u.tools = &tools;
    lull_valu_general(&slow->w, &u);
    const bool same = memcmp(fast->vgpr, slow->vgpr, sizeof fast->vgpr) == 0 &&
                      memcmp(fast->w.sgpr, slow->w.sgpr, sizeof fast->w.sgpr) == 0;
    bare_free(fast);
    bare_free(slow);
    return same;
}

static void test_paths(unsigned rounds)
{
    for (unsigned op = 0; op < LULL_RDNA_NOPS; op++) {
        unsigned n = 0;
        while (lull_sem[op].kind == LULL_SEM_LANES && n < rounds && same_paths(op)) {
            n++;
        }
        if (lull_sem[op].kind == LULL_SEM_LANES) {
            char name[128];
            snprintf(name, sizeof name, "%s by both paths", lull_rdna_ops[op].name);
            test_case(n == rounds, name, "differs in round %u", n);
        }
    }
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 20240229;
    const unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 40;
    printf("# seed %llu\n", (unsigned long long)seed);
    state = seed | 1;
    test_tables(rounds);
    test_paths(rounds / 2);
    return test_end();
}
