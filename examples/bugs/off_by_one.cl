// SPDX-License-Identifier: MIT
// Bug: the differences of N values are N - 1; this loop's bound lets the last work-item read, and
// the first of the borders write, one element too far.
kernel void diff(global float *out, global const float *in, int n)
{
    int i = get_global_id(0);
    if (i <= n)
        out[i] = in[i + 1] - in[i];
}
