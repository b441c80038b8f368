#version 460
// SPDX-License-Identifier: MIT
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) writeonly buffer O { double o[]; };
layout(set = 0, binding = 1) readonly buffer A { double a[]; };
layout(set = 0, binding = 2) readonly buffer B { double b[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, n = gl_NumWorkGroups.x * 64;
    precise double x = a[i], y = b[i];
    precise double sum = x + y, difference = x - y, product = x * y;
    o[0 * n + i] = sum;
    o[1 * n + i] = difference;
    o[2 * n + i] = product;
    o[3 * n + i] = x / y;
    o[4 * n + i] = sqrt(abs(x));
    o[5 * n + i] = min(x, y);
    o[6 * n + i] = max(x, y);
    o[7 * n + i] = floor(x);
    o[8 * n + i] = ceil(y);
    o[9 * n + i] = trunc(x);
    o[10 * n + i] = double(float(x) * float(min(n, 1u))); // times 1: Mesa 25 drops conversions there and back
    o[11 * n + i] = double(int(clamp(x, -2e9lf, 2e9lf))) + double(uint(abs(y))); // beyond the range: undefined
    o[12 * n + i] = roundEven(x);
    o[13 * n + i] = x < y ? x : -y;
    o[14 * n + i] = fract(x);
    o[15 * n + i] = abs(x) + sign(y);
}
