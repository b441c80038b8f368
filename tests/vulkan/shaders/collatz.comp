#version 460
// SPDX-License-Identifier: MIT
// Lanes that loop and branch each its own way.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) writeonly buffer O { uint o[]; };
uint steps(uint n)
{
    uint k = 0;
    while (n != 1) {
        if ((n & 1) == 0) n >>= 1;
        else if (n % 3 == 0) { n = n * 3 + 1; k += 1000; }
        else { n = n * 3 + 1; }
        if (++k > 100000) return 0;
    }
    return k;
}
void main()
{
    uint i = gl_GlobalInvocationID.x, r = steps(i + 1);
    switch (i % 7) {
    case 0: r += 7;
    case 1: r ^= 0x55; break;
    case 2: { if (r > 100) { r -= 100; break; } r *= 5; break; }
    case 4: for (uint k = 0; k < i % 13; k++) { if (k == 5) continue; r += k * k; if (r > 5000) break; } break;
    default: r = r << 1 | r >> 31;
    }
    if (i % 5 == 0) { if (i % 2 == 0) { if (i % 3 == 0) { r += 30; } else { r += 10; } } else { r += 15; } }
    o[i] = r;
}
