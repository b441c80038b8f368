#version 460
// SPDX-License-Identifier: MIT
// A constant table that is too large for registers: it lies behind the code and is read by a descriptor that is
// made of the PC.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) writeonly buffer O { uint o[]; };
#define ROW(x) x * 2654435761u, x * 40503u + 7u, x ^ 0x5bd1e995u, ~x * 3u
#define ROWS(x) ROW(x), ROW(x + 1u), ROW(x + 2u), ROW(x + 3u), ROW(x + 4u), ROW(x + 5u), ROW(x + 6u), ROW(x + 7u)
const uint table[256] = uint[](ROWS(0u), ROWS(8u), ROWS(16u), ROWS(24u), ROWS(32u), ROWS(40u), ROWS(48u), ROWS(56u));
shared uint s[256];
void main()
{
    uint l = gl_LocalInvocationIndex;
    for (uint i = l; i < 256u; i += 64u) s[i] = table[i];
    barrier();
    for (uint i = l; i < 256u; i += 64u) o[gl_WorkGroupID.x * 256u + i] = s[255u - i] + table[(i * 7u + l) & 255u];
}
