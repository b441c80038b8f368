// SPDX-License-Identifier: MIT
#include "model/adreno/compute/compute.h"

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

struct lull_acompute {
    struct lull_acompute_source source;
    struct lull_ir3_program program;
    struct lull_arch_ir3_insn *insns; ///< The same for observers; owned.
    struct lull_ir3_dispatch dispatch;
    struct lull_ir3_env env;
    uint8_t *local;
    uint32_t groups[3];
    uint64_t next, total; ///< Groups.
    uint64_t time;        ///< Instructions so far.
    struct lull_ir3_group group;
    bool has_group, preamble_done;
    bool stores;              ///< The program may write shared memory.
    unsigned written;         ///< Registers that it may write, the first so many.
    bool watched;             ///< Somebody may have written what no instruction does.
    bool clean;               ///< Shared memory is as it was before the first group.
    char fault[96], told[96]; ///< Who made the first that is not told; the last that was.
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
    c->local = calloc(1, c->env.local_bytes);
    return c->local != NULL ? NULL : lull_error_new(LULL_ERR_NO_MEMORY, "shared memory");
}

/** What observers are told of it. */
static void launch(struct lull_acompute *c)
{
    const uint32_t *local = c->dispatch.local;
    struct lull_ir3_launch *l = &c->env.launch;
    if (c->source.observers != NULL) {
        l->number = (*c->source.launches)++;
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
    c->env.local = c->local;
    c->env.preamble_done = &c->preamble_done;
    *ret = c;
    return NULL;
}

/** Waves start; or those that have not ended never will. */
static void tell_waves(const struct lull_acompute *c, bool starts)
{
    for (unsigned i = 0; c->env.observers != NULL && i < c->group.n; i++) {
        if (c->group.waves[i].status != LULL_IR3_ENDED) {
            lull_ir3_tell_wave(&c->group.waves[i], &c->env, starts);
        }
    }
}

void lull_acompute_free(struct lull_acompute *c)
{
    if (c != NULL) {
        tell_waves(c, false);
        lull_ir3_group_done(&c->group);
        lull_ir3_program_done(&c->program);
        free(c->insns);
        free(c->local);
        free(c);
    }
}

static void note_watched(struct lull_acompute *c)
{
    c->watched = c->watched || (c->source.stops != NULL && c->source.stops->on);
}

LULL_MUST_USE static struct lull_error *begin(struct lull_acompute *c)
{
    const uint64_t n = c->next++;
    const uint32_t x = c->groups[0], y = c->groups[1];
    const uint32_t id[3] = {(uint32_t)(n % x), (uint32_t)(n / x % y), (uint32_t)(n / x / y)};
    note_watched(c);
    // Nobody may count on what was there.
    if (!c->clean || c->watched) {
        memset(
            c->local,
            lull_ir3_assumes(&c->source.assume, LULL_IR3_ASSUME_LOCAL, LULL_IR3_ASSUME_LOCAL_ZERO)
                ? 0
                : 0xa5,
            c->env.local_bytes);
    }
    c->clean = !c->stores;
    c->dispatch.written = c->watched ? LULL_IR3_GPRS : c->written;
    struct lull_error *err = lull_ir3_group_new(&c->dispatch, id, &c->group);
    c->has_group = err == NULL;
    if (err == NULL) {
        lull_ir3_stops_begin(c->source.stops, &c->group);
        tell_waves(c, true);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *stuck(const struct lull_acompute *c)
{
    const struct lull_ir3_wave *w = lull_ir3_group_fault(&c->group);
    return lull_error_new(LULL_ERR_UNSUPPORTED, "wave %u of group %u,%u,%u at instruction %u: %s",
                          w->number, c->group.id[0], c->group.id[1], c->group.id[2], w->pc,
                          w->wrong);
}

static void note_fault(struct lull_acompute *c)
{
    const struct lull_ir3_fault *f = &c->env.fault;
    if (c->env.nfaults != 0 && c->fault[0] == '\0') {
        snprintf(c->fault, sizeof c->fault, "wave %u of group %u,%u,%u at instruction %u, fiber %u",
                 f->wave, c->group.id[0], c->group.id[1], c->group.id[2], f->pc, f->fiber);
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
        if (!c->has_group) {
            struct lull_error *err = begin(c);
            if (err != NULL) {
                return err;
            }
        }
        const uint64_t n =
            lull_ir3_stops_run(c->source.stops, &c->group, &c->env, c->dispatch.seed, most - *done);
        *done += n;
        c->time += n;
        const bool idle = n == 0 && !lull_ir3_group_ended(&c->group);
        note_fault(c);
        if (lull_acompute_stands(c)) {
            return NULL;
        }
        if (lull_ir3_group_fault(&c->group) != NULL) {
            return stuck(c);
        }
        if (idle) { // Who could run stands, as it did when this happened first.
            return NULL;
        }
        if (lull_ir3_group_ended(&c->group)) {
            c->has_group = false; // The next takes its memory.
            note_watched(c);
        }
    }
    return NULL;
}

bool lull_acompute_ended(const struct lull_acompute *c)
{
    return c->next == c->total && !c->has_group;
}

bool lull_acompute_stands(const struct lull_acompute *c)
{
    return c->has_group && lull_ir3_stops_stands(c->source.stops, &c->group);
}

struct lull_acompute_saved {
    uint64_t next, time, groups; ///< groups: of all dispatches.
    struct lull_ir3_group group; ///< Owns its waves.
    bool has_group, preamble_done;
    uint32_t consts[LULL_IR3_CONSTS], shared[LULL_ASTAGE_SHARED];
    uint8_t local[]; ///< local_bytes
};

uint64_t lull_acompute_time(const struct lull_acompute *c)
{
    return c->time;
}

/** @p to is as @p from; both have as many waves, or none yet. @return False: no memory. */
static bool copy_group(const struct lull_ir3_group *from, struct lull_ir3_group *to)
{
    const size_t bytes = from->n * sizeof *from->waves;
    struct lull_ir3_wave *waves = to->waves;
    if (from->waves == NULL) {
        lull_ir3_group_done(to);
        return true;
    }
    waves = waves != NULL ? waves : malloc(bytes > 0 ? bytes : 1);
    if (waves == NULL) {
        return false;
    }
    *to = *from;
    to->waves = waves;
    memcpy(waves, from->waves, bytes);
    return true;
}

struct lull_acompute_saved *lull_acompute_save(const struct lull_acompute *c, uint64_t *ret_bytes)
{
    struct lull_acompute_saved *s = malloc(sizeof *s + c->env.local_bytes);
    if (s == NULL) {
        return NULL;
    }
    s->group = (struct lull_ir3_group){.waves = NULL};
    if (!copy_group(&c->group, &s->group)) {
        free(s);
        return NULL;
    }
    s->next = c->next;
    s->time = c->time;
    s->groups = c->source.stops != NULL ? c->source.stops->groups : 0;
    s->has_group = c->has_group;
    s->preamble_done = c->preamble_done;
    memcpy(s->consts, c->env.consts, sizeof s->consts);
    memcpy(s->shared, c->env.shared_consts, sizeof s->shared);
    memcpy(s->local, c->local, c->env.local_bytes);
    *ret_bytes = sizeof *s + c->env.local_bytes + s->group.n * sizeof *s->group.waves;
    return s;
}

void lull_acompute_saved_free(struct lull_acompute_saved *s)
{
    if (s != NULL) {
        lull_ir3_group_done(&s->group);
        free(s);
    }
}

struct lull_error *lull_acompute_put_back(struct lull_acompute *c,
                                          const struct lull_acompute_saved *s)
{
    if (!copy_group(&s->group, &c->group)) {
        return lull_error_new(LULL_ERR_NO_MEMORY, "%u waves", s->group.n);
    }
    c->next = s->next;
    c->time = s->time;
    if (c->source.stops != NULL) {
        c->source.stops->groups = s->groups;
    }
    c->watched = true; // Registers and shared memory are not as the last group left them.
    c->has_group = s->has_group;
    c->preamble_done = s->preamble_done;
    c->env.nfaults = 0;
    c->fault[0] = '\0';
    memcpy(c->env.consts, s->consts, sizeof s->consts);
    memcpy(c->env.shared_consts, s->shared, sizeof s->shared);
    memcpy(c->local, s->local, c->env.local_bytes);
    return NULL;
}

struct lull_error *lull_acompute_settle(struct lull_acompute *c)
{
    struct lull_error *err = !c->has_group && c->next < c->total ? begin(c) : NULL;
    if (err == NULL && c->has_group) {
        (void)lull_ir3_group_released(&c->group);
    }
    return err;
}

struct lull_ir3_wave *lull_acompute_next(struct lull_acompute *c)
{
    struct lull_ir3_wave *w =
        c->has_group ? lull_ir3_group_turn(&c->group, c->dispatch.seed) : NULL;
    c->group.left += w != NULL; // It is still its turn.
    return w;
}

struct lull_ir3_group *lull_acompute_group(struct lull_acompute *c)
{
    return c->has_group ? &c->group : NULL;
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
