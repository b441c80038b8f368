// SPDX-License-Identifier: MIT
/** @file
 * What a kernel's log says of GPU faults: lines of msm and amdgpu, taken apart.
 *
 * Text in front of a message (time, device, "dmesg -T") does not matter. A fault of amdgpu is many
 * lines, of which some may be missing; all that follow the first, up to the next fault, are of it.
 *
 * Source: Linux 6.12 drivers/gpu/drm/msm/adreno/adreno_gpu.c (adreno_fault_handler()), a5xx_gpu.c,
 * a6xx_gpu.c (a6xx_fault_block(), a6xx_fault_detect_irq()), msm_iommu.c (msm_fault_handler());
 * drivers/gpu/drm/amd/amdgpu/gmc_v11_0.c, gfxhub_v3_0.c (..._print_l2_protection_fault_status()).
 */
#ifndef LULL_DRM_CORE_FAULTLOG_H
#define LULL_DRM_CORE_FAULTLOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cur.h"

enum lull_faultlog_kind {
    LULL_FAULTLOG_NONE,
    LULL_FAULTLOG_MSM,      ///< "*** gpu fault: iova=...": an address.
    LULL_FAULTLOG_MSM_HANG, ///< "gpu fault ring 0 fence 5 ...": the GPU's own hang detection.
    LULL_FAULTLOG_AMD,      ///< "[gfxhub] page fault (...)" and what follows.
};

enum lull_faultlog_dir { LULL_FAULTLOG_UNKNOWN, LULL_FAULTLOG_READ, LULL_FAULTLOG_WRITE };

enum { LULL_FAULTLOG_TEXT = 64 };

struct lull_faultlog {
    enum lull_faultlog_kind kind;
    bool has_address, has_ttbr0, has_scratch, has_status, has_vmid, has_ib;
    uint64_t address; ///< The IOVA; of amdgpu the start of its page.
    enum lull_faultlog_dir dir;
    /* msm */
    uint64_t ttbr0;
    char type[LULL_FAULTLOG_TEXT];   ///< "TRANSLATION"; "": not said.
    char source[LULL_FAULTLOG_TEXT]; ///< "TP|VFD", on a5xx a number; of amdgpu the client.
    uint32_t scratch[4];             ///< CP_SCRATCH_REG 4 to 7.
    uint32_t ring, fence, ib1_rem, ib2_rem;
    uint64_t ib1, ib2;
    /* amdgpu; status also of msm's hangs: RBBM_STATUS */
    uint32_t status; ///< GCVM_L2_PROTECTION_FAULT_STATUS.
    uint32_t vmid, pasid, client;
    char hub[LULL_FAULTLOG_TEXT];     ///< "gfxhub".
    char process[LULL_FAULTLOG_TEXT]; ///< "name pid 5"; "": not said.
};

/** The next fault in @p text; false: there is none. */
bool lull_faultlog_next(struct lull_cur *text, struct lull_faultlog *ret);

#endif
