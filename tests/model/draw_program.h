// SPDX-License-Identifier: MIT
/** @file
 * A draw for struct fixture: two instances of a rectangle, to two layers of an image, cut by a
 * scissor. Pixel x, y becomes y << 8 | x and what memory says << 16, and counts itself.
 *
 * The words are what llvm-mc 19 -mcpu=gfx1100 makes of the assembly beside them: vertices in waves
 * of 32, pixels in waves of 64.
 */
#ifndef LULL_TEST_DRAW_PROGRAM_H
#define LULL_TEST_DRAW_PROGRAM_H

#include "cmd/pm4_amd_pkts.h"
#include "gpu_fixture.h"
#include "hw/draw11_regs.h"

enum {
    DRAW_VS = 0x30000, // offsets in the mapping
    DRAW_PS = 0x31000,
    DRAW_HANDLER = 0x32000,
    DRAW_FLAG = 0x33000, // what goes above y and x; then the count of pixels
    DRAW_IMAGE = 0x40000,
    DRAW_WIDTH = 64, // so that a row of 32_UINT has no padding
    DRAW_HEIGHT = 24,
    DRAW_LAYERS = 2,
    DRAW_X0 = 3, // of the scissor; the last two are behind it
    DRAW_Y0 = 5,
    DRAW_X1 = 50,
    DRAW_Y1 = 21,
    DRAW_PIXELS = (DRAW_X1 - DRAW_X0) * (DRAW_Y1 - DRAW_Y0) * DRAW_LAYERS,
    DRAW_WAVES = DRAW_LAYERS * (1 + (24 * 9 + 15) / 16), // vertices; quads from 2, 4 on
    DRAW_BYTES = DRAW_WIDTH * DRAW_HEIGHT * DRAW_LAYERS * 4,
};

// clang-format off
static const uint32_t draw_vertex_program[] = {
    0xf8000941, 0x00000000, // exp prim v0, off, off, off done
    0x7c940a81,             // v_cmp_eq_u32 vcc_lo, 1, v5
    0xd5010001, 0x01a9e4f3, // v_cndmask_b32_e64 v1, -1.0, 1.0, vcc_lo
    0x7c940a82,             // v_cmp_eq_u32 vcc_lo, 2, v5
    0xd5010002, 0x01a9e4f3, // v_cndmask_b32_e64 v2, -1.0, 1.0, vcc_lo
    0x7e060280,             // v_mov_b32 v3, 0
    0x7e0802f2,             // v_mov_b32 v4, 1.0
    0xf80000cf, 0x04030201, // exp pos0 v1, v2, v3, v4
    0x7e120308,             // v_mov_b32 v9, v8
    0xf80008d4, 0x00090000, // exp pos1 off, off, v9, off done
    0xbfb00000,             // s_endpgm
};
static const uint32_t draw_pixel_program[] = {
    0x7e040f00,             // v_cvt_u32_f32 v2, v0
    0x7e060f01,             // v_cvt_u32_f32 v3, v1
    0xd6560002, 0x04091103, // v_lshl_or_b32 v2, v3, 8, v2
    0x7e0a0280,             // v_mov_b32 v5, 0
    0x7e0c0281,             // v_mov_b32 v6, 1
    0xdc520000, 0x04000005, // global_load_b32 v4, v5, s[0:1]
    0xbf8903f7,             // s_waitcnt vmcnt(0)
    0xd6560002, 0x04092104, // v_lshl_or_b32 v2, v4, 16, v2
    0xbe82017e,             // s_mov_b64 s[2:3], exec
    0xdcd60004, 0x00000605, // global_atomic_add_u32 v5, v6, s[0:1] offset:4
    0xf8000801, 0x00000002, // exp mrt0 v2, off, off, off done
    0xbfb00000,             // s_endpgm
};
/** A trap handler that tells the host that it has been there. */
static const uint32_t draw_handler[] = {
    0xbfb60001,             // s_sendmsg sendmsg(MSG_INTERRUPT)
    0xb8f0f802,             // s_getreg_b32 ttmp4, hwreg(HW_REG_STATUS)
    0xbf0d8070,             // s_bitcmp1_b32 ttmp4, 0
    0xbe804a6c,             // s_rfe_b64 ttmp[0:1]
};
// clang-format on

static inline void draw_context(struct lull_pm4_builder *b, uint32_t reg, uint32_t value)
{
    lull_pm4_packet3(b, LULL_PM4_SET_CONTEXT_REG, 2);
    lull_pm4_emit(b, (reg - LULL_CONTEXT_BASE) / 4);
    lull_pm4_emit(b, value);
}

static inline uint32_t draw_float(float f)
{
    uint32_t u = 0;
    memcpy(&u, &f, sizeof u);
    return u;
}

/** Registers of the shaders. */
static inline void draw_shaders(struct lull_pm4_builder *b, uint64_t flag)
{
    const uint64_t vs = (FIXTURE_VA + DRAW_VS) >> 8, ps = (FIXTURE_VA + DRAW_PS) >> 8;
    const uint32_t user[2] = {(uint32_t)flag, (uint32_t)(flag >> 32)};
    lull_pm4_set_sh1(b, LULL_DRAW11_SPI_SHADER_PGM_LO_ES, (uint32_t)vs);
    lull_pm4_set_sh1(b, LULL_DRAW11_SPI_SHADER_PGM_HI_ES, (uint32_t)(vs >> 32));
    lull_pm4_set_sh1(b, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_GS, 1);
    lull_pm4_set_sh1(b, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_GS, 0);
    lull_pm4_set_sh1(b, LULL_DRAW11_SPI_SHADER_PGM_LO_PS, (uint32_t)ps);
    lull_pm4_set_sh1(b, LULL_DRAW11_SPI_SHADER_PGM_HI_PS, (uint32_t)(ps >> 32));
    lull_pm4_set_sh1(b, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_PS, 1);
    lull_pm4_set_sh1(b, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_PS, 2 << 1); // user SGPRs
    lull_pm4_set_sh(b, LULL_DRAW11_SPI_SHADER_USER_DATA_PS_0, user, 2);
    draw_context(b, LULL_DRAW11_VGT_SHADER_STAGES_EN,
                 1 << 13 | 1 << 22 | 1 << 25 | 1 << 26); // NGG, wave32, no message
    draw_context(b, LULL_DRAW11_SPI_PS_IN_CONTROL, 0);   // no parameters
    draw_context(b, LULL_DRAW11_SPI_PS_INPUT_ENA, 3 << 8);
    draw_context(b, LULL_DRAW11_SPI_PS_INPUT_ADDR, 3 << 8);            // x and y
    draw_context(b, LULL_DRAW11_PA_CL_VS_OUT_CNTL, 1 << 18 | 1 << 21); // a layer
    draw_context(b, LULL_DRAW11_PA_CL_VTE_CNTL, 0x43f);
}

/** Where it goes. */
static inline void draw_target(struct lull_pm4_builder *b, uint64_t image)
{
    draw_context(b, LULL_DRAW11_CB_COLOR_CONTROL, 1 << 4 | 0xcc << 16); // normal, copy
    draw_context(b, LULL_DRAW11_CB_TARGET_MASK, 15);
    draw_context(b, LULL_DRAW11_CB_SHADER_MASK, 15);
    draw_context(b, LULL_DRAW11_SPI_SHADER_COL_FORMAT,
                 LULL_DRAW11_SPI_SHADER_COL_FORMAT__COL0_EXPORT_FORMAT__32_R);
    draw_context(b, LULL_DRAW11_CB_COLOR0_BASE, (uint32_t)(image >> 8));
    draw_context(b, LULL_DRAW11_CB_COLOR0_BASE_EXT, (uint32_t)(image >> 40) & 0xff);
    draw_context(b, LULL_DRAW11_CB_COLOR0_VIEW, (DRAW_LAYERS - 1) << 13);
    draw_context(b, LULL_DRAW11_CB_COLOR0_INFO,
                 LULL_DRAW11_CB_COLOR0_INFO__FORMAT__32 |
                     LULL_DRAW11_CB_COLOR0_INFO__NUMBER_TYPE__UINT << 8);
    draw_context(b, LULL_DRAW11_CB_COLOR0_ATTRIB2, (DRAW_HEIGHT - 1) | (DRAW_WIDTH - 1) << 14);
    draw_context(b, LULL_DRAW11_CB_COLOR0_ATTRIB3, (DRAW_LAYERS - 1) | 1 << 24); // linear, 2D
    draw_context(b, LULL_DRAW11_PA_CL_VPORT_XSCALE_0, draw_float(DRAW_WIDTH / 2.0f));
    draw_context(b, LULL_DRAW11_PA_CL_VPORT_XOFFSET_0, draw_float(DRAW_WIDTH / 2.0f));
    draw_context(b, LULL_DRAW11_PA_CL_VPORT_YSCALE_0, draw_float(DRAW_HEIGHT / 2.0f));
    draw_context(b, LULL_DRAW11_PA_CL_VPORT_YOFFSET_0, draw_float(DRAW_HEIGHT / 2.0f));
    draw_context(b, LULL_DRAW11_PA_SC_GENERIC_SCISSOR_TL, DRAW_X0 | DRAW_Y0 << 16);
    draw_context(b, LULL_DRAW11_PA_SC_GENERIC_SCISSOR_BR, DRAW_X1 | DRAW_Y1 << 16);
}

static inline void draw_programs(struct fixture *f)
{
    memcpy(fixture_mem(f, DRAW_VS), draw_vertex_program, sizeof draw_vertex_program);
    memcpy(fixture_mem(f, DRAW_PS), draw_pixel_program, sizeof draw_pixel_program);
    memcpy(fixture_mem(f, DRAW_HANDLER), draw_handler, sizeof draw_handler);
}

/** All state; @p flag, @p image: where they are, as the GPU sees it. */
static inline void draw_state(struct lull_pm4_builder *b, uint64_t flag, uint64_t image)
{
    lull_pm4_packet3(b, LULL_PM4_CLEAR_STATE, 1);
    lull_pm4_emit(b, 0);
    draw_shaders(b, flag);
    draw_target(b, image);
    lull_pm4_set_uconfig1(b, LULL_DRAW11_VGT_PRIMITIVE_TYPE,
                          LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__RECTLIST);
    lull_pm4_set_uconfig1(b, LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE,
                          LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE__OUTPRIM_TYPE__RECT_2D);
    lull_pm4_packet3(b, LULL_PM4_NUM_INSTANCES, 1);
    lull_pm4_emit(b, DRAW_LAYERS);
}

/** The draw itself. */
static inline void draw_auto(struct lull_pm4_builder *b)
{
    lull_pm4_packet3(b, LULL_PM4_DRAW_INDEX_AUTO, 2);
    lull_pm4_emit(b, 3);
    lull_pm4_emit(b, 2);
}

/** All state, and the draw. */
static inline void draw_emit(struct lull_pm4_builder *b, uint64_t flag, uint64_t image)
{
    draw_state(b, flag, image);
    draw_auto(b);
}

/** Queue a job that draws. */
static inline void draw_submit(struct fixture *f, uint64_t flag, uint64_t image)
{
    draw_programs(f);
    draw_emit(&f->b, flag, image);
    fixture_submit(f, LULL_RING_GFX, 77);
}

#endif
