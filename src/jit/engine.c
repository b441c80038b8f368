// SPDX-License-Identifier: MIT
// Compiled regions of one code cache: where their code is, and who asks for them.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "jit/jit.h"
#include "jit/region.h"
#include "model/fp/fp.h"

enum {
    CODE_BYTES = 16 << 20,
    MIN_VECTORS = 2, ///< A region with fewer is no faster than the interpreter.
};

/** A region and its code. */
struct unit {
    struct lull_exec_code compiled;
    struct lull_jit_region region;
    struct unit *next;
};

/** All of one code cache. Code is written through one view and executed through the other: no page
 * is both. */
struct state {
    uint8_t *write;
    const uint8_t *run;
    size_t used; ///< Bytes of code.
    struct lull_jit_pool pool;
    struct lull_jit_area area;
    struct unit *units;
    struct lull_jit_item items[LULL_JIT_MAX_REGION];
};

static void end(void *state)
{
    struct state *s = state;
    if (s == NULL) {
        return;
    }
    while (s->units != NULL) {
        struct unit *u = s->units;
        s->units = u->next;
        free(u);
    }
    if (s->write != NULL) {
        munmap(s->write, CODE_BYTES);
    }
    if (s->run != NULL) {
        munmap((void *)(uintptr_t)s->run, CODE_BYTES);
    }
    free(s->pool.bytes);
    free(s);
}

/** Both views. False: the system refuses one. */
static bool map(struct state *s)
{
    const int fd = memfd_create("lull-jit", MFD_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    void *write = MAP_FAILED, *run = MAP_FAILED;
    if (ftruncate(fd, CODE_BYTES) == 0) {
        write = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        run = mmap(NULL, CODE_BYTES, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    }
    close(fd);
    s->write = write != MAP_FAILED ? write : NULL;
    s->run = run != MAP_FAILED ? run : NULL;
    return s->write != NULL && s->run != NULL;
}

static void *start(void)
{
    struct state *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    s->pool.bytes = aligned_alloc(32, sizeof *s->pool.bytes * LULL_JIT_POOL);
    if (s->pool.bytes == NULL || !map(s)) {
        end(s);
        return NULL;
    }
    // In the order of enum lull_jit_fixed.
    const uint32_t bits[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    struct lull_jit_window q = {.pool = &s->pool};
    lull_jit_const(&q, bits);
    lull_jit_const32(&q, 0x80000000);
    lull_jit_const32(&q, 0x7fffffff);
    return s;
}

/** Number of MODE's templates; -1: there are none, only those that do not depend on it. */
static int mode_number(uint32_t mode)
{
    enum { LOOKED_AT = 0xff | LULL_FP_IEEE | LULL_FP_FP16_OVFL };
    for (int i = 0; i < LULL_JIT_MODES; i++) {
        if ((mode & LOOKED_AT) == lull_jit_modes[i]) {
            return i;
        }
    }
    return -1;
}

static const struct lull_exec_code *compile(void *state, struct lull_wave *w,
                                            struct lull_code_page *p, unsigned i)
{
    struct state *s = state;
    struct unit *u = calloc(1, sizeof *u);
    if (u == NULL) {
        return NULL;
    }
    struct lull_jit_region *r = &u->region;
    r->area = &s->area;
    struct lull_x86 x = {.to = s->write + s->used, .size = CODE_BYTES - s->used};
    const unsigned n = lull_jit_find_region(w, p, i, mode_number(w->mode), s->items, r);
    if (n < MIN_VECTORS || !lull_jit_emit_region(&x, &s->pool, s->items, r, w->lanes)) {
        free(u);
        return NULL;
    }
    const uint8_t *code = s->run + s->used;
    memcpy(&u->compiled.run, &code, sizeof code);
    u->compiled.mode = w->mode;
    u->compiled.ninsns = r->ninsns;
    u->compiled.ndwords = r->ndwords;
    u->compiled.nvgprs = r->nvgprs;
    s->used += x.len;
    u->next = s->units;
    s->units = u;
    return &u->compiled;
}

static const struct lull_engine engine = {.start = start, .end = end, .compile = compile};

struct lull_error *lull_jit_engine(const struct lull_engine **ret)
{
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("bmi2")) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "this machine has not got AVX2, FMA and BMI2, which compiled waves "
                              "need: use the engine interp");
    }
    *ret = &engine;
    return NULL;
}
