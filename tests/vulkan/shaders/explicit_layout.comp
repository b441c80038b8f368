#version 460
// SPDX-License-Identifier: MIT
// Two views of the same shared memory.
#extension GL_EXT_shared_memory_block : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) writeonly buffer O { uint o[]; };
shared A { uint a[64]; };
shared B { uvec2 b[32]; };
void main()
{
    uint l = gl_LocalInvocationIndex;
    a[l] = l * 3 + 1;
    barrier();
    o[l] = b[(63 - l) / 2][l & 1];
}
