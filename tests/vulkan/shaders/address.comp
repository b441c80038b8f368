#version 460
// SPDX-License-Identifier: MIT
// Buffer device addresses: a list of nodes that point to each other, and a table of addresses.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { uint value; uint next; uvec2 pad; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Numbers { uint v[]; };
layout(push_constant) uniform P { Node nodes; Numbers result; };
layout(set = 0, binding = 0) readonly buffer T { Numbers table[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    Node n = nodes + i;
    uint sum = 0;
    for (uint k = 0; k < 8; k++) {
        sum = sum * 31 + n.value;
        n = nodes + n.next;
    }
    Numbers t = table[i % 3];
    uint64_t far = uint64_t(t) + 4ul * uint64_t(i % 16);
    sum += Numbers(far).v[0];
    result.v[i] = sum;
    atomicAdd(result.v[128 + i % 3], t.v[i % 16]);
}
