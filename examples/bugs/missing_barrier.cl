// SPDX-License-Identifier: MIT
// Bug: nothing stands between the stores to the tile and the loads of what other waves stored.
kernel void reverse(global int *out, global const int *in, local int *tile)
{
    int l = get_local_id(0), n = get_local_size(0);
    tile[l] = in[get_global_id(0)];
    out[get_global_id(0)] = tile[n - 1 - l];
}
