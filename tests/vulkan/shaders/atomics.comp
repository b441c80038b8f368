#version 460
// SPDX-License-Identifier: MIT
// Atomics of all kinds in buffers and shared memory: what they return is summed, so order is no matter.
#ifdef WIDE
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#define T uint64_t
#define S int64_t
#else
#define T uint
#define S int
#endif
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer G { T g[16]; };
layout(set = 0, binding = 1) buffer H { S h[4]; };
layout(set = 0, binding = 2) readonly buffer I { T v[]; };
layout(set = 0, binding = 3) writeonly buffer L { T l[]; };
shared T s[8];
shared S t[2];
void main()
{
    uint i = gl_GlobalInvocationID.x;
    T x = v[i];
    if (gl_LocalInvocationIndex < 8) s[gl_LocalInvocationIndex] = gl_LocalInvocationIndex == 2 ? ~T(0) : T(0);
    if (gl_LocalInvocationIndex < 2) t[gl_LocalInvocationIndex] = S(0);
    barrier();
    atomicAdd(g[0], x);
    atomicMin(g[1], x);
    atomicMax(g[2], x);
    atomicAnd(g[3], x | T(0xf0f0));
    atomicOr(g[4], x & T(0x0f0f));
    atomicXor(g[5], x);
    T n = atomicAdd(g[6], T(1));
    atomicAdd(g[7], n); // 0 + 1 + 2 ...
    atomicMin(h[0], S(x));
    atomicMax(h[1], S(x));
    T old = g[8], want;
    do { // a product by compare and swap
        want = old;
        old = atomicCompSwap(g[8], want, want * (x | T(1)));
    } while (old != want);
    T was = atomicExchange(g[9], x);
    atomicAdd(g[10], was); // all but the last, and what was there
    atomicAdd(s[0], x);
    atomicMax(s[1], x);
    atomicMin(s[2], x);
    atomicOr(s[3], x);
    atomicXor(s[4], x);
    T k = atomicAdd(s[5], T(3));
    atomicAdd(s[6], k);
    atomicMin(t[0], S(x));
    atomicMax(t[1], S(x));
    old = s[7];
    do {
        want = old;
        old = atomicCompSwap(s[7], want, want + x * T(3));
    } while (old != want);
    barrier();
    if (gl_LocalInvocationIndex < 8) l[gl_WorkGroupID.x * 10 + gl_LocalInvocationIndex] = s[gl_LocalInvocationIndex];
    if (gl_LocalInvocationIndex < 2) l[gl_WorkGroupID.x * 10 + 8 + gl_LocalInvocationIndex] = T(t[gl_LocalInvocationIndex]);
}
