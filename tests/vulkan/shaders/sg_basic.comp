#version 460
// SPDX-License-Identifier: MIT
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 16, local_size_y = 4, local_size_z = 3) in;
layout(set = 0, binding = 0) buffer O { uint o[]; };
layout(set = 0, binding = 1) buffer C { uint elected; };
shared uint s[192];
void main()
{
    uint l = gl_LocalInvocationIndex, n = 192 * gl_NumWorkGroups.x, i = 192 * gl_WorkGroupID.x + l;
    s[l] = l;
    subgroupBarrier();
    subgroupMemoryBarrierShared();
    uint peer = gl_SubgroupID * gl_SubgroupSize + (gl_SubgroupInvocationID ^ 1);
    o[0 * n + i] = s[peer];
    o[1 * n + i] = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
    o[2 * n + i] = gl_NumSubgroups;
    o[3 * n + i] = gl_SubgroupSize;
    if (subgroupElect()) {
        atomicAdd(elected, 1);
        o[4 * n + i] = 1;
    }
}
