// SPDX-License-Identifier: MIT
// The clocks of host and client, and timeouts by them.
#include <time.h>

#include "vdrm/vdrm_priv.h"

uint64_t lull_vd_host_ns(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t lull_vd_now_ns(struct lull_vd *d)
{
    if (d->options.host_clock || d->options.threaded) {
        return lull_vd_host_ns();
    }
    // From 1 s, because an absolute time of 0 means "poll".
    return 1000000000 + d->gpu.ops->clock(d->gpu.gpu) * LULL_VD_NS_PER_CYCLE + d->idle_ns;
}

static struct lull_vd_deadline until(struct lull_vd *d, uint64_t timeout_ns)
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
    const uint64_t unit = d->options.host_clock ? 1000000 : LULL_VD_NS_PER_CYCLE;
    const uint64_t left = (timeout_ns - now - 1) / unit + 1;
    return (struct lull_vd_deadline){.cycles = left * (unit / LULL_VD_NS_PER_CYCLE)};
}

struct lull_vd_deadline lull_vd_amdgpu_deadline(struct lull_vd *d, uint64_t timeout_ns)
{
    return (int64_t)timeout_ns < 0 ? (struct lull_vd_deadline){.forever = true}
                                   : until(d, timeout_ns);
}

struct lull_vd_deadline lull_vd_drm_deadline(struct lull_vd *d, int64_t timeout_ns)
{
    if (timeout_ns == INT64_MAX) {
        return (struct lull_vd_deadline){.forever = true};
    }
    return timeout_ns <= 0 ? (struct lull_vd_deadline){0} : until(d, (uint64_t)timeout_ns);
}
