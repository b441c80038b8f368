// SPDX-License-Identifier: MIT
// Kernels in the manner of programs found in the wild; all must compile and link without ROCm.
#define TILE 16

__kernel void vector_add(__global const float *a, __global const float *b, __global float *c, const int n)
{
    int i = get_global_id(0);
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

__kernel void matmul(__global const float *a, __global const float *b, __global float *c, int n)
{
    __local float ta[TILE][TILE], tb[TILE][TILE];
    int row = get_global_id(1), col = get_global_id(0), y = get_local_id(1), x = get_local_id(0);
    float sum = 0.0f;
    for (int t = 0; t < n / TILE; t++) {
        ta[y][x] = a[row * n + t * TILE + x];
        tb[y][x] = b[(t * TILE + y) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++) {
            sum = mad(ta[y][k], tb[k][x], sum);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}

__kernel void reduce(__global const uint *in, __global uint *out, __local uint *tmp, uint n)
{
    uint l = get_local_id(0);
    tmp[l] = get_global_id(0) < n ? in[get_global_id(0)] : 0;
    for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s) {
            tmp[l] += tmp[l + s];
        }
    }
    if (l == 0) {
        atomic_add(out, tmp[0]);
    }
}

__kernel void histogram(__global const uchar4 *image, __global volatile uint *bins, int n)
{
    __local uint local_bins[256];
    for (int i = get_local_id(0); i < 256; i += get_local_size(0)) {
        local_bins[i] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        uchar4 p = image[i];
        float grey = dot(convert_float4(p), (float4)(0.299f, 0.587f, 0.114f, 0.0f));
        atomic_inc(&local_bins[convert_uchar_sat_rte(grey)]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_local_id(0); i < 256; i += get_local_size(0)) {
        atomic_add(&bins[i], local_bins[i]);
    }
}

__kernel void nbody(__global float4 *pos, __global float4 *vel, float dt, float eps)
{
    int i = get_global_id(0);
    float4 p = pos[i], acc = (float4)(0.0f);
    for (int j = 0; j < (int)get_global_size(0); j++) {
        float4 d = pos[j] - p;
        float inv = native_rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + eps);
        acc += d * (pos[j].w * inv * inv * inv);
    }
    vel[i] += acc * dt;
    pos[i] = p + vel[i] * dt;
}

__kernel void hash(__global const uint *data, __global uint *out)
{
    uint h = 0x811c9dc5u, i = get_global_id(0);
    uint4 v = vload4(i, data);
    h = (h ^ v.x) * 16777619u;
    h = rotate(h, 13u) ^ bitselect(v.y, v.z, v.w);
    h ^= popcount(h) + clz(v.x) + mul_hi(v.y, v.z) + mad24(v.x, v.y, v.z) + add_sat(v.x, v.w) + abs_diff(v.x, v.y);
    out[i] = clamp(max(h, v.x), 1u, UINT_MAX) + min(v.y, v.z) + upsample((ushort)v.x, (ushort)v.y);
}

__kernel void maths(__global float *f, __global double *d, __global int *e)
{
    size_t i = get_global_id(0);
    int k;
    float whole, x = f[i];
    x = sin(x) + cos(x) * exp(x) + log(fabs(x)) + pow(x, 1.5f) + sqrt(x) + rsqrt(x) + atan2(x, 2.0f) + tanh(x) + fmod(x, 3.0f);
    x += fract(x, &whole) + frexp(x, &k) + ldexp(x, k) + floor(x) + ceil(x) + round(x) + trunc(x) + smoothstep(0.0f, 1.0f, x);
    x += isnan(x) ? 1.0f : mix(x, whole, 0.5f) + step(0.5f, x) + native_exp(x) + half_sqrt(x) + copysign(x, -1.0f) + hypot(x, x);
    f[i] = select(x, -x, (int)(i & 1)) + length((float3)(x, x, x)) + normalize((float2)(x, x)).x + cross((float4)(x), (float4)(x)).y;
    d[i] = sin(d[i]) * exp(d[i]) + pow(d[i], 0.5) + sqrt(d[i]) + fma(d[i], d[i], 1.0) + log(d[i]) + atan(d[i]);
    e[i] = k + any((int4)(k) < 0) + convert_int_sat(d[i]) + as_int(x) + get_work_dim() + get_num_groups(0) + get_global_offset(0);
    vstore_half(x, i, (__global half *)e);
}

__kernel void modern(__global atomic_int *counter, __global int *out, __global const float *in, __local float *copy)
{
    int ticket = atomic_fetch_add_explicit(counter, 1, memory_order_relaxed, memory_scope_device);
    event_t e = async_work_group_copy(copy, in, get_local_size(0), 0);
    wait_group_events(1, &e);
    int expected = 5;
    atomic_compare_exchange_strong(counter, &expected, 6);
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    out[get_global_linear_id()] = ticket + atomic_load(counter) + convert_int_rtz(copy[get_local_linear_id()]);
}
