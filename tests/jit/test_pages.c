// SPDX-License-Identifier: MIT
// A loop over two pages of code, whose compiled code goes from one into the other: compared with
// the interpreter, while the second page changes, MODE does, and waves have fewer VGPRs.
#include "jit/jit.h"
#include "model/bare.h"
#include "test.h"

#include "pages_rows.h"

#define ASM(text) text

enum {
    SECOND = LULL_PAGE_SIZE / 4, // Dword.
    TIMES = 12,                  // Instructions of each part.
    REGS = 10,
    FEW = 8, // VGPRs: one that the second page writes is not there.
    COUNTER = 4,
    ROUNDS = 5,
    PASSES = 96,
    AGAIN = 8, // Passes of the same code.
    BUDGET = 1 << 14,
    FLUSHES = 0xc0, // MODE: denormals of f32 are 0,
    KEEPS = 0xf0,   // or not.
};

static unsigned put(struct bare *b, unsigned at, const char *text)
{
    for (size_t i = 0; i < TEST_ROWS(asm_rows); i++) {
        if (strcmp(asm_rows[i].text, text) == 0) {
            memcpy(b->code + 4ul * at, asm_rows[i].dwords, 4ul * asm_rows[i].ndwords);
            return at + asm_rows[i].ndwords;
        }
    }
    test_case(false, text, "it has no row");
    abort();
}

/** A branch from dword @p at to dword @p to. */
static unsigned put_branch(struct bare *b, unsigned at, const char *text, unsigned to)
{
    const unsigned next = put(b, at, text);
    const uint16_t distance = (uint16_t)(to - next);
    memcpy(b->code + 4ul * at, &distance, sizeof distance);
    return next;
}

/** The loop, whose second page does one thing or @p another. */
static void load(struct bare *b, bool another)
{
    unsigned at = put(b, 0, ASM("s_add_u32 s4, s4, 1"));
    for (unsigned i = 0; i < TIMES; i++) {
        at = put(b, at, ASM("v_add_f32_e32 v0, v1, v0"));
    }
    put_branch(b, at, ASM("s_branch 0"), SECOND - TIMES);
    at = SECOND - TIMES;
    for (unsigned i = 0; i < TIMES; i++) { // To the end of the page.
        at = put(b, at, ASM("v_add_f32_e32 v3, v1, v3"));
    }
    for (unsigned i = 0; i < TIMES; i++) {
        at =
            put(b, at, another ? ASM("v_min_f32_e32 v9, v0, v2") : ASM("v_max_f32_e32 v9, v0, v2"));
        at = put(b, at, ASM("v_xor_b32_e32 v1, v2, v1"));
    }
    at = put(b, at, ASM("s_cmp_lt_u32 s4, s5"));
    at = put_branch(b, at, ASM("s_cbranch_scc1 0"), 0);
    put(b, at, ASM("s_endpgm"));
    lull_code_cache_epoch(b->w.code);
}

/** Denormals in v1 and v2. */
static void run(struct bare *b, unsigned pass)
{
    for (unsigned i = 0; i < REGS * b->w.lanes; i++) {
        b->vgpr[i] = (pass + 1) * 0x2545f491u * (i + 1) >> 10;
    }
    b->w.mode = pass % 3 == 1 ? KEEPS : FLUSHES;
    b->w.nvgprs = pass % 4 == 3 ? FEW : BARE_VGPRS;
    b->w.sgpr[COUNTER] = 0;
    b->w.sgpr[ROUNDS] = 20;
    b->w.pc = BARE_CODE;
    b->w.state = LULL_WAVE_RUNNING;
    b->w.ninsns = 0;
    b->w.trapsts = 0;
    for (unsigned i = 0; i < 4 && b->w.state == LULL_WAVE_RUNNING; i++) {
        lull_wave_run(&b->w, BUDGET);
    }
}

static bool same(const struct bare *a, const struct bare *b)
{
    return memcmp(a->vgpr, b->vgpr, sizeof a->vgpr) == 0 &&
           memcmp(a->w.sgpr, b->w.sgpr, sizeof a->w.sgpr) == 0 && a->w.scc == b->w.scc &&
           a->w.pc == b->w.pc && a->w.ninsns == b->w.ninsns && a->w.state == b->w.state &&
           a->w.trapsts == b->w.trapsts;
}

static void test_lanes(unsigned lanes, const struct lull_engine *engine)
{
    struct bare *want = bare_new(lanes), *got = bare_new(lanes);
    unsigned wrong = 0, ended = 0;
    test_case(lull_code_cache_compile(got->w.code, engine), "an engine starts", "it does not");
    for (unsigned pass = 0; pass < PASSES; pass++) {
        if (pass % AGAIN == 0) {
            load(want, pass / AGAIN % 2 != 0);
            load(got, pass / AGAIN % 2 != 0);
        }
        run(want, pass);
        run(got, pass);
        if (!same(want, got)) {
            printf("# pass %u: pc %llx, interpreter %llx\n", pass, (unsigned long long)got->w.pc,
                   (unsigned long long)want->w.pc);
            wrong++;
        }
        ended += want->w.state == LULL_WAVE_ENDED;
    }
    test_case(wrong == 0, "two pages", "%u of %u passes differ", wrong, (unsigned)PASSES);
    test_case(ended >= PASSES / 2, "they end", "%u of %u", ended, (unsigned)PASSES);
    bare_free(want);
    bare_free(got);
}

int main(void)
{
    const struct lull_engine *engine = NULL;
    struct lull_error *err = lull_jit_engine(NULL, &engine);
    if (err != NULL) {
        printf("# no engine here\n");
        lull_error_free(err);
        test_case(true, "no engine", "-");
        return test_end();
    }
    test_lanes(32, engine);
    test_lanes(64, engine);
    return test_end();
}
