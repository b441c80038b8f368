#version 460
// SPDX-License-Identifier: MIT
// Exclusive prefix sums of 512 numbers a workgroup: up and down the tree (Blelloch).
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer V { uint v[]; };
shared uint s[512];
void main()
{
    uint l = gl_LocalInvocationID.x, base = gl_WorkGroupID.x * 512;
    s[2 * l] = v[base + 2 * l];
    s[2 * l + 1] = v[base + 2 * l + 1];
    uint step = 1;
    for (uint d = 256; d > 0; d >>= 1, step *= 2) {
        barrier();
        if (l < d) s[step * (2 * l + 2) - 1] += s[step * (2 * l + 1) - 1];
    }
    if (l == 0) s[511] = 0;
    for (uint d = 1; d < 512; d *= 2) {
        step >>= 1;
        barrier();
        if (l < d) {
            uint a = step * (2 * l + 1) - 1, b = step * (2 * l + 2) - 1, t = s[a];
            s[a] = s[b];
            s[b] += t;
        }
    }
    barrier();
    v[base + 2 * l] = s[2 * l];
    v[base + 2 * l + 1] = s[2 * l + 1];
}
