// SPDX-License-Identifier: MIT
// Tests of breakpoints as code that the trap handler calls (trap_layout.h, TEST). Masks of lanes
// are in ttmp14/15, those of a second operand in ttmp4/5, single values in ttmp13.
#include <string.h>

#include "base/error.h"
#include "hw/hwreg_regs.h"
#include "isa/rdna/rdna.h"
#include "isa/rdna_ops.h"
#include "target/amd/breaks.h"
#include "target/amd/debug_priv.h"
#include "target/amd/trap_layout.h"

enum {
    TTMP = LULL_RDNA_TTMP0,
    RETURN = TTMP + 2,
    ONE = TTMP + 13,
    GROUPS = TTMP + 8, // Of a workgroup: its number on each axis.
    DEPTH = 2,
    MOST_WORDS = 128,
    FALSE_WORDS = 6,
    NO_VGPRS_WORDS = 2,
    ALIGN = 64,
    GETREG_OFFSET_SHIFT = 6, // Of s_getreg_b32's immediate. Source: RDNA3 ISA guide 16.2
    GETREG_SIZE_SHIFT = 11,
};

static const uint16_t masks[DEPTH] = {TTMP + 14, TTMP + 4};

static struct lull_rdna_insn plain(enum lull_rdna_op op, enum lull_rdna_enc enc)
{
    return (struct lull_rdna_insn){.op = (uint16_t)op,
                                   .enc = (uint8_t)enc,
                                   .dst = LULL_RDNA_NONE,
                                   .sdst = LULL_RDNA_NONE,
                                   .src = {LULL_RDNA_NONE, LULL_RDNA_NONE, LULL_RDNA_NONE},
                                   .vaddr = LULL_RDNA_NONE,
                                   .vdata = LULL_RDNA_NONE};
}

struct test_code {
    uint32_t words[MOST_WORDS];
    unsigned n;
    bool good, vector;
    unsigned nvgprs; ///< That it reads, up to the highest.
};

static void put(struct test_code *c, const struct lull_rdna_insn *in)
{
    uint32_t words[LULL_RDNA_MAX_MADE];
    const unsigned n = lull_rdna_encode(in, words);
    c->good = c->good && n != 0 && c->n + n <= MOST_WORDS;
    if (c->good) {
        memcpy(c->words + c->n, words, 4 * n);
        c->n += n;
    }
}

static void put_two(struct test_code *c, enum lull_rdna_op op, enum lull_rdna_enc enc, unsigned dst,
                    unsigned a, unsigned b, uint32_t literal)
{
    struct lull_rdna_insn in = plain(op, enc);
    in.dst = (uint16_t)dst;
    in.src[0] = (uint16_t)a;
    in.src[1] = (uint16_t)b;
    in.literal = literal;
    put(c, &in);
}

static void put_one(struct test_code *c, enum lull_rdna_op op, unsigned dst, unsigned a,
                    uint32_t literal)
{
    put_two(c, op, LULL_RDNA_SOP1, dst, a, LULL_RDNA_NONE, literal);
}

static void put_imm(struct test_code *c, enum lull_rdna_op op, enum lull_rdna_enc enc, unsigned dst,
                    int32_t imm)
{
    struct lull_rdna_insn in = plain(op, enc);
    in.dst = (uint16_t)dst;
    in.imm = imm;
    put(c, &in);
}

/** The operand that says @p number. */
static unsigned operand_of(uint32_t number)
{
    return number <= LULL_RDNA_INT64 - LULL_RDNA_INT0        ? LULL_RDNA_INT0 + number
           : -number <= LULL_RDNA_INT_LAST - LULL_RDNA_INT64 ? LULL_RDNA_INT64 - number
                                                             : LULL_RDNA_LITERAL;
}

static bool relates(const struct lull_test_step *s, uint32_t lane)
{
    const bool less = s->is_signed ? (int32_t)lane < (int32_t)s->number : lane < s->number;
    const bool equal = lane == s->number;
    return s->kind == LULL_TEST_EQUAL       ? equal
           : s->kind == LULL_TEST_DIFFERENT ? !equal
           : s->kind == LULL_TEST_LESS      ? less
           : s->kind == LULL_TEST_GREATER   ? !less && !equal
           : s->kind == LULL_TEST_AT_MOST   ? less || equal
                                            : !less;
}

/** Lanes are numbers themselves: those for which it holds are known now. */
static void put_lanes(struct test_code *c, const struct lull_test_step *s, unsigned mask)
{
    uint32_t lanes[2] = {0};
    for (uint32_t i = 0; i < 64; i++) {
        lanes[i / 32] |= (uint32_t)relates(s, i) << i % 32;
    }
    c->vector = true;
    put_one(c, LULL_RDNA_OP_S_MOV_B32, mask, LULL_RDNA_LITERAL, lanes[0]);
    put_one(c, LULL_RDNA_OP_S_MOV_B32, mask + 1, LULL_RDNA_LITERAL, lanes[1]);
}

/** Of a VGPR, not a scalar. */
static bool of_vgpr(const struct lull_test_step *s)
{
    return s->reg.cls == LULL_REG_VGPR && !s->is_workgroup;
}

/** SCC is what @p s says of a scalar, or of a VGPR in one lane. */
static void put_scalar(struct test_code *c, const struct lull_test_step *s)
{
    static const enum lull_rdna_op ops[][2] = {
        [LULL_TEST_EQUAL] = {LULL_RDNA_OP_S_CMP_EQ_U32, LULL_RDNA_OP_S_CMP_EQ_I32},
        [LULL_TEST_DIFFERENT] = {LULL_RDNA_OP_S_CMP_LG_U32, LULL_RDNA_OP_S_CMP_LG_I32},
        [LULL_TEST_LESS] = {LULL_RDNA_OP_S_CMP_LT_U32, LULL_RDNA_OP_S_CMP_LT_I32},
        [LULL_TEST_GREATER] = {LULL_RDNA_OP_S_CMP_GT_U32, LULL_RDNA_OP_S_CMP_GT_I32},
        [LULL_TEST_AT_MOST] = {LULL_RDNA_OP_S_CMP_LE_U32, LULL_RDNA_OP_S_CMP_LE_I32},
        [LULL_TEST_AT_LEAST] = {LULL_RDNA_OP_S_CMP_GE_U32, LULL_RDNA_OP_S_CMP_GE_I32},
    };
    unsigned reg = s->is_workgroup ? GROUPS + s->reg.index : s->reg.index;
    if (of_vgpr(s)) {
        c->nvgprs = reg + 1u > c->nvgprs ? reg + 1u : c->nvgprs;
        put_two(c, LULL_RDNA_OP_V_READLANE_B32, LULL_RDNA_VOP3, ONE, reg + LULL_RDNA_VGPR0,
                LULL_RDNA_INT0 + s->reg.lane, 0);
        reg = ONE;
    }
    put_two(c, ops[s->kind][s->is_signed], LULL_RDNA_SOPC, LULL_RDNA_NONE, reg,
            operand_of(s->number), s->number);
}

/** @p mask is what @p s says of a VGPR; of a wave of 32 lanes the comparison writes one dword. */
static void put_vector(struct test_code *c, const struct lull_test_step *s, unsigned mask)
{
    static const enum lull_rdna_op ops[][2] = {
        [LULL_TEST_EQUAL] = {LULL_RDNA_OP_V_CMP_EQ_U32, LULL_RDNA_OP_V_CMP_EQ_I32},
        [LULL_TEST_DIFFERENT] = {LULL_RDNA_OP_V_CMP_NE_U32, LULL_RDNA_OP_V_CMP_NE_I32},
        [LULL_TEST_LESS] = {LULL_RDNA_OP_V_CMP_LT_U32, LULL_RDNA_OP_V_CMP_LT_I32},
        [LULL_TEST_GREATER] = {LULL_RDNA_OP_V_CMP_GT_U32, LULL_RDNA_OP_V_CMP_GT_I32},
        [LULL_TEST_AT_MOST] = {LULL_RDNA_OP_V_CMP_LE_U32, LULL_RDNA_OP_V_CMP_LE_I32},
        [LULL_TEST_AT_LEAST] = {LULL_RDNA_OP_V_CMP_GE_U32, LULL_RDNA_OP_V_CMP_GE_I32},
    };
    const unsigned reg = s->reg.index;
    c->nvgprs = reg + 1u > c->nvgprs ? reg + 1u : c->nvgprs;
    c->vector = true;
    put_one(c, LULL_RDNA_OP_S_MOV_B64, mask, LULL_RDNA_INT0, 0);
    put_two(c, ops[s->kind][s->is_signed], LULL_RDNA_VOP3, mask, reg + LULL_RDNA_VGPR0,
            operand_of(s->number), s->number);
}

static void put_relation(struct test_code *c, const struct lull_test_step *s, unsigned mask)
{
    if (s->is_lane) {
        put_lanes(c, s, mask);
    } else if (of_vgpr(s) && !s->one_lane) {
        put_vector(c, s, mask);
    } else {
        put_scalar(c, s);
        put_two(c, LULL_RDNA_OP_S_CSELECT_B64, LULL_RDNA_SOP2, mask, LULL_RDNA_INT64 + 1,
                LULL_RDNA_INT0, 0);
    }
}

static void put_steps(struct test_code *c, const struct lull_break_test *t)
{
    unsigned depth = 0;
    for (unsigned i = 0; c->good && i < t->n; i++) {
        const struct lull_test_step *s = &t->steps[i];
        const bool joins = s->kind == LULL_TEST_AND || s->kind == LULL_TEST_OR;
        c->good = joins ? depth >= 2 : depth < DEPTH;
        if (c->good && joins) {
            depth--;
            put_two(c, s->kind == LULL_TEST_AND ? LULL_RDNA_OP_S_AND_B64 : LULL_RDNA_OP_S_OR_B64,
                    LULL_RDNA_SOP2, masks[depth - 1], masks[depth - 1], masks[depth], 0);
        } else if (c->good) {
            put_relation(c, s, masks[depth++]);
        }
    }
    c->good = c->good && depth == 1;
}

/** SCC is what @p t says. */
static void put_test(struct test_code *c, const struct lull_break_test *t)
{
    const struct lull_test_step *first = &t->steps[0];
    if (t->n == 1 && !first->is_lane && (!of_vgpr(first) || first->one_lane)) {
        put_scalar(c, first);
        return;
    }
    put_steps(c, t);
    put_two(c, LULL_RDNA_OP_S_AND_B64, LULL_RDNA_SOP2, masks[0], masks[0],
            c->vector ? LULL_RDNA_EXEC : masks[0], 0);
}

static void put_branch(struct test_code *c, int32_t words)
{
    put_imm(c, LULL_RDNA_OP_S_CBRANCH_SCC1, LULL_RDNA_SOPP, LULL_RDNA_NONE, words);
}

/** A wave without the VGPRs that @p c reads stops: behind this are @p behind words up to there. */
static struct test_code room_for(const struct test_code *c, unsigned behind)
{
    const uint32_t size =
        LULL_HWREG_GPR_ALLOC__VGPR_SIZE_MASK >> LULL_HWREG_GPR_ALLOC__VGPR_SIZE_SHIFT;
    const unsigned most = c->nvgprs != 0 ? (c->nvgprs - 1) / 4 : 0; // In blocks of 4, less 1.
    struct test_code room = {.good = true};
    if (most != 0) {
        put_imm(&room, LULL_RDNA_OP_S_GETREG_B32, LULL_RDNA_SOPK, ONE,
                (int32_t)(LULL_HWREG_GPR_ALLOC |
                          LULL_HWREG_GPR_ALLOC__VGPR_SIZE_SHIFT << GETREG_OFFSET_SHIFT |
                          (uint32_t)(__builtin_popcount(size) - 1) << GETREG_SIZE_SHIFT));
        put_two(&room, LULL_RDNA_OP_S_CMP_LT_U32, LULL_RDNA_SOPC, LULL_RDNA_NONE, ONE,
                operand_of(most), most);
        put_branch(&room, (int32_t)(behind + NO_VGPRS_WORDS));
    }
    put_two(&room, LULL_RDNA_OP_S_BITCMP1_B32, LULL_RDNA_SOPC, LULL_RDNA_NONE, TTMP + 12,
            LULL_RDNA_INT0 + LULL_HWREG_STATUS__NO_VGPRS_SHIFT, 0); // STATUS is there

    put_branch(&room, (int32_t)behind);
    return room;
}

static void put_code(struct test_code *c, const struct test_code *more)
{
    c->good = c->good && more->good && c->n + more->n <= MOST_WORDS;
    if (c->good) {
        memcpy(c->words + c->n, more->words, 4 * more->n);
        c->n += more->n;
    }
}

/** @p start: where a wave goes on for which @p t does not hold. */
static struct test_code make(const struct lull_break_test *t, uint64_t start)
{
    struct test_code test = {.good = t->n != 0};
    put_test(&test, t);
    struct test_code c = {.good = test.good};
    if (test.nvgprs != 0) {
        const struct test_code room = room_for(&test, test.n + 1 + FALSE_WORDS);
        put_code(&c, &room);
    }
    put_code(&c, &test);
    put_branch(&c, FALSE_WORDS);
    const unsigned no = c.n;
    put_one(&c, LULL_RDNA_OP_S_MOV_B32, TTMP, LULL_RDNA_LITERAL, (uint32_t)start);
    put_one(&c, LULL_RDNA_OP_S_MOV_B32, TTMP + 1, LULL_RDNA_LITERAL,
            (uint32_t)(start >> 32) & 0xffff);
    put_two(&c, LULL_RDNA_OP_S_BITCMP1_B32, LULL_RDNA_SOPC, LULL_RDNA_NONE, TTMP + 12,
            LULL_RDNA_INT0, 0); // SCC as it was
    put_one(&c, LULL_RDNA_OP_S_RFE_B64, LULL_RDNA_NONE, TTMP, 0);
    c.good = c.good && c.n == no + FALSE_WORDS;
    put_one(&c, LULL_RDNA_OP_S_SETPC_B64, LULL_RDNA_NONE, RETURN, 0);
    return c;
}

/** The address of code that is there already, at @p old, or is put behind all others; 0: no room.
 */
static uint64_t place(struct lull_amd_breaks *b, const struct test_code *c, uint64_t old)
{
    uint8_t *map = b->tests->map;
    if (old != 0 && memcmp(map + (old - b->tests->va), c->words, 4 * c->n) == 0) {
        return old;
    }
    const uint64_t at = b->tests_used;
    if (b->tests->size - at < sizeof c->words) {
        return 0;
    }
    memcpy(map + at, c->words, 4 * c->n);
    b->tests_used += (4 * c->n + ALIGN - 1) / ALIGN * ALIGN;
    return b->tests->va + at;
}

static const struct lull_break_test *test_at(const struct lull_break_test *tests, size_t n,
                                             uint64_t va)
{
    for (size_t i = 0; i < n; i++) {
        if (((tests[i].va ^ va) & UINT64_C(0xffffffffffff)) == 0) {
            return &tests[i];
        }
    }
    return NULL;
}

void lull_amd_breaks_test(struct lull_amd_target *t, const struct lull_break_test *tests, size_t n)
{
    struct lull_amd_breaks *b = &t->breaks;
    for (size_t i = 0; i < b->n; i++) {
        const struct lull_amd_break_place *p = &b->all[i];
        const struct lull_break_test *one = test_at(tests, n, p->is.va);
        if (!p->in_code) {
            continue;
        }
        const struct test_code c =
            one != NULL ? make(one, lull_amd_breaks_detour(t, p->is.va)) : (struct test_code){0};
        const uint64_t old = lull_amd_block_test(b, p->is.va);
        lull_amd_block_set_test(b, p->is.va, c.good ? place(b, &c, old) : 0);
    }
}

struct lull_error *lull_amd_set_tests(struct lull_target *base, const struct lull_break_test *tests,
                                      size_t n)
{
    lull_amd_breaks_test((struct lull_amd_target *)base, tests, n);
    return NULL;
}

struct lull_error *lull_amd_tests_make(struct lull_amd_target *t)
{
    enum { BYTES = 0x40000 };
    return lull_amd_bo_new(t->d, "tests of breakpoints", BYTES, LULL_AMD_BO_EXEC, &t->breaks.tests);
}
