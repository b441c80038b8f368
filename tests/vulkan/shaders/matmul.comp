#version 460
// SPDX-License-Identifier: MIT
// C = A * B of n x n, in tiles of 16 x 16 in shared memory.
#ifdef HALVES
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
#define T float16_t
#endif
#ifndef T
#define T float
#endif
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) writeonly buffer C { T c[]; };
layout(set = 0, binding = 1) readonly buffer A { T a[]; };
layout(set = 0, binding = 2) readonly buffer B { T b[]; };
layout(push_constant) uniform P { uint n; };
shared T ta[16][17], tb[16][17];
void main()
{
    uvec2 l = gl_LocalInvocationID.xy, g = gl_GlobalInvocationID.xy;
    T sum = T(0);
    for (uint t = 0; t < n; t += 16) {
        ta[l.y][l.x] = a[g.y * n + t + l.x];
        tb[l.y][l.x] = b[(t + l.y) * n + g.x];
        barrier();
        for (uint k = 0; k < 16; k++) sum += ta[l.y][k] * tb[k][l.x];
        barrier();
    }
    c[g.y * n + g.x] = sum;
}
