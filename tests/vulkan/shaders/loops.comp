#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer O { uint o[]; };
layout(push_constant) uniform P { uint rounds; };
void main()
{
    uint i = gl_GlobalInvocationID.x, x = o[i] | 1;
    for (uint k = 0; k < rounds; k++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        x = x * 1664525u + 1013904223u;
    }
    o[i] = x;
}
