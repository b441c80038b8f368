// SPDX-License-Identifier: MIT
// The debug target on the virtual driver: the trap handler saves and restores whole waves, many at
// once; stepping, breakpoints, interrupt, LDS, page walk. Expected values: plain C of what loop.s
// says.
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "debug/session/debug.h"
#include "debug/session/engine.h"
#include "hw/pte11_regs.h"
#include "image/image.h"
#include "target/amd/debug.h"
#include "target/amd/debug_priv.h"
#include "test.h"
#include "vdrm/amdgpu/vdrm.h"

enum { THREADS = 256, WAVES = 8, TURNS = 250, MAX = 64, BREAK_OFFSET = 0x14 };

struct fixture {
    struct lull_kernel *k;
    struct lull_amd_device *d;
    struct lull_target *t;
    struct lull_image *image;
    struct lull_amd_bo *code, *out, *args;
    struct lull_amd_dispatch dispatch;
};

static void must(struct lull_error *err, const char *what)
{
    if (err != NULL) {
        printf("Bail out! %s: %s\n", what, lull_error_message(err));
        exit(1);
    }
}

static void set_up(struct fixture *f, unsigned wave_size)
{
    struct lull_vdrm_options options = {.lockup_cycles = UINT64_MAX};
    must(lull_vdrm_new(&options, &f->k), "vdrm");
    must(lull_amd_device_open(f->k, NULL, &f->d), "open");
    must(lull_amd_debug_new(f->d, 0, &f->t), "debug");
    char path[4096] = {0};
    snprintf(path, sizeof path, "%s/examples/loop.s", getenv("LULL_SOURCE"));
    struct lull_compiled c = {0};
    must(lull_compile_file(path, NULL, &c), "compile");
    must(lull_image_parse(c.bytes, c.size, &f->image), "image");
    lull_compiled_done(&c);
    const struct lull_kernel_info *kernel = lull_image_kernel(f->image, 0);
    must(lull_amd_bo_new(f->d, "code", lull_image_size(f->image), LULL_AMD_BO_EXEC, &f->code),
         "code");
    must(lull_amd_bo_new(f->d, "out", 4 * THREADS, 0, &f->out), "out");
    must(lull_amd_bo_new(f->d, "kernarg", 8, LULL_AMD_BO_GTT, &f->args), "kernarg");
    must(lull_image_load(f->image, f->code->va, f->code->map), "load");
    memcpy(f->args->map, &f->out->va, 8);
    f->dispatch = (struct lull_amd_dispatch){
        .code_va = f->code->va + kernel->entry,
        .rsrc1 = kernel->rsrc1,
        .rsrc2 = kernel->rsrc2,
        .rsrc3 = kernel->rsrc3,
        .user_data = {(uint32_t)f->args->va, (uint32_t)(f->args->va >> 32)},
        .nuser_data = 2,
        .grid = {THREADS, 1, 1},
        .block = {THREADS, 1, 1},
        .wave32 = wave_size == 32,
    };
}

static void tear_down(struct fixture *f)
{
    f->t->ops->destroy(f->t);
    lull_amd_device_close(f->d);
    f->k->destroy(f->k);
    lull_image_free(f->image);
}

static size_t stopped(struct fixture *f, struct lull_wave_info *infos)
{
    size_t n = 0;
    must(f->t->ops->waves(f->t, infos, MAX, &n), "waves");
    return n;
}

/* Wait until @p want waves stand. */
static size_t wait_for(struct fixture *f, size_t want, struct lull_wave_info *infos)
{
    for (unsigned i = 0; i < 1000; i++) {
        enum lull_event event = LULL_EVENT_TIMEOUT;
        must(f->t->ops->wait(f->t, 10, &event), "wait");
        if (stopped(f, infos) >= want || event == LULL_EVENT_DONE || event == LULL_EVENT_LOST) {
            break;
        }
    }
    return stopped(f, infos);
}

static uint64_t reg(struct fixture *f, lull_wave_key key, enum lull_reg_class cls, unsigned index,
                    unsigned lane)
{
    uint64_t v = 0;
    struct lull_wave_reg r = {.cls = cls, .index = (uint16_t)index, .lane = (uint8_t)lane};
    must(f->t->ops->read_reg(f->t, key, r, &v), "read_reg");
    return v;
}

static void resume_all(struct fixture *f)
{
    struct lull_wave_info infos[MAX];
    size_t n = stopped(f, infos);
    for (size_t i = 0; i < n; i++) {
        must(f->t->ops->resume(f->t, infos[i].key, LULL_RESUME_CONTINUE), "resume");
    }
}

static enum lull_event finish(struct fixture *f)
{
    enum lull_event event = LULL_EVENT_TIMEOUT;
    for (unsigned i = 0; i < 1000 && event != LULL_EVENT_DONE && event != LULL_EVENT_LOST; i++) {
        resume_all(f);
        must(f->t->ops->wait(f->t, 10, &event), "wait");
    }
    return event;
}

static unsigned wrong(const struct fixture *f, unsigned changed, uint32_t by)
{
    const uint32_t *out = f->out->map;
    unsigned n = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        n += out[i] != TURNS * (i + 1) + (i == changed ? by : 0);
    }
    return n;
}

/* Every wave stops at its start, registers as the dispatcher sets them, and goes on unharmed. */
static void test_start(unsigned wave_size)
{
    struct fixture f = {0};
    struct lull_wave_info w[MAX];
    set_up(&f, wave_size);
    unsigned waves = THREADS / wave_size;
    must(f.t->ops->stop_new_waves(f.t, true), "stop_new_waves");
    must(lull_amd_debug_submit(f.t, &f.dispatch), "submit");
    size_t n = wait_for(&f, waves, w);
    test_case(n == waves, "every wave stops at its start", "wave%u: %zu of %u", wave_size, n,
              waves);
    unsigned bad = 0;
    for (size_t i = 0; i < n; i++) {
        bad += w[i].stop != LULL_STOP_START || w[i].pc != f.dispatch.code_va ||
               w[i].lanes != wave_size;
        for (unsigned lane = 0; lane < wave_size; lane++) {
            bad +=
                reg(&f, w[i].key, LULL_REG_VGPR, 0, lane) != w[i].wave_in_group * wave_size + lane;
        }
        bad += reg(&f, w[i].key, LULL_REG_SGPR, 0, 0) != (uint32_t)f.args->va;
    }
    test_case(bad == 0, "pc, v0 and s0 as dispatched", "wave%u: %u wrong", wave_size, bad);
    must(f.t->ops->stop_new_waves(f.t, false), "stop_new_waves");
    enum lull_event event = finish(&f);
    test_case(event == LULL_EVENT_DONE, "runs to the end", "event %d", (int)event);
    test_case(wrong(&f, THREADS, 0) == 0, "result unharmed", "wave%u: %u wrong", wave_size,
              wrong(&f, THREADS, 0));
    tear_down(&f);
}

/* Let all waves come to the breakpoint, one after the other: those that are there stand. */
static size_t gather(struct fixture *f, struct lull_wave_info *w)
{
    size_t at = 0;
    for (unsigned i = 0; at < WAVES && i < 4 * WAVES; i++) {
        enum lull_event event = LULL_EVENT_TIMEOUT;
        must(f->t->ops->wait(f->t, 10, &event), "wait");
        must(f->t->ops->interrupt(f->t), "interrupt");
        size_t n = wait_for(f, WAVES, w);
        at = 0;
        for (size_t k = 0; k < n; k++) {
            at += w[k].stop == LULL_STOP_BREAKPOINT;
            if (w[k].stop != LULL_STOP_BREAKPOINT) {
                must(f->t->ops->resume(f->t, w[k].key, LULL_RESUME_CONTINUE), "resume");
            }
        }
    }
    return at;
}

/* Wave 3 of 8 goes through the loop 100 times while the others stand; then lane 5 gets another sum.
 */
static void test_step(void)
{
    struct fixture f = {0};
    struct lull_wave_info w[MAX];
    set_up(&f, 32);
    uint64_t at = f.dispatch.code_va + BREAK_OFFSET;
    must(f.t->ops->set_breakpoints(f.t, &at, 1), "break");
    must(lull_amd_debug_submit(f.t, &f.dispatch), "submit");
    size_t n = wait_for(&f, 1, w);
    test_case(n == 1 && w[0].stop == LULL_STOP_BREAKPOINT && w[0].pc == at,
              "a wave at the breakpoint holds the others", "%zu waves, stop %d", n, (int)w[0].stop);
    n = gather(&f, w);
    test_case(n == WAVES && w[0].pc == at, "all waves at the breakpoint", "%zu waves", n);
    lull_wave_key third = 0;
    for (size_t i = 0; i < n; i++) {
        third = w[i].wave_in_group == 3 ? w[i].key : third;
    }
    unsigned bad = 0;
    for (unsigned turn = 0; turn < 100; turn++) {
        for (unsigned i = 0; i < 4; i++) { // four instructions in the loop
            must(f.t->ops->resume(f.t, third, LULL_RESUME_STEP), "step");
            bad += wait_for(&f, WAVES, w) != WAVES;
        }
        bad += reg(&f, third, LULL_REG_PC, 0, 0) != at;
        bad += reg(&f, third, LULL_REG_VGPR, 2, 5) != (turn + 1) * (3 * 32 + 5 + 1);
        bad += reg(&f, third, LULL_REG_SGPR, 2, 0) != TURNS - turn - 1;
    }
    test_case(bad == 0, "100 turns of the loop in wave 3, by steps", "%u wrong", bad);
    struct lull_wave_reg v2 = {.cls = LULL_REG_VGPR, .index = 2, .lane = 5};
    must(f.t->ops->write_reg(f.t, third, v2, reg(&f, third, LULL_REG_VGPR, 2, 5) + 1000), "write");
    must(f.t->ops->set_breakpoints(f.t, NULL, 0), "delete");
    enum lull_event event = finish(&f);
    test_case(event == LULL_EVENT_DONE && wrong(&f, 3 * 32 + 5, 1000) == 0,
              "the changed lane shows in the output", "event %d, %u wrong", (int)event,
              wrong(&f, 3 * 32 + 5, 1000));
    tear_down(&f);
}

/* A breakpoint stands in the GPU's memory, and only there; by steps it does not, and code that is
 * written anew gets it again. 0xbf900007 is s_trap 7, as llvm-mc has it. */
static void test_in_code(void)
{
    struct fixture f = {0};
    struct lull_wave_info w[MAX];
    uint32_t seen = 0;
    set_up(&f, 32);
    const uint64_t at = f.dispatch.code_va + BREAK_OFFSET;
    uint32_t *word = (void *)((uint8_t *)f.code->map + (at - f.code->va));
    const uint32_t was = *word;
    must(f.t->ops->set_breakpoints(f.t, &at, 1), "break");
    must(f.t->ops->read(f.t, at, &seen, sizeof seen), "read");
    test_case(*word == 0xbf900007 && seen == was, "s_trap is in memory, and not shown", "%08x %08x",
              *word, seen);
    must(f.t->ops->read(f.t, at - 3, (uint8_t *)&seen + 1, 3), "read");
    must(f.t->ops->read(f.t, at + 1, (uint8_t *)&seen + 1, 3), "read");
    test_case(seen == was, "parts of it", "%08x, want %08x", seen, was);
    must(f.t->ops->break_in_code(f.t, false), "by step");
    test_case(*word == was, "by steps the code is as it was", "%08x", *word);
    must(f.t->ops->break_in_code(f.t, true), "in code");
    *word = was; // as a driver that uploads once more
    must(lull_amd_debug_submit(f.t, &f.dispatch), "submit");
    size_t n = wait_for(&f, 1, w);
    test_case(n == 1 && w[0].stop == LULL_STOP_BREAKPOINT && w[0].pc == at,
              "it is put into new code", "%zu waves, stop %d", n, (int)w[0].stop);
    *word = was ^ 1; // another instruction: it is not written over
    must(f.t->ops->set_breakpoints(f.t, &at, 1), "break again");
    test_case(*word == (was ^ 1), "other code is left alone", "%08x", *word);
    *word = was;
    must(f.t->ops->set_breakpoints(f.t, NULL, 0), "delete");
    test_case(*word == was, "deleted", "%08x", *word);
    const enum lull_event event = finish(&f);
    test_case(event == LULL_EVENT_DONE && wrong(&f, THREADS, 0) == 0, "and the result is unharmed",
              "event %d, %u wrong", (int)event, wrong(&f, THREADS, 0));
    tear_down(&f);
}

/** Of wave @p wave in turn @p turn, at BREAK_OFFSET: s2, and v0, v2 of a lane. */
struct at {
    uint32_t s2, v0[32], v2[32];
};

static bool v2_is_5000(const struct at *a)
{
    bool any = false;
    for (unsigned i = 0; i < 32; i++) {
        any = any || a->v2[i] == 5000;
    }
    return any;
}

static bool s2_is_17(const struct at *a)
{
    return a->s2 == 17;
}

static bool s2_below_10(const struct at *a)
{
    return a->s2 < 10;
}

static bool lane_3(const struct at *a)
{
    return a->v2[3] >= 1000;
}

static bool both(const struct at *a)
{
    return a->v0[0] == 32 && a->s2 <= 3;
}

static bool either(const struct at *a)
{
    return a->s2 == 1 || a->v2[0] == 0;
}

static bool three(const struct at *a)
{
    return (a->s2 > 240 && a->v0[0] == 0) || a->s2 == 100;
}

static bool always(const struct at *a)
{
    (void)a;
    return true;
}

static bool never(const struct at *a)
{
    (void)a;
    return false;
}

#define S2 .reg = {.cls = LULL_REG_SGPR, .index = 2}
#define V(n) .reg = {.cls = LULL_REG_VGPR, .index = n}

static const struct {
    const char *name;
    bool (*holds)(const struct at *a);
    struct lull_break_test test;
} tests[] = {
    {"s2 == 17", s2_is_17, {.n = 1, .steps = {{.kind = LULL_TEST_EQUAL, S2, .number = 17}}}},
    {"s2 < 10u", s2_below_10, {.n = 1, .steps = {{.kind = LULL_TEST_LESS, S2, .number = 10}}}},
    {"v2 == 5000",
     v2_is_5000,
     {.n = 1, .steps = {{.kind = LULL_TEST_EQUAL, V(2), .number = 5000}}}},
    {"v2[3] >= 1000",
     lane_3,
     {.n = 1,
      .steps = {{.kind = LULL_TEST_AT_LEAST,
                 .is_signed = true,
                 .one_lane = true,
                 .reg = {.cls = LULL_REG_VGPR, .index = 2, .lane = 3},
                 .number = 1000}}}},
    {"v0 == 32 && s2 <= 3",
     both,
     {.n = 3,
      .steps = {{.kind = LULL_TEST_EQUAL, V(0), .number = 32},
                {.kind = LULL_TEST_AT_MOST, S2, .number = 3},
                {.kind = LULL_TEST_AND}}}},
    {"s2 == 1 || v2 == 0",
     either,
     {.n = 3,
      .steps = {{.kind = LULL_TEST_EQUAL, S2, .number = 1},
                {.kind = LULL_TEST_EQUAL, V(2), .number = 0},
                {.kind = LULL_TEST_OR}}}},
    {"s2 > 240 && v0 == 0 || s2 == 100",
     three,
     {.n = 5,
      .steps = {{.kind = LULL_TEST_GREATER, S2, .number = 240},
                {.kind = LULL_TEST_EQUAL, V(0), .number = 0},
                {.kind = LULL_TEST_AND},
                {.kind = LULL_TEST_EQUAL, S2, .number = 100},
                {.kind = LULL_TEST_OR}}}},
    {"s2 > -1",
     always,
     {.n = 1, .steps = {{.kind = LULL_TEST_GREATER, .is_signed = true, S2, .number = UINT32_MAX}}}},
    {"s2 > 0xffffffff",
     never,
     {.n = 1, .steps = {{.kind = LULL_TEST_GREATER, S2, .number = UINT32_MAX}}}},
    {"v2 != 70000",
     always,
     {.n = 1, .steps = {{.kind = LULL_TEST_DIFFERENT, V(2), .number = 70000}}}},
    {"workgroup 0",
     always,
     {.n = 1, .steps = {{.kind = LULL_TEST_EQUAL, .is_workgroup = true, .number = 0}}}},
    {"workgroup 1",
     never,
     {.n = 1, .steps = {{.kind = LULL_TEST_EQUAL, .is_workgroup = true, .number = 1}}}},
    {"v200, which it has not got",
     always,
     {.n = 1, .steps = {{.kind = LULL_TEST_EQUAL, V(200), .number = 1}}}},
};

/* How often waves stop, all told: what does not hold does not come to the host. */
static void test_tests(unsigned wave_size)
{
    for (size_t row = 0; row < TEST_ROWS(tests); row++) {
        struct fixture f = {0};
        struct lull_wave_info w[MAX];
        struct lull_break_test test = tests[row].test;
        unsigned want = 0, got = 0, bad = 0;
        set_up(&f, wave_size);
        test.va = f.dispatch.code_va + BREAK_OFFSET;
        must(f.t->ops->set_breakpoints(f.t, &test.va, 1), "break");
        must(f.t->ops->set_tests(f.t, &test, 1), "tests");
        must(lull_amd_debug_submit(f.t, &f.dispatch), "submit");
        enum lull_event event = LULL_EVENT_TIMEOUT;
        while (event != LULL_EVENT_DONE && event != LULL_EVENT_LOST) {
            must(f.t->ops->wait(f.t, 10, &event), "wait");
            const size_t n = event == LULL_EVENT_STOPPED ? stopped(&f, w) : 0;
            got += (unsigned)n;
            for (size_t i = 0; i < n; i++) {
                bad += w[i].stop != LULL_STOP_BREAKPOINT || w[i].pc != test.va;
            }
            resume_all(&f);
        }
        for (unsigned turn = 0; turn < TURNS; turn++) {
            for (unsigned wave = 0; wave < THREADS / wave_size; wave++) {
                bool any = false;
                for (unsigned half = 0; half < wave_size / 32; half++) {
                    struct at a = {.s2 = TURNS - turn};
                    for (unsigned i = 0; i < 32; i++) {
                        a.v0[i] = wave * wave_size + 32 * half + i;
                        a.v2[i] = turn * (a.v0[i] + 1);
                    }
                    any =
                        any || (tests[row].holds(&a) && (half == 0 || tests[row].holds != lane_3));
                }
                want += any;
            }
        }
        test_case(got == want && bad == 0 && wrong(&f, THREADS, 0) == 0, tests[row].name,
                  "wave%u: %u stops, want %u; %u of another kind; %u wrong", wave_size, got, want,
                  bad, wrong(&f, THREADS, 0));
        tear_down(&f);
    }
}

/* Running waves stop when asked, wherever they are; and the page walk finds the buffer. */
static void test_interrupt(void)
{
    struct fixture f = {0};
    struct lull_wave_info w[MAX];
    set_up(&f, 32);
    must(lull_amd_debug_submit(f.t, &f.dispatch), "submit");
    enum lull_event event = LULL_EVENT_TIMEOUT;
    must(f.t->ops->wait(f.t, 0, &event), "wait"); // let it begin
    must(f.t->ops->interrupt(f.t), "interrupt");
    size_t n = wait_for(&f, 1, w);
    test_case(n > 0 && w[0].stop == LULL_STOP_HOST, "waves stop when asked", "%zu, stop %d", n,
              n > 0 ? (int)w[0].stop : -1);
    struct lull_walk walk = {0};
    must(f.t->ops->walk(f.t, f.out->va + 16, &walk), "walk");
    test_case(walk.mapped && !walk.system && walk.address % 4096 == 16, "page walk of a buffer",
              "%d 0x%llx", walk.mapped, (unsigned long long)walk.address);
    must(f.t->ops->walk(f.t, f.out->va + f.out->size + 8192, &walk), "walk");
    test_case(!walk.mapped, "page walk behind a buffer", "mapped");
    event = finish(&f);
    test_case(event == LULL_EVENT_DONE && wrong(&f, THREADS, 0) == 0, "and go on unharmed",
              "event %d, %u wrong", (int)event, wrong(&f, THREADS, 0));
    tear_down(&f);
}

static struct lull_error *(*real_wait)(struct lull_target *t, unsigned ms, enum lull_event *ret);

/* A GPU that has had no time yet, as a program's may on a busy machine: waves that were asked to
 * stop have not come when the session asks who stands. */
static struct lull_error *slow_wait(struct lull_target *t, unsigned ms, enum lull_event *ret)
{
    *ret = LULL_EVENT_TIMEOUT;
    return ms == LULL_SETTLE_MS ? NULL : real_wait(t, ms, ret);
}

static struct lull_error *submit(void *ctx)
{
    struct fixture *f = ctx;
    return lull_amd_debug_submit(f->t, &f->dispatch);
}

/* A wave steps while others come to their stops, of which nobody has known: they stand, and do not
 * hold it up. */
static void test_late_stops(void)
{
    struct fixture f = {0};
    struct lull_debug *d = NULL;
    unsigned number = 0;
    char place[32] = "";
    set_up(&f, 32);
    const uint64_t at = f.dispatch.code_va + BREAK_OFFSET;
    struct lull_target_ops slow = *f.t->ops;
    real_wait = slow.wait;
    slow.wait = slow_wait;
    f.t->ops = &slow;
    snprintf(place, sizeof place, "*%#llx", (unsigned long long)at);
    must(lull_debug_new(f.t, NULL, 0, &d), "session");
    d->run = submit;
    d->run_ctx = &f;
    must(lull_debug_break(d, place, NULL, false, &number), "break");
    must(lull_debug_start(d, false), "start");
    const bool came = d->outcome == LULL_OUT_STOPPED && d->nwaves == 1;
    must(lull_debug_step(d, LULL_STEP_INSN, 1), "step");
    const struct lull_debug_wave *w = lull_debug_wave_by_number(d, d->focus);
    test_case(came && d->outcome == LULL_OUT_STOPPED && w != NULL && w->stopped &&
                  w->info.pc == at + 4 && d->nwaves == WAVES,
              "a step while others come to their stops",
              "%zu waves, outcome %d, pc 0x%llx, at 0x%llx", d->nwaves, (int)d->outcome,
              w != NULL ? (unsigned long long)w->info.pc : 0, (unsigned long long)at);
    lull_debug_free(d);
    must(f.t->ops->set_breakpoints(f.t, NULL, 0), "delete");
    const enum lull_event event = finish(&f);
    test_case(event == LULL_EVENT_DONE && wrong(&f, THREADS, 0) == 0, "and all go on unharmed",
              "event %d, %u wrong", (int)event, wrong(&f, THREADS, 0));
    tear_down(&f);
}

static struct lull_error *no_time(struct lull_amd_target *t, uint64_t ns, enum lull_amd_wait *ret)
{
    (void)t;
    (void)ns;
    *ret = LULL_AMD_WAIT_BUSY;
    return NULL;
}

/* A debugger leaves while waves are on their way to a stop, on a machine so busy that the GPU gets
 * no time meanwhile: they stop for nobody. While one is in the handler, that is known. */
static void test_leaving(void)
{
    struct fixture f = {0};
    struct lull_wave_info w[MAX];
    set_up(&f, 32);
    struct lull_amd_target *t = (struct lull_amd_target *)f.t;
    must(lull_amd_debug_submit(f.t, &f.dispatch), "submit");
    enum lull_event event = LULL_EVENT_TIMEOUT;
    bool inside[2] = {false};
    must(f.t->ops->wait(f.t, 0, &event), "wait"); // let it begin
    must(f.t->ops->interrupt(f.t), "interrupt");
    const size_t n = wait_for(&f, 1, w);
    must(lull_amd_inside(t, &inside[0]), "inside");
    resume_all(&f);
    must(f.t->ops->interrupt(f.t), "interrupt");
    struct lull_error *(*const pass)(struct lull_amd_target * t, uint64_t ns,
                                     enum lull_amd_wait * ret) = t->pass;
    t->pass = no_time;
    lull_amd_let_all_go(t);
    t->pass = pass;
    for (unsigned i = 0; i < 100 && event != LULL_EVENT_DONE; i++) { // resumes nobody
        must(f.t->ops->wait(f.t, 10, &event), "wait");
    }
    test_case(n > 0 && event == LULL_EVENT_DONE && wrong(&f, THREADS, 0) == 0,
              "who leaves leaves nobody standing", "%zu stopped, event %d, %u wrong", n, (int)event,
              wrong(&f, THREADS, 0));
    const bool outside = lull_amd_wait_outside(t);
    must(lull_amd_inside(t, &inside[1]), "inside");
    test_case(inside[0] && !inside[1] && outside, "waves in the handler are known", "%d %d, %d",
              inside[0], inside[1], outside);
    tear_down(&f);
}

/* What host and trap handler say to each other must not stay in a cache of the GPU; buffers of the
 * program may. */
static void test_uncached(void)
{
    struct fixture f = {0};
    struct lull_bo_info bos[MAX];
    size_t n = 0;
    set_up(&f, 32);
    must(f.t->ops->bos(f.t, bos, MAX, &n), "bos");
    unsigned seen = 0;
    for (size_t i = 0; i < n && i < MAX; i++) {
        bool shared =
            strcmp(bos[i].name, "trap control") == 0 || strcmp(bos[i].name, "trap slots") == 0;
        uint64_t want = shared ? LULL_PTE11_PTE__MTYPE__UC : LULL_PTE11_PTE__MTYPE__NC;
        for (uint64_t at = 0; at < bos[i].size; at += bos[i].size - 1) {
            struct lull_walk walk = {0};
            must(f.t->ops->walk(f.t, bos[i].va + at, &walk), "walk");
            uint64_t entry = walk.nsteps > 0 ? walk.steps[walk.nsteps - 1].entry : 0;
            uint64_t got = (entry & LULL_PTE11_PTE__MTYPE_MASK) >> LULL_PTE11_PTE__MTYPE_SHIFT;
            test_case(walk.mapped && got == want, "MTYPE", "%s+0x%llx: %llu, want %llu",
                      bos[i].name, (unsigned long long)at, (unsigned long long)got,
                      (unsigned long long)want);
        }
        seen += shared;
    }
    test_case(seen == 2, "handshake memory", "%u buffers of it", seen);
    tear_down(&f);
}

/* A GPU with little memory: there is room for some of what a debugger needs, or for all. */
static void test_little_memory(void)
{
    const uint64_t mib = 1 << 20;
    unsigned good = 0, refused = 0;
    for (uint64_t size = mib; size <= 512 * mib; size += size / 8 / mib * mib + mib) {
        struct lull_vdrm_options options = {.vram_size = 16 * mib, .gtt_size = size};
        struct lull_kernel *k = NULL;
        struct lull_amd_device *d = NULL;
        struct lull_target *t = NULL;
        struct lull_error *err = lull_vdrm_new(&options, &k);
        if (err != NULL) { // There is none with so little.
            lull_error_free(err);
            continue;
        }
        err = lull_amd_device_open(k, NULL, &d);
        err = err != NULL ? err : lull_amd_debug_new(d, 0, &t);
        refused += err != NULL;
        good += err == NULL;
        lull_error_free(err);
        if (t != NULL) {
            t->ops->destroy(t);
        }
        lull_amd_device_close(d);
        k->destroy(k);
    }
    test_case(good > 0 && refused > 0, "a GPU with little memory", "%u good, %u refused", good,
              refused);
}

int main(void)
{
    test_little_memory();
    test_uncached();
    test_start(32);
    test_start(64);
    test_step();
    test_in_code();
    test_tests(32);
    test_tests(64);
    test_interrupt();
    test_late_stops();
    test_leaving();
    return test_end();
}
