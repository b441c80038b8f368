#version 460
// SPDX-License-Identifier: MIT
// A large shared array, every word of it, with types of several sizes.
layout(local_size_x = 1024) in;
layout(set = 0, binding = 0) writeonly buffer O { uint o[]; };
shared uvec4 s[SIZE / 16 - 64];
shared uint t[256];
void main()
{
    uint l = gl_LocalInvocationIndex, n = s.length(), sum = 0;
    for (uint k = l; k < n; k += 1024) s[k] = uvec4(k, k * 3, ~k, k ^ gl_WorkGroupID.x);
    if (l < 256) t[l] = l * l;
    barrier();
    for (uint k = l; k < n; k += 1024) {
        uint at = (k * 1021 + 7) % n;
        uvec4 x = s[at];
        sum += x.x + x.y * 5 + (x.z ^ x.w);
        sum += s[(at + k) % n][k & 3];
    }
    o[gl_WorkGroupID.x * 1024 + l] = sum + t[(l * 13) & 255];
}
