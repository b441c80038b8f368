// SPDX-License-Identifier: MIT
// Rings and their fences, as amdgpu's files in debugfs show them.
//
// Source: Linux 6.12 amdgpu_fence.c (amdgpu_debugfs_fence_info_show()), amdgpu_ring.c
// (amdgpu_debugfs_ring_read(): three dwords, then the ring), gfx_v11_0.c (1024 dwords a job, filled
// up to a multiple of 256). The virtual driver gives jobs to the model without a ring in memory: a
// job counts as 256 dwords, and nothing comes behind the three.
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "vdrm/amdgpu/amdgpu.h"
#include "vdrm/amdgpu/debugfs.h"
#include "vdrm/amdgpu/job.h"
#include "vdrm/core/user.h"

enum { JOB_DWORDS = 256, RING_DWORDS = 2048 };

const char *lull_vda_ring_name(enum lull_ring ring)
{
    static const char *const names[LULL_RING_COUNT] = {
        "gfx_0.0.0", "comp_1.0.0", "comp_1.1.0", "comp_1.2.0", "comp_1.3.0", "sdma0", "sdma1"};
    return names[ring];
}

void lull_vda_fence_info(struct lull_vd *vd, struct lull_str *ret)
{
    const struct lull_vda *d = lull_vda_const(vd);
    for (unsigned i = 0; i < LULL_RING_COUNT; i++) {
        const bool gfx = i == LULL_RING_GFX, sdma = i >= LULL_RING_SDMA0;
        const uint32_t emitted = d->emitted[i];
        lull_str_addf(ret,
                      "--- ring %u (%s) ---\nLast signaled fence          0x%08" PRIx32
                      "\nLast emitted                 0x%08" PRIx32 "\n",
                      i, lull_vda_ring_name((enum lull_ring)i), emitted - d->on_ring[i], emitted);
        if (gfx || sdma) {
            lull_str_addf(ret, "Last signaled trailing fence 0x00000000\n"
                               "Last emitted                 0x00000000\n");
        }
        if (gfx) {
            lull_str_addf(ret, "Last preempted               0x00000000\n"
                               "Last reset                   0x00000000\n"
                               "Last both                    0x00000000\n");
        }
    }
}

ssize_t lull_vda_ring_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    const struct lull_vda *d = lull_vda_const(f->d);
    const char *name = f->node->name + strlen(LULL_VDA_RING);
    unsigned i = 0;
    if (pos % 4 != 0 || size % 4 != 0) {
        return -EINVAL;
    }
    while (i + 1 < LULL_RING_COUNT && strcmp(lull_vda_ring_name((enum lull_ring)i), name) != 0) {
        i++;
    }
    const uint32_t end = d->emitted[i] * JOB_DWORDS % RING_DWORDS;
    const uint32_t begin = (d->emitted[i] - d->on_ring[i]) * JOB_DWORDS % RING_DWORDS;
    const uint32_t words[] = {begin, end, end};
    const size_t left = pos < sizeof words ? sizeof words - (size_t)pos : 0;
    const size_t n = size < left ? size : left;
    const uint8_t *from = (const uint8_t *)words + (n != 0 ? pos : 0);
    return lull_vd_to_user(buf, from, n) != 0 ? -EFAULT : (ssize_t)n;
}
