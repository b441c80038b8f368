// SPDX-License-Identifier: MIT
// Decisions by one SGPR, as compilers make them of arrays in registers: random trees of comparisons
// and branches, with selections at their ends, in a loop, compared with the interpreter; lanes that
// are off, too. Which of them become a table is counted.
#include <inttypes.h>

#include "jit/jit.h"
#include "jit/tree.h"
#include "model/bare.h"
#include "test.h"

#include "tree_rows.h"

#define ASM(text) text

enum {
    WORDS = 512,
    REGS = 16, // VGPRs.
    PASSES = 24,
    COMPILED = 18, // From there on it is surely compiled.
    COUNTER = 4,   // SGPRs: rounds done, and to be done.
    ROUNDS = 5,
    LONGEST = 140, // Rounds: more than a table has rows.
    BUDGET = 1 << 16,
    DEEPEST = 4,
};

/** With registers 0; others are put in. */
static const char *const selections[] = {ASM("v_cndmask_b32_e32 v0, v0, v0"),
                                         ASM("v_cndmask_b32_e64 v0, v0, v0, s8"),
                                         ASM("v_cndmask_b32_e64 v0, v0, v0, s12")};
/** Between comparisons: masks, by SCC and of each other. For waves of 64 and of 32. */
static const char *const masks[2][6] = {
    {ASM("s_cselect_b64 vcc, -1, 0"), ASM("s_cselect_b64 s[8:9], -1, 0"),
     ASM("s_cselect_b64 s[12:13], 0, -1"), ASM("s_or_b64 s[8:9], s[8:9], vcc"),
     ASM("s_and_b64 vcc, s[12:13], s[8:9]"), ASM("s_mov_b64 s[12:13], vcc")},
    {ASM("s_cselect_b32 vcc_lo, -1, 0"), ASM("s_cselect_b32 s8, -1, 0"),
     ASM("s_cselect_b32 s12, 0, -1"), ASM("s_or_b32 s8, s8, vcc_lo"),
     ASM("s_and_b32 vcc_lo, s12, s8"), ASM("s_mov_b32 s12, vcc_lo")}};
/** Of what decides and the constant 0, which is another in each place. */
static const char *const compare[] = {ASM("s_cmp_lt_i32 s6, 0"), ASM("s_cmp_gt_u32 s6, 0"),
                                      ASM("s_cmp_eq_u32 s6, 0")};
static const char *const other[] = {ASM("v_add_nc_u32_e32 v0, v0, v0"),
                                    ASM("v_xor_b32_e32 v0, v0, v0"), ASM("s_xor_b32 s10, s10, s6"),
                                    ASM("s_bfm_b64 s[10:11], s6, 3"), ASM("s_nop 0")};

static uint64_t state = 20261201;

static uint32_t random32(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

struct program {
    uint32_t words[WORDS];
    unsigned n;
};

static void put(struct program *p, const char *text)
{
    for (size_t i = 0; i < TEST_ROWS(asm_rows); i++) {
        if (strcmp(asm_rows[i].text, text) == 0) {
            memcpy(&p->words[p->n], asm_rows[i].dwords, 4ul * asm_rows[i].ndwords);
            p->n += asm_rows[i].ndwords;
            return;
        }
    }
    test_case(false, text, "it has no row");
}

/** A vector instruction with other VGPRs. Source: RDNA3 ISA guide 15.3. */
static void put_vector(struct program *p, const char *text)
{
    uint32_t *w = &p->words[p->n];
    put(p, text);
    const uint32_t d = random32() % REGS, a = random32() % REGS, b = random32() % REGS;
    if (*w >> 31 == 0) { // VOP2.
        *w |= d << 17 | b << 9 | a;
    } else {
        w[0] |= d;
        w[1] |= b << 9 | a;
    }
}

static void put_compare(struct program *p, unsigned with)
{
    enum { INT0 = 128 };
    uint32_t *w = &p->words[p->n];
    put(p, compare[random32() % TEST_ROWS(compare)]);
    *w = (*w & ~UINT32_C(0xff00)) | (INT0 + with) << 8; // SSRC1.
}

static void put_leaf(struct program *p, unsigned low, unsigned lanes)
{
    const unsigned most = 1 + random32() % 6;
    for (unsigned n = 0; n < most; n++) {
        put_compare(p, low + random32() % 4);
        put(p, masks[lanes == 32][n < 3 ? n : random32() % 3]);
        if (n > 2 && random32() % 2 == 0) {
            put(p, masks[lanes == 32][3 + random32() % 3]);
        }
        put_vector(p, selections[random32() % (n < 3 ? n + 1 : 3)]);
        if (random32() % 24 == 0) { // Not all is known then.
            const char *text = other[random32() % TEST_ROWS(other)];
            if (text[0] == 'v') {
                put_vector(p, text);
            } else {
                put(p, text);
            }
        }
    }
}

/** Values from @p low on, by halves. Branches to the end: their places into @p to_end. */
static void put_tree(struct program *p, unsigned low, unsigned depth, unsigned lanes,
                     unsigned *to_end, unsigned *n)
{
    if (depth == 0) {
        put_leaf(p, low, lanes);
        return;
    }
    put_compare(p, low + (2u << depth));
    put(p, ASM("s_cbranch_scc0 0"));
    const unsigned right = p->n - 1;
    put_tree(p, low, depth - 1, lanes, to_end, n);
    put(p, ASM("s_branch 0"));
    to_end[(*n)++] = p->n - 1;
    p->words[right] |= p->n - right - 1;
    put_tree(p, low + (2u << depth), depth - 1, lanes, to_end, n);
}

static void make(struct program *p, unsigned lanes)
{
    unsigned to_end[1 << DEEPEST], n = 0;
    p->n = 0;
    put_vector(p, other[0]);
    const unsigned head = p->n;
    put_vector(p, other[1]);
    put(p, random32() % 2 == 0 ? ASM("s_add_u32 s6, s4, -5") : ASM("s_lshl_b32 s6, s4, 1"));
    put_tree(p, random32() % 8, 1 + random32() % (DEEPEST - 1), lanes, to_end, &n);
    for (unsigned i = 0; i < n; i++) {
        p->words[to_end[i]] |= p->n - to_end[i] - 1;
    }
    if (random32() % 2 == 0) {
        put_vector(p, other[1]);
    }
    put(p, ASM("s_add_u32 s4, s4, 1"));
    put(p, ASM("s_cmp_lt_u32 s4, s5"));
    put(p, ASM("s_cbranch_scc1 0"));
    p->words[p->n - 1] |= (head - p->n) & 0xffff;
    put(p, ASM("s_endpgm"));
}

static void fill(struct bare *b, uint64_t seed)
{
    const uint64_t saved = state;
    state = seed;
    for (unsigned i = 0; i < REGS * b->w.lanes; i++) {
        b->vgpr[i] = random32();
    }
    for (unsigned i = 0; i < LULL_RDNA_VCC + 2; i++) {
        b->w.sgpr[i] = random32();
    }
    const bool some = random32() % 4 == 0;
    b->w.sgpr[LULL_RDNA_EXEC] = some ? random32() : UINT32_MAX;
    b->w.sgpr[LULL_RDNA_EXEC + 1] = b->w.lanes == 32 ? 0 : some ? random32() : UINT32_MAX;
    b->w.sgpr[COUNTER] = random32() % 4 == 0 ? 0u - random32() % 4 : 0;
    b->w.sgpr[ROUNDS] = random32() % LONGEST;
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

static void load(struct bare *b, const struct program *p)
{
    memset(b->code, 0, 4ul * WORDS);
    memcpy(b->code, p->words, 4ul * p->n);
    lull_code_cache_epoch(b->w.code);
}

/** @p p until it is compiled and then, by both. @return whether they differ. */
static bool differs(struct bare *want, struct bare *got, const struct program *p)
{
    load(want, p);
    load(got, p);
    for (unsigned pass = 0; pass < PASSES; pass++) {
        const uint64_t seed = (uint64_t)random32() << 32 | random32() | 1;
        fill(got, seed);
        run(&got->w, random32() % 2 != 0 ? BUDGET : 64 + random32() % 256);
        if (pass < COMPILED) {
            continue;
        }
        fill(want, seed);
        run(&want->w, BUDGET);
        if (!same(want, got)) {
            printf("# pass %u, %" PRIu64 " instructions, interpreter %" PRIu64 "\n", pass,
                   got->w.ninsns, want->w.ninsns);
            return true;
        }
    }
    return false;
}

static struct lull_jit_unit unit;

/** How many trees of @p p become tables. */
static unsigned tables(struct bare *b, const struct program *p)
{
    static struct lull_jit_tree t;
    unsigned n = 0;
    load(b, p);
    memset(&t, 0, sizeof t);
    const struct lull_jit_maker m = {
        .target = &lull_jit_v3, .w = &b->w, .p = lull_code_page(&b->w, BARE_CODE), .mode = 0};
    lull_jit_find_unit(&m, 0, &unit);
    for (unsigned k = 0; k < unit.n; k++) {
        n += lull_jit_find_tree(&m, &unit, &unit.block[k], &t);
    }
    return n;
}

int main(int argc, char **argv)
{
    state = argc > 1 ? strtoull(argv[1], NULL, 0) : state;
    const unsigned programs = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 300;
    const struct lull_engine *engine = NULL;
    struct lull_error *err = lull_jit_engine(NULL, &engine);
    printf("# seed %" PRIu64 "\n", state);
    for (unsigned lanes = 32; lanes <= 64; lanes += 32) {
        struct program p = {0};
        struct bare *want = bare_new(lanes), *got = bare_new(lanes);
        const bool compiles = err == NULL && lull_code_cache_compile(got->w.code, engine);
        unsigned wrong = 0, found = 0;
        for (unsigned k = 0; k < programs && wrong == 0; k++) {
            make(&p, lanes);
            found += tables(want, &p) != 0;
            wrong = compiles && differs(want, got, &p);
            for (unsigned w = 0; w < p.n && wrong != 0; w++) {
                printf("# %08x\n", p.words[w]);
            }
        }
        test_case(wrong == 0, lanes == 32 ? "wave32" : "wave64",
                  "another result than the interpreter's");
        test_case(found > programs / 2, lanes == 32 ? "tables of wave32" : "tables of wave64",
                  "%u of %u programs have one", found, programs);
        printf("# %u of %u programs have a table\n", found, programs);
        bare_free(want);
        bare_free(got);
    }
    if (err != NULL) {
        printf("# not on this machine: only what is found is tested\n");
        lull_error_free(err);
    }
    return test_end();
}
