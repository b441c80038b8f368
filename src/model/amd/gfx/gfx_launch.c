// SPDX-License-Identifier: MIT
// What all stages need to have waves run, and what waves of draws find that are not compute's.
#include <string.h>

#include "hw/chips.h"
#include "model/amd/gfx/gfx.h"
#include "model/amd/gpu/gpu_spi.h"
#include "model/amd/mem/mem.h"

enum {
    SCRATCH_GRANULE = 256, // of SPI_TMPRING_SIZE.WAVESIZE, bytes
    USER_DATA = 32,
};

uint64_t lull_gfx_exec(const struct lull_wave *w)
{
    return (uint64_t)(w->lanes == 64 ? w->sgpr[LULL_RDNA_EXEC + 1] : 0) << 32 |
           w->sgpr[LULL_RDNA_EXEC];
}

const uint32_t *lull_gfx_export_row(const struct lull_wave *w, const struct lull_rdna_insn *in,
                                    unsigned i)
{
    // RADV 22.3.6 names v128, which the wave does not have, where a target has no such component:
    // what is read there is not seen.
    const bool there = lull_vgprs_exist(w, in->nsa[i], 1);
    return w->vgpr + (there ? (size_t)(in->nsa[i] - LULL_RDNA_VGPR0) * w->lanes : 0);
}

uint64_t lull_gfx_border_colors(struct lull_wave *w)
{
    const struct lull_gpu *g = lull_gpu_of(w);
    return (uint64_t)lull_gfx_reg(g, LULL_DRAW11_TA_BC_BASE_ADDR_HI) << 40 |
           (uint64_t)lull_gfx_reg(g, LULL_DRAW11_TA_BC_BASE_ADDR) << 8;
}

void lull_gfx_user_data(const struct lull_gpu *g, uint32_t reg, unsigned n, uint32_t *first)
{
    for (unsigned i = 0; i < n && i < USER_DATA; i++) {
        first[i] = lull_gfx_reg(g, reg + 4 * i);
    }
}

static uint64_t canonical(uint64_t address)
{
    return (uint64_t)((int64_t)(address << 16) >> 16);
}

uint32_t lull_gfx_rsrc2(uint32_t rsrc2, uint32_t excp_mask)
{
    const uint32_t same = LULL_GC11_COMPUTE_PGM_RSRC2__SCRATCH_EN_MASK |
                          LULL_GC11_COMPUTE_PGM_RSRC2__TRAP_PRESENT_MASK;
    const uint32_t excp = lull_get(rsrc2, excp_mask);
    return (rsrc2 & same) | lull_field_put(excp, LULL_GC11_COMPUTE_PGM_RSRC2__EXCP_EN_MASK) |
           lull_field_put(excp >> 7, LULL_GC11_COMPUTE_PGM_RSRC2__EXCP_EN_MSB_MASK);
}

static void set_scratch(const struct lull_gpu *g, struct lull_work *work)
{
    const uint32_t size = lull_gfx_reg(g, LULL_DRAW11_SPI_TMPRING_SIZE);
    if ((work->rsrc2 & LULL_GC11_COMPUTE_PGM_RSRC2__SCRATCH_EN_MASK) == 0) {
        return;
    }
    work->scratch_waves = lull_get(size, LULL_DRAW11_SPI_TMPRING_SIZE__WAVES_MASK);
    work->scratch_wave_bytes =
        lull_get(size, LULL_DRAW11_SPI_TMPRING_SIZE__WAVESIZE_MASK) * SCRATCH_GRANULE;
    work->scratch_base =
        canonical((uint64_t)lull_gfx_reg(g, LULL_DRAW11_SPI_GFX_SCRATCH_BASE_HI) << 40 |
                  (uint64_t)lull_gfx_reg(g, LULL_DRAW11_SPI_GFX_SCRATCH_BASE_LO) << 8);
}

bool lull_gfx_launch(struct lull_cp *cp, enum lull_work_kind kind, const struct lull_gfx_program *p)
{
    struct lull_gpu *g = cp->g;
    const uint64_t pgm = (uint64_t)lull_gfx_reg(g, p->hi) << 40 | (uint64_t)lull_gfx_reg(g, p->lo)
                                                                      << 8;
    const uint32_t granule = g->config.chip->vgpr_granule;
    const uint32_t items = p->lanes * (p->per_group != 0 ? p->per_group : 1);
    struct lull_work work = {
        .pgm = canonical(pgm),
        .index = cp->r->ndispatches,
        .rsrc1 = p->rsrc1,
        .rsrc2 = p->rsrc2,
        .end = {p->waves[0], p->waves[1], 1},
        .full = {items, 1, 1},
        .last = {items, 1, 1},
        .lanes = p->lanes,
        .nvgprs = p->nvgprs,
        .vgpr_cost = (p->nvgprs * (p->lanes / 32) + granule - 1) / granule * granule,
        .lds_bytes = p->lds_bytes,
    };
    set_scratch(g, &work);
    memset(work.cus, UINT8_MAX, sizeof(work.cus));
    return lull_spi_add(g, cp->r, kind, &work);
}
