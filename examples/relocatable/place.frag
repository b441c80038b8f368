#version 450
// SPDX-License-Identifier: MIT
layout(set = 0, binding = 0) uniform Tint { vec4 by; } tint;
layout(location = 0) in vec3 c;
layout(location = 1) flat in uint first;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec2 place;
void main() {
  color = vec4(c, 1) * tint.by;
  place = uvec2(gl_FragCoord.xy) * first;
}
