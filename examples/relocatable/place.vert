#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec2 at;
layout(location = 1) in vec3 color;
layout(location = 0) out vec3 c;
layout(location = 1) flat out uint first;
void main() {
  gl_Position = vec4(at, 0.5, 1);
  c = color;
  first = gl_VertexIndex + 1;
}
