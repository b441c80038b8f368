#version 460
// SPDX-License-Identifier: MIT
layout(location = 0) out vec4 color;
layout(location = 1) out uint number;
void main()
{
    uvec2 at = uvec2(gl_FragCoord.xy);
    color = vec4(at.x & 255, at.y & 255, at.x >> 8, 255 - (at.y & 255)) / 255;
    number = at.x * 65537 + at.y * 4099;
    gl_FragDepth = float(at.x + 512 * at.y) / 262144;
}
