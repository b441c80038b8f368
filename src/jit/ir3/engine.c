// SPDX-License-Identifier: MIT
// Compiled programs of a GPU: a program is made anew for each dispatch, so what was compiled is
// kept by its words.
#include <stdlib.h>
#include <string.h>

#include "jit/ir3/ir3.h"
#include "jit/jit.h"
#include "jit/memory.h"

enum {
    CODE_BYTES = 16 << 20,
    MANY_CONSTANTS =
        LULL_JIT_POOL / 8, ///< With fewer left than a program may need, all is made anew.
    BUCKETS = 256,
};

/** A program that was compiled. */
struct known {
    struct known *next;
    uint64_t *words; ///< Owned.
    uint32_t n;
    unsigned gen, users;
    const struct lull_ir3_code **at; ///< Owned; by instruction.
    struct lull_jit_ir3_made *made;  ///< Owned.
};

struct state {
    const struct lull_jit_target *target;
    struct lull_jit_views code;
    size_t used;
    bool refused; ///< There is no memory.
    struct lull_jit_pool pool;
    struct lull_jit_area *area; ///< Owned.
    struct known *known[BUCKETS];
    struct lull_jit_item items[LULL_JIT_MAX_REGION];
};

static void free_known(struct known *k)
{
    while (k->made != NULL) {
        struct lull_jit_ir3_made *m = k->made;
        k->made = m->next;
        free(m);
    }
    free(k->words);
    free(k->at);
    free(k);
}

static void forget(struct state *s)
{
    for (unsigned i = 0; i < BUCKETS; i++) {
        while (s->known[i] != NULL) {
            struct known *k = s->known[i];
            s->known[i] = k->next;
            free_known(k);
        }
    }
    s->used = 0;
    lull_jit_fill_pool(&s->pool);
    lull_jit_serialize();
}

static void *start(const struct lull_ir3_engine *e)
{
    struct state *s = calloc(1, sizeof *s);
    if (s != NULL) {
        s->target = e->host;
    }
    return s;
}

static void end(void *state)
{
    struct state *s = state;
    if (s != NULL) {
        if (s->pool.bytes != NULL) {
            forget(s);
        }
        lull_jit_unmap(&s->code, CODE_BYTES);
        free(s->pool.bytes);
        free(s->area);
        free(s);
    }
}

/** Memory for code and constants, taken when something is compiled first. False: there is none. */
static bool take_memory(struct state *s)
{
    if (s->code.run != NULL || s->refused) {
        return !s->refused;
    }
    s->pool.size = lull_jit_bytes(s->target);
    s->pool.bytes =
        aligned_alloc(sizeof(uint32_t[LULL_JIT_LANES]), (size_t)s->pool.size * LULL_JIT_POOL);
    s->area = lull_jit_new_area();
    s->refused = s->pool.bytes == NULL || s->area == NULL || !lull_jit_map(&s->code, CODE_BYTES);
    if (!s->refused) {
        lull_jit_fill_pool(&s->pool);
    }
    return !s->refused;
}

static unsigned bucket_of(const struct lull_ir3_program *p)
{
    uint64_t h = p->gen;
    for (uint32_t i = 0; i < p->n; i++) {
        h = (h ^ p->steps[i].word) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return (unsigned)(h >> 32) % BUCKETS;
}

static struct known *find(const struct state *s, const struct lull_ir3_program *p, unsigned bucket)
{
    struct known *k = s->known[bucket];
    for (; k != NULL; k = k->next) {
        bool same = k->n == p->n && k->gen == p->gen;
        for (uint32_t i = 0; same && i < p->n; i++) {
            same = k->words[i] == p->steps[i].word;
        }
        if (same) {
            return k;
        }
    }
    return NULL;
}

/** Regions of @p p, one behind the other, into @p k. False: no room. */
static bool compile_regions(struct state *s, const struct lull_ir3_program *p, const bool *leader,
                            struct known *k)
{
    for (uint32_t i = 0; i < p->n;) {
        struct lull_x86 x = {.to = s->code.write + s->used, .size = CODE_BYTES - s->used};
        const struct lull_jit_ir3_maker m = {.x = &x,
                                             .pool = &s->pool,
                                             .area = s->area,
                                             .target = s->target,
                                             .items = s->items,
                                             .p = p,
                                             .leader = leader};
        size_t entry = 0;
        struct lull_jit_ir3_made *made = calloc(1, sizeof *made);
        if (made == NULL || !lull_jit_ir3_region(&m, i, made, &entry)) {
            free(made);
            if (made == NULL || x.full) {
                return false;
            }
            i++;
            continue;
        }
        const uint8_t *run = s->code.run + s->used + entry;
        memcpy(&made->run, &run, sizeof run);
        made->code.run = lull_jit_ir3_run;
        s->used += x.len;
        made->next = k->made;
        k->made = made;
        k->at[i] = &made->code;
        i += made->code.n;
    }
    return true;
}

/** @return NULL: no room, or no memory. */
static struct known *make(struct state *s, const struct lull_ir3_program *p)
{
    struct known *k = calloc(1, sizeof *k);
    bool *leader = calloc(p->n + 1u, sizeof *leader);
    if (k != NULL && leader != NULL) {
        k->n = p->n;
        k->gen = p->gen;
        k->words = calloc(p->n + 1u, sizeof *k->words);
        k->at = calloc(p->n + 1u, sizeof *k->at);
    }
    bool good = k != NULL && k->words != NULL && k->at != NULL;
    for (uint32_t i = 0; good && i < p->n; i++) {
        k->words[i] = p->steps[i].word;
    }
    if (good) {
        lull_jit_ir3_leaders(p, leader);
        good = compile_regions(s, p, leader, k);
    }
    free(leader);
    if (!good && k != NULL) {
        free_known(k);
    }
    return good ? k : NULL;
}

/** Nobody has code of it. */
static bool is_idle(const struct state *s)
{
    bool idle = true;
    for (unsigned i = 0; i < BUCKETS; i++) {
        for (const struct known *k = s->known[i]; k != NULL; k = k->next) {
            idle = idle && k->users == 0;
        }
    }
    return idle;
}

static void compile(void *state, struct lull_ir3_program *p)
{
    struct state *s = state;
    if (!take_memory(s)) {
        return;
    }
    const unsigned bucket = bucket_of(p);
    struct known *k = find(s, p, bucket);
    if (k == NULL) {
        const bool constants = s->pool.n + MANY_CONSTANTS < LULL_JIT_POOL / 2;
        k = constants ? make(s, p) : NULL;
        if (k == NULL && is_idle(s)) {
            forget(s);
            k = make(s, p);
        }
        if (k == NULL) {
            return;
        }
        k->next = s->known[bucket];
        s->known[bucket] = k;
    }
    k->users++;
    p->codes = (struct lull_ir3_codes){.at = k->at, .users = &k->users};
}

static const struct lull_ir3_engine v3 = {
    .start = start, .end = end, .compile = compile, .host = &lull_jit_ir3_v3};
static const struct lull_ir3_engine v4 = {
    .start = start, .end = end, .compile = compile, .host = &lull_jit_ir3_v4};

struct lull_error *lull_jit_ir3_engine(const char *target, const struct lull_ir3_engine **ret)
{
    const struct lull_engine *same = NULL;
    struct lull_error *err = lull_jit_engine(target, &same);
    if (err == NULL) {
        *ret = same->host == &lull_jit_v4 ? &v4 : &v3;
    }
    return err;
}
