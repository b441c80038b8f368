// SPDX-License-Identifier: MIT
// Bug: the barrier is inside of the condition, so that 16 of 128 work-items come to it.
kernel void fold(global int *out, local int *part)
{
    int l = get_local_id(0);
    part[l] = l;
    if (l < 16) {
        barrier(CLK_LOCAL_MEM_FENCE);
        part[l] += 16;
    }
    out[get_global_id(0)] = part[l];
}
