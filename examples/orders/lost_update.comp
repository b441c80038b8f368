// SPDX-License-Identifier: MIT
// Each workgroup adds its number to the sum. Without an atomic operation that of one is lost if another reads the sum between its two steps.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Out
{
    uint sum;
} o;

void main()
{
    if (gl_LocalInvocationIndex != 0) {
        return;
    }
    const uint number = gl_WorkGroupID.x + 1;
#ifdef RIGHT
    atomicAdd(o.sum, number);
#else
    const uint before = o.sum;
    o.sum = before + number;
#endif
}
