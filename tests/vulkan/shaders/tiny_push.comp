#version 460
// SPDX-License-Identifier: MIT
// Push constants of 8, 16 and 64 bits, close to each other.
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 8) in;
layout(push_constant, scalar) uniform P { int8_t a; uint16_t b; int8_t c[3]; float16_t h; int64_t q; u8vec3 v; };
layout(set = 0, binding = 0) writeonly buffer O { int o[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    int x = 0;
    for (uint k = 0u; k < 3u; k++) {
        x = i == 5u + k ? int(c[k]) + int(v[k]) : x;
    }
    switch (i) {
    case 0u: x = int(a); break;
    case 1u: x = int(b); break;
    case 2u: x = int(h); break;
    case 3u: x = int(q); break;
    case 4u: x = int(q >> 32); break;
    }
    o[i] = x;
}
