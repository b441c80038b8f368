#version 450
// SPDX-License-Identifier: MIT
// Counts how bright the pixels of a picture are, in as many bins as `bins` has.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer Pixels { float pixel[]; };
layout(set = 0, binding = 1, std430) buffer Bins { uint bin[]; };
layout(push_constant) uniform Push { uint pixels; float bins; } push;

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < push.pixels) {
        float bright = pixel[i];                // 0 to 1
        uint at = uint(bright * push.bins);     // 1.0 * 256 is 256: behind the last bin
        atomicAdd(bin[at], 1u);
    }
}
