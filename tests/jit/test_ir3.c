// SPDX-License-Identifier: MIT
// The compiler of waves for ir3 against the interpreter, bit for bit: random ALU instructions of
// all rows of ir3.sem, whole and half registers that overlap, modifiers of sources and results,
// constants, repetitions, predicates, fibers that are off, NaNs, infinities, denormals. For each
// kind of host that this machine is: test_jit_ir3 [SEED [PROGRAMS]].
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "jit/ir3/jit.h"
#include "model/adreno/exec/wave.h"
#include "test.h"

#include "model/adreno/ir3_values.h"

enum {
    MOST = 24,     // Instructions of a program.
    REGISTERS = 8, // Whole ones that it uses.
    CONSTS = 16,
    FIRST_SHARED = LULL_IR3_GPRS,
    SHARED = 4,
    ROWS = 256, // At least as many as there are.
};

static struct {
    uint64_t instructions, compiled;
    unsigned rows; ///< With an instruction that was compiled.
    bool seen[ROWS];
} total;

/** An operand to read, as wide as @p half says, mostly. */
static struct lull_ir3_operand source(uint64_t *seed, bool half)
{
    const uint64_t v = ir3_next(seed);
    const unsigned kind = v % 16;
    const uint32_t bits = (uint32_t)(v >> 8);
    struct lull_ir3_operand o = {.kind = LULL_IR3_K_GPR, .half = half};
    o.neg = (bits & 3) == 0;
    o.abs = (bits >> 2 & 3) == 0;
    o.r = (bits >> 4 & 1) != 0;
    o.value = (int32_t)((bits >> 5) % (half ? 2 * REGISTERS : REGISTERS));
    if (kind == 0) {
        o.kind = LULL_IR3_K_CONST;
        o.value = (int32_t)((bits >> 5) % (CONSTS + 2)); // Some are not there.
    } else if (kind == 1) {
        o.kind = LULL_IR3_K_IMM;
        o.value = (int32_t)ir3_value(seed, half ? LULL_IR3_TYPE_S16 : LULL_IR3_TYPE_S32, true);
    } else if (kind == 2) {
        o.kind = LULL_IR3_K_FLUT;
        o.value = (int32_t)((bits >> 5) % 14);
    } else if (kind == 3) {
        o.value = FIRST_SHARED + (int32_t)((bits >> 5) % SHARED);
    } else if (kind == 4 && (bits >> 5 & 7) == 0) {
        o.half = !half;
    } else if (kind == 5 && (bits >> 5 & 7) == 0) {
        o.kind = LULL_IR3_K_PRED;
        o.value = (int32_t)(bits >> 8 & 3);
    }
    return o;
}

static struct lull_ir3_operand result(uint64_t *seed, const struct lull_ir3_alu_row *row)
{
    const uint64_t v = ir3_next(seed);
    const bool half = lull_ir3_type_bits(row->result) == 16;
    struct lull_ir3_operand o = {.kind = LULL_IR3_K_GPR, .half = v % 8 == 0 ? !half : half};
    o.value = (int32_t)((v >> 8) % (o.half ? 2 * REGISTERS : REGISTERS));
    if (v % 8 == 1) {
        o.kind = LULL_IR3_K_PRED;
        o.value = (int32_t)(v >> 8 & 3);
    } else if (v % 8 == 2) {
        o.value = o.half ? FIRST_SHARED + (int32_t)(v >> 8) % (2 * SHARED)
                         : FIRST_SHARED + (int32_t)(v >> 8) % SHARED;
    }
    return o;
}

static struct lull_ir3_op_step random_step(uint64_t *seed)
{
    const struct lull_ir3_alu_row *row = &lull_ir3_alu_rows[ir3_next(seed) % lull_ir3_nalu_rows];
    const uint64_t v = ir3_next(seed);
    const bool move = row->op == LULL_IR3_OP_MOV, half = lull_ir3_type_bits(row->source) == 16;
    struct lull_ir3_op_step s = {.word = ir3_next(seed), .alu = row};
    s.in =
        (struct lull_ir3_insn){.op = (enum lull_ir3_op)row->op,
                               .category = move ? 1 : 2,
                               .ndst = 1,
                               .nsrc = 3,
                               .dst = {result(seed, row)},
                               .src = {source(seed, half), source(seed, half), source(seed, half)}};
    s.in.m.type = row->result;
    s.in.m.src_type = row->source;
    s.in.m.repeat = v % 4 == 0 ? v >> 2 & 3 : 0;
    s.in.m.cond = v >> 4 & 7;
    s.in.m.round = move && (v >> 7 & 3) == 0 ? v >> 9 & 3 : 0;
    s.in.m.sat = (v >> 11 & 3) == 0;
    s.in.m.ei = (v >> 13 & 3) == 0;
    s.in.m.mixed = v >> 15 & 1;
    s.in.m.high = v >> 16 & 1;
    s.to_int = lull_ir3_alu_to_int(&s.in, row);
    s.scalar = lull_ir3_alu_is_scalar(&s);
    return s;
}

static void fill(struct lull_ir3_wave *w, uint32_t consts[CONSTS], uint64_t *seed)
{
    const unsigned fibers = ir3_next(seed) % 2 == 0 ? 64 : 128;
    const bool nans = ir3_next(seed) % 4 == 0;
    const unsigned kind = ir3_next(seed) % 4;
    struct lull_ir3_mask on = {{UINT64_MAX, fibers == 128 ? UINT64_MAX : 0}};
    for (unsigned i = 0; kind != 0 && i < fibers / 64; i++) {
        on.w[i] = ir3_next(seed) << 24 ^ ir3_next(seed);
        on.w[i] &= kind == 1 ? UINT64_MAX : kind == 2 ? 0xff00000100 : 0x8000000000000001;
    }
    on.w[0] |= 1;
    lull_ir3_wave_start(w, fibers, &on);
    for (unsigned r = 0; r < REGISTERS; r++) {
        const uint64_t what = ir3_next(seed) % 3;
        for (unsigned i = 0; i < fibers; i++) {
            w->r[r][i] = what == 0   ? ir3_value(seed, LULL_IR3_TYPE_F32, nans)
                         : what == 1 ? ir3_value(seed, LULL_IR3_TYPE_F16, nans) |
                                           ir3_value(seed, LULL_IR3_TYPE_F16, nans) << 16
                                     : ir3_value(seed, LULL_IR3_TYPE_U32, nans);
        }
    }
    for (unsigned i = 0; i < CONSTS; i++) {
        consts[i] = ir3_value(seed, i % 2 == 0 ? LULL_IR3_TYPE_F32 : LULL_IR3_TYPE_U32, nans);
    }
    for (unsigned i = 0; i < SHARED; i++) {
        w->shared[i] = ir3_value(seed, LULL_IR3_TYPE_F32, nans);
    }
    for (unsigned i = 0; i < 4; i++) {
        w->p[i].w[0] = ir3_next(seed) << 24 ^ ir3_next(seed);
        w->p[i].w[1] = fibers == 128 ? ir3_next(seed) << 24 ^ ir3_next(seed) : 0;
    }
    w->pred = ir3_next(seed) % 4 == 0 ? LULL_IR3_PRED_FALSE : LULL_IR3_PRED_NONE;
    w->pred_mask = w->p[0];
}

/** What differs between @p a and @p b, for the message; false: nothing. */
static bool differ(const struct lull_ir3_wave *a, const struct lull_ir3_wave *b, char text[96])
{
    for (unsigned r = 0; r < LULL_IR3_GPRS; r++) {
        for (unsigned i = 0; i < a->fibers; i++) {
            if (a->r[r][i] != b->r[r][i]) {
                snprintf(text, 96, "r%u.%c of fiber %u: %#x, want %#x", r / 4, "xyzw"[r & 3], i,
                         b -> r[r][i], a -> r[r][i]);
                return true;
            }
        }
    }
    for (unsigned k = 0; k < 4; k++) {
        if (memcmp(&a->p[k], &b->p[k], sizeof a->p[k]) != 0) {
            snprintf(text, 96, "p0.%c: %#" PRIx64 " %#" PRIx64 ", want %#" PRIx64 " %#" PRIx64,
                     "xyzw"[k], b -> p[k].w[0], b->p[k].w[1], a->p[k].w[0], a->p[k].w[1]);
            return true;
        }
    }
    snprintf(text, 96, "all but registers");
    return memcmp(a->shared, b->shared, sizeof *a - offsetof(struct lull_ir3_wave, shared)) != 0;
}

static struct lull_ir3_wave waves[2];

/** Both waves to the end of the program, the second by code where there is some. False: they
 * differ, behind instruction @p pc. */
static bool run(struct lull_ir3_env *env, char text[96], uint32_t *pc)
{
    const struct lull_ir3_program *p = env->program;
    struct lull_ir3_wave *want = &waves[0], *w = &waves[1];
    while (w->pc < p->n && w->status == LULL_IR3_RUNS) {
        const struct lull_ir3_code *c = p->codes.at[w->pc];
        *pc = w->pc;
        if (c == NULL || !c->run(w, env, c)) {
            lull_ir3_wave_step(w, env);
        } else {
            total.compiled += c->n;
            for (uint32_t i = *pc; i < *pc + c->n; i++) {
                total.seen[p->steps[i].alu - lull_ir3_alu_rows] |= !p->steps[i].scalar;
            }
        }
        while (want->pc < w->pc && want->status == LULL_IR3_RUNS) {
            lull_ir3_wave_step(want, env);
        }
        if (differ(want, w, text)) {
            return false;
        }
    }
    return true;
}

/** What a program does, for whoever looks for what is wrong. */
static void print(const struct lull_ir3_program *p)
{
    for (uint32_t i = 0; i < p->n; i++) {
        const struct lull_ir3_op_step *s = &p->steps[i];
        const struct lull_ir3_members *m = &s->in.m;
        printf("# %u: %s of types %u to %u, repeat %u cond %u round %u sat %u ei %u mixed %u high "
               "%u%s\n",
               i, lull_ir3_op_names[s->in.op], s->alu->source, s->alu->result, m->repeat, m->cond,
               m->round, m->sat, m->ei, m->mixed, m->high,
               p->codes.at != NULL && p->codes.at[i] != NULL ? ", code begins" : "");
        for (unsigned k = 0; k < 4; k++) {
            const struct lull_ir3_operand *o = k == 0 ? &s->in.dst[0] : &s->in.src[k - 1];
            printf("#    %s %d%s%s%s%s\n", lull_ir3_kind_names[o->kind], o->value,
                   o->half ? " half" : "", o->neg ? " neg" : "", o->abs ? " abs" : "",
                   o->r ? " (r)" : "");
        }
    }
}

/** A program of @p n instructions on both. @p text: what differs. */
static bool same(const struct lull_ir3_engine *e, void *state, uint64_t first, unsigned n,
                 char text[96])
{
    struct lull_ir3_op_step steps[MOST];
    struct lull_ir3_program p = {.steps = steps, .n = n, .gen = 660};
    uint32_t consts[CONSTS];
    uint64_t seed = first;
    for (unsigned i = 0; i < n; i++) {
        steps[i] = random_step(&seed);
    }
    fill(&waves[0], consts, &seed);
    waves[1] = waves[0];
    struct lull_ir3_env env = {.program = &p, .consts = consts, .nconsts = CONSTS};
    e->compile(state, &p);
    if (p.codes.at == NULL) {
        snprintf(text, 96, "nothing was compiled");
        return false;
    }
    uint32_t pc = 0;
    const bool good = run(&env, text, &pc);
    if (!good) {
        print(&p);
        printf("# first at %u\n", pc);
    }
    --*p.codes.users;
    total.instructions += n;
    return good;
}

/** A shared register gets what a register of the first fiber that is on would, as does a predicate
 * of numbers that are the same for all. */
static bool once(uint64_t first, char text[96])
{
    uint32_t consts[CONSTS];
    uint64_t seed = first;
    struct lull_ir3_op_step s = random_step(&seed);
    struct lull_ir3_program p = {.steps = &s, .n = 1, .gen = 660};
    struct lull_ir3_env env = {.program = &p, .consts = consts, .nconsts = CONSTS};
    fill(&waves[0], consts, &seed);
    waves[0].pred = LULL_IR3_PRED_NONE;
    waves[1] = waves[0];
    const unsigned fiber = lull_ir3_first(&waves[0].exec);
    s.in.m.repeat = 0;
    s.in.dst[0].kind = LULL_IR3_K_GPR;
    s.in.dst[0].value = 0;
    s.scalar = false;
    lull_ir3_wave_step(&waves[0], &env);
    s.in.dst[0].value = FIRST_SHARED;
    s.scalar = lull_ir3_alu_is_scalar(&s);
    lull_ir3_wave_step(&waves[1], &env);
    const bool half = s.in.dst[0].half;
    const uint32_t want = lull_ir3_get(&waves[0], 0, half, fiber);
    const uint32_t got = lull_ir3_get(&waves[1], FIRST_SHARED, half, 0);
    snprintf(text, 96, "%s: %#x, want %#x", lull_ir3_op_names[s.in.op], got, want);
    return s.scalar && got == want;
}

static void check_once(uint64_t seed)
{
    char text[96] = "";
    uint64_t i = 0;
    bool good = true;
    for (; good && i < 4000; i++) {
        good = once(seed + i, text);
    }
    test_case(good, "shared registers", "seed %" PRIu64 ": %s", seed + i - 1, text);
}

static void check(const char *target, uint64_t seed, unsigned programs)
{
    const struct lull_ir3_engine *e = NULL;
    struct lull_error *err = lull_jit_ir3_engine(target, &e);
    if (err != NULL) {
        test_skip("%s: %s", target, lull_error_message(err));
        lull_error_free(err);
        return;
    }
    void *state = e->start(e);
    bool good = state != NULL;
    char text[96] = "";
    memset(&total, 0, sizeof total);
    unsigned i = 0;
    for (; good && i < programs; i++) { // Half of them are one instruction.
        good = same(e, state, seed + i, i % 2 == 0 ? 1 : 1 + i % MOST, text);
    }
    e->end(state);
    for (unsigned r = 0; r < lull_ir3_nalu_rows; r++) {
        total.rows += total.seen[r];
    }
    test_case(good, target, "seed %" PRIu64 ": %s", seed + i - 1, text);
    // Not: rows that the host cannot do, and operands that are read fiber by fiber.
    test_case(programs < 10000 || (total.rows > 125 && total.compiled > total.instructions / 2),
              "most of it was compiled", "%u rows of %u; %" PRIu64 " of %" PRIu64 " instructions",
              total.rows, lull_ir3_nalu_rows, total.compiled, total.instructions);
    printf("# %s: %u rows of %u; %" PRIu64 " of %" PRIu64 " instructions\n", target, total.rows,
           lull_ir3_nalu_rows, total.compiled, total.instructions);
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    const unsigned programs = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 20000;
    check_once(seed);
    check("x86-64-v3", seed, programs);
    check("x86-64-v4", seed, programs);
    return test_end();
}
