// SPDX-License-Identifier: MIT
/** @file
 * A machine for dispatches of ir3: 1 MiB of memory at BASE, registers, loaded state.
 */
#ifndef LULL_TESTS_ADRENO_MACHINE_H
#define LULL_TESTS_ADRENO_MACHINE_H

#include "model/adreno/compute/compute.h"
#include "model/adreno/exec/stops.h"

enum { SIZE = 1 << 20 };
#define BASE 0x100000000ull

struct machine {
    uint8_t mem[SIZE];
    uint32_t regs[LULL_AS_REGS];
    struct lull_acompute_state state;
    struct lull_ir3_stops stops;
};

static inline uint8_t *at(void *ctx, uint64_t address, unsigned bytes, bool write)
{
    struct machine *m = ctx;
    (void)write;
    return address >= BASE && address - BASE + bytes <= SIZE ? m->mem + (address - BASE) : NULL;
}

static inline uint32_t reg(void *ctx, uint32_t number)
{
    return ((struct machine *)ctx)->regs[number];
}

#endif
