#version 460
#extension GL_EXT_debug_printf : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer B { uint v[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  v[i] = v[i] * 3 + 1;
  if (i % 16 == 0) debugPrintfEXT("%u is now %u", i, v[i]);
}
