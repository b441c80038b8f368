#version 460
// SPDX-License-Identifier: MIT
// One generation for each dispatch: even ones from a to b, odd ones back.
layout(local_size_x = 16, local_size_y = 4) in;
layout(set = 0, binding = 0) buffer A { uint a[]; };
layout(set = 0, binding = 1) buffer B { uint b[]; };
layout(set = 0, binding = 2) buffer R { uint done, rounds; };
const uint W = 64, H = 32;
uint cell(uint x, uint y)
{
    uint at = (y + H) % H * W + (x + W) % W;
    return rounds % 2 == 0 ? a[at] : b[at];
}
void main()
{
    uvec2 p = gl_GlobalInvocationID.xy;
    uint n = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx != 0 || dy != 0) n += cell(p.x + dx, p.y + dy);
    uint c = cell(p.x, p.y), next = n == 3 || (n == 2 && c == 1) ? 1 : 0;
    if (rounds % 2 == 0) b[p.y * W + p.x] = next;
    else a[p.y * W + p.x] = next;
    barrier();
    // The last workgroup to end counts the round.
    if (gl_LocalInvocationIndex == 0) {
        memoryBarrierBuffer();
        if (atomicAdd(done, 1) == gl_NumWorkGroups.x * gl_NumWorkGroups.y - 1) {
            done = 0;
            rounds++;
        }
    }
}
