// SPDX-License-Identifier: MIT
// Iterations until a point leaves the circle of radius 2, for a picture of width x height points.
#include "lull_cl.h"

#pragma OPENCL FP_CONTRACT OFF

kernel void mandelbrot(global uint *iterations, uint width, uint height, uint limit)
{
    const uint px = get_global_id(0);
    const uint py = get_global_id(1);
    if (px >= width || py >= height) {
        return;
    }
    const float cx = (float)px * (3.0f / 128.0f) - 2.0f;
    const float cy = (float)py * (2.5f / 64.0f) - 1.25f;
    float x = 0;
    float y = 0;
    uint n = 0;
    while (n < limit && x * x + y * y <= 4.0f) {
        const float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        n++;
    }
    iterations[py * width + px] = n;
}
