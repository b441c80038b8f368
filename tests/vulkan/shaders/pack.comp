#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) writeonly buffer O { uint o[]; };
layout(set = 0, binding = 1) readonly buffer A { vec4 a[]; };
layout(set = 0, binding = 2) writeonly buffer F { vec4 f[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, n = gl_NumWorkGroups.x * 64;
    vec4 x = a[i];
    o[0 * n + i] = packHalf2x16(x.xy);
    o[1 * n + i] = packHalf2x16(x.zw);
    o[2 * n + i] = packUnorm4x8(x);
    o[3 * n + i] = packSnorm4x8(x);
    o[4 * n + i] = packUnorm2x16(x.xy);
    o[5 * n + i] = packSnorm2x16(x.zw);
    uvec2 d = unpackDouble2x32(double(x.x));
    o[6 * n + i] = d.x;
    o[7 * n + i] = d.y;
    uint u = floatBitsToUint(x.x);
    f[4 * i + 0] = vec4(unpackHalf2x16(packHalf2x16(x.xy)), unpackHalf2x16(packHalf2x16(x.zw)));
    f[4 * i + 1] = unpackUnorm4x8(u);
    f[4 * i + 2] = unpackSnorm4x8(u);
    f[4 * i + 3] = vec4(unpackUnorm2x16(u), unpackSnorm2x16(u));
}
