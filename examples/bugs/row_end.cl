// SPDX-License-Identifier: MIT
// Bug: in the last column the neighbour is the first element of the next row of the tile.
kernel void slope(global float *out, global const float *in)
{
    local float tile[16][8];
    int x = get_local_id(0) % 8, y = get_local_id(0) / 8;
    tile[y][x] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (y < 15)
        out[get_global_id(0)] = tile[y][x + 1] - tile[y][x];
}
