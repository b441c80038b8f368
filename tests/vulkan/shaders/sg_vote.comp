#version 460
// SPDX-License-Identifier: MIT
#extension GL_KHR_shader_subgroup_vote : require
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer O { uint o[]; };
layout(set = 0, binding = 1) readonly buffer I { uint v[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, x = v[i], r = 0;
    r |= subgroupAll(x < 200) ? 1 : 0;
    r |= subgroupAny(x >= 200) ? 2 : 0;
    r |= subgroupAllEqual(x) ? 4 : 0;
    r |= subgroupAllEqual(float(x) * 0.5) ? 8 : 0;
    if ((x & 1) == 0) {
        r |= subgroupAll(x < 200) ? 16 : 0;
        r |= subgroupAny(x >= 200) ? 32 : 0;
        r |= subgroupAllEqual(x) ? 64 : 0;
    }
    o[i] = r;
}
