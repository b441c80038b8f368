// SPDX-License-Identifier: MIT
// The last wave adds up what all waves have stored. The barrier between is missing, which is not seen as long as the last wave is last.
#include "../lull_cl.h"

kernel void sum(global uint *out, global const uint *in)
{
    local uint t[256];
    const uint l = get_local_id(0);
    t[l] = in[l] * in[l];
#ifdef RIGHT
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    if (l >= 224) {
        uint s = 0;
        for (uint i = l - 224; i < 256; i += 32) {
            s += t[i];
        }
        out[l - 224] = s;
    }
}
