#version 460
// SPDX-License-Identifier: MIT
// Division, remainder, carries, wide products, bits: unsigned and signed.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) writeonly buffer O { uint o[]; };
layout(set = 0, binding = 1) readonly buffer A { uint a[]; };
layout(set = 0, binding = 2) readonly buffer B { uint b[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, at = i * 32;
    uint x = a[i], y = b[i] == 0 ? 1 : b[i], c, d;
    int sx = int(x), sy = int(y);
    if (sx == (-2147483647 - 1) && sy == -1) sy = 3;
    o[at + 0] = x / y;
    o[at + 1] = x % y;
    o[at + 2] = uint(sx / sy);
    o[at + 3] = uint(sx - sx / sy * sy);
    o[at + 4] = x / 7u;
    o[at + 5] = uint(sx / -10);
    o[at + 6] = x % 1000003u;
    o[at + 7] = uaddCarry(x, y, c);
    o[at + 8] = c;
    o[at + 9] = usubBorrow(x, y, c);
    o[at + 10] = c;
    umulExtended(x, y, c, d);
    o[at + 11] = c;
    o[at + 12] = d;
    int e, f;
    imulExtended(sx, sy, e, f);
    o[at + 13] = uint(e);
    o[at + 14] = uint(f);
    o[at + 15] = uint(bitCount(x));
    o[at + 16] = uint(findLSB(x));
    o[at + 17] = uint(findMSB(x));
    o[at + 18] = uint(findMSB(sx));
    o[at + 19] = bitfieldReverse(x);
    int off = int(y & 15), bits = int(y >> 4 & 15);
    o[at + 20] = bitfieldExtract(x, off, bits);
    o[at + 21] = uint(bitfieldExtract(sx, off, bits));
    o[at + 22] = bitfieldInsert(x, y, off, bits);
    o[at + 23] = x << (y & 31) | x >> (32 - (y & 31) & 31);
    o[at + 24] = uint(sx >> int(y & 31));
    o[at + 25] = uint(clamp(sx, -1000, 1000));
    o[at + 26] = max(min(x, y), 77u);
    o[at + 27] = uint(abs(sx)) ^ uint(sign(sx));
    o[at + 28] = ~(x & y) | (x ^ y);
    o[at + 29] = (x & 0xff) * (y & 0xff) + (x >> 8 & 0xff) * (y >> 8 & 0xff);
    o[at + 30] = (x & 0xffffff) * (y & 0xffffff);
    o[at + 31] = uint(sx < sy) | uint(x < y) << 1 | uint(sx >= sy) << 2 | uint(x == y) << 3;
}
