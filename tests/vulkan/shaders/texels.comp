#version 460
// SPDX-License-Identifier: MIT
// Texel buffers of several formats, read, written, and with atomics.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) uniform samplerBuffer f;
layout(set = 0, binding = 1) uniform usamplerBuffer u;
layout(set = 0, binding = 2) uniform isamplerBuffer s;
layout(set = 0, binding = 3, rgba8) uniform writeonly imageBuffer w;
layout(set = 0, binding = 4, r32ui) uniform uimageBuffer c;
layout(set = 0, binding = 5, rgba32f) uniform imageBuffer r;
layout(set = 0, binding = 6) writeonly buffer O { vec4 o[]; };
void main()
{
    int i = int(gl_GlobalInvocationID.x);
    vec4 x = texelFetch(f, i);
    uvec4 y = texelFetch(u, textureSize(u) - 1 - i);
    ivec4 z = texelFetch(s, i);
    o[i] = x + vec4(y) + vec4(z);
    imageStore(w, i, x);
    imageStore(r, i, imageLoad(r, i) * 2.0 + vec4(imageSize(r)));
    imageAtomicAdd(c, i & 15, y.x);
    imageAtomicMax(c, 16 + (i & 3), uint(z.y));
}
