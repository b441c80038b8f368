// SPDX-License-Identifier: MIT
// Bug: n elements of the array are set, eight are added up.
kernel void total(global int *out, global const int *in, int n)
{
    int terms[8], i = get_global_id(0), sum = 0;
    for (int k = 0; k < n; k++)
        terms[k] = in[i] + k;
    for (int k = 0; k < 8; k++)
        sum += terms[k];
    out[i] = sum;
}
