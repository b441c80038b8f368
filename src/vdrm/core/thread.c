// SPDX-License-Identifier: MIT
// One lock around all calls.
//
// The lock is fair: who asks first gets it first. So the worker can hold it while the GPU runs, a
// short time only, and every caller gets in between. Without threads all of this does nothing.
#include <errno.h>
#include <signal.h>
#include <time.h>

#include "vdrm/core/vd.h"
#include "vdrm/core/wait.h"

// Waits for a turn; with the mutex held.
static void take(struct lull_vd_thread *t)
{
    const uint64_t ticket = t->next++;
    while (t->serving != ticket) {
        pthread_cond_wait(&t->turn, &t->m);
    }
}

// Work that nobody waits for stands until its client has been quiet for a while, and the worker
// wakes by itself before that is over.
static bool can_stand(const struct lull_vd *d)
{
    const struct lull_vd_thread *t = &d->thread;
    return d->driver->pause != NULL && t->waiters == NULL && t->sleepers == 0 &&
           t->naps_until <= t->submitted + LULL_VD_QUIET_NS && lull_vd_host_ns() < t->naps_until;
}

// Tells the others what happened, and lets the next one in; with the mutex held.
static void give(struct lull_vd *d)
{
    struct lull_vd_thread *t = &d->thread;
    if (d->changed) {
        d->changed = false;
        d->notify(d);
        t->events++;
        pthread_cond_broadcast(&t->event);
    }
    if (d->driver->busy(d) && !can_stand(d)) {
        t->kicks++;
        pthread_cond_signal(&t->work);
    }
    t->serving++;
    pthread_cond_broadcast(&t->turn);
}

void lull_vd_lock(struct lull_vd *d)
{
    if (d->options.threaded) {
        pthread_mutex_lock(&d->thread.m);
        take(&d->thread);
        pthread_mutex_unlock(&d->thread.m);
    }
}

void lull_vd_unlock(struct lull_vd *d)
{
    if (d->options.threaded) {
        pthread_mutex_lock(&d->thread.m);
        give(d);
        pthread_mutex_unlock(&d->thread.m);
    } else {
        d->notify(d);
    }
}

static struct timespec timespec_of(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / 1000000000),
                             .tv_nsec = (long)(ns % 1000000000)};
}

void lull_vd_yield(struct lull_vd *d)
{
    if (d->options.threaded) {
        lull_vd_unlock(d);
        lull_vd_lock(d);
    }
}

// Release the lock until @p count is another, or until host time @p until.
static void sleep_on(struct lull_vd *d, pthread_cond_t *cond, const uint64_t *count, uint64_t until)
{
    struct lull_vd_thread *t = &d->thread;
    const struct timespec at = timespec_of(until);
    pthread_mutex_lock(&t->m);
    give(d);
    const uint64_t was = *count;
    int r = 0;
    while (*count == was && r != ETIMEDOUT && !t->stop) {
        r = until == UINT64_MAX ? pthread_cond_wait(cond, &t->m)
                                : pthread_cond_timedwait(cond, &t->m, &at);
    }
    take(t);
    pthread_mutex_unlock(&t->m);
}

void lull_vd_sleep(struct lull_vd *d, uint64_t until)
{
    d->thread.sleepers++;
    sleep_on(d, &d->thread.event, &d->thread.events, until);
    d->thread.sleepers--;
}

void lull_vd_wanted(struct lull_vd *d, struct lull_vd_waiter *w)
{
    w->next = d->thread.waiters;
    d->thread.waiters = w;
    d->thread.paused_since = 0;
}

void lull_vd_wanted_no_more(struct lull_vd *d, const struct lull_vd_waiter *w)
{
    struct lull_vd_waiter **at = &d->thread.waiters;
    while (*at != NULL && *at != w) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        *at = w->next;
    }
}

void lull_vd_sleep_work(struct lull_vd *d, uint64_t until)
{
    d->thread.naps_until = until;
    sleep_on(d, &d->thread.work, &d->thread.kicks, until);
}
