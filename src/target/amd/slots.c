// SPDX-License-Identifier: MIT
#include "target/amd/slots.h"

#include <stdatomic.h>
#include <string.h>

void lull_amd_forget(struct lull_amd_target *t, uint32_t slot)
{
    for (size_t i = 0; i < t->nstopped; i++) {
        if (t->stopped[i] == slot) {
            memmove(&t->stopped[i], &t->stopped[i + 1],
                    (t->nstopped - i - 1) * sizeof t->stopped[0]);
            t->nstopped--;
            return;
        }
    }
}

void lull_amd_go(struct lull_amd_target *t)
{
    atomic_thread_fence(memory_order_release);
    lull_slot_put32(t->control->map, LULL_TRAP_CTL_GO, t->seen);
    t->resumed = false;
}

/* A wave stands: where it is in the program, if it was in the block of a breakpoint. One that was
 * asked to stop in front of a breakpoint has come to it. */
static void arrive(const struct lull_amd_target *t, uint8_t *s)
{
    const uint64_t pc = lull_slot_pc(s);
    const uint64_t origin = lull_amd_breaks_origin(t, pc);
    if (origin != pc) {
        lull_slot_put_pc(s, origin);
    } else if (lull_slot_stop(s) == LULL_STOP_HOST && lull_amd_breaks_stand(t, pc)) {
        const uint32_t high = lull_slot_get32(s, LULL_TRAP_SLOT_PC + 4) & 0x0fffffff;
        lull_slot_put32(s, LULL_TRAP_SLOT_PC + 4, high | (uint32_t)LULL_TRAP_REASON_BREAK << 28);
    }
}

/* New entries of the handler's queue; false if there are none. */
bool lull_amd_collect(struct lull_amd_target *t)
{
    uint8_t *c = t->control->map;
    uint32_t now = lull_slot_get32(c, LULL_TRAP_CTL_NSTOPPED);
    bool any = false;
    while (t->seen != now) {
        uint32_t low =
            lull_slot_get32(c, LULL_TRAP_CTL_QUEUE + 4 * (t->seen % LULL_TRAP_QUEUE_SIZE));
        uint32_t slot = (low - (uint32_t)t->slots->va) / LULL_TRAP_SLOT_STRIDE;
        if (slot >= t->nslots || low == 0) {
            break; // counted, not yet queued
        }
        lull_slot_put32(c, LULL_TRAP_CTL_QUEUE + 4 * (t->seen % LULL_TRAP_QUEUE_SIZE), 0);
        t->seen++;
        lull_amd_forget(t, slot);
        arrive(t, lull_slot_at(t, slot));
        t->stopped[t->nstopped++] = slot;
        any = true;
    }
    return any;
}
