// SPDX-License-Identifier: MIT
#version 450
// Bug: the first row's pitch is 0, and the remainder by it is stored.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Out { uint values[]; };

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    values[i] = 1000 % values[i];
}
