#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) buffer O { uint count[]; };
layout(push_constant) uniform P { uint width, height, rounds; };
#ifndef W
#define W 128.0
#define H 64.0
#endif
void main()
{
    uvec2 p = gl_GlobalInvocationID.xy;
    if (p.x >= width || p.y >= height) return;
    precise vec2 c = vec2(float(p.x) * 3.0 / W - 2.0, float(p.y) * 2.0 / H - 1.0);
    precise vec2 z = vec2(0);
    uint n = 0;
    while (n < rounds) {
        precise float xx = z.x * z.x, yy = z.y * z.y, xy = z.x * z.y;
        if (xx + yy > 4.0) break;
        z = vec2(xx - yy + c.x, xy + xy + c.y);
        n++;
    }
    count[p.y * width + p.x] = n;
}
