// SPDX-License-Identifier: MIT
#version 450
// Bug: as many invocations as there are in all workgroups store, the buffer's range ends before.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Out { uint values[]; };

void main()
{
    values[gl_GlobalInvocationID.x] = gl_GlobalInvocationID.x;
}
