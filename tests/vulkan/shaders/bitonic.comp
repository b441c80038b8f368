#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer V { int v[]; };
shared int s[512];
void main()
{
    uint l = gl_LocalInvocationID.x, base = gl_WorkGroupID.x * 512;
    s[l] = v[base + l];
    s[l + 256] = v[base + l + 256];
    for (uint k = 2; k <= 512; k *= 2) {
        for (uint j = k / 2; j > 0; j /= 2) {
            barrier();
            uint a = 2 * l - (l & (j - 1)), b = a + j;
            bool up = (a & k) == 0;
            int x = s[a], y = s[b];
            if ((x > y) == up) {
                s[a] = y;
                s[b] = x;
            }
        }
    }
    barrier();
    v[base + l] = s[l];
    v[base + l + 256] = s[l + 256];
}
