#version 460
// SPDX-License-Identifier: MIT
// float16: scalars and packed pairs. Sums, products and square roots that f16 rounds once.
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) writeonly buffer O { float16_t o[]; };
layout(set = 0, binding = 1) readonly buffer A { float16_t a[]; };
layout(set = 0, binding = 2) readonly buffer B { float16_t b[]; };
layout(set = 0, binding = 3) writeonly buffer V { f16vec2 v[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, n = gl_NumWorkGroups.x * 64;
    precise float16_t x = a[i], y = b[i];
    precise float16_t sum = x + y, difference = x - y, product = x * y;
    o[0 * n + i] = sum;
    o[1 * n + i] = difference;
    o[2 * n + i] = product;
    o[3 * n + i] = min(x, y);
    o[4 * n + i] = max(x, y);
    o[5 * n + i] = abs(x);
    o[6 * n + i] = floor(x);
    o[7 * n + i] = ceil(x);
    o[8 * n + i] = float16_t(float(x) * 0.5 + float(y));
    o[9 * n + i] = float16_t(int(x) + 1); // not -0 or 0, as the compiler likes
    o[10 * n + i] = x < y ? x : -y;
    o[11 * n + i] = trunc(y);
    precise f16vec2 p = f16vec2(x, y), q = f16vec2(y, -x);
    precise f16vec2 ps = p + q, pp = p * q;
    v[4 * i + 0] = ps;
    v[4 * i + 1] = pp;
    v[4 * i + 2] = max(p, q);
    v[4 * i + 3] = -p.yx;
}
