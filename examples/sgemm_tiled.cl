// SPDX-License-Identifier: MIT
// c = a * b for square matrices of size n, a multiple of 16; tiles of both go through local memory.
#include "lull_cl.h"

#define TILE 16

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void
sgemm_tiled(global float *c, global const float *a, global const float *b, uint n)
{
    local float at[TILE][TILE];
    local float bt[TILE][TILE];
    const uint x = get_local_id(0);
    const uint y = get_local_id(1);
    const uint column = get_group_id(0) * TILE + x;
    const uint row = get_group_id(1) * TILE + y;
    float sum = 0;
    for (uint k = 0; k < n; k += TILE) {
        at[y][x] = a[row * n + k + x];
        bt[y][x] = b[(k + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < TILE; i++) {
            sum = fmaf(at[y][i], bt[i][x], sum);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}
