#version 460
#extension GL_EXT_debug_printf : require
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint K = 0;
layout(push_constant) uniform Push { uint round; } push;

void main() {
  debugPrintfEXT("k %u round %u group %u", K, push.round, gl_WorkGroupID.x);
  uint x = push.round | 1;
  for (uint i = 0; i < 1000000 && x != 0; i++) x = x * 1664525 + 1013904224; // An odd x stays odd.
  if (x == 0) debugPrintfEXT("never");
}
