// SPDX-License-Identifier: MIT
// A private array that is indexed by data, so it must live in scratch memory: each work-item
// counts the low bits of its 32 numbers and writes the position of the most frequent one.
#include "lull_cl.h"

#define BINS 512

kernel void scratch(global uint *most, global const uint *in)
{
    const uint id = get_global_id(0);
    uint count[BINS];
    for (uint i = 0; i < BINS; i++) {
        count[i] = i % 7;
    }
    for (uint i = 0; i < 32; i++) {
        count[in[id * 32 + i] % BINS] += 5;
    }
    uint best = 0;
    for (uint i = 1; i < BINS; i++) {
        if (count[i] > count[best]) {
            best = i;
        }
    }
    most[id] = best << 16 | count[best];
}
