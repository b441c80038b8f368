#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer H { uint h[256]; };
layout(set = 0, binding = 1) readonly buffer I { uint v[]; };
shared uint s[256];
void main()
{
    s[gl_LocalInvocationIndex] = 0;
    barrier();
    uint x = v[gl_GlobalInvocationID.x];
    for (int b = 0; b < 4; b++) atomicAdd(s[bitfieldExtract(x, 8 * b, 8)], 1);
    barrier();
    atomicAdd(h[gl_LocalInvocationIndex], s[gl_LocalInvocationIndex]);
}
