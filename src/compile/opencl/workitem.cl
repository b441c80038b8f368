// SPDX-License-Identifier: MIT
// Work-items, barriers, atomics, subgroups, workgroups, asynchronous copies.
// Source: OpenCL C 2.0, 6.13.1, 6.13.8, 6.13.10, 6.13.11, 6.13.15; LLVM AMDGPUUsage, implicit kernel arguments of code object v5.
#include "common.clh"

#define GENERIC(T, offset) (*(__constant T *)((__constant char *)__builtin_amdgcn_implicitarg_ptr() + (offset)))

static uint __attribute__((always_inline)) pick(uint d, uint x, uint y, uint z, uint other)
{
    return d == 0 ? x : d == 1 ? y : d == 2 ? z : other;
}

FN uint get_work_dim(void) { return GENERIC(ushort, 64); }
FN size_t get_local_id(uint d)
{
    return pick(d, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
                __builtin_amdgcn_workitem_id_z(), 0);
}
FN size_t get_group_id(uint d)
{
    return pick(d, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
                __builtin_amdgcn_workgroup_id_z(), 0);
}
FN size_t get_enqueued_local_size(uint d)
{
    return pick(d, GENERIC(ushort, 12), GENERIC(ushort, 14), GENERIC(ushort, 16), 1);
}
static uint __attribute__((always_inline)) whole_groups(uint d)
{
    return pick(d, GENERIC(uint, 0), GENERIC(uint, 4), GENERIC(uint, 8), 1);
}
static uint __attribute__((always_inline)) remainder_size(uint d)
{
    return pick(d, GENERIC(ushort, 18), GENERIC(ushort, 20), GENERIC(ushort, 22), 0);
}
FN size_t get_local_size(uint d)
{
    return get_group_id(d) < whole_groups(d) ? get_enqueued_local_size(d) : remainder_size(d);
}
FN size_t get_num_groups(uint d) { return whole_groups(d) + (remainder_size(d) != 0 ? 1 : 0); }
FN size_t get_global_size(uint d)
{
    return (size_t)whole_groups(d) * get_enqueued_local_size(d) + remainder_size(d);
}
FN size_t get_global_offset(uint d)
{
    return d == 0 ? GENERIC(ulong, 40) : d == 1 ? GENERIC(ulong, 48) : d == 2 ? GENERIC(ulong, 56) : 0;
}
FN size_t get_global_id(uint d)
{
    return (uint)get_group_id(d) * (uint)get_enqueued_local_size(d) + (uint)get_local_id(d) + get_global_offset(d);
}
FN size_t get_local_linear_id(void)
{
    return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}
FN size_t get_global_linear_id(void)
{
    return ((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) -
            get_global_offset(1)) * get_global_size(0) + get_global_id(0) - get_global_offset(0);
}

FN void barrier(cl_mem_fence_flags flags)
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
FN void work_group_barrier(cl_mem_fence_flags flags) { barrier(flags); }
FN void work_group_barrier(cl_mem_fence_flags flags, memory_scope scope)
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
}
FN void mem_fence(cl_mem_fence_flags flags) { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
FN void read_mem_fence(cl_mem_fence_flags flags) { __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); }
FN void write_mem_fence(cl_mem_fence_flags flags) { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); }
FN void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope)
{
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); // as strong as any order asked for
}

// OpenCL 1 atomics: relaxed. C11 ones: sequentially consistent on the device whatever is asked for.
#define DEVICE memory_scope_device
#define OLD1(name, builtin, T, A)                                                                  \
    FN T atomic_##name(volatile A T *p, T v)                                                       \
    {                                                                                              \
        return __opencl_atomic_##builtin((volatile A atomic_##T *)p, v, memory_order_relaxed, DEVICE); \
    }                                                                                              \
    FN T atom_##name(volatile A T *p, T v) { return atomic_##name(p, v); }
#define OLD(T, A)                                                                                  \
    OLD1(add, fetch_add, T, A) OLD1(sub, fetch_sub, T, A) OLD1(min, fetch_min, T, A)               \
    OLD1(max, fetch_max, T, A) OLD1(and, fetch_and, T, A) OLD1(or, fetch_or, T, A)                 \
    OLD1(xor, fetch_xor, T, A) OLD1(xchg, exchange, T, A)                                          \
    FN T atomic_inc(volatile A T *p) { return atomic_add(p, (T)1); }                               \
    FN T atomic_dec(volatile A T *p) { return atomic_sub(p, (T)1); }                               \
    FN T atom_inc(volatile A T *p) { return atomic_inc(p); }                                       \
    FN T atom_dec(volatile A T *p) { return atomic_dec(p); }                                       \
    FN T atomic_cmpxchg(volatile A T *p, T old, T v)                                               \
    {                                                                                              \
        __opencl_atomic_compare_exchange_strong((volatile A atomic_##T *)p, &old, v,               \
                                                memory_order_relaxed, memory_order_relaxed, DEVICE); \
        return old;                                                                                \
    }                                                                                              \
    FN T atom_cmpxchg(volatile A T *p, T old, T v) { return atomic_cmpxchg(p, old, v); }
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define OLD_SPACES(T) OLD(T, __global) OLD(T, __local)
OLD_SPACES(int) OLD_SPACES(uint) OLD_SPACES(long) OLD_SPACES(ulong)
FN float atomic_xchg(volatile __global float *p, float v)
{
    return as_float(atomic_xchg((volatile __global uint *)p, as_uint(v)));
}
FN float atomic_xchg(volatile __local float *p, float v)
{
    return as_float(atomic_xchg((volatile __local uint *)p, as_uint(v)));
}

#define SEQ memory_order_seq_cst
#define NEW_FETCH(name, T, A, U)                                                                   \
    FN T atomic_fetch_##name(volatile A atomic_##T *p, U v)                                        \
    {                                                                                              \
        return __opencl_atomic_fetch_##name(p, v, SEQ, DEVICE);                                    \
    }                                                                                              \
    FN T atomic_fetch_##name##_explicit(volatile A atomic_##T *p, U v, memory_order o)             \
    {                                                                                              \
        return __opencl_atomic_fetch_##name(p, v, o, DEVICE);                                      \
    }                                                                                              \
    FN T atomic_fetch_##name##_explicit(volatile A atomic_##T *p, U v, memory_order o, memory_scope s) \
    {                                                                                              \
        return __opencl_atomic_fetch_##name(p, v, o, DEVICE);                                      \
    }
#define NEW_COMPARE(name, T, A, B)                                                                 \
    FN bool atomic_compare_exchange_##name(volatile A atomic_##T *p, B T *e, T v)                  \
    {                                                                                              \
        return __opencl_atomic_compare_exchange_##name(p, e, v, SEQ, SEQ, DEVICE);                 \
    }                                                                                              \
    FN bool atomic_compare_exchange_##name##_explicit(volatile A atomic_##T *p, B T *e, T v,       \
                                                      memory_order o, memory_order f)              \
    {                                                                                              \
        return __opencl_atomic_compare_exchange_##name(p, e, v, o, f, DEVICE);                     \
    }                                                                                              \
    FN bool atomic_compare_exchange_##name##_explicit(volatile A atomic_##T *p, B T *e, T v,       \
                                                      memory_order o, memory_order f, memory_scope s) \
    {                                                                                              \
        return __opencl_atomic_compare_exchange_##name(p, e, v, o, f, DEVICE);                     \
    }
#define NEW_MOVE(T, A)                                                                             \
    FN void atomic_init(volatile A atomic_##T *p, T v) { __opencl_atomic_init(p, v); }             \
    FN void atomic_store(volatile A atomic_##T *p, T v) { __opencl_atomic_store(p, v, SEQ, DEVICE); } \
    FN void atomic_store_explicit(volatile A atomic_##T *p, T v, memory_order o)                   \
    {                                                                                              \
        __opencl_atomic_store(p, v, o, DEVICE);                                                    \
    }                                                                                              \
    FN void atomic_store_explicit(volatile A atomic_##T *p, T v, memory_order o, memory_scope s)   \
    {                                                                                              \
        __opencl_atomic_store(p, v, o, DEVICE);                                                    \
    }                                                                                              \
    FN T atomic_load(volatile A atomic_##T *p) { return __opencl_atomic_load(p, SEQ, DEVICE); }    \
    FN T atomic_load_explicit(volatile A atomic_##T *p, memory_order o)                            \
    {                                                                                              \
        return __opencl_atomic_load(p, o, DEVICE);                                                 \
    }                                                                                              \
    FN T atomic_load_explicit(volatile A atomic_##T *p, memory_order o, memory_scope s)            \
    {                                                                                              \
        return __opencl_atomic_load(p, o, DEVICE);                                                 \
    }                                                                                              \
    FN T atomic_exchange(volatile A atomic_##T *p, T v)                                            \
    {                                                                                              \
        return __opencl_atomic_exchange(p, v, SEQ, DEVICE);                                        \
    }                                                                                              \
    FN T atomic_exchange_explicit(volatile A atomic_##T *p, T v, memory_order o)                   \
    {                                                                                              \
        return __opencl_atomic_exchange(p, v, o, DEVICE);                                          \
    }                                                                                              \
    FN T atomic_exchange_explicit(volatile A atomic_##T *p, T v, memory_order o, memory_scope s)   \
    {                                                                                              \
        return __opencl_atomic_exchange(p, v, o, DEVICE);                                          \
    }
#define NEW_INTEGER(T)                                                                             \
    NEW_MOVE(T, __generic)                                                                         \
    NEW_FETCH(add, T, __generic, T) NEW_FETCH(sub, T, __generic, T) NEW_FETCH(and, T, __generic, T) \
    NEW_FETCH(or, T, __generic, T) NEW_FETCH(xor, T, __generic, T) NEW_FETCH(min, T, __generic, T) \
    NEW_FETCH(max, T, __generic, T)                                                                \
    NEW_COMPARE(strong, T, __generic, __generic) NEW_COMPARE(weak, T, __generic, __generic)
NEW_INTEGER(int) NEW_INTEGER(uint) NEW_INTEGER(long) NEW_INTEGER(ulong)
NEW_MOVE(float, __generic) NEW_MOVE(double, __generic)
FN bool atomic_flag_test_and_set(volatile __generic atomic_flag *p)
{
    return __opencl_atomic_exchange((volatile __generic atomic_int *)p, 1, SEQ, DEVICE) != 0;
}
FN void atomic_flag_clear(volatile __generic atomic_flag *p)
{
    __opencl_atomic_store((volatile __generic atomic_int *)p, 0, SEQ, DEVICE);
}

// Subgroups are waves. Reductions visit the active lanes one by one: right for both wave sizes.
FN uint get_max_sub_group_size(void) { return __builtin_amdgcn_wavefrontsize(); }
FN uint get_sub_group_local_id(void)
{
    return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}
FN uint get_sub_group_id(void) { return (uint)get_local_linear_id() / __builtin_amdgcn_wavefrontsize(); }
static uint __attribute__((always_inline)) group_items(void)
{
    return (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
}
FN uint get_num_sub_groups(void)
{
    uint w = __builtin_amdgcn_wavefrontsize();
    return (group_items() + w - 1) / w;
}
FN uint get_sub_group_size(void)
{
    uint w = __builtin_amdgcn_wavefrontsize();
    uint left = group_items() - get_sub_group_id() * w;
    return left < w ? left : w;
}
FN void sub_group_barrier(cl_mem_fence_flags flags) { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "wavefront"); }
FN void sub_group_barrier(cl_mem_fence_flags flags, memory_scope s) { sub_group_barrier(flags); }
static ulong __attribute__((always_inline)) active(int v) { return __builtin_amdgcn_uicmp((uint)v, 0u, 33); }
FN int sub_group_any(int v) { return active(v) != 0; }
FN int sub_group_all(int v) { return active(v == 0) == 0; }
FN uint sub_group_broadcast(uint v, uint lane) { return __builtin_amdgcn_readlane((int)v, (int)lane); }
FN int sub_group_broadcast(int v, uint lane) { return __builtin_amdgcn_readlane(v, (int)lane); }
FN float sub_group_broadcast(float v, uint lane)
{
    return as_float(__builtin_amdgcn_readlane(as_int(v), (int)lane));
}
FN ulong sub_group_broadcast(ulong v, uint lane)
{
    return (ulong)sub_group_broadcast((uint)(v >> 32), lane) << 32 | sub_group_broadcast((uint)v, lane);
}
FN long sub_group_broadcast(long v, uint lane) { return (long)sub_group_broadcast((ulong)v, lane); }
FN double sub_group_broadcast(double v, uint lane) { return as_double(sub_group_broadcast(as_ulong(v), lane)); }
FN half sub_group_broadcast(half v, uint lane)
{
    return as_half((ushort)sub_group_broadcast((uint)as_ushort(v), lane));
}
#define SUBGROUP(T, name, first, op)                                                               \
    FN T sub_group_reduce_##name(T v)                                                              \
    {                                                                                              \
        T r = first;                                                                               \
        for (ulong m = active(1); m != 0; m &= m - 1) {                                            \
            T x = sub_group_broadcast(v, (uint)__builtin_ctzl(m));                                 \
            r = op;                                                                                \
        }                                                                                          \
        return r;                                                                                  \
    }                                                                                              \
    FN T sub_group_scan_exclusive_##name(T v)                                                      \
    {                                                                                              \
        T r = first, mine = first;                                                                 \
        for (ulong m = active(1); m != 0; m &= m - 1) {                                            \
            uint lane = (uint)__builtin_ctzl(m);                                                   \
            T x = sub_group_broadcast(v, lane);                                                    \
            mine = lane == get_sub_group_local_id() ? r : mine;                                    \
            r = op;                                                                                \
        }                                                                                          \
        return mine;                                                                               \
    }                                                                                              \
    FN T sub_group_scan_inclusive_##name(T v)                                                      \
    {                                                                                              \
        T r = sub_group_scan_exclusive_##name(v), x = v;                                           \
        return op;                                                                                 \
    }
// M(type, name, what a sum of nothing is, operation on r and x) for each function of each type.
#define EACH_OPERATION(M, T, least, greatest)                                                      \
    M(T, add, 0, r + x) M(T, min, greatest, (x < r ? x : r)) M(T, max, least, (x > r ? x : r))
#define OPERATIONS(M)                                                                              \
    EACH_OPERATION(M, int, INT_MIN, INT_MAX) EACH_OPERATION(M, uint, 0, UINT_MAX)                  \
    EACH_OPERATION(M, long, LONG_MIN, LONG_MAX) EACH_OPERATION(M, ulong, 0, ULONG_MAX)             \
    EACH_OPERATION(M, float, -INFINITY, INFINITY) EACH_OPERATION(M, double, -INFINITY, INFINITY)   \
    EACH_OPERATION(M, half, -INFINITY, INFINITY)
OPERATIONS(SUBGROUP)

// Of workgroups (6.13.15): what each wave has goes through local memory (scratch.c), which only kernels have that
// call one of these. The second barrier lets the next call store there.
__local void *lull_scratch(void);
#define WAVES_OF(T) ((__local T *)lull_scratch())
#define SHARE(T, v)                                                                                \
    if (get_sub_group_local_id() == 0) {                                                           \
        WAVES_OF(T)[get_sub_group_id()] = v;                                                       \
    }                                                                                              \
    barrier(CLK_LOCAL_MEM_FENCE);
#define WORKGROUP(T, name, first, op)                                                              \
    FN T work_group_reduce_##name(T v)                                                             \
    {                                                                                              \
        T r = sub_group_reduce_##name(v);                                                          \
        SHARE(T, r)                                                                                \
        r = first;                                                                                 \
        for (uint i = 0; i < get_num_sub_groups(); i++) {                                          \
            T x = WAVES_OF(T)[i];                                                                  \
            r = op;                                                                                \
        }                                                                                          \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        return r;                                                                                  \
    }                                                                                              \
    FN T work_group_scan_exclusive_##name(T v)                                                     \
    {                                                                                              \
        T r = sub_group_reduce_##name(v);                                                          \
        SHARE(T, r)                                                                                \
        r = first;                                                                                 \
        for (uint i = 0; i < get_sub_group_id(); i++) {                                            \
            T x = WAVES_OF(T)[i];                                                                  \
            r = op;                                                                                \
        }                                                                                          \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        T x = sub_group_scan_exclusive_##name(v);                                                  \
        return op;                                                                                 \
    }                                                                                              \
    FN T work_group_scan_inclusive_##name(T v)                                                     \
    {                                                                                              \
        T r = work_group_scan_exclusive_##name(v), x = v;                                          \
        return op;                                                                                 \
    }
OPERATIONS(WORKGROUP)
FN int work_group_any(int v) { return work_group_reduce_max(v != 0 ? 1 : 0); }
FN int work_group_all(int v) { return work_group_reduce_min(v != 0 ? 1 : 0); }
#define WORKGROUP_BROADCAST(T)                                                                     \
    FN T work_group_broadcast(T v, size_t x, size_t y, size_t z)                                   \
    {                                                                                              \
        if (get_local_id(0) == x && get_local_id(1) == y && get_local_id(2) == z) {                \
            WAVES_OF(T)[0] = v;                                                                    \
        }                                                                                          \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        T r = WAVES_OF(T)[0];                                                                      \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        return r;                                                                                  \
    }                                                                                              \
    FN T work_group_broadcast(T v, size_t x, size_t y) { return work_group_broadcast(v, x, y, 0); } \
    FN T work_group_broadcast(T v, size_t x) { return work_group_broadcast(v, x, 0, 0); }
WORKGROUP_BROADCAST(int) WORKGROUP_BROADCAST(uint) WORKGROUP_BROADCAST(long) WORKGROUP_BROADCAST(ulong)
WORKGROUP_BROADCAST(float) WORKGROUP_BROADCAST(double) WORKGROUP_BROADCAST(half)

// Copies are made at once, by all work-items together; the barrier is in the wait. A work-item copies
// what another wave is likely to use, so that a wait or a barrier that is missing is seen.
static size_t __attribute__((always_inline)) first_copied(void)
{
    uint l = (uint)get_local_linear_id(), n = group_items(), half_way = n / 2;
    return l < n - half_way ? l + half_way : l - (n - half_way);
}
#define COPY(T)                                                                                    \
    FN event_t async_work_group_copy(__local T *d, const __global T *s, size_t n, event_t e)       \
    {                                                                                              \
        for (size_t i = first_copied(); i < n; i += group_items()) { d[i] = s[i]; }                \
        return e;                                                                                  \
    }                                                                                              \
    FN event_t async_work_group_copy(__global T *d, const __local T *s, size_t n, event_t e)       \
    {                                                                                              \
        for (size_t i = first_copied(); i < n; i += group_items()) { d[i] = s[i]; }                \
        return e;                                                                                  \
    }                                                                                              \
    FN event_t async_work_group_strided_copy(__local T *d, const __global T *s, size_t n, size_t k, event_t e) \
    {                                                                                              \
        for (size_t i = first_copied(); i < n; i += group_items()) { d[i] = s[i * k]; }            \
        return e;                                                                                  \
    }                                                                                              \
    FN event_t async_work_group_strided_copy(__global T *d, const __local T *s, size_t n, size_t k, event_t e) \
    {                                                                                              \
        for (size_t i = first_copied(); i < n; i += group_items()) { d[i * k] = s[i]; }            \
        return e;                                                                                  \
    }                                                                                              \
    FN void prefetch(const __global T *p, size_t n) {}
#define COPIES(T, U, S, bits) COPY(T) COPY(T##2) COPY(T##4) COPY(T##8) COPY(T##16)
SIGNED(COPIES) UNSIGNED(COPIES) COPIES(float, , , 32) COPIES(double, , , 64)
FN void wait_group_events(int n, __generic event_t *e) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); }
FN void wait_group_events(int n, __private event_t *e) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); }
