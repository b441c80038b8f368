// SPDX-License-Identifier: MIT
// The workgroup that comes last adds up the sums of all. Each counts itself before its sum is there, which is seen only if another
// workgroup becomes the last one just then.
#include "../lull_cl.h"

kernel void total(global uint *out, global const uint *in, global volatile uint *sums, global volatile uint *count)
{
    const uint l = get_local_id(0), g = get_group_id(0), n = get_num_groups(0);
    if (l != 0) {
        return;
    }
    uint s = 0;
    for (uint i = 0; i < 32; i++) {
        s += in[g * 32 + i];
    }
#ifdef RIGHT
    sums[g] = s;
    const uint before = atomic_inc(count);
#else
    const uint before = atomic_inc(count);
    sums[g] = s;
#endif
    if (before == n - 1) {
        uint all = 0;
        for (uint i = 0; i < n; i++) {
            all += sums[i];
        }
        out[0] = all;
    }
}
