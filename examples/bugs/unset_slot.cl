// SPDX-License-Identifier: MIT
// Bug: the last slots of the last workgroup's tile stay empty, but all are read.
kernel void reverse(global int *out, global const int *in, local int *tile, int n)
{
    int l = get_local_id(0), i = get_global_id(0);
    if (i < n)
        tile[l] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[get_local_size(0) - 1 - l];
}
