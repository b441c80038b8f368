// SPDX-License-Identifier: MIT
// Code of many kinds for back.py: what counts is that the compiler uses many instructions.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void saxpy(global float *y, global const float *x, float a, int n)
{
    int i = get_global_id(0);
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}

kernel void reduce(global const int *in, global int *out, local int *tmp)
{
    int lid = get_local_id(0);
    tmp[lid] = in[get_global_id(0)];
    for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < s) {
            tmp[lid] += tmp[lid + s];
        }
    }
    if (lid == 0) {
        atomic_add(out, tmp[0]);
    }
}

kernel void matmul(global const float4 *a, global const float4 *b, global float4 *c, int n)
{
    local float4 tile[16][16];
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    float4 sum = 0;
    for (int k = 0; k < n; k += 16) {
        tile[ly][lx] = b[(k + ly) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 16; i++) {
            sum += a[y * n + k + i] * tile[i][lx];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}

kernel void integers(global ulong *u, global long *s, global uchar *b, global short *h, global uint *w, int k)
{
    size_t i = get_global_id(0);
    u[i] = u[i] * u[i + 1] / (u[i + 2] | 1) + (u[i + 3] >> k) % 1000003;
    s[i] = s[i] * s[i + 1] / (s[i + 2] | 1) - (s[i + 3] << k);
    b[i] = (uchar)(b[i] * b[i + 1] + b[i + 2]);
    h[i] = (short)(max(h[i], h[i + 1]) - min(h[i + 2], (short)k));
    w[i] = popcount(w[i]) + clz(w[i + 1]) + (w[i + 2] << (w[i + 3] & 31)) + mad24(w[i], w[i + 1], w[i + 2]);
    w[i + 4] = rotate(w[i], 7u) ^ rotate(w[i + 1], 18u) ^ (w[i + 2] >> 3);
    w[i + 5] = mul_hi(w[i], w[i + 1]) + abs_diff(w[i + 2], w[i + 3]) + bitselect(w[i], w[i + 1], w[i + 2]);
}

kernel void floats(global float *f, global double *d, global half *h, global half2 *h2, global int *n)
{
    size_t i = get_global_id(0);
    f[i] = native_exp(f[i]) + native_sin(f[i + 1]) + sqrt(f[i + 2]) / f[i + 3] + fma(f[i], f[i + 1], f[i + 2]);
    f[i + 1] = clamp(f[i], 0.0f, 1.0f) + fmin(fabs(f[i + 2]), -f[i + 3]) + floor(f[i + 4]) + trunc(f[i + 5]);
    d[i] = d[i] * d[i + 1] + d[i + 2] / d[i + 3] + sqrt(d[i + 4]) + floor(d[i + 5]);
    h[i] = h[i] * h[i + 1] + h[i + 2] - fabs(h[i + 3]);
    h2[i] = fma(h2[i], h2[i + 1], -h2[i + 2]);
    n[i] = (int)f[i] + (int)d[i] + (int)h[i] + isnan(f[i]) + isinf(d[i]) + (f[i] < f[i + 1]);
    f[i + 2] = (float)n[i] + (float)d[i] + (float)(uint)n[i + 1] + ldexp(f[i], n[i]);
    d[i + 1] = (double)f[i] + (double)n[i] + (double)(ulong)n[i + 1];
}

kernel void shuffle(global int *p, global atomic_int *a, global float *f, global long *l)
{
    int i = get_global_id(0);
    int v = p[i];
    v += __builtin_amdgcn_update_dpp(0, v, 0x111, 0xf, 0xf, true);
    v += __builtin_amdgcn_ds_swizzle(v, 0x041f);
    v += __builtin_amdgcn_readfirstlane(v) + __builtin_amdgcn_readlane(v, 5);
    v += __builtin_amdgcn_ds_bpermute(i * 4, v) + __builtin_amdgcn_mov_dpp8(v, 0xfac688);
    v += __builtin_amdgcn_mbcnt_lo(~0u, 0) + (int)__builtin_readcyclecounter();
    p[i] = v;
    atomic_fetch_add(&a[i & 7], v);
    atomic_fetch_max(&a[8], v);
    atom_add((volatile global int *)p, 3);
}

kernel void stack(global int *p, int n)
{
    int array[64];
    for (int i = 0; i < 64; i++) {
        array[(i * n) & 63] = p[i];
    }
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += array[p[i] & 63];
    }
    p[get_global_id(0)] = sum;
}
