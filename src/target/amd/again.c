// SPDX-License-Identifier: MIT
#include "target/amd/again.h"

#include "base/error.h"
#include "cmd/pm4.h"
#include "drm/amdgpu/amdgpu.h"
#include "hw/gc11_regs.h"
#include "target/amd/device_priv.h"

enum { IB_DWORDS = 4096, MOST_EMPTY = 4096 };

/* The ring counts submissions from 1, and an order of waves by seed depends on that number. */
LULL_MUST_USE static struct lull_error *empty_ones(struct lull_amd_device *d,
                                                   enum lull_amdgpu_ip ip, uint64_t job)
{
    struct lull_error *err = NULL;
    for (uint64_t i = 1; err == NULL && i < job && job <= MOST_EMPTY; i++) {
        struct lull_pm4_builder b = lull_pm4_builder_of(d->ib->map, IB_DWORDS);
        lull_pm4_wait_waves(&b);
        lull_pm4_pad(&b, 8);
        err = lull_amd_submit_ib(d, ip, (uint32_t)b.ndwords * 4);
        enum lull_amd_wait how = LULL_AMD_WAIT_BUSY;
        err = err != NULL ? err : lull_amd_wait(d, UINT64_MAX, &how);
    }
    return err;
}

static void two(struct lull_pm4_builder *b, uint32_t reg, uint64_t va)
{
    const uint32_t words[2] = {(uint32_t)(va >> 8), (uint32_t)(va >> 40)};
    lull_pm4_set_sh(b, reg, words, 2);
}

struct lull_error *lull_amd_submit_again(struct lull_amd_device *d, const struct lull_amd_again *a)
{
    static const uint32_t cus[] = {
        LULL_GC11_COMPUTE_STATIC_THREAD_MGMT_SE0, LULL_GC11_COMPUTE_STATIC_THREAD_MGMT_SE1,
        LULL_GC11_COMPUTE_STATIC_THREAD_MGMT_SE2, LULL_GC11_COMPUTE_STATIC_THREAD_MGMT_SE3,
        LULL_GC11_COMPUTE_STATIC_THREAD_MGMT_SE4, LULL_GC11_COMPUTE_STATIC_THREAD_MGMT_SE5,
        LULL_GC11_COMPUTE_STATIC_THREAD_MGMT_SE6, LULL_GC11_COMPUTE_STATIC_THREAD_MGMT_SE7};
    const enum lull_amdgpu_ip ip = a->gfx ? LULL_AMDGPU_GFX : LULL_AMDGPU_COMPUTE;
    struct lull_error *err = empty_ones(d, ip, a->job);
    if (err != NULL) {
        return err;
    }
    struct lull_pm4_builder b = lull_pm4_builder_of(d->ib->map, IB_DWORDS);
    lull_pm4_invalidate(&b);
    two(&b, LULL_GC11_COMPUTE_PGM_LO, a->code_va);
    lull_pm4_set_sh(&b, LULL_GC11_COMPUTE_PGM_RSRC1, a->rsrc, 2);
    lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_PGM_RSRC3, a->rsrc[2]);
    lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_RESOURCE_LIMITS, 0);
    two(&b, LULL_GC11_COMPUTE_DISPATCH_SCRATCH_BASE_LO, a->scratch_va);
    lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_TMPRING_SIZE, a->tmpring);
    lull_pm4_set_sh(&b, LULL_GC11_COMPUTE_USER_DATA_0, a->user_data, 16);
    for (unsigned i = 0; i < sizeof a->cus / sizeof a->cus[0]; i++) {
        lull_pm4_set_sh1(&b, cus[i], a->cus[i]);
    }
    lull_pm4_set_sh(&b, LULL_GC11_COMPUTE_START_X, a->start, 3);
    lull_pm4_set_sh(&b, LULL_GC11_COMPUTE_NUM_THREAD_X, a->block, 3);
    lull_pm4_dispatch(&b, a->grid[0], a->grid[1], a->grid[2], a->initiator);
    lull_pm4_wait_waves(&b);
    lull_pm4_pad(&b, 8);
    return lull_amd_submit_ib(d, ip, (uint32_t)b.ndwords * 4);
}
