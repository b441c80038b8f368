// SPDX-License-Identifier: MIT
#version 450
// A picture of w by h, one invocation for each of its pixels: right, if the host pushes w and h in
// this order, and dispatches as many workgroups as cover it.
layout(local_size_x = 8, local_size_y = 8) in;
layout(push_constant) uniform Size
{
    uint w, h;
};
layout(set = 0, binding = 0) buffer Out
{
    uint pixels[];
};

void main()
{
    uvec2 p = gl_GlobalInvocationID.xy;
    if (p.x < w && p.y < h)
        pixels[p.y * w + p.x] = p.x ^ p.y;
}
