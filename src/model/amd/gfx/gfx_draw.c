// SPDX-License-Identifier: MIT
// Draw packets, and the steps of a draw.
//
// The command processor stands at the packet until all is done. Its handler is called whenever the
// ring is idle; it goes on from gfx.step until waves run again. What takes long without waves
// (restarts, empty draws) ends a call with LULL_CP_MORE, so that others get their turn.
//
// Sources: Mesa 22.3.6 and 25.0.7 radv_cmd_buffer.c (packets), radv_shader.c; gfx11.json.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/amd/gfx/gfx_output.h"
#include "model/amd/gpu/gpu_spi.h"

enum {
    STEPS = 64, // of a draw before others get their turn, where no waves run
};

static uint64_t canonical(uint64_t address)
{
    return (uint64_t)((int64_t)(address << 16) >> 16);
}

/** A stage that has scratch memory, but not for all waves of a group, would wait for ever. */
static const char *check_scratch(const struct lull_gpu *g)
{
    const uint32_t en = LULL_DRAW11_SPI_SHADER_PGM_RSRC2_GS__SCRATCH_EN_MASK; // of all stages
    const uint32_t size = lull_gfx_reg(g, LULL_DRAW11_SPI_TMPRING_SIZE);
    const uint32_t waves = lull_get(size, LULL_DRAW11_SPI_TMPRING_SIZE__WAVES_MASK);
    uint32_t any = lull_gfx_reg(g, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_PS) |
                   lull_gfx_reg(g, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_GS);
    if (lull_gfx_tessellates(g)) {
        any |= lull_gfx_reg(g, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_HS);
    }
    return (any & en) != 0 && waves < LULL_GROUP_WAVES ? "with scratch memory for too few waves"
                                                       : NULL;
}

/** NULL, or what it is about the draw that this GPU does not do. */
static const char *check(struct lull_gpu *g)
{
    const char *why = lull_gfx_mesh_check(g);
    why = why != NULL || lull_gfx_meshes(g) ? why : lull_gfx_fetch_check(g);
    why = why != NULL ? why : lull_gfx_hull_check(g);
    why = why != NULL ? why : lull_gfx_geom_check(g);
    why = why != NULL ? why : check_scratch(g);
    why = why != NULL ? why : lull_gfx_open_output(g);
    return why != NULL ? why : lull_gfx_pixel_check(g);
}

static enum lull_cp_result finish(struct lull_gfx *x, enum lull_cp_result result)
{
    x->step = LULL_GFX_IDLE;
    return result;
}

static enum lull_cp_result fault(struct lull_cp *cp)
{
    const unsigned refused = cp->g->output != NULL ? cp->g->output->refused : LULL_GFX_REFUSED_NONE;
    char target[32] = "";
    if (refused == LULL_GFX_REFUSED_NONE) {
        return lull_cp_fault(cp);
    }
    if (refused >= LULL_GFX_REFUSED_COLOR) {
        snprintf(target, sizeof(target), "colour target %u", refused - LULL_GFX_REFUSED_COLOR);
    }
    cp->g->output->refused = LULL_GFX_REFUSED_NONE;
    return lull_cp_target_fault(cp, refused == LULL_GFX_REFUSED_DEPTH     ? "depth"
                                    : refused == LULL_GFX_REFUSED_STENCIL ? "stencil"
                                                                          : target);
}

/** The draw ends, as what it asked for cannot be done. */
static enum lull_cp_result fail(struct lull_cp *cp, enum lull_gfx_result r)
{
    struct lull_gfx *x = lull_gfx_of(cp->g);
    return finish(x, r == LULL_GFX_FAULT ? fault(cp) : lull_cp_bad(cp, "no memory"));
}

/** What a step led to. */
struct next {
    bool stop; // return result
    enum lull_cp_result result;
};

/** The address of a stage's code; 0: it is off. */
static uint64_t code_of(const struct lull_gpu *g, bool on, uint32_t lo, uint32_t hi)
{
    return on ? canonical((uint64_t)lull_gfx_reg(g, hi) << 40 | (uint64_t)lull_gfx_reg(g, lo) << 8)
              : 0;
}

/** False: the watcher holds the draw. */
static bool ask(struct lull_cp *cp)
{
    const struct lull_gpu *g = cp->g;
    const struct lull_gfx *x = lull_gfx_of(g);
    const uint32_t stages = lull_gfx_reg(g, LULL_DRAW11_VGT_SHADER_STAGES_EN);
    const bool hull = (stages & LULL_DRAW11_VGT_SHADER_STAGES_EN__HS_EN_MASK) != 0;
    struct lull_gpu_draw_launch l = {
        .part = x->draw,
        .code =
            {code_of(g, hull, LULL_DRAW11_SPI_SHADER_PGM_LO_LS, LULL_DRAW11_SPI_SHADER_PGM_HI_LS),
             code_of(g, true, LULL_DRAW11_SPI_SHADER_PGM_LO_ES, LULL_DRAW11_SPI_SHADER_PGM_HI_ES),
             code_of(g, true, LULL_DRAW11_SPI_SHADER_PGM_LO_PS, LULL_DRAW11_SPI_SHADER_PGM_HI_PS)},
        .index_va = x->call.index_va,
        .index_bytes = x->call.index_bytes,
        .count = x->call.count,
        .instances = x->call.instances,
        .grid = {x->call.grid[0], x->call.grid[1], x->call.grid[2]},
    };
    return lull_cp_ask_draw(cp, &l);
}

/** gfx.call of the next draw of the packet. */
static enum lull_gfx_result next_call(struct lull_cp *cp, const struct lull_gfx_packet *p)
{
    struct lull_gfx *x = lull_gfx_of(cp->g);
    memset(&x->call, 0, sizeof(x->call));
    memset(&x->place, 0, sizeof(x->place));
    if (p->next != NULL) {
        return p->next(cp, &x->call);
    }
    if (x->draw >= x->ndraws) {
        return LULL_GFX_NONE;
    }
    return p->read(cp, &x->call) ? LULL_GFX_LAUNCHED : LULL_GFX_FAULT;
}

/** Begin the next draw of the packet. */
static struct next begin(struct lull_cp *cp, const struct lull_gfx_packet *p)
{
    struct lull_gfx *x = lull_gfx_of(cp->g);
    const enum lull_gfx_result r = next_call(cp, p);
    if (r == LULL_GFX_NONE || r == LULL_GFX_ENDED) {
        return (struct next){true, finish(x, r == LULL_GFX_NONE ? LULL_CP_NEXT : LULL_CP_STOP)};
    }
    if (r == LULL_GFX_MORE) {
        return (struct next){true, LULL_CP_AGAIN};
    }
    if (r != LULL_GFX_LAUNCHED) {
        return (struct next){true, fail(cp, r)};
    }
    const bool empty = x->call.count == 0 || x->call.instances == 0;
    if (!empty && !ask(cp)) {
        return (struct next){true, LULL_CP_AGAIN};
    }
    x->draw++;
    if (empty) {
        return (struct next){0};
    }
    const char *why = check(cp->g);
    if (why != NULL) {
        return (struct next){true, finish(x, lull_cp_bad(cp, "it draws %s: not modelled", why))};
    }
    x->step = LULL_GFX_FETCH;
    return (struct next){0};
}

/** The next subgroup, and its waves. */
static struct next fetch(struct lull_cp *cp)
{
    struct lull_gfx *x = lull_gfx_of(cp->g);
    enum lull_gfx_result r = lull_gfx_meshes(cp->g) ? lull_gfx_mesh_next(cp) : lull_gfx_fetch(cp);
    if (r == LULL_GFX_NONE) {
        lull_gpu_draw_ended(cp->g, false);
        x->step = LULL_GFX_BEGIN;
        return (struct next){0};
    }
    if (r == LULL_GFX_MORE) {
        return (struct next){true, LULL_CP_MORE};
    }
    const bool hull = lull_gfx_tessellates(cp->g);
    if (r == LULL_GFX_LAUNCHED) {
        r = hull ? lull_gfx_hull_launch(cp) : lull_gfx_geom_launch(cp);
    }
    if (r != LULL_GFX_LAUNCHED) {
        return (struct next){true, fail(cp, r)};
    }
    x->step = hull ? LULL_GFX_HULL : LULL_GFX_GEOMETRY;
    return (struct next){true, LULL_CP_AGAIN};
}

/** The next subgroup of the patches whose hull waves have ended, and its waves. */
static struct next tessellate(struct lull_cp *cp)
{
    struct lull_gfx *x = lull_gfx_of(cp->g);
    enum lull_gfx_result r = lull_gfx_tessellate(cp);
    if (r == LULL_GFX_NONE) {
        x->step = LULL_GFX_FETCH;
        return (struct next){0};
    }
    r = r == LULL_GFX_LAUNCHED ? lull_gfx_geom_launch(cp) : r;
    if (r != LULL_GFX_LAUNCHED) {
        return (struct next){true, fail(cp, r)};
    }
    x->step = LULL_GFX_GEOMETRY;
    return (struct next){true, LULL_CP_AGAIN};
}

/** The next batch of pixels of the subgroup. */
static struct next batch(struct lull_cp *cp)
{
    struct lull_gfx *x = lull_gfx_of(cp->g);
    const enum lull_gfx_result r = lull_gfx_batch(cp);
    if (r == LULL_GFX_NONE) {
        x->step = lull_gfx_tessellates(cp->g) ? LULL_GFX_POINTS : LULL_GFX_FETCH;
        return (struct next){0};
    }
    if (r == LULL_GFX_MORE) {
        return (struct next){true, LULL_CP_MORE};
    }
    if (r != LULL_GFX_LAUNCHED) {
        return (struct next){true, fail(cp, r)};
    }
    x->step = LULL_GFX_PIXELS;
    return (struct next){true, LULL_CP_AGAIN};
}

/** All waves of the subgroup have ended: its pixels come from the first primitive on. */
static void rewind_batch(struct lull_gfx_batch *b)
{
    b->nquads = b->nparts = b->nwaves = 0;
    b->prim = b->part = 0;
    memset(&b->cursor, 0, sizeof(b->cursor));
}

static struct next step(struct lull_cp *cp, const struct lull_gfx_packet *p)
{
    struct lull_gfx *x = lull_gfx_of(cp->g);
    switch ((enum lull_gfx_step)x->step) {
    case LULL_GFX_IDLE:
        x->draw = 0;
        x->ndraws = 1;
        if (p->count != NULL && !p->count(cp, &x->ndraws)) {
            return (struct next){true, fail(cp, LULL_GFX_FAULT)};
        }
        x->step = LULL_GFX_BEGIN;
        break;
    case LULL_GFX_BEGIN:
        return begin(cp, p);
    case LULL_GFX_FETCH:
        return fetch(cp);
    case LULL_GFX_GEOMETRY:
        lull_gfx_count_prims(cp->g);
        if (cp->g->drawn_watched) {
            lull_gfx_saw_prims(cp->g);
        }
        x->ordered++;
        rewind_batch(&x->batch);
        x->step = LULL_GFX_BATCH;
        break;
    case LULL_GFX_BATCH:
        return batch(cp);
    case LULL_GFX_PIXELS:
        if (!lull_gfx_commit(cp)) {
            return (struct next){true, fail(cp, LULL_GFX_FAULT)};
        }
        x->step = LULL_GFX_BATCH;
        break;
    case LULL_GFX_HULL:
        x->step = LULL_GFX_POINTS;
        break;
    case LULL_GFX_POINTS:
        return tessellate(cp);
    }
    return (struct next){0};
}

static bool have_state(struct lull_gpu *g)
{
    if (g->gfx == NULL) {
        g->gfx = calloc(1, sizeof(*g->gfx));
        g->gfx_bytes = g->gfx != NULL ? sizeof(*g->gfx) : 0;
    }
    return g->gfx != NULL;
}

enum lull_cp_result lull_gfx_draw(struct lull_cp *cp, const struct lull_gfx_packet *p)
{
    struct lull_gpu *g = cp->g;
    if (cp->r->id != LULL_RING_GFX) {
        return lull_cp_bad(cp, "this ring only computes");
    }
    if (!lull_spi_idle(cp->r)) {
        return LULL_CP_AGAIN;
    }
    if (!have_state(g)) {
        return lull_cp_bad(cp, "no memory");
    }
    for (unsigned i = 0; i < STEPS; i++) {
        const struct next next = step(cp, p);
        if (next.stop) {
            return next.result;
        }
    }
    return LULL_CP_MORE;
}

void lull_gfx_reset(struct lull_gpu *g)
{
    if (g->gfx != NULL) {
        g->gfx->step = LULL_GFX_IDLE;
    }
}
