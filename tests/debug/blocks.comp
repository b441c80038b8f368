#version 450
// SPDX-License-Identifier: MIT
layout(local_size_x = 32) in;
layout(binding = 0) buffer B { uint v[]; };
layout(binding = 1) uniform Block { uvec4 a; uint b; };
layout(push_constant) uniform P { uint round; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint more = a[i & 3] + b * round;
    v[i] = v[i] * 3 + more;
}
