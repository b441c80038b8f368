#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x = 3, local_size_y = 5, local_size_z = 2) in;
layout(set = 0, binding = 0) buffer O { uint o[]; };
layout(set = 0, binding = 1) buffer C { uint count; };
void main()
{
    uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize, g = gl_GlobalInvocationID;
    uint at = (g.z * size.y + g.y) * size.x + g.x;
    o[at] = gl_LocalInvocationIndex | (gl_WorkGroupID.x + gl_WorkGroupID.y * 16 + gl_WorkGroupID.z * 256) << 8;
    atomicAdd(count, 1);
}
