#version 460
// SPDX-License-Identifier: MIT
// Whole structs between memory of different layouts, one of them in a function's variable.
layout(local_size_x = 6) in;
struct In { vec3 v; uint k[2]; };
struct T { float f; In in_[2]; mat2x3 m; };
layout(std140, set = 0, binding = 0) uniform U { T u[3]; };
layout(std430, set = 0, binding = 1) buffer B { T b[6]; };
shared T s[3];
T turned(T t)
{
    In first = t.in_[0];
    t.in_[0] = t.in_[1];
    t.in_[1] = first;
    t.m[0] = t.m[1].zxy;
    return t;
}
void main()
{
    uint i = gl_LocalInvocationIndex;
    T mine = u[i % 3u];
    if (i < 3u) {
        s[i] = mine;
    }
    barrier();
    b[i] = i < 3u ? turned(s[2u - i]) : u[i - 3u];
    b[i].in_[i & 1u].k[1] += i;
}
