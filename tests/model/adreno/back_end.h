// SPDX-License-Identifier: MIT
/** @file
 * Memory and registers for tests of what is behind the shaders of Adreno.
 */
#ifndef LULL_TEST_BACK_END_H
#define LULL_TEST_BACK_END_H

#include <stdint.h>
#include <string.h>

#include "model/adreno/exec/wave.h"

enum {
    BACK_END_BASE = 0x10000, ///< Where the memory begins.
    BACK_END_BYTES = 1 << 20,
    BACK_END_REGS = 0x10000,
};

struct back_end {
    uint32_t regs[BACK_END_REGS];
    uint8_t memory[BACK_END_BYTES];
    unsigned faults;
};

static inline uint8_t *back_end_at(void *ctx, uint64_t address, unsigned bytes, bool write)
{
    struct back_end *b = ctx;
    (void)write;
    if (address < BACK_END_BASE || address - BACK_END_BASE > BACK_END_BYTES - bytes) {
        b->faults++;
        return NULL;
    }
    return b->memory + (address - BACK_END_BASE);
}

static inline uint32_t back_end_reg(void *ctx, uint32_t number)
{
    const struct back_end *b = ctx;
    return number < BACK_END_REGS ? b->regs[number] : 0;
}

static inline uint32_t back_end_bits(float f)
{
    uint32_t v = 0;
    memcpy(&v, &f, sizeof v);
    return v;
}

#endif
