#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32) in;
struct P { vec3 a; float b; vec3 c; uint d[3]; vec2 e; };
layout(scalar, set = 0, binding = 0) writeonly buffer O { vec3 o[]; };
layout(scalar, set = 0, binding = 1) readonly buffer I { P p[]; };
layout(scalar, set = 0, binding = 2) uniform U { vec3 k; float w; vec3 t[2]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    P x = p[i];
    o[2 * i] = x.a + x.c * 2.0 + k;
    o[2 * i + 1] = vec3(x.b * w, float(x.d[i % 3] & 1023), x.e.y) - t[i & 1];
}
