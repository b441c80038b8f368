// SPDX-License-Identifier: MIT
#version 450
// Bug: the index within the workgroup stands where the global one belongs, so workgroups write over
// each other.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Out { uint values[]; };

void main()
{
    values[gl_LocalInvocationID.x] = gl_GlobalInvocationID.x;
}
