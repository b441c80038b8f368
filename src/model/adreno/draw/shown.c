// SPDX-License-Identifier: MIT
// What debuggers and who tells of faults may know of a draw: which invocation a fiber is, what its
// stages are.
#include <stdio.h>
#include <string.h>

#include "hw/adreno_doms.h"
#include "hw/adreno_regs.h"
#include "model/adreno/draw/front.h"
#include "model/adreno/exec/observed.h"

/** What the shader knows itself by: gl_VertexIndex, gl_InstanceIndex. */
static void of_vertex(const struct lull_adraw *d, unsigned fiber, struct lull_adraw_invocation *ret)
{
    const struct lull_adraw_lane *l = &d->lanes[fiber];
    ret->stage = LULL_ASTAGE_VS;
    ret->vertex = l->index + lull_adraw_reg(d, LULL_A6XX_VFD_INDEX_OFFSET);
    ret->instance = l->instance + lull_adraw_reg(d, LULL_A6XX_VFD_INSTANCE_START_OFFSET);
}

static void of_pixel(const struct lull_adraw *d, unsigned fiber, struct lull_adraw_invocation *ret)
{
    const struct lull_adraw_quad *q = &d->quads[fiber / 4];
    const struct lull_adraw_part *part = &d->parts[q->part];
    *ret = (struct lull_adraw_invocation){
        .stage = LULL_ASTAGE_FS,
        .helper = lull_ir3_on(&d->wave.helpers, fiber),
        .x = (uint32_t)q->q.x + (fiber & 1),
        .y = (uint32_t)q->q.y + (fiber >> 1 & 1),
        .per_sample = q->sample != UINT8_MAX,
        .sample = q->sample != UINT8_MAX ? q->sample : 0,
        .primitive = part->id,
        .layer = part->layer,
        .instance = part->instance + lull_adraw_reg(d, LULL_A6XX_VFD_INSTANCE_START_OFFSET)};
}

bool lull_adraw_invocation(const struct lull_adraw *d, unsigned fiber,
                           struct lull_adraw_invocation *ret)
{
    const bool vertex = d->step == LULL_ADRAW_SHADES_VERTICES && fiber < d->nlanes,
               pixel = d->step == LULL_ADRAW_SHADES_PIXELS && fiber / 4 < d->nquads;
    *ret = (struct lull_adraw_invocation){0};
    if (vertex) {
        of_vertex(d, fiber, ret);
    } else if (pixel) {
        of_pixel(d, fiber, ret);
    }
    return vertex || pixel;
}

void lull_adraw_note_fault(struct lull_adraw *d, const struct lull_ir3_env *env)
{
    struct lull_adraw_invocation who;
    char more[32] = "";
    if (env->nfaults == 0 || d->fault[0] != '\0' ||
        !lull_adraw_invocation(d, env->fault.fiber, &who)) {
        return;
    }
    if (who.stage == LULL_ASTAGE_VS) {
        snprintf(d->fault, sizeof d->fault,
                 "vertex shader at instruction %u, fiber %u: vertex %u, instance %u", env->fault.pc,
                 env->fault.fiber, who.vertex, who.instance);
        return;
    }
    if (who.per_sample) {
        snprintf(more, sizeof more, " sample %u", who.sample);
    }
    snprintf(d->fault, sizeof d->fault,
             "fragment shader at instruction %u, fiber %u: pixel %u,%u%s, primitive %u",
             env->fault.pc, env->fault.fiber, who.x, who.y, more, who.primitive);
}

struct lull_ir3_group *lull_adraw_group(struct lull_adraw *d)
{
    return d->step == LULL_ADRAW_SHADES_VERTICES || d->step == LULL_ADRAW_SHADES_PIXELS ? &d->group
                                                                                        : NULL;
}

struct lull_ir3_env *lull_adraw_env(struct lull_adraw *d)
{
    return &d->env[d->step == LULL_ADRAW_SHADES_PIXELS ? LULL_ASTAGE_FS : LULL_ASTAGE_VS];
}

void lull_adraw_tell_wave(struct lull_adraw *d, bool starts)
{
    struct lull_ir3_env *env = lull_adraw_env(d);
    uint32_t at[LULL_IR3_FIBERS][2] = {{0}};
    if (env->observers == NULL) {
        return;
    }
    for (unsigned i = 0; starts && i < d->wave.fibers; i++) {
        struct lull_adraw_invocation who;
        if (lull_adraw_invocation(d, i, &who)) {
            at[i][0] = who.stage == LULL_ASTAGE_VS ? who.vertex : who.x;
            at[i][1] = who.stage == LULL_ASTAGE_VS ? who.instance : who.y;
        }
    }
    env->launch.at = (const uint32_t(*)[2])at;
    lull_ir3_tell_wave(&d->wave, env, starts);
    env->launch.at = NULL;
}

const char *lull_adraw_fault(struct lull_adraw *d)
{
    if (d->fault[0] == '\0') {
        return NULL;
    }
    memcpy(d->told, d->fault, sizeof d->told);
    d->fault[0] = '\0';
    d->env[LULL_ASTAGE_VS].nfaults = d->env[LULL_ASTAGE_FS].nfaults = 0;
    return d->told;
}

const struct lull_ir3_env *lull_adraw_stage(const struct lull_adraw *d, enum lull_astage stage)
{
    return &d->env[stage];
}

struct lull_adraw_summary lull_adraw_summary(const struct lull_adraw *d)
{
    struct lull_adraw_summary s = {.call = d->call};
    for (unsigned i = LULL_ASTAGE_VS; i <= LULL_ASTAGE_FS; i++) {
        const uint32_t ctrl = lull_adraw_reg(d, i == LULL_ASTAGE_VS ? LULL_A6XX_SP_VS_CTRL_REG0
                                                                    : LULL_A6XX_SP_FS_CTRL_REG0);
        s.stage[i].code = d->env[i].code;
        s.stage[i].ninsns = d->program[i].n;
        s.stage[i].fibers = i == LULL_ASTAGE_VS ? (unsigned)LULL_ADRAW_WAVE : d->fibers;
        s.stage[i].full = lull_a6xx_sp_xs_ctrl_reg0__fullregfootprint(ctrl);
        s.stage[i].half = lull_a6xx_sp_xs_ctrl_reg0__halfregfootprint(ctrl);
    }
    const uint32_t tl = lull_adraw_reg(d, LULL_A6XX_GRAS_SC_WINDOW_SCISSOR_TL),
                   br = lull_adraw_reg(d, LULL_A6XX_GRAS_SC_WINDOW_SCISSOR_BR);
    s.window[0] = lull_a6xx_scissor_xy__x(tl);
    s.window[1] = lull_a6xx_scissor_xy__y(tl);
    s.window[2] = lull_a6xx_scissor_xy__x(br) + 1;
    s.window[3] = lull_a6xx_scissor_xy__y(br) + 1;
    return s;
}
