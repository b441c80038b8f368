#version 450
// SPDX-License-Identifier: MIT
// Bug: the last 24 of 64 work-items go past a barrier that the others wait at, and whose tile they write meanwhile.
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer Values { uint values[]; };
shared uint tile[128];

void main()
{
    uint l = gl_LocalInvocationIndex;
    tile[l] = values[gl_GlobalInvocationID.x];
    if (l % 64 < 40) {
        barrier();
        values[gl_GlobalInvocationID.x] = tile[39 - l % 40];
    }
    tile[l] = 1;
}
