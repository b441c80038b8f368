// SPDX-License-Identifier: MIT
// What a work-item finds depends on who came before: a racy sum and tickets.
kernel void order(global volatile uint *state, global uint *out)
{
    local uint number;
    uint seen = 0;
#pragma unroll 1
    for (uint i = 0; i < 16; i++) {
        uint racy = state[1 + i % 3] * 3 + get_local_id(0) + i;
        state[1 + i % 3] = racy;
        seen = seen * 31 + racy + __opencl_atomic_fetch_add((volatile global atomic_uint *)state, 1, memory_order_relaxed,
                                                            memory_scope_device);
        if (i % 8 == 5) {
            __builtin_amdgcn_s_sleep(2);
        }
        if (i == 9) {
            number = seen;
            barrier(CLK_LOCAL_MEM_FENCE);
            seen ^= number;
        }
    }
    out[get_global_id(0)] = seen;
}
