// SPDX-License-Identifier: MIT
// Files of lull crash triage, looked at by the ranks of mpirun: a file's path goes to one, its
// facts come back.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cur.h"
#include "cli/adreno/triage.h"
#include "explore/pool.h"

static const uint32_t NOT_KNOWN = UINT32_MAX;

/** What look_at_all() has for the ranks. */
struct ranks {
    struct lull_triage *t;
    uint64_t memory;
    struct lull_error *err;
};

/** A text with its length in front, or NOT_KNOWN. */
static void add_text(const char *text, struct lull_str *out)
{
    const size_t size = text != NULL ? strlen(text) : 0;
    const uint32_t n = text != NULL && size < NOT_KNOWN ? (uint32_t)size : NOT_KNOWN;
    const uint8_t bytes[] = {(uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16), (uint8_t)(n >> 24)};
    lull_str_add(out, (const char *)bytes, sizeof bytes);
    if (n != NOT_KNOWN) {
        lull_str_add(out, text, size);
    }
}

/** False: memory is short. */
static bool take_text(struct lull_cur *c, char **ret)
{
    const uint32_t n = lull_cur_u32(c);
    if (n == NOT_KNOWN) {
        return true;
    }
    const uint8_t *bytes = lull_cur_take(c, n);
    if (bytes == NULL) {
        return true; // Told by lull_cur_error().
    }
    *ret = strndup((const char *)bytes, n);
    return *ret != NULL;
}

static void work(void *ctx, const char *item, size_t size, struct lull_str *ret)
{
    const struct ranks *r = ctx;
    struct lull_triage_file f = {.path = strndup(item, size)};
    if (f.path == NULL) {
        ret->err = &lull_enomem;
        return;
    }
    lull_triage_look(&f, r->memory);
    for (unsigned i = 0; i < LULL_CRASH_NFACTS; i++) {
        add_text(f.facts[i], ret);
    }
    add_text(f.error, ret); // The process ends now.
}

static void item(void *ctx, size_t i, struct lull_str *ret)
{
    const struct ranks *r = ctx;
    const char *path = r->t->files[i].path;
    lull_str_add(ret, path, strlen(path));
}

static bool done(void *ctx, size_t i, const struct lull_pool_result *result)
{
    struct ranks *r = ctx;
    struct lull_triage_file *f = &r->t->files[i];
    if (result->died) {
        f->error = strdup("the process that looked at it has died");
        return f->error != NULL;
    }
    struct lull_cur c = lull_cur_of(result->bytes, result->size);
    bool good = true;
    for (unsigned k = 0; k < LULL_CRASH_NFACTS; k++) {
        good = take_text(&c, &f->facts[k]) && good;
    }
    good = take_text(&c, &f->error) && good;
    if (r->err == NULL) {
        r->err = good ? lull_cur_error(&c, "facts of a rank") : &lull_enomem;
    }
    return r->err == NULL;
}

struct lull_error *lull_triage_ranks(struct lull_triage *t, const struct lull_mpi *mpi,
                                     unsigned jobs, uint64_t memory)
{
    struct ranks r = {.t = t, .memory = memory};
    const struct lull_pool_options o = {.jobs = jobs, .mpi = mpi, .work = work, .ctx = &r};
    const struct lull_pool_list list = {.n = t->nfiles, .item = item, .done = done, .ctx = &r};
    struct lull_pool *pool = NULL;
    struct lull_error *err = lull_pool_new(&o, &pool);
    if (err == NULL) {
        err = mpi->rank == 0 ? lull_pool_run(pool, &list) : lull_pool_serve(pool);
    }
    lull_pool_free(pool);
    if (err != NULL) {
        lull_error_free(r.err);
        return err;
    }
    return r.err;
}
