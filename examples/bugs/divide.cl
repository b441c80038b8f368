// SPDX-License-Identifier: MIT
// Bug: an empty bin has no average.
kernel void average(global int *out, global const int *sums, global const int *counts)
{
    int i = get_global_id(0);
    out[i] = sums[i] / counts[i];
}
