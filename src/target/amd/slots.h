// SPDX-License-Identifier: MIT
/** @file
 * Slots that the trap handler saves waves in, and what it keeps of those that stand. For
 * src/target/amd only.
 */
#ifndef LULL_TARGET_AMD_SLOTS_H
#define LULL_TARGET_AMD_SLOTS_H

#include "target/amd/debug_priv.h"
#include "target/amd/trap_layout.h"

static inline uint8_t *lull_slot_at(const struct lull_amd_target *t, uint32_t slot)
{
    return (uint8_t *)t->slots->map + (size_t)slot * LULL_TRAP_SLOT_STRIDE;
}

static inline uint32_t lull_slot_get32(const uint8_t *base, uint32_t offset)
{
    // The GPU writes behind the compiler's back.
    return *(const volatile uint32_t *)(const void *)(base + offset);
}

static inline uint64_t lull_slot_get64(const uint8_t *base, uint32_t offset)
{
    return lull_slot_get32(base, offset) | (uint64_t)lull_slot_get32(base, offset + 4) << 32;
}

static inline void lull_slot_put32(uint8_t *base, uint32_t offset, uint32_t value)
{
    *(volatile uint32_t *)(void *)(base + offset) = value;
}

static inline uint64_t lull_slot_canonical(uint64_t va)
{
    return (uint64_t)((int64_t)(va << 16) >> 16);
}

static inline uint64_t lull_slot_pc(const uint8_t *s)
{
    return lull_slot_canonical(lull_slot_get64(s, LULL_TRAP_SLOT_PC) & 0xffffffffffff);
}

static inline void lull_slot_put_pc(uint8_t *s, uint64_t pc)
{
    const uint32_t high = lull_slot_get32(s, LULL_TRAP_SLOT_PC + 4) & 0xffff0000;
    lull_slot_put32(s, LULL_TRAP_SLOT_PC, (uint32_t)pc);
    lull_slot_put32(s, LULL_TRAP_SLOT_PC + 4, high | ((uint32_t)(pc >> 32) & 0xffff));
}

static inline enum lull_stop lull_slot_stop(const uint8_t *s)
{
    static const enum lull_stop stops[16] = {
        [LULL_TRAP_REASON_TRAP] = LULL_STOP_TRAP,
        [LULL_TRAP_REASON_HOST] = LULL_STOP_HOST,
        [LULL_TRAP_REASON_MEMORY] = LULL_STOP_MEMORY,
        [LULL_TRAP_REASON_ILLEGAL] = LULL_STOP_ILLEGAL,
        [LULL_TRAP_REASON_EXCEPTION] = LULL_STOP_EXCEPTION,
        [LULL_TRAP_REASON_START] = LULL_STOP_START,
        [LULL_TRAP_REASON_STEP] = LULL_STOP_STEP,
        [LULL_TRAP_REASON_BREAK] = LULL_STOP_BREAKPOINT,
    };
    return stops[lull_slot_get32(s, LULL_TRAP_SLOT_PC + 4) >> 28];
}

/** The wave in @p slot does not stand any more. */
void lull_amd_forget(struct lull_amd_target *t, uint32_t slot);

#endif
