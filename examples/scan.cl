// SPDX-License-Identifier: MIT
// Prefix sums of 1024 numbers by one workgroup of 32 waves of 32 lanes, with cross-lane operations:
// DPP row shifts within 16 lanes, v_permlanex16_b32 from one half to the other, v_readlane_b32 for a
// wave's total, ds_bpermute_b32 to make the inclusive sum exclusive.
#include "lull_cl.h"

#define ROW_SHR(n) (0x110 + (n))

// The value of the lane n below in the same row of 16, 0 at its beginning.
#define FROM_BELOW(x, n) (uint)__builtin_amdgcn_update_dpp(0, (int)(x), ROW_SHR(n), 0xf, 0xf, true)

static uint wave_scan(uint x, uint lane)
{
    x += FROM_BELOW(x, 1);
    x += FROM_BELOW(x, 2);
    x += FROM_BELOW(x, 4);
    x += FROM_BELOW(x, 8);
    // Lane 15 of the other half; the upper half adds it.
    const uint other = (uint)__builtin_amdgcn_permlanex16(0, (int)x, -1, -1, true, false);
    return lane >= 16 ? x + other : x;
}

kernel __attribute__((reqd_work_group_size(1024, 1, 1))) void
scan(global uint *inclusive, global uint *exclusive, global const uint *in)
{
    local uint totals[32];
    const uint id = get_local_id(0);
    const uint lane = id % 32;
    const uint wave = id / 32;
    const uint sum = wave_scan(in[id], lane);
    totals[wave] = (uint)__builtin_amdgcn_readlane((int)sum, 31);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = 0;
    for (uint i = 0; i < wave; i++) {
        before += totals[i];
    }
    const uint below = (uint)__builtin_amdgcn_ds_bpermute((int)(lane - 1) * 4, (int)sum);
    inclusive[id] = before + sum;
    exclusive[id] = before + (lane == 0 ? 0 : below);
}
