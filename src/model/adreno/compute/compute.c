// SPDX-License-Identifier: MIT
#include "model/adreno/compute/compute_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/adreno_doms.h"
#include "hw/adreno_regs.h"
#include "model/adreno/exec/observed.h"
#include "model/adreno/exec/stops.h"

enum {
    MOST_LOCAL = 1024, ///< Invocations of a group.
    KIB = 1024,
};

/** Sizes: groups, waves, shared memory. */
LULL_MUST_USE static struct lull_error *shape(struct lull_acompute *c)
{
    const struct lull_acompute_source *s = &c->source;
    const uint32_t range =
        lull_astage_reg(s, LULL_A6XX_HLSQ_CS_NDRANGE_0, LULL_A6XX_HLSQ_CS_NDRANGE_0__A7XX);
    const uint32_t ids = lull_astage_reg(s, LULL_A6XX_HLSQ_CS_CNTL_0, LULL_A6XX_SP_CS_CNTL_0);
    const uint32_t linear = lull_astage_reg(s, LULL_A6XX_HLSQ_CS_CNTL_1, LULL_A6XX_SP_CS_CNTL_1);
    const uint32_t ctrl = s->reg(s->ctx, LULL_A6XX_SP_CS_CTRL_REG0);
    struct lull_ir3_dispatch *d = &c->dispatch;
    *d = (struct lull_ir3_dispatch){
        .local = {lull_a6xx_hlsq_cs_ndrange_0__localsizex(range) + 1,
                  lull_a6xx_hlsq_cs_ndrange_0__localsizey(range) + 1,
                  lull_a6xx_hlsq_cs_ndrange_0__localsizez(range) + 1},
        .fibers = lull_a6xx_sp_cs_ctrl_reg0__threadsize(ctrl) != 0 ? 128 : 64,
        .local_reg = (uint8_t)lull_a6xx_hlsq_cs_cntl_0__localidregid(ids),
        .linear_reg = (uint8_t)lull_a6xx_hlsq_cs_cntl_1__linearlocalidregid(linear),
        .group_reg = (uint8_t)lull_a6xx_hlsq_cs_cntl_0__wgidconstid(ids),
        .seed = s->seed,
        .assume = s->assume,
    };
    const uint64_t invocations = (uint64_t)d->local[0] * d->local[1] * d->local[2];
    if (invocations > MOST_LOCAL) {
        return lull_error_new(LULL_ERR_BAD_DATA, "a group of %ux%ux%u invocations", d->local[0],
                              d->local[1], d->local[2]);
    }
    const uint32_t size =
        lull_a6xx_sp_cs_ctrl_reg1__shared_size(s->reg(s->ctx, LULL_A6XX_SP_CS_CTRL_REG1));
    c->env.local_bytes = size == 0 ? 32 * KIB : (size + 1) * KIB;
    return NULL;
}

/** Groups that may be under way at once: one; with an order as many as a shader processor holds,
 * and as private memory has room for. */
static unsigned most_open(const struct lull_acompute *c)
{
    const struct lull_ir3_dispatch *d = &c->dispatch;
    const struct lull_ir3_private *p = &c->env.priv;
    const uint32_t invocations = d->local[0] * d->local[1] * d->local[2];
    const uint32_t fibers = (invocations + d->fibers - 1) / d->fibers * d->fibers;
    const uint32_t holds = c->source.sp_fibers;
    const uint32_t room = p->fiber_bytes != 0 && p->sp_bytes / p->fiber_bytes < holds
                              ? p->sp_bytes / p->fiber_bytes
                              : holds;
    const uint32_t n = c->source.order != NULL ? room / fibers : 1;
    return n < 1 ? 1 : n > LULL_ACOMPUTE_OPEN ? LULL_ACOMPUTE_OPEN : n;
}

/** What observers are told of it. */
static void launch(struct lull_acompute *c)
{
    const uint32_t *local = c->dispatch.local;
    struct lull_ir3_launch *l = &c->env.launch;
    c->number = c->source.launches != NULL ? (*c->source.launches)++ : 0;
    if (c->source.observers != NULL) {
        l->number = c->number;
        c->insns = lull_ir3_insns_new(&c->program);
        c->env.insns = c->insns;
        memcpy(l->full, local, sizeof l->full);
        l->nwaves = (local[0] * local[1] * local[2] + c->dispatch.fibers - 1) / c->dispatch.fibers;
    }
}

struct lull_error *lull_acompute_new(const struct lull_acompute_source *source,
                                     const uint32_t groups[3], struct lull_acompute **ret)
{
    struct lull_acompute *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return lull_error_new(LULL_ERR_NO_MEMORY, "a dispatch");
    }
    c->source = *source;
    memcpy(c->groups, groups, sizeof c->groups);
    c->total = (uint64_t)groups[0] * groups[1] * groups[2];
    lull_astage_env(&c->source, LULL_ASTAGE_CS, &c->env);
    struct lull_error *err = lull_astage_code(&c->source, LULL_ASTAGE_CS, &c->program);
    if (err == NULL) {
        err = shape(c);
    }
    if (err != NULL) {
        lull_acompute_free(c);
        return err;
    }
    launch(c);
    c->env.program = &c->program;
    c->stores = lull_ir3_program_stores_local(&c->program);
    c->written = lull_ir3_program_written(&c->program);
    c->most = most_open(c);
    c->env.preamble_done = &c->preamble_done;
    *ret = c;
    return NULL;
}

void lull_acompute_free(struct lull_acompute *c)
{
    if (c != NULL) {
        for (unsigned i = 0; i < c->nopen; i++) {
            lull_acompute_tell(c, &c->open[i], false);
        }
        for (unsigned i = 0; i < LULL_ACOMPUTE_OPEN; i++) {
            lull_ir3_group_done(&c->open[i].group);
            free(c->open[i].local);
        }
        lull_ir3_program_done(&c->program);
        free(c->insns);
        free(c);
    }
}

LULL_MUST_USE static struct lull_error *stuck(const struct lull_acompute *c)
{
    const struct lull_ir3_group *g = &c->open[c->at].group;
    const struct lull_ir3_wave *w = lull_ir3_group_fault(g);
    return lull_error_new(LULL_ERR_UNSUPPORTED, "wave %u of group %u,%u,%u at instruction %u: %s",
                          w->number, g->id[0], g->id[1], g->id[2], w->pc, w->wrong);
}

static void note_fault(struct lull_acompute *c, const struct lull_ir3_group *g)
{
    const struct lull_ir3_fault *f = &c->env.fault;
    if (c->env.nfaults != 0 && c->fault[0] == '\0') {
        snprintf(c->fault, sizeof c->fault, "wave %u of group %u,%u,%u at instruction %u, fiber %u",
                 f->wave, g->id[0], g->id[1], g->id[2], f->pc, f->fiber);
    }
}

const char *lull_acompute_fault(struct lull_acompute *c)
{
    if (c->fault[0] == '\0') {
        return NULL;
    }
    snprintf(c->told, sizeof c->told, "%s", c->fault);
    c->fault[0] = '\0';
    c->env.nfaults = 0;
    return c->told;
}

struct lull_error *lull_acompute_run(struct lull_acompute *c, uint64_t most, uint64_t *done)
{
    *done = 0;
    while (*done < most && !lull_acompute_ended(c)) {
        struct lull_error *err = lull_acompute_ready(c);
        if (err != NULL) {
            return err;
        }
        struct lull_ir3_group *g = &c->open[c->at].group;
        const uint64_t left = most - *done;
        const uint64_t n = lull_ir3_stops_run(
            c->source.stops, g, &c->env, c->dispatch.seed,
            c->source.order != NULL && c->left != 0 && c->left < left ? c->left : left);
        *done += n;
        note_fault(c, g);
        const bool idle = n == 0 && !lull_ir3_group_ended(g);
        const bool wrong = lull_ir3_group_fault(g) != NULL;
        lull_acompute_ran(c, n);
        if (lull_acompute_stands(c)) {
            return NULL;
        }
        if (wrong) {
            return stuck(c);
        }
        if (idle) { // Who could run stands, as it did when this happened first.
            return NULL;
        }
    }
    return NULL;
}

bool lull_acompute_ended(const struct lull_acompute *c)
{
    return c->next == c->total && c->nopen == 0;
}

struct lull_ir3_group *lull_acompute_group(struct lull_acompute *c)
{
    struct lull_acompute_open *now = lull_acompute_now(c);
    return now != NULL ? &now->group : NULL;
}

struct lull_ir3_env *lull_acompute_env(struct lull_acompute *c)
{
    return &c->env;
}

struct lull_acompute_shape lull_acompute_shape(const struct lull_acompute *c)
{
    const struct lull_acompute_source *s = &c->source;
    const uint32_t ctrl = s->reg(s->ctx, LULL_A6XX_SP_CS_CTRL_REG0);
    return (struct lull_acompute_shape){
        .code = c->env.code,
        .ninsns = c->program.n,
        .groups = {c->groups[0], c->groups[1], c->groups[2]},
        .local = {c->dispatch.local[0], c->dispatch.local[1], c->dispatch.local[2]},
        .fibers = c->dispatch.fibers,
        .full = lull_a6xx_sp_xs_ctrl_reg0__fullregfootprint(ctrl),
        .half = lull_a6xx_sp_xs_ctrl_reg0__halfregfootprint(ctrl),
    };
}
