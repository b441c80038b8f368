// SPDX-License-Identifier: MIT
#include "hw/gc11_regs.h"
#include "vdrm/amdgpu/amdgpu.h"

uint32_t lull_vda_grbm_all(void)
{
    return LULL_GC11_GRBM_GFX_INDEX__SE_BROADCAST_WRITES_MASK |
           LULL_GC11_GRBM_GFX_INDEX__SA_BROADCAST_WRITES_MASK |
           LULL_GC11_GRBM_GFX_INDEX__INSTANCE_BROADCAST_WRITES_MASK;
}
