#version 460
// SPDX-License-Identifier: MIT
#extension GL_ARB_shader_clock : require
#extension GL_EXT_shader_realtime_clock : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer O { uint o[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, x = i;
    uint64_t a = clockARB(), b = clockRealtimeEXT();
    for (uint k = 0; k < 100; k++) x = x * 1664525u + 1013904223u;
    o[64 + i] = x;
    memoryBarrier();
    o[i] = uint(clockARB() > a) | uint(clockRealtimeEXT() >= b) << 1;
}
