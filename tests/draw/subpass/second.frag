#version 460
// SPDX-License-Identifier: MIT
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput color;
layout(input_attachment_index = 1, set = 0, binding = 1) uniform usubpassInput number;
layout(input_attachment_index = 2, set = 0, binding = 2) uniform subpassInput depth;
layout(location = 0) out uvec4 seen;
void main()
{
    uvec2 at = uvec2(gl_FragCoord.xy);
    seen = uvec4(packUnorm4x8(subpassLoad(color)), subpassLoad(number).x, floatBitsToUint(subpassLoad(depth).x), at.x | at.y << 16);
}
