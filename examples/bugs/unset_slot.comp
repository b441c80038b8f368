// SPDX-License-Identifier: MIT
#version 450
// Bug: invocations from count on leave their slot empty, but all slots are read.
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer Out { uint values[]; };
layout(push_constant) uniform Push { uint count; };
shared uint tile[128];

void main()
{
    const uint l = gl_LocalInvocationIndex;
    if (l < count)
        tile[l] = values[gl_GlobalInvocationID.x];
    barrier();
    values[gl_GlobalInvocationID.x] = tile[127 - l];
}
