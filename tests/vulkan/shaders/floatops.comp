#version 460
// SPDX-License-Identifier: MIT
// Float functions whose results are exact.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) writeonly buffer O { uint o[]; };
layout(set = 0, binding = 1) readonly buffer A { float a[]; };
layout(set = 0, binding = 2) readonly buffer B { float b[]; };
void put(uint k, float v) { o[k * gl_NumWorkGroups.x * 64 + gl_GlobalInvocationID.x] = floatBitsToUint(v); }
void main()
{
    uint i = gl_GlobalInvocationID.x;
    precise float x = a[i], y = b[i];
    precise float sum = x + y, difference = x - y, product = x * y;
    put(0, sum);
    put(1, difference);
    put(2, product);
    put(3, floor(x));
    put(4, ceil(x));
    put(5, trunc(x));
    put(6, roundEven(x));
    put(7, abs(x));
    put(8, -y);
    put(9, min(x, y));
    put(10, max(x, y));
    put(11, clamp(x, -1.5, 2.5));
    put(12, sign(x));
    put(13, step(x, y));
    put(14, float(int(clamp(x, -1e9, 1e9)) + 1)); // beyond the range: undefined; -0 or 0: as the compiler likes
    put(15, float(uint(min(abs(x), 3e9))));
    put(16, x < y ? 1.0 : x > y ? 2.0 : x == y ? 3.0 : 4.0);
    put(17, isnan(x) ? 1.0 : isinf(x) ? 2.0 : 3.0);
    int e;
    float m = frexp(x, e);
    put(18, m);
    put(19, float(e));
    put(20, ldexp(y, 3));
    float whole;
    precise float part = modf(x, whole);
    put(21, part);
    put(22, whole);
    put(23, uintBitsToFloat(floatBitsToUint(x) ^ 0x80000000u));
}
