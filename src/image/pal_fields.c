// SPDX-License-Identifier: MIT
// Names of registers and fields in .graphics_registers.
#include <stdio.h>
#include <string.h>

#include "hw/draw11_regs.h"
#include "hw/field.h"
#include "image/pal_priv.h"

/** A field, or several of one width behind each other, whose key has %u for their number. */
struct row {
    const char *key, *field; ///< field NULL: a number without a map around it.
    uint32_t reg, mask;      ///< mask: of the first; 0: it does not change what is drawn.
    unsigned count;          ///< 0: one.
};

// clang-format off
#define F(reg, field) LULL_DRAW11_##reg, LULL_DRAW11_##reg##__##field##_MASK
static const struct row rows[] = {
    {".vgt_shader_stages_en", ".ls_stage_en", F(VGT_SHADER_STAGES_EN, LS_EN), 0},
    {".vgt_shader_stages_en", ".hs_stage_en", F(VGT_SHADER_STAGES_EN, HS_EN), 0},
    {".vgt_shader_stages_en", ".es_stage_en", F(VGT_SHADER_STAGES_EN, ES_EN), 0},
    {".vgt_shader_stages_en", ".gs_stage_en", F(VGT_SHADER_STAGES_EN, GS_EN), 0},
    {".vgt_shader_stages_en", ".dynamic_hs", F(VGT_SHADER_STAGES_EN, DYNAMIC_HS), 0},
    {".vgt_shader_stages_en", ".primgen_en", F(VGT_SHADER_STAGES_EN, PRIMGEN_EN), 0},
    {".vgt_shader_stages_en", ".gs_fast_launch", F(VGT_SHADER_STAGES_EN, GS_FAST_LAUNCH), 0},
    {".vgt_shader_stages_en", ".hs_w32_en", F(VGT_SHADER_STAGES_EN, HS_W32_EN), 0},
    {".vgt_shader_stages_en", ".gs_w32_en", F(VGT_SHADER_STAGES_EN, GS_W32_EN), 0},
    {".vgt_shader_stages_en", ".ngg_wave_id_en", F(VGT_SHADER_STAGES_EN, NGG_WAVE_ID_EN), 0},
    {".vgt_shader_stages_en", ".primgen_passthru_en", F(VGT_SHADER_STAGES_EN, PRIMGEN_PASSTHRU_EN), 0},
    {".vgt_shader_stages_en", ".primgen_passthru_no_msg", F(VGT_SHADER_STAGES_EN, PRIMGEN_PASSTHRU_NO_MSG), 0},
    {".vgt_shader_stages_en", ".max_primgroup_in_wave", 0, 0, 0},
    {".vgt_shader_stages_en", ".vs_w32_en", 0, 0, 0},
    {".vgt_tf_param", ".type", F(VGT_TF_PARAM, TYPE), 0},
    {".vgt_tf_param", ".partitioning", F(VGT_TF_PARAM, PARTITIONING), 0},
    {".vgt_tf_param", ".topology", F(VGT_TF_PARAM, TOPOLOGY), 0},
    {".vgt_tf_param", ".distribution_mode", 0, 0, 0},
    {".vgt_tf_param", ".num_ds_waves_per_simd", 0, 0, 0},
    {".vgt_tf_param", ".disable_donuts", 0, 0, 0},
    {".vgt_ls_hs_config", ".num_patches", F(VGT_LS_HS_CONFIG, NUM_PATCHES), 0},
    {".vgt_ls_hs_config", ".hs_num_input_cp", F(VGT_LS_HS_CONFIG, HS_NUM_INPUT_CP), 0},
    {".vgt_ls_hs_config", ".hs_num_output_cp", F(VGT_LS_HS_CONFIG, HS_NUM_OUTPUT_CP), 0},
    {".vgt_hos_max_tess_level", NULL, F(VGT_HOS_MAX_TESS_LEVEL, LEVEL), 0},
    {".vgt_gs_max_vert_out", NULL, F(VGT_GS_MAX_VERT_OUT, MAX_VERT_OUT), 0},
    {".vgt_gs_instance_cnt", ".enable", F(VGT_GS_INSTANCE_CNT, ENABLE), 0},
    {".vgt_gs_instance_cnt", ".count", F(VGT_GS_INSTANCE_CNT, CNT), 0},
    {".vgt_gs_instance_cnt", ".en_max_vert_out_per_gs_instance", F(VGT_GS_INSTANCE_CNT, EN_MAX_VERT_OUT_PER_GS_INSTANCE), 0},
    {".vgt_esgs_ring_itemsize", NULL, F(VGT_ESGS_RING_ITEMSIZE, ITEMSIZE), 0},
    {".vgt_draw_prim_payload_en", NULL, F(VGT_DRAW_PAYLOAD_CNTL, EN_PRIM_PAYLOAD), 0},
    {".vgt_primitive_id_en", NULL, F(VGT_PRIMITIVEID_EN, PRIMITIVEID_EN), 0},
    {".ngg_disable_provok_reuse", NULL, F(VGT_PRIMITIVEID_EN, NGG_DISABLE_PROVOK_REUSE), 0},
    {".vgt_gs_onchip_cntl", ".es_verts_per_subgroup", F(GE_CNTL, VERTS_PER_SUBGRP), 0},
    {".vgt_gs_onchip_cntl", ".gs_prims_per_subgroup", F(GE_CNTL, PRIMS_PER_SUBGRP), 0},
    {".vgt_gs_onchip_cntl", ".gs_inst_prims_per_subgrp", 0, 0, 0},
    {".max_verts_per_subgroup", NULL, F(GE_MAX_OUTPUT_PER_SUBGROUP, MAX_VERTS_PER_SUBGROUP), 0},
    {".ge_ngg_subgrp_cntl", ".prim_amp_factor", F(GE_NGG_SUBGRP_CNTL, PRIM_AMP_FACTOR), 0},
    {".ge_ngg_subgrp_cntl", ".threads_per_subgroup", F(GE_NGG_SUBGRP_CNTL, THDS_PER_SUBGRP), 0},
    {".spi_shader_gs_meshlet_dim", ".num_thread_x", F(SPI_SHADER_GS_MESHLET_DIM, NUM_THREAD_X), 0},
    {".spi_shader_gs_meshlet_dim", ".num_thread_y", F(SPI_SHADER_GS_MESHLET_DIM, NUM_THREAD_Y), 0},
    {".spi_shader_gs_meshlet_dim", ".num_thread_z", F(SPI_SHADER_GS_MESHLET_DIM, NUM_THREAD_Z), 0},
    {".spi_shader_gs_meshlet_dim", ".threadgroup_size", F(SPI_SHADER_GS_MESHLET_DIM, THREADGROUP_SIZE), 0},
    {".spi_shader_gs_meshlet_exp_alloc", ".max_exp_verts", F(SPI_SHADER_GS_MESHLET_EXP_ALLOC, MAX_EXP_VERTS), 0},
    {".spi_shader_gs_meshlet_exp_alloc", ".max_exp_prims", F(SPI_SHADER_GS_MESHLET_EXP_ALLOC, MAX_EXP_PRIMS), 0},
    {".spi_vs_out_config", ".vs_export_count", F(SPI_VS_OUT_CONFIG, VS_EXPORT_COUNT), 0},
    {".spi_vs_out_config", ".prim_export_count", F(SPI_VS_OUT_CONFIG, PRIM_EXPORT_COUNT), 0},
    {".spi_vs_out_config", ".no_pc_export", F(SPI_VS_OUT_CONFIG, NO_PC_EXPORT), 0},
    {".pa_cl_clip_cntl", ".user_clip_plane%u_ena", LULL_DRAW11_PA_CL_CLIP_CNTL, 1, 6},
    {".pa_cl_clip_cntl", ".rasterization_kill", F(PA_CL_CLIP_CNTL, DX_RASTERIZATION_KILL), 0},
    {".pa_cl_clip_cntl", ".vte_vport_provoke_disable", 0, 0, 0},
    {".pa_cl_clip_cntl", ".dx_linear_attr_clip_ena", 0, 0, 0},
    {".pa_cl_vte_cntl", ".x_scale_ena", F(PA_CL_VTE_CNTL, VPORT_X_SCALE_ENA), 0},
    {".pa_cl_vte_cntl", ".x_offset_ena", F(PA_CL_VTE_CNTL, VPORT_X_OFFSET_ENA), 0},
    {".pa_cl_vte_cntl", ".y_scale_ena", F(PA_CL_VTE_CNTL, VPORT_Y_SCALE_ENA), 0},
    {".pa_cl_vte_cntl", ".y_offset_ena", F(PA_CL_VTE_CNTL, VPORT_Y_OFFSET_ENA), 0},
    {".pa_cl_vte_cntl", ".z_scale_ena", F(PA_CL_VTE_CNTL, VPORT_Z_SCALE_ENA), 0},
    {".pa_cl_vte_cntl", ".z_offset_ena", F(PA_CL_VTE_CNTL, VPORT_Z_OFFSET_ENA), 0},
    {".pa_cl_vte_cntl", ".vtx_w0_fmt", F(PA_CL_VTE_CNTL, VTX_W0_FMT), 0},
    {".pa_cl_vs_out_cntl", ".clip_dist_ena_%u", LULL_DRAW11_PA_CL_VS_OUT_CNTL, 1, 8},
    {".pa_cl_vs_out_cntl", ".cull_dist_ena_%u", LULL_DRAW11_PA_CL_VS_OUT_CNTL, 1 << 8, 8},
    {".pa_cl_vs_out_cntl", ".use_vtx_point_size", F(PA_CL_VS_OUT_CNTL, USE_VTX_POINT_SIZE), 0},
    {".pa_cl_vs_out_cntl", ".use_vtx_edge_flag", F(PA_CL_VS_OUT_CNTL, USE_VTX_EDGE_FLAG), 0},
    {".pa_cl_vs_out_cntl", ".use_vtx_render_target_indx", F(PA_CL_VS_OUT_CNTL, USE_VTX_RENDER_TARGET_INDX), 0},
    {".pa_cl_vs_out_cntl", ".use_vtx_viewport_indx", F(PA_CL_VS_OUT_CNTL, USE_VTX_VIEWPORT_INDX), 0},
    {".pa_cl_vs_out_cntl", ".use_vtx_kill_flag", F(PA_CL_VS_OUT_CNTL, USE_VTX_KILL_FLAG), 0},
    {".pa_cl_vs_out_cntl", ".vs_out_misc_vec_ena", F(PA_CL_VS_OUT_CNTL, VS_OUT_MISC_VEC_ENA), 0},
    {".pa_cl_vs_out_cntl", ".vs_out_cc_dist0_vec_ena", F(PA_CL_VS_OUT_CNTL, VS_OUT_CCDIST0_VEC_ENA), 0},
    {".pa_cl_vs_out_cntl", ".vs_out_cc_dist1_vec_ena", F(PA_CL_VS_OUT_CNTL, VS_OUT_CCDIST1_VEC_ENA), 0},
    {".pa_cl_vs_out_cntl", ".vs_out_misc_side_bus_ena", 0, 0, 0},
    {".pa_cl_vs_out_cntl", ".bypass_vtx_rate_combiner", 0, 0, 0},
    {".pa_cl_vs_out_cntl", ".bypass_prim_rate_combiner", 0, 0, 0},
    {".ps_iter_sample", NULL, F(PA_SC_MODE_CNTL_1, PS_ITER_SAMPLE), 0},
    {".ps_load_provoking_vtx", NULL, F(SPI_SHADER_PGM_RSRC1_PS, LOAD_PROVOKING_VTX), 0},
    {".spi_interp_control", ".point_sprite_ena", F(SPI_INTERP_CONTROL_0, PNT_SPRITE_ENA), 0},
    {".spi_interp_control", ".point_sprite_override_x", F(SPI_INTERP_CONTROL_0, PNT_SPRITE_OVRD_X), 0},
    {".spi_interp_control", ".point_sprite_override_y", F(SPI_INTERP_CONTROL_0, PNT_SPRITE_OVRD_Y), 0},
    {".spi_interp_control", ".point_sprite_override_z", F(SPI_INTERP_CONTROL_0, PNT_SPRITE_OVRD_Z), 0},
    {".spi_interp_control", ".point_sprite_override_w", F(SPI_INTERP_CONTROL_0, PNT_SPRITE_OVRD_W), 0},
    {".spi_ps_in_control", ".num_interps", F(SPI_PS_IN_CONTROL, NUM_INTERP), 0},
    {".spi_ps_in_control", ".num_prim_interp", F(SPI_PS_IN_CONTROL, NUM_PRIM_INTERP), 0},
    {".spi_ps_in_control", ".ps_w32_en", F(SPI_PS_IN_CONTROL, PS_W32_EN), 0},
    {".spi_baryc_cntl", ".pos_float_location", F(SPI_BARYC_CNTL, POS_FLOAT_LOCATION), 0},
    {".spi_baryc_cntl", ".pos_float_ulc", F(SPI_BARYC_CNTL, POS_FLOAT_ULC), 0},
    {".spi_baryc_cntl", ".front_face_all_bits", F(SPI_BARYC_CNTL, FRONT_FACE_ALL_BITS), 0},
    {".spi_shader_idx_format", NULL, F(SPI_SHADER_IDX_FORMAT, IDX0_EXPORT_FORMAT), 0},
    {".spi_shader_z_format", NULL, F(SPI_SHADER_Z_FORMAT, Z_EXPORT_FORMAT), 0},
    {".spi_shader_col_format", ".col_%u_export_format", LULL_DRAW11_SPI_SHADER_COL_FORMAT, 15, 8},
    {".cb_shader_mask", ".output%u_enable", LULL_DRAW11_CB_SHADER_MASK, 15, 8},
    {".db_shader_control", ".z_export_enable", F(DB_SHADER_CONTROL, Z_EXPORT_ENABLE), 0},
    {".db_shader_control", ".stencil_test_val_export_enable", F(DB_SHADER_CONTROL, STENCIL_TEST_VAL_EXPORT_ENABLE), 0},
    {".db_shader_control", ".z_order", F(DB_SHADER_CONTROL, Z_ORDER), 0},
    {".db_shader_control", ".kill_enable", F(DB_SHADER_CONTROL, KILL_ENABLE), 0},
    {".db_shader_control", ".mask_export_enable", F(DB_SHADER_CONTROL, MASK_EXPORT_ENABLE), 0},
    {".db_shader_control", ".exec_on_hier_fail", F(DB_SHADER_CONTROL, EXEC_ON_HIER_FAIL), 0},
    {".db_shader_control", ".exec_on_noop", F(DB_SHADER_CONTROL, EXEC_ON_NOOP), 0},
    {".db_shader_control", ".alpha_to_mask_disable", F(DB_SHADER_CONTROL, ALPHA_TO_MASK_DISABLE), 0},
    {".db_shader_control", ".depth_before_shader", F(DB_SHADER_CONTROL, DEPTH_BEFORE_SHADER), 0},
    {".db_shader_control", ".primitive_ordered_pixel_shader", F(DB_SHADER_CONTROL, PRIMITIVE_ORDERED_PIXEL_SHADER), 0},
    {".db_shader_control", ".pre_shader_depth_coverage_enable", F(DB_SHADER_CONTROL, PRE_SHADER_DEPTH_COVERAGE_ENABLE), 0},
    {".db_shader_control", ".conservative_z_export", 0, 0, 0},
    {".spi_ps_input_cntl", ".offset", F(SPI_PS_INPUT_CNTL_0, OFFSET), 0},
    {".spi_ps_input_cntl", ".flat_shade", F(SPI_PS_INPUT_CNTL_0, FLAT_SHADE), 0},
    {".spi_ps_input_cntl", ".pt_sprite_tex", F(SPI_PS_INPUT_CNTL_0, PT_SPRITE_TEX), 0},
    {".spi_ps_input_cntl", ".fp16_interp_mode", F(SPI_PS_INPUT_CNTL_0, FP16_INTERP_MODE), 0},
    {".spi_ps_input_cntl", ".attr0_valid", F(SPI_PS_INPUT_CNTL_0, ATTR0_VALID), 0},
    {".spi_ps_input_cntl", ".attr1_valid", F(SPI_PS_INPUT_CNTL_0, ATTR1_VALID), 0},
    {".spi_ps_input_cntl", ".prim_attr", F(SPI_PS_INPUT_CNTL_0, PRIM_ATTR), 0},
};
#undef F

/** Of .spi_ps_input_ena and .spi_ps_input_addr, bit by bit. */
static const char *const inputs[] = {
    ".persp_sample_ena", ".persp_center_ena", ".persp_centroid_ena", ".persp_pull_model_ena",
    ".linear_sample_ena", ".linear_center_ena", ".linear_centroid_ena", ".line_stipple_tex_ena",
    ".pos_x_float_ena", ".pos_y_float_ena", ".pos_z_float_ena", ".pos_w_float_ena",
    ".front_face_ena", ".ancillary_ena", ".sample_coverage_ena", ".pos_fixed_pt_ena",
};

/** What does not change what is drawn: of other GPUs, for culling, for speed, or PAL's own. */
static const char *const hints[] = {
    ".ngg_culling_data_reg", ".vgt_hos_min_tess_level", ".hs_tg_size_en", ".gs_vgpr_comp_cnt", ".es_vgpr_comp_cnt", ".vs_vgpr_comp_cnt", ".ls_vgpr_comp_cnt",
    ".ps_extra_lds_size", ".pa_su_vtx_cntl", ".vgt_gs_mode", ".vgt_gs_per_vs", ".vgt_gs_vert_itemsize",
    ".vgt_gsvs_ring_itemsize", ".vgt_gsvs_ring_offset", ".vgt_reuse_off",
    ".ia_multi_vgt_param", ".ia_multi_vgt_param_piped", ".aa_coverage_to_shader_select",
};
// clang-format on

/** The place of @p field among several of @p row; -1: it is none of them. */
static int place(const struct row *row, const char *field)
{
    char name[64] = "";
    for (unsigned i = 0; i < row->count; i++) {
        const char *at = strstr(row->field, "%u");
        snprintf(name, sizeof name, "%.*s%u%s", (int)(at - row->field), row->field, i, at + 2);
        if (strcmp(name, field) == 0) {
            return (int)i;
        }
    }
    return row->count == 0 && strcmp(row->field, field) == 0 ? 0 : -1;
}

/** Of a map of inputs. */
static bool input(const char *key, const char *field, struct lull_pal_field *ret)
{
    const bool addr = strcmp(key, ".spi_ps_input_addr") == 0;
    if (!addr && strcmp(key, ".spi_ps_input_ena") != 0) {
        return false;
    }
    for (unsigned i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        if (field != NULL && strcmp(inputs[i], field) == 0) {
            *ret = (struct lull_pal_field){
                .reg = addr ? LULL_DRAW11_SPI_PS_INPUT_ADDR : LULL_DRAW11_SPI_PS_INPUT_ENA,
                .mask = 1u << i,
            };
            return true;
        }
    }
    return false;
}

bool lull_pal_field(const char *key, const char *field, struct lull_pal_field *ret)
{
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++) {
        if (strcmp(hints[i], key) == 0) {
            *ret = (struct lull_pal_field){0};
            return true;
        }
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *r = &rows[i];
        if (strcmp(r->key, key) != 0 || (r->field == NULL) != (field == NULL)) {
            continue;
        }
        const int n = field == NULL ? 0 : place(r, field);
        if (n >= 0) {
            const unsigned bits = (unsigned)__builtin_popcount(r->mask);
            *ret = (struct lull_pal_field){.reg = r->reg, .mask = r->mask << (unsigned)n * bits};
            return true;
        }
    }
    return input(key, field, ret);
}
