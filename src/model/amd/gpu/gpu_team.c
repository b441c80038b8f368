// SPDX-License-Identifier: MIT
// Threads that wait for work. They are made when they are first needed, and look for work for a
// short while before they sleep: turns follow each other closely, and waking takes longer than many
// of them. A member that has not begun when the caller's own part is over is not waited for: on a
// busy machine it may not run for milliseconds, and there is nothing left for it.
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "model/amd/gpu/gpu_impl.h"

enum { LOOKS = 4096 }; // before a thread sleeps; about 50 us

struct member {
    struct lull_gpu_team *team;
    unsigned number;
    pthread_t thread;
    uint64_t turn;     ///< The last one that it was called to. Read without the lock, too.
    bool sleeps;       ///< Is at go.
    bool called;       ///< Was, when it was called: the caller's alone.
    pthread_cond_t go; ///< turn has changed.
};

struct lull_gpu_team {
    pthread_mutex_t m;
    pthread_cond_t done;
    unsigned running; ///< Members that have begun and work still. Read without the lock, too.
    uint64_t turn;    ///< Counts them.
    bool open;        ///< Members may begin it.
    bool main_sleeps, quit;
    void (*work)(void *arg, unsigned number);
    void *arg;
    unsigned n, nmade; ///< nmade: with the caller's number 0, which has no thread.
    struct member *members;
};

struct lull_gpu_team *lull_team_new(unsigned n)
{
    struct lull_gpu_team *t = calloc(1, sizeof *t);
    if (t == NULL) {
        return NULL;
    }
    t->members = calloc(n, sizeof *t->members);
    if (t->members == NULL) {
        free(t);
        return NULL;
    }
    t->n = n;
    t->nmade = 1;
    pthread_mutex_init(&t->m, NULL);
    pthread_cond_init(&t->done, NULL);
    return t;
}

/** Have members below @p n look at what there is to do; with the lock held, which is opened before
 * those who sleep are woken: they need it first of all. */
static void call_and_unlock(struct lull_gpu_team *t, unsigned n)
{
    for (unsigned i = 1; i < n; i++) {
        struct member *m = &t->members[i];
        m->called = m->sleeps;
        __atomic_store_n(&m->turn, t->turn, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&t->m);
    for (unsigned i = 1; i < n; i++) {
        if (t->members[i].called) {
            pthread_cond_signal(&t->members[i].go);
        }
    }
}

void lull_team_free(struct lull_gpu_team *t)
{
    if (t == NULL) {
        return;
    }
    pthread_mutex_lock(&t->m);
    __atomic_store_n(&t->quit, true, __ATOMIC_RELAXED);
    t->turn++;
    call_and_unlock(t, t->nmade);
    for (unsigned i = 1; i < t->nmade; i++) {
        pthread_join(t->members[i].thread, NULL);
        pthread_cond_destroy(&t->members[i].go);
    }
    pthread_cond_destroy(&t->done);
    pthread_mutex_destroy(&t->m);
    free(t->members);
    free(t);
}

void lull_team_relax(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#else
    sched_yield();
#endif
}

/** Wait for another turn than @p seen, and begin it if it is open still. */
static bool begin(struct member *m, uint64_t *seen)
{
    struct lull_gpu_team *t = m->team;
    for (unsigned i = 0; i < LOOKS && __atomic_load_n(&m->turn, __ATOMIC_ACQUIRE) == *seen; i++) {
        lull_team_relax();
    }
    pthread_mutex_lock(&t->m);
    while (m->turn == *seen) {
        m->sleeps = true;
        pthread_cond_wait(&m->go, &t->m);
        m->sleeps = false;
    }
    *seen = m->turn;
    const bool begins = t->open && *seen == t->turn && !t->quit;
    if (begins) {
        __atomic_add_fetch(&t->running, 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&t->m);
    return begins;
}

static void *run_member(void *arg)
{
    struct member *m = arg;
    struct lull_gpu_team *t = m->team;
    uint64_t turn = 0;
    while (!__atomic_load_n(&t->quit, __ATOMIC_RELAXED)) {
        if (!begin(m, &turn)) {
            continue;
        }
        t->work(t->arg, m->number);
        if (__atomic_sub_fetch(&t->running, 1, __ATOMIC_ACQ_REL) == 0) {
            pthread_mutex_lock(&t->m);
            if (t->main_sleeps) {
                pthread_cond_signal(&t->done);
            }
            pthread_mutex_unlock(&t->m);
        }
    }
    return NULL;
}

/** Have threads for the numbers below @p n, as far as they can be made. */
static void make_members(struct lull_gpu_team *t, unsigned n)
{
    // Signals are for threads that know what to do with them.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (t->nmade < n && t->nmade < t->n) {
        struct member *m = &t->members[t->nmade];
        *m = (struct member){.team = t, .number = t->nmade};
        pthread_cond_init(&m->go, NULL);
        if (pthread_create(&m->thread, NULL, run_member, m) != 0) {
            pthread_cond_destroy(&m->go);
            t->n = t->nmade; // not tried again
            break;
        }
        t->nmade++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/** Nobody begins any more; then until all who have are done. */
static void wait_for_members(struct lull_gpu_team *t)
{
    pthread_mutex_lock(&t->m);
    t->open = false;
    pthread_mutex_unlock(&t->m);
    for (unsigned i = 0; i < LOOKS; i++) {
        if (__atomic_load_n(&t->running, __ATOMIC_ACQUIRE) == 0) {
            return;
        }
        lull_team_relax();
    }
    pthread_mutex_lock(&t->m);
    t->main_sleeps = true;
    while (__atomic_load_n(&t->running, __ATOMIC_ACQUIRE) != 0) {
        pthread_cond_wait(&t->done, &t->m);
    }
    t->main_sleeps = false;
    pthread_mutex_unlock(&t->m);
}

void lull_team_run(struct lull_gpu_team *t, unsigned n, void (*work)(void *arg, unsigned number),
                   void *arg)
{
    if (n > t->nmade) {
        make_members(t, n);
    }
    n = n < t->nmade ? n : t->nmade;
    if (n <= 1) {
        work(arg, 0);
        return;
    }
    pthread_mutex_lock(&t->m);
    t->work = work;
    t->arg = arg;
    t->open = true;
    t->turn++;
    call_and_unlock(t, n);
    work(arg, 0);
    wait_for_members(t);
}
