// SPDX-License-Identifier: MIT
#include "check/uninit/given.h"

#include <string.h>

#include "isa/rdna/ops.h"

enum { HALF = 32, LANE_BYTES = 4 };

/** v_readlane. A lane that is off has a value if it was written while it was on, or lane by lane as
 * compilers keep scalars: what was written since without it is another's. */
static uint64_t read_lane(const struct lull_given *g, const struct lull_uninit_plan *p,
                          const struct lull_wave *of, uint64_t active, unsigned *lane)
{
    const unsigned v = p->in.src[0] - LULL_RDNA_VGPR0, by = p->in.src[1];
    if (by < LULL_TWIN_SGPRS) {
        *lane = of->sgpr[by] % of->lanes;
    } else if (by >= LULL_RDNA_INT0 && by < LULL_RDNA_INT0 + of->lanes) {
        *lane = by - LULL_RDNA_INT0;
    } else {
        return 0;
    }
    return v < LULL_TWIN_VGPRS && active == g->active && (g->since[v / 64] >> v % 64 & 1) != 0 &&
           (active >> *lane & 1) == 0;
}

/** ds_bpermute, within each 32 lanes. */
static uint64_t permute(const struct lull_uninit_plan *p, const struct lull_wave *of,
                        uint64_t active, unsigned *lane)
{
    const unsigned row = p->in.vaddr - LULL_RDNA_VGPR0;
    uint64_t lanes = 0;
    for (uint64_t m = row < of->nvgprs ? active : 0; m != 0; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(m);
        const uint32_t at = of->vgpr[(size_t)row * of->lanes + l] + (uint32_t)p->in.imm;
        const unsigned other = (l & HALF) | (at / LANE_BYTES % HALF);
        if ((active >> other & 1) == 0) {
            *lane = lanes == 0 ? other : *lane;
            lanes |= UINT64_C(1) << l;
        }
    }
    return lanes;
}

uint64_t lull_given_off(const struct lull_given *g, const struct lull_uninit_plan *p,
                        const struct lull_wave *of, uint64_t active, unsigned *lane)
{
    // With all lanes off compilers let code run that they do not want to jump over.
    return active == 0                                ? 0
           : p->in.op == LULL_RDNA_OP_DS_BPERMUTE_B32 ? permute(p, of, active, lane)
                                                      : read_lane(g, p, of, active, lane);
}

uint64_t lull_given_never(const struct lull_never *v, const struct lull_touch *t,
                          const struct lull_wave *of, unsigned d)
{
    uint64_t lanes = 0, last = UINT64_MAX;
    bool never = false;
    for (uint64_t m = t->lanes; m != 0; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(m);
        const uint64_t at = t->address[l] + 4 * (uint64_t)d;
        if (!t->scalar && (t->valid[l] >> d & 1) == 0) {
            continue;
        }
        if (at / LULL_PAGE_SIZE != last) {
            last = at / LULL_PAGE_SIZE;
            const uint8_t *page = lull_vm_host(of->vm, last * LULL_PAGE_SIZE, LULL_ACCESS_READ);
            never = page != NULL && lull_fresh_has(&v->fresh, page);
        }
        lanes |= (uint64_t)never << l;
    }
    return lanes;
}

uint32_t lull_given_bits(const struct lull_uninit_plan *p, const struct lull_touch *t)
{
    const unsigned narrow = 8 * t->bytes;
    const bool high = strstr(lull_rdna_info(&p->in)->name, "d16_hi") != NULL;
    return narrow >= 32 ? UINT32_MAX : ((UINT32_C(1) << narrow) - 1) << (high ? 16 : 0);
}
