// SPDX-License-Identifier: MIT
// The clocks of host and client, and timeouts by them.
#include <time.h>

#include "vdrm/core/vd.h"
#include "vdrm/core/wait.h"

uint64_t lull_vd_host_ns(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t lull_vd_now_ns(const struct lull_vd *d)
{
    if (d->options.host_clock || d->options.threaded) {
        return lull_vd_host_ns();
    }
    // From 1 s, because an absolute time of 0 means "poll".
    return 1000000000 + d->driver->clock(d) * d->driver->ns_per_cycle + d->idle_ns;
}

struct lull_vd_deadline lull_vd_until(const struct lull_vd *d, uint64_t timeout_ns)
{
    const uint64_t now = lull_vd_now_ns(d);
    if (timeout_ns <= now) {
        return (struct lull_vd_deadline){0};
    }
    if (d->options.threaded) {
        return (struct lull_vd_deadline){.ns = timeout_ns};
    }
    // By the host's clock rounded up to 1 ms, so that the cycles do not depend on how fast the call
    // came.
    const uint64_t unit = d->options.host_clock ? 1000000 : d->driver->ns_per_cycle;
    const uint64_t left = (timeout_ns - now - 1) / unit + 1;
    return (struct lull_vd_deadline){.cycles = left * (unit / d->driver->ns_per_cycle)};
}

struct lull_vd_deadline lull_vd_drm_deadline(const struct lull_vd *d, int64_t timeout_ns)
{
    if (timeout_ns == INT64_MAX) {
        return (struct lull_vd_deadline){.forever = true};
    }
    return timeout_ns <= 0 ? (struct lull_vd_deadline){0} : lull_vd_until(d, (uint64_t)timeout_ns);
}
