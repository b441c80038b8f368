// SPDX-License-Identifier: MIT
#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint v[]; };
layout(push_constant) uniform P { Words data, flag; uint mul, add, spin; };

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    uint k = 0;
    while (k < spin && atomicAdd(flag.v[0], 0) == 0) {
        k++;
    }
    if (spin == 0 || k < spin) {
        data.v[i] = data.v[i] * mul + add;
    }
}
