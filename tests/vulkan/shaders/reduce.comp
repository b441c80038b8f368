#version 460
// SPDX-License-Identifier: MIT
// Sum of each workgroup's 256 numbers, then of all by an atomic.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer O { uint total; uint part[]; };
layout(set = 0, binding = 1) readonly buffer I { uint v[]; };
shared uint s[256];
void main()
{
    uint l = gl_LocalInvocationID.x;
    s[l] = v[gl_GlobalInvocationID.x];
    barrier();
    for (uint d = 128; d > 0; d >>= 1) {
        if (l < d) s[l] += s[l + d];
        barrier();
    }
    if (l == 0) {
        part[gl_WorkGroupID.x] = s[0];
        atomicAdd(total, s[0]);
    }
}
