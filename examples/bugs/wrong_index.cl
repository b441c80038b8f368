// SPDX-License-Identifier: MIT
// Bug: one work-item, and only that, stores to its neighbour's element.
kernel void scatter(global int *out)
{
    int i = get_global_id(0);
    int p = i;
    if (i == 519)
        p ^= 64;
    out[p] = i;
}
