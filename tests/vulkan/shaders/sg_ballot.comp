#version 460
// SPDX-License-Identifier: MIT
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) writeonly buffer O { uvec4 o[]; };
layout(set = 0, binding = 1) readonly buffer I { uint v[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, n = gl_WorkGroupSize.x * gl_NumWorkGroups.x;
    uint x = v[i];
    uvec4 b = subgroupBallot((x & 1) != 0);
    o[0 * n + i] = b;
    o[1 * n + i] = uvec4(subgroupInverseBallot(b), subgroupBallotBitExtract(b, x % gl_SubgroupSize),
                         subgroupBallotBitCount(b), subgroupBallotInclusiveBitCount(b));
    o[2 * n + i] = uvec4(subgroupBallotExclusiveBitCount(b), subgroupBallotFindLSB(b | uvec4(1u << 31, 0, 0, 0)),
                         subgroupBallotFindMSB(b | uvec4(1, 0, 0, 0)), subgroupBroadcast(x, 5));
    o[3 * n + i] = uvec4(gl_SubgroupEqMask.xy, gl_SubgroupGeMask.xy);
    o[4 * n + i] = uvec4(gl_SubgroupGtMask.xy, gl_SubgroupLeMask.xy);
    o[5 * n + i] = uvec4(gl_SubgroupLtMask.xy, gl_SubgroupSize, gl_SubgroupInvocationID);
    if (x % 5 > 1) {
        o[6 * n + i] = uvec4(subgroupBallot(true).xy, subgroupBroadcastFirst(x), subgroupBallotBitCount(subgroupBallot(x > 9)));
    }
}
