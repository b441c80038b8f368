// SPDX-License-Identifier: MIT
// A GPU is saved while it works, runs on, goes back and runs again: at every later point all that
// it is, bytes of its state, registers and memory, is the same as the first time. So it is on
// another GPU that is given the state, and a run in which nothing was saved ends in the same way.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "draw_program.h"
#include "model/pages.h"
#include "model/state.h"
#include "order_program.h"
#include "target/amd/launch.h"
#include "test.h"
#include "vdrm/amdgpu/vdrm.h"

enum {
    POINTS = 6, // at which a run is compared, after it was saved
    TIMES = 5,  // a scene is played, each saved somewhere else
    MANY = 8192,
    LAUNCHES = 4,
    SMALL = 256 << 20, // bytes of VRAM and GTT
};

#define LIMIT UINT64_C(20000000)

/** A GPU with work, and what it needs to live. */
struct stage {
    struct lull_gpu *g;
    struct fixture f;
    struct lull_kernel *kernel;
    struct lull_amd_device *device[LAUNCHES];
    struct lull_image *const *images; ///< By launch; borrowed.
};

/** How a stage comes to be. */
struct scene {
    const char *name;
    void (*open)(struct stage *s, uint64_t seed);
    struct lull_image *const *images;
};

/** A kernel of the examples and tests, with buffers of MANY random dwords for arguments. */
struct launch {
    const char *file, *kernel;
    uint32_t grid, block;
    unsigned buffers;
    bool count; // One more argument: MANY.
};

static const struct launch launches[LAUNCHES] = {
    {"tests/cli/order.cl", "order", 512, 128, 2, false}, // atomics, LDS, a barrier, sleep
    {"examples/scratch.cl", "scratch", 128, 64, 2, false},
    {"examples/bitonic.cl", "bitonic", 512, 512, 1, false}, // LDS, barriers
    {"examples/reduce.cl", "reduce", 2048, 256, 2, true},
};

static void must(struct lull_error *err, const char *what)
{
    if (err != NULL) {
        printf("Bail out! %s: %s\n", what, lull_error_message(err));
        exit(1);
    }
}

static uint64_t next_random(uint64_t *random)
{
    *random ^= *random << 13; // Marsaglia, "Xorshift RNGs", 2003
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

static void compile(const struct launch *l, struct lull_image **ret)
{
    const struct lull_compile options = {.opt_level = 2};
    struct lull_compiled c = {0};
    char path[4096] = {0};
    snprintf(path, sizeof path, "%s/%s", getenv("LULL_SOURCE"), l->file);
    must(lull_compile_file(path, &options, &c), l->file);
    must(lull_image_parse(c.bytes, c.size, ret), l->file);
    lull_compiled_done(&c);
}

/** Submit @p l to a queue of its own. */
static void launch(struct stage *s, unsigned n, const struct launch *l)
{
    struct lull_launch_arg args[3] = {0};
    struct lull_launched done = {0};
    uint64_t random = 88172645463325252 + n;
    must(lull_amd_device_open(s->kernel, NULL, &s->device[n]), "open");
    for (unsigned i = 0; i < l->buffers; i++) {
        struct lull_amd_bo *bo = NULL;
        must(lull_amd_bo_new(s->device[n], "data", MANY * 4, i % 2 ? LULL_AMD_BO_GTT : 0, &bo),
             "buffer");
        for (unsigned k = 0; k < MANY; k++) {
            ((uint32_t *)bo->map)[k] = (uint32_t)next_random(&random);
        }
        args[i] = (struct lull_launch_arg){.bo = bo};
    }
    const uint32_t many = MANY;
    memcpy(args[l->buffers].bytes, &many, sizeof many);
    args[l->buffers].size = sizeof many;
    const struct lull_launch how = {
        .image = s->images[n],
        .kernel = lull_image_find_kernel(s->images[n], l->kernel),
        .args = args,
        .nargs = l->buffers + l->count,
        .grid = {l->grid, 1, 1},
        .block = {l->block, 1, 1},
    };
    must(lull_launch_prepare(s->device[n], &how, &done), l->file);
    must(lull_amd_submit(s->device[n], &done.dispatch), l->file);
}

/** Kernels of several clients behind the driver. */
static void open_kernels(struct stage *s, uint64_t seed)
{
    // With a seed clients have memory in files of their own.
    const struct lull_vdrm_options options = {.seed = seed,
                                              .vram_size = SMALL,
                                              .gtt_size = SMALL,
                                              .lockup_cycles = UINT64_MAX,
                                              .isolate = seed != 0};
    must(lull_vdrm_new(&options, &s->kernel), "driver");
    s->g = lull_vdrm_gpu(s->kernel);
    // The driver numbers dispatches, and goes on counting when the GPU goes back.
    lull_gpu_watch(s->g, &(const struct lull_gpu_watcher){0});
    for (unsigned i = 0; i < LAUNCHES; i++) {
        launch(s, i, &launches[i]);
    }
}

/** Programs on two rings, one queued behind another; @p handler: which trap, and sleep there. */
static void open_rings(struct stage *s, uint64_t seed, bool handler)
{
    const struct lull_bank bank = {.srbm = FIXTURE_VMID << 4};
    const uint64_t tba = (FIXTURE_VA + ORDER_HANDLER) >> 8;
    s->f = fixture_new(seed, 2, 1, 2);
    s->g = s->f.g;
    memcpy(fixture_mem(&s->f, ORDER_CODE), order_program, sizeof order_program);
    memcpy(fixture_mem(&s->f, ORDER_HANDLER), order_waiting, sizeof order_waiting);
    if (handler) {
        lull_gpu_write_reg(s->g, bank, LULL_GC11_SQ_SHADER_TBA_LO, (uint32_t)tba);
        lull_gpu_write_reg(s->g, bank, LULL_GC11_SQ_SHADER_TBA_HI,
                           (uint32_t)(tba >> 32) | 1u << 31);
        lull_gpu_write_reg(s->g, bank, LULL_GC11_SPI_GDBG_PER_VMID_CNTL, 3 << 1); // single steps
    }
    order_submit(&s->f, LULL_RING_COMPUTE0, 0, 2, ORDER_GROUPS);
    order_submit(&s->f, LULL_RING_GFX, 1, 2, ORDER_GROUPS);
    order_submit(&s->f, LULL_RING_COMPUTE0, 2, 1, ORDER_GROUPS);
}

static void open_programs(struct stage *s, uint64_t seed)
{
    open_rings(s, seed, false);
}

static void open_traps(struct stage *s, uint64_t seed)
{
    open_rings(s, seed, true);
}

/** Draws to two images, beside a dispatch. */
static void open_draws(struct stage *s, uint64_t seed)
{
    s->f = fixture_new(seed, 2, 1, 2);
    s->g = s->f.g;
    memcpy(fixture_mem(&s->f, ORDER_CODE), order_program, sizeof order_program);
    draw_programs(&s->f);
    draw_emit(&s->f.b, FIXTURE_VA + DRAW_FLAG, FIXTURE_VA + DRAW_IMAGE);
    draw_emit(&s->f.b, FIXTURE_VA + DRAW_FLAG, FIXTURE_VA + DRAW_IMAGE + 0x10000);
    fixture_submit(&s->f, LULL_RING_GFX, 77);
    order_submit(&s->f, LULL_RING_COMPUTE0, 1, 1, 2);
}

static void close_stage(struct stage *s)
{
    if (s->kernel == NULL) {
        fixture_free(&s->f);
        return;
    }
    for (unsigned i = 0; i < LAUNCHES; i++) {
        lull_amd_device_close(s->device[i]);
    }
    s->kernel->destroy(s->kernel);
}

/** Run to cycle @p cycle, or to where nothing moves. */
static void run_to(struct lull_gpu *g, uint64_t cycle)
{
    while (g->cycles < cycle && lull_gpu_run(g, cycle - g->cycles) != 0) {
    }
}

/** Is @p g what it was in @p want? */
static bool same(struct lull_gpu *g, bool outside, const struct lull_gpu_state *want,
                 const char *name, unsigned point)
{
    struct lull_gpu_state now = {0};
    uint64_t at = 0;
    must(lull_gpu_save(g, outside, &now), "save");
    const char *what = lull_gpu_state_differs(want, &now, &at);
    if (what != NULL) {
        printf("# %s, point %u: %s differs at byte 0x%" PRIx64 "\n", name, point, what, at);
    }
    lull_gpu_state_done(&now);
    return what == NULL;
}

/** From @p states[0] on again. @return At how many points it was not the same. */
static unsigned again(struct lull_gpu *g, bool outside, const struct lull_gpu_state *states,
                      const uint64_t *cycles, const char *name)
{
    unsigned bad = 0;
    must(lull_gpu_restore(g, outside, &states[0]), "restore");
    for (unsigned i = 0; i <= POINTS; i++) {
        run_to(g, cycles[i]);
        bad += !same(g, false, &states[i], name, i);
    }
    return bad;
}

/** Does @p g hold what @p end does? A driver's jobs are others in each run. */
static bool ends_so(struct lull_gpu *g, const struct lull_gpu_state *end)
{
    struct lull_gpu_state now = {0};
    uint64_t at = 0;
    must(lull_gpu_save(g, true, &now), "save");
    const bool ok = lull_picture_same(end->memory, now.memory, &at) &&
                    lull_picture_same(end->registers, now.registers, &at);
    lull_gpu_state_done(&now);
    return ok;
}

/** One time: saved at @p cycles[0], compared at the others; @p end is how it ends undisturbed. */
static void play(struct lull_gpu *g, const uint64_t *cycles, const struct lull_gpu_state *end,
                 const char *name)
{
    struct lull_gpu_state states[POINTS + 1] = {0};
    struct lull_gpu *other = NULL;
    unsigned missed = 0;
    for (unsigned i = 0; i <= POINTS; i++) {
        run_to(g, cycles[i]);
        must(lull_gpu_save(g, i == 0, &states[i]), "save");
        missed += !same(g, true, &states[i], "a page that was not marked", i);
    }
    const bool ends = ends_so(g, end);
    const unsigned back = again(g, false, states, cycles, "back");
    const unsigned second = again(g, true, states, cycles, "a second time");
    must(lull_gpu_new(&g->config, &other), "another GPU");
    const unsigned moved = again(other, true, states, cycles, "another GPU");
    lull_gpu_free(other);
    test_case(ends && missed == 0 && back == 0 && second == 0 && moved == 0, name,
              "saved at cycle %" PRIu64 " of %" PRIu64
              ": undisturbed %s; %u points missed, %u, %u, %u differ",
              cycles[0], cycles[POINTS], ends ? "the same" : "another", missed, back, second,
              moved);
    for (unsigned i = 0; i <= POINTS; i++) {
        lull_gpu_state_done(&states[i]);
    }
}

/** Undisturbed to the end. */
static uint64_t play_through(const struct scene *scene, uint64_t seed, struct lull_gpu_state *ret)
{
    struct stage s = {.images = scene->images};
    scene->open(&s, seed);
    run_to(s.g, LIMIT);
    must(lull_gpu_save(s.g, true, ret), "save");
    const uint64_t end = s.g->cycles;
    close_stage(&s);
    return end;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void test_scene(const struct scene *scene, uint64_t seed)
{
    struct lull_gpu_state end = {0};
    const uint64_t last = play_through(scene, seed, &end);
    uint64_t random = 1442695040888963407 + seed;
    test_case(last > 1000 && last < LIMIT, scene->name, "seed %" PRIu64 ": %" PRIu64 " cycles",
              seed, last);
    for (unsigned i = 0; i < TIMES; i++) {
        struct stage s = {.images = scene->images};
        uint64_t cycles[POINTS + 1] = {0};
        for (unsigned k = 0; k < POINTS; k++) {
            cycles[k] = next_random(&random) % last;
        }
        cycles[POINTS] = last;
        qsort(cycles, POINTS, sizeof cycles[0], compare);
        scene->open(&s, seed);
        play(s.g, cycles, &end, scene->name);
        close_stage(&s);
    }
    lull_gpu_state_done(&end);
}

/** Nothing of what is kept is forgotten, whether it decides anything in the scenes or not. */
static void test_fields(void)
{
    const struct lull_bank bank = {.srbm = FIXTURE_VMID << 4};
    const size_t nbytes = offsetof(struct lull_gpu, config);
    struct stage s = {0};
    struct lull_gpu *other = NULL;
    struct lull_gpu_state state = {0}, next = {0};
    open_programs(&s, 1);
    run_to(s.g, 5000);
    s.g->want_more = s.g->paused = s.g->fault_latched = s.g->trap_stopped = true;
    s.g->interrupts = 7;
    lull_gpu_write_reg(s.g, bank, LULL_GC11_SQ_SHADER_TMA_LO, 0x1234);
    lull_gpu_write_reg(s.g, bank, LULL_GC11_TCP_WATCH0_CNTL, 0x80000000); // valid
    lull_gpu_write_reg(s.g, bank, 0x30000, 0xabcd); // a register that does nothing
    must(lull_gpu_save(s.g, true, &state), "save");
    lull_gpu_write_reg(s.g, bank, 0x30000, 1);
    must(lull_gpu_save(s.g, false, &next), "save");
    must(lull_gpu_new(&s.g->config, &other), "another GPU");
    must(lull_gpu_restore(other, true, &next), "restore");
    const uint32_t later = lull_gpu_read_reg(other, bank, 0x30000);
    must(lull_gpu_restore(other, false, &state), "restore");
    bool rings = true;
    for (unsigned i = 0; i < LULL_RING_COUNT; i++) {
        rings = rings &&
                memcmp(&s.g->rings[i], &other->rings[i], offsetof(struct lull_gpu_ring, id)) == 0;
    }
    test_case(memcmp(s.g, other, nbytes) == 0 && rings, "all of a GPU", "rings %d", rings);
    test_case(later == 1 && lull_gpu_read_reg(other, bank, 0x30000) == 0xabcd &&
                  lull_gpu_read_reg(other, bank, LULL_GC11_SQ_SHADER_TMA_LO) == 0x1234 &&
                  other->tcp.any && other->groups[0]->slots[0]->w.observer == &other->tcp.o &&
                  other->groups[0]->slots[0]->w.table == LULL_TABLE_OBSERVED,
              "registers", "0x%x, then 0x%x", later, lull_gpu_read_reg(other, bank, 0x30000));
    lull_gpu_free(other);
    lull_gpu_state_done(&state);
    lull_gpu_state_done(&next);
    close_stage(&s);
}

/** A state goes to a GPU like its own only, and a GPU that refuses it goes on as it was. */
static void test_refused(void)
{
    struct stage a = {0}, b = {0}, c = {0};
    struct lull_gpu_state state = {0}, before = {0};
    open_programs(&a, 1);
    open_programs(&b, 2);
    c.g = (c.f = fixture_new(1, 1, 1, 1)).g;
    must(lull_gpu_save(a.g, true, &state), "save");
    struct lull_gpu *const others[] = {b.g, c.g};
    for (size_t i = 0; i < TEST_ROWS(others); i++) {
        must(lull_gpu_save(others[i], true, &before), "save");
        struct lull_error *err = lull_gpu_restore(others[i], true, &state);
        const bool kept = same(others[i], true, &before, "refused", 0);
        test_case(err != NULL && lull_error_code(err) == LULL_ERR_INVALID && kept,
                  i == 0 ? "another seed" : "another size", "%s",
                  err != NULL ? lull_error_message(err) : "no error");
        lull_error_free(err);
        lull_gpu_state_done(&before);
    }
    lull_gpu_state_done(&state);
    close_stage(&a);
    close_stage(&b);
    close_stage(&c);
}

int main(void)
{
    struct lull_image *images[LAUNCHES] = {0};
    const struct scene scenes[] = {
        {"kernels", open_kernels, images},
        {"programs on two rings", open_programs, images},
        {"programs that trap", open_traps, images},
        {"draws", open_draws, images},
    };
    for (unsigned i = 0; i < LAUNCHES; i++) {
        compile(&launches[i], &images[i]);
    }
    for (size_t i = 0; i < TEST_ROWS(scenes); i++) {
        test_scene(&scenes[i], 0);
        test_scene(&scenes[i], 7);
    }
    test_fields();
    test_refused();
    for (unsigned i = 0; i < LAUNCHES; i++) {
        lull_image_free(images[i]);
    }
    return test_end();
}
