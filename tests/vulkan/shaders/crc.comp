#version 460
// SPDX-License-Identifier: MIT
// CRC-32 of 64 bytes for each invocation, by a table in shared memory and functions with inout.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) writeonly buffer O { uint o[]; };
layout(set = 0, binding = 1) readonly buffer I { uint v[]; };
shared uint table[256];
uint entry(uint n)
{
    for (int k = 0; k < 8; k++) n = (n & 1) != 0 ? 0xedb88320u ^ n >> 1 : n >> 1;
    return n;
}
void feed(inout uint crc, uint byte, out uint last) { last = byte; crc = table[(crc ^ byte) & 255] ^ crc >> 8; }
void main()
{
    for (uint k = gl_LocalInvocationIndex; k < 256; k += 64) table[k] = entry(k);
    barrier();
    uint crc = ~0u, last;
    for (uint k = 0; k < 16; k++) {
        uint w = v[gl_GlobalInvocationID.x * 16 + k];
        for (int b = 0; b < 32; b += 8) feed(crc, w >> b & 255, last);
    }
    o[gl_GlobalInvocationID.x] = ~crc;
}
