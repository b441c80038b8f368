// SPDX-License-Identifier: MIT
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) writeonly buffer B { uint b[]; };
layout(push_constant) uniform P { uint add; };

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    b[i] = a[i] * a[i] + add;
}
