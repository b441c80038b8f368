// SPDX-License-Identifier: MIT
// A row of an image for each group: written, and read from the other end.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D image;
layout(set = 0, binding = 1) buffer Out { uint o[]; };
layout(push_constant) uniform Push { uint add; };

void main()
{
    const ivec2 at = ivec2(gl_LocalInvocationID.x, gl_WorkGroupID.x);
    imageStore(image, at, uvec4(at.x * at.x + 1000 * at.y));
    memoryBarrierImage();
    barrier();
    imageAtomicAdd(image, at, add);
    memoryBarrierImage();
    barrier();
    const ivec2 size = imageSize(image);
    o[gl_GlobalInvocationID.x] = imageLoad(image, ivec2(size.x - 1 - at.x, at.y)).x + uint(size.y);
}
