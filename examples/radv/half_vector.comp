// SPDX-License-Identifier: MIT
// Mesa 22.3.6 (ACO) lets the second number of the vector leak into the third: a vector of four 16-bit numbers in scalar registers, of which the last
// two are constants. Mesa 23.1.5: "aco: Fix some constant patterns in 16-bit vec4 construction with s_pack."
#version 460
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(push_constant) uniform P { uint pair; };
layout(binding = 0) buffer B { f16vec4 b[]; };

void main()
{
    float16_t high = unpackFloat2x16(pair).y;
    b[gl_GlobalInvocationID.x] = f16vec4(1.0hf, high, 2.0hf, 4.0hf);
}
