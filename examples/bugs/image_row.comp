// SPDX-License-Identifier: MIT
#version 450
// Bug: the rows of the workgroups are one texel too narrow, so that the last of one is the first of
// the next.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, r32ui) uniform writeonly uimage2D image;
layout(push_constant) uniform Push { int stride; };

void main()
{
    int at = int(gl_WorkGroupID.x) * stride + int(gl_LocalInvocationID.x);
    imageStore(image, ivec2(at % 64, at / 64), uvec4(gl_GlobalInvocationID.x));
}
