// SPDX-License-Identifier: MIT
#include "model/adreno/compute/stage.h"

#include <stdlib.h>
#include <string.h>

#include "adreno/stream/load.h"
#include "hw/adreno_doms.h"
#include "hw/adreno_regs.h"

enum {
    INSTRUCTIONS = 16, ///< Of a unit of INSTRLEN.
    MOST_INSTRUCTIONS = 1 << 20,
    SHARED_FIRST = 504 * 4, ///< c504 to c511 are shared constants, if they are enabled.
    BASES_A6XX = 5,
};

/** Blocks of state. Source: Mesa adreno_pm4.xml, a6xx_state_block. */
enum { BLOCK_VS_SHADER = 8, BLOCK_FS_SHADER = 12, BLOCK_CS_SHADER, BLOCK_ANY_IBO, BLOCK_CS_IBO };

/** Numbers of registers of a stage; two: of a6xx, of a7xx. */
struct registers {
    const char *name;
    uint32_t ctrl, start, instrlen, param, address, size, tex, samp, ibo, cntl[2], bindless[2];
};

static const struct registers stages[LULL_ASTAGES] = {
    [LULL_ASTAGE_VS] = {"VS",
                        LULL_A6XX_SP_VS_CTRL_REG0,
                        LULL_A6XX_SP_VS_OBJ_START,
                        LULL_A6XX_SP_VS_INSTRLEN,
                        LULL_A6XX_SP_VS_PVT_MEM_PARAM,
                        LULL_A6XX_SP_VS_PVT_MEM_ADDR,
                        LULL_A6XX_SP_VS_PVT_MEM_SIZE,
                        LULL_A6XX_SP_VS_TEX_CONST,
                        LULL_A6XX_SP_VS_TEX_SAMP,
                        LULL_A6XX_SP_IBO,
                        {LULL_A6XX_HLSQ_VS_CNTL, LULL_A6XX_HLSQ_VS_CNTL__A7XX},
                        {LULL_A6XX_SP_BINDLESS_BASE_DESCRIPTOR,
                         LULL_A6XX_SP_BINDLESS_BASE_DESCRIPTOR__A7XX}},
    [LULL_ASTAGE_FS] = {"FS",
                        LULL_A6XX_SP_FS_CTRL_REG0,
                        LULL_A6XX_SP_FS_OBJ_START,
                        LULL_A6XX_SP_FS_INSTRLEN,
                        LULL_A6XX_SP_FS_PVT_MEM_PARAM,
                        LULL_A6XX_SP_FS_PVT_MEM_ADDR,
                        LULL_A6XX_SP_FS_PVT_MEM_SIZE,
                        LULL_A6XX_SP_FS_TEX_CONST,
                        LULL_A6XX_SP_FS_TEX_SAMP,
                        LULL_A6XX_SP_IBO,
                        {LULL_A6XX_HLSQ_FS_CNTL, LULL_A6XX_HLSQ_FS_CNTL__A7XX},
                        {LULL_A6XX_SP_BINDLESS_BASE_DESCRIPTOR,
                         LULL_A6XX_SP_BINDLESS_BASE_DESCRIPTOR__A7XX}},
    [LULL_ASTAGE_CS] = {"CS",
                        LULL_A6XX_SP_CS_CTRL_REG0,
                        LULL_A6XX_SP_CS_OBJ_START,
                        LULL_A6XX_SP_CS_INSTRLEN,
                        LULL_A6XX_SP_CS_PVT_MEM_PARAM,
                        LULL_A6XX_SP_CS_PVT_MEM_ADDR,
                        LULL_A6XX_SP_CS_PVT_MEM_SIZE,
                        LULL_A6XX_SP_CS_TEX_CONST,
                        LULL_A6XX_SP_CS_TEX_SAMP,
                        LULL_A6XX_SP_CS_IBO,
                        {LULL_A6XX_HLSQ_CS_CNTL, LULL_A6XX_HLSQ_CS_CNTL__A7XX},
                        {LULL_A6XX_SP_CS_BINDLESS_BASE_DESCRIPTOR,
                         LULL_A6XX_SP_CS_BINDLESS_BASE_DESCRIPTOR}},
};

static bool load_word(const struct lull_ir3_memory *m, uint64_t address, uint32_t *ret)
{
    const uint8_t *at = m->at(m->ctx, address, 4, false);
    *ret = 0;
    for (unsigned i = 0; at != NULL && i < 4; i++) {
        *ret |= (uint32_t)at[i] << 8 * i;
    }
    return at != NULL;
}

/** Where a load goes. */
struct place {
    uint32_t *to; ///< NULL: nowhere.
    uint32_t unit, room;
};

static struct place place_of(struct lull_acompute_state *s, unsigned gen,
                             const struct lull_as_load *l)
{
    const enum lull_load_what what = lull_load_what(gen, l->block, l->type);
    const enum lull_astage stage = l->block == BLOCK_VS_SHADER   ? LULL_ASTAGE_VS
                                   : l->block == BLOCK_FS_SHADER ? LULL_ASTAGE_FS
                                   : l->block == BLOCK_CS_SHADER ? LULL_ASTAGE_CS
                                                                 : LULL_ASTAGES;
    if ((l->block == BLOCK_CS_IBO || l->block == BLOCK_ANY_IBO) && what != LULL_LOAD_IBOS) {
        return (struct place){s->shared, 1, sizeof s->shared / 4};
    }
    if (stage != LULL_ASTAGES && what == LULL_LOAD_CONSTANTS) {
        return (struct place){s->stage[stage].consts, 4, LULL_IR3_CONSTS};
    }
    if (stage != LULL_ASTAGES && what == LULL_LOAD_UBOS) {
        uint32_t *ubo = (uint32_t *)(void *)s->stage[stage].ubo;
        return (struct place){ubo, 2, sizeof s->stage[stage].ubo / 4};
    }
    return (struct place){NULL, 0, 0};
}

void lull_astage_load(struct lull_acompute_state *s, const struct lull_ir3_memory *memory,
                      unsigned gen, const struct lull_as_packet *packet,
                      const struct lull_as_load *l)
{
    const uint32_t head = 4; // The header and three dwords.
    const struct place p = place_of(s, gen, l);
    if (l->source == LULL_LOAD_BINDLESS || p.to == NULL) {
        return; // A prefetch.
    }
    for (uint64_t i = 0; i < (uint64_t)l->units * p.unit; i++) {
        const uint64_t n = (uint64_t)l->first * p.unit + i;
        uint32_t v = 0;
        if (l->source == LULL_LOAD_DIRECT) {
            v = head + i < packet->n ? packet->words[head + i] : 0;
        } else {
            (void)load_word(memory, (l->address & ~UINT64_C(3)) + 4 * i, &v);
        }
        if (n < p.room) {
            p.to[n] = v;
        }
    }
}

struct lull_error *lull_astage_code(const struct lull_acompute_source *s, enum lull_astage stage,
                                    struct lull_ir3_program *ret)
{
    const struct registers *r = &stages[stage];
    const uint64_t at = lull_astage_reg64(s, r->start);
    const uint32_t n = s->reg(s->ctx, r->instrlen) * INSTRUCTIONS;
    if (n == 0 || n > MOST_INSTRUCTIONS) {
        return lull_error_new(LULL_ERR_BAD_DATA, "SP_%s_INSTRLEN: a shader of %u instructions",
                              r->name, n);
    }
    // The bit is elsewhere in SP_VS_CTRL_REG0.
    const uint32_t ctrl = s->reg(s->ctx, r->ctrl);
    if (stage == LULL_ASTAGE_VS ? lull_a6xx_sp_vs_ctrl_reg0__mergedregs(ctrl) == 0
                                : lull_a6xx_sp_cs_ctrl_reg0__mergedregs(ctrl) == 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "SP_%s_CTRL_REG0 has no MERGEDREGS", r->name);
    }
    uint64_t *words = calloc(n, sizeof *words);
    if (words == NULL) {
        return lull_error_new(LULL_ERR_NO_MEMORY, "a shader of %u instructions", n);
    }
    struct lull_error *err = NULL;
    for (uint32_t i = 0; i < n && err == NULL; i++) {
        uint32_t lo = 0, hi = 0;
        if (!load_word(&s->memory, at + 8 * (uint64_t)i, &lo) ||
            !load_word(&s->memory, at + 8 * (uint64_t)i + 4, &hi)) {
            err = lull_error_fault(at + 8 * (uint64_t)i, "instruction %u of the shader", i);
        }
        words[i] = (uint64_t)hi << 32 | lo;
    }
    if (err == NULL) {
        err = lull_ir3_program_new(words, n, s->gpu_id, ret);
    }
    if (err == NULL && s->engine != NULL && s->engine_state != NULL) {
        s->engine->compile(s->engine_state, ret);
    }
    free(words);
    return err;
}

void lull_astage_env(const struct lull_acompute_source *s, enum lull_astage stage,
                     struct lull_ir3_env *ret)
{
    const struct registers *r = &stages[stage];
    const bool a7 = s->gpu_id >= 700;
    const uint32_t cntl = s->reg(s->ctx, r->cntl[a7]);
    const uint32_t mode = s->reg(s->ctx, LULL_A6XX_SP_MODE_CONTROL);
    const uint32_t param = s->reg(s->ctx, r->param);
    const uint32_t total = s->reg(s->ctx, r->size);
    uint32_t *shared = s->state->shared;
    *ret = (struct lull_ir3_env){
        .memory = s->memory,
        .consts = s->state->stage[stage].consts,
        .nconsts = lull_a6xx_hlsq_xs_cntl__constlen(cntl) * 4,
        .shared_consts = shared,
        .shared_first =
            !a7 && lull_a6xx_sp_mode_control__shared_consts_enable(mode) != 0 ? SHARED_FIRST : 0,
        .demote = lull_a6xx_sp_mode_control__constant_demotion_enable(mode) != 0,
        .assume = s->assume,
        .observers = s->observers,
        .launch = {.dispatches = s->dispatches, .space = s->space},
        .code = lull_astage_reg64(s, r->start),
        .priv = {.address = lull_astage_reg64(s, r->address),
                 .fiber_bytes = lull_a6xx_sp_xs_pvt_mem_param__memsizeperitem(param),
                 .sp_bytes = lull_a6xx_sp_xs_pvt_mem_size__totalpvtmemsize(total),
                 .per_wave = lull_a6xx_sp_xs_pvt_mem_size__perwavememlayout(total) != 0},
        .ibo = lull_astage_reg64(s, r->ibo),
        .tex = lull_astage_reg64(s, r->tex),
        .samp = lull_astage_reg64(s, r->samp),
        .border =
            lull_astage_reg64(s, stage == LULL_ASTAGE_CS ? LULL_A6XX_SP_PS_TP_BORDER_COLOR_BASE_ADDR
                                                         : LULL_A6XX_SP_TP_BORDER_COLOR_BASE_ADDR),
    };
    for (unsigned i = 0; i < (a7 ? LULL_IR3_BASES : BASES_A6XX); i++) {
        ret->bindless[i] = lull_astage_reg64(s, r->bindless[a7] + 2 * i);
    }
    memcpy(ret->ubo, s->state->stage[stage].ubo, sizeof ret->ubo);
    for (unsigned i = 0; a7 && i < sizeof s->state->shared / 4; i++) {
        shared[i] = s->reg(s->ctx, LULL_A6XX_HLSQ_SHARED_CONSTS_IMM + i);
    }
}
