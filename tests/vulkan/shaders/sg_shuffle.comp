#version 460
// SPDX-License-Identifier: MIT
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer O { uint o[]; };
layout(set = 0, binding = 1) readonly buffer I { uint v[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, n = gl_WorkGroupSize.x * gl_NumWorkGroups.x;
    uint x = v[i], lane = gl_SubgroupInvocationID, s = gl_SubgroupSize;
    o[0 * n + i] = subgroupShuffle(x, (x >> 8) % s);
    o[1 * n + i] = subgroupShuffle(x, s - 1 - lane);
    o[2 * n + i] = subgroupShuffleXor(x, 1);
    o[3 * n + i] = subgroupShuffleXor(x, 7);
    o[4 * n + i] = subgroupShuffleXor(x, s / 2);
    uint up = subgroupShuffleUp(x, 3), down = subgroupShuffleDown(x, 5);
    o[5 * n + i] = lane >= 3 ? up : 0;
    o[6 * n + i] = lane + 5 < s ? down : 0;
    o[7 * n + i] = subgroupQuadBroadcast(x, 2);
    o[8 * n + i] = subgroupQuadSwapHorizontal(x);
    o[9 * n + i] = subgroupQuadSwapVertical(x);
    o[10 * n + i] = subgroupQuadSwapDiagonal(x);
    o[11 * n + i] = uint(subgroupShuffle(float(x & 0xffff), lane ^ 2));
    uvec2 pair = subgroupShuffle(uvec2(x, ~x), (lane * 7 + 3) % s);
    o[12 * n + i] = pair.x;
    o[13 * n + i] = pair.y;
    o[14 * n + i] = subgroupShuffle(x, x % s / 2 * 2);
}
