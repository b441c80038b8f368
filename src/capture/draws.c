// SPDX-License-Identifier: MIT
// Draws, dispatches, blits and events that write pixels: what they do, and when they count.
#include <string.h>

#include "capture/walk.h"

enum { INDEX_SIZES = 4 };

/** The primitive, and whether there are indices: the first word of a draw. */
static void initiator(const struct lull_cap *c, uint32_t word, struct lull_cap_draw *d)
{
    static const uint8_t old[INDEX_SIZES] = {2, 4, 1, 0}, now[INDEX_SIZES] = {1, 2, 4, 0};
    const bool is_old = c->gen < 4;
    const unsigned size = is_old ? (word >> 11 & 1) | (word >> 12 & 2) : word >> 10 & 3;
    const char *source = lull_cap_enum(c, LULL_ADRENO_ENUM_pc_di_src_sel, word >> 6 & 3);
    const char *name = lull_cap_enum(c, LULL_ADRENO_ENUM_pc_di_primtype, word & 0x3f);
    d->what = name != NULL && strncmp(name, "DI_PT_", 6) == 0 ? name + 6 : name;
    d->index_bytes =
        source != NULL && strstr(source, "AUTO_INDEX") != NULL ? 0 : (is_old ? old : now)[size];
}

static void multi(struct lull_cap *c, const struct lull_cap_packet *p, struct lull_cap_draw *d)
{
    const char *kind =
        lull_cap_enum(c, LULL_ADRENO_ENUM_a6xx_draw_indirect_opcode, lull_cap_arg(p, 1) & 15);
    const bool indexed = kind != NULL && strstr(kind, "INDEXED") != NULL;
    const bool counted = kind != NULL && strstr(kind, "COUNT") != NULL;
    const uint32_t at = indexed ? 6 : 3;
    d->index_address = indexed ? lull_cap_arg_address(c, p, 3) : 0;
    d->index_bytes = indexed ? d->index_bytes : 0;
    d->draws = lull_cap_arg(p, 2);
    d->indirect = lull_cap_arg_address(c, p, at);
    d->count_address = counted ? lull_cap_arg_address(c, p, at + 2) : 0;
    d->stride = lull_cap_arg(p, counted ? at + 4 : at + 2);
}

static void draw(struct lull_cap *c, const struct lull_cap_packet *p, enum lull_cap_op op,
                 struct lull_cap_draw *d)
{
    const bool old = op == LULL_CAP_OP_DRAW_INDX || op == LULL_CAP_OP_DRAW_INDX_2;
    const bool wide = c->gen >= 5;
    initiator(c, lull_cap_arg(p, old ? 1 : 0), d);
    d->instances = 1;
    d->stride = 0;
    d->draws = 1;
    switch ((unsigned)op) {
    case LULL_CAP_OP_DRAW_INDX:
    case LULL_CAP_OP_DRAW_INDX_2:
        d->vertices = lull_cap_arg(p, 2);
        d->index_address = op == LULL_CAP_OP_DRAW_INDX ? lull_cap_arg(p, 3) : p->address + 16;
        break;
    case LULL_CAP_OP_DRAW_OFFSET:
        d->instances = lull_cap_arg(p, 1);
        d->vertices = lull_cap_arg(p, 2);
        d->first = lull_cap_arg(p, 3);
        d->index_address = lull_cap_arg_address(c, p, 4);
        break;
    case LULL_CAP_OP_DRAW_INDIRECT:
        d->indirect = lull_cap_arg_address(c, p, 1);
        d->index_bytes = 0;
        break;
    case LULL_CAP_OP_DRAW_INDX_INDIRECT:
        d->index_address = lull_cap_arg_address(c, p, 1);
        d->indirect = lull_cap_arg_address(c, p, wide ? 4 : 3);
        break;
    case LULL_CAP_OP_DRAW_MULTI:
        multi(c, p, d);
        break;
    case LULL_CAP_OP_DRAW_AUTO: // vertices: bytes that stream-out wrote, over the stride
        d->instances = lull_cap_arg(p, 1);
        d->stride = lull_cap_arg(p, 5);
        d->count_address = lull_cap_arg_address(c, p, 2);
        d->index_bytes = 0;
        break;
    default:
        break;
    }
    d->index_address = d->index_bytes != 0 ? d->index_address : 0;
}

/** Sizes of a workgroup, less one each, as bits 11:2, 21:12, 31:22 have them. */
static void local_size(uint32_t word, uint32_t ret[3])
{
    for (unsigned i = 0; i < 3; i++) {
        ret[i] = (word >> (2 + 10 * i) & 0x3ff) + 1;
    }
}

static void dispatch(struct lull_cap *c, const struct lull_cap_packet *p, enum lull_cap_op op,
                     struct lull_cap_draw *d)
{
    const uint32_t range = c->gen == 5   ? LULL_A5XX_HLSQ_CS_NDRANGE_0
                           : c->gen == 6 ? LULL_A6XX_HLSQ_CS_NDRANGE_0
                           : c->gen == 7 ? LULL_A6XX_HLSQ_CS_NDRANGE_0__A7XX
                                         : 0;
    d->kind = LULL_CAP_DISPATCH;
    if (range != 0) {
        local_size(c->vals[range], d->local);
    }
    if (op == LULL_CAP_OP_EXEC_CS_INDIRECT) {
        d->indirect = lull_cap_arg_address(c, p, 1);
        d->draws = 1;
        local_size(lull_cap_arg(p, c->gen >= 5 ? 3 : 2), d->local);
        return;
    }
    for (unsigned i = 0; op == LULL_CAP_OP_EXEC_CS && i < 3; i++) {
        d->groups[i] = lull_cap_arg(p, 1 + i);
    }
}

/** An event; false: one that writes no pixels. */
static bool event(const struct lull_cap *c, const struct lull_cap_packet *p,
                  struct lull_cap_draw *d)
{
    static const char *const draws[] = {"BLIT", "LRZ_CLEAR", "CCU_RESOLVE"};
    const char *name = lull_cap_enum(c, LULL_ADRENO_ENUM_vgt_event_type, lull_cap_arg(p, 0) & 0xff);
    // On a7xx the old name of an event comes first: BLIT is CCU_RESOLVE there.
    d->kind = LULL_CAP_EVENT;
    d->what = name;
    for (size_t i = 0; c->gen > 5 && name != NULL && i < sizeof draws / sizeof draws[0]; i++) {
        if (strcmp(name, draws[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void blit(const struct lull_cap *c, const struct lull_cap_packet *p, struct lull_cap_draw *d)
{
    d->kind = LULL_CAP_BLIT;
    d->what = lull_cap_enum(c, LULL_ADRENO_ENUM_cp_blit_cmd, lull_cap_arg(p, 0) & 15);
    d->has_rect = p->n >= 6;
    for (unsigned i = 0; d->has_rect && i < 4; i++) {
        d->rect[2 * i] = lull_cap_arg(p, 1 + i) & 0x3fff;
        d->rect[2 * i + 1] = lull_cap_arg(p, 1 + i) >> 16 & 0x3fff;
    }
}

/** Count what was written and what has another value. */
static void count(const struct lull_cap *c, struct lull_cap_draw *d)
{
    for (uint32_t i = 0; i < c->nfresh; i++) {
        const uint32_t at = c->fresh[i], low = at - 1;
        bool changed = c->vals[at] != c->last[at];
        if (c->half[at] == 2 && (c->rewritten[low / 64] >> low % 64 & 1) != 0) {
            continue; // counted with the lower half
        }
        changed |= c->half[at] == 1 && c->vals[at + 1] != c->last[at + 1];
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
    for (uint32_t i = 0; i < c->nfresh; i++) {
        const uint32_t at = c->fresh[i];
        c->last[at] = c->vals[at];
        c->rewritten[at / 64] = 0;
        c->in_rewritten[at / 4096] = 0;
    }
    c->nfresh = 0;
    c->draws++;
}

bool lull_cap_draw_packet(struct lull_cap *c, const struct lull_cap_packet *p, enum lull_cap_op op)
{
    struct lull_cap_draw d = {.packet = p};
    switch ((unsigned)op) {
    case LULL_CAP_OP_EVENT:
        if (event(c, p, &d)) {
            done(c, &d);
        }
        return true;
    case LULL_CAP_OP_BLIT:
        blit(c, p, &d);
        done(c, &d);
        return true;
    case LULL_CAP_OP_OPENCL:
        dispatch(c, p, op, &d);
        break;
    case LULL_CAP_OP_EXEC_CS:
    case LULL_CAP_OP_EXEC_CS_INDIRECT:
        lull_cap_run_groups(c, p);
        dispatch(c, p, op, &d);
        break;
    case LULL_CAP_OP_DRAW_INDX:
    case LULL_CAP_OP_DRAW_INDX_2:
    case LULL_CAP_OP_DRAW_OFFSET:
    case LULL_CAP_OP_DRAW_INDIRECT:
    case LULL_CAP_OP_DRAW_INDX_INDIRECT:
    case LULL_CAP_OP_DRAW_MULTI:
    case LULL_CAP_OP_DRAW_AUTO:
        lull_cap_run_groups(c, p);
        draw(c, p, op, &d);
        if (c->gen < 4 && d.vertices == 0 && op != LULL_CAP_OP_DRAW_AUTO) {
            return true; // draws nothing
        }
        break;
    default:
        return false;
    }
    done(c, &d);
    return true;
}
