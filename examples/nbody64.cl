// SPDX-License-Identifier: MIT
// Gravity in f64: accelerations of n bodies {x, y, z, mass}, with division and square root.
#include "lull_cl.h"

#pragma OPENCL FP_CONTRACT OFF

kernel void nbody64(global double *acceleration, global const double *bodies, uint n)
{
    const uint i = get_global_id(0);
    if (i >= n) {
        return;
    }
    double sum[3] = {0, 0, 0};
    for (uint j = 0; j < n; j++) {
        const double dx = bodies[j * 4] - bodies[i * 4];
        const double dy = bodies[j * 4 + 1] - bodies[i * 4 + 1];
        const double dz = bodies[j * 4 + 2] - bodies[i * 4 + 2];
        const double r2 = dx * dx + dy * dy + dz * dz + 0.0625;
        const double f = bodies[j * 4 + 3] / (r2 * __builtin_sqrt(r2));
        sum[0] = sum[0] + f * dx;
        sum[1] = sum[1] + f * dy;
        sum[2] = sum[2] + f * dz;
    }
    acceleration[i * 3] = sum[0];
    acceleration[i * 3 + 1] = sum[1];
    acceleration[i * 3 + 2] = sum[2];
}
