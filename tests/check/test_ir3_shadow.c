// SPDX-License-Identifier: MIT
// Marks that move with values of ir3: what the machine itself computes is the judge.
//
// Registers are random, and so are marks on bits of them. An instruction is executed again and
// again with other values of the marked bits: a bit of what comes out that changes must be marked.
// Of rows that are exact, a bit that never does must not be. Lanes that are off keep what they
// have.
#include <stdlib.h>
#include <string.h>

#include "check/shadow/shadow.h"
#include "isa/ir3/ir3.h"
#include "model/adreno/exec/observed.h"
#include "test.h"

enum { FIBERS = 64, READ = 8, TRIALS = 120, GEN = 660 };

struct row {
    const char *text;
    bool exact;     // Bits that are marked for nothing are an error, too.
    unsigned dense; // Of bits that are marked, so many out of 16.
};

static const struct row rows[] = {
    {"mov.u32u32 r10.x, r0.x", true, 4},
    {"mov.f16f16 hr20.x, hr1.x", true, 4},
    {"cov.u32u16 hr20.y, r0.x", true, 4},
    {"cov.u16u32 r10.x, hr1.x", true, 4},
    {"cov.s16s32 r10.x, hr1.x", true, 4},
    {"cov.u8u32 r10.x, hr2.x", true, 4},
    {"cov.u32f32 r10.x, r0.x", false, 4},
    {"cov.f32u32 r10.x, r0.x", false, 4},
    {"(rpt3)mov.u32u32 r10.x, (r)r0.x", true, 4},
    {"(rpt2)add.u r10.x, (r)r0.x, r1.x", false, 1},
    {"swz.u32u32 r10.x, r10.y, r0.x, r0.y", true, 4},
    {"gat.u32u32 r10.x, r0.x, r1.x, r0.y, r1.z", true, 4},
    {"sct.u32u32 r10.x, r11.x, r12.x, r13.x, r0.x", true, 4},
    {"and.b r10.x, r0.x, r0.y", true, 6},
    {"and.b r10.x, r0.x, 255", true, 8},
    {"and.b hr20.x, hr0.x, hr3.y", true, 6},
    {"or.b r10.x, r0.x, r0.y", true, 6},
    {"xor.b r10.x, r0.x, r0.y", true, 6},
    {"not.b r10.x, r0.x", true, 6},
    {"shl.b r10.x, r0.x, 7", true, 6},
    {"shr.b r10.x, r0.x, 9", true, 6},
    {"ashr.b r10.x, r0.x, 9", true, 6},
    {"shl.b r10.x, r0.x, r0.y", false, 1},
    {"ashr.b hr20.x, hr0.x, hr0.y", false, 1},
    {"sel.b32 r10.x, r0.x, r0.y, r0.z", false, 1},
    {"sel.b32 r10.x, r0.x, r9.x, r0.z", true, 6},
    {"sel.b16 hr20.x, hr0.x, hr0.y, hr0.z", false, 1},
    {"shrm r10.x, 5, r0.x, r0.y", true, 4},
    {"shlm r10.x, 5, r0.x, r0.y", true, 4},
    {"shrg r10.x, 5, r0.x, r0.y", true, 4},
    {"shlg r10.x, 5, r0.x, r0.y", true, 4},
    {"andg r10.x, r0.x, r0.y, r0.z", true, 4},
    {"add.u r10.x, r0.x, r0.y", false, 1},
    {"add.s hr20.x, hr0.x, hr0.y", false, 1},
    {"sub.u r10.x, r0.x, (neg)r0.y", false, 1},
    {"sub.u r10.x, r0.x, r0.y", false, 1},
    {"absneg.s r10.x, (abs)r0.x", false, 1},
    {"absneg.s r10.x, (neg)r0.x", false, 1},
    {"absneg.f r10.x, (neg)r0.x", true, 4},
    {"mul.u24 r10.x, r0.x, r0.y", false, 1},
    {"mul.s24 r10.x, r0.x, r0.y", false, 1},
    {"mull.u r10.x, r0.x, r0.y", false, 1},
    {"mad.u24 r10.x, r0.x, r0.y, r0.z", false, 1},
    {"mad.s24 r10.x, r0.x, r0.y, r0.z", false, 1},
    {"madsh.m16 r10.x, r0.x, r0.y, r0.z", false, 1},
    {"sad.s32 r10.x, r0.x, r0.y, r0.z", false, 1},
    {"max.u r10.x, r0.x, r0.y", false, 1},
    {"bfrev.b r10.x, r0.x", false, 1},
    {"clz.b r10.x, r0.x", false, 1},
    {"cbits.b r10.x, r0.x", false, 1},
    {"cmps.u.lt r10.x, r0.x, r0.y", false, 8},
    {"cmps.s.eq r10.x, r0.x, r0.y", false, 8},
    {"cmps.s.ne r10.x, r0.x, 0", false, 8},
    {"cmps.s.ge r10.x, r0.x, (neg)r0.y", false, 1},
    {"cmps.f.lt r10.x, r0.x, r0.y", false, 1},
    {"add.f r10.x, r0.x, r0.y", false, 1},
    {"mul.f hr20.x, hr0.x, hr0.y", false, 1},
    {"(sat)max.f r10.x, r0.x, r0.y", false, 1},
    {"mad.f32 r10.x, r0.x, r0.y, r0.z", false, 1},
    {"rcp r10.x, r0.x", false, 1},
    {"quad_shuffle.horiz (u32)(x)r10.x, r0.x", true, 4},
    {"quad_shuffle.vert (u32)(x)r10.x, r0.x", true, 4},
    {"quad_shuffle.brcst (u32)(x)r10.x, r0.x, r9.x", true, 4},
    {"brcst.active.w8 (u32)(x)r10.x, r0.x", true, 4},
    {"shfl.xor.u32 r10.x, r0.x, 5", true, 4},
    {"shfl.rdown.u32 r10.x, r0.x, 3", true, 4},
    {"mov.u32u32 r10.x, r<a0.x + 1>", true, 4},
    {"mov.u32u32 r<a0.x + 40>, r0.x", true, 4},
    {"add.u r48.x, r0.x, r0.y", false, 1},
};

static struct lull_ir3_wave wave, before, after;
static struct lull_shadow shadow;

/** Moves the marks. */
static void moves(struct lull_observer *o, const struct lull_observed *at)
{
    struct lull_shadow_plan p;
    (void)o;
    lull_shadow_plan(at, &p);
    if (lull_shadow_meets(&shadow, at, &p)) {
        lull_shadow_move(&shadow, at, &p);
    }
}

static uint64_t state = 88172645463325252u;

static uint32_t number(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

static uint32_t some(unsigned dense)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < 32; i++) {
        v |= (uint32_t)(number() % 16 < dense) << i;
    }
    return v;
}

/** All that registers hold, and marks on those that are read. */
static void fill(const struct row *r, const struct lull_ir3_mask *live)
{
    const uint64_t none[2] = {0};
    memset(&shadow, 0, sizeof shadow);
    lull_ir3_wave_start(&wave, FIBERS, live);
    for (unsigned k = 0; k < LULL_IR3_GPRS; k++) {
        for (unsigned i = 0; i < FIBERS; i++) {
            wave.r[k][i] = number() % 4 == 0 ? number() & 15 : number();
            const bool marked = k < READ && number() % 2 == 0;
            shadow.r[k][i] = !marked ? 0 : some(r->dense) & (number() % 2 == 0 ? 15 : UINT32_MAX);
        }
        lull_shadow_mark(&shadow, k, 0, none, k + 1);
    }
    for (unsigned i = 0; i < FIBERS; i++) {
        wave.a0[i] = (int16_t)(number() % 4);
    }
}

/** Bits of what the wave has now that are not as after. */
static void differ(uint32_t (*ret)[FIBERS])
{
    for (unsigned k = 0; k < LULL_IR3_GPRS + LULL_IR3_SHARED; k++) {
        for (unsigned i = 0; i < FIBERS; i++) {
            const uint32_t *a = k < LULL_IR3_GPRS ? &wave.r[k][i] : &wave.shared[k - LULL_IR3_GPRS];
            const uint32_t *b =
                k < LULL_IR3_GPRS ? &after.r[k][i] : &after.shared[k - LULL_IR3_GPRS];
            ret[k][i] |= k < READ ? 0 : *a ^ *b;
        }
    }
}

static bool assemble(const struct row *r, struct lull_ir3_shaders *s, struct lull_ir3_program *p)
{
    char text[256];
    (void)snprintf(text, sizeof text, "%s\nend\n", r->text);
    struct lull_error *err = lull_ir3_assemble(text, GEN, s);
    err = err != NULL ? err : lull_ir3_program_new(s->all[0].words, (uint32_t)s->all[0].n, GEN, p);
    const bool good =
        test_case(err == NULL, r->text, "%s", err != NULL ? lull_error_message(err) : "");
    lull_error_free(err);
    return good;
}

static void test_row(const struct row *r, const struct lull_ir3_mask *live)
{
    static uint32_t consts[LULL_IR3_CONSTS], changes[LULL_SHADOW_REGS][FIBERS];
    static uint32_t marks[LULL_SHADOW_REGS][LULL_SHADOW_FIBERS];
    struct lull_ir3_shaders s = {.all = NULL};
    struct lull_ir3_program program = {.steps = NULL};
    struct lull_observer o = {.before = moves};
    bool preamble = false;
    if (!assemble(r, &s, &program)) {
        return;
    }
    consts[0] = 1;
    struct lull_ir3_env env = {.program = &program,
                               .consts = consts,
                               .nconsts = LULL_IR3_CONSTS,
                               .preamble_done = &preamble,
                               .observers = &o};
    fill(r, live);
    memcpy(marks, shadow.r, sizeof marks);
    before = wave;
    lull_ir3_wave_step(&wave, &env);
    after = wave;
    env.observers = NULL;
    memset(changes, 0, sizeof changes);
    for (unsigned t = 0; t < TRIALS; t++) {
        wave = before;
        for (unsigned k = 0; k < READ; k++) {
            for (unsigned i = 0; i < FIBERS; i++) {
                wave.r[k][i] ^= number() & marks[k][i];
            }
        }
        lull_ir3_wave_step(&wave, &env);
        differ(changes);
    }
    unsigned missed = 0, more = 0, changed = 0;
    for (unsigned k = READ; k < LULL_SHADOW_REGS; k++) {
        for (unsigned i = 0; i < FIBERS; i++) {
            missed += (changes[k][i] & ~shadow.r[k][i]) != 0;
            more += (shadow.r[k][i] & ~changes[k][i]) != 0;
            changed += changes[k][i] != 0;
        }
    }
    test_case(after.pc == 1 && missed == 0 && (live->w[0] != UINT64_MAX || changed != 0) &&
                  (!r->exact || more == 0),
              r->text,
              "status %u: of %u values that changed %u were not marked; %u were for nothing",
              after.status, changed, missed, more);
    lull_ir3_program_done(&program);
    lull_ir3_shaders_done(&s);
}

/** What is marked as a whole moves as what is marked lane by lane. */
static void test_whole(const struct row *r, const struct lull_ir3_mask *live)
{
    static struct lull_shadow marked;
    static const uint64_t none[2] = {0}, all[2] = {UINT64_MAX, UINT64_MAX};
    static uint32_t consts[LULL_IR3_CONSTS];
    struct lull_ir3_shaders s = {.all = NULL};
    struct lull_ir3_program program = {.steps = NULL};
    struct lull_observer o = {.before = moves};
    bool preamble = false;
    uint64_t regs[LULL_SHADOW_WORDS];
    unsigned differ = 0;
    if (!assemble(r, &s, &program)) {
        return;
    }
    struct lull_ir3_env env = {.program = &program,
                               .consts = consts,
                               .nconsts = LULL_IR3_CONSTS,
                               .preamble_done = &preamble,
                               .observers = &o};
    for (unsigned i = 0; i < LULL_SHADOW_WORDS; i++) {
        regs[i] = (uint64_t)number() << 32 | number();
    }
    regs[LULL_SHADOW_WORDS - 1] &= UINT64_MAX >> (64 * LULL_SHADOW_WORDS - LULL_SHADOW_REGS);
    fill(r, live);
    before = wave;
    memset(&shadow, 0, sizeof shadow);
    for (unsigned k = 0; k < LULL_SHADOW_REGS; k++) {
        if ((regs[k / 64] >> k % 64 & 1) != 0) {
            lull_shadow_mark(&shadow, k, UINT32_MAX, k < LULL_IR3_GPRS ? live->w : all, 0);
        }
    }
    lull_ir3_wave_step(&wave, &env);
    marked = shadow;
    wave = before;
    memset(&shadow, 0, sizeof shadow);
    lull_shadow_mark_whole(&shadow, regs, live->w);
    lull_ir3_wave_step(&wave, &env);
    for (unsigned k = 0; k < LULL_SHADOW_REGS; k++) {
        const uint64_t had = marked.marked[k / 64] ^ shadow.marked[k / 64];
        lull_shadow_mark(&shadow, k, 0, none, marked.from[k]); // Its marks are in r now.
        differ +=
            (had >> k % 64 & 1) != 0 || memcmp(marked.r[k], shadow.r[k], sizeof shadow.r[k]) != 0;
    }
    test_case(differ == 0, r->text, "%u registers have other marks", differ);
    lull_ir3_program_done(&program);
    lull_ir3_shaders_done(&s);
}

int main(void)
{
    const struct lull_ir3_mask all = {{UINT64_MAX, 0}}, half = {{UINT64_C(0x5a5affff00ff1234), 0}};
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        test_row(&rows[i], &all);
        test_row(&rows[i], &half);
    }
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        for (unsigned k = 0; k < 4; k++) {
            test_whole(&rows[i], k % 2 == 0 ? &all : &half);
        }
    }
    return test_end();
}
