// SPDX-License-Identifier: MIT
#include "printf/id.h"

static uint64_t load_le(const uint8_t *p, size_t size)
{
    uint64_t v = 0;
    for (size_t i = 0; i < size; i++) {
        v |= (uint64_t)p[i] << 8 * i;
    }
    return v;
}

static uint64_t rotate(uint64_t v, unsigned by)
{
    return v << by | v >> (64 - by);
}

static void rounds(uint64_t v[4], unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotate(v[1], 13) ^ v[0];
        v[3] = rotate(v[3], 16) ^ v[2];
        v[0] = rotate(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotate(v[1], 17) ^ v[2];
        v[3] = rotate(v[3], 21) ^ v[0];
        v[2] = rotate(v[2], 32);
    }
}

uint64_t lull_siphash(uint64_t k0, uint64_t k1, const void *data, size_t size)
{
    // "somepseudorandomlygeneratedbytes", as the paper has it
    uint64_t v[4] = {k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
                     k1 ^ 0x7465646279746573};
    const uint8_t *p = data;
    for (size_t i = 0; i + 8 <= size; i += 8) {
        const uint64_t m = load_le(p + i, 8);
        v[3] ^= m;
        rounds(v, 2);
        v[0] ^= m;
    }
    const size_t rest = size % 8;
    const uint64_t last = (uint64_t)size << 56 | (rest != 0 ? load_le(p + size - rest, rest) : 0);
    v[3] ^= last;
    rounds(v, 2);
    v[0] ^= last;
    v[2] ^= 0xff;
    rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t lull_printf_id(const char *text, size_t size, uint64_t salt)
{
    const uint64_t id = lull_siphash(0x746d662e6c6c756c, salt, text, size) & 0xffffffffffff;
    return id != 0 ? id : 1;
}
