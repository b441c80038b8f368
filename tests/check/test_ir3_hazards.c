// SPDX-License-Identifier: MIT
// --check hazards on ir3: what is told of code that waits too little, and nothing of code that
// waits enough.
//
// Slots: the cases of Mesa's src/freedreno/ir3/tests/delay.c, retyped as facts, for a630; those of
// a740 by the numbers of ir3_compiler.c (2, 5, and 1 for the third source of category 3). With so
// many slots nothing may be told, with one less the last instruction is early by one.
#include <stdlib.h>
#include <string.h>

#include "check/ir3/ir3.h"
#include "isa/ir3/ir3.h"
#include "model/adreno/exec/group.h"
#include "test.h"

enum { SIZE = 1 << 16, LOCAL = 1024, STEPS = 100000, MOST = 8 };
#define BASE 0x6a88000ull

static uint8_t memory[SIZE];

static uint8_t *at(void *ctx, uint64_t address, unsigned bytes, bool write)
{
    (void)ctx, (void)write;
    return address >= BASE && address - BASE + bytes <= SIZE ? memory + (address - BASE) : NULL;
}

/** Run @p text under @p checks; false: it did not end. */
static bool run(const char *text, unsigned gen, unsigned fibers, struct lull_hazards *checks)
{
    static uint32_t consts[LULL_IR3_CONSTS];
    static uint8_t local[LOCAL];
    struct lull_ir3_shaders s = {.all = NULL};
    struct lull_ir3_program program = {.steps = NULL};
    struct lull_error *err = lull_ir3_assemble(text, gen, &s);
    if (err == NULL) {
        err = lull_ir3_program_new(s.all[0].words, (uint32_t)s.all[0].n, gen, &program);
    }
    bool preamble = false, ended = false;
    memset(consts, 0, sizeof consts);
    consts[0] = 4; // Of the public listing: rounds, and its numbers.
    consts[1] = BASE;
    consts[16] = 5, consts[20] = 10, consts[24] = 15, consts[28] = 20;
    struct lull_ir3_env env = {.program = &program,
                               .memory = {.at = at},
                               .consts = consts,
                               .nconsts = LULL_IR3_CONSTS,
                               .local = local,
                               .local_bytes = LOCAL,
                               .preamble_done = &preamble,
                               .observers = lull_hazards_observer(checks)};
    const struct lull_ir3_dispatch d = {.local = {fibers, 1, 1},
                                        .fibers = fibers,
                                        .local_reg = 0xb0, // r44.x
                                        .linear_reg = LULL_IR3_NO_REGID,
                                        .group_reg = LULL_IR3_NO_REGID};
    const uint32_t id[3] = {0};
    struct lull_ir3_group g = {.waves = NULL};
    if (err == NULL) {
        err = lull_ir3_group_new(&d, id, &g);
    }
    if (err == NULL) {
        (void)lull_ir3_group_run(&g, &env, d.seed, STEPS);
        ended = lull_ir3_group_ended(&g);
        if (!ended) {
            printf("# %s\n", g.waves[0].wrong);
        }
    } else {
        printf("# %s\n", lull_error_message(err));
    }
    lull_ir3_group_done(&g);
    lull_ir3_program_done(&program);
    lull_ir3_shaders_done(&s);
    lull_error_free(err);
    return ended;
}

/* Slots. */

struct slots_row {
    unsigned gen, fibers;
    unsigned slots;
    const char *before, *last;
};

static const struct slots_row slots[] = {
    {630, 64, 6, "add.f r0.x, r2.x, r2.y\n", "rsq r0.x, r0.x\n"},
    {630, 64, 3, "mov.f32f32 r0.x, c2.x\nmov.f32f32 r0.y, c2.y\n", "add.f r0.x, r0.x, r0.y\n"},
    {630, 64, 2, "mov.f32f32 r0.x, c2.x\nmov.f32f32 r0.y, c2.y\nmov.f32f32 r0.z, c2.z\n",
     "mad.f32 r0.x, r0.x, r0.y, r0.z\n"},
    {630, 64, 0, "mov.f32f32 r0.x, c2.x\nrcp r0.x, r1.y\n", "(ss)add.f r0.x, r0.x, c2.x\n"},
    {630, 64, 2, "mov.f32f32 r0.x, c2.x\nmov.f32f32 r0.y, c2.y\n",
     "(rpt1)add.f r0.x, (r)r0.x, (r)c2.x\n"},
    {630, 64, 2, "(rpt1)mov.f32f32 r0.x, c2.x\n", "(rpt1)add.f r0.x, (r)r0.x, (r)c2.x\n"},
    {630, 64, 3, "mov.f32f32 r0.y, c2.y\nmov.f32f32 r0.x, c2.x\n",
     "(rpt1)add.f r0.x, (r)r0.x, (r)c2.x\n"},
    {630, 64, 1, "(rpt2)mov.f32f32 r0.x, (r)c2.x\n", "add.f r0.x, r0.x, c2.x\n"},
    {630, 64, 2, "(rpt2)mov.f32f32 r0.x, (r)c2.x\n", "add.f r0.x, r0.x, r0.y\n"},
    {630, 64, 2, "(rpt1)mov.f32f32 r0.x, (r)c2.x\n", "(rpt1)add.f r0.x, (r)r0.x, c2.x\n"},
    {630, 64, 1, "(rpt1)mov.f32f32 r0.y, (r)c2.x\n", "(rpt1)add.f r0.x, (r)r0.x, c2.x\n"},
    {630, 64, 3, "(rpt1)mov.f32f32 r0.x, (r)c2.x\n", "(rpt1)add.f r0.x, (r)r0.y, c2.x\n"},
    // ir3_delay.c: the two sizes overlap, and the reader is of the other one.
    {630, 64, 6, "mov.f32f32 r0.x, c2.x\n", "add.f hr1.x, hr0.y, hr0.y\n"},
    {630, 64, 6, "mov.f16f16 hr0.y, hc2.x\n", "add.f r1.x, r0.x, c2.x\n"},
    // ... the third source is that much later.
    {630, 64, 1, "mov.f32f32 r0.z, c2.x\n", "mad.f32 r0.x, c2.x, r2.y, r0.z\n"},
    {630, 64, 3, "mov.f32f32 r0.z, c2.x\n", "sel.b32 r0.x, c2.x, r2.y, r0.z\n"},
    // ... and gat reads its sources one by one.
    {630, 64, 0, "mov.f32f32 r0.w, c2.x\n", "gat.f32f32 r1.x, r2.x, r2.y, r2.z, r0.w\n"},
    {630, 64, 6, "cmps.f.lt p0.x, r0.x, c2.x\n", "br p0.x, #1\n"},
    {630, 64, 6, "mov.s16s16 hr0.x, 0\n(rpt5)nop\nmova a0.x, hr0.x\n",
     "mov.u32u32 r1.x, r<a0.x + 8>\n"},
    {630, 64, 6, "mov.u32u32 r3.x, 0x6a88000\n", "stg.u32 g[r2.x], r3.x, 1\n"},
    {630, 128, 4, "mov.u32u32 r3.x, 0x6a88000\n", "stg.u32 g[r2.x], r3.x, 1\n"},
    // legalize: the scalar ALU takes no slots, but its (nop) does; swz takes two.
    {660, 64, 3, "mov.f32f32 r0.x, c2.x\nadd.u r48.x, r48.y, 1\n", "add.f r0.x, r0.x, c2.x\n"},
    {660, 64, 1, "mov.f32f32 r0.x, c2.x\n(nop2) add.u r48.x, r48.y, 1\n",
     "add.f r0.x, r0.x, c2.x\n"},
    {630, 64, 1, "mov.f32f32 r0.x, c2.x\nswz.u32u32 r1.x, r1.y, r1.y, r1.x\n",
     "add.f r0.x, r0.x, c2.x\n"},
    {740, 64, 2, "mov.f32f32 r0.x, c2.x\n", "add.f r0.x, r0.x, c2.x\n"},
    {740, 64, 5, "mov.f32f32 r0.x, c2.x\n", "rsq r0.x, r0.x\n"},
    {740, 64, 1, "mov.f32f32 r0.z, c2.x\n", "sel.b32 r0.x, c2.x, r2.y, r0.z\n"},
    {740, 64, 5, "mov.f32f32 r0.x, c2.x\n", "add.f hr1.x, hr0.y, hr0.y\n"},
    {740, 128, 5, "mov.u32u32 r3.x, 0x6a88000\n", "stg.u32 g[r2.x], r3.x, 1\n"},
};

static void test_slots(const struct slots_row *r, unsigned have)
{
    char text[512], name[600];
    struct lull_hazards *h = NULL;
    struct lull_error *err = lull_hazards_new(&lull_hazard_rules_ir3, &h);
    int n = snprintf(text, sizeof text, "%s", r->before);
    for (unsigned i = 0; i < have; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "nop\n");
    }
    (void)snprintf(text + n, sizeof text - (size_t)n, "%snop\nend\n", r->last);
    (void)snprintf(name, sizeof name, "a%u: %u slots between %s and %s", r->gen, have, r->before,
                   r->last);
    const bool ended = err == NULL && run(text, r->gen, r->fibers, h);
    const size_t found = ended ? lull_hazards_count(h) : 0, want = have < r->slots;
    const struct lull_hazard *f = found > 0 ? lull_hazards_at(h, 0) : NULL;
    const bool right = f == NULL || (f->kind == LULL_HAZARD_EARLY && f->slots == r->slots - have);
    test_case(ended && found == want && right, name, "%zu findings, the first %s by %u slots",
              found, f != NULL ? lull_hazard_name(f->kind) : "none", f != NULL ? f->slots : 0);
    lull_hazards_free(h);
    lull_error_free(err);
}

/* What is told, and in which words. */

struct told {
    const char *insn, *text; ///< Beginnings; NULL: no more.
};

struct row {
    const char *name, *text;
    unsigned gen;
    struct told want[MOST];
};

#define ADDRESS "mov.u32u32 r2.x, 0x6a88000\nmov.u32u32 r2.y, 0\n(rpt5)nop\n"

static const struct row rows[] = {
    {"a result of the special function unit",
     "rcp r0.x, r1.x\nadd.f r2.x, r0.x, c2.x\nend\n",
     630,
     {{"add.f r2.x",
       "reads r0.x, which 'rcp r0.x, r1.x' at 0x0 has yet to write: (ss) is missing"}}},
    {"... with (ss)", "rcp r0.x, r1.x\n(ss)add.f r2.x, r0.x, c2.x\nend\n", 630, {{NULL, NULL}}},
    {"... with (ss) on a nop",
     "rcp r0.x, r1.x\n(ss)nop\nadd.f r2.x, r0.x, c2.x\nend\n",
     630,
     {{NULL, NULL}}},
    {"... and (sy) does not do",
     "rcp r0.x, r1.x\n(sy)add.f r2.x, r0.x, c2.x\nend\n",
     630,
     {{"(sy)add.f r2.x", "reads r0.x"}}},
    {"... which somebody overwrites",
     "rcp r0.x, r1.x\nmov.f32f32 r0.x, c2.x\nend\n",
     630,
     {{"mov.f32f32 r0.x", "writes r0.x, which 'rcp r0.x, r1.x' at 0x0 may write later"}}},
    {"... whose source somebody overwrites",
     "rcp r0.x, r1.x\nmov.f32f32 r1.x, c2.x\nend\n",
     630,
     {{"mov.f32f32 r1.x", "writes r1.x, which 'rcp r0.x, r1.x' at 0x0 may read later: (ss)"}}},
    {"a load of global memory",
     ADDRESS "ldg.u32 r3.x, g[r2.x], 2\nadd.u r4.x, r3.y, 1\nend\n",
     630,
     {{"add.u r4.x",
       "reads r3.y, which 'ldg.u32 r3.x, g[r2.x], 2' at 0x18 has yet to write: (sy)"}}},
    {"... behind what it wrote",
     ADDRESS "ldg.u32 r3.x, g[r2.x], 2\nadd.u r4.x, r3.z, 1\nend\n",
     630,
     {{NULL, NULL}}},
    {"... half of a register",
     ADDRESS "ldg.u32 r3.x, g[r2.x], 1\nadd.u hr20.x, hr6.y, 1\nend\n",
     630,
     {{"add.u hr20.x", "reads hr6.y"}}},
    {"... with (sy)",
     ADDRESS "ldg.u32 r3.x, g[r2.x], 2\n(sy)add.u r4.x, r3.y, 1\nend\n",
     630,
     {{NULL, NULL}}},
    {"... with (ss), which does not do",
     ADDRESS "ldg.u32 r3.x, g[r2.x], 2\n(ss)add.u r4.x, r3.y, 1\nend\n",
     630,
     {{"(ss)add.u r4.x", "reads r3.y"}}},
    {"the address of a load",
     ADDRESS "ldg.u32 r3.x, g[r2.x], 2\nmov.u32u32 r2.y, 1\nend\n",
     630,
     {{"mov.u32u32 r2.y", "writes r2.y, which 'ldg.u32 r3.x, g[r2.x], 2' at 0x18 may read later: "
                          "(ss) or (sy) is missing"}}},
    {"... with (ss)",
     ADDRESS "ldg.u32 r3.x, g[r2.x], 2\n(ss)mov.u32u32 r2.y, 1\nend\n",
     630,
     {{NULL, NULL}}},
    {"... with (sy)",
     ADDRESS "ldg.u32 r3.x, g[r2.x], 2\n(sy)mov.u32u32 r2.y, 1\nend\n",
     630,
     {{NULL, NULL}}},
    {"the data of a store",
     ADDRESS "stg.u32 g[r2.x], r5.x, 2\nmov.u32u32 r5.y, 1\nend\n",
     630,
     {{"mov.u32u32 r5.y", "writes r5.y, which 'stg.u32 g[r2.x], r5.x, 2' at 0x18 may read later: "
                          "(ss) is missing"}}},
    {"... with (sy), which does not do",
     ADDRESS "stg.u32 g[r2.x], r5.x, 2\n(sy)mov.u32u32 r5.y, 1\nend\n",
     630,
     {{"(sy)mov.u32u32 r5.y", "writes r5.y"}}},
    {"... with (ss)",
     ADDRESS "stg.u32 g[r2.x], r5.x, 2\n(ss)mov.u32u32 r5.y, 1\nend\n",
     630,
     {{NULL, NULL}}},
    {"... behind it",
     ADDRESS "stg.u32 g[r2.x], r5.x, 2\nmov.u32u32 r5.z, 1\nend\n",
     630,
     {{NULL, NULL}}},
    {"shared memory",
     "mov.u32u32 r1.x, 16\n(rpt5)nop\nldl.u32 r0.x, l[r1.x], 1\n(sy)add.u r3.x, r0.x, 1\nend\n",
     630,
     {{"(sy)add.u r3.x", "reads r0.x, which 'ldl.u32 r0.x, l[r1.x], 1' at 0x10 has yet to write: "
                         "(ss)"}}},
    {"... out of range",
     "mov.u32u32 r1.x, 1024\n(rpt5)nop\nldl.u32 r0.x, l[r1.x], 1\nend\n",
     630,
     {{"ldl.u32 r0.x", "outside of the group's shared memory"}}},
    {"private to it: an atomic's old value and data",
     ADDRESS "atomic.g.add.untyped.1d.u32.1.g r3.x, r2.x, r5.x\nmov.u32u32 r5.x, 1\n"
             "mov.u32u32 r6.x, r3.x\nend\n",
     630,
     {{"mov.u32u32 r5.x", "writes r5.x"}, {"mov.u32u32 r6.x", "reads r3.x"}}},
    {"a shared register of the vector ALU",
     "mov.u32u32 r48.x, r44.x\n(rpt5)nop\nmov.u32u32 r1.x, r48.x\nend\n",
     660,
     {{"mov.u32u32 r1.x", "reads r48.x, which 'mov.u32u32 r48.x, r44.x' at 0x0 has yet to write"}}},
    {"... with (ss)",
     "mov.u32u32 r48.x, r44.x\n(ss)mov.u32u32 r1.x, r48.x\nend\n",
     660,
     {{NULL, NULL}}},
    {"the scalar ALU goes on with its own",
     "mov.u32u32 r48.x, 1\nadd.u r48.y, r48.x, 1\nend\n",
     660,
     {{NULL, NULL}}},
    {"... of the same size",
     "mov.u32u32 r48.x, 1\nadd.u hr48.w, hr48.x, 1\nend\n",
     660,
     {{"add.u hr48.w", "reads hr48.x"}}},
    {"... and a630 has none",
     "mov.u32u32 r48.x, 1\nadd.u r48.y, r48.x, 1\nend\n",
     630,
     {{"add.u r48.y", "reads r48.x"}}},
    {"constants that a preamble writes",
     "mov.u32u32 r2.x, 7\n(rpt5)nop\nstc.u32 c[8], r2.x, 1\nadd.u r1.x, r0.x, c2.x\nend\n",
     660,
     {{"add.u r1.x", "reads c2.x, which 'stc.u32 c[8], r2.x, 1' at 0x10 has yet to write: (ss)"}}},
    {"... of others",
     "mov.u32u32 r2.x, 7\n(rpt5)nop\nstc.u32 c[8], r2.x, 1\nadd.u r1.x, r0.x, c2.y\nend\n",
     660,
     {{NULL, NULL}}},
    {"... with (ss)",
     "mov.u32u32 r2.x, 7\n(rpt5)nop\nstc.u32 c[8], r2.x, 1\n(ss)add.u r1.x, r0.x, c2.x\nend\n",
     660,
     {{NULL, NULL}}},
    {"other fibers",
     "cmps.u.lt p0.x, r44.x, 10\n(rpt5)nop\nbr p0.x, #l1\nrcp r0.x, r1.x\njump #l2\n"
     "l1:\n(jp)add.f r2.x, r0.x, c2.x\nl2:\n(jp)nop\nend\n",
     630,
     {{NULL, NULL}}},
    {"a loop's second round",
     "mov.u32u32 r1.x, 0\n(rpt5)nop\nl1:\n(jp)add.u r1.x, r1.x, 1\n(rpt2)nop\n"
     "cmps.u.lt p0.x, r1.x, 3\nrcp r3.x, r4.x\n(rpt5)nop\nbr p0.x, #l1\nend\n",
     630,
     {{"rcp r3.x", "writes r3.x, which 'rcp r3.x, r4.x' at 0x28 may write later"}}},
    {"where fibers meet",
     "cmps.u.lt p0.x, r44.x, 10\n(rpt5)nop\nbr p0.x, #l1\nmov.u32u32 r3.x, 1\n"
     "l1:\nmov.u32u32 r3.y, 1\nend\n",
     630,
     {{"mov.u32u32 r3.y", "fibers that waited here go on with those that come: (jp)"}}},
    {"... with (jp)",
     "cmps.u.lt p0.x, r44.x, 10\n(rpt5)nop\nbr p0.x, #l1\nmov.u32u32 r3.x, 1\n"
     "l1:\n(jp)mov.u32u32 r3.y, 1\nend\n",
     630,
     {{NULL, NULL}}},
    {"a register by a0.x",
     "mov.s16s16 hr0.x, 2\n(rpt5)nop\nmova a0.x, hr0.x\nrcp r1.z, r4.x\n(rpt5)nop\n"
     "mov.u32u32 r6.x, r<a0.x + 4>\nend\n",
     630,
     {{"mov.u32u32 r6.x", "reads r1.z"}}},
};

static void test_row(const struct row *r)
{
    struct lull_hazards *h = NULL;
    struct lull_error *err = lull_hazards_new(&lull_hazard_rules_ir3, &h);
    const bool ended = err == NULL && run(r->text, r->gen, 64, h);
    struct lull_str all = {0};
    size_t want = 0;
    bool right = ended;
    while (want < MOST && r->want[want].insn != NULL) {
        want++;
    }
    for (size_t i = 0; ended && i < lull_hazards_count(h); i++) {
        const struct lull_hazard *f = lull_hazards_at(h, i);
        struct lull_str text = {0};
        lull_hazard_text(h, f, &text);
        right = right && i < want && strstr(f->insn, r->want[i].insn) == f->insn &&
                strstr(lull_str_text(&text), r->want[i].text) == lull_str_text(&text);
        lull_str_addf(&all, "[%s: %s]", f->insn, lull_str_text(&text));
        lull_str_free(&text);
    }
    test_case(right && lull_hazards_count(h) == want, r->name, "%zu findings, want %zu: %s",
              h != NULL ? lull_hazards_count(h) : 0, want, lull_str_text(&all));
    lull_str_free(&all);
    lull_hazards_free(h);
    lull_error_free(err);
}

/* A public listing of an instrumented shader: what it overwrites while stores may still read it. */
static void test_listing(const char *path)
{
    static const char *const want[] = {
        "cov.u32s16 hr2.w, r1.y",           "mad.f32 r0.w, c133.x, r1.y, r0.w",
        "mad.f32 r0.z, c133.x, r1.y, r0.z", "mad.f32 r0.y, c133.x, r1.y, r0.y",
        "mad.f32 r0.x, c133.x, r1.y, r0.x", "add.u r1.x, r1.x, 1",
    };
    static char text[1 << 15];
    struct lull_hazards *h = NULL;
    struct lull_error *err = lull_hazards_new(&lull_hazard_rules_ir3, &h);
    FILE *f = fopen(path, "r");
    const size_t n = f != NULL ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = '\0';
    const bool ended = err == NULL && run(text, 660, 128, h);
    test_case(ended, "the public listing ends", "%s", path);
    const size_t found = ended ? lull_hazards_count(h) : 0;
    for (size_t i = 0; i < found || i < TEST_ROWS(want); i++) {
        const struct lull_hazard *x = i < found ? lull_hazards_at(h, i) : NULL;
        const char *expect = i < TEST_ROWS(want) ? want[i] : "nothing";
        test_case(x != NULL && x->kind == LULL_HAZARD_LATE_READ && strcmp(x->insn, expect) == 0,
                  expect, "finding %zu is %s of %s", i,
                  x != NULL ? lull_hazard_name(x->kind) : "none", x != NULL ? x->insn : "none");
    }
    if (f != NULL) {
        (void)fclose(f);
    }
    lull_hazards_free(h);
    lull_error_free(err);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < TEST_ROWS(slots); i++) {
        test_slots(&slots[i], slots[i].slots);
        if (slots[i].slots > 0) {
            test_slots(&slots[i], slots[i].slots - 1);
        }
    }
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        test_row(&rows[i]);
    }
    if (argc > 1) {
        test_listing(argv[1]);
    }
    return test_end();
}
