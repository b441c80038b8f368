#version 450
#extension GL_EXT_buffer_reference : require
// SPDX-License-Identifier: MIT
// Lane n stores n * step words behind the buffer's start.
layout(local_size_x = 64) in;
layout(buffer_reference, std430) buffer Words { uint v[]; };
layout(push_constant) uniform Push { Words to; uint step; } push;

void main()
{
    push.to.v[gl_GlobalInvocationID.x * push.step] = gl_GlobalInvocationID.x;
}
