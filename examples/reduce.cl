// SPDX-License-Identifier: MIT
// Sum of each workgroup's 256 elements, by a tree in local memory.
#include "lull_cl.h"

#define SIZE 256

kernel __attribute__((reqd_work_group_size(SIZE, 1, 1))) void reduce(global uint *sums, global const uint *in, uint n)
{
    local uint part[SIZE];
    const uint lid = get_local_id(0);
    const uint i = get_group_id(0) * SIZE + lid;
    part[lid] = i < n ? in[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = SIZE / 2; half_size != 0; half_size /= 2) {
        if (lid < half_size) {
            part[lid] += part[lid + half_size];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) {
        sums[get_group_id(0)] = part[0];
    }
}
