// SPDX-License-Identifier: MIT
// Places of waves: which SIMD each is on, and which hold one.
#include "hw/chips.h"
#include "model/amd/gpu/gpu_impl.h"

struct lull_gpu_unit lull_gpu_unit_of(const struct lull_gpu *g, unsigned slot)
{
    const struct lull_gpu_config *c = &g->config;
    const unsigned wgp = slot / (LULL_NSIMD * LULL_SIMD_SLOTS);
    return (struct lull_gpu_unit){
        .se = (uint8_t)(wgp / c->wgp_per_sa / c->sa_per_se),
        .sa = (uint8_t)(wgp / c->wgp_per_sa % c->sa_per_se),
        .wgp = (uint8_t)(wgp % c->wgp_per_sa),
        .simd = (uint8_t)(slot / LULL_SIMD_SLOTS % LULL_NSIMD),
    };
}

void lull_gpu_number_slot(struct lull_gpu *g, struct lull_gpu_slot *s)
{
    if (s->gpu == NULL) {
        const unsigned n = (unsigned)(s - g->slots);
        s->gpu = g;
        s->unit = lull_gpu_unit_of(g, n);
        s->wave = (uint8_t)(n % LULL_SIMD_SLOTS);
    }
}

unsigned lull_gpu_next_wave(const struct lull_gpu *g, unsigned slot)
{
    while (slot < g->nslots) {
        const unsigned simd = slot / LULL_SIMD_SLOTS;
        if (g->wgps[simd / LULL_NSIMD].slots[simd % LULL_NSIMD] == LULL_SIMD_SLOTS) {
            slot = (simd + 1) * LULL_SIMD_SLOTS;
        } else if (g->slots[slot].group == NULL) {
            slot++;
        } else {
            break;
        }
    }
    return slot;
}

void lull_gpu_empty_units(struct lull_gpu *g)
{
    for (unsigned i = 0; i < g->nwgps; i++) {
        struct lull_gpu_wgp *wgp = &g->wgps[i];
        for (unsigned simd = 0; simd < LULL_NSIMD; simd++) {
            wgp->slots[simd] = LULL_SIMD_SLOTS;
            wgp->vgprs[simd] = (uint16_t)g->config.chip->simd_vgprs;
        }
        wgp->lds[0] = wgp->lds[1] = LULL_CU_LDS_BYTES;
    }
}
