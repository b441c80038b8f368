// SPDX-License-Identifier: MIT
// SHA-256 of a file. Work-item i hashes the file without its last i bytes, so lanes of one wave
// end after different numbers of blocks; digest 0 is what sha256sum prints.
// Source: FIPS 180-4.
#include "lull_cl.h"

constant uint k256[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

// Byte @p at of the padded message of @p size bytes.
static uint padded(global const uchar *data, uint size, uint blocks, uint at)
{
    if (at < size) {
        return data[at];
    }
    if (at == size) {
        return 0x80;
    }
    const uint from_end = blocks * 64 - 1 - at;
    return from_end < 4 ? (size << 3) >> (8 * from_end) & 0xff : from_end == 4 ? size >> 29 : 0;
}

static void block(uint *h, uint *w)
{
    uint v[8];
    for (uint i = 0; i < 8; i++) {
        v[i] = h[i];
    }
    for (uint i = 16; i < 64; i++) {
        const uint s0 = rotate_right(w[i - 15], 7) ^ rotate_right(w[i - 15], 18) ^ w[i - 15] >> 3;
        const uint s1 = rotate_right(w[i - 2], 17) ^ rotate_right(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    for (uint i = 0; i < 64; i++) {
        const uint s1 = rotate_right(v[4], 6) ^ rotate_right(v[4], 11) ^ rotate_right(v[4], 25);
        const uint t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k256[i] + w[i];
        const uint s0 = rotate_right(v[0], 2) ^ rotate_right(v[0], 13) ^ rotate_right(v[0], 22);
        const uint t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        for (uint j = 7; j > 0; j--) {
            v[j] = v[j - 1];
        }
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (uint i = 0; i < 8; i++) {
        h[i] += v[i];
    }
}

kernel void sha256(global uint *digests, global const uchar *data, uint size)
{
    const uint id = get_global_id(0);
    const uint mine = size >= id ? size - id : 0;
    const uint blocks = (mine + 8) / 64 + 1;
    uint h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint w[64];
    for (uint b = 0; b < blocks; b++) {
        for (uint i = 0; i < 16; i++) {
            uint word = 0;
            for (uint j = 0; j < 4; j++) {
                word = word << 8 | padded(data, mine, blocks, b * 64 + i * 4 + j);
            }
            w[i] = word;
        }
        block(h, w);
    }
    for (uint i = 0; i < 8; i++) {
        digests[id * 8 + i] = __builtin_bswap32(h[i]); // as bytes, in the order that is printed
    }
}
