#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_shader_atomic_float2 : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer G { float low, high; };
layout(set = 0, binding = 1) readonly buffer I { float v[]; };
layout(set = 0, binding = 2) writeonly buffer L { float l[]; };
shared float a, b;
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (gl_LocalInvocationIndex == 0) a = b = 0;
    barrier();
    atomicMin(low, v[i]);
    atomicMax(high, v[i]);
    atomicMin(a, v[i]);
    atomicMax(b, v[i]);
    barrier();
    if (gl_LocalInvocationIndex == 0) {
        l[gl_WorkGroupID.x * 2] = a;
        l[gl_WorkGroupID.x * 2 + 1] = b;
    }
}
