#version 460
// SPDX-License-Identifier: MIT
// Sorts 1024 keys of one workgroup, 4 bits a pass, by counting in shared memory; stable.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer V { uint key[]; };
shared uint s[1024], count[16][256], start[16];
void main()
{
    uint l = gl_LocalInvocationID.x, base = gl_WorkGroupID.x * 1024;
    for (uint i = 0; i < 4; i++) s[l * 4 + i] = key[base + l * 4 + i];
    for (int shift = 0; shift < 32; shift += 4) {
        uint mine[4];
        for (uint d = 0; d < 16; d++) count[d][l] = 0;
        barrier();
        for (uint i = 0; i < 4; i++) {
            mine[i] = s[l * 4 + i];
            count[bitfieldExtract(mine[i], shift, 4)][l]++;
        }
        barrier();
        if (l < 16) {
            uint sum = 0;
            for (uint i = 0; i < 256; i++) {
                uint c = count[l][i];
                count[l][i] = sum;
                sum += c;
            }
            start[l] = sum;
        }
        barrier();
        if (l == 0) {
            uint sum = 0;
            for (uint d = 0; d < 16; d++) {
                uint c = start[d];
                start[d] = sum;
                sum += c;
            }
        }
        barrier();
        for (uint i = 0; i < 4; i++) {
            uint d = bitfieldExtract(mine[i], shift, 4);
            s[start[d] + count[d][l]++] = mine[i];
        }
        barrier();
    }
    for (uint i = 0; i < 4; i++) key[base + l * 4 + i] = s[l * 4 + i];
}
