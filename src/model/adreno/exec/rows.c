// SPDX-License-Identifier: MIT
#include "model/adreno/exec/rows.h"

#include <string.h>

enum { WORD = 64, PART = LULL_IR3_ALU_PART };

static void halves(uint32_t *to, const uint32_t *from, unsigned shift, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        to[i] = from[i] >> shift & 0xffff;
    }
}

static void bits(uint32_t *v, uint32_t keep, uint32_t flip, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        v[i] = (v[i] & keep) ^ flip;
    }
}

static void fill(uint32_t *to, uint32_t value, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        to[i] = value;
    }
}

static void merge(uint32_t *to, const uint32_t *from, unsigned shift, uint32_t mask,
                  const uint64_t on[2], unsigned n)
{
    for (unsigned at = 0; at < n; at += PART) {
        const uint32_t who = (uint32_t)(on[at / WORD] >> at % WORD);
        uint32_t r[PART];
        for (unsigned i = 0; i < PART; i++) {
            const uint32_t m = (0 - (who >> i & 1)) & mask;
            r[i] = (to[at + i] & ~m) | (from[at + i] << shift & m);
        }
        for (unsigned i = 0; i < PART; i++) {
            to[at + i] = r[i];
        }
    }
}

static void nonzero(const uint32_t *v, uint64_t ret[2], unsigned n)
{
    ret[0] = ret[1] = 0;
    for (unsigned at = 0; at < n; at += PART) {
        uint32_t m = 0;
        for (unsigned i = 0; i < PART; i++) {
            m |= (uint32_t)(v[at + i] != 0) << i;
        }
        ret[at / WORD] |= (uint64_t)m << at % WORD;
    }
}

static void span(const uint32_t *v, uint32_t ret[2], unsigned n)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (unsigned i = 0; i < n; i++) {
        least = v[i] < least ? v[i] : least;
        most = v[i] > most ? v[i] : most;
    }
    ret[0] = least;
    ret[1] = most;
}

static bool in_a_row(const uint32_t *v, unsigned n)
{
    uint32_t other = 0;
    for (unsigned i = 0; i < n; i++) {
        other |= v[i] ^ (v[0] + 4 * i);
    }
    return other == 0;
}

static void gather(uint32_t *to, const uint8_t *from, const uint32_t *at, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        memcpy(&to[i], from + at[i], sizeof to[i]);
    }
}

const struct lull_ir3_host_tools LULL_IR3_HOST(tools) = {.rows = LULL_IR3_HOST(rows),
                                                         .halves = halves,
                                                         .bits = bits,
                                                         .fill = fill,
                                                         .merge = merge,
                                                         .nonzero = nonzero,
                                                         .span = span,
                                                         .in_a_row = in_a_row,
                                                         .gather = gather};
