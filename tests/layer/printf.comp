#version 460
#extension GL_EXT_debug_printf : require
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint K = 0;
layout(push_constant) uniform Push { uint round; } push;

void main() {
  debugPrintfEXT("k %u round %u group %u", K, push.round, gl_WorkGroupID.x);
}
