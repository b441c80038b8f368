#version 460
// SPDX-License-Identifier: MIT
// 256-point complex FFT in each workgroup, radix 2.
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer V { vec2 v[]; };
shared vec2 s[256];
vec2 mul(vec2 a, vec2 b) { return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
void main()
{
    uint l = gl_LocalInvocationID.x, base = gl_WorkGroupID.x * 256;
    s[bitfieldReverse(l) >> 24] = v[base + l];
    s[bitfieldReverse(l + 128) >> 24] = v[base + l + 128];
    barrier();
    for (uint n = 1; n < 256; n *= 2) {
        uint k = l & (n - 1), at = 2 * (l - k) + k;
        float angle = -3.14159265358979 * float(k) / float(n);
        vec2 a = s[at], b = mul(s[at + n], vec2(cos(angle), sin(angle)));
        barrier();
        s[at] = a + b;
        s[at + n] = a - b;
        barrier();
    }
    v[base + l] = s[l];
    v[base + l + 128] = s[l + 128];
}
