// SPDX-License-Identifier: MIT
// Draws, dispatches, blits and events that write pixels: what they do, and when they count.
#include <string.h>

#include "adreno/show/walk.h"

/** Sizes of a workgroup by the register that a dispatch reads. */
static void local_size(const struct lull_cap *c, uint32_t ret[3])
{
    static const char *const names[] = {"LOCALSIZEX", "LOCALSIZEY", "LOCALSIZEZ"};
    const uint32_t range = c->gen == 5   ? LULL_A5XX_HLSQ_CS_NDRANGE_0
                           : c->gen == 6 ? LULL_A6XX_HLSQ_CS_NDRANGE_0
                           : c->gen == 7 ? LULL_A6XX_HLSQ_CS_NDRANGE_0__A7XX
                                         : 0;
    const struct lull_dom_hit hit = lull_dom_lookup(c->index, range);
    for (unsigned i = 0; range != 0 && hit.reg != NULL && i < 3; i++) {
        uint64_t less_one = 0;
        (void)lull_dom_field(&lull_dom_adreno, &c->dom, hit.reg, names[i],
                             lull_cap_reg(c, range, false), &less_one);
        ret[i] = (uint32_t)less_one + 1;
    }
}

static void blit(const struct lull_cap *c, const struct lull_as_packet *p, struct lull_cap_draw *d)
{
    const struct lull_apkt_args a = lull_as_args(c->gen, p);
    const uint32_t rect[] = {lull_cp_blit__src_x1(&a), lull_cp_blit__src_y1(&a),
                             lull_cp_blit__src_x2(&a), lull_cp_blit__src_y2(&a),
                             lull_cp_blit__dst_x1(&a), lull_cp_blit__dst_y1(&a),
                             lull_cp_blit__dst_x2(&a), lull_cp_blit__dst_y2(&a)};
    d->has_rect = p->n >= 6;
    if (d->has_rect) {
        memcpy(d->rect, rect, sizeof rect);
    }
}

/** Count what was written and what has another value. */
static void count(struct lull_cap *c, struct lull_cap_draw *d)
{
    const struct lull_cap_track *t = lull_cap_track(c);
    const struct lull_as_regs *r = lull_astream_regs(&c->s);
    for (uint32_t i = 0; i < r->nlist; i++) {
        const uint32_t at = r->list[i], low = at - 1;
        bool changed =
            r->v[at] != t->last[at] || ((r->unknown[at / 64] ^ t->unsure[at / 64]) >> at % 64 & 1);
        if (c->half[at] == 2 && (r->fresh[low / 64] >> low % 64 & 1) != 0) {
            continue; // counted with the lower half
        }
        changed |= c->half[at] == 1 && r->v[at + 1] != t->last[at + 1];
        d->written++;
        d->changed += changed;
    }
}

/** The draw is told; what was written since the last one is old from now on. */
static void done(struct lull_cap *c, struct lull_cap_draw *d)
{
    d->number = c->draws;
    lull_cap_draw_shaders(c, d);
    count(c, d);
    if (c->v->draw != NULL) {
        c->v->draw(c->v->ctx, c, d);
    }
    lull_cap_track_draw(c);
    c->draws++;
}

/** What it is called: a primitive, an operation, an event. */
static const char *what(const struct lull_cap *c, const struct lull_as_draw *e)
{
    const char *name = NULL;
    switch (e->kind) {
    case LULL_AS_DRAW:
        name = lull_cap_enum(c, LULL_ADRENO_ENUM_pc_di_primtype, e->prim);
        return name != NULL && strncmp(name, "DI_PT_", 6) == 0 ? name + 6 : name;
    case LULL_AS_BLIT:
        return lull_cap_enum(c, LULL_ADRENO_ENUM_cp_blit_cmd, e->op);
    case LULL_AS_PIXELS:
        return lull_cap_enum(c, LULL_ADRENO_ENUM_vgt_event_type, e->op);
    case LULL_AS_DISPATCH:
        break;
    }
    return NULL;
}

void lull_cap_draw_packet(struct lull_cap *c, const struct lull_as_packet *p,
                          const struct lull_as_draw *e)
{
    static const enum lull_cap_draw_kind kinds[] = {
        [LULL_AS_DRAW] = LULL_CAP_DRAW,
        [LULL_AS_DISPATCH] = LULL_CAP_DISPATCH,
        [LULL_AS_BLIT] = LULL_CAP_BLIT,
        [LULL_AS_PIXELS] = LULL_CAP_EVENT,
    };
    struct lull_cap_draw d = {.packet = p,
                              .kind = kinds[e->kind],
                              .what = what(c, e),
                              .vertices = e->vertices,
                              .instances = e->instances,
                              .first = e->first,
                              .index_bytes = e->index_bytes,
                              .index_address = e->index_bytes != 0 ? e->index : 0,
                              .groups = {e->x, e->y, e->z},
                              .local = {e->local_x, e->local_y, e->local_z},
                              .indirect = e->indirect,
                              .count_address = e->count,
                              .draws = e->draws,
                              .stride = e->stride};
    if (e->kind == LULL_AS_DRAW && c->gen < 4 && e->counted && e->vertices == 0) {
        return; // draws nothing
    }
    if (e->predicate != LULL_AS_TAKEN) {
        lull_cap_note(c, e->predicate == LULL_AS_UNKNOWN
                             ? "conditional rendering: it is not known whether it draws"
                             : "conditional rendering: it draws nothing");
    }
    if (e->kind == LULL_AS_BLIT) {
        blit(c, p, &d);
    } else if (e->kind == LULL_AS_DISPATCH && d.local[0] == 0) {
        local_size(c, d.local);
    }
    done(c, &d);
}
