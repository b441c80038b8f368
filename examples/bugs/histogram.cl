// SPDX-License-Identifier: MIT
// Bug: counting needs an atomic operation.
kernel void hist(global int *bins, global const int *in)
{
    int b = in[get_global_id(0)] & 15;
    bins[b] = bins[b] + 1;
}
