// SPDX-License-Identifier: MIT
// Observers that are told of each lane.
#include "model/amd/mem/mem.h"
#include "model/observer.h"

bool lull_mem_by_lane(const struct lull_wave *w)
{
    for (const struct lull_observer *o = w->observer; o != NULL; o = o->next) {
        if (o->access != NULL) {
            return true;
        }
    }
    return false;
}

void lull_mem_report(const struct lull_wave *w, const struct lull_rdna_insn *in,
                     const struct lull_places *p, unsigned bytes, bool store)
{
    struct lull_observed at;
    if (!lull_mem_by_lane(w)) {
        return;
    }
    lull_wave_seen(w, in, &at);
    for (uint64_t m = p->mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        uint64_t address = p->address[l];
        if (p->space[l] == LULL_SPACE_LDS) {
            address += w->vm->shared_base;
        } else if (p->space[l] == LULL_SPACE_SWIZZLED && p->limit != UINT32_MAX) {
            address = w->vm->private_base + p->offset[l];
        } else if (p->space[l] == LULL_SPACE_SWIZZLED) {
            address = lull_mem_swizzled(p, l, p->offset[l]);
        }
        if (p->valid[l] != 0) {
            lull_wave_touch(w, &at, l, address, bytes, store);
        }
    }
}
