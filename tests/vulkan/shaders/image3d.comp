#version 460
// SPDX-License-Identifier: MIT
// A volume of integers, sampled by whole and by normalized places, mirrored into another.
layout(local_size_x = 4, local_size_y = 2, local_size_z = 3) in;
layout(set = 0, binding = 0) uniform itexture3D from;
layout(set = 0, binding = 1) uniform sampler how;
layout(set = 0, binding = 2, rgba32i) uniform writeonly iimage3D to;
layout(set = 0, binding = 3, r32ui) uniform uimage3D sums;
void main()
{
    ivec3 at = ivec3(gl_LocalInvocationID), size = textureSize(isampler3D(from, how), 0);
    ivec4 near = textureLod(isampler3D(from, how), (vec3(at) + 0.5) / vec3(size), 0.0);
    ivec4 whole = texelFetch(isampler3D(from, how), size - 1 - at, 0);
    imageStore(to, at, ivec4(near.xy + whole.zw, near.z ^ whole.x, imageSize(sums).z));
    imageAtomicXor(sums, at.zyx % imageSize(sums), uint(near.w));
}
