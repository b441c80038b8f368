#version 460
// SPDX-License-Identifier: MIT
// 5 x 5 binomial blur of packed RGBA with clamped edges, in integers.
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) writeonly buffer O { uint o[]; };
layout(set = 0, binding = 1) readonly buffer I { uint i[]; };
layout(push_constant) uniform P { ivec2 size; };
const uint w[5] = uint[](1, 4, 6, 4, 1);
void main()
{
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(p, size))) return;
    uvec4 sum = uvec4(128);
    for (int y = -2; y <= 2; y++)
        for (int x = -2; x <= 2; x++) {
            ivec2 q = clamp(p + ivec2(x, y), ivec2(0), size - 1);
            uint v = i[q.y * size.x + q.x];
            sum += w[x + 2] * w[y + 2] * uvec4(v & 255, v >> 8 & 255, v >> 16 & 255, v >> 24);
        }
    sum >>= 8;
    o[p.y * size.x + p.x] = sum.x | sum.y << 8 | sum.z << 16 | sum.w << 24;
}
