// SPDX-License-Identifier: MIT
// Rows of data/chip against what is said of the chips elsewhere.
#include "hw/chips.h"
#include "test.h"

int main(void)
{
    const struct lull_chip *c = &lull_chip_navi31;
    // AMD's product page of the RX 7900 XTX: 96 compute units, 192 ROPs (8 a render backend), 96 MB
    // of Infinity Cache, 384 bits of GDDR6, a boost clock of up to 2.5 GHz.
    test_case(c->se * c->sa_per_se * c->wgp_per_sa * 2 == 96, "compute units", "%u",
              c->se * c->sa_per_se * c->wgp_per_sa * 2);
    test_case(c->rbs * 8 == 192, "render backends", "%u", c->rbs);
    test_case(c->mall_bytes == UINT64_C(96) << 20, "last-level cache", "%llu",
              (unsigned long long)c->mall_bytes);
    test_case(c->vram_bits == 384, "memory bus", "%u", c->vram_bits);
    test_case(c->engine_khz / 100000 == 25, "engine clock", "%u", c->engine_khz);
    // LLVM, AMDGPUBaseInfo.cpp: 1536 registers are allocated in units of 24, 1024 in units of 16.
    test_case(c->vgpr_granule * 64 == c->simd_vgprs, "unit of registers", "%u of %u",
              c->vgpr_granule, c->simd_vgprs);
    // GB_ADDR_CONFIG (gc_11_0_0_sh_mask.h): NUM_PIPES 2:0 as a power of two, NUM_SHADER_ENGINES
    // 20:19 too.
    test_case((c->gb_addr_config & 7) == 5, "pipes", "2^%u, not 2^5", c->gb_addr_config & 7);
    return test_end();
}
