// SPDX-License-Identifier: MIT
// Loops that go strip by strip: random ones in the shapes that compilers make, compared with the
// interpreter, with NaNs and without; and which loops are such. Expected kinds: by hand.
#include <inttypes.h>

#include "jit/jit.h"
#include "jit/loop.h"
#include "model/bare.h"
#include "test.h"

#include "loop_rows.h"

#define ASM(text) text

enum {
    WORDS = 128,
    REGS = 12,     // VGPRs.
    MOST = 7,      // Random instructions one after the other.
    PASSES = 24,   // Of a program: the first ones are interpreted.
    COMPILED = 18, // From there on it is surely compiled.
    COUNTER = 4,   // SGPRs: rounds done,
    ROUNDS = 5,    // and to be done.
    LONG = 150,    // Rounds,
    LONGEST = 600, // and more than go by at once.
    BUDGET = 1 << 20,
};

/** Instructions with registers 0; others are put in. */
static const char *const alu[] = {
    ASM("v_add_f32_e32 v0, v0, v0"),
    ASM("v_sub_f32_e32 v0, v0, v0"),
    ASM("v_mul_f32_e32 v0, v0, v0"),
    ASM("v_fmac_f32_e32 v0, v0, v0"),
    ASM("v_add_nc_u32_e32 v0, v0, v0"),
    ASM("v_xor_b32_e32 v0, v0, v0"),
    ASM("v_and_b32_e32 v0, v0, v0"),
    ASM("v_lshlrev_b32_e32 v0, v0, v0"),
    ASM("v_cndmask_b32_e32 v0, v0, v0"),
    ASM("v_max_f32_e32 v0, v0, v0"),
    ASM("v_mov_b32_e32 v0, v0"),
    ASM("v_floor_f32_e32 v0, v0"),
    ASM("v_rcp_f32_e32 v0, v0"),
    ASM("v_cvt_f32_i32_e32 v0, v0"),
    ASM("v_fmaak_f32 v0, v0, v0, 0x3c23d70a"),
    ASM("v_mul_f32_e32 v0, 0x3f333333, v0"),
    ASM("v_rsq_f32_e32 v0, v0"),
    ASM("v_exp_f32_e32 v0, v0"),
    ASM("v_sqrt_f32_e32 v0, v0"),
    ASM("v_swap_b32 v0, v0"),
    ASM("v_not_b32_e32 v0, v0"),
};
static const char *const sets_exec[] = {
    ASM("v_cmpx_lt_f32_e32 v0, v0"),
    ASM("v_cmpx_gt_i32_e32 v0, v0"),
    ASM("v_cmpx_le_u32_e32 v0, v0"),
};
static const char *const sets_vcc[] = {
    ASM("v_cmp_lt_f32_e32 vcc_lo, v0, v0"),
    ASM("v_cmp_gt_i32_e32 vcc_lo, v0, v0"),
    ASM("v_cmp_nle_f32_e32 vcc_lo, v0, v0"),
};
static const char *const scalar[] = {
    ASM("s_add_u32 s10, s10, s4"),
    ASM("s_xor_b32 s11, s10, s11"),
    ASM("s_lshl_b32 s12, s11, 1"),
    ASM("s_addc_u32 s13, s10, 3"),
};

/** In the place of an instruction: so many random ones, one of a kind, a branch behind the end. */
enum special { BODY = 1, EXEC_BY, VCC_BY, NONE };
struct line {
    const char *text; // NULL: special.
    enum special what;
    bool to_end, to_head; // A branch.
    bool fixed;           // Registers stay.
};
#define OUT .to_end = true
#define AGAIN .to_head = true

static const struct {
    const char *name;
    bool found; // Whether it goes strip by strip.
    struct line line[24];
} shapes[] = {
    {"what leaves is kept",
     true,
     {{.text = ASM("s_cmp_ge_u32 s4, s5")},
      {.text = ASM("s_cbranch_scc1 0"), OUT},
      {.what = BODY},
      {.text = ASM("s_mov_b64 s[8:9], exec")},
      {.what = EXEC_BY},
      {.what = BODY},
      {.text = ASM("s_and_not1_b64 s[8:9], s[8:9], exec")},
      {.text = ASM("s_cbranch_scc0 0"), OUT},
      {.text = ASM("s_mov_b64 exec, s[8:9]")},
      {.what = BODY},
      {.text = ASM("s_add_u32 s4, s4, 1")},
      {.text = ASM("s_branch 0"), AGAIN}}},
    {"a mask of who leaves",
     true,
     {{.what = BODY},
      {.text = ASM("s_mov_b64 s[8:9], exec")},
      {.what = EXEC_BY},
      {.what = VCC_BY},
      {.what = BODY},
      {.text = ASM("s_and_not1_b64 s[8:9], s[8:9], exec")},
      {.text = ASM("s_cbranch_scc0 0"), OUT},
      {.text = ASM("s_mov_b64 exec, s[8:9]")},
      {.text = ASM("v_cndmask_b32_e32 v0, v0, v0")},
      {.what = BODY},
      {.what = VCC_BY},
      {.text = ASM("s_add_u32 s4, s4, 1")},
      {.text = ASM("s_cmp_lt_u32 s4, s5")},
      {.text = ASM("s_cbranch_scc1 0"), AGAIN}}},
    {"EXEC gets less",
     true,
     {{.what = BODY},
      {.what = EXEC_BY},
      {.text = ASM("s_cbranch_execz 0"), OUT},
      {.what = BODY},
      {.text = ASM("s_add_u32 s4, s4, 1")},
      {.text = ASM("s_cmp_lt_u32 s4, s5")},
      {.text = ASM("s_cbranch_scc1 0"), AGAIN}}},
    {"VCC may stay when all have left",
     false,
     {{.what = BODY},
      {.what = VCC_BY},
      {.what = BODY},
      {.text = ASM("s_and_b64 exec, exec, vcc")},
      {.text = ASM("s_cbranch_execz 0"), OUT},
      {.what = BODY},
      {.text = ASM("s_add_u32 s4, s4, 1")},
      {.text = ASM("s_cmp_lt_u32 s4, s5")},
      {.text = ASM("s_cbranch_scc1 0"), AGAIN}}},
    {"the same, at the end",
     false,
     {{.text = ASM("s_add_u32 s4, s4, 1")},
      {.text = ASM("s_cmp_gt_u32 s4, s5")},
      {.text = ASM("s_cbranch_scc1 0"), OUT},
      {.what = BODY},
      {.what = VCC_BY},
      {.text = ASM("s_and_not1_b64 exec, exec, vcc")},
      {.text = ASM("s_cbranch_execnz 0"), AGAIN}}},
    {"VCC becomes EXEC",
     true,
     {{.what = BODY},
      {.what = VCC_BY},
      {.text = ASM("s_and_b64 vcc, vcc, exec")},
      {.text = ASM("s_cbranch_scc0 0"), OUT},
      {.text = ASM("s_mov_b64 exec, vcc")},
      {.what = BODY},
      {.text = ASM("s_add_u32 s4, s4, 1")},
      {.text = ASM("s_cmp_lt_u32 s4, s5")},
      {.text = ASM("s_cbranch_scc1 0"), AGAIN}}},
    {"copies of masks",
     true,
     {{.what = BODY},
      {.what = VCC_BY},
      {.text = ASM("s_and_b64 vcc, vcc, exec")},
      {.text = ASM("s_mov_b64 s[8:9], exec")},
      {.what = EXEC_BY},
      {.what = BODY},
      {.text = ASM("s_mov_b64 vcc, s[8:9]")},
      {.text = ASM("s_and_not1_b64 s[8:9], vcc, exec")},
      {.text = ASM("s_cbranch_scc0 0"), OUT},
      {.text = ASM("s_mov_b64 exec, s[8:9]")},
      {.what = BODY},
      {.what = VCC_BY},
      {.text = ASM("s_add_u32 s4, s4, 1")},
      {.text = ASM("s_cmp_lt_u32 s4, s5")},
      {.text = ASM("s_cbranch_scc1 0"), AGAIN}}},
    {"a comparison of what may be a NaN",
     true,
     {{.text = ASM("s_cmp_ge_u32 s4, s5")},
      {.text = ASM("s_cbranch_scc1 0"), OUT},
      {.what = BODY},
      {.text = ASM("v_add_f32_e32 v6, v1, v2"), .fixed = true},
      {.text = ASM("s_mov_b64 s[8:9], exec")},
      {.text = ASM("v_cmpx_lt_f32_e32 4.0, v6"), .fixed = true},
      {.text = ASM("s_and_not1_b64 s[8:9], s[8:9], exec")},
      {.text = ASM("s_cbranch_scc0 0"), OUT},
      {.text = ASM("s_mov_b64 exec, s[8:9]")},
      {.what = BODY},
      {.text = ASM("s_add_u32 s4, s4, 1")},
      {.text = ASM("s_branch 0"), AGAIN}}},
    {"no masks",
     true,
     {{.what = BODY},
      {.what = BODY},
      {.text = ASM("s_add_u32 s4, s4, 1")},
      {.text = ASM("s_cmp_lt_u32 s4, s5")},
      {.text = ASM("s_cbranch_scc1 0"), AGAIN}}},
    {"who has left does something",
     false,
     {{.what = BODY},
      {.text = ASM("s_mov_b64 s[8:9], exec")},
      {.what = EXEC_BY},
      {.text = ASM("s_cbranch_execz 0"), OUT},
      {.text = ASM("s_mov_b64 exec, s[8:9]")},
      {.what = BODY},
      {.text = ASM("s_add_u32 s4, s4, 1")},
      {.text = ASM("s_cmp_lt_u32 s4, s5")},
      {.text = ASM("s_cbranch_scc1 0"), AGAIN}}},
    {"a mask that grows",
     false,
     {{.what = BODY},
      {.what = VCC_BY},
      {.text = ASM("s_or_b64 s[8:9], s[8:9], vcc")},
      {.text = ASM("s_and_not1_b64 exec, exec, vcc")},
      {.text = ASM("s_cbranch_execz 0"), OUT},
      {.text = ASM("s_add_u32 s4, s4, 1")},
      {.text = ASM("s_cmp_lt_u32 s4, s5")},
      {.text = ASM("s_cbranch_scc1 0"), AGAIN}}},
    {"scalars of a mask",
     false,
     {{.what = BODY},
      {.what = VCC_BY},
      {.text = ASM("s_bcnt1_i32_b64 s10, vcc")},
      {.text = ASM("s_add_u32 s4, s4, 1")},
      {.text = ASM("s_cmp_lt_u32 s4, s5")},
      {.text = ASM("s_cbranch_scc1 0"), AGAIN}}},
};

struct program {
    uint32_t words[WORDS];
    unsigned n;
};

static uint64_t state = 20261201;

static uint32_t random32(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 32);
}

static const uint32_t *row(const char *text, unsigned *n)
{
    for (size_t i = 0; i < TEST_ROWS(asm_rows); i++) {
        if (strcmp(asm_rows[i].text, text) == 0) {
            *n = asm_rows[i].ndwords;
            return asm_rows[i].dwords;
        }
    }
    test_case(false, text, "it has no row");
    abort();
}

static void put(struct program *p, const char *text)
{
    unsigned n = 0;
    const uint32_t *words = row(text, &n);
    memcpy(p->words + p->n, words, 4ul * n);
    p->n += n;
}

/** A vector instruction with other registers: of VOP1 and VOP2 bits 24:17 say D, of VOP2 and VOPC
 * 16:9 the second source, 8:0 the first: s10, s11, a constant or a VGPR. Source: RDNA3 ISA guide
 * 15.3. */
static void put_random(struct program *p, const char *text)
{
    enum { ONE = 242, FOUR = 246, TWO_I = 130, VGPR0 = 256, LITERAL = 255 };
    static const uint32_t sources[] = {10, 11, ONE, FOUR, TWO_I};
    uint32_t *w = &p->words[p->n];
    put(p, text);
    const uint32_t kind = *w >> 25, pick = random32() % 12;
    const bool swap = strncmp(text, "v_swap", 6) == 0;
    const uint32_t src =
        swap || pick >= TEST_ROWS(sources) ? VGPR0 + random32() % REGS : sources[pick];
    if ((*w & 0x1ff) != LITERAL) {
        *w = (*w & ~UINT32_C(0x1ff)) | src;
    }
    if (kind != 0x3e) { // Not VOPC.
        *w |= random32() % REGS << 17;
    }
    if (kind != 0x3f) { // Not VOP1.
        *w |= random32() % REGS << 9;
    }
}

static void put_body(struct program *p)
{
    for (unsigned n = random32() % (MOST + 1); n != 0; n--) {
        if (random32() % 8 == 0) {
            put(p, scalar[random32() % TEST_ROWS(scalar)]);
        } else {
            put_random(p, alu[random32() % TEST_ROWS(alu)]);
        }
    }
}

static void make(struct program *p, size_t shape)
{
    unsigned ends[8], nends = 0;
    p->n = 0;
    for (const struct line *l = shapes[shape].line; l->text != NULL || l->what != 0; l++) {
        if (l->what == BODY) {
            put_body(p);
        } else if (l->what == EXEC_BY) {
            put_random(p, sets_exec[random32() % TEST_ROWS(sets_exec)]);
        } else if (l->what == VCC_BY) {
            put_random(p, sets_vcc[random32() % TEST_ROWS(sets_vcc)]);
        } else if (l->text[0] == 'v' && !l->fixed) {
            put_random(p, l->text);
        } else {
            put(p, l->text);
        }
        if (l->to_end) {
            ends[nends++] = p->n - 1;
        } else if (l->to_head) {
            p->words[p->n - 1] |= (0u - p->n) & 0xffff;
        }
    }
    for (unsigned i = 0; i < nends; i++) {
        p->words[ends[i]] |= p->n - ends[i] - 1;
    }
    put(p, ASM("s_endpgm"));
}

/** Mostly numbers about 1, which comparisons tell apart; NaNs if @p wild. */
static uint32_t number(bool wild)
{
    const uint32_t v = random32(), kind = random32() % 16;
    return wild && kind == 0 ? 0x7f800001 | (v & 0x803fffff)
           : kind < 3        ? v
           : kind < 5        ? v % 8
                             : (v & 0x80ffffff) | 0x3f000000;
}

static void fill(struct bare *b, uint64_t seed, bool wild)
{
    const uint64_t saved = state;
    state = seed;
    for (unsigned i = 0; i < REGS * b->w.lanes; i++) {
        b->vgpr[i] = number(wild);
    }
    for (unsigned i = 0; i < LULL_RDNA_VCC + 2; i++) {
        b->w.sgpr[i] = number(false);
    }
    const uint32_t kind = random32() % 4;
    for (unsigned i = 0; i < 2; i++) {
        b->w.sgpr[LULL_RDNA_EXEC + i] = kind == 0   ? random32()
                                        : kind == 1 ? random32() & 0xffff0000
                                                    : UINT32_MAX;
    }
    b->w.sgpr[COUNTER] = 0;
    const uint32_t most = random32() % 16;
    b->w.sgpr[ROUNDS] = random32() % (most < 4 ? 2 : most < 15 ? LONG : LONGEST);
    b->w.scc = random32() & 1;
    b->w.pc = BARE_CODE;
    b->w.state = LULL_WAVE_RUNNING;
    b->w.ninsns = 0;
    state = saved;
}

/** To its end, in turns of @p turn. */
static void run(struct lull_wave *w, uint32_t turn)
{
    for (unsigned i = 0; i < BUDGET / turn && w->state == LULL_WAVE_RUNNING; i++) {
        lull_wave_run(w, turn);
    }
}

static bool same(const struct bare *a, const struct bare *b)
{
    return memcmp(a->vgpr, b->vgpr, sizeof a->vgpr) == 0 &&
           memcmp(a->w.sgpr, b->w.sgpr, sizeof a->w.sgpr) == 0 && a->w.scc == b->w.scc &&
           a->w.pc == b->w.pc && a->w.ninsns == b->w.ninsns && a->w.state == b->w.state &&
           a->w.state == LULL_WAVE_ENDED;
}

static void report(const struct bare *want, const struct bare *got)
{
    for (unsigned r = 0; r < REGS; r++) {
        for (unsigned l = 0; l < got->w.lanes; l++) {
            const unsigned i = r * got->w.lanes + l;
            if (want->vgpr[i] != got->vgpr[i]) {
                printf("# v%u lane %u: %08x, interpreter %08x\n", r, l, got->vgpr[i],
                       want->vgpr[i]);
                break;
            }
        }
    }
    for (unsigned i = 0; i < TEST_ROWS(got->w.sgpr); i++) {
        if (want->w.sgpr[i] != got->w.sgpr[i]) {
            printf("# s%u: %08x, interpreter %08x\n", i, got->w.sgpr[i], want->w.sgpr[i]);
        }
    }
    printf("# SCC %u, interpreter %u\n", got->w.scc, want->w.scc);
}

static void load(struct bare *b, const struct program *p)
{
    memset(b->code, 0, 4ul * WORDS);
    memcpy(b->code, p->words, 4ul * p->n);
    lull_code_cache_epoch(b->w.code);
}

/** @p p until it is compiled and then, by both. @return programs that differ: 1 or 0. */
static unsigned differs(struct bare *want, struct bare *got, const struct program *p)
{
    load(want, p);
    load(got, p);
    for (unsigned pass = 0; pass < PASSES; pass++) {
        const uint64_t seed = (uint64_t)random32() << 32 | random32();
        const bool wild = random32() % 3 == 0;
        fill(got, seed, wild);
        run(&got->w, random32() % 2 != 0 ? BUDGET : 64 + random32() % 256);
        if (pass >= COMPILED) {
            fill(want, seed, wild);
            run(&want->w, BUDGET);
            if (!same(want, got)) {
                printf("# pass %u, wild %d, %" PRIu64 " instructions, interpreter %" PRIu64 "\n",
                       pass, wild, got->w.ninsns, want->w.ninsns);
                report(want, got);
                return 1;
            }
        }
    }
    return 0;
}

static struct lull_jit_unit unit;
static struct lull_jit_loop loop;

/** Whether @p p begins with a loop that goes strip by strip. */
static bool is_found(struct bare *b, const struct program *p, const struct lull_jit_target *target)
{
    load(b, p);
    const struct lull_jit_maker m = {
        .target = target, .w = &b->w, .p = lull_code_page(&b->w, BARE_CODE), .mode = 0};
    lull_jit_find_unit(&m, 0, &unit);
    return lull_jit_find_loop(&m, &unit, &unit.block[0], &loop);
}

static void test_found(const struct lull_jit_target *target, unsigned programs)
{
    struct program p = {0};
    struct bare *b = bare_new(64);
    for (size_t i = 0; i < TEST_ROWS(shapes); i++) {
        unsigned found = 0;
        for (unsigned k = 0; k < programs; k++) {
            make(&p, i);
            found += is_found(b, &p, target);
        }
        test_case(shapes[i].found ? found > programs / 2 : found == 0, shapes[i].name,
                  "%s: %u of %u go strip by strip", target->name, found, programs);
    }
    bare_free(b);
}

/** Code for @p target against the interpreter. */
static void test_results(const char *target, unsigned programs)
{
    const struct lull_engine *engine = NULL;
    struct program p = {0};
    struct lull_error *err = lull_jit_engine(target, &engine);
    if (err != NULL) {
        printf("# not on this machine: only what is found is tested for %s\n", target);
        lull_error_free(err);
        return;
    }
    struct bare *want = bare_new(64), *got = bare_new(64);
    const bool compiles = lull_code_cache_compile(got->w.code, engine);
    for (size_t i = 0; i < TEST_ROWS(shapes); i++) {
        unsigned wrong = compiles ? 0 : 1;
        for (unsigned k = 0; k < programs && wrong == 0; k++) {
            make(&p, i);
            wrong = differs(want, got, &p);
            for (unsigned w = 0; w < p.n && wrong != 0; w++) {
                printf("# %08x\n", p.words[w]);
            }
        }
        test_case(wrong == 0, shapes[i].name, "%s: another result than the interpreter's", target);
    }
    bare_free(want);
    bare_free(got);
}

int main(int argc, char **argv)
{
    state = argc > 1 ? strtoull(argv[1], NULL, 0) : state;
    const unsigned programs = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 60;
    printf("# seed %" PRIu64 "\n", state);
    const struct lull_jit_target *targets[] = {&lull_jit_v3, &lull_jit_v4};
    for (size_t i = 0; i < TEST_ROWS(targets); i++) {
        test_found(targets[i], programs);
        test_results(targets[i]->name, programs);
    }
    return test_end();
}
