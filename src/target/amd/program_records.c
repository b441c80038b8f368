// SPDX-License-Identifier: MIT
// Dispatches and draws of programs, as the kernel recorded them.
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "hw/draw11_regs.h"
#include "hw/field.h"
#include "hw/gc11_regs.h"
#include "target/amd/program_priv.h"

static enum lull_dispatch_phase phase_of(uint32_t state)
{
    static const enum lull_dispatch_phase phases[] = {
        [LULL_DISPATCH_LOST] = LULL_PHASE_DONE,       [LULL_DISPATCH_HELD] = LULL_PHASE_HELD,
        [LULL_DISPATCH_RUNNING] = LULL_PHASE_RUNNING, [LULL_DISPATCH_DONE] = LULL_PHASE_DONE,
        [LULL_DISPATCH_KILLED] = LULL_PHASE_KILLED,
    };
    return state < sizeof phases / sizeof phases[0] ? phases[state] : LULL_PHASE_DONE;
}

void lull_amd_dispatch_info(const struct lull_dispatch_record *r, uint64_t first,
                            struct lull_dispatch_info *ret)
{
    static const char *const rings[LULL_NRINGS] = {"gfx", "compute 0", "compute 1", "compute 2",
                                                   "compute 3"};
    *ret = (struct lull_dispatch_info){
        .number = r->number - first,
        .pid = r->pid,
        .client = r->file,
        .ring_number = r->ring,
        .ring = r->ring < LULL_NRINGS ? rings[r->ring] : "?",
        .vmid = r->vmid,
        .phase = phase_of(r->state),
        .job = r->job,
        .frame = r->frame,
        .code_va = r->code,
        .rsrc1 = r->rsrc[0],
        .rsrc2 = r->rsrc[1],
        .rsrc3 = r->rsrc[2],
        .initiator = r->initiator,
        .tmpring = r->tmpring,
        .scratch_va = r->scratch,
        .start_cycle = r->began,
        .end_cycle = r->ended,
    };
    memcpy(ret->user_data, r->user_data, sizeof ret->user_data);
    memcpy(ret->raw_grid, r->grid, sizeof ret->raw_grid);
    memcpy(ret->raw_start, r->start, sizeof ret->raw_start);
    memcpy(ret->cus, r->cus, sizeof ret->cus);
    memcpy(ret->raw_block, r->block, sizeof ret->raw_block);
    bool threads =
        lull_get(r->initiator, LULL_GC11_COMPUTE_DISPATCH_INITIATOR__USE_THREAD_DIMENSIONS_MASK);
    bool from0 =
        lull_get(r->initiator, LULL_GC11_COMPUTE_DISPATCH_INITIATOR__FORCE_START_AT_000_MASK);
    for (unsigned i = 0; i < 3; i++) {
        ret->block[i] = lull_get(r->block[i], LULL_GC11_COMPUTE_NUM_THREAD_X__NUM_THREAD_FULL_MASK);
        ret->start[i] = from0 ? 0 : r->start[i];
        ret->grid[i] = threads && ret->block[i] != 0
                           ? (r->grid[i] + ret->block[i] - 1) / ret->block[i]
                           : r->grid[i];
        ret->grid[i] -= ret->grid[i] >= ret->start[i] ? ret->start[i] : 0;
    }
}

struct lull_error *lull_program_dispatches(struct lull_target *base, uint64_t first,
                                           struct lull_dispatch_info *infos, size_t room,
                                           size_t *ret)
{
    struct program *p = lull_program(base);
    struct lull_control_state state = {0};
    struct lull_error *err = lull_debugfs_control_state(&p->debugfs, &state);
    first += p->first;
    for (size_t i = 0; err == NULL && i < room && first + i < state.count; i++) {
        struct lull_dispatch_record r = {0};
        size_t n = 0;
        err = lull_debugfs_dispatches(&p->debugfs, first + i, &r, 1, &n);
        if (err == NULL) {
            lull_amd_dispatch_info(&r, p->first, &infos[i]);
        }
    }
    *ret = first < state.count ? (size_t)(state.count - first) : 0;
    return err;
}

static void convert_draw(const struct lull_draw_record *r, uint64_t first,
                         struct lull_draw_info *ret)
{
    static_assert((int)LULL_STAGE_VERTEX == (int)LULL_DRAW_STAGES, "the same stages");
    *ret = (struct lull_draw_info){
        .number = r->number - first,
        .pid = r->pid,
        .client = r->file,
        .vmid = r->vmid,
        .phase = phase_of(r->state),
        .job = r->job,
        .frame = r->frame,
        .packet = r->packet,
        .part = r->part,
        .count = r->count,
        .instances = r->instances,
        .index_va = r->index_va,
        .index_bytes = r->index_bytes,
        .start_cycle = r->began,
        .end_cycle = r->ended,
    };
    const uint32_t type = r->uconfig[(LULL_DRAW11_VGT_PRIMITIVE_TYPE - LULL_DRAW_UCONFIG_AT) / 4];
    ret->rectangles = lull_get(type, LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE_MASK) ==
                      LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__RECTLIST;
    memcpy(ret->code_va, r->code, sizeof r->code);
    memcpy(ret->grid, r->grid, sizeof ret->grid);
}

struct lull_error *lull_program_draws(struct lull_target *base, uint64_t first,
                                      struct lull_draw_info *infos, size_t room, size_t *ret)
{
    struct program *p = lull_program(base);
    struct lull_control_state state = {0};
    struct lull_draw_record *r = calloc(1, sizeof *r);
    if (r == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = lull_debugfs_control_state(&p->debugfs, &state);
    first += p->first_draw;
    for (size_t i = 0; err == NULL && i < room && first + i < state.draws; i++) {
        size_t n = 0;
        err = lull_debugfs_draws(&p->debugfs, first + i, r, 1, &n);
        if (err == NULL) {
            convert_draw(r, p->first_draw, &infos[i]);
        }
    }
    free(r);
    *ret = first < state.draws ? (size_t)(state.draws - first) : 0;
    return err;
}

struct lull_error *lull_program_draw_regs(struct lull_target *base, uint64_t number,
                                          struct lull_draw_regs *ret)
{
    struct program *p = lull_program(base);
    struct lull_draw_record *r = calloc(1, sizeof *r);
    size_t n = 0;
    if (r == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = lull_debugfs_draws(&p->debugfs, number + p->first_draw, r, 1, &n);
    if (err == NULL && (n == 0 || r->state == LULL_DISPATCH_LOST)) {
        err = lull_error_new(LULL_ERR_NOT_FOUND, "draw %" PRIu64 " %s", number,
                             n == 0 ? "has not come yet" : "was too long ago");
    }
    if (err == NULL) {
        memcpy(ret->context, r->context, sizeof ret->context);
        memcpy(ret->sh, r->sh, sizeof ret->sh);
        memcpy(ret->uconfig, r->uconfig, sizeof ret->uconfig);
    }
    free(r);
    return err;
}

bool lull_program_held_draw(struct lull_target *base, uint64_t *ret)
{
    const struct program *p = lull_program(base);
    *ret = p->held_number - p->first_draw;
    return p->held && p->held_draw;
}

struct lull_error *lull_program_watch_pixel(struct lull_target *base, bool on, uint32_t x,
                                            uint32_t y)
{
    const struct lull_control c = {
        .op = LULL_CONTROL_PIXEL, .match = on ? 1 : 0, .value = y << 16 | (x & UINT16_MAX)};
    return lull_debugfs_control(&lull_program(base)->debugfs, &c);
}

static void convert_fragment(const struct lull_fragment_record *r, uint64_t first,
                             struct lull_fragment *ret)
{
    static const enum lull_fate fates[] = {
        [LULL_FRAGMENT_WRITTEN] = LULL_FRAGMENT_KEPT,
        [LULL_FRAGMENT_DISCARDED] = LULL_FRAGMENT_DISCARD,
        [LULL_FRAGMENT_MASKED] = LULL_FRAGMENT_MASK,
        [LULL_FRAGMENT_BOUNDS_FAILED] = LULL_FRAGMENT_BOUNDS,
        [LULL_FRAGMENT_STENCIL_FAILED] = LULL_FRAGMENT_STENCIL_TEST,
        [LULL_FRAGMENT_DEPTH_FAILED] = LULL_FRAGMENT_DEPTH_TEST,
    };
    *ret = (struct lull_fragment){
        .draw = r->draw - first,
        .x = r->x,
        .y = r->y,
        .layer = r->layer,
        .sample = r->sample,
        .prim = r->prim,
        .instance = r->instance,
        .fate = fates[r->fate < sizeof fates / sizeof fates[0] ? r->fate : 0],
        .early = r->early != 0,
        .has_depth = (r->has & 1) != 0,
        .has_stencil = (r->has & 2) != 0,
        .targets = r->targets,
        .z = r->z,
        .z_before = r->z_before,
        .stencil_before = r->stencil_before,
    };
    static_assert(sizeof ret->color == sizeof r->color, "the same targets");
    memcpy(ret->color, r->color, sizeof ret->color);
}

struct lull_error *lull_program_fragments(struct lull_target *base, uint64_t first,
                                          struct lull_fragment *ret, size_t room, size_t *ret_n)
{
    enum { PAGE = 256 };
    struct program *p = lull_program(base);
    struct lull_fragment_record *records = calloc(PAGE, sizeof *records);
    struct lull_error *err = NULL;
    *ret_n = 0;
    if (records == NULL) {
        return &lull_enomem;
    }
    for (size_t n = PAGE; err == NULL && n == PAGE; first += n) {
        err = lull_debugfs_fragments(&p->debugfs, first, records, PAGE, &n);
        for (size_t i = 0; err == NULL && i < n && *ret_n < room; i++) {
            if (records[i].number != UINT64_MAX && records[i].draw >= p->first_draw) {
                convert_fragment(&records[i], p->first_draw, &ret[(*ret_n)++]);
            }
        }
    }
    free(records);
    return err;
}

struct lull_error *lull_program_aim(struct program *p, const struct lull_debug_goal *goal)
{
    static const enum lull_aim_kind kinds[] = {
        [LULL_DEBUG_PIXEL] = LULL_AIM_PIXEL,
        [LULL_DEBUG_VERTEX] = LULL_AIM_VERTEX,
        [LULL_DEBUG_PRIMITIVE] = LULL_AIM_PRIMITIVE,
    };
    struct lull_control c = {.op = LULL_CONTROL_AIM, .slot = LULL_AIM_OFF};
    if (goal != NULL) {
        const bool pixel = goal->kind == LULL_DEBUG_PIXEL;
        c.slot = kinds[goal->kind];
        c.number = goal->draw == UINT64_MAX ? UINT64_MAX : goal->draw + p->first_draw;
        c.value = pixel ? goal->y << 16 | (goal->x & UINT16_MAX) : goal->index;
        c.pid = goal->sample;
        c.file = pixel ? goal->primitive : goal->instance;
    }
    return lull_debugfs_control(&p->debugfs, &c);
}

struct lull_error *lull_program_aimed(struct lull_target *base, struct lull_aimed *ret)
{
    struct program *p = lull_program(base);
    struct lull_aim_record r = {0};
    struct lull_error *err = lull_debugfs_aim(&p->debugfs, &r);
    *ret = (struct lull_aimed){
        .found = r.found != 0,
        .draw = r.draw - p->first_draw,
        .hw_id1 = r.hw_id1,
        .vmid = r.vmid,
        .lane = r.lane,
        .prim = r.prim,
        .sample = r.sample,
        .index = r.index,
        .instance = r.instance,
    };
    return err;
}

struct lull_error *lull_program_begin(struct lull_target *base)
{
    struct program *p = lull_program(base);
    struct lull_control_state state = {0};
    struct lull_error *err = lull_debugfs_control_state(&p->debugfs, &state);
    p->first = err == NULL ? state.count : p->first;
    p->first_draw = err == NULL ? state.draws : p->first_draw;
    return err;
}
