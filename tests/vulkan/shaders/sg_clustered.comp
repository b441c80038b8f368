#version 460
// SPDX-License-Identifier: MIT
#extension GL_KHR_shader_subgroup_clustered : require
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) writeonly buffer O { uint o[]; };
layout(set = 0, binding = 1) readonly buffer I { uint v[]; };
#define ALL(k, size) \
    o[(7 * k + 0) * n + i] = subgroupClusteredAdd(x, size); \
    o[(7 * k + 1) * n + i] = subgroupClusteredMul(x, size); \
    o[(7 * k + 2) * n + i] = subgroupClusteredMin(x, size); \
    o[(7 * k + 3) * n + i] = subgroupClusteredMax(x, size); \
    o[(7 * k + 4) * n + i] = subgroupClusteredAnd(x, size); \
    o[(7 * k + 5) * n + i] = subgroupClusteredOr(x, size); \
    o[(7 * k + 6) * n + i] = subgroupClusteredXor(x, size);
void main()
{
    uint i = gl_GlobalInvocationID.x, n = gl_WorkGroupSize.x * gl_NumWorkGroups.x;
    uint x = v[i];
    ALL(0, 1)
    ALL(1, 2)
    ALL(2, 4)
    ALL(3, 8)
    ALL(4, 16)
    ALL(5, 32)
}
