// SPDX-License-Identifier: MIT
// Mesa 22.3.6 (ACO) converts the low 16 bits of a 32-bit unsigned integer to a half, and not the integer: 70000 gives 4464, and not infinity.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint n = a[i] * 5000u;
    float16_t h = float16_t(n);
    b[i] = uint(float16BitsToUint16(h));
}
