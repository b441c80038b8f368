#version 460
// SPDX-License-Identifier: MIT
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) writeonly buffer O { uint64_t o[]; };
layout(set = 0, binding = 1) readonly buffer A { uint64_t a[]; };
layout(set = 0, binding = 2) readonly buffer B { uint64_t b[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, at = i * 24;
    uint64_t x = a[i], y = b[i] == 0ul ? 1ul : b[i];
    int64_t sx = int64_t(x), sy = int64_t(y);
    if (sy == -1l) sy = 5l;
    o[at + 0] = x + y;
    o[at + 1] = x - y;
    o[at + 2] = x * y;
    o[at + 3] = x / y;
    o[at + 4] = x % y;
    o[at + 5] = uint64_t(sx / sy);
    o[at + 6] = uint64_t(sx - sx / sy * sy);
    uint s = uint(y & 63ul);
    o[at + 7] = x << s;
    o[at + 8] = x >> s;
    o[at + 9] = uint64_t(sx >> s);
    o[at + 10] = x & y;
    o[at + 11] = x | y;
    o[at + 12] = x ^ ~y;
    o[at + 13] = min(x, y);
    o[at + 14] = max(x, y);
    o[at + 15] = uint64_t(min(sx, sy));
    o[at + 16] = uint64_t(max(sx, sy));
    o[at + 17] = uint64_t(abs(sx));
    o[at + 18] = uint64_t(sx < sy) | uint64_t(x < y) << 1 | uint64_t(sx <= sy) << 2 | uint64_t(x == y) << 3;
    o[at + 19] = x / 10ul;
    o[at + 20] = uint64_t(int64_t(int(uint(x))));
    o[at + 21] = uint64_t(uint(x)) * uint64_t(uint(y));
    o[at + 22] = uint64_t(int64_t(int(uint(x))) * int64_t(int(uint(y))));
    o[at + 23] = x + (y << 3) - 1ul;
}
