#version 460
// SPDX-License-Identifier: MIT
// v[i] = v[i] * mul + add + workgroup; counts invocations behind the numbers.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer V { uint v[]; };
layout(set = 0, binding = 1) buffer C { uint count; };
layout(push_constant) uniform P { uint mul, add; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    v[i] = v[i] * mul + add + gl_WorkGroupID.x;
    atomicAdd(count, 1);
}
