// SPDX-License-Identifier: MIT
// Bug: 0 of 0 values have no mean.
kernel void mean(global float *out, global const float *sums, global const float *counts)
{
    int i = get_global_id(0);
    out[i] = sums[i] / counts[i];
}
