// SPDX-License-Identifier: MIT
// Elements of vectors in another order. Source: OpenCL C 2.0, 6.13.12.
#include "common.clh"

// Of a mask only as many bits count as say which element of M.
#define SHUFFLE(n, m, T, U)                                                                        \
    FN T##n shuffle(T##m x, U##n mask)                                                             \
    {                                                                                              \
        T##n r;                                                                                    \
        _Pragma("unroll") for (int i = 0; i < n; i++) { r[i] = x[(uint)mask[i] & (m - 1)]; }       \
        return r;                                                                                  \
    }                                                                                              \
    FN T##n shuffle2(T##m x, T##m y, U##n mask)                                                    \
    {                                                                                              \
        T##n r;                                                                                    \
        _Pragma("unroll") for (int i = 0; i < n; i++)                                              \
        {                                                                                          \
            uint k = (uint)mask[i];                                                                \
            r[i] = (k & m) != 0 ? y[k & (m - 1)] : x[k & (m - 1)];                                 \
        }                                                                                          \
        return r;                                                                                  \
    }
#define SHUFFLE_OF(m, T, U) SHUFFLE(2, m, T, U) SHUFFLE(4, m, T, U) SHUFFLE(8, m, T, U) SHUFFLE(16, m, T, U)
#define SHUFFLES(T, U, S, bits) SHUFFLE_OF(2, T, U) SHUFFLE_OF(4, T, U) SHUFFLE_OF(8, T, U) SHUFFLE_OF(16, T, U)
SIGNED(SHUFFLES) UNSIGNED(SHUFFLES)
SHUFFLES(half, ushort, , 16) SHUFFLES(float, uint, , 32) SHUFFLES(double, ulong, , 64)
