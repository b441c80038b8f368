// SPDX-License-Identifier: MIT
#version 450
// Bug: nothing stands between the stores to shared memory and the loads of other subgroups.
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer Out { uint values[]; };
shared uint tile[128];

void main()
{
    const uint l = gl_LocalInvocationIndex;
    tile[l] = values[gl_GlobalInvocationID.x];
    values[gl_GlobalInvocationID.x] = tile[127 - l];
}
