#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x = 32, local_size_y = 8) in;
layout(set = 0, binding = 0) writeonly buffer O { vec2 o[]; };
layout(set = 0, binding = 1) readonly buffer I { vec2 i[]; };
layout(push_constant) uniform P { uint width, height; };
shared vec2 t[32][33];
void main()
{
    uvec2 l = gl_LocalInvocationID.xy, g = gl_WorkGroupID.xy * 32;
    for (uint r = 0; r < 32; r += 8) t[l.y + r][l.x] = i[(g.y + l.y + r) * width + g.x + l.x];
    barrier();
    for (uint r = 0; r < 32; r += 8) o[(g.x + l.y + r) * height + g.y + l.x] = t[l.x][l.y + r];
}
