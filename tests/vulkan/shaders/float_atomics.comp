#version 460
// SPDX-License-Identifier: MIT
// The numbers are whole and small: sums are exact in any order.
#extension GL_EXT_shader_atomic_float : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer G { float total, last; };
layout(set = 0, binding = 1) readonly buffer I { float v[]; };
layout(set = 0, binding = 2) writeonly buffer L { float l[]; };
layout(set = 0, binding = 3) writeonly buffer O { float o[]; };
shared float s, e, f;
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (gl_LocalInvocationIndex == 0) s = e = f = 0;
    barrier();
#ifdef BUFFER
    atomicAdd(total, v[i]);
#endif
    float was = atomicExchange(last, v[i]);
    o[i] = was;
    atomicAdd(s, v[i]);
    atomicAdd(f, atomicExchange(e, v[i]));
    barrier();
    if (gl_LocalInvocationIndex == 0) {
        l[gl_WorkGroupID.x * 2] = s;
        l[gl_WorkGroupID.x * 2 + 1] = e + f;
    }
}
