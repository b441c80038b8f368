// SPDX-License-Identifier: MIT
// Waits. Time passes for the GPU only here (with threads: on its own thread, worker.c).
#include "vdrm/core/wait.h"

#include "vdrm/core/user.h"
#include "vdrm/core/vd.h"

enum {
    SLICE = 1 << 16,        // cycles between two looks at the clock
    SHARED_SLICE = 1 << 21, // the same if threads share the work and meet at each look
    ASK_CYCLES = 1 << 14,   // that a client gets which looks whether a job is done
};

void lull_vd_poll(struct lull_vd *d)
{
    d->driver->advance(d);
    if (d->options.threaded) {
        return; // the worker goes on when the lock is free
    }
    const uint64_t n = d->driver->run(d, d->options.poll_cycles);
    if (n < d->options.poll_cycles) {
        // The client's clock goes on even if the GPU stands, or it would look at it for ever.
        d->idle_ns += (d->options.poll_cycles - n) * d->driver->ns_per_cycle;
    }
    d->driver->advance(d);
    d->driver->check(d);
}

static bool wait_threaded(struct lull_vd_file *f, lull_vd_ready *ready, void *arg,
                          struct lull_vd_deadline deadline)
{
    struct lull_vd *d = f->d;
    const uint64_t until = deadline.forever ? UINT64_MAX : deadline.ns;
    struct lull_vd_waiter waiter = {.ready = ready, .arg = arg};
    bool done = ready(arg);
    if (!done && until == 0) { // who asks again and again lets it run so
        d->driver->run(d, ASK_CYCLES);
        d->driver->advance(d);
        return ready(arg);
    }
    if (!deadline.host) {
        lull_vd_wanted(d, &waiter);
        if (!done && !d->thread.stop) {
            lull_vd_work_here(d);
            done = ready(arg);
        }
    }
    while (!done && f->fds != 0 && !f->hung_up && !d->thread.stop && until > lull_vd_host_ns()) {
        lull_vd_sleep(d, until);
        done = ready(arg);
    }
    lull_vd_wanted_no_more(d, &waiter);
    return done;
}

bool lull_vd_wait(struct lull_vd_file *f, lull_vd_ready *ready, void *arg,
                  struct lull_vd_deadline deadline)
{
    struct lull_vd *d = f->d;
    lull_vd_user_changed();
    d->driver->advance(d);
    if (d->options.threaded) {
        return wait_threaded(f, ready, arg, deadline);
    }
    if (ready(arg)) {
        return true;
    }
    if (!deadline.forever && deadline.cycles == 0) {
        lull_vd_poll(d);
        return ready(arg);
    }
    const uint64_t slice = d->options.threads > 1 ? SHARED_SLICE : SLICE;
    uint64_t left = deadline.cycles;
    while (deadline.forever || left > 0) {
        const uint64_t want = deadline.forever || left > slice ? slice : left;
        const uint64_t n = d->driver->run(d, want);
        bool moved = d->driver->advance(d);
        moved = d->driver->check(d) || moved;
        if (ready(arg)) {
            return true;
        }
        left -= n < left ? n : left;
        if (n == 0 && !moved && !(deadline.forever && d->driver->end_stall(d))) {
            d->idle_ns += deadline.forever ? 0 : left * d->driver->ns_per_cycle;
            return false;
        }
    }
    return false;
}

static bool fence_ready(void *arg)
{
    return ((const struct lull_vd_fence *)arg)->done;
}

bool lull_vd_wait_fence(struct lull_vd_file *f, struct lull_vd_fence *fence,
                        struct lull_vd_deadline deadline)
{
    return lull_vd_wait(f, fence_ready, fence, deadline);
}
