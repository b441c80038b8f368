#version 450
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x_id = 3, local_size_y = 4) in;
layout(constant_id = 7) const uint count = 9;
layout(constant_id = 1) const bool on = true;
layout(constant_id = 2) const float scale = 1.5;
layout(constant_id = 4) const int64_t big = -5L;
layout(constant_id = 5) const int negative = -2;
struct Item { vec3 at; uint16_t small; };
layout(set = 1, binding = 2, std430) buffer Block { uint n; float data[]; } arrayed[3];
layout(set = 1, binding = 3, std140) uniform Uniforms { mat3 m; layout(row_major) mat2x4 rows; Item items[2]; };
layout(set = 0, binding = 4, std430) readonly buffer Input { uint values[]; } input_block;
layout(set = 0, binding = 0, rgba8) uniform writeonly image2DArray img;
layout(set = 0, binding = 1) uniform sampler2D tex;
layout(set = 0, binding = 5) uniform texture3D volume;
layout(set = 0, binding = 6) uniform sampler smp;
layout(set = 0, binding = 7, r32ui) uniform uimageBuffer texels;
layout(set = 0, binding = 8) uniform samplerBuffer fetched;
layout(set = 2, binding = 0, r32f) uniform image2D many[];
layout(set = 2, binding = 1) uniform samplerCube cubes[5];
layout(push_constant) uniform Push { float x; uvec4 v[2]; mat3 m; double d; } push;
void main()
{
    uint i = gl_GlobalInvocationID.x;
    float sum = push.x + float(count) * scale + float(big) + float(negative) + float(push.d);
    sum += texture(tex, vec2(0)).x + texture(sampler3D(volume, smp), vec3(0)).x + texelFetch(fetched, 0).x;
    sum += texture(cubes[1], vec3(1)).x + m[0][0] + rows[0][0] + items[1].at.x;
    imageStore(texels, 0, uvec4(input_block.values[i]));
    imageStore(img, ivec3(0), vec4(push.v[1]) + vec4(push.m[0], on));
    imageStore(many[nonuniformEXT(i)], ivec2(0), vec4(sum));
    arrayed[1].data[i] = sum;
}
