#version 450
// Both workgroups store to texel `at` of one of several images; images.c is the host.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, r32ui) uniform writeonly uimage2D flat_image;
layout(set = 0, binding = 1, r32ui) uniform writeonly uimage2DArray layered;
layout(set = 0, binding = 2, r32ui) uniform writeonly uimage2D small;
layout(set = 0, binding = 3, r32ui) uniform writeonly uimage3D volume;
layout(set = 0, binding = 4, r32ui) uniform writeonly uimageBuffer row;
layout(set = 1, binding = 0, r32ui) uniform writeonly uimage2D several[3];
layout(set = 1, binding = 1) uniform usampler2D large;
layout(set = 1, binding = 2, r32ui) uniform writeonly uimage1DArray lines;
layout(push_constant) uniform Push { uint which; int x, y, z; };
void main()
{
    uint v = gl_WorkGroupID.x + 1u;
    switch (which) {
    case 0u:
        imageStore(flat_image, ivec2(x, y), uvec4(v));
        break;
    case 1u:
        imageStore(layered, ivec3(x, y, z), uvec4(v));
        break;
    case 2u:
        imageStore(small, ivec2(x, y), uvec4(v + texelFetch(large, ivec2(x, y), 0).x));
        break;
    case 3u:
        imageStore(volume, ivec3(x, y, z), uvec4(v));
        break;
    case 4u:
        imageStore(row, x, uvec4(v));
        break;
    case 5u:
        imageStore(several[2], ivec2(x, y), uvec4(v));
        break;
    case 6u:
        imageStore(lines, ivec2(x, z), uvec4(v));
        break;
    default:
        imageStore(flat_image, ivec2(gl_WorkGroupID.x, 0), uvec4(v));
    }
}
