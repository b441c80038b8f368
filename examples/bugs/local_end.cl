// SPDX-License-Identifier: MIT
// Bug: the tile has no room for the neighbour of the last work-item.
kernel void pairs(global int *out, global const int *in, local int *tile)
{
    int l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l] + tile[l + 1];
}
