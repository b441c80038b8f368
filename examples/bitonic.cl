// SPDX-License-Identifier: MIT
// Sorts 1024 signed numbers in local memory with 512 work-items: a bitonic network.
#include "lull_cl.h"

#define SIZE 1024

kernel __attribute__((reqd_work_group_size(SIZE / 2, 1, 1))) void bitonic(global int *data)
{
    local int v[SIZE];
    const uint id = get_local_id(0);
    v[id] = data[id];
    v[id + SIZE / 2] = data[id + SIZE / 2];
    for (uint run = 2; run <= SIZE; run *= 2) {
        for (uint step = run / 2; step != 0; step /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            const uint lo = (id & ~(step - 1)) * 2 + (id & (step - 1));
            const int a = v[lo];
            const int b = v[lo + step];
            const bool up = (lo & run) == 0;
            if ((a > b) == up) {
                v[lo] = b;
                v[lo + step] = a;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[id] = v[id];
    data[id + SIZE / 2] = v[id + SIZE / 2];
}
