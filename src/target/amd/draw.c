// SPDX-License-Identifier: MIT
#include "target/amd/draw.h"

#include "cmd/pm4.h"
#include "hw/draw11_regs.h"
#include "hw/field.h"
#include "target/amd/device_priv.h"

enum {
    CONTEXT = 0x28000, // before it, registers of shaders
    UCONFIG = 0x30000,
    ADDRESS_SHIFT = 8,
    HIGH_SHIFT = 40,
};

void lull_amd_draw_set(struct lull_amd_draw *draw, uint32_t offset, uint32_t value)
{
    unsigned i = 0;
    while (i < draw->nregisters && i < LULL_AMD_DRAW_REGISTERS &&
           draw->registers[i].offset != offset) {
        i++;
    }
    if (i < LULL_AMD_DRAW_REGISTERS) {
        draw->registers[i] = (struct lull_amd_draw_register){offset, value};
    }
    if (i >= draw->nregisters) {
        draw->nregisters = i + 1; // lull_amd_submit_draw() says that it is too much
    }
}

uint64_t lull_amd_attribute_ring_bytes(const struct lull_amd_device *d)
{
    return (uint64_t)LULL_AMD_ATTRIBUTE_RING_BYTES * d->info.shader_engines;
}

uint64_t lull_amd_tess_level_bytes(const struct lull_amd_device *d)
{
    return (uint64_t)LULL_AMD_TESS_LEVEL_BYTES * d->info.shader_engines;
}

uint64_t lull_amd_tess_off_chip_bytes(const struct lull_amd_device *d)
{
    return (uint64_t)LULL_AMD_TESS_OFF_CHIP_BYTES * LULL_AMD_TESS_GROUPS * d->info.shader_engines;
}

/** Registers of a shader; all stages have theirs in the same order. */
static void emit_stage(struct lull_pm4_builder *b, const struct lull_amd_draw_stage *s,
                       uint32_t code, uint32_t rsrc1, uint32_t user)
{
    const uint32_t scratch = LULL_DRAW11_SPI_SHADER_PGM_RSRC2_GS__SCRATCH_EN_MASK; // of both
    const uint32_t pgm[2] = {(uint32_t)(s->code_va >> ADDRESS_SHIFT),
                             (uint32_t)(s->code_va >> HIGH_SHIFT) & 0xff};
    const uint32_t rsrc[2] = {s->rsrc1, lull_set(s->rsrc2, scratch, s->scratch_bytes != 0)};
    lull_pm4_set_sh(b, code, pgm, 2);
    lull_pm4_set_sh(b, rsrc1, rsrc, 2);
    if (s->nuser_data != 0) {
        lull_pm4_set_sh(b, user, s->user_data, s->nuser_data);
    }
}

static void emit_scratch(struct lull_pm4_builder *b, const struct lull_amd_device *d,
                         uint64_t wave_bytes)
{
    uint32_t ring = 0;
    if (wave_bytes != 0) {
        const uint64_t va = d->scratch->va;
        lull_pm4_set_context1(b, LULL_DRAW11_SPI_GFX_SCRATCH_BASE_LO,
                              (uint32_t)(va >> ADDRESS_SHIFT));
        lull_pm4_set_context1(b, LULL_DRAW11_SPI_GFX_SCRATCH_BASE_HI, (uint32_t)(va >> HIGH_SHIFT));
        ring = lull_set(0, LULL_DRAW11_SPI_TMPRING_SIZE__WAVES_MASK, LULL_AMD_SCRATCH_WAVES);
        ring = lull_set(ring, LULL_DRAW11_SPI_TMPRING_SIZE__WAVESIZE_MASK,
                        (uint32_t)(wave_bytes / LULL_AMD_SCRATCH_GRANULE));
    }
    lull_pm4_set_context1(b, LULL_DRAW11_SPI_TMPRING_SIZE, ring);
}

/** One draw, of view number @p view. */
static void emit_view(struct lull_pm4_builder *b, const struct lull_amd_draw *draw, uint32_t view)
{
    static const uint32_t user[] = {LULL_DRAW11_SPI_SHADER_USER_DATA_HS_0,
                                    LULL_DRAW11_SPI_SHADER_USER_DATA_GS_0,
                                    LULL_DRAW11_SPI_SHADER_USER_DATA_PS_0};
    const struct lull_amd_draw_stage *const stages[] = {&draw->hs, &draw->gs, &draw->ps};
    for (unsigned i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        if (stages[i]->code_va != 0 && stages[i]->view_at != 0) {
            lull_pm4_set_sh(b, user[i] + 4 * (stages[i]->view_at - 1), &view, 1);
        }
    }
    if (draw->groups[0] != 0) {
        lull_pm4_draw_mesh(b, draw->groups);
    } else if (draw->index_va != 0) {
        lull_pm4_draw_indexed(b, draw->index_va, draw->max_indices, draw->count);
    } else {
        lull_pm4_draw(b, draw->count);
    }
}

static void emit(struct lull_pm4_builder *b, const struct lull_amd_device *d,
                 const struct lull_amd_draw *draw, uint64_t wave_bytes)
{
    const uint32_t none[2] = {0};
    lull_pm4_clear_state(b);
    lull_pm4_invalidate(b);
    lull_pm4_set_sh(b, LULL_DRAW11_SPI_SHADER_PGM_LO_GS, none, 2); // s0 and s1
    if (draw->hs.code_va != 0) {
        lull_pm4_set_sh(b, LULL_DRAW11_SPI_SHADER_PGM_LO_HS, none, 2);
        emit_stage(b, &draw->hs, LULL_DRAW11_SPI_SHADER_PGM_LO_LS,
                   LULL_DRAW11_SPI_SHADER_PGM_RSRC1_HS, LULL_DRAW11_SPI_SHADER_USER_DATA_HS_0);
    }
    emit_stage(b, &draw->gs, LULL_DRAW11_SPI_SHADER_PGM_LO_ES, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_GS,
               LULL_DRAW11_SPI_SHADER_USER_DATA_GS_0);
    emit_stage(b, &draw->ps, LULL_DRAW11_SPI_SHADER_PGM_LO_PS, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_PS,
               LULL_DRAW11_SPI_SHADER_USER_DATA_PS_0);
    for (unsigned i = 0; i < draw->nregisters; i++) {
        const struct lull_amd_draw_register *r = &draw->registers[i];
        if (r->offset < CONTEXT) {
            lull_pm4_set_sh(b, r->offset, &r->value, 1);
        } else if (r->offset < UCONFIG) {
            lull_pm4_set_context1(b, r->offset, r->value);
        } else {
            lull_pm4_set_uconfig1(b, r->offset, r->value);
        }
    }
    emit_scratch(b, d, wave_bytes); // whatever the pipeline says of it
    lull_pm4_instances(b, draw->instances);
    for (uint32_t view = 0, left = draw->view_mask | (draw->view_mask == 0); left != 0;
         view++, left >>= 1) {
        if ((left & 1) != 0) {
            emit_view(b, draw, view);
        }
    }
    lull_pm4_wait_pixels(b);
    lull_pm4_pad(b, 8);
}

struct lull_error *lull_amd_submit_draw(struct lull_amd_device *d, const struct lull_amd_draw *draw)
{
    if (draw->nregisters > LULL_AMD_DRAW_REGISTERS) {
        return lull_error_new(LULL_ERR_INVALID, "more than %d registers of a draw",
                              LULL_AMD_DRAW_REGISTERS);
    }
    const struct lull_amd_draw_stage *const stages[] = {&draw->gs, &draw->ps, &draw->hs};
    uint64_t wave_bytes = 0;
    for (unsigned i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        const uint64_t bytes = (uint64_t)stages[i]->scratch_bytes * (stages[i]->wave32 ? 32 : 64);
        wave_bytes = bytes > wave_bytes ? bytes : wave_bytes;
    }
    wave_bytes = (wave_bytes + LULL_AMD_SCRATCH_GRANULE - 1) / LULL_AMD_SCRATCH_GRANULE *
                 LULL_AMD_SCRATCH_GRANULE;
    struct lull_error *err = lull_amd_need_scratch(d, wave_bytes);
    if (err != NULL) {
        return err;
    }
    struct lull_pm4_builder b = lull_pm4_builder_of(d->ib->map, (size_t)d->ib->size / 4);
    emit(&b, d, draw, wave_bytes);
    return lull_amd_submit_ib(d, LULL_AMDGPU_GFX, (uint32_t)b.ndwords * 4);
}
