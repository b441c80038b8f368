#version 460
// SPDX-License-Identifier: MIT
// Sampled images: fetch, nearest and linear, levels, gather; with the sampler and apart from it.
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform sampler2D t;
layout(set = 0, binding = 1) uniform texture2D m;
layout(set = 0, binding = 2) uniform sampler s;
layout(set = 0, binding = 3) uniform usampler2D u;
layout(set = 0, binding = 4) writeonly buffer O { vec4 o[]; };
void main()
{
    uvec2 g = gl_GlobalInvocationID.xy;
    uint n = 64 * gl_NumWorkGroups.x * gl_NumWorkGroups.y, i = g.y * 8 * gl_NumWorkGroups.x + g.x;
    vec2 uv = (vec2(g) + 0.25) / 16.0 - 0.3;
    o[0 * n + i] = texelFetch(t, ivec2(g), 0);
    o[1 * n + i] = textureLod(t, uv, 0.0);
    o[2 * n + i] = textureLod(sampler2D(m, s), uv, float(i % 5) * 0.5);
    o[3 * n + i] = vec4(textureLod(u, uv, 0.0));
    o[4 * n + i] = vec4(textureSize(t, 0), textureSize(sampler2D(m, s), 1));
    o[5 * n + i] = texelFetch(sampler2D(m, s), ivec2(g) / 2, 1);
}
