#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x = 4, local_size_y = 2) in;
layout(set = 0, binding = 0) buffer O { uint o[]; };
void main()
{
    uint i = atomicAdd(o[0], 1);
    atomicAdd(o[1], gl_WorkGroupID.x + 100 * gl_WorkGroupID.y + 10000 * gl_WorkGroupID.z);
    atomicOr(o[2], gl_NumWorkGroups.x | gl_NumWorkGroups.y << 8 | gl_NumWorkGroups.z << 16);
    atomicMax(o[3], gl_GlobalInvocationID.x + (gl_GlobalInvocationID.y << 8) + (gl_GlobalInvocationID.z << 16));
}
