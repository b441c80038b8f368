// SPDX-License-Identifier: MIT
#include "model/adreno/compute/compute.h"

#include <stdlib.h>
#include <string.h>

#include "adreno/stream/load.h"
#include "hw/adreno_doms.h"
#include "hw/adreno_pkts.h"
#include "hw/adreno_regs.h"

enum {
    INSTRUCTIONS = 16, ///< Of a unit of INSTRLEN.
    MOST_INSTRUCTIONS = 1 << 20,
    MOST_LOCAL = 1024,      ///< Invocations of a group.
    SHARED_FIRST = 504 * 4, ///< c504 to c511 are shared constants, if they are enabled.
    BLOCK_CS_SHADER = 13,
    BLOCK_ANY_IBO = 14,
    BLOCK_CS_IBO = 15,
    KIB = 1024,
};

struct lull_acompute {
    struct lull_acompute_source source;
    struct lull_ir3_program program;
    struct lull_ir3_dispatch dispatch;
    struct lull_ir3_env env;
    uint8_t *local;
    uint32_t groups[3];
    uint64_t next, total; ///< Groups.
    struct lull_ir3_group group;
    bool has_group, preamble_done;
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

void lull_acompute_load(struct lull_acompute_state *s, const struct lull_ir3_memory *memory,
                        unsigned gen, const struct lull_as_packet *packet,
                        const struct lull_as_load *l)
{
    const uint32_t head = 4; // The header and three dwords.
    const bool shared = l->block == BLOCK_CS_IBO || l->block == BLOCK_ANY_IBO;
    const enum lull_load_what what = lull_load_what(gen, l->block, l->type);
    uint32_t *to = NULL;
    uint32_t unit = 0, room = 0;
    if (l->source == LULL_LOAD_BINDLESS) {
        return; // A prefetch.
    }
    if (l->block == BLOCK_CS_SHADER && what == LULL_LOAD_CONSTANTS) {
        to = s->consts, unit = 4, room = LULL_IR3_CONSTS;
    } else if (shared && what != LULL_LOAD_IBOS) {
        to = s->shared, unit = 1, room = sizeof s->shared / 4;
    } else if (l->block == BLOCK_CS_SHADER && what == LULL_LOAD_UBOS) {
        to = (uint32_t *)(void *)s->ubo, unit = 2, room = sizeof s->ubo / 4;
    } else {
        return;
    }
    for (uint64_t i = 0; i < (uint64_t)l->units * unit; i++) {
        const uint64_t n = (uint64_t)l->first * unit + i;
        uint32_t v = 0;
        if (l->source == LULL_LOAD_DIRECT) {
            v = head + i < packet->n ? packet->words[head + i] : 0;
        } else {
            (void)load_word(memory, (l->address & ~UINT64_C(3)) + 4 * i, &v);
        }
        if (n < room) {
            to[n] = v;
        }
    }
}

static uint32_t reg(const struct lull_acompute_source *s, uint32_t a6, uint32_t a7)
{
    return s->reg(s->ctx, s->gpu_id >= 700 ? a7 : a6);
}

static uint64_t reg64(const struct lull_acompute_source *s, uint32_t number)
{
    return s->reg(s->ctx, number) | (uint64_t)s->reg(s->ctx, number + 1) << 32;
}

LULL_MUST_USE static struct lull_error *code(struct lull_acompute *c)
{
    const struct lull_acompute_source *s = &c->source;
    const uint64_t at = reg64(s, LULL_A6XX_SP_CS_OBJ_START);
    const uint32_t n = s->reg(s->ctx, LULL_A6XX_SP_CS_INSTRLEN) * INSTRUCTIONS;
    if (n == 0 || n > MOST_INSTRUCTIONS) {
        return lull_error_new(LULL_ERR_BAD_DATA, "SP_CS_INSTRLEN: a shader of %u instructions", n);
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
        err = lull_ir3_program_new(words, n, s->gpu_id, &c->program);
    }
    free(words);
    return err;
}

/** Sizes: groups, waves, shared memory. */
LULL_MUST_USE static struct lull_error *shape(struct lull_acompute *c)
{
    const struct lull_acompute_source *s = &c->source;
    const uint32_t range = reg(s, LULL_A6XX_HLSQ_CS_NDRANGE_0, LULL_A6XX_HLSQ_CS_NDRANGE_0__A7XX);
    const uint32_t ids = reg(s, LULL_A6XX_HLSQ_CS_CNTL_0, LULL_A6XX_SP_CS_CNTL_0);
    const uint32_t linear = reg(s, LULL_A6XX_HLSQ_CS_CNTL_1, LULL_A6XX_SP_CS_CNTL_1);
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
    };
    const uint64_t invocations = (uint64_t)d->local[0] * d->local[1] * d->local[2];
    if (invocations > MOST_LOCAL) {
        return lull_error_new(LULL_ERR_BAD_DATA, "a group of %ux%ux%u invocations", d->local[0],
                              d->local[1], d->local[2]);
    }
    if (lull_a6xx_sp_cs_ctrl_reg0__mergedregs(ctrl) == 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "SP_CS_CTRL_REG0 has no MERGEDREGS");
    }
    const uint32_t size =
        lull_a6xx_sp_cs_ctrl_reg1__shared_size(s->reg(s->ctx, LULL_A6XX_SP_CS_CTRL_REG1));
    c->env.local_bytes = size == 0 ? 32 * KIB : (size + 1) * KIB;
    c->local = calloc(1, c->env.local_bytes);
    return c->local != NULL ? NULL : lull_error_new(LULL_ERR_NO_MEMORY, "shared memory");
}

static void world(struct lull_acompute *c)
{
    const struct lull_acompute_source *s = &c->source;
    struct lull_ir3_env *e = &c->env;
    const uint32_t cntl = reg(s, LULL_A6XX_HLSQ_CS_CNTL, LULL_A6XX_HLSQ_CS_CNTL__A7XX);
    const uint32_t mode = s->reg(s->ctx, LULL_A6XX_SP_MODE_CONTROL);
    const uint32_t param = s->reg(s->ctx, LULL_A6XX_SP_CS_PVT_MEM_PARAM);
    const uint32_t total = s->reg(s->ctx, LULL_A6XX_SP_CS_PVT_MEM_SIZE);
    e->program = &c->program;
    e->memory = s->memory;
    e->consts = s->state->consts;
    e->nconsts = lull_a6xx_hlsq_xs_cntl__constlen(cntl) * 4;
    e->shared_consts = s->state->shared;
    e->shared_first = s->gpu_id < 700 && lull_a6xx_sp_mode_control__shared_consts_enable(mode) != 0
                          ? SHARED_FIRST
                          : 0;
    e->demote = lull_a6xx_sp_mode_control__constant_demotion_enable(mode) != 0;
    e->local = c->local;
    e->fused = s->fused;
    e->observers = s->observers;
    e->code = reg64(s, LULL_A6XX_SP_CS_OBJ_START);
    e->preamble_done = &c->preamble_done;
    e->priv = (struct lull_ir3_private){
        .address = reg64(s, LULL_A6XX_SP_CS_PVT_MEM_ADDR),
        .fiber_bytes = lull_a6xx_sp_xs_pvt_mem_param__memsizeperitem(param),
        .sp_bytes = lull_a6xx_sp_xs_pvt_mem_size__totalpvtmemsize(total),
        .per_wave = lull_a6xx_sp_xs_pvt_mem_size__perwavememlayout(total) != 0,
    };
    for (unsigned i = 0; i < LULL_IR3_BASES; i++) {
        e->bindless[i] = reg64(s, LULL_A6XX_SP_CS_BINDLESS_BASE_DESCRIPTOR + 2 * i);
    }
    e->ibo = reg64(s, LULL_A6XX_SP_CS_IBO);
    e->tex = reg64(s, LULL_A6XX_SP_CS_TEX_CONST);
    e->samp = reg64(s, LULL_A6XX_SP_CS_TEX_SAMP);
    memcpy(e->ubo, s->state->ubo, sizeof e->ubo);
    for (unsigned i = 0; s->gpu_id >= 700 && i < sizeof s->state->shared / 4; i++) {
        s->state->shared[i] = s->reg(s->ctx, LULL_A6XX_HLSQ_SHARED_CONSTS_IMM + i);
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
    struct lull_error *err = code(c);
    if (err == NULL) {
        err = shape(c);
    }
    if (err != NULL) {
        lull_acompute_free(c);
        return err;
    }
    world(c);
    *ret = c;
    return NULL;
}

void lull_acompute_free(struct lull_acompute *c)
{
    if (c != NULL) {
        lull_ir3_group_done(&c->group);
        lull_ir3_program_done(&c->program);
        free(c->local);
        free(c);
    }
}

LULL_MUST_USE static struct lull_error *begin(struct lull_acompute *c)
{
    const uint64_t n = c->next++;
    const uint32_t x = c->groups[0], y = c->groups[1];
    const uint32_t id[3] = {(uint32_t)(n % x), (uint32_t)(n / x % y), (uint32_t)(n / x / y)};
    memset(c->local, 0xa5, c->env.local_bytes); // Nobody may count on what was there.
    c->has_group = true;
    return lull_ir3_group_new(&c->dispatch, id, &c->group);
}

LULL_MUST_USE static struct lull_error *stuck(const struct lull_acompute *c)
{
    const struct lull_ir3_wave *w = lull_ir3_group_fault(&c->group);
    return lull_error_new(LULL_ERR_UNSUPPORTED, "wave %u of group %u,%u,%u at instruction %u: %s",
                          w->number, c->group.id[0], c->group.id[1], c->group.id[2], w->pc,
                          w->wrong);
}

struct lull_error *lull_acompute_run(struct lull_acompute *c, uint64_t most, uint64_t *done)
{
    *done = 0;
    while (*done < most && !lull_acompute_ended(c)) {
        if (!c->has_group) {
            struct lull_error *err = begin(c);
            if (err != NULL) {
                return err;
            }
        }
        *done += lull_ir3_group_run(&c->group, &c->env, &c->dispatch, most - *done);
        if (lull_ir3_group_fault(&c->group) != NULL) {
            return stuck(c);
        }
        if (lull_ir3_group_ended(&c->group)) {
            lull_ir3_group_done(&c->group);
            c->has_group = false;
        }
    }
    return NULL;
}

bool lull_acompute_ended(const struct lull_acompute *c)
{
    return c->next == c->total && !c->has_group;
}
