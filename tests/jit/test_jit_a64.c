// SPDX-License-Identifier: MIT
// Regions compiled for aarch64 against the interpreter, bit for bit: regions of the random programs
// of programs.h are made here, run by a64_runner.c under qemu-aarch64-static, all in one process,
// and compared. A strip in doubt, which a host of this kind would do by the interpreter, must be as
// it was. Arguments: the runner [seed [programs]].
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jit/a64/a64.h"
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

/** What a job is to become. */
struct expected {
    struct program p;
    unsigned at, ninsns; // Of the region: its first dword.
    uint32_t mode;
    unsigned lanes, nmasks;
    uint16_t masks[LULL_JIT_MASKS];
    struct lull_wave *got;      // In the image.
    uint32_t sgpr[128], scc;    // By the interpreter.
    uint32_t vgpr[VGPRS * 64];  // The same,
    uint32_t start[VGPRS * 64]; // and before.
};

static struct a64_image *image;
static size_t used;
static struct lull_jit_pool pool;
static struct lull_jit_area *area;
static struct lull_workgroup *wg;
static struct expected *expected[A64_JOBS];
static struct lull_jit_item items[LULL_JIT_MAX_REGION];

static struct {
    uint64_t instructions, strips, doubt, loads, shuffles;
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
    void *at = MAP_FAILED;
    if (ftruncate(fd, A64_IMAGE_BYTES) == 0) {
        at = mmap((void *)A64_IMAGE_AT, A64_IMAGE_BYTES, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
    }
    if (at != (void *)A64_IMAGE_AT) {
        return false;
    }
    enum { VECTOR = 16 };
    image = at;
    used = sizeof *image;
    area = take(sizeof *area);
    wg = take(sizeof *wg);
    *wg = (struct lull_workgroup){.lds = take(LDS_BYTES), .lds_size = LDS_BYTES};
    for (unsigned i = 0; i < LDS_BYTES; i += 4) {
        const uint32_t v = number(false);
        memcpy(wg->lds + i, &v, sizeof v);
    }
    pool.size = VECTOR;
    pool.bytes = take((size_t)VECTOR * LULL_JIT_POOL);
    lull_jit_fill_pool(&pool);
    return true;
}

/** Code of the region at dword @p at into the image. @return its instructions, or 0. */
static unsigned compile(struct bare *b, struct lull_code_page *p, unsigned at, int mode,
                        struct lull_jit_region *r, struct lull_x86 *x)
{
    unsigned n = 0, good = 0, most = LULL_JIT_MAX_REGION;
    const size_t before = x->len;
    do {
        x->len = before;
        *r = (struct lull_jit_region){.area = area, .target = &lull_jit_a64};
        n = lull_jit_find_region(&b->w, p, at, mode, most, items, r);
        good = n != 0 ? lull_a64_emit_region(x, &pool, items, r, b->w.lanes) : 0;
        most = good;
    } while (n != 0 && good != 0 && good < r->ninsns);
    x->len = n != 0 && good != 0 ? x->len : before;
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
        b->w.sgpr[LULL_RDNA_EXEC + i] = kind < 3    ? UINT32_MAX
                                        : kind < 6  ? random32()
                                        : kind == 6 ? 0
                                                    : random32() & 0xff0100;
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

/** Sources with DPP of region @p r, for its job. @return the area that has them. NULL: there is no
 * room. */
static struct lull_jit_area *shuffled(struct lull_wave *w, const struct lull_jit_region *r)
{
    struct lull_jit_area *ret = r->nshuffles == 0 ? area : take(sizeof *ret);
    for (unsigned i = 0; ret != NULL && i < r->ninsns; i++) {
        total.loads += items[i].kind == LULL_JIT_ITEM_LDS;
        if (items[i].kind == LULL_JIT_ITEM_VECTOR && items[i].v[0].shuffled) {
            lull_jit_make_shuffled(w, items[i].u, &ret->shuffled[items[i].v[0].shuffle]);
            total.shuffles++;
        }
    }
    return ret;
}

/** A job of what was compiled at @p code. False: there is no room. */
static bool add_job(struct bare *b, const struct program *p, const struct lull_uop *u, unsigned at,
                    const struct lull_jit_region *r, const uint8_t *code)
{
    struct lull_wave *w = take(sizeof *w);
    uint32_t *vgpr = take(sizeof *vgpr * VGPRS * b->w.lanes);
    struct expected *e = calloc(1, sizeof *e);
    struct lull_jit_area *a = shuffled(&b->w, r);
    if (a == NULL || w == NULL || vgpr == NULL || e == NULL || image->njobs == A64_JOBS) {
        free(e);
        return false;
    }
    e->p = *p;
    e->at = at;
    e->ninsns = r->ninsns;
    e->mode = b->w.mode;
    e->lanes = b->w.lanes;
    e->nmasks = r->nmasks;
    memcpy(e->masks, r->masks, sizeof e->masks);
    e->got = w;
    *w = b->w;
    w->vgpr = vgpr;
    memcpy(vgpr, b->vgpr, sizeof *vgpr * VGPRS * b->w.lanes);
    memcpy(e->start, b->vgpr, sizeof *vgpr * VGPRS * b->w.lanes);
    interpret(&b->w, u, r->ninsns);
    memcpy(e->vgpr, b->vgpr, sizeof *vgpr * VGPRS * b->w.lanes);
    memcpy(e->sgpr, b->w.sgpr, sizeof e->sgpr);
    e->scc = b->w.scc;
    image->job[image->njobs] = (struct a64_job){.code = address(code),
                                                .wave = address(w),
                                                .area = address(a),
                                                .consts = address(pool.bytes),
                                                .redo = address(&a->redo),
                                                .make = address(&a->make_shuffled),
                                                .fpcr = lull_a64_fpcr(e->mode)};
    expected[image->njobs++] = e;
    return true;
}

/** Jobs of all regions of @p p, for MODE number @p mode; on random registers. */
static bool add_regions(struct bare *b, const struct program *p, int mode, bool random)
{
    memset(b->code, 0, 4ul * WORDS);
    memcpy(b->code, p->words, 4ul * p->n);
    lull_code_cache_epoch(b->w.code);
    struct lull_code_page *page = lull_code_page(&b->w, BARE_CODE);
    bool ok = page != NULL;
    for (unsigned i = 0; ok && i < p->n;) {
        struct lull_jit_region r;
        const size_t before = used;
        struct lull_x86 x = {.to = take(CODE_ROOM), .size = CODE_ROOM};
        const struct lull_uop *u = lull_jit_uop_at(&b->w, page, i);
        if (x.to == NULL || u == NULL) {
            return false;
        }
        if (random) {
            fill(b, lull_jit_modes[mode], random32() % 4 == 0);
        }
        const unsigned n = compile(b, page, i, mode, &r, &x);
        used = n != 0 ? (size_t)(x.to - (uint8_t *)image) + x.len : before;
        ok = n == 0 || add_job(b, p, u, i, &r, x.to);
        i += n != 0 ? r.ndwords : u->ndwords;
    }
    return ok;
}

/** A product that is below the least normal number only before it is rounded: (1 + 2^-23) / 2 times
 * (1 - 2^-23) 2^-125, in each ninth lane. IEEE 754-2008 7.5 lets hosts choose when they look. */
static bool add_tiny(struct bare *b)
{
    enum { EACH = 9, LEAST = 0x00800000 };
    const struct lull_rdna_insn in = {
        .op = LULL_RDNA_OP_V_MUL_F32,
        .enc = LULL_RDNA_VOP3,
        .size = 8,
        .sdst = LULL_RDNA_NONE,
        .dst = LULL_RDNA_VGPR0 + 2,
        .src = {LULL_RDNA_VGPR0, LULL_RDNA_VGPR0 + 1, LULL_RDNA_NONE}};
    struct program p = {0};
    uint32_t words[LULL_RDNA_MAX_MADE];
    const int n = lull_rdna_encode(&in, words);
    p.n = n > 0 ? (unsigned)n : 0;
    memcpy(p.words, words, sizeof *words * p.n);
    for (unsigned i = 0; i < VGPRS * b->w.lanes; i++) {
        const unsigned r = i / b->w.lanes;
        const bool tiny = i % b->w.lanes % EACH == 0;
        b->vgpr[i] = r == 0 && tiny ? 0x3f000001 : r == 1 && tiny ? 0x00fffffe : 0x3f800000;
    }
    b->w.mode = lull_jit_modes[0];
    return add_regions(b, &p, 0, false);
}

static void add_programs(unsigned lanes, unsigned n)
{
    static uint16_t rows[MAX_ROWS];
    const unsigned nrows = find_rows(&lull_jit_a64, rows);
    unsigned next = 0;
    struct bare *b = bare_new(lanes);
    struct program p = {0};
    b->w.wg = wg;
    test_case(add_tiny(b), "a product that may be flushed", "no room");
    for (unsigned k = nrows - 1; k > 0; k--) {
        const unsigned other = random32() % (k + 1);
        const uint16_t t = rows[k];
        rows[k] = rows[other];
        rows[other] = t;
    }
    for (unsigned i = 0; i < n; i++) {
        make_program(&p, lanes, rows, nrows, &next);
        if (!add_regions(b, &p, (int)(random32() % LULL_JIT_MODES), true)) {
            printf("# room for %u of %u programs\n", i, n);
            break;
        }
    }
    bare_free(b);
}

/** Lanes of strips that were in doubt. */
static uint64_t doubtful(const struct a64_job *job)
{
    uint64_t ret = 0;
    for (unsigned s = 0; s < 64 / STRIP; s++) {
        ret |= (job->doubt >> s & 1) != 0 ? UINT64_C(15) << STRIP * s : 0;
    }
    return ret;
}

/** Bits of SGPR @p n that strips in doubt have left out, as the region writes it as a mask. */
static uint32_t left_out(const struct expected *e, uint64_t doubt, unsigned n)
{
    for (unsigned k = 0; k < e->nmasks; k++) {
        if (n - e->masks[k] < e->lanes / 32) {
            return (uint32_t)(doubt >> 32 * (n - e->masks[k]));
        }
    }
    return 0;
}

static void show(const struct expected *e)
{
    const struct lull_rdna_print how = {.wave_size = e->lanes};
    printf("# MODE %x, wave%u\n", e->mode, e->lanes);
    for (unsigned i = e->at, k = 0; k < e->ninsns; k++) {
        struct lull_rdna_insn in;
        const int n = lull_rdna_decode_lax(e->p.words + i, 4 * (e->p.n - i), &in);
        struct lull_str s = {0};
        lull_rdna_show(&in, &how, &s);
        printf("# %3u %s\n", i, lull_str_text(&s));
        lull_str_free(&s);
        i += n > 0 ? (unsigned)n / 4 : 1;
    }
}

static bool same(const struct a64_job *job, const struct expected *e)
{
    const uint64_t doubt = doubtful(job);
    bool ok = job->done == 1 && e->got->scc == e->scc;
    for (unsigned i = 0; ok && i < VGPRS * e->lanes; i++) {
        const unsigned lane = i % e->lanes;
        const uint32_t want = (doubt >> lane & 1) != 0 ? e->start[i] : e->vgpr[i];
        if (e->got->vgpr[i] != want) {
            printf("# v%u lane %u: %08x, interpreter %08x\n", i / e->lanes, lane, e->got->vgpr[i],
                   want);
            ok = false;
        }
    }
    for (unsigned n = 0; ok && n < 128; n++) {
        const uint32_t want = e->sgpr[n] & ~left_out(e, doubt, n);
        if (e->got->sgpr[n] != want) {
            printf("# s%u: %08x, interpreter %08x\n", n, e->got->sgpr[n], want);
            ok = false;
        }
    }
    if (!ok) {
        show(e);
    }
    return ok;
}

/** The runner on the image. False: it did not end as it should. */
static bool run(const char *runner, int fd)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fd, STDIN_FILENO);
    char qemu[] = "qemu-aarch64-static";
    char *argv[] = {qemu, (char *)(uintptr_t)runner, NULL};
    pid_t pid = 0;
    int status = -1;
    const int err = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return err == 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static void compare(void)
{
    unsigned good = 0;
    for (uint64_t i = 0; i < image->njobs; i++) {
        const struct expected *e = expected[i];
        const uint64_t exec = e->lanes == 64 ? UINT64_MAX : UINT32_MAX;
        for (unsigned s = 0; s < e->lanes / STRIP; s++) {
            total.strips += (exec >> STRIP * s & 15) != 0;
            total.doubt += image->job[i].doubt >> s & 1;
        }
        good += same(&image->job[i], e);
    }
    test_case(good == image->njobs && good != 0, "regions of random programs for aarch64",
              "%llu of %llu differ", (unsigned long long)(image->njobs - good),
              (unsigned long long)image->njobs);
    unsigned rows = 0;
    for (unsigned op = 0; op < LULL_RDNA_NOPS; op++) {
        rows += total.seen[op];
    }
    printf("# %llu regions, %llu instructions of %u rows, %llu loads from LDS, %llu sources with "
           "DPP; %llu of %llu strips in doubt\n",
           (unsigned long long)image->njobs, (unsigned long long)total.instructions, rows,
           (unsigned long long)total.loads, (unsigned long long)total.shuffles,
           (unsigned long long)total.doubt, (unsigned long long)total.strips);
    test_case(rows >= ROWS_LEAST && total.doubt * 4 < total.strips && total.loads > SOME &&
                  total.shuffles > SOME,
              "enough is compiled", "%u rows, %llu of %llu strips in doubt", rows,
              (unsigned long long)total.doubt, (unsigned long long)total.strips);
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

int main(int argc, char **argv)
{
    const char *runner = argc > 1 ? argv[1] : NULL, *why_not = missing(runner);
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 20261130;
    const unsigned programs = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 0) : 60;
    if (why_not != NULL) {
        if (getenv("LULL_NEED_ARM64") != NULL) {
            test_case(false, "compiled regions on aarch64", "%s", why_not);
        } else {
            test_skip("compiled regions on aarch64: %s", why_not);
        }
        return test_end();
    }
    random_start(seed * 2 + 1);
    const int fd = memfd_create("lull-a64", 0);
    if (fd < 0 || !begin(fd)) {
        test_case(false, "memory at a fixed address", "%s", strerror(errno));
        return test_end();
    }
    printf("# seed %llu\n", (unsigned long long)seed);
    add_programs(64, programs);
    add_programs(32, programs);
    test_case(run(runner, fd), "the runner ends", "it does not");
    compare();
    for (uint64_t i = 0; i < image->njobs; i++) {
        free(expected[i]);
    }
    close(fd);
    return test_end();
}
