// SPDX-License-Identifier: MIT
// Compiled with -O2: variables in registers, one inlined function, some that are gone.
int twice(int a)
{
    int t = a * 2;
    return t + 1;
}

kernel void optimised(global float *out, global int *table, int n)
{
    int i = __builtin_amdgcn_workitem_id_x();
    float acc = 0.5f * i;
    int limit = n + 3;
    for (int k = 0; k < limit; k++) {
        float scaled = acc * table[k & 7];
        acc += scaled + k;
    }
    int r = twice(i + n);
    out[i] = acc + r;
}
