// SPDX-License-Identifier: MIT
// The nine shaders of nine.py in OpenCL C, for nine_opencl.c: the same work in the same workgroups.
#pragma OPENCL FP_CONTRACT OFF

kernel void saxpy(global float *y, global const float *x)
{
    const uint i = get_global_id(0);
    y[i] = fma(2.5f, x[i], y[i]);
}

kernel __attribute__((reqd_work_group_size(16, 16, 1))) void
matmul(global float *c, global const float *a, global const float *b)
{
    local float ta[16][17], tb[16][17];
    const uint lx = get_local_id(0), ly = get_local_id(1), gx = get_global_id(0), gy = get_global_id(1);
    const uint n = 256;
    float sum = 0;
    for (uint t = 0; t < n; t += 16) {
        ta[ly][lx] = a[gy * n + t + lx];
        tb[ly][lx] = b[(t + ly) * n + gx];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < 16; k++) {
            sum = mad(ta[ly][k], tb[k][lx], sum);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[gy * n + gx] = sum;
}

kernel void mandelbrot(global uint *count)
{
    const uint x = get_global_id(0), y = get_global_id(1);
    const float cx = (float)x * 3.0f / 512.0f - 2.0f, cy = (float)y * 2.0f / 256.0f - 1.0f;
    float zx = 0, zy = 0;
    uint n = 0;
    while (n < 200) {
        const float xx = zx * zx, yy = zy * zy, xy = zx * zy;
        if (xx + yy > 4.0f) {
            break;
        }
        zx = xx - yy + cx;
        zy = xy + xy + cy;
        n++;
    }
    count[y * 512 + x] = n;
}

constant uint rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint ror(uint v, uint n)
{
    return v >> n | v << (32 - n);
}

uint swap(uint v)
{
    return (v & 0xff) << 24 | (v & 0xff00) << 8 | (v >> 8 & 0xff00) | v >> 24;
}

kernel void sha256(global uint *digest, global const uint *message)
{
    const uint at = get_global_id(0);
    uint w[64];
    uint h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint s[8];
    for (uint i = 0; i < 16; i++) {
        w[i] = i < 8 ? swap(message[at * 8 + i]) : i == 8 ? 0x80000000 : i == 15 ? 256 : 0;
    }
    for (uint i = 16; i < 64; i++) {
        const uint a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (ror(a, 7) ^ ror(a, 18) ^ a >> 3) + (ror(b, 17) ^ ror(b, 19) ^ b >> 10);
    }
    for (uint i = 0; i < 8; i++) {
        s[i] = h[i];
    }
    for (uint i = 0; i < 64; i++) {
        const uint t1 = s[7] + (ror(s[4], 6) ^ ror(s[4], 11) ^ ror(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + rounds[i] + w[i];
        const uint t2 = (ror(s[0], 2) ^ ror(s[0], 13) ^ ror(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        for (int j = 7; j > 0; j--) {
            s[j] = s[j - 1];
        }
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (uint i = 0; i < 8; i++) {
        digest[at * 8 + i] = swap(h[i] + s[i]);
    }
}

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
nbody(global float4 *velocity, global const float4 *body)
{
    local float4 tile[64];
    const uint i = get_global_id(0), l = get_local_id(0);
    const float3 me = body[i].xyz;
    float3 force = 0;
    for (uint t = 0; t < 1024; t += 64) {
        tile[l] = body[t + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < 64; k++) {
            const float3 d = tile[k].xyz - me;
            const float inv = rsqrt(dot(d, d) + 0.01f);
            force += d * (tile[k].w * inv * inv * inv);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    velocity[i] += (float4)(force * 0.01f, 0);
}

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void
reduce(global uint *out, global const uint *v)
{
    local uint s[256];
    const uint l = get_local_id(0);
    s[l] = v[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 128; d > 0; d >>= 1) {
        if (l < d) {
            s[l] += s[l + d];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) {
        out[1 + get_group_id(0)] = s[0];
        atomic_add(out, s[0]);
    }
}

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void scan(global uint *v)
{
    local uint s[512];
    const uint l = get_local_id(0), base = get_group_id(0) * 512;
    s[2 * l] = v[base + 2 * l];
    s[2 * l + 1] = v[base + 2 * l + 1];
    uint step = 1;
    for (uint d = 256; d > 0; d >>= 1, step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) {
            s[step * (2 * l + 2) - 1] += s[step * (2 * l + 1) - 1];
        }
    }
    if (l == 0) {
        s[511] = 0;
    }
    for (uint d = 1; d < 512; d *= 2) {
        step >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) {
            const uint a = step * (2 * l + 1) - 1, b = step * (2 * l + 2) - 1, t = s[a];
            s[a] = s[b];
            s[b] += t;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    v[base + 2 * l] = s[2 * l];
    v[base + 2 * l + 1] = s[2 * l + 1];
}

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void
histogram(global uint *h, global const uint *v)
{
    local uint s[256];
    const uint l = get_local_id(0);
    s[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint x = v[get_global_id(0)];
    for (uint b = 0; b < 32; b += 8) {
        atomic_inc(&s[x >> b & 255]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&h[l], s[l]);
}

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
crc(global uint *out, global const uint *v)
{
    local uint table[256];
    for (uint k = get_local_id(0); k < 256; k += 64) {
        uint n = k;
        for (uint b = 0; b < 8; b++) {
            n = (n & 1) != 0 ? 0xedb88320 ^ n >> 1 : n >> 1;
        }
        table[k] = n;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = ~0u;
    for (uint k = 0; k < 16; k++) {
        const uint w = v[get_global_id(0) * 16 + k];
        for (uint b = 0; b < 32; b += 8) {
            sum = table[(sum ^ (w >> b & 255)) & 255] ^ sum >> 8;
        }
    }
    out[get_global_id(0)] = ~sum;
}
