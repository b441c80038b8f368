// SPDX-License-Identifier: MIT
// Bug: best has no value where nothing is large enough.
kernel void classify(global int *out, global const int *in)
{
    int i = get_global_id(0), best;
    if (in[i] > 10)
        best = in[i];
    if (best > 20)
        out[i] = 1;
    else
        out[i] = 2;
}
