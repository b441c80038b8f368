#version 460
// SPDX-License-Identifier: MIT
// Sets and bindings with gaps, and one shader's blocks that lie in parts of the same data.
layout(local_size_x = 11) in;
layout(set = 1, binding = 6) buffer A { uint a[11], ra[11]; };
layout(set = 1, binding = 2) buffer B { uint b[11], rb[11]; };
layout(set = 3, binding = 1) buffer C { uint c[11], rc[11]; };
layout(set = 3, binding = 30) buffer D { uint d[11], rd[11]; };
layout(std140, set = 3, binding = 3) uniform U { uint k[3]; };
void main()
{
    uint i = gl_LocalInvocationIndex;
    ra[i] = b[i] + k[0];
    rb[i] = c[i] * k[1];
    rc[i] = d[i] ^ k[2];
    rd[i] = a[i];
}
