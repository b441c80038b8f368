# SPDX-License-Identifier: MIT
"""Shaders that hang and fault, for tests of lull run."""
HANG = """#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer O { uint o[]; };
void main() { while (atomicAdd(o[0], 0) == 0) {} }
"""
FAULT = """#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference) buffer N { uint v[]; };
layout(push_constant) uniform P { N n; };
void main() { n.v[gl_GlobalInvocationID.x + 100000000u] = 5; }
"""
