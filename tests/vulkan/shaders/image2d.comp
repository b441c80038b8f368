#version 460
// SPDX-License-Identifier: MIT
// Storage images: 2D of three formats, 3D, an array; loads, stores, atomics, sizes.
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, rgba8) uniform image2D a;
layout(set = 0, binding = 1, r32ui) uniform uimage2D c;
layout(set = 0, binding = 2, rgba16f) uniform writeonly image3D v;
layout(set = 0, binding = 3, rg32f) uniform image2DArray r;
layout(set = 0, binding = 4) buffer S { ivec4 size[]; };
void main()
{
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    vec4 x = imageLoad(a, p);
    imageStore(a, p, x.bgra);
    imageAtomicAdd(c, p / 2, uint(p.x + p.y * 100));
    imageAtomicXor(c, ivec2(20, 20) + p % 3, 1u << p.x % 32);
    for (int z = 0; z < 5; z++) imageStore(v, ivec3(p, z), vec4(p, z, 0.5));
    imageStore(r, ivec3(p, 2), imageLoad(r, ivec3(p, 0)) + imageLoad(r, ivec3(p.yx, 1)));
    if (p == ivec2(0)) {
        size[0] = ivec4(imageSize(a), imageSize(c));
        size[1] = ivec4(imageSize(v), 0);
        size[2] = ivec4(imageSize(r), 0);
    }
}
