#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer O { uint o[64]; };
void main()
{
    atomicAdd(o[gl_WorkGroupID.x % 64], gl_LocalInvocationIndex + (gl_WorkGroupID.x >> 10));
}
