// SPDX-License-Identifier: MIT
#version 450
// Bug: the neighbour of a row's last element is of the next row, and that of the last row's behind the tile.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Values { float values[]; };

shared float tile[8][8];

void main()
{
    const uint x = gl_LocalInvocationIndex % 8, y = gl_LocalInvocationIndex / 8, i = gl_GlobalInvocationID.x;
    tile[y][x] = values[i];
    barrier();
    values[i] = tile[y][x + 1] - tile[y][x];
}
