#version 450
// SPDX-License-Identifier: MIT
layout(location = 0) in vec3 c;
layout(location = 0) out vec4 o;
void main() { o = vec4(c, 1); }
