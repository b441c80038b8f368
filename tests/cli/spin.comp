#version 450
// SPDX-License-Identifier: MIT
// Waits for something that never comes.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Flags { volatile uint flag[]; };

void main()
{
    while (flag[0] == 0u) {
        flag[1 + gl_GlobalInvocationID.x]++;
    }
}
