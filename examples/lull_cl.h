// SPDX-License-Identifier: MIT
// The OpenCL C functions that the examples use, made of clang's amdgcn builtins: no device
// library is needed to compile them.
//
//     clang-19 -x cl -target amdgcn-amd-amdhsa -mcpu=gfx1100 -nogpulib -O2 -c saxpy.cl
#ifndef LULL_CL_H
#define LULL_CL_H

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline uint lull_local_id(uint dim)
{
    return dim == 0   ? __builtin_amdgcn_workitem_id_x()
           : dim == 1 ? __builtin_amdgcn_workitem_id_y()
                      : __builtin_amdgcn_workitem_id_z();
}

static inline uint lull_group_id(uint dim)
{
    return dim == 0   ? __builtin_amdgcn_workgroup_id_x()
           : dim == 1 ? __builtin_amdgcn_workgroup_id_y()
                      : __builtin_amdgcn_workgroup_id_z();
}

// Read from the implicit kernel arguments (hidden_group_size_x ...).
static inline uint lull_local_size(uint dim)
{
    return dim == 0   ? __builtin_amdgcn_workgroup_size_x()
           : dim == 1 ? __builtin_amdgcn_workgroup_size_y()
                      : __builtin_amdgcn_workgroup_size_z();
}

static inline uint lull_global_id(uint dim)
{
    return lull_group_id(dim) * lull_local_size(dim) + lull_local_id(dim);
}

static inline void lull_barrier(void)
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

#define get_local_id(dim) lull_local_id(dim)
#define get_group_id(dim) lull_group_id(dim)
#define get_local_size(dim) lull_local_size(dim)
#define get_global_id(dim) lull_global_id(dim)
#define barrier(flags) lull_barrier()
#define fma(a, b, c) __builtin_fma(a, b, c)
#define fmaf(a, b, c) __builtin_fmaf(a, b, c)
#define rotate_right(x, n) __builtin_rotateright32(x, n)

#endif
