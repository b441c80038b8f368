#version 460
// SPDX-License-Identifier: MIT
// Arrays of buffers whose index is uniform.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer O { uint o[]; };
layout(set = 2, binding = 3) readonly buffer B { uint v[]; } b[3];
layout(push_constant) uniform P { uint first; };
void main()
{
    uint i = gl_GlobalInvocationID.x, sum = 0;
    for (uint k = 0; k < 3; k++) sum = sum * 3 + b[(first + k) % 3].v[i];
    o[i] = sum + b[gl_WorkGroupID.x % 3].v[0];
}
