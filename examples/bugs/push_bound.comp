// SPDX-License-Identifier: MIT
#version 450
// Bug: the host gives the count in bytes, the shader takes it for elements.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Out { uint values[]; };
layout(push_constant) uniform Push { uint count; };

void main()
{
    for (uint i = gl_GlobalInvocationID.x; i < count; i += 64)
        atomicAdd(values[i], 1);
}
