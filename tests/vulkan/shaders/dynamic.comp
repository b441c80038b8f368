#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer O { uint o[]; };
layout(set = 0, binding = 2) readonly buffer A { uint a[64]; };
layout(std140, set = 1, binding = 0) uniform U { uvec4 k[4]; };
layout(set = 1, binding = 1) readonly buffer B { uint b[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    o[i] = a[i] * 3 + k[i & 3][i >> 2 & 3] + b[i] + b.length() * 65536;
}
