#version 460
// SPDX-License-Identifier: MIT
// Arrays of texel buffers, indexed by what all lanes have in common.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) uniform samplerBuffer from[3];
layout(set = 0, binding = 1, rgba32f) uniform imageBuffer to[2];
layout(set = 0, binding = 2, r32ui) uniform uimageBuffer counts[2];
layout(push_constant) uniform P { int first; };
void main()
{
    int i = int(gl_LocalInvocationIndex);
    for (int k = 0; k < 3; k++) {
        vec4 v = texelFetch(from[(first + k) % 3], i);
        imageStore(to[k & 1], k < 2 ? i : i + 16, v * float(k + 1));
        imageAtomicAdd(counts[k & 1], i & 3, uint(v.x * 255.0 + 0.5) + uint(k));
    }
    if (i == 0) {
        imageStore(to[first], 47, vec4(textureSize(from[1]), imageSize(to[0]), imageSize(counts[1]), 1));
    }
}
