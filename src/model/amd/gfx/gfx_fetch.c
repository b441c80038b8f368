// SPDX-License-Identifier: MIT
// Indices to primitives, and primitives to subgroups.
//
// A primitive is a number of places in the run of indices since the draw or the last restart began,
// so nothing but the run's start and the primitive's number has to be kept between subgroups.
//
// Sources: Vulkan 1.3, "Primitive Topologies" (order of vertices, and which one provokes); GL 4.6,
// table 10.1 (the same where the last vertex provokes); Mesa 25.0.7 ac_shader_util.c and gfx11.json
// (limits of subgroups). Chosen here: a vertex is found again among the last ones of its subgroup.
#include <string.h>

#include "model/amd/gfx/gfx.h"

enum {
    CORNERS = 6,     // of a primitive with adjacency
    INDICES = 64,    // of a patch, at most
    WINDOW = 64,     // indices read at once
    REUSE = 32,      // vertices looked back for one that is there already
    PATIENCE = 4096, // primitives and restarts looked at in vain before others get their turn
};

/** Of a list or strip. */
struct topology {
    uint8_t needs, step; // indices of a primitive; indices from one to the next
    uint8_t made;        // vertices, without adjacency
    uint8_t main[3];     // which of them, where there is adjacency
};

/** A draw's indices, as they are read. */
struct fetch {
    struct lull_cp *cp;
    const struct lull_gfx_call *call;
    struct topology t;
    uint32_t type; // VGT_PRIMITIVE_TYPE
    bool adjacency, last, reuse, restart;
    uint32_t restart_index;
    struct lull_gfx_limits limits;
    uint64_t first;
    uint32_t n, window[WINDOW];
};

#define PRIM(name) LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__##name

static bool find_topology(const struct lull_gpu *g, uint32_t type, struct topology *ret)
{
    static const struct topology table[] = {
        [PRIM(POINTLIST)] = {1, 1, 1, {0}},
        [PRIM(LINELIST)] = {2, 2, 2, {0}},
        [PRIM(LINESTRIP)] = {2, 1, 2, {0}},
        [PRIM(TRILIST)] = {3, 3, 3, {0}},
        [PRIM(TRIFAN)] = {3, 1, 3, {0}},
        [PRIM(TRISTRIP)] = {3, 1, 3, {0}},
        [PRIM(LINELIST_ADJ)] = {4, 4, 2, {1, 2}},
        [PRIM(LINESTRIP_ADJ)] = {4, 1, 2, {1, 2}},
        [PRIM(TRILIST_ADJ)] = {6, 6, 3, {0, 2, 4}},
        [PRIM(TRISTRIP_ADJ)] = {6, 2, 3, {0, 2, 4}},
        [PRIM(RECTLIST)] = {3, 3, 3, {0}},
    };
    const uint32_t stages = lull_gfx_reg(g, LULL_DRAW11_VGT_SHADER_STAGES_EN);
    if (type == PRIM(PATCH)) {
        const uint32_t n = lull_get(lull_gfx_reg(g, LULL_DRAW11_VGT_LS_HS_CONFIG),
                                    LULL_DRAW11_VGT_LS_HS_CONFIG__HS_NUM_INPUT_CP_MASK);
        *ret = (struct topology){(uint8_t)n, (uint8_t)n, (uint8_t)n, {0}};
        return n != 0 && (stages & LULL_DRAW11_VGT_SHADER_STAGES_EN__HS_EN_MASK) != 0;
    }
    *ret = type < sizeof(table) / sizeof(table[0]) ? table[type] : (struct topology){0};
    return ret->needs != 0 && (stages & LULL_DRAW11_VGT_SHADER_STAGES_EN__HS_EN_MASK) == 0;
}

static uint32_t prim_type(const struct lull_gpu *g)
{
    return lull_get(lull_gfx_reg(g, LULL_DRAW11_VGT_PRIMITIVE_TYPE),
                    LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE_MASK);
}

const char *lull_gfx_fetch_check(const struct lull_gpu *g)
{
    struct topology t = {0};
    return find_topology(g, prim_type(g), &t) ? NULL : "primitives of an unknown topology";
}

/** Smallest of @p a and what a register says; 0 there is no limit. */
static uint32_t limit(uint32_t a, uint32_t field)
{
    return field != 0 && field < a ? field : a;
}

static void read_restart(struct fetch *f)
{
    const struct lull_gpu *g = f->cp->g;
    const uint32_t en = lull_gfx_reg(g, LULL_DRAW11_GE_MULTI_PRIM_IB_RESET_EN);
    const uint32_t bytes = f->call->index_bytes;
    const uint32_t bits = bytes == 1 ? UINT8_MAX : bytes == 2 ? UINT16_MAX : UINT32_MAX;
    f->restart = (en & LULL_DRAW11_GE_MULTI_PRIM_IB_RESET_EN__RESET_EN_MASK) != 0 &&
                 (bytes != 0 ||
                  (en & LULL_DRAW11_GE_MULTI_PRIM_IB_RESET_EN__DISABLE_FOR_AUTO_INDEX_MASK) == 0);
    f->restart_index = lull_gfx_reg(g, LULL_DRAW11_VGT_MULTI_PRIM_IB_RESET_INDX);
    if ((en & LULL_DRAW11_GE_MULTI_PRIM_IB_RESET_EN__MATCH_ALL_BITS_MASK) == 0) {
        f->restart_index &= bits;
    }
}

struct lull_gfx_limits lull_gfx_limits(const struct lull_gpu *g)
{
    const uint32_t cntl = lull_gfx_reg(g, LULL_DRAW11_GE_CNTL);
    const uint32_t stages = lull_gfx_reg(g, LULL_DRAW11_VGT_SHADER_STAGES_EN);
    const uint32_t instances = lull_gfx_reg(g, LULL_DRAW11_VGT_GS_INSTANCE_CNT);
    struct lull_gfx_limits l = {
        .prims = limit(LULL_GFX_PRIMS, lull_get(cntl, LULL_DRAW11_GE_CNTL__PRIMS_PER_SUBGRP_MASK)),
        .vertices =
            limit(LULL_GFX_VERTICES, lull_get(cntl, LULL_DRAW11_GE_CNTL__VERTS_PER_SUBGRP_MASK)),
        .invocations = 1,
    };
    if ((stages & LULL_DRAW11_VGT_SHADER_STAGES_EN__GS_EN_MASK) != 0) {
        const uint32_t out = lull_get(lull_gfx_reg(g, LULL_DRAW11_VGT_GS_MAX_VERT_OUT),
                                      LULL_DRAW11_VGT_GS_MAX_VERT_OUT__MAX_VERT_OUT_MASK);
        const uint32_t n = lull_get(instances, LULL_DRAW11_VGT_GS_INSTANCE_CNT__CNT_MASK);
        const bool many = (instances & LULL_DRAW11_VGT_GS_INSTANCE_CNT__ENABLE_MASK) != 0;
        const uint32_t split =
            LULL_DRAW11_VGT_GS_INSTANCE_CNT__EN_MAX_VERT_OUT_PER_GS_INSTANCE_MASK;
        l.invocations = many && n != 0 ? n : 1;
        l.alone = many && (instances & split) != 0;
        const uint32_t threads = l.alone ? 1 : l.invocations;
        l.prims = limit(l.prims, LULL_GFX_PRIMS / threads);
        l.prims = out != 0 ? limit(l.prims, LULL_GFX_VERTICES / (out * threads)) : l.prims;
    }
    return l;
}

/** Of groups of patches. */
static struct lull_gfx_limits patch_limits(const struct lull_gpu *g)
{
    const uint32_t n = lull_get(lull_gfx_reg(g, LULL_DRAW11_VGT_LS_HS_CONFIG),
                                LULL_DRAW11_VGT_LS_HS_CONFIG__NUM_PATCHES_MASK);
    return (struct lull_gfx_limits){
        .prims = limit(LULL_GFX_PRIMS, n), .vertices = LULL_GFX_VERTICES, .invocations = 1};
}

static bool open_fetch(struct lull_cp *cp, struct fetch *f)
{
    const struct lull_gpu *g = cp->g;
    const uint32_t stages = lull_gfx_reg(g, LULL_DRAW11_VGT_SHADER_STAGES_EN);
    const uint32_t ids = lull_gfx_reg(g, LULL_DRAW11_VGT_PRIMITIVEID_EN);
    *f = (struct fetch){.cp = cp, .call = &lull_gfx_of(g)->call, .type = prim_type(g)};
    f->adjacency = (stages & LULL_DRAW11_VGT_SHADER_STAGES_EN__GS_EN_MASK) != 0;
    f->last = (lull_gfx_reg(g, LULL_DRAW11_PA_SU_SC_MODE_CNTL) &
               LULL_DRAW11_PA_SU_SC_MODE_CNTL__PROVOKING_VTX_LAST_MASK) != 0;
    f->reuse = (ids & LULL_DRAW11_VGT_PRIMITIVEID_EN__NGG_DISABLE_PROVOK_REUSE_MASK) == 0 &&
               f->type != PRIM(PATCH);
    read_restart(f);
    f->limits = f->type == PRIM(PATCH) ? patch_limits(g) : lull_gfx_limits(g);
    return find_topology(g, f->type, &f->t);
}

/** The next indices from @p at on into the window. */
static bool fill_window(struct fetch *f, uint64_t at)
{
    const struct lull_gfx_call *c = f->call;
    uint8_t bytes[WINDOW * sizeof(uint32_t)] = {0};
    const uint64_t there = at < c->max_indices ? c->max_indices - at : 0;
    const uint64_t left = c->count - at;
    f->first = at;
    f->n = (uint32_t)(left < WINDOW ? left : WINDOW);
    const size_t n = there < f->n ? there : f->n; // those beyond read as 0
    if (n != 0 &&
        !lull_vm_read(f->cp->vm, c->index_va + at * c->index_bytes, bytes, n * c->index_bytes)) {
        return false;
    }
    for (uint32_t i = 0; i < f->n; i++) {
        f->window[i] = 0;
        memcpy(&f->window[i], bytes + (size_t)i * c->index_bytes, c->index_bytes);
    }
    return true;
}

/** Index number @p at, below the draw's count. False: memory refused. */
static bool get_index(struct fetch *f, uint64_t at, uint32_t *ret)
{
    if (f->call->index_bytes == 0) {
        *ret = (uint32_t)at;
        return true;
    }
    if ((at < f->first || at - f->first >= f->n) && !fill_window(f, at)) {
        return false;
    }
    *ret = f->window[at - f->first];
    return true;
}

bool lull_gfx_index(const struct lull_gfx_call *call, struct lull_vm *vm, uint64_t at,
                    uint32_t *ret)
{
    uint32_t index = (uint32_t)at;
    if (at >= call->count) {
        return false;
    }
    if (call->index_bytes != 0) {
        index = 0;
        if (at < call->max_indices &&
            !lull_vm_read(vm, call->index_va + at * call->index_bytes, &index, call->index_bytes)) {
            return false;
        }
    }
    *ret = index;
    return true;
}

/** What is from @p at on: @p n indices of one run, a restart at *where, or the end. */
enum run { RUN_WHOLE, RUN_BROKEN, RUN_END, RUN_FAULT };

static enum run look_ahead(struct fetch *f, uint64_t at, uint32_t n, uint64_t *where)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t index = 0;
        if (at + i >= f->call->count) {
            return RUN_END;
        }
        if (f->restart && !get_index(f, at + i, &index)) {
            return RUN_FAULT;
        }
        if (f->restart && index == f->restart_index) {
            *where = at + i;
            return RUN_BROKEN;
        }
    }
    return RUN_WHOLE;
}

/** Where in their run the vertices of primitive @p k are. @p more: another primitive follows. */
static void places(const struct fetch *f, uint64_t k, bool more, uint64_t ret[CORNERS])
{
    const bool odd = (k & 1) != 0;
    const uint64_t first = k * f->t.step;
    for (unsigned i = 0; i < f->t.needs && i < CORNERS; i++) {
        ret[i] = first + i;
    }
    if (f->type == PRIM(TRIFAN)) {
        ret[0] = f->last ? 0 : k + 1;
        ret[1] = f->last ? k + 1 : k + 2;
        ret[2] = f->last ? k + 2 : 0;
    } else if (f->type == PRIM(TRISTRIP) && odd) {
        ret[0] = f->last ? k + 1 : k;
        ret[1] = f->last ? k : k + 2;
        ret[2] = f->last ? k + 2 : k + 1;
    } else if (f->type == PRIM(TRISTRIP_ADJ)) {
        const uint64_t beyond = first + (more ? 6 : 5);
        const uint64_t before = k == 0 ? 1 : first - 2;
        ret[0] = odd ? first + 2 : first;
        ret[1] = before;
        ret[2] = odd ? first : first + 2;
        ret[3] = odd ? first + 3 : beyond;
        ret[4] = first + 4;
        ret[5] = odd ? beyond : first + 3;
        if (odd && !f->adjacency && !f->last) { // the first provokes, and has to stand there
            ret[0] = first;
            ret[2] = first + 4;
            ret[4] = first + 2;
        }
    }
}

/** The vertex of the subgroup that is @p index: a new one, if it is not there. */
static uint16_t vertex_of(const struct fetch *f, struct lull_gfx_subgroup *s, uint32_t index)
{
    for (uint32_t i = s->nvertices; f->reuse && i > 0 && i + REUSE > s->nvertices; i--) {
        if (s->vertex[i - 1] == index) {
            return (uint16_t)(i - 1);
        }
    }
    s->vertex[s->nvertices] = index;
    return (uint16_t)s->nvertices++;
}

/** Add the primitive whose vertices are @p index, for each invocation. */
static void add_prim(const struct fetch *f, struct lull_gfx_place *p, struct lull_gfx_subgroup *s,
                     const uint32_t *index, unsigned n)
{
    uint16_t v[CORNERS] = {0};
    const unsigned kept = !f->adjacency && n != f->t.made ? f->t.made : n;
    for (unsigned i = 0; i < kept; i++) {
        const uint16_t at = vertex_of(f, s, index[kept == n ? i : f->t.main[i]]);
        if (i < CORNERS) {
            v[i] = at;
        }
    }
    const uint32_t end = f->limits.alone ? p->invocation + 1 : f->limits.invocations;
    for (uint32_t i = f->limits.alone ? p->invocation : 0; i < end; i++) {
        memcpy(s->prim[s->nprims], v, sizeof(v));
        s->prim_id[s->nprims] = p->prim_id;
        s->follows[s->nprims] = p->at != 0 && f->t.step < f->t.needs;
        s->invocation[s->nprims++] = i;
    }
}

/** Step behind the primitive that was added. */
static void advance(const struct fetch *f, struct lull_gfx_place *p)
{
    p->invocation++;
    if (!f->limits.alone || p->invocation >= f->limits.invocations) {
        p->invocation = 0;
        p->prim_id++;
        p->at++;
    }
}

/** The indices of the next primitive of the run, n of them. */
static enum run next_prim(struct fetch *f, const struct lull_gfx_place *p,
                          uint32_t index[static INDICES], uint64_t *where)
{
    uint64_t at[CORNERS] = {0}, ignored = 0;
    const uint64_t first = p->run + p->at * f->t.step;
    const enum run r = look_ahead(f, first, f->t.needs, where);
    if (r != RUN_WHOLE) {
        return r;
    }
    const bool more = f->type == PRIM(TRISTRIP_ADJ) &&
                      look_ahead(f, first, f->t.needs + f->t.step, &ignored) == RUN_WHOLE;
    places(f, p->at, more, at);
    for (unsigned i = 0; i < f->t.needs; i++) {
        if (!get_index(f, i < CORNERS ? p->run + at[i] : first + i, &index[i])) {
            return RUN_FAULT;
        }
    }
    return RUN_WHOLE;
}

bool lull_gfx_is_full(const struct lull_gfx_limits *l, const struct lull_gfx_subgroup *s,
                      unsigned nvertices)
{
    const uint32_t threads = l->alone ? 1 : l->invocations;
    return s->nprims != 0 && (l->alone || s->nprims + threads > l->prims * threads ||
                              s->nvertices + nvertices > l->vertices);
}

/** The next instance, from its start. */
static void next_instance(struct lull_gfx_place *p)
{
    *p = (struct lull_gfx_place){.instance = p->instance + 1};
}

/** The primitive at @p p of a run, which shares vertices with those before it. */
static void count(struct lull_gpu *g, const struct fetch *f, const struct lull_gfx_place *p)
{
    if (p->invocation == 0) {
        g->counters.ia_primitives++;
        g->counters.ia_vertices += p->at == 0 ? f->t.needs : f->t.step;
    }
}

enum lull_gfx_result lull_gfx_fetch(struct lull_cp *cp)
{
    struct lull_gfx *x = lull_gfx_of(cp->g);
    struct lull_gfx_subgroup *s = &x->sub;
    struct fetch f;
    if (!open_fetch(cp, &f) || x->call.count < f.t.needs) {
        return LULL_GFX_NONE;
    }
    s->nvertices = s->nprims = 0;
    for (unsigned i = 0;
         x->place.instance < x->call.instances && !lull_gfx_is_full(&f.limits, s, f.t.needs); i++) {
        uint32_t index[INDICES] = {0};
        uint64_t where = 0;
        const enum run r = next_prim(&f, &x->place, index, &where);
        if (r == RUN_FAULT) {
            return LULL_GFX_FAULT;
        }
        if (r == RUN_WHOLE) {
            s->instance = x->place.instance;
            add_prim(&f, &x->place, s, index, f.t.needs);
            count(cp->g, &f, &x->place);
            advance(&f, &x->place);
        } else if (r == RUN_BROKEN) {
            x->place.run = where + 1;
            x->place.at = 0;
        } else if (s->nprims != 0) {
            break; // the next subgroup is of the next instance
        } else {
            next_instance(&x->place);
        }
        if (s->nprims == 0 && i >= PATIENCE) {
            return LULL_GFX_MORE;
        }
    }
    return s->nprims != 0 ? LULL_GFX_LAUNCHED : LULL_GFX_NONE;
}
