// SPDX-License-Identifier: MIT
// Compiled regions of one code cache: where their code is, and who asks for them.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "jit/jit.h"
#include "jit/unit.h"
#include "model/fp/fp.h"

enum {
    CODE_BYTES = 16 << 20,
    MIN_INSNS = 3, ///< A unit with fewer is no faster than the interpreter.
};

/** A unit, and the code of its blocks. */
struct made {
    struct lull_jit_unit unit;
    struct lull_exec_code code[LULL_JIT_MAX_BLOCKS];
    struct made *next;
};

/** All of one code cache. Code is written through one view and executed through the other: no page
 * is both. */
struct state {
    uint8_t *write;
    const uint8_t *run;
    size_t used; ///< Bytes of code.
    struct lull_jit_pool pool;
    struct lull_jit_area area;
    struct made *made;
    struct lull_jit_item items[LULL_JIT_MAX_REGION];
};

static void end(void *state)
{
    struct state *s = state;
    if (s == NULL) {
        return;
    }
    while (s->made != NULL) {
        struct made *m = s->made;
        s->made = m->next;
        lull_jit_unit_done(&m->unit);
        free(m);
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

/** What was compiled for each block is what its first instruction is executed by, and what is
 * behind it in the block needs none. */
static void install(const struct state *s, const struct lull_wave *w, struct lull_code_page *p,
                    struct made *made)
{
    for (unsigned k = 0; k < made->unit.n; k++) {
        const struct lull_jit_block *b = &made->unit.block[k];
        struct lull_uop *u = &p->uop[b->at];
        if (b->ninsns == 0 || (u->compiled != NULL && u->compiled->mode == w->mode)) {
            continue;
        }
        struct lull_exec_code *c = &made->code[k];
        const uint8_t *run = s->run + s->used + b->entry;
        memcpy(&c->run, &run, sizeof run);
        c->mode = w->mode;
        c->nvgprs = made->unit.nvgprs;
        u->compiled = c;
    }
    for (unsigned k = 0; k < made->unit.n; k++) {
        const struct lull_jit_block *b = &made->unit.block[k];
        for (uint32_t at = b->at; at < b->end; at += p->uop[at].ndwords) {
            struct lull_uop *u = &p->uop[at];
            u->heat = u->compiled == NULL ? LULL_UOP_COLD : u->heat;
        }
    }
}

static void compile(void *state, struct lull_wave *w, struct lull_code_page *p, unsigned i)
{
    struct state *s = state;
    struct made *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return;
    }
    struct lull_x86 x = {.to = s->write + s->used, .size = CODE_BYTES - s->used};
    const struct lull_jit_maker m = {.x = &x,
                                     .pool = &s->pool,
                                     .area = &s->area,
                                     .w = w,
                                     .p = p,
                                     .mode = mode_number(w->mode),
                                     .items = s->items};
    lull_jit_find_unit(&m, i, &made->unit);
    if (made->unit.ninsns < MIN_INSNS || !lull_jit_emit_unit(&m, &made->unit) ||
        made->unit.nvectors == 0) {
        lull_jit_unit_done(&made->unit);
        free(made);
        return;
    }
    install(s, w, p, made);
    s->used += x.len;
    made->next = s->made;
    s->made = made;
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
