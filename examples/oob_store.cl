// SPDX-License-Identifier: MIT
// Work-item 71 (wave 2, lane 7 in waves of 32) stores 1 GiB beyond its buffer. Nothing is mapped there.
#include "lull_cl.h"

kernel void oob_store(global uint *out)
{
    const uint id = get_global_id(0);
    const ulong at = id == 71 ? (ulong)id + (1ul << 28) : id;
    out[at] = id;
}
