// SPDX-License-Identifier: MIT
// What an instrumented shader writes down is what an observer of the model sees of the shader as it
// was: for each fiber the same instructions in the same order with the same values. Random programs
// of ALU instructions, branches, predication, a0.x, halves, shared registers and shuffles; seed as
// argument.
#include <stdlib.h>
#include <string.h>

#include "instrument/ir3/instrument.h"
#include "instrument/records.h"
#include "isa/ir3/ir3.h"
#include "model/adreno/exec/group.h"
#include "model/observer.h"
#include "test.h"

enum {
    FIBERS = 64,
    ROOM = 1 << 20,
    BYTES = ROOM + 4096,
    STEPS = 1 << 22,
    MOST_SEEN = 1 << 15,
    PROGRAMS = 60,
    SLICE = 15000, // Of which 65 fit into the room.
    LENGTH = 24,
};
#define BASE 0x6a88000ull

static uint8_t memory[BYTES];

static uint8_t *at(void *ctx, uint64_t address, unsigned bytes, bool write)
{
    (void)ctx, (void)write;
    return address >= BASE && address - BASE + bytes <= BYTES ? memory + (address - BASE) : NULL;
}

/** What the observer has seen: as records have it. */
struct seen {
    uint32_t fiber, insn, n;
    uint32_t values[LULL_IR3_VALUES];
};

struct watcher {
    struct lull_observer o; // First.
    const struct lull_manifest *m;
    struct seen *all;
    size_t n;
    size_t open[FIBERS]; // 1 + the last one of a fiber, whose destinations are to come.
};

static uint32_t constant(unsigned n)
{
    return n * 0x01010101u + 3;
}

/** Number of the register called @p name. */
static unsigned number_of(const struct lull_observed *now, const char *name, unsigned fiber)
{
    const bool half = *name == 'h';
    const char file = name[half];
    const char *end = name + half + 1;
    uint32_t a0 = 0;
    if (*end == '<') { // "r<a0.x + 4>", "r<a0.x + -4>", "r<a0.x>"
        (void)now->read(now, LULL_ARCH_IR3_ADDRESS, fiber, &a0);
        const char *by = strchr(end, ' ');
        const int with = (int16_t)a0 + (by != NULL ? atoi(by + 3) : 0);
        return (unsigned)with +
               (file == 'c' ? LULL_ARCH_IR3_CONSTANTS : (half ? LULL_ARCH_IR3_HALVES : 0));
    }
    const unsigned n = (unsigned)strtoul(end, NULL, 10) * 4 +
                       (unsigned)(strchr("xyzw", strchr(name, '.')[1]) - "xyzw");
    return file == 'p'   ? LULL_ARCH_IR3_PREDICATE + n
           : file == 'a' ? LULL_ARCH_IR3_ADDRESS + n / 4
           : file == 'c' ? LULL_ARCH_IR3_CONSTANTS + n
                         : n + (half ? LULL_ARCH_IR3_HALVES : 0);
}

static uint32_t value_of(const struct lull_observed *now, const char *name, unsigned fiber)
{
    const unsigned number = number_of(now, name, fiber);
    uint32_t v = 0;
    if (number >= LULL_ARCH_IR3_CONSTANTS) { // Which observers do not see.
        return constant(number - LULL_ARCH_IR3_CONSTANTS);
    }
    (void)now->read(now, number, fiber, &v);
    return *name == 'p' ? v & 1 : *name == 'h' || *name == 'a' ? v & 0xffff : v;
}

static void before(struct lull_observer *o, const struct lull_observed *now)
{
    struct watcher *w = (struct watcher *)o;
    const uint32_t at_insn = (uint32_t)(now->pc / 8);
    for (unsigned f = 0; f < FIBERS; f++) {
        if (w->open[f] != 0) {
            struct seen *s = &w->all[w->open[f] - 1];
            const struct lull_recorded *r = &w->m->all[s->insn];
            for (uint32_t k = 0; k < r->ndst; k++) {
                s->values[k] = value_of(now, r->names[k], f);
            }
            w->open[f] = 0;
        }
    }
    uint32_t id = 0;
    while (id < w->m->n && w->m->all[id].at != at_insn) {
        id++;
    }
    for (unsigned f = 0; id < w->m->n && f < FIBERS; f++) {
        if ((now->active >> f & 1) != 0 && w->n < MOST_SEEN) {
            const struct lull_recorded *r = &w->m->all[id];
            struct seen *s = &w->all[w->n++];
            *s = (struct seen){.fiber = f, .insn = id, .n = r->ndst + r->nsrc};
            for (uint32_t k = r->ndst; k < s->n; k++) {
                s->values[k] = value_of(now, r->names[k], f);
            }
            w->open[f] = w->n;
        }
    }
}

/** Run @p words as one wave; false: it did not end. */
static bool run(const uint64_t *words, size_t n, unsigned gen, struct lull_observer *o)
{
    static uint32_t consts[LULL_IR3_CONSTS];
    struct lull_ir3_program program = {.steps = NULL};
    bool preamble = false;
    for (unsigned i = 0; i < LULL_IR3_CONSTS; i++) {
        consts[i] = constant(i);
    }
    struct lull_ir3_env env = {.program = &program,
                               .memory = {.at = at},
                               .consts = consts,
                               .nconsts = LULL_IR3_CONSTS,
                               .preamble_done = &preamble,
                               .observers = o};
    const struct lull_ir3_dispatch d = {.local = {FIBERS, 1, 1},
                                        .fibers = FIBERS,
                                        .local_reg = 0,
                                        .linear_reg = LULL_IR3_NO_REGID,
                                        .group_reg = LULL_IR3_NO_REGID};
    const uint32_t id[3] = {0};
    struct lull_ir3_group g = {.waves = NULL};
    struct lull_error *err = lull_ir3_program_new(words, (uint32_t)n, gen, &program);
    err = err != NULL ? err : lull_ir3_group_new(&d, id, &g);
    bool ended = false;
    if (err == NULL) {
        (void)lull_ir3_group_run(&g, &env, d.seed, STEPS);
        ended = lull_ir3_group_ended(&g);
    }
    lull_error_free(err);
    lull_ir3_group_done(&g);
    lull_ir3_program_done(&program);
    return ended;
}

/** Are the records those that were seen? @p why: where not. */
static bool same(const struct watcher *w, struct lull_dump *d, char *why, size_t room)
{
    struct seen *sorted = calloc(w->n + 1, sizeof *sorted);
    size_t n = 0;
    for (uint32_t f = 0; sorted != NULL && f < FIBERS; f++) {
        for (size_t i = 0; i < w->n; i++) {
            if (w->all[i].fiber == f) {
                sorted[n++] = w->all[i];
            }
        }
    }
    lull_dump_sort(d);
    bool ok = n == d->n && d->missing == 0 && d->invocations == FIBERS;
    (void)snprintf(why, room, "%zu records, %zu seen", d->n, n);
    for (size_t i = 0; i < n && i < d->n; i++) {
        const struct lull_dump_record *r = &d->all[i];
        const struct seen *s = &sorted[i];
        bool is = r->invocation == s->fiber && r->insn == s->insn;
        uint32_t k = 0;
        while (is && k < s->n && lull_dump_value(d, r, k) == s->values[k]) {
            k++;
        }
        if (!is || k < s->n) {
            const struct lull_recorded *x = &d->m->all[s->insn];
            (void)snprintf(why, room, "record %zu: [%u/%u], seen [%u/%u] %s: %s: %x, seen %x", i,
                           r->invocation, r->insn, s->fiber, s->insn, x->text,
                           is ? x->names[k] : "another", is ? lull_dump_value(d, r, k) : 0,
                           is ? s->values[k] : 0);
            ok = false;
            break;
        }
    }
    free(sorted);
    return ok;
}

static void compare(const char *name, const char *text, unsigned gen, uint32_t slice)
{
    struct lull_ir3_shaders s = {.all = NULL};
    struct lull_ir3_instrumented r = {.words = NULL};
    struct lull_dump d = {.all = NULL};
    struct watcher w = {.o = {.before = before}, .all = calloc(MOST_SEEN, sizeof *w.all)};
    char why[400] = "";
    struct lull_error *err = lull_ir3_assemble(text, gen, &s);
    const size_t n = err == NULL ? s.all[0].n : 0;
    bool *chosen = malloc(n + 1);
    if (chosen == NULL || w.all == NULL) {
        abort();
    }
    memset(chosen, 1, n);
    const struct lull_ir3_instrument how = {.gen = gen,
                                            .buffer = BASE,
                                            .room = ROOM,
                                            .slice = slice,
                                            .kinds = LULL_IR3_VALUES_ALL,
                                            .chosen = chosen};
    err = err != NULL ? err : lull_ir3_instrument(&s.all[0], &how, &r);
    w.m = &r.manifest;
    bool ok = err == NULL && r.manifest.n > 0 && run(s.all[0].words, n, gen, &w.o);
    memset(memory, 0, sizeof memory);
    ok = ok && run(r.words, r.n, gen, NULL);
    err = err != NULL || !ok ? err : lull_dump_of(&r.manifest, memory, BYTES, &d);
    ok = ok && err == NULL && same(&w, &d, why, sizeof why);
    test_case(ok, name, "a%u, slice %u: %s%s\n%s", gen, slice, why,
              err != NULL ? lull_error_message(err) : "", text);
    lull_error_free(err);
    lull_dump_done(&d);
    lull_ir3_instrumented_done(&r);
    lull_ir3_shaders_done(&s);
    free(w.all);
    free(chosen);
}

/* Random programs. */

static uint64_t state;

static unsigned any(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

/** A template: R a register, H a half, C a constant, N a small number. */
static const char *const forms[] = {
    "mov.u32u32 R, R",
    "mov.u32u32 R, C",
    "add.u R, R, R",
    "and.b R, R, C",
    "mad.f32 R, C, R, R",
    "mad.u24 R, R, R, R",
    "mul.f R, R, (neg)R",
    "cov.u32u16 H, R",
    "cov.u16u32 R, H",
    "add.u H, H, H",
    "(rpt2)add.u R, (r)R, (r)R",
    "(rpt1)mov.u32u32 R, (r)R",
    "(rpt3)xor.b R, (r)R, R",
    "cmps.u.lt p0.x, R, R",
    "cmps.s.ge p0.y, R, C",
    "cmps.u.eq p0.z, H, H",
    "cmps.u.ne R, R, R",
    "sel.b32 R, R, R, R",
    "mova a0.x, N",
    "mov.u32u32 R, r<a0.x + N>",
    "mov.u32u32 r<a0.x + N>, R",
    "mov.u32u32 R, c<a0.x + N>",
    "mov.u32u32 R, c<a0.x>",
    "mov.u32u32 r48.x, C",
    "(ss)add.u R, R, r48.x",
    "quad_shuffle.horiz (u32)(x)R, R",
    "brcst.active.w2 (u32)(x)R, R",
    "brcst.active.w8 (u32)(x)R, R",
    "and.b p0.x, p0.x, p0.y",
    "shl.b R, R, N",
    "rcp R, R",
    "swz.u32u32 R, R, R, R",
};

static void add(char *text, size_t room, const char *form)
{
    size_t n = strlen(text);
    for (; *form != '\0' && n + 16 < room; form++) {
        const bool is = strchr("RHCN", *form) != NULL;
        const unsigned reg = any(*form == 'H' ? 40 : 24);
        if (!is) {
            text[n++] = *form;
        } else if (*form == 'N') {
            n += (size_t)snprintf(text + n, room - n, "%u", 1 + any(6));
        } else {
            n += (size_t)snprintf(text + n, room - n, "%s%u.%c",
                                  *form == 'H'   ? "hr"
                                  : *form == 'C' ? "c"
                                                 : "r",
                                  reg / 4, "xyzw"[reg % 4]);
        }
        text[n] = '\0';
    }
}

/** A branch over some instructions, or predication of some, at times both ways. */
static void program(char *text, size_t room)
{
    unsigned label = 0, until = 0, predicated = 0;
    (void)snprintf(text, room,
                   "cmps.u.gt p0.x, r0.x, %u\n"
                   "cmps.u.lt p0.y, r0.x, %u\n"
                   "cmps.u.eq p0.z, r0.x, %u\n(rpt5)nop\n",
                   any(FIBERS), any(FIBERS), any(FIBERS));
    for (unsigned i = 0; i < LENGTH; i++) {
        const size_t n = strlen(text);
        if (until == 0 && predicated == 0 && any(4) == 0) {
            until = 1 + any(5);
            predicated = any(2);
            (void)snprintf(text + n, room - n,
                           predicated ? "(rpt5)nop\npredt\n" : "(rpt5)nop\nbr p0.x, #k%u\n", label);
        }
        add(text, room, forms[any(TEST_ROWS(forms))]);
        add(text, room, "\n(sy)(ss)(rpt5)nop\n");
        if (until != 0 && --until == 0) {
            const size_t end = strlen(text);
            (void)snprintf(text + end, room - end,
                           predicated ? "prede\n(rpt5)nop\n" : "k%u:\n(jp)nop\n", label++);
            predicated = 0;
        }
    }
    const size_t n = strlen(text);
    (void)snprintf(text + n, room - n,
                   until == 0   ? "end\n"
                   : predicated ? "prede\nend\n"
                                : "k%u:\n(jp)nop\nend\n",
                   label);
}

int main(int argc, char **argv)
{
    static const unsigned gens[] = {630, 660, 740};
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    static const char loop[] = "mov.u32u32 r1.x, 0\n(rpt5)nop\nb:\n(jp)cmps.u.ge p0.x, r1.x, "
                               "r0.x\n(rpt5)nop\nbr p0.x, #e\n"
                               "mul.u24 r1.y, r1.x, r1.x\n(rpt5)nop\nadd.u r2.x, r2.x, r1.y\nadd.u "
                               "r1.x, r1.x, 3\n(rpt5)nop\n"
                               "jump #b\ne:\n(jp)mov.u32u32 r3.x, r2.x\nend\n";
    // What is live behind a call is so in the function: r0.y, r0.z, r0.w; g calls f.
    static const char functions[] =
        "mov.u32u32 r1.x, 5\nmov.u32u32 r0.y, 77\nmov.u32u32 r0.z, 78\n(rpt5)nop\ncall #f\n"
        "add.u r1.x, r1.x, r0.y\ncmps.u.gt p0.x, r0.x, 31\n(rpt5)nop\nbr p0.x, #k\n"
        "mov.u32u32 r0.w, 79\n(rpt5)nop\ncall #f\nadd.u r1.x, r1.x, r0.w\n(rpt5)nop\n"
        "k:\n(jp)add.u r1.x, r1.x, r0.z\n(rpt5)nop\ncall #g\nmov.u32u32 r5.x, r1.x\nend\n"
        "f:\nadd.u r1.x, r1.x, r0.x\n(rpt5)nop\nadd.u r2.x, r2.x, r1.x\n(rpt5)nop\nret\n"
        "g:\nmul.u24 r3.x, r1.x, r2.x\n(rpt5)nop\ncall #f\nmov.u32u32 r4.x, r3.x\nret\n";
    for (unsigned i = 0; i < TEST_ROWS(gens); i++) {
        compare("a loop that fibers leave at different times", loop, gens[i], 0);
        compare("a loop that fibers leave at different times, slices", loop, gens[i], SLICE);
        compare("functions", functions, gens[i], 0);
        compare("functions, slices", functions, gens[i], SLICE);
    }
    printf("# seed %llu\n", (unsigned long long)seed);
    state = seed;
    for (unsigned i = 0; i < PROGRAMS; i++) {
        char text[8192] = "", name[40];
        program(text, sizeof text);
        (void)snprintf(name, sizeof name, "random program %u", i);
        compare(name, text, gens[i % TEST_ROWS(gens)], 0);
        (void)snprintf(name, sizeof name, "random program %u, slices", i);
        compare(name, text, gens[i % TEST_ROWS(gens)], SLICE);
    }
    return test_end();
}
