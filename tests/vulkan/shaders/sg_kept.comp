#version 460
// SPDX-License-Identifier: MIT
// What lanes have that are off while the others compute something over the wave: it stays, whatever registers that needs.
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_clustered : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer O { uvec4 o[]; };
layout(set = 0, binding = 1) readonly buffer I { uint v[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, lane = gl_SubgroupInvocationID;
    uint a = v[i], b = v[i + 64u], c = 0u, d = 4u * lane, e = v[i + 32u], f = 0u, g = lane, h = 1u;
    if (lane % 6u != 1u) {
        b ^= subgroupMin(h);
    }
    if (b > e) {
        f = subgroupExclusiveAdd(a);
    } else {
        d ^= a * 5u;
    }
    if (lane % 4u != 1u) {
        d ^= subgroupClusteredMin(e, 4);
    }
    if (lane % 3u != 1u) {
        c ^= uint(subgroupInclusiveMin(double(d & 255u)));
    }
    if (lane % 5u != 1u) {
        g += subgroupExclusiveOr(f);
    }
    o[i * 2u] = uvec4(a, b, c, d);
    o[i * 2u + 1u] = uvec4(e, f, g, h);
}
