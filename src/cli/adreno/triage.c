// SPDX-License-Identifier: MIT
#include "cli/adreno/triage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_JOBS = 256, DEEPEST = 64 };
static const uint64_t MEMORY = 1ull << 30, LEAST_MEMORY = 1ull << 26;

/** Work that the threads share. */
struct work {
    struct lull_triage *t;
    uint64_t memory; ///< Of one thread.
    pthread_mutex_t lock;
    size_t next; ///< Under the lock.
};

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int visible(const struct dirent *d)
{
    return d->d_name[0] != '.';
}

LULL_MUST_USE static struct lull_error *add_file(struct lull_triage *t, const char *path)
{
    if ((t->nfiles & (t->nfiles - 1)) == 0) {
        const size_t room = t->nfiles != 0 ? 2 * t->nfiles : 1;
        struct lull_triage_file *more = realloc(t->files, room * sizeof *more);
        if (more == NULL) {
            return &lull_enomem;
        }
        t->files = more;
    }
    t->files[t->nfiles] = (struct lull_triage_file){.path = strdup(path)};
    return t->files[t->nfiles++].path != NULL ? NULL : &lull_enomem;
}

/** All files in a folder, by name, then those in its folders. Links to folders are not followed. */
LULL_MUST_USE static struct lull_error *add_folder(struct lull_triage *t, const char *path,
                                                   unsigned depth)
{
    struct dirent **names = NULL;
    const int n = depth < DEEPEST ? scandir(path, &names, visible, by_name) : 0;
    if (n < 0) {
        return depth == 0 ? lull_error_os(errno, "%s", path) : NULL;
    }
    struct lull_error *err = NULL;
    for (int i = 0; i < n; i++) {
        struct lull_str full = {0};
        struct stat st = {0}, link = {0};
        lull_str_addf(&full, "%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/",
                      names[i]->d_name);
        if (err == NULL && full.err == NULL && lstat(full.text, &link) == 0 &&
            stat(full.text, &st) == 0) {
            if (S_ISREG(st.st_mode)) {
                err = add_file(t, full.text);
            } else if (S_ISDIR(link.st_mode)) {
                err = add_folder(t, full.text, depth + 1);
            }
        }
        lull_str_free(&full);
        free(names[i]);
    }
    free(names);
    return err;
}

static void *worker(void *arg)
{
    struct work *w = arg;
    for (;;) {
        (void)pthread_mutex_lock(&w->lock);
        const size_t i = w->next++;
        (void)pthread_mutex_unlock(&w->lock);
        if (i >= w->t->nfiles) {
            return NULL;
        }
        lull_triage_look(&w->t->files[i], w->memory);
    }
}

static void look_at_all(struct lull_triage *t, const struct lull_triage_options *o)
{
    pthread_t threads[MOST_JOBS];
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned jobs = o->jobs != 0 ? o->jobs : cores > 0 ? (unsigned)cores : 1;
    jobs = jobs < MOST_JOBS ? jobs : MOST_JOBS;
    jobs = jobs < t->nfiles ? jobs : (unsigned)t->nfiles;
    const uint64_t each = (o->memory != 0 ? o->memory : MEMORY) / (jobs != 0 ? jobs : 1);
    struct work w = {.t = t,
                     .memory = each > LEAST_MEMORY ? each : LEAST_MEMORY,
                     .lock = PTHREAD_MUTEX_INITIALIZER};
    unsigned started = 0;
    while (started + 1 < jobs && pthread_create(&threads[started], NULL, worker, &w) == 0) {
        started++;
    }
    (void)worker(&w); // this thread, too
    for (unsigned i = 0; i < started; i++) {
        (void)pthread_join(threads[i], NULL);
    }
}

static const char *signature_of(const struct lull_triage_file *f)
{
    const char *s = f->facts[LULL_CRASH_FACT_SIGNATURE];
    return s != NULL ? s : "";
}

/** 0: a whole dump; 1: damaged; 2: none. */
static int rank(const struct lull_triage_file *f)
{
    return signature_of(f)[0] == '\0' ? 2 : f->error != NULL ? 1 : 0;
}

static int by_signature(const void *a, const void *b)
{
    const struct lull_triage_file *x = a, *y = b;
    if (rank(x) != rank(y)) {
        return rank(x) - rank(y);
    }
    const int order = rank(x) == 0 ? strcmp(signature_of(x), signature_of(y)) : 0;
    return order != 0 ? order : strcmp(x->path, y->path);
}

static int by_count(const void *a, const void *b)
{
    const struct lull_triage_group *x = a, *y = b;
    return x->count != y->count ? (x->count > y->count ? -1 : 1) : (x->first < y->first ? -1 : 1);
}

LULL_MUST_USE static struct lull_error *group(struct lull_triage *t)
{
    if (t->nfiles == 0) {
        return NULL;
    }
    qsort(t->files, t->nfiles, sizeof t->files[0], by_signature);
    t->groups = calloc(t->nfiles, sizeof *t->groups);
    if (t->groups == NULL) {
        return &lull_enomem;
    }
    size_t i = 0;
    for (; i < t->nfiles && rank(&t->files[i]) == 0; i++) {
        const char *signature = signature_of(&t->files[i]);
        if (i == 0 || strcmp(signature, signature_of(&t->files[i - 1])) != 0) {
            uint64_t hash = 0xcbf29ce484222325; // FNV-1a of 64 bits
            for (const char *c = signature; *c != '\0'; c++) {
                hash = (hash ^ (uint8_t)*c) * 0x100000001b3;
            }
            struct lull_triage_group *g = &t->groups[t->ngroups++];
            g->first = i;
            (void)snprintf(g->id, sizeof g->id, "%016" PRIx64, hash);
        }
        t->groups[t->ngroups - 1].count++;
    }
    t->first_damaged = i;
    for (; i < t->nfiles && rank(&t->files[i]) == 1; i++) {
    }
    t->first_other = i;
    qsort(t->groups, t->ngroups, sizeof t->groups[0], by_count);
    return NULL;
}

struct lull_error *lull_triage_run(const char *const *paths, size_t n,
                                   const struct lull_triage_options *o, struct lull_triage *ret)
{
    struct lull_triage t = {0};
    struct lull_error *err = NULL;
    const bool first = o->mpi == NULL || o->mpi->rank == 0;
    for (size_t i = 0; err == NULL && first && i < n; i++) {
        struct stat st = {0};
        if (stat(paths[i], &st) != 0) {
            err = lull_error_os(errno, "%s", paths[i]);
        } else {
            err = S_ISDIR(st.st_mode) ? add_folder(&t, paths[i], 0) : add_file(&t, paths[i]);
        }
    }
    if (err == NULL && o->mpi != NULL) {
        err = lull_triage_ranks(&t, o->mpi, o->jobs, o->memory != 0 ? o->memory : MEMORY);
    } else if (err == NULL) {
        look_at_all(&t, o);
    }
    err = err != NULL ? err : group(&t);
    if (err != NULL) {
        lull_triage_done(&t);
        return err;
    }
    *ret = t;
    return NULL;
}

void lull_triage_done(struct lull_triage *t)
{
    for (size_t i = 0; i < t->nfiles; i++) {
        free(t->files[i].path);
        free(t->files[i].error);
        lull_crash_facts_free(t->files[i].facts);
    }
    free(t->files);
    free(t->groups);
    *t = (struct lull_triage){0};
}
