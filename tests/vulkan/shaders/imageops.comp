#version 460
// SPDX-License-Identifier: MIT
// Storage images of any kind: size, loads inside and outside, stores, or atomics of integers.
// XYZ: the components that the image has.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, FORMAT) uniform IMAGE t;
layout(set = 0, binding = 1) buffer O { VALUE o[]; };
layout(set = 0, binding = 2, FORMAT) uniform readonly IMAGE source;
uint r(uint s)
{
    uint x = (gl_GlobalInvocationID.x + 1u) * 2654435761u + s * 40503u;
    x = (x ^ x >> 15) * 2246822519u;
    return x ^ x >> 13;
}
void main()
{
    uint n = 64 * gl_NumWorkGroups.x, i = gl_GlobalInvocationID.x;
    ivec3 any = ivec3(uvec3(r(1), r(2), r(3)) % 18u) - 1;
    o[i] = imageLoad(source, any.XYZ);
    o[n + i] = VALUE(SIZE);
#ifdef ATOMIC
    // Commutative, each on texels of its own.
    imageAtomicAdd(t, ivec3(i % 4u, 0, 0).XYZ, ATOMIC(r(4)));
    imageAtomicMin(t, ivec3(4 + i % 2u, 0, 0).XYZ, ATOMIC(r(5)));
    imageAtomicMax(t, ivec3(6 + i % 2u, 0, 0).XYZ, ATOMIC(r(6)));
    imageAtomicAnd(t, ivec3(8, 0, 0).XYZ, ATOMIC(r(7) | r(8)));
    imageAtomicOr(t, ivec3(9, 0, 0).XYZ, ATOMIC(r(9) & r(8)));
    imageAtomicXor(t, ivec3(10, 0, 0).XYZ, ATOMIC(r(10)));
    imageAtomicAdd(t, ivec3(99, 0, 0).XYZ, ATOMIC(1));
    if (i < 4) {
        o[2 * n + i] = VALUE(imageAtomicExchange(t, ivec3(12 + i, 0, 0).XYZ, ATOMIC(i)));
        o[3 * n + i] = VALUE(imageAtomicCompSwap(t, ivec3(12 + i, 0, 0).XYZ, ATOMIC(i & 2u), ATOMIC(77)));
    }
#else
    // Each texel once, and some outside.
    if (i < STORES) {
        imageStore(t, ivec3(i % 17u, i / 17u, i % 5u).XYZ,
                   VALUE(vec4(r(11) % 256u, r(12) % 256u, r(13) % 256u, r(14) % 256u) * SCALE));
    }
#endif
}
