#version 460
// SPDX-License-Identifier: MIT
// 8 and 16 bits in buffers, and arithmetic that wraps there.
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer O8 { int8_t o8[]; };
layout(set = 0, binding = 1) buffer O16 { int16_t o16[]; };
layout(set = 0, binding = 2) readonly buffer I8 { int8_t i8[]; };
layout(set = 0, binding = 3) readonly buffer I16 { int16_t i16[]; };
layout(set = 0, binding = 4) writeonly buffer V { u8vec4 v[]; };
layout(set = 0, binding = 5) writeonly buffer W { i16vec2 w[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, n = gl_NumWorkGroups.x * 64;
    int8_t a = i8[2 * i], b = i8[2 * i + 1];
    int16_t c = i16[2 * i], d = i16[2 * i + 1];
    uint8_t ua = uint8_t(a), ub = uint8_t(b);
    uint16_t uc = uint16_t(c), ud = uint16_t(d);
    int8_t r8[12] = int8_t[](a + b, a - b, a * b, int8_t(ua >> (ub & uint8_t(7))), a >> (b & int8_t(7)),
        a << (b & int8_t(7)), min(a, b), max(a, b), int8_t(min(ua, ub)), int8_t(max(ua, ub)), a & ~b,
        int8_t(ua / (ub | uint8_t(1))));
    for (uint k = 0; k < 12; k++) o8[k * n + i] = r8[k];
    int16_t r16[12] = int16_t[](c + d, c - d, c * d, int16_t(uc >> (ud & 15us)), c >> (d & 15s), c << (d & 15s),
        min(c, d), max(c, d), int16_t(min(uc, ud)), int16_t(max(uc, ud)), c ^ ~d, int16_t(uc % (ud | 1us)));
    for (uint k = 0; k < 12; k++) o16[k * n + i] = r16[k];
    v[i] = u8vec4(ua, ub, ua + ub, ua * uint8_t(3));
    i16vec2 p = i16vec2(c, d), q = i16vec2(d, a);
    w[4 * i + 0] = p + q;
    w[4 * i + 1] = p * q;
    w[4 * i + 2] = max(p, q);
    w[4 * i + 3] = p << (q & 15s);
}
