// SPDX-License-Identifier: MIT
#version 450
// Bug: a vector of length 0 has no direction.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Vectors { vec4 v[]; };

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    v[i].xyz = normalize(v[i].xyz);
}
