// SPDX-License-Identifier: MIT
#version 450
// Bug: half of the invocations go round the loop once more, and its barrier with them.
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer Out { uint values[]; };
layout(push_constant) uniform Push { uint count; };
shared uint sum;

void main()
{
    if (gl_LocalInvocationIndex == 0)
        sum = 0;
    barrier();
    const uint rounds = count + (gl_LocalInvocationIndex < 64 ? 1 : 0);
    for (uint i = 0; i < rounds; i++) {
        atomicAdd(sum, i);
        barrier();
    }
    values[gl_GlobalInvocationID.x] = sum;
}
