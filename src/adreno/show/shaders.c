// SPDX-License-Identifier: MIT
// Shaders in memory: where they end, and which a draw uses.
#include "adreno/show/walk.h"
#include "isa/ir3/extent.h"

enum { MOST = 1 << 18, ANY_CHIP = 30 };

/** Registers of a stage; 0: there is none. */
struct stage_regs {
    uint32_t start, config;
};

static const struct stage_regs a3xx[LULL_CAP_STAGES] = {
    [LULL_CAP_VS] = {LULL_A3XX_SP_VS_OBJ_START_REG, 0},
    [LULL_CAP_FS] = {LULL_A3XX_SP_FS_OBJ_START_REG, 0},
};
static const struct stage_regs a4xx[LULL_CAP_STAGES] = {
    {LULL_A4XX_SP_VS_OBJ_START, 0}, {LULL_A4XX_SP_HS_OBJ_START, 0}, {LULL_A4XX_SP_DS_OBJ_START, 0},
    {LULL_A4XX_SP_GS_OBJ_START, 0}, {LULL_A4XX_SP_FS_OBJ_START, 0}, {LULL_A4XX_SP_CS_OBJ_START, 0},
};
static const struct stage_regs a5xx[LULL_CAP_STAGES] = {
    {LULL_A5XX_SP_VS_OBJ_START_LO, LULL_A5XX_SP_VS_CONFIG},
    {LULL_A5XX_SP_HS_OBJ_START_LO, LULL_A5XX_SP_HS_CONFIG},
    {LULL_A5XX_SP_DS_OBJ_START_LO, LULL_A5XX_SP_DS_CONFIG},
    {LULL_A5XX_SP_GS_OBJ_START_LO, LULL_A5XX_SP_GS_CONFIG},
    {LULL_A5XX_SP_FS_OBJ_START_LO, LULL_A5XX_SP_FS_CONFIG},
    {LULL_A5XX_SP_CS_OBJ_START_LO, LULL_A5XX_SP_CS_CONFIG},
};
static const struct stage_regs a6xx[LULL_CAP_STAGES] = {
    {LULL_A6XX_SP_VS_OBJ_START, LULL_A6XX_SP_VS_CONFIG},
    {LULL_A6XX_SP_HS_OBJ_START, LULL_A6XX_SP_HS_CONFIG},
    {LULL_A6XX_SP_DS_OBJ_START, LULL_A6XX_SP_DS_CONFIG},
    {LULL_A6XX_SP_GS_OBJ_START, LULL_A6XX_SP_GS_CONFIG},
    {LULL_A6XX_SP_FS_OBJ_START, LULL_A6XX_SP_FS_CONFIG},
    {LULL_A6XX_SP_CS_OBJ_START, LULL_A6XX_SP_CS_CONFIG},
};

static const struct stage_regs *stages_of(unsigned gen)
{
    return gen == 3 ? a3xx : gen == 4 ? a4xx : gen == 5 ? a5xx : gen >= 6 ? a6xx : NULL;
}

bool lull_cap_shader_at(struct lull_cap *c, enum lull_cap_stage stage, uint64_t address,
                        struct lull_cap_shader *ret)
{
    struct lull_cap_shader *s = &c->shaders[(address >> 5 ^ address >> 13) % LULL_CAP_SHADERS];
    if (address == 0) {
        return false;
    }
    if (s->address != address || s->words == NULL) {
        const struct lull_cap_words w = lull_cap_memory(c, address, 2 * MOST);
        *s = (struct lull_cap_shader){.address = address, .words = w.words};
        if (w.n >= 2) {
            s->n = lull_ir3_extent(c->gen * 100 + ANY_CHIP, w.words, w.n);
            s->hash = lull_ir3_hash(w.words, s->n * 2);
            (void)lull_cap_work(c, s->n * 2);
        }
    }
    *ret = *s;
    ret->stage = stage;
    return true;
}

/** Is the stage on? Generations without that bit: it is, if it has code. */
static bool enabled(const struct lull_cap *c, uint32_t config)
{
    uint64_t on = 1;
    if (config != 0) {
        const struct lull_dom_hit hit = lull_dom_lookup(c->index, config);
        if (hit.reg != NULL && !lull_dom_field(&lull_dom_adreno, &c->dom, hit.reg, "ENABLED",
                                               lull_cap_reg(c, config, false), &on)) {
            on = 1;
        }
    }
    return on != 0;
}

void lull_cap_draw_shaders(struct lull_cap *c, struct lull_cap_draw *d)
{
    const struct stage_regs *regs = stages_of(c->gen);
    const bool compute = d->kind == LULL_CAP_DISPATCH;
    d->nshaders = 0;
    if (regs == NULL || d->kind == LULL_CAP_BLIT || d->kind == LULL_CAP_EVENT) {
        return;
    }
    for (unsigned i = 0; i < LULL_CAP_STAGES; i++) {
        if (regs[i].start == 0 || (i == LULL_CAP_CS) != compute || !enabled(c, regs[i].config)) {
            continue;
        }
        const uint64_t start = lull_cap_reg(c, regs[i].start, c->gen >= 5) & ~UINT64_C(15);
        if (lull_cap_shader_at(c, (enum lull_cap_stage)i, start, &d->shaders[d->nshaders])) {
            d->nshaders++;
        }
    }
}
