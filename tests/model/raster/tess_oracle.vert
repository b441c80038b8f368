#version 450
// Nothing: levels and points are all there is.
void main() { gl_Position = vec4(0, 0, 0, 1); }
