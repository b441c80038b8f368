// SPDX-License-Identifier: MIT
// Compiled regions of one code cache: where their code is, and who asks for them.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cpu.h"
#include "jit/jit.h"
#include "jit/memory.h"
#include "jit/unit.h"
#include "model/fp/fp.h"

enum {
    CODE_BYTES = 16 << 20,
    MIN_INSNS = 3, ///< A unit with fewer is no faster than the interpreter.
    /** Constants that a unit may need: with fewer left, all is made anew. */
    MANY_CONSTANTS = LULL_JIT_POOL / 8,
};

/** What is left of a unit: its regions, and the code of its blocks. */
struct made {
    struct made *next;
    struct lull_jit_region *regions; ///< Owned.
    struct lull_exec_code code[];
};

/** All of one code cache. Memory is taken when something is compiled first. */
struct state {
    const struct lull_jit_target *target;
    struct lull_jit_views code;
    size_t code_room; ///< Bytes of both views.
    size_t used;      ///< Bytes of code.
    size_t ready;     ///< Bytes from the start that the system has given pages for, at least.
    bool refused;     ///< There is no memory.
    struct lull_jit_pool pool;
    struct lull_jit_area *area; ///< Owned.
    struct made *made;
    struct lull_jit_item items[LULL_JIT_MAX_REGION];
    struct lull_jit_unit unit; ///< The one that is made.
    void *room;                ///< Owned: what that takes.
};

static void free_made(struct state *s)
{
    while (s->made != NULL) {
        struct made *m = s->made;
        s->made = m->next;
        lull_jit_free_regions(m->regions);
        free(m);
    }
}

static void end(void *state)
{
    struct state *s = state;
    if (s == NULL) {
        return;
    }
    free_made(s);
    lull_jit_unmap(&s->code, s->code_room);
    free(s->pool.bytes);
    free(s->area);
    free(s->room);
    free(s);
}

static void *start(const struct lull_engine *e)
{
    struct state *s = calloc(1, sizeof *s);
    if (s != NULL) {
        s->code_room = e->room;
        s->target = e->host;
    }
    return s;
}

/** What all code calls, in front of it. */
static void emit_shared(struct state *s)
{
    struct lull_x86 x = {.to = s->code.write, .size = s->code_room};
    for (unsigned k = 0; k < 2; k++) {
        s->area->copy[k] = (uint64_t)(uintptr_t)(s->code.run + x.len);
        lull_jit_emit_copy(&x, 32 << k, s->target);
    }
    s->used = x.len;
}

/** Memory for code and constants. False: there is none. */
static bool take_memory(struct state *s)
{
    if (s->code.run != NULL || s->refused) {
        return !s->refused;
    }
    s->pool.size = lull_jit_bytes(s->target);
    s->pool.bytes =
        aligned_alloc(sizeof(uint32_t[LULL_JIT_LANES]), (size_t)s->pool.size * LULL_JIT_POOL);
    s->room = malloc(lull_jit_unit_room());
    s->area = lull_jit_new_area();
    s->refused = s->pool.bytes == NULL || s->area == NULL || s->room == NULL ||
                 !lull_jit_map(&s->code, s->code_room);
    if (!s->refused) {
        lull_jit_fill_pool(&s->pool);
        emit_shared(s);
    }
    return !s->refused;
}

/**
 * Forget all that was compiled, so that its memory can be used again: none of it is being executed
 * while something is compiled.
 */
static void start_anew(struct state *s, struct lull_wave *w)
{
    lull_code_forget(w->code);
    memset(s->area->links, 0, sizeof s->area->links);
    free_made(s);
    lull_jit_fill_pool(&s->pool);
    emit_shared(s);
    lull_jit_serialize();
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
    const struct lull_jit_unit *unit = &s->unit;
    for (unsigned k = 0; k < unit->n; k++) {
        const struct lull_jit_block *b = &unit->block[k];
        struct lull_uop *u = &p->uop[b->at];
        if (b->ninsns == 0 || (u->compiled != NULL && u->compiled->mode == w->mode)) {
            continue;
        }
        struct lull_exec_code *c = &made->code[k];
        const uint8_t *run = s->code.run + s->used + b->entry;
        memcpy(&c->run, &run, sizeof run);
        c->mode = w->mode;
        c->nvgprs = unit->nvgprs;
        c->inside = s->code.run + s->used + b->code;
        c->links = s->area->links;
        u->compiled = c;
    }
    for (unsigned k = 0; k < unit->n; k++) {
        const struct lull_jit_block *b = &unit->block[k];
        for (uint32_t at = b->at; at < b->end; at += p->uop[at].ndwords) {
            struct lull_uop *u = &p->uop[at];
            u->heat = u->compiled == NULL ? LULL_UOP_COLD : u->heat;
        }
    }
}

/** Have pages for what is compiled next: many at once take less than a fault for each. */
static void have_pages(struct state *s)
{
    enum { AHEAD = 16 * LULL_PAGE_SIZE, LEAST = 4 * LULL_PAGE_SIZE };
    const size_t left = s->code_room - s->ready;
    if (s->used + LEAST > s->ready && left != 0) {
        const size_t n = left < AHEAD ? left : AHEAD;
#ifdef MADV_POPULATE_WRITE
        madvise(s->code.write + s->ready, n, MADV_POPULATE_WRITE); // Or they come by faults.
#endif
        s->ready += n;
    }
}

/** What compile() does, in the room that is left. @return whether it was enough. */
static bool compile_here(struct state *s, struct lull_wave *w, struct lull_code_page *p, unsigned i)
{
    struct lull_x86 x = {.to = s->code.write + s->used, .size = s->code_room - s->used};
    struct lull_jit_unit *unit = &s->unit;
    const struct lull_jit_maker m = {.x = &x,
                                     .pool = &s->pool,
                                     .area = s->area,
                                     .target = s->target,
                                     .w = w,
                                     .p = p,
                                     .mode = mode_number(w->mode),
                                     .items = s->items,
                                     .room = s->room};
    have_pages(s);
    lull_jit_find_unit(&m, i, unit);
    const bool good =
        unit->ninsns >= MIN_INSNS && lull_jit_emit_unit(&m, unit) && unit->nvectors != 0;
    struct made *made = good ? malloc(sizeof *made + unit->n * sizeof made->code[0]) : NULL;
    if (made == NULL) {
        lull_jit_free_regions(unit->regions);
        return !x.full;
    }
    install(s, w, p, made);
    s->used += x.len;
    made->regions = unit->regions;
    made->next = s->made;
    s->made = made;
    return true;
}

static void compile(void *state, struct lull_wave *w, struct lull_code_page *p, unsigned i)
{
    struct state *s = state;
    if (!take_memory(s)) {
        return;
    }
    const bool constants = s->pool.n + MANY_CONSTANTS < LULL_JIT_POOL / 2;
    if (!constants || (!compile_here(s, w, p, i) && s->made != NULL)) {
        start_anew(s, w);
        compile_here(s, w, p, i);
    }
}

static const struct lull_engine v3 = {
    .room = CODE_BYTES, .start = start, .end = end, .compile = compile, .host = &lull_jit_v3};
static const struct lull_engine v4 = {
    .room = CODE_BYTES, .start = start, .end = end, .compile = compile, .host = &lull_jit_v4};

struct lull_error *lull_jit_engine(const char *target, const struct lull_engine **ret)
{
    const bool old = target != NULL && strcmp(target, lull_jit_v3.name) == 0;
    const bool wide = target != NULL && strcmp(target, lull_jit_v4.name) == 0;
    if (target != NULL && !old && !wide) {
        return lull_error_new(LULL_ERR_INVALID, "'%s' is not a target: there are %s and %s", target,
                              lull_jit_v3.name, lull_jit_v4.name);
    }
    if (!lull_cpu_is_v3()) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "this machine has not got AVX2, FMA and BMI2, which compiled waves "
                              "need: use the engine interp");
    }
    if (wide && !lull_cpu_is_v4()) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "this machine has not got AVX-512 F, BW, DQ, VL and CD, which code "
                              "for %s needs",
                              target);
    }
    struct lull_jit_views probe = {0};
    const bool maps = lull_jit_map(&probe, LULL_PAGE_SIZE);
    lull_jit_unmap(&probe, LULL_PAGE_SIZE);
    if (!maps) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "no memory that can be executed, which compiled waves need: use the "
                              "engine interp");
    }
    *ret = !old && lull_cpu_is_v4() ? &v4 : &v3;
    return NULL;
}
