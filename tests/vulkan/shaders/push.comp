#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) writeonly buffer O { uint o[]; };
layout(std430, push_constant) uniform P { uint a; float b; uvec2 c; mat2 d; uint e[16]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint x = 0;
    for (uint k = 0; k < 16; k++) x = x * 5 + e[(k + gl_WorkGroupID.x) % a % 16]; // the index must be uniform
    o[i] = i < 16 ? x + i : i == 16 ? a : i == 17 ? floatBitsToUint(b) : i < 20 ? (i == 18 ? c.x : c.y)
         : i < 24 ? floatBitsToUint(i == 20 ? d[0].x : i == 21 ? d[0].y : i == 22 ? d[1].x : d[1].y) : e[3] + a;
}
