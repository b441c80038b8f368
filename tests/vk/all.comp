#version 460
// One binding of each class; what a host must see of them is in test_vk.c.
layout(local_size_x = 4) in;
layout(constant_id = 3) const float FACTOR = 1.0;
layout(constant_id = 4) const bool ON = true;
layout(constant_id = 5) const int SHIFT = 1;
layout(constant_id = 6) const double WIDE = 1.0;
layout(constant_id = 7) const uint MASK = 1;
layout(set = 0, binding = 0, std430) readonly buffer In { float scale; vec3 dir; uint values[]; } from;
layout(set = 0, binding = 1, std430) buffer Out { float x[]; } to;
layout(set = 0, binding = 2, std140) uniform Params { mat3 m; float k[2]; ivec2 n; } params;
layout(set = 0, binding = 3, std430) buffer Ints { ivec4 a; ivec2 b[2]; } ints;
layout(set = 1, binding = 0, rgba8) uniform writeonly image2D pic;
layout(set = 1, binding = 1, r32ui) uniform readonly uimage3D vol;
layout(set = 1, binding = 2) uniform sampler2DArray tex[3];
layout(set = 1, binding = 3) uniform textureCube cube;
layout(set = 1, binding = 4) uniform sampler samp;
layout(set = 1, binding = 5) uniform sampler1D line;
layout(set = 2, binding = 0, rgba32f) uniform readonly imageBuffer texels;
layout(set = 2, binding = 1) uniform usamplerBuffer utexels;
layout(push_constant) uniform Push { vec2 p; uint k; } push;

void main()
{
    vec4 v = texture(tex[1], vec3(0)) + texture(samplerCube(cube, samp), vec3(1)) + texture(line, 0.5) + imageLoad(texels, 2);
    uint u = texelFetch(utexels, 1).x + imageLoad(vol, ivec3(0)).x + from.values[MASK] + push.k;
    to.x[u] = v.x * from.scale * from.dir.y * FACTOR * params.m[1].x + params.k[1] + float(WIDE) + push.p.y;
    ints.b[1] = ints.a.xy + params.n;
    imageStore(pic, ivec2(SHIFT), ON ? v : v.yxzw);
}
