// SPDX-License-Identifier: MIT
/** @file
 * The lock around all calls, and the thread on which the GPU runs. Without threads all of this does
 * nothing.
 */
#ifndef LULL_VDRM_CORE_THREAD_H
#define LULL_VDRM_CORE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct lull_vd;

typedef bool lull_vd_ready(void *arg);

/** A thread that waits; on its stack. */
struct lull_vd_waiter {
    struct lull_vd_waiter *next;
    lull_vd_ready *ready;
    void *arg;
};

/** Without a submission: no more come before the client waits. */
enum { LULL_VD_QUIET_NS = 300000000 };

struct lull_vd_thread {
    pthread_mutex_t m; ///< Of what stands here; never held for long.
    pthread_cond_t turn, event, work;
    uint64_t next, serving; ///< Tickets of the lock.
    uint64_t events, kicks; ///< Count what those who sleep may want to know, and the worker.
    struct lull_vd_waiter *waiters; ///< Who waits for the GPU.
    unsigned sleepers;              ///< Threads in lull_vd_sleep().
    uint64_t naps_until;            ///< Host time at which the worker wakes by itself.
    uint64_t submitted;             ///< Host time of the last submission.
    uint64_t paused_since;          ///< Host time; 0: somebody waits.
    bool stands;                    ///< On purpose: paused, or the GPU's clock stands.
    bool busy;                      ///< There is work, and in the last slice it went on.
    uint64_t idle_since;            ///< Host time to which the GPU's clock has come; 0: it works.
    bool started, stop;
    pthread_t worker;
};

int lull_vd_thread_start(struct lull_vd *d);
void lull_vd_thread_stop(struct lull_vd *d);
void lull_vd_lock(struct lull_vd *d);
/** Also wakes those who sleep, if lull_vd.changed. */
void lull_vd_unlock(struct lull_vd *d);
/** Let others have the lock who wait for it. */
void lull_vd_yield(struct lull_vd *d);
/** Release the lock until something changed or CLOCK_MONOTONIC is @p until; UINT64_MAX: no limit.
 */
void lull_vd_sleep(struct lull_vd *d, uint64_t until);
/** The worker's: until there may be work. */
void lull_vd_sleep_work(struct lull_vd *d, uint64_t until);
/** Somebody waits for the GPU, from now to lull_vd_wanted_no_more(). */
void lull_vd_wanted(struct lull_vd *d, struct lull_vd_waiter *w);
void lull_vd_wanted_no_more(struct lull_vd *d, const struct lull_vd_waiter *w);
/** A client has given the GPU something to do. */
void lull_vd_submitted(struct lull_vd *d);
/** Host time in which the GPU did nothing goes on its clock. */
void lull_vd_catch_up(struct lull_vd *d);

/** Lets the GPU work a little on the thread of who waits for it, with the lock: a short job is done
 * before the worker is awake. */
void lull_vd_work_here(struct lull_vd *d);

#endif
