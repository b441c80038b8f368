// SPDX-License-Identifier: MIT
/* Command streams of a5xx and later, by hand. Source: Mesa freedreno_pm4.h. */
#ifndef LULL_TEST_ADRENO_WORDS_H
#define LULL_TEST_ADRENO_WORDS_H

#include <stdint.h>

struct stream {
    uint32_t *at;
};

/* The bit that makes the number of set bits odd. */
static inline uint32_t parity(uint32_t v)
{
    v ^= v >> 16;
    v ^= v >> 8;
    v ^= v >> 4;
    return ~0x6996u >> (v & 15) & 1;
}

static inline void add(struct stream *s, uint32_t v)
{
    *s->at++ = v;
}

static inline void reg(struct stream *s, uint32_t number, uint32_t value)
{
    add(s, 0x40000000u | 1 | parity(1) << 7 | number << 8 | parity(number) << 27);
    add(s, value);
}

static inline void reg64(struct stream *s, uint32_t number, uint64_t value)
{
    reg(s, number, (uint32_t)value);
    reg(s, number + 1, (uint32_t)(value >> 32));
}

static inline void packet(struct stream *s, uint32_t op, const uint32_t *payload, uint32_t n)
{
    add(s, 0x70000000u | n | parity(n) << 15 | op << 16 | parity(op) << 23);
    for (uint32_t i = 0; i < n; i++) {
        add(s, payload[i]);
    }
}

#endif
