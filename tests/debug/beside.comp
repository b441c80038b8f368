#version 460
// SPDX-License-Identifier: MIT
// What beside.py asks for where waves stand in RADV's code.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer B { uint b[]; };
layout(push_constant) uniform P { uint rounds; };
struct Pair { uint low; int high; };
uint mixed(uint x, uint y)
{
    uint m = x * 33u + y;
    return m ^ (m >> 5);
}
void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint n = b[i];
    uint sum = 7u;
    vec2 at = vec2(float(n), 0.25);
    Pair p = Pair(n & 255u, -int(i));
    for (uint k = 0u; k < rounds; k++) {
        sum = mixed(sum, n ^ k);
        at.x += at.y;
        p.high -= 3;
        if ((n & 1u) != 0u) {
            sum += 0x1234567u;
        }
    }
    b[i] = sum + uint(at.x) + p.low + uint(p.high);
}
