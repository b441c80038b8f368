// SPDX-License-Identifier: MIT
// Registers for bare code. Source of the defaults: LLVM AMDGPUUsage, .amdhsa_* directives.
#include "target/amd/raw.h"

#include <string.h>

#include "hw/field.h"
#include "hw/kd11_regs.h"

enum {
    MAX_ITEMS = 1024,
    // With 256 VGPRs a WGP has room for 8 waves of 64 or 20 of 32; with 192 for 1024 work-items.
    ITEMS_WITH_ALL_VGPRS = 512,
    ALL_VGPRS = 256,
    FEWER_VGPRS = 192,
    VGPR_GRANULE = 8, // of RSRC1, 32-lane registers
    LDS_GRANULE = 512,
};

static uint32_t default_rsrc1(uint64_t items, unsigned wave_size)
{
    const uint32_t vgprs = items <= ITEMS_WITH_ALL_VGPRS ? ALL_VGPRS : FEWER_VGPRS;
    const uint32_t v = lull_set(0, LULL_KD11_COMPUTE_PGM_RSRC1__GRANULATED_WORKITEM_VGPR_COUNT_MASK,
                                vgprs * (wave_size / 32) / VGPR_GRANULE - 1);
    return v | LULL_KD11_COMPUTE_PGM_RSRC1__FLOAT_DENORM_MODE_16_64_MASK |
           LULL_KD11_COMPUTE_PGM_RSRC1__ENABLE_DX10_CLAMP_MASK |
           LULL_KD11_COMPUTE_PGM_RSRC1__ENABLE_IEEE_MODE_MASK |
           LULL_KD11_COMPUTE_PGM_RSRC1__WGP_MODE_MASK |
           LULL_KD11_COMPUTE_PGM_RSRC1__MEM_ORDERED_MASK;
}

static uint32_t default_rsrc2(void)
{
    const uint32_t v = lull_set(0, LULL_KD11_COMPUTE_PGM_RSRC2__USER_SGPR_COUNT_MASK, 2);
    return lull_set(v, LULL_KD11_COMPUTE_PGM_RSRC2__ENABLE_VGPR_WORKITEM_ID_MASK,
                    LULL_KD11_COMPUTE_PGM_RSRC2__ENABLE_VGPR_WORKITEM_ID__XYZ) |
           LULL_KD11_COMPUTE_PGM_RSRC2__ENABLE_SGPR_WORKGROUP_ID_X_MASK |
           LULL_KD11_COMPUTE_PGM_RSRC2__ENABLE_SGPR_WORKGROUP_ID_Y_MASK |
           LULL_KD11_COMPUTE_PGM_RSRC2__ENABLE_SGPR_WORKGROUP_ID_Z_MASK;
}

struct lull_error *lull_raw_dispatch(const struct lull_raw *raw, struct lull_amd_dispatch *ret)
{
    *ret = (struct lull_amd_dispatch){.code_va = raw->code_va};
    uint64_t items = 1;
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t grid = (uint64_t)raw->groups[i] * raw->block[i];
        if (grid == 0 || grid > UINT32_MAX || raw->block[i] > MAX_ITEMS) {
            return lull_error_new(LULL_ERR_INVALID, "%u,%u,%u workgroups of %u,%u,%u work-items",
                                  raw->groups[0], raw->groups[1], raw->groups[2], raw->block[0],
                                  raw->block[1], raw->block[2]);
        }
        ret->grid[i] = (uint32_t)grid; // checked
        ret->block[i] = raw->block[i];
        items *= raw->block[i];
    }
    if (items > MAX_ITEMS) {
        return lull_error_new(LULL_ERR_INVALID, "workgroup of %llu work-items: at most %d",
                              (unsigned long long)items, MAX_ITEMS);
    }
    if (raw->wave_size != 32 && raw->wave_size != 64) {
        return lull_error_new(LULL_ERR_INVALID, "wave size %u is neither 32 nor 64",
                              raw->wave_size);
    }
    ret->wave32 = raw->wave_size == 32;
    ret->rsrc1 = raw->rsrc1 != 0 ? raw->rsrc1 : default_rsrc1(items, raw->wave_size);
    ret->rsrc2 = raw->rsrc2 != 0 ? raw->rsrc2 : default_rsrc2();
    const uint32_t lds =
        lull_get(ret->rsrc2, LULL_KD11_COMPUTE_PGM_RSRC2__GRANULATED_LDS_SIZE_MASK) * LDS_GRANULE;
    ret->lds_bytes = raw->lds_bytes > lds ? raw->lds_bytes : lds;
    ret->scratch_bytes = raw->scratch_bytes;
    ret->user_data[0] = (uint32_t)raw->table_va; // low half, then high
    ret->user_data[1] = (uint32_t)(raw->table_va >> 32);
    ret->nuser_data = 2;
    return NULL;
}
