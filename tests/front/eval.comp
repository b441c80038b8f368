#version 460
// SPDX-License-Identifier: MIT
// What test_eval.c asks for, line by line.
layout(local_size_x = 48) in;
layout(set = 0, binding = 0) buffer B { uint b[]; };
layout(push_constant) uniform P { uint add; };
shared uint total;
uint collatz(uint n)
{
    uint steps = 0u;
    while (n != 1u) {
        n = (n & 1u) == 0u ? n / 2u : 3u * n + 1u;
        steps++;
    }
    return steps;
}
void main()
{
    uint i = gl_LocalInvocationIndex;
    vec2 v = vec2(float(i), 0.5);
    int k = int(i) - 20;
    if (i % 3u == 0u) {
        k = -k;
        v.x += 2.25;
    }
    uint s = collatz(i + 1u);
    if (i == 0u) {
        total = 0u;
    }
    barrier();
    atomicAdd(total, s);
    barrier();
    b[i] = s + uint(k) + add + total;
}
