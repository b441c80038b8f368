// SPDX-License-Identifier: MIT
// A PAL graphics pipeline as registers and user data of a draw.
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "hw/desc11_regs.h"
#include "hw/draw11_regs.h"
#include "hw/field.h"
#include "target/amd/pal_priv.h"

enum {
    TESS_LEVELS = 9,     // descriptors of the global table: LLPC's SiDrvTableTfBufferOffs,
    OFF_CHIP = 10,       // SiDrvTableHsBufferOffs,
    ATTRIBUTE_RING = 11, // SiDrvTableOffChipParamCache
    DESCRIPTOR_DWORDS = 4,
    ELEMENT_16 = 3, // SWIZZLE_ENABLE: elements of 16 bytes
    STRIDE_32 = 2,  // INDEX_STRIDE: 32 lanes
    USE_DEFAULT = 0x20,
    HIGH = 32,
    RING_SHIFT = 16,
    LEVELS_SHIFT = 8,
    LEVELS_HIGH = 40,
    DWORD = 4,
    LEVEL_64 = 0x42800000, // a float
    SUBGROUP = 128,        // vertices and primitives, where the pipeline does not say
};

/** Registers without which nobody knows what the shaders are given and put out. */
static const struct {
    uint32_t offset;
    const char *name;
} needed[] = {
    {LULL_DRAW11_VGT_SHADER_STAGES_EN, "VGT_SHADER_STAGES_EN"},
    {LULL_DRAW11_SPI_VS_OUT_CONFIG, "SPI_VS_OUT_CONFIG"},
    {LULL_DRAW11_SPI_SHADER_POS_FORMAT, "SPI_SHADER_POS_FORMAT"},
    {LULL_DRAW11_PA_CL_VS_OUT_CNTL, "PA_CL_VS_OUT_CNTL"},
    {LULL_DRAW11_SPI_PS_IN_CONTROL, "SPI_PS_IN_CONTROL"},
    {LULL_DRAW11_SPI_PS_INPUT_ENA, "SPI_PS_INPUT_ENA"},
    {LULL_DRAW11_SPI_PS_INPUT_ADDR, "SPI_PS_INPUT_ADDR"},
    {LULL_DRAW11_SPI_SHADER_COL_FORMAT, "SPI_SHADER_COL_FORMAT"},
    {LULL_DRAW11_SPI_SHADER_Z_FORMAT, "SPI_SHADER_Z_FORMAT"},
    {LULL_DRAW11_CB_SHADER_MASK, "CB_SHADER_MASK"},
    {LULL_DRAW11_DB_SHADER_CONTROL, "DB_SHADER_CONTROL"},
};

static uint32_t reg(const struct lull_pal_graphics *g, uint32_t offset)
{
    uint32_t v = 0;
    (void)lull_pal_register(g, offset, &v);
    return v;
}

/** Are vertices patches for a pipeline that tessellates, and for no other? */
LULL_MUST_USE static struct lull_error *check_patches(const struct lull_pal_graphics *g,
                                                      const struct lull_pal_drawing *d)
{
    uint32_t config = 0, v = 0;
    if (g->has_hs != d->patches) {
        return lull_error_new(LULL_ERR_INVALID,
                              g->has_hs ? "a pipeline that tessellates, which draws patches "
                                          "(--topology patches)"
                                        : "a pipeline that does not tessellate, which does not "
                                          "draw patches");
    }
    if (!g->has_hs) {
        return NULL;
    }
    if (!lull_pal_register(g, LULL_DRAW11_VGT_TF_PARAM, &v) ||
        !lull_pal_register(g, LULL_DRAW11_VGT_LS_HS_CONFIG, &config)) {
        return lull_error_new(LULL_ERR_BAD_DATA, "PAL metadata: a hull shader without "
                                                 "VGT_TF_PARAM or VGT_LS_HS_CONFIG");
    }
    return lull_get(config, LULL_DRAW11_VGT_LS_HS_CONFIG__HS_NUM_INPUT_CP_MASK) != 0
               ? NULL
               : lull_error_new(LULL_ERR_BAD_DATA,
                                "PAL metadata: VGT_LS_HS_CONFIG does not say how many vertices a "
                                "patch has: the layout's patch_control_points");
}

/** Is all there that a draw needs, and nothing that it cannot have? */
LULL_MUST_USE static struct lull_error *check(const struct lull_pal_graphics *g,
                                              const struct lull_pal_drawing *d)
{
    uint32_t v = 0;
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (!lull_pal_register(g, needed[i].offset, &v)) {
            return lull_error_new(LULL_ERR_BAD_DATA,
                                  "PAL metadata: no register %s, which a draw needs",
                                  needed[i].name);
        }
    }
    const uint32_t stages = reg(g, LULL_DRAW11_VGT_SHADER_STAGES_EN);
    if ((stages & LULL_DRAW11_VGT_SHADER_STAGES_EN__PRIMGEN_EN_MASK) == 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "PAL metadata: VGT_SHADER_STAGES_EN 0x%08x says that it has no "
                              "primitive shader",
                              stages);
    }
    struct lull_error *err = check_patches(g, d);
    if (err != NULL) {
        return err;
    }
    const bool is_mesh = (stages & LULL_DRAW11_VGT_SHADER_STAGES_EN__GS_FAST_LAUNCH_MASK) != 0;
    if (is_mesh != (d->groups[0] != 0)) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              is_mesh ? "a pipeline with a mesh shader, which draws "
                                        "workgroups, not vertices"
                                      : "a pipeline without a mesh shader, which "
                                        "draws vertices, not workgroups");
    }
    if ((stages & LULL_DRAW11_VGT_SHADER_STAGES_EN__GS_EN_MASK) != 0 &&
        !(lull_pal_register(g, LULL_DRAW11_VGT_GS_MAX_VERT_OUT, &v) &&
          lull_pal_register(g, LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE, &v))) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "PAL metadata: a geometry shader without VGT_GS_MAX_VERT_OUT or "
                              "VGT_GS_OUT_PRIM_TYPE");
    }
    return NULL;
}

/** Does the primitive shader write what the pixel shader reads? */
LULL_MUST_USE static struct lull_error *check_parameters(const struct lull_pal_graphics *g)
{
    const uint32_t n = lull_get(reg(g, LULL_DRAW11_SPI_PS_IN_CONTROL),
                                LULL_DRAW11_SPI_PS_IN_CONTROL__NUM_INTERP_MASK);
    const uint32_t out = reg(g, LULL_DRAW11_SPI_VS_OUT_CONFIG);
    const bool none = (out & LULL_DRAW11_SPI_VS_OUT_CONFIG__NO_PC_EXPORT_MASK) != 0;
    const uint32_t written =
        none ? 0 : lull_get(out, LULL_DRAW11_SPI_VS_OUT_CONFIG__VS_EXPORT_COUNT_MASK) + 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t input = 0;
        if (!lull_pal_register(g, LULL_DRAW11_SPI_PS_INPUT_CNTL_0 + 4 * i, &input)) {
            return lull_error_new(LULL_ERR_BAD_DATA,
                                  "PAL metadata: no register SPI_PS_INPUT_CNTL_%u, and %u "
                                  "parameters are read",
                                  i, n);
        }
        const uint32_t slot = lull_get(input, LULL_DRAW11_SPI_PS_INPUT_CNTL_0__OFFSET_MASK);
        const bool own = (slot & USE_DEFAULT) != 0 ||
                         (input & LULL_DRAW11_SPI_PS_INPUT_CNTL_0__PRIM_ATTR_MASK) != 0 ||
                         (input & LULL_DRAW11_SPI_PS_INPUT_CNTL_0__PT_SPRITE_TEX_MASK) != 0;
        if (!own && slot >= written) {
            return lull_error_new(
                LULL_ERR_BAD_DATA,
                "the pixel shader reads parameter %u, the primitive shader writes "
                "%u",
                slot, written);
        }
    }
    return NULL;
}

/** A buffer of bytes, at @p to. */
static void write_raw(uint64_t va, uint64_t bytes, uint8_t *to)
{
    uint32_t w[DESCRIPTOR_DWORDS] = {(uint32_t)va};
    w[1] = lull_set(0, LULL_DESC11_BUF_WORD1__BASE_ADDRESS_HI_MASK, (uint32_t)(va >> HIGH));
    w[2] = (uint32_t)bytes; // some MiB
    w[3] = lull_set(0, LULL_DESC11_BUF_WORD3__FORMAT_MASK, LULL_DESC11_BUF_WORD3__FORMAT__32_UINT);
    w[3] = lull_set(w[3], LULL_DESC11_BUF_WORD3__OOB_SELECT_MASK,
                    LULL_DESC11_BUF_WORD3__OOB_SELECT__RAW);
    memcpy(to, w, sizeof w);
}

/** Descriptors of the driver's own. */
static void write_internal(const struct lull_pal_drawing *d, const struct lull_pal_map *m,
                           uint8_t *tables)
{
    const uint64_t va = d->attribute_ring;
    uint32_t w[DESCRIPTOR_DWORDS] = {(uint32_t)va};
    w[1] = lull_set(0, LULL_DESC11_BUF_WORD1__BASE_ADDRESS_HI_MASK, (uint32_t)(va >> HIGH));
    w[1] = lull_set(w[1], LULL_DESC11_BUF_WORD1__SWIZZLE_ENABLE_MASK, ELEMENT_16);
    w[2] = (uint32_t)d->attribute_ring_bytes; // device.h: some MiB
    w[3] = lull_set(0, LULL_DESC11_BUF_WORD3__DST_SEL_X_MASK, LULL_DESC11_BUF_WORD3__DST_SEL_X__X);
    w[3] =
        lull_set(w[3], LULL_DESC11_BUF_WORD3__DST_SEL_Y_MASK, LULL_DESC11_BUF_WORD3__DST_SEL_Y__Y);
    w[3] =
        lull_set(w[3], LULL_DESC11_BUF_WORD3__DST_SEL_Z_MASK, LULL_DESC11_BUF_WORD3__DST_SEL_Z__Z);
    w[3] =
        lull_set(w[3], LULL_DESC11_BUF_WORD3__DST_SEL_W_MASK, LULL_DESC11_BUF_WORD3__DST_SEL_W__W);
    w[3] =
        lull_set(w[3], LULL_DESC11_BUF_WORD3__FORMAT_MASK, LULL_DESC11_BUF_WORD3__FORMAT__32_UINT);
    w[3] = lull_set(w[3], LULL_DESC11_BUF_WORD3__INDEX_STRIDE_MASK, STRIDE_32);
    w[3] = lull_set(w[3], LULL_DESC11_BUF_WORD3__OOB_SELECT_MASK,
                    LULL_DESC11_BUF_WORD3__OOB_SELECT__STRUCTURED);
    memcpy(tables + m->internal + ATTRIBUTE_RING * sizeof w, w, sizeof w);
    write_raw(d->levels, d->levels_bytes, tables + m->internal + TESS_LEVELS * sizeof w);
    write_raw(d->off_chip, d->off_chip_bytes, tables + m->internal + OFF_CHIP * sizeof w);
    memcpy(tables + m->vertices, d->vertex_buffers, sizeof d->vertex_buffers);
}

/** The pipeline's registers, and those that PAL makes of them. */
static void set_registers(const struct lull_pal_graphics *g, const struct lull_pal_drawing *d,
                          struct lull_amd_draw *draw)
{
    const struct {
        uint32_t offset, value;
    } unsaid[] = {
        {LULL_DRAW11_GE_CNTL,
         lull_set(lull_set(0, LULL_DRAW11_GE_CNTL__PRIMS_PER_SUBGRP_MASK, SUBGROUP),
                  LULL_DRAW11_GE_CNTL__VERTS_PER_SUBGRP_MASK, SUBGROUP)},
        {LULL_DRAW11_GE_MAX_OUTPUT_PER_SUBGROUP, SUBGROUP},
        {LULL_DRAW11_GE_NGG_SUBGRP_CNTL, 1},
        {LULL_DRAW11_VGT_ESGS_RING_ITEMSIZE, 1},
        {LULL_DRAW11_VGT_HOS_MAX_TESS_LEVEL, LEVEL_64},
        {LULL_DRAW11_SPI_SHADER_IDX_FORMAT,
         LULL_DRAW11_SPI_SHADER_IDX_FORMAT__IDX0_EXPORT_FORMAT__1COMP},
        {LULL_DRAW11_PA_CL_VTE_CNTL, LULL_DRAW11_PA_CL_VTE_CNTL__VPORT_X_SCALE_ENA_MASK |
                                         LULL_DRAW11_PA_CL_VTE_CNTL__VPORT_X_OFFSET_ENA_MASK |
                                         LULL_DRAW11_PA_CL_VTE_CNTL__VPORT_Y_SCALE_ENA_MASK |
                                         LULL_DRAW11_PA_CL_VTE_CNTL__VPORT_Y_OFFSET_ENA_MASK |
                                         LULL_DRAW11_PA_CL_VTE_CNTL__VPORT_Z_SCALE_ENA_MASK |
                                         LULL_DRAW11_PA_CL_VTE_CNTL__VPORT_Z_OFFSET_ENA_MASK |
                                         LULL_DRAW11_PA_CL_VTE_CNTL__VTX_W0_FMT_MASK},
    };
    for (size_t i = 0; i < sizeof unsaid / sizeof unsaid[0]; i++) {
        lull_amd_draw_set(draw, unsaid[i].offset, unsaid[i].value);
    }
    for (unsigned i = 0; i < g->nregisters; i++) {
        lull_amd_draw_set(draw, g->registers[i].offset, g->registers[i].value);
    }
    lull_amd_draw_set(draw, LULL_DRAW11_SPI_ATTRIBUTE_RING_BASE,
                      (uint32_t)(d->attribute_ring >> RING_SHIFT));
    if (g->has_hs) {
        lull_amd_draw_set(draw, LULL_DRAW11_VGT_TF_RING_SIZE, (uint32_t)(d->levels_bytes / DWORD));
        // Memory of a group's patches is 8 Ki dwords; how many there are of it, for each engine.
        lull_amd_draw_set(draw, LULL_DRAW11_VGT_HS_OFFCHIP_PARAM, LULL_AMD_TESS_GROUPS - 1);
        lull_amd_draw_set(draw, LULL_DRAW11_VGT_TF_MEMORY_BASE,
                          (uint32_t)(d->levels >> LEVELS_SHIFT));
        lull_amd_draw_set(draw, LULL_DRAW11_VGT_TF_MEMORY_BASE_HI,
                          (uint32_t)(d->levels >> LEVELS_HIGH) &
                              LULL_DRAW11_VGT_TF_MEMORY_BASE_HI__BASE_MASK);
    }
}

/** One shader and its user SGPRs. */
LULL_MUST_USE static struct lull_error *set_stage(const struct lull_pal_stage *s, const char *name,
                                                  struct lull_pal_user u,
                                                  struct lull_amd_draw_stage *ret)
{
    *ret = (struct lull_amd_draw_stage){
        .code_va = u.placed->code->va + s->entry,
        .rsrc1 = s->rsrc1,
        .rsrc2 = s->rsrc2,
        .nuser_data = s->nuser_data,
        .scratch_bytes = s->scratch_bytes,
        .wave32 = s->wave32,
    };
    u.view_at = &ret->view_at;
    u.map = s->user_data;
    u.n = s->nuser_data;
    u.to = ret->user_data;
    return lull_error_in(lull_pal_fill_user(&u), "hardware stage '%s'", name);
}

struct lull_error *lull_pal_prepare_draw(const struct lull_pal_launch *l,
                                         const struct lull_pal_placed *placed,
                                         const struct lull_pal_drawing *drawing,
                                         struct lull_amd_draw *ret)
{
    const struct lull_pal_graphics *g = lull_pal_graphics(l->pipeline);
    const uint32_t size = lull_layout_root_size(l->layout);
    const struct lull_pal_map m = lull_pal_map_of(l->layout);
    uint8_t *const tables = placed->tables->map;
    lull_cleanup(lull_freep) uint32_t *root = calloc((size_t)size + 1, sizeof *root);
    if (root == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = check(g, drawing);
    err = err != NULL ? err : check_parameters(g);
    err = err != NULL ? err : lull_pal_tables(l, placed, root);
    if (err != NULL) {
        return err;
    }
    lull_pal_write_spill(g->spill_threshold, g->user_data_limit, root, size,
                         (uint32_t *)(void *)(tables + m.spill));
    write_internal(drawing, &m, tables);
    set_registers(g, drawing, ret);
    const struct lull_pal_user user = {
        .launch = l,
        .placed = placed,
        .drawing = drawing,
        .root = root,
        .limit = g->user_data_limit,
    };
    ret->view_mask = l->layout->view_mask;
    memcpy(ret->groups, drawing->groups, sizeof ret->groups);
    err = g->has_hs ? set_stage(&g->hs, ".hs", user, &ret->hs) : NULL;
    err = err != NULL ? err : set_stage(&g->gs, ".gs", user, &ret->gs);
    return err != NULL ? err : set_stage(&g->ps, ".ps", user, &ret->ps);
}
