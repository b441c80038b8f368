// SPDX-License-Identifier: MIT
// The compiler of waves against the interpreter, bit for bit, on the random programs of programs.h,
// EXEC full, random, nearly empty and empty. For each kind of host that this machine is: arguments:
// [seed [programs [target]]].
#include "isa/rdna/ops.h"
#include "jit/jit.h"
#include "jit/lds.h"
#include "jit/vector.h"
#include "model/amd/exec/code.h"
#include "model/bare.h"
#include "test.h"

#include "programs.h"

enum {
    PASSES = 20, // More than an instruction is interpreted before it is compiled.
    LAST = 3,    // Passes in which all is compared.
    ROUNDS = 2,
    LDS_BYTES = 0x800,
};

/** What is compiled for. */
static const struct lull_jit_target *target;

/** What was compared, for the summary. */
static struct {
    uint64_t instructions, compiled, code, loads;
    bool seen[LULL_RDNA_NOPS], scalar[LULL_RDNA_NOPS];
} total;

static uint64_t place(const struct program *p)
{
    return BARE_CODE + (uint64_t)p->page * LULL_PAGE_SIZE;
}

static void fill(struct bare *b, const struct program *p, uint64_t seed, bool wild)
{
    static const uint32_t modes[] = {0xc0, 0xf0, 0x2c0, 0x2f0, 0x3f0, 0xc1, 0x80002d0};
    const uint64_t saved = random_start(seed);
    for (unsigned i = 0; i < 16 * b->w.lanes; i++) {
        b->vgpr[i] = number(wild);
    }
    for (unsigned i = 0; i < LDS_BYTES; i += 4) {
        const uint32_t v = number(wild);
        memcpy(b->wg.lds + i, &v, sizeof v);
    }
    for (unsigned i = 0; i < LULL_RDNA_VCC + 2; i++) {
        b->w.sgpr[i] = random32() % 2 != 0 ? random32() : number(false);
    }
    const uint32_t kind = random32() % 8;
    for (unsigned i = 0; i < 2; i++) { // Wave32 has an EXEC_HI, too, as a register.
        const uint32_t exec = kind < 2    ? UINT32_MAX
                              : kind < 4  ? random32()
                              : kind == 4 ? 0
                                          : random32() & 0xff0100;
        b->w.sgpr[LULL_RDNA_EXEC + i] = b->w.sgpr[SAVED_EXEC + i] = exec;
    }
    b->w.scc = random32() & 1;
    b->w.sgpr[ROUND] = ROUNDS;
    // Mostly a MODE that all templates are made for.
    b->w.mode = (seed >> 8 & 3) != 0 ? 0xc0 : modes[(seed >> 16 & 0xff) % TEST_ROWS(modes)];
    b->w.pc = place(p);
    b->w.state = LULL_WAVE_RUNNING;
    random_start(saved);
}

/** Instructions of @p p, and those in regions of what was compiled. */
static void count(struct bare *b, const struct program *p)
{
    struct lull_code_page *page = lull_code_page(&b->w, place(p));
    bool inside = false;
    for (unsigned i = 0; i < p->n && page->uop[i].ndwords != 0; i += page->uop[i].ndwords) {
        const struct lull_uop *u = &page->uop[i];
        struct lull_jit_vector v[LULL_JIT_MAX_VECTORS];
        inside = u->compiled != NULL || (inside && u->cls != LULL_UOP_FULL);
        struct lull_jit_lds lds;
        const bool loads_lds = lull_jit_lds(u, &lds);
        const bool compiled = inside && (loads_lds || lull_jit_vectors(target, u, 0, v) != 0);
        total.instructions++;
        total.compiled += compiled;
        total.loads += compiled && loads_lds;
        total.scalar[u->in->op] |= lull_sem[u->in->op].kind == LULL_SEM_SCALAR;
        total.seen[u->in->op] = total.seen[u->in->op] || compiled;
    }
}

static void report(const struct bare *want, const struct bare *got, const struct program *p)
{
    for (unsigned i = 0; i < 16 * got->w.lanes; i++) {
        if (want->vgpr[i] != got->vgpr[i]) {
            printf("# v%u lane %u: %08x, interpreter %08x\n", i / got->w.lanes, i % got->w.lanes,
                   got->vgpr[i], want->vgpr[i]);
            break;
        }
    }
    for (unsigned i = 0; i < 128; i++) {
        if (want->w.sgpr[i] != got->w.sgpr[i]) {
            printf("# s%u: %08x, interpreter %08x\n", i, got->w.sgpr[i], want->w.sgpr[i]);
        }
    }
    printf("# MODE %x EXEC %08x %08x\n", got->w.mode, got->w.sgpr[127], got->w.sgpr[126]);
    const struct lull_rdna_print how = {.wave_size = got->w.lanes};
    for (unsigned i = 0; i < p->n;) {
        struct lull_rdna_insn in;
        const int n = lull_rdna_decode_lax(p->words + i, 4 * (p->n - i), &in);
        struct lull_str s = {0};
        lull_rdna_show(&in, &how, &s);
        printf("# %3u %s\n", i, lull_str_text(&s));
        lull_str_free(&s);
        i += n > 0 ? (unsigned)n / 4 : 1;
    }
}

static bool same(const struct bare *a, const struct bare *b)
{
    return memcmp(a->vgpr, b->vgpr, sizeof a->vgpr) == 0 &&
           memcmp(a->w.sgpr, b->w.sgpr, sizeof a->w.sgpr) == 0 && a->w.scc == b->w.scc &&
           a->w.pc == b->w.pc && a->w.ninsns == b->w.ninsns && a->w.state == b->w.state;
}

/** Run @p w to its end in turns as the scheduler's: none takes more than it was given, and what was
 * done beyond it is paid later. */
static bool same_turns(struct lull_wave *w, unsigned pass)
{
    const uint32_t turn = pass % 2 != 0 ? 10 * WORDS : 64 + random32() % 8;
    const uint64_t before = w->ninsns;
    uint64_t sum = 0, done = 1;
    while (w->state == LULL_WAVE_RUNNING && done != 0) {
        done = lull_wave_run(w, turn);
        sum += done;
        if (done > turn || sum > w->ninsns - before ||
            (w->state == LULL_WAVE_RUNNING && sum + w->debt != w->ninsns - before)) {
            printf("# a turn of %u takes %llu; %llu in all, executed %llu\n", turn,
                   (unsigned long long)done, (unsigned long long)sum,
                   (unsigned long long)(w->ninsns - before));
            return false;
        }
    }
    return true;
}

/** One pass of @p p; in the LAST ones all is compared. */
static bool same_pass(struct bare *interp, struct bare *jit, const struct program *p, uint64_t seed,
                      unsigned pass)
{
    const bool wild = pass % 2 != 0;
    fill(jit, p, seed, wild);
    // Sometimes stopped on its way, as by the scheduler.
    lull_wave_run(&jit->w, pass == PASSES - 1 ? random32() % (2 * INSTRUCTIONS) : 0);
    if (!same_turns(&jit->w, pass)) {
        return false;
    }
    if (pass < PASSES - LAST) {
        interp->w.ninsns = jit->w.ninsns;
        return true;
    }
    fill(interp, p, seed, wild);
    lull_wave_run(&interp->w, 10 * WORDS);
    if (!same(interp, jit)) {
        report(interp, jit, p);
        return false;
    }
    return true;
}

/** Passes of @p p from @p pass on, the LAST ones on other registers each. */
static bool same_passes(struct bare *interp, struct bare *jit, const struct program *p,
                        unsigned pass)
{
    uint64_t seed = (uint64_t)random32() << 32 | random32() | 1;
    bool ok = true;
    interp->w.ninsns = jit->w.ninsns;
    for (; ok && pass < PASSES; pass++) {
        seed += pass >= PASSES - LAST ? UINT64_C(0x9e3779b900000000) : 0;
        ok = same_pass(interp, jit, p, seed, pass);
    }
    return ok;
}

/** One program until it is compiled, and then on other registers. */
static bool same_program(struct bare *interp, struct bare *jit, const struct program *p)
{
    struct bare *const both[] = {interp, jit};
    for (unsigned i = 0; i < 2; i++) {
        uint8_t *code = both[i]->code + (size_t)p->page * LULL_PAGE_SIZE;
        memset(code, 0, 4ul * WORDS);
        memcpy(code, p->words, 4ul * p->n);
        lull_code_cache_epoch(both[i]->w.code);
    }
    const bool ok = same_passes(interp, jit, p, 0);
    if (ok) {
        count(jit, p);
    }
    return ok;
}

/** A wave64 or wave32 with LDS. */
static struct bare *bare_with_lds(unsigned lanes, uint8_t *lds)
{
    struct bare *b = bare_new(lanes);
    b->wg = (struct lull_workgroup){.lds = lds, .lds_size = LDS_BYTES};
    return b;
}

static uint8_t lds[2][LDS_BYTES];

static void test_programs(unsigned lanes, const struct lull_engine *engine, unsigned n)
{
    static uint16_t rows[MAX_ROWS];
    const unsigned nrows = find_rows(target, rows);
    unsigned next = random32() % nrows, good = 0;
    struct bare *interp = bare_with_lds(lanes, lds[0]), *jit = bare_with_lds(lanes, lds[1]);
    struct program p = {0};
    bool ok = lull_code_cache_compile(jit->w.code, engine);
    test_case(ok, "an engine starts", "it does not");
    for (unsigned i = 0; ok && i < n; i++) {
        for (unsigned k = nrows - 1; i * INSTRUCTIONS % nrows < INSTRUCTIONS && k > 0; k--) {
            const unsigned other = random32() % (k + 1);
            const uint16_t t = rows[k];
            rows[k] = rows[other];
            rows[other] = t;
        }
        make_program(&p, lanes, rows, nrows, &next);
        ok = same_program(interp, jit, &p);
        good += ok;
    }
    char name[64];
    snprintf(name, sizeof name, "%s: %u random programs of wave%u", target->name, n, lanes);
    test_case(ok, name, "program %u differs", good);
    bare_free(interp);
    bare_free(jit);
}

/** With room for few programs: they are forgotten for those that come later, which are compiled as
 * the first are; and those that stay in other pages do what they did. */
static void test_little_room(const struct lull_engine *engine)
{
    enum { LITTLE = 20 << 10, PROGRAMS = 120, PAGES = BARE_CODE_BYTES / LULL_PAGE_SIZE };
    static uint16_t rows[MAX_ROWS];
    static struct program programs[PAGES];
    struct lull_engine little = *engine;
    little.room = LITTLE;
    const unsigned nrows = find_rows(target, rows);
    unsigned next = 0;
    const uint64_t instructions = total.instructions, compiled = total.compiled;
    struct bare *interp = bare_with_lds(64, lds[0]), *jit = bare_with_lds(64, lds[1]);
    bool ok = lull_code_cache_compile(jit->w.code, &little);
    for (unsigned i = 0; ok && i < PROGRAMS; i++) {
        struct program *p = &programs[i % PAGES];
        next = random32() % nrows;
        make_program(p, 64, rows, nrows, &next);
        p->page = i % PAGES;
        ok = same_program(interp, jit, p);
        for (unsigned k = 0; ok && k < PAGES && k <= i; k++) {
            ok = same_passes(interp, jit, &programs[k], PASSES - LAST);
        }
    }
    test_case(ok, "programs in little room", "one differs");
    const uint64_t n = total.instructions - instructions, k = total.compiled - compiled;
    test_case(k * 3 > n, "compiled, forgotten and compiled", "%llu of %llu instructions",
              (unsigned long long)k, (unsigned long long)n);
    bare_free(interp);
    bare_free(jit);
}

/** Numbers whose inverse root is all but the middle between two floats: of all mantissas those
 * nearest to it, by long double. */
static const uint32_t middles[] = {0x3f8a5c86, 0x3fba2a39, 0x3fd2208f, 0x3fdae942, 0x3fed3230,
                                   0x4009f038, 0x401dd16a, 0x403a18e3, 0x407de1e1, 0x407ffffe};

static void put_root(struct program *p, unsigned d, unsigned src)
{
    const struct lull_rdna_insn in = {
        .op = LULL_RDNA_OP_V_RSQ_F32,
        .enc = LULL_RDNA_VOP1,
        .size = 4,
        .dst = (uint16_t)(LULL_RDNA_VGPR0 + d),
        .sdst = LULL_RDNA_NONE,
        .src = {(uint16_t)(LULL_RDNA_VGPR0 + src), LULL_RDNA_NONE, LULL_RDNA_NONE}};
    p->n += lull_rdna_encode(&in, p->words + p->n);
}

/** Inverse roots, which begin at what the host estimates: in half of the passes of the numbers
 * above, in the others of any. */
static void test_roots(const struct lull_engine *engine)
{
    enum { ROOTS = 600 };
    struct program p = {0};
    const struct lull_rdna_insn end = {.op = LULL_RDNA_OP_S_ENDPGM,
                                       .enc = LULL_RDNA_SOPP,
                                       .size = 4,
                                       .dst = LULL_RDNA_NONE,
                                       .sdst = LULL_RDNA_NONE,
                                       .src = {LULL_RDNA_NONE, LULL_RDNA_NONE, LULL_RDNA_NONE}};
    struct bare *b[] = {bare_with_lds(64, lds[0]), bare_with_lds(64, lds[1])};
    bool ok = lull_code_cache_compile(b[1]->w.code, engine);
    put_root(&p, 1, 0);
    put_root(&p, 3, 2);
    put_root(&p, 5, 4);
    p.n += lull_rdna_encode(&end, p.words + p.n);
    for (unsigned pass = 0; ok && pass < ROOTS; pass++) {
        const uint64_t seed = (uint64_t)random32() << 32;
        for (unsigned k = 0; k < 2; k++) {
            memcpy(b[k]->code, p.words, 4ul * p.n);
            fill(b[k], &p, seed, false);
            b[k]->w.mode = 0xc0;
        }
        for (unsigned i = 0; i < 5 * 64; i++) {
            const uint32_t any = random32() & 0x7fffffff;
            const uint32_t middle =
                middles[any % TEST_ROWS(middles)] + (any >> 8 & 0xf) * 0x1000000;
            b[0]->vgpr[i] = b[1]->vgpr[i] = pass % 2 != 0 ? middle : any;
        }
        lull_wave_run(&b[0]->w, WORDS);
        lull_wave_run(&b[1]->w, WORDS);
        ok = same(b[0], b[1]);
    }
    if (!ok) {
        report(b[0], b[1], &p);
    }
    test_case(ok && lull_code_page(&b[1]->w, BARE_CODE)->uop[0].compiled != NULL, "inverse roots",
              "%s: they differ, or are not compiled", target->name);
    bare_free(b[0]);
    bare_free(b[1]);
}

/** All of it for one kind of host, if this machine is one. */
static void test_target(unsigned programs)
{
    const struct lull_engine *engine = NULL;
    struct lull_error *err = lull_jit_engine(target->name, &engine);
    if (err != NULL) {
        test_skip("%s: %s", target->name, lull_error_message(err));
        lull_error_free(err);
        return;
    }
    memset(&total, 0, sizeof total);
    test_programs(64, engine, programs);
    test_programs(32, engine, programs);
    test_little_room(engine);
    test_roots(engine);
    unsigned ops = 0, scalars = 0;
    for (unsigned op = 0; op < LULL_RDNA_NOPS; op++) {
        ops += total.seen[op];
        scalars += total.scalar[op];
    }
    printf("# %s: %llu instructions, %llu of them compiled, of %u rows; %u rows of scalars; %llu "
           "loads\n",
           target->name, (unsigned long long)total.instructions, (unsigned long long)total.compiled,
           ops, scalars, (unsigned long long)total.loads);
    test_case(ops > 200 && scalars > 100 && total.loads * 50 > total.instructions &&
                  total.compiled * 3 > total.instructions,
              "enough is compiled", "%s: %u rows, %llu of %llu instructions", target->name, ops,
              (unsigned long long)total.compiled, (unsigned long long)total.instructions);
}

int main(int argc, char **argv)
{
    static const struct lull_jit_target *const targets[] = {&lull_jit_v3, &lull_jit_v4};
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 20261128;
    const unsigned programs = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 1500;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (size_t i = 0; i < TEST_ROWS(targets); i++) {
        target = targets[i];
        random_start(seed * 2 + 1);
        if (argc <= 3 || strcmp(argv[3], target->name) == 0) {
            test_target(programs);
        }
    }
    return test_end();
}
