// SPDX-License-Identifier: MIT
// Waves of ir3 that a debugger stops: where they stand, what they hold, and that they end as if
// nobody had looked.
//
// Memory is 1 MiB at BASE, code at CODE in it; c0.x, c0.y hold BASE. Groups have 160 fibers: waves
// of 64, 64 and 32.
#include <stdlib.h>
#include <string.h>

#include "hw/adreno_doms.h"
#include "isa/ir3/ir3.h"
#include "machine.h"
#include "model/adreno/watch.h"
#include "test.h"

enum { CODE = 0x8000, GEN = 660, LOCAL = 160, WAVES = 3, GROUPS = 2, MANY = 1 << 20 };
#define UNMAPPED 0x200000 // From BASE on.

/* A dispatch of @p text, nothing of it executed. */
static struct lull_acompute *make(struct machine *m, const char *text, uint64_t seed)
{
    struct lull_ir3_shaders s = {.all = NULL};
    struct lull_acompute *c = NULL;
    const struct lull_ir3_stops stops = m->stops;
    if (lull_ir3_assemble(text, GEN, &s) != NULL) {
        abort();
    }
    memset(m, 0, sizeof *m);
    m->stops = stops;
    memcpy(m->mem + CODE, s.all[0].words, s.all[0].n * sizeof *s.all[0].words);
    m->regs[LULL_A6XX_SP_CS_OBJ_START] = (uint32_t)BASE + CODE;
    m->regs[LULL_A6XX_SP_CS_OBJ_START + 1] = (uint32_t)(BASE >> 32);
    m->regs[LULL_A6XX_SP_CS_INSTRLEN] = (uint32_t)(s.all[0].n + 15) / 16;
    m->regs[LULL_A6XX_SP_CS_CTRL_REG0] = 1u << 31;
    m->regs[LULL_A6XX_HLSQ_CS_CNTL] = 1;
    m->regs[LULL_A6XX_HLSQ_CS_NDRANGE_0] = 3 | (LOCAL - 1) << 2;
    m->regs[LULL_A6XX_HLSQ_CS_CNTL_0] = 48u * 4 | 0xfc00 | 0xfc0000;
    m->regs[LULL_A6XX_HLSQ_CS_CNTL_1] = 0xfc;
    m->state.stage[LULL_ASTAGE_CS].consts[0] = (uint32_t)BASE;
    m->state.stage[LULL_ASTAGE_CS].consts[1] = (uint32_t)(BASE >> 32);
    const struct lull_acompute_source source = {.gpu_id = GEN,
                                                .ctx = m,
                                                .reg = reg,
                                                .memory = {.ctx = m, .at = at},
                                                .state = &m->state,
                                                .seed = seed,
                                                .stops = &m->stops};
    const uint32_t groups[3] = {GROUPS, 1, 1};
    if (lull_acompute_new(&source, groups, &c) != NULL) {
        abort();
    }
    lull_ir3_shaders_done(&s);
    return c;
}

/* Tickets that waves draw in a loop: who drew which says in what order they ran. */
static const char tickets[] =
    "mov.u32u32 r41.x, c0.x\nmov.u32u32 r41.y, c0.y\nmov.u32u32 r2.x, 0\nmov.u32u32 r4.x, 1\n"
    "mull.u r40.x, r48.x, 160\n(rpt5)nop\nadd.u r40.x, r40.x, r0.x\n"
    "l1:\n(jp)(rpt5)nop\nadd.u r2.x, r2.x, 1\nnop\nnop\nnop\nnop\n(rpt5)nop\n"
    "cmps.u.lt p0.x, r2.x, 20\n(rpt5)nop\nbr p0.x, #l1\n"
    "atomic.g.add.untyped.1d.u32.1.g r1.x, r41.x, r4.x\n(sy)nop\n"
    "add.u r40.x, r40.x, 1\n(rpt5)nop\nstg.a.u32 g[r41.x+(r40.x)<<2], r1.x, 1\nend\n";

/* Let it run in slices of @p most, and whoever stands go on. @return It has ended. */
static bool finish(struct lull_acompute *c, uint64_t most)
{
    for (unsigned i = 0; i < MANY && !lull_acompute_ended(c); i++) {
        uint64_t done = 0;
        struct lull_ir3_group *g = lull_acompute_group(c);
        const unsigned n = lull_acompute_stands(c) ? g->n : 0;
        for (unsigned k = 0; k < n; k++) {
            lull_ir3_stops_go(&g->waves[k], false);
        }
        struct lull_error *err = lull_acompute_run(c, most, &done);
        if (err != NULL) {
            lull_error_free(err);
            return false;
        }
    }
    return lull_acompute_ended(c);
}

/* The same order of waves, however it is cut into slices and whoever looks. */
static void test_order(struct machine *m)
{
    static const struct {
        const char *name;
        uint64_t seed, slice;
        bool watched;
        unsigned n;
        uint64_t at;
    } rows[] = {
        {"in slices of 1", 0, 1, false, 0, 0},
        {"in slices of 7, with a seed", 5, 7, false, 0, 0},
        {"in slices of 97", 0, 97, false, 0, 0},
        {"watched", 0, MANY, true, 0, 0},
        {"watched, in slices of 7, with a seed", 5, 7, true, 0, 0},
        {"stopped at each turn of the loop", 5, MANY, true, 1, BASE + CODE + 8 * 8},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        m->stops = (struct lull_ir3_stops){.on = false};
        struct lull_acompute *whole = make(m, tickets, rows[i].seed);
        bool good = finish(whole, MANY);
        uint8_t *want = malloc(SIZE);
        if (want == NULL) {
            abort();
        }
        memcpy(want, m->mem, SIZE);
        m->stops =
            (struct lull_ir3_stops){.on = rows[i].watched, .n = rows[i].n, .at = {rows[i].at}};
        struct lull_acompute *cut = make(m, tickets, rows[i].seed);
        good = finish(cut, rows[i].slice) && good;
        uint32_t drawn = 0;
        memcpy(&drawn, m->mem, sizeof drawn);
        test_case(good && drawn == GROUPS * LOCAL && memcmp(want, m->mem, SIZE) == 0, rows[i].name,
                  "ended %d, %u tickets", good, drawn);
        lull_acompute_free(whole);
        lull_acompute_free(cut);
        free(want);
    }
}

static const char simple[] = "mov.u32u32 r1.x, 5\n"        // 0
                             "(rpt5)nop\n"                 // 1
                             "add.u r1.x, r1.x, r0.x\n"    // 2
                             "(ss)(sy)bar.g\n"             // 3
                             "mov.u32u32 r2.x, c0.x\n"     // 4
                             "mov.u32u32 r2.y, c0.y\n"     // 5
                             "mov.u32u32 r3.x, 0x200000\n" // 6
                             "(rpt5)nop\n"                 // 7
                             "add.u r2.x, r2.x, r3.x\n"    // 8
                             "(rpt5)nop\n"                 // 9
                             "stg.u32 g[r2.x], r1.x, 1\n"  // 10: refused
                             "ret\n"                       // 11: nobody has called
                             "end\n";

static void run(struct lull_acompute *c)
{
    uint64_t done = 0;
    struct lull_error *err = lull_acompute_run(c, MANY, &done);
    if (err != NULL) {
        printf("# %s\n", lull_error_message(err));
    }
    lull_error_free(err);
}

static void stands(struct lull_acompute *c, const char *name, unsigned wave,
                   enum lull_ir3_stop stop, uint32_t pc)
{
    const struct lull_ir3_group *g = lull_acompute_group(c);
    bool others = g != NULL && g->n == WAVES;
    for (unsigned i = 0; others && i < g->n; i++) {
        const enum lull_ir3_stop s = g->waves[i].hold.stop;
        others = i == wave || s == LULL_IR3_STOP_HOST || s == LULL_IR3_STOP_START ||
                 g->waves[i].status == LULL_IR3_ENDED;
    }
    const struct lull_ir3_wave *w = g != NULL ? &g->waves[wave] : NULL;
    test_case(others && lull_acompute_stands(c) && w != NULL && w->hold.stop == stop && w->pc == pc,
              name, "wave %u: stop %d at %u, others %d", wave, w != NULL ? (int)w->hold.stop : -1,
              w != NULL ? w->pc : 0, others);
}

static void go(struct lull_acompute *c, unsigned wave, bool step)
{
    lull_ir3_stops_go(&lull_acompute_group(c)->waves[wave], step);
}

static void go_all(struct lull_acompute *c)
{
    for (unsigned i = 0; i < WAVES; i++) {
        go(c, i, false);
    }
}

/* One wave after the other, as a user goes on. */
static void test_walk(struct machine *m)
{
    m->stops = (struct lull_ir3_stops){.on = true, .starts = true};
    struct lull_acompute *c = make(m, simple, 0);
    run(c);
    stands(c, "at the start", 0, LULL_IR3_STOP_START, 0);
    go(c, 1, true);
    run(c);
    stands(c, "a step", 1, LULL_IR3_STOP_STEP, 1);
    struct lull_ir3_group *g = lull_acompute_group(c);
    test_case(g->waves[0].pc == 0 && g->waves[2].pc == 0 && g->waves[1].ninsns == 1,
              "the others stay", "%u %u", g->waves[0].pc, g->waves[2].pc);
    m->stops.n = 1;
    m->stops.at[0] = BASE + CODE + 3 * 8;
    go(c, 1, false);
    run(c);
    stands(c, "a breakpoint", 1, LULL_IR3_STOP_BREAKPOINT, 3);
    test_case(lull_ir3_get(&g->waves[1], 4, false, 7) == 5 + 64 + 7, "what it has computed", "%u",
              lull_ir3_get(&g->waves[1], 4, false, 7));
    lull_ir3_set(&g->waves[1], 4, false, 7, 1000);
    go_all(c);
    run(c);
    stands(c, "another comes to it", 2, LULL_IR3_STOP_BREAKPOINT, 3);
    m->stops.n = 0;
    go_all(c);
    go(c, 1, true);
    run(c);
    stands(c, "a step over the barrier", 1, LULL_IR3_STOP_STEP, 4);
    go_all(c);
    run(c);
    const unsigned first = g->waves[0].hold.stop == LULL_IR3_STOP_MEMORY   ? 0
                           : g->waves[1].hold.stop == LULL_IR3_STOP_MEMORY ? 1
                                                                           : 2;
    stands(c, "memory refuses", first, LULL_IR3_STOP_MEMORY, 11);
    const struct lull_ir3_fault *f = &g->waves[first].hold.fault;
    test_case(f->address == BASE + UNMAPPED && f->pc == 10 && f->fiber == 0 && f->write &&
                  f->wave == first,
              "where", "0x%llx at %u by %u", (unsigned long long)f->address, f->pc, f->fiber);
    test_case(lull_ir3_get(&g->waves[1], 4, false, 7) == 1000, "a register is as it was set", "%u",
              lull_ir3_get(&g->waves[1], 4, false, 7));
    go(c, first, true);
    run(c);
    stands(c, "no instruction", first, LULL_IR3_STOP_ILLEGAL, 11);
    go(c, first, false);
    uint64_t done = 0;
    struct lull_error *err = lull_acompute_run(c, MANY, &done);
    test_case(err != NULL && strstr(lull_error_message(err), "ret without a call") != NULL,
              "and then it ends", "%s", err != NULL ? lull_error_message(err) : "no error");
    lull_error_free(err);
    lull_acompute_free(c);
}

/* Wave 2 waits at the barrier, wave 1 stands in front of it: a step of either ends behind it. */
static void test_barrier(struct machine *m)
{
    static const char *const names[] = {NULL, "a step over a barrier", "a step out of a barrier"};
    for (unsigned wave = 1; wave <= 2; wave++) {
        m->stops = (struct lull_ir3_stops){.on = true, .n = 1, .at = {BASE + CODE + 3 * 8}};
        struct lull_acompute *c = make(m, simple, 0);
        for (unsigned i = 0; i < WAVES; i++) {
            run(c);
            if (i + 1 < WAVES) {
                go_all(c);
            }
        }
        stands(c, "all have come to it", 1, LULL_IR3_STOP_BREAKPOINT, 3);
        m->stops.n = 0;
        go_all(c);
        go(c, wave, true);
        run(c);
        stands(c, names[wave], wave, LULL_IR3_STOP_STEP, 4);
        lull_acompute_free(c);
    }
}

/* An endless loop is interrupted. */
static void test_interrupt(struct machine *m)
{
    m->stops = (struct lull_ir3_stops){.on = true};
    struct lull_acompute *c = make(m, "l1:\nnop\njump #l1\nend\n", 0);
    uint64_t done = 0;
    struct lull_error *err = lull_acompute_run(c, 1001, &done);
    const bool any = lull_ir3_stops_all(lull_acompute_group(c));
    test_case(err == NULL && any && done == 1001 && lull_acompute_stands(c), "an interrupt",
              "%llu done", (unsigned long long)done);
    err = lull_acompute_run(c, 1000, &done);
    test_case(err == NULL && done == 0, "nothing moves", "%llu done", (unsigned long long)done);
    go_all(c);
    err = lull_acompute_run(c, 1000, &done);
    test_case(err == NULL && done == 1000, "it goes on", "%llu done", (unsigned long long)done);
    lull_acompute_free(c);
}

/* A dispatch that is held runs when whoever wanted it is gone. */
static void test_held(struct machine *m)
{
    const struct lull_agpu_stops stops = {.dispatches = true};
    struct lull_agpu_watch *w = calloc(1, sizeof *w);
    struct lull_agpu_dispatch d = {.number = 1};
    m->stops = (struct lull_ir3_stops){.on = false};
    struct lull_acompute *c = make(m, simple, 0);
    const struct lull_agpu_waves now = {.compute = c};
    if (w == NULL) {
        abort();
    }
    lull_agpu_watch_set(w, &now, &stops);
    lull_agpu_watch_began(w, c, 7, 100);
    test_case(lull_agpu_watch_stands(w, &now) && lull_agpu_watch_dispatch(w, 0, &d) &&
                  d.phase == LULL_AGPU_HELD && d.ttbr0 == 7 && d.local[0] == LOCAL &&
                  d.groups[0] == GROUPS,
              "a dispatch is held", "phase %d", (int)d.phase);
    lull_agpu_watch_set(w, &now, NULL);
    test_case(!lull_agpu_watch_stands(w, &now) && lull_agpu_watch_dispatch(w, 0, &d) &&
                  d.phase == LULL_AGPU_RUNNING,
              "nobody holds it any more", "phase %d", (int)d.phase);
    lull_agpu_watch_ended(w, false, 200);
    test_case(lull_agpu_watch_dispatch(w, 0, &d) && d.phase == LULL_AGPU_DONE && d.ended == 200 &&
                  !lull_agpu_watch_dispatch(w, 1, &d),
              "it is done", "phase %d", (int)d.phase);
    lull_acompute_free(c);
    free(w);
}

int main(void)
{
    struct machine *m = calloc(1, sizeof *m);
    if (m == NULL) {
        return 1;
    }
    test_order(m);
    test_walk(m);
    test_barrier(m);
    test_interrupt(m);
    test_held(m);
    free(m);
    return test_end();
}
