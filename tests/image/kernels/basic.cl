// SPDX-License-Identifier: MIT
// Arguments of each kind, static and dynamic LDS, scratch, a constant table that needs relocations.
__constant int table[4] = {2, 3, 5, 7};
__attribute__((visibility("default"))) __global int counter = 3;
__global int *__global cell = &counter;

__kernel void saxpy(__global float *y, __global const float *x, float a, uint n)
{
    uint i = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}

__attribute__((reqd_work_group_size(64, 2, 1))) __kernel void mix(__global int *out, __local int *scratch,
                                                                  int3 v, char c, __constant int *k)
{
    __local int fixed[64];
    int many[70];
    uint i = __builtin_amdgcn_workitem_id_x();
    for (int j = 0; j < 70; j++) {
        many[j] = v.y + j * c;
    }
    fixed[i] = many[i] + table[i & 3];
    __builtin_amdgcn_s_barrier();
    scratch[i] = fixed[63 - i] + k[0];
    out[i] = scratch[i] + *cell + ((__constant int *)__builtin_amdgcn_implicitarg_ptr())[0];
}
