#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x = 32) in;
struct S { mat4 m; mat3x2 k; vec3 v; float f; mat2 q; };
layout(std430, set = 0, binding = 0) writeonly buffer O { mat4 o[]; };
layout(std430, set = 0, binding = 1) readonly buffer I { S s[]; };
layout(std140, row_major, set = 0, binding = 2) uniform U { mat4 u; mat3 r; float g[4]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    S x = s[i];
    mat4 m = x.m + mat4(6.0);
    o[i * 4 + 0] = m * u;
    o[i * 4 + 1] = transpose(m) + outerProduct(vec4(x.v, x.f), vec4(x.k * x.v, x.q * x.k[0]));
    o[i * 4 + 2] = inverse(m);
    o[i * 4 + 3] = mat4(mat3(m) * r) + mat4(determinant(m)) + mat4(g[i & 3]) + matrixCompMult(m, u);
}
