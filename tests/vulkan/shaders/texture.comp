#version 460
// SPDX-License-Identifier: MIT
// Up to six samples of one texture by expressions from the command line. Coordinates are multiples
// of 1/16 texel of a texture of 16, levels of 1/16, so that fixed point is exact.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) uniform TEXTURE t;
layout(set = 0, binding = 1) writeonly buffer O { VALUE o[]; };
#ifndef B
#define B VALUE(0)
#endif
#ifndef C
#define C VALUE(0)
#endif
#ifndef D
#define D VALUE(0)
#endif
#ifndef E
#define E VALUE(0)
#endif
uint r(uint s)
{
    uint x = (gl_GlobalInvocationID.x + 1u) * 2654435761u + s * 40503u;
    x = (x ^ x >> 15) * 2246822519u;
    return x ^ x >> 13;
}
// From -1 to 3.
vec3 at(uint s) { return vec3(uvec3(r(s), r(s + 1), r(s + 2)) % 1024u) / 256.0 - 1.0; }
// A level from -1 to 6.9375, never half way between two.
float lod(uint s) { return float(r(s) % 128u) / 16.0 - 1.0 + 1.0 / 32.0; }
vec3 dir(uint s) { vec3 d = at(s) - 1.0; return d.x == d.y ? d + vec3(0.1, 0, 0) : d; }
void main()
{
    uint n = 64 * gl_NumWorkGroups.x, i = gl_GlobalInvocationID.x;
    vec3 p = at(1), q = at(5);
    float l = lod(9);
    o[0 * n + i] = VALUE(A);
    o[1 * n + i] = VALUE(B);
    o[2 * n + i] = VALUE(C);
    o[3 * n + i] = VALUE(D);
    o[4 * n + i] = VALUE(E);
}
