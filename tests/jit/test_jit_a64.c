// SPDX-License-Identifier: MIT
// Code for aarch64 against the interpreter, bit for bit: regions of the random programs of
// programs.h, and the programs as units, are made here and run by a64_runner.c under
// qemu-aarch64-static, one process for all. Functions of the interpreter that their code calls are
// called here, on the same memory. Arguments: the runner [seed [programs]].
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jit/a64/a64.h"
#include "jit/redo.h"
#include "jit/shuffle.h"
#include "model/amd/exec/code.h"
#include "model/bare.h"
#include "model/fp/fp_host.h"
#include "test.h"

#include "a64_image.h"
#include "programs.h"

enum {
    VGPRS = 16,
    STRIP = 4,
    LDS_BYTES = 0x800,
    CODE_ROOM = 64 << 10,
    ROWS_LEAST = 400,
    SOME = 100
};

static struct a64_image *image;
static size_t used;
static struct lull_jit_pool pool;
static struct lull_jit_area *area;
static struct lull_workgroup *wg;
static struct lull_wave *wave; // Of the job, as are these.
static uint32_t *vgprs;
static struct lull_exec_exit *left_by;
static struct lull_jit_item items[LULL_JIT_MAX_REGION];
static int to_runner, from_runner;

static struct {
    uint64_t units, in_units, calls, regions, instructions, strips, doubt, loads, shuffles;
    bool seen[LULL_RDNA_NOPS];
} total;

/** Room in the image. NULL: there is none. */
static void *take(size_t n)
{
    enum { ALIGN = 64 };
    const size_t at = (used + ALIGN - 1) / ALIGN * ALIGN;
    if (at + n > A64_IMAGE_BYTES) {
        return NULL;
    }
    used = at + n;
    return (uint8_t *)image + at;
}

static uint64_t address(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

/** The image, and what all jobs share. */
static bool begin(int fd)
{
    enum { VECTOR = 16 };
    void *at = MAP_FAILED;
    if (ftruncate(fd, A64_IMAGE_BYTES) == 0) {
        at = mmap((void *)A64_IMAGE_AT, A64_IMAGE_BYTES, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
    }
    if (at != (void *)A64_IMAGE_AT) {
        return false;
    }
    image = at;
    used = sizeof *image;
    area = take(sizeof *area);
    wave = take(sizeof *wave);
    vgprs = take(sizeof *vgprs * VGPRS * 64);
    left_by = take(sizeof *left_by);
    wg = take(sizeof *wg);
    *wg = (struct lull_workgroup){.lds = take(LDS_BYTES), .lds_size = LDS_BYTES};
    for (unsigned i = 0; i < LDS_BYTES; i += 4) {
        const uint32_t v = number(false);
        memcpy(wg->lds + i, &v, sizeof v);
    }
    pool.size = VECTOR;
    pool.bytes = take((size_t)VECTOR * LULL_JIT_POOL);
    lull_jit_fill_pool(&pool);
    *image = (struct a64_image){.wave = address(wave),
                                .area = address(area),
                                .consts = address(pool.bytes),
                                .exit = address(left_by),
                                .redo = address(&area->redo),
                                .function = address(&area->call),
                                .make_shuffled = address(&area->make_shuffled)};
    return true;
}

/** Code of the region at dword @p at into the image. @return its instructions, or 0. */
static unsigned compile(struct bare *b, struct lull_code_page *p, unsigned at, int mode,
                        struct lull_jit_region *r, struct lull_x86 *x)
{
    unsigned n = 0, good = 0, most = LULL_JIT_MAX_REGION;
    do {
        x->len = 0;
        *r = (struct lull_jit_region){.area = area, .target = &lull_jit_a64};
        n = lull_jit_find_region(&b->w, p, at, mode, most, items, r);
        good = n != 0 ? lull_a64_emit_region(x, &pool, items, r, b->w.lanes) : 0;
        most = good;
    } while (n != 0 && good != 0 && good < r->ninsns);
    return n != 0 ? good : 0;
}

/** Registers of @p b and MODE. */
static void fill(struct bare *b, uint32_t mode, bool wild)
{
    for (unsigned i = 0; i < VGPRS * b->w.lanes; i++) {
        b->vgpr[i] = number(wild);
    }
    for (unsigned i = 0; i < LULL_RDNA_VCC + 2; i++) {
        b->w.sgpr[i] = random32() % 2 != 0 ? random32() : number(false);
    }
    const uint32_t kind = random32() % 8;
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t few = b->w.lanes == 64 && i == 0 ? 0 : random32() & 0xff0100;
        b->w.sgpr[LULL_RDNA_EXEC + i] = kind < 3    ? UINT32_MAX
                                        : kind < 6  ? random32()
                                        : kind == 6 ? 0
                                                    : few;
    }
    b->w.scc = random32() & 1;
    b->w.mode = mode;
}

/** The region's instructions by the interpreter. */
static void interpret(struct lull_wave *w, const struct lull_uop *u, unsigned n)
{
    const uint32_t saved = lull_fp_host_begin(w->mode);
    for (; n != 0; n--, u += u->ndwords) {
        if (u->cls != LULL_UOP_SKIP) {
            u->fn(w, u);
        }
        total.seen[u->in->op] = true;
        total.instructions++;
    }
    lull_fp_host_end(saved);
}

/** A function of the interpreter that the runner's code calls. */
static void call(void)
{
    const uint32_t saved = lull_fp_host_begin(wave->mode);
    if (image->call == A64_REDO) {
        lull_jit_redo(wave, (const void *)image->arg[1], (unsigned)image->arg[2]);
        total.doubt++;
    } else if (image->call == A64_CALL) {
        const struct lull_uop *u = (const void *)image->arg[1];
        image->ret = (uint64_t)u->fn(wave, u);
        total.calls++;
    } else {
        lull_jit_make_shuffled(wave, (const void *)image->arg[1], (void *)image->arg[2]);
        total.shuffles++;
    }
    lull_fp_host_end(saved);
}

/** The job, to its end. False: the runner has ended. */
static bool run(void)
{
    const char go = A64_GO;
    char c = 0;
    bool ok = write(to_runner, &go, 1) == 1 && read(from_runner, &c, 1) == 1;
    while (ok && image->call != A64_DONE) {
        call();
        ok = write(to_runner, &go, 1) == 1 && read(from_runner, &c, 1) == 1;
    }
    return ok;
}

static void show(const struct lull_wave *w, const struct program *p, unsigned at, unsigned ninsns)
{
    const struct lull_rdna_print how = {.wave_size = w->lanes};
    printf("# MODE %x, wave%u, EXEC %08x %08x\n", w->mode, w->lanes, w->sgpr[LULL_RDNA_EXEC + 1],
           w->sgpr[LULL_RDNA_EXEC]);
    for (unsigned i = at, k = 0; k < ninsns; k++) {
        struct lull_rdna_insn in;
        const int n = lull_rdna_decode_lax(p->words + i, 4 * (p->n - i), &in);
        struct lull_str s = {0};
        lull_rdna_show(&in, &how, &s);
        printf("# %3u %s\n", i, lull_str_text(&s));
        lull_str_free(&s);
        i += n > 0 ? (unsigned)n / 4 : 1;
    }
}

/** Whether the job's registers are those of @p b. */
static bool same(const struct bare *b)
{
    bool ok = wave->scc == b->w.scc;
    for (unsigned i = 0; ok && i < VGPRS * b->w.lanes; i++) {
        if (vgprs[i] != b->vgpr[i]) {
            printf("# v%u lane %u: %08x, interpreter %08x\n", i / b->w.lanes, i % b->w.lanes,
                   vgprs[i], b->vgpr[i]);
            ok = false;
        }
    }
    for (unsigned n = 0; ok && n < 128; n++) {
        if (wave->sgpr[n] != b->w.sgpr[n]) {
            printf("# s%u: %08x, interpreter %08x\n", n, wave->sgpr[n], b->w.sgpr[n]);
            ok = false;
        }
    }
    return ok;
}

/** The region at @p u, whose code is at @p code, on the registers of @p b, by both. */
static bool same_region(struct bare *b, const struct lull_uop *u, const struct lull_jit_region *r,
                        const uint8_t *code)
{
    *wave = b->w;
    wave->vgpr = vgprs;
    memcpy(vgprs, b->vgpr, sizeof *vgprs * VGPRS * b->w.lanes);
    interpret(&b->w, u, r->ninsns);
    image->code = address(code);
    image->fpcr = lull_a64_fpcr(b->w.mode);
    total.regions++;
    total.strips += b->w.lanes / STRIP;
    for (unsigned i = 0; i < r->ninsns; i++) {
        total.loads += items[i].kind == LULL_JIT_ITEM_LDS;
    }
    return run() && same(b);
}

static void put_code(struct bare *b, const struct program *p)
{
    memset(b->code, 0, 4ul * WORDS);
    memcpy(b->code, p->words, 4ul * p->n);
    lull_code_cache_epoch(b->w.code);
}

/** All regions of @p p, for MODE number @p mode; on random registers. */
static bool same_regions(struct bare *b, const struct program *p, int mode, bool random)
{
    put_code(b, p);
    struct lull_code_page *page = lull_code_page(&b->w, BARE_CODE);
    bool ok = page != NULL;
    for (unsigned i = 0; ok && i < p->n;) {
        struct lull_jit_region r;
        const size_t before = used;
        struct lull_x86 x = {.to = take(CODE_ROOM), .size = CODE_ROOM};
        const struct lull_uop *u = lull_jit_uop_at(&b->w, page, i);
        if (x.to == NULL || u == NULL) {
            printf("# no room\n");
            return false;
        }
        if (random) {
            fill(b, lull_jit_modes[mode], random32() % 4 == 0);
        }
        const unsigned n = compile(b, page, i, mode, &r, &x);
        // Other code is never made where some was: emulators would run the old.
        used = n != 0 ? (size_t)(x.to - (uint8_t *)image) + x.len : before;
        ok = n == 0 || same_region(b, u, &r, x.to);
        if (!ok) {
            show(&b->w, p, i, n);
        }
        i += n != 0 ? r.ndwords : u->ndwords;
    }
    return ok;
}

/** What the runner has left in the image goes on in @p b. */
static void take_over(struct bare *b)
{
    const struct lull_wave was = b->w;
    b->w = *wave;
    b->w.vgpr = b->vgpr;
    b->w.vm = was.vm;
    b->w.code = was.code;
    memcpy(b->vgpr, vgprs, sizeof *vgprs * VGPRS * b->w.lanes);
}

/** The same back, for the comparison. */
static void take_back(const struct bare *b)
{
    *wave = b->w;
    memcpy(vgprs, b->vgpr, sizeof *vgprs * VGPRS * b->w.lanes);
}

/** @p p as a unit, which the interpreter ends in @p rest where it leaves, and by it alone in @p b.
 */
static bool same_unit(struct bare *b, struct bare *rest, const struct program *p, int mode)
{
    enum { ALL = 1 << 30, FEW = 100, ROUNDS = 2 };
    const int32_t budget = random32() % 2 != 0 ? ALL : (int32_t)(random32() % FEW);
    const uint64_t doubt = total.doubt;
    static struct lull_jit_unit unit;
    put_code(b, p);
    put_code(rest, p);
    fill(b, lull_jit_modes[mode], false);
    b->w.sgpr[SAVED_EXEC] = b->w.sgpr[LULL_RDNA_EXEC];
    b->w.sgpr[SAVED_EXEC + 1] = b->w.sgpr[LULL_RDNA_EXEC + 1];
    b->w.sgpr[ROUND] = ROUNDS;
    b->w.pc = BARE_CODE;
    b->w.state = LULL_WAVE_RUNNING;
    struct lull_x86 x = {.to = take(CODE_ROOM), .size = CODE_ROOM};
    const struct lull_jit_maker m = {.x = &x,
                                     .pool = &pool,
                                     .area = area,
                                     .target = &lull_jit_a64,
                                     .w = &b->w,
                                     .p = lull_code_page(&b->w, BARE_CODE),
                                     .mode = mode,
                                     .items = items};
    if (x.to == NULL || m.p == NULL) {
        return false;
    }
    lull_jit_find_unit(&m, 0, &unit);
    bool ok = lull_a64_emit_unit(&m, &unit);
    used = (size_t)(x.to - (uint8_t *)image) + x.len;
    *wave = b->w;
    wave->vgpr = vgprs;
    memcpy(vgprs, b->vgpr, sizeof *vgprs * VGPRS * b->w.lanes);
    *left_by = (struct lull_exec_exit){.left = budget, .result = UINT32_MAX};
    image->code = address(x.to + unit.block[0].entry);
    image->fpcr = lull_a64_fpcr(b->w.mode);
    ok = ok && run();
    const bool ended = left_by->result == LULL_EXEC_YIELD && wave->state == LULL_WAVE_ENDED;
    ok = ok && (ended || left_by->result == LULL_EXEC_NEXT);
    wave->pc += ended ? 4 : 0; // Whoever called the code counts the instruction.
    total.units++;
    total.in_units += (uint64_t)(budget - left_by->left);
    total.doubt = doubt; // In regions alone it is compared with their strips.
    take_over(rest);
    lull_wave_run(&rest->w, 10 * WORDS);
    lull_wave_run(&b->w, 10 * WORDS);
    take_back(rest);
    ok = ok && same(b) && wave->pc == b->w.pc && wave->state == b->w.state;
    lull_jit_free_regions(unit.regions);
    if (!ok) {
        show(&b->w, p, 0, p->n);
    }
    return ok;
}

/** A product that is below the least normal number only before it is rounded: (1 + 2^-23) / 2 times
 * (1 - 2^-23) 2^-125, in each ninth lane. IEEE 754-2008 7.5 lets hosts choose when they look. */
static void test_tiny(struct bare *b)
{
    enum { EACH = 9 };
    const struct lull_rdna_insn in = {
        .op = LULL_RDNA_OP_V_MUL_F32,
        .enc = LULL_RDNA_VOP3,
        .size = 8,
        .sdst = LULL_RDNA_NONE,
        .dst = LULL_RDNA_VGPR0 + 2,
        .src = {LULL_RDNA_VGPR0, LULL_RDNA_VGPR0 + 1, LULL_RDNA_NONE}};
    struct program p = {0};
    p.n = lull_rdna_encode(&in, p.words);
    for (unsigned i = 0; i < VGPRS * b->w.lanes; i++) {
        const unsigned r = i / b->w.lanes;
        const bool tiny = i % b->w.lanes % EACH == 0;
        b->vgpr[i] = r == 0 && tiny ? 0x3f000001 : r == 1 && tiny ? 0x00fffffe : 0x3f800000;
    }
    b->w.mode = lull_jit_modes[0];
    const bool ok = same_regions(b, &p, 0, false);
    test_case(ok && vgprs[2 * b->w.lanes] == 0x00800000, "a product that may be flushed",
              "it is %08x", vgprs[2 * b->w.lanes]);
}

static void test_programs(unsigned lanes, unsigned n)
{
    static uint16_t rows[MAX_ROWS];
    const unsigned nrows = find_rows(&lull_jit_a64, rows);
    unsigned next = 0, good = 0;
    struct bare *b = bare_new(lanes), *rest = bare_new(lanes);
    struct program p = {0};
    b->w.wg = rest->w.wg = wg;
    test_tiny(b);
    for (unsigned k = nrows - 1; k > 0; k--) {
        const unsigned other = random32() % (k + 1);
        const uint16_t t = rows[k];
        rows[k] = rows[other];
        rows[other] = t;
    }
    bool ok = true;
    for (unsigned i = 0; ok && i < n; i++) {
        make_program(&p, lanes, rows, nrows, &next);
        const int mode = (int)(random32() % LULL_JIT_MODES);
        ok = same_regions(b, &p, mode, true) && same_unit(b, rest, &p, mode);
        good += ok;
    }
    char name[64];
    snprintf(name, sizeof name, "aarch64: %u programs of wave%u", n, lanes);
    test_case(ok, name, "program %u differs", good);
    bare_free(b);
    bare_free(rest);
}

static void test_enough(void)
{
    unsigned rows = 0;
    for (unsigned op = 0; op < LULL_RDNA_NOPS; op++) {
        rows += total.seen[op];
    }
    printf("# %llu units, in which %llu instructions were executed and %llu called\n",
           (unsigned long long)total.units, (unsigned long long)total.in_units,
           (unsigned long long)total.calls);
    printf("# %llu regions, %llu instructions of %u rows, %llu loads from LDS, %llu sources with "
           "DPP; %llu of %llu strips in doubt\n",
           (unsigned long long)total.regions, (unsigned long long)total.instructions, rows,
           (unsigned long long)total.loads, (unsigned long long)total.shuffles,
           (unsigned long long)total.doubt, (unsigned long long)total.strips);
    test_case(rows >= ROWS_LEAST && total.in_units > total.units * INSTRUCTIONS / 2 &&
                  total.doubt > SOME && total.doubt * 4 < total.strips && total.loads > SOME &&
                  total.shuffles > SOME,
              "enough is compiled", "%u rows", rows);
}

/** Start the runner with the image. @return its process, or -1. */
static pid_t start(const char *runner, int fd)
{
    extern char **environ;
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) {
        return -1;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fd, A64_FILE);
    char qemu[] = "qemu-aarch64-static";
    char *argv[] = {qemu, (char *)(uintptr_t)runner, NULL};
    pid_t pid = -1;
    const int err = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    to_runner = in[1];
    from_runner = out[0];
    return err == 0 ? pid : -1;
}

/** Why it cannot be done here, or NULL. */
static const char *missing(const char *runner)
{
    char head[4] = {0};
    const int fd = runner != NULL ? open(runner, O_RDONLY | O_CLOEXEC) : -1;
    const bool is_program = fd >= 0 && read(fd, head, sizeof head) == (ssize_t)sizeof head;
    if (fd >= 0) {
        close(fd);
    }
    return !is_program                                                ? "no lld-19"
           : system("command -v qemu-aarch64-static >/dev/null") != 0 ? "no qemu-aarch64-static"
                                                                      : NULL;
}

static void test_all(const char *runner, unsigned programs)
{
    enum { ABOVE = 10 }; // Of descriptors: 3 is the image's in the runner.
    const int made = memfd_create("lull-a64", MFD_CLOEXEC);
    const int fd = made >= 0 ? fcntl(made, F_DUPFD_CLOEXEC, ABOVE) : -1;
    if (fd < 0 || !begin(fd)) {
        test_case(false, "memory at a fixed address", "%s", strerror(errno));
        return;
    }
    const pid_t pid = start(runner, fd);
    int status = -1;
    if (pid > 0) {
        test_programs(64, programs);
        test_programs(32, programs);
        test_enough();
        close(to_runner);
        waitpid(pid, &status, 0);
    }
    test_case(status == 0, "the runner ends", "its status is %x", (unsigned)status);
}

int main(int argc, char **argv)
{
    const char *runner = argc > 1 ? argv[1] : NULL, *why_not = missing(runner);
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 20261130;
    const unsigned programs = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 0) : 60;
    if (why_not != NULL && getenv("LULL_NEED_ARM64") == NULL) {
        test_skip("compiled regions on aarch64: %s", why_not);
    } else if (why_not != NULL) {
        test_case(false, "compiled regions on aarch64", "%s", why_not);
    } else {
        signal(SIGPIPE, SIG_IGN);
        printf("# seed %llu\n", (unsigned long long)seed);
        random_start(seed * 2 + 1);
        test_all(runner, programs);
    }
    return test_end();
}
