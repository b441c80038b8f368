// SPDX-License-Identifier: MIT
// y = a * x + y, one element for each work-item.
//   lull run examples/saxpy.cl --grid 1024 --block 256 --arg buffer:y.bin:out=result.bin --arg buffer:x.bin \
//       --arg f32:2.5 --arg i32:1000
#include "lull_cl.h"

kernel void saxpy(global float *y, global const float *x, float a, uint n)
{
    const uint i = get_global_id(0);
    if (i < n) {
        y[i] = fmaf(a, x[i], y[i]);
    }
}
