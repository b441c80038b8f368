#version 450
// SPDX-License-Identifier: MIT
// Each texel of an image from its place.
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 1, binding = 3, rgba8) uniform writeonly image2D picture;

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    imageStore(picture, at, vec4(at.x * 8, at.y * 4, at.x + at.y, 255) / 255.0);
}
