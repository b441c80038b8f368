// SPDX-License-Identifier: MIT
// The thread on which the GPU runs.
//
// The GPU works while somebody waits for it, and stands where the last wait ended. So jobs that a
// client submits one after the other and then waits for are all there when the first begins,
// however long the client took, and the order in which they run is the same in every run. Clients
// that do not wait but look at memory get their work done when they have been quiet for a while.
#include <signal.h>

#include "vdrm/core/vd.h"
#include "vdrm/core/wait.h"

enum {
    SLICE_NS = 200000,         // that the worker keeps the lock, about
    SHARED_SLICE_NS = 2000000, // the same if threads share its work and meet at each end
    MIN_CYCLES = 64,
    MAX_CYCLES = 1 << 20,
    SHARED_MAX_CYCLES = 1 << 24,
    FIRST_CYCLES = 1024,
    HERE_CYCLES = 4096, // an empty job takes some hundred
    POLL_NS = 50000,    // nothing moves: look again after this, twice this, ...
    POLL_DOUBLINGS = 5,
    LONGEST_NAP_NS = 2000000, // while all that runs sleeps
    LONGEST_PAUSE_NS = 2000000000,
};

// Shall the GPU work? Waits that have ended do not count, even if nobody has noticed yet.
static bool wanted(struct lull_vd *d)
{
    struct lull_vd_thread *t = &d->thread;
    if (!d->driver->busy(d) || d->driver->pause == NULL) {
        t->paused_since = 0;
        return true;
    }
    for (const struct lull_vd_waiter *w = t->waiters; w != NULL; w = w->next) {
        if (!w->ready(w->arg)) {
            return true;
        }
    }
    const uint64_t now = lull_vd_host_ns();
    t->paused_since = t->paused_since != 0 ? t->paused_since : now;
    return now - t->submitted > LULL_VD_QUIET_NS || now - t->paused_since > LONGEST_PAUSE_NS;
}

void lull_vd_submitted(struct lull_vd *d)
{
    d->thread.submitted = d->options.threaded ? lull_vd_host_ns() : 0;
}

void lull_vd_catch_up(struct lull_vd *d)
{
    struct lull_vd_thread *t = &d->thread;
    const uint64_t now = lull_vd_host_ns();
    if (t->busy || d->driver->held(d)) {
        t->idle_since = now; // its time is that of its work
    } else if (t->idle_since != 0 && d->driver->idle != NULL) {
        const uint64_t cycles = (now - t->idle_since) / d->driver->ns_per_cycle;
        d->driver->idle(d, cycles);
        t->idle_since += cycles * d->driver->ns_per_cycle;
    }
}

void lull_vd_work_here(struct lull_vd *d)
{
    lull_vd_catch_up(d);
    const uint64_t n = d->driver->run(d, HERE_CYCLES);
    d->driver->advance(d);
    d->thread.idle_since = lull_vd_host_ns();
    d->thread.busy = n > 0 && d->driver->busy(d);
}

struct slice {
    uint64_t cycles; // To run next.
    uint64_t asleep; // ns of GPU time of the last slice, if nearly all of it was sleep.
    uint64_t spent;  // ns of host time that the last one took.
};

// One slice of the GPU's time. @return Something moved.
static bool work_slice(struct lull_vd *d, struct slice *s)
{
    const struct lull_vd_driver *driver = d->driver;
    bool moved = driver->advance(d);
    lull_vd_catch_up(d);
    const uint64_t start = lull_vd_host_ns(), clock = driver->clock(d);
    const uint64_t before = driver->slept != NULL ? driver->slept(d) : 0;
    const bool pause = !wanted(d) && driver->pause(d, true);
    const uint64_t n = driver->run(d, s->cycles);
    if (pause) {
        driver->pause(d, false);
    }
    const uint64_t slept = driver->slept != NULL ? driver->slept(d) - before : 0;
    d->thread.idle_since = lull_vd_host_ns();
    d->thread.stands = pause || (n > 0 && driver->clock(d) == clock);
    d->thread.busy = (n > 0 || pause) && driver->busy(d);
    const bool shared = d->options.threads > 1;
    const uint64_t want = shared ? SHARED_SLICE_NS : SLICE_NS;
    const uint64_t most = shared ? SHARED_MAX_CYCLES : MAX_CYCLES;
    s->spent = d->thread.idle_since - start;
    s->asleep = n > 0 && slept > n - n / 4 ? slept * driver->ns_per_cycle : 0;
    if (s->spent > 2 * want && s->cycles > MIN_CYCLES) {
        s->cycles /= 2;
    } else if (n >= s->cycles && s->spent < want / 2 && s->cycles < most) {
        s->cycles *= 2;
    }
    moved = driver->advance(d) || moved;
    return driver->check(d) || moved || n > 0;
}

// Programs that sleep until somebody writes memory (a debugger's handler, a lock) poll for as long
// as they want; they get a fifth of a processor, and else their sleep takes the time it says.
static uint64_t nap_ns(const struct slice *s)
{
    const uint64_t real = s->asleep > s->spent ? s->asleep - s->spent : 0;
    const uint64_t fair = 4 * s->spent;
    const uint64_t ns = real > fair ? real : fair;
    return s->asleep == 0 ? 0 : ns < LONGEST_NAP_NS ? ns : LONGEST_NAP_NS;
}

static void *worker(void *arg)
{
    struct lull_vd *d = arg;
    struct lull_vd_thread *t = &d->thread;
    struct slice s = {.cycles = FIRST_CYCLES};
    unsigned idle = 0;
    lull_vd_lock(d);
    while (!t->stop) {
        if (work_slice(d, &s)) {
            idle = 0;
            const uint64_t nap = nap_ns(&s);
            if (nap != 0) {
                lull_vd_sleep_work(d, lull_vd_host_ns() + nap);
                t->idle_since = lull_vd_host_ns(); // the nap is what the sleep stands for
            } else {
                lull_vd_unlock(d);
                lull_vd_lock(d);
            }
            continue;
        }
        // Jobs that wait for memory that a client writes can only be looked at again and again.
        const uint64_t pause = (uint64_t)POLL_NS << idle, now = lull_vd_host_ns();
        const bool more = now - t->submitted < LULL_VD_QUIET_NS; // may come soon
        idle += idle < POLL_DOUBLINGS;
        lull_vd_sleep_work(d, d->driver->busy(d) ? now + pause
                              : more             ? now + LULL_VD_QUIET_NS
                                                 : UINT64_MAX);
    }
    lull_vd_unlock(d);
    return NULL;
}

static void destroy(struct lull_vd *d)
{
    struct lull_vd_thread *t = &d->thread;
    pthread_cond_destroy(&t->turn);
    pthread_cond_destroy(&t->event);
    pthread_cond_destroy(&t->work);
    pthread_mutex_destroy(&t->m);
    t->started = false;
    d->options.threaded = false; // what follows is one thread's
}

int lull_vd_thread_start(struct lull_vd *d)
{
    struct lull_vd_thread *t = &d->thread;
    if (!d->options.threaded) {
        return 0;
    }
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_mutex_init(&t->m, NULL);
    pthread_cond_init(&t->turn, &attr);
    pthread_cond_init(&t->event, &attr);
    pthread_cond_init(&t->work, &attr);
    pthread_condattr_destroy(&attr);
    // Signals are for threads that know what to do with them.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    t->idle_since = lull_vd_host_ns();
    const int r = pthread_create(&t->worker, NULL, worker, d);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    t->started = r == 0;
    if (r != 0) {
        destroy(d);
    }
    return -r;
}

void lull_vd_thread_stop(struct lull_vd *d)
{
    struct lull_vd_thread *t = &d->thread;
    if (!t->started) {
        return;
    }
    lull_vd_lock(d);
    pthread_mutex_lock(&t->m);
    t->stop = true;
    pthread_cond_broadcast(&t->work);
    pthread_cond_broadcast(&t->event);
    pthread_mutex_unlock(&t->m);
    lull_vd_unlock(d);
    pthread_join(t->worker, NULL);
    destroy(d);
}
