#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Y { float y[]; };
layout(set = 0, binding = 1) readonly buffer X { float x[]; };
layout(push_constant) uniform P { float a; uint n; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < n) {
        y[i] = fma(a, x[i], y[i]);
    }
}
