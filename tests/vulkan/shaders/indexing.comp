#version 460
// SPDX-License-Identifier: MIT
// An array of buffers without a size, each lane its own.
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer O { uint o[]; };
layout(set = 1, binding = 0) buffer B { uint v[]; } b[];
layout(set = 1, binding = 1) uniform U { uvec4 k; } u[4];
void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint which = (i * 7 + i / 11) % 6;
    uint x = b[nonuniformEXT(which)].v[which];
    o[i] = x + u[nonuniformEXT(i % 4)].k[i / 4 % 4] + b[5].v.length();
    b[nonuniformEXT(5 - which)].v[32 + which] = x; // the same from all: v[32 + k] of buffer 5 - k
    atomicAdd(b[0].v[44], x);
}
