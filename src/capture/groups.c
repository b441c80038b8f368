// SPDX-License-Identifier: MIT
// Groups of draw state, the mode of rendering, conditions.
//
// A group stays until it is replaced or taken away. It runs before a draw in each mode of its mask,
// once after it was set; so, if the mode changes, it runs again in the new one. (Mesa's cffdump
// forgets all groups at each draw.)
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "capture/walk.h"

enum { DISABLE = 2, DISABLE_ALL = 4, LOAD_IMMED = 8 };

static void told(struct lull_cap *c, unsigned id, const struct lull_cap_group *g, const char *what)
{
    if (c->v->group != NULL) {
        c->v->group(c->v->ctx, c, id, g, what);
    }
}

static void run_group(struct lull_cap *c, const struct lull_cap_packet *p, unsigned id)
{
    struct lull_cap_group *g = &c->groups[id];
    g->pending &= (uint8_t)~c->mode;
    lull_cap_run(
        c, p,
        (struct lull_cap_call){
            .kind = LULL_CAP_GROUP, .address = g->address, .dwords = g->count, .number = id});
}

void lull_cap_run_groups(struct lull_cap *c, const struct lull_cap_packet *p)
{
    if (c->in_groups) {
        lull_cap_problem(c, p->address, "a draw within draw state");
        return;
    }
    c->in_groups = true;
    for (unsigned i = 0; i < LULL_CAP_GROUPS && !c->idle; i++) {
        struct lull_cap_group *g = &c->groups[i];
        if (g->count == 0 || g->pending == 0) {
            continue;
        }
        if ((g->mask & c->mode) == 0) {
            told(c, i, g, "left out in this mode");
        } else if ((g->pending & c->mode) != 0) {
            run_group(c, p, i);
        }
    }
    c->in_groups = false;
}

void lull_cap_set_groups(struct lull_cap *c, const struct lull_cap_packet *p)
{
    const uint32_t step = c->gen >= 5 ? 3 : 2;
    for (uint32_t i = 0; i + step < p->n; i += step) {
        const uint32_t head = lull_cap_arg(p, i);
        const unsigned id = head >> 24 & 31, flags = head >> 16 & 15;
        struct lull_cap_group *g = &c->groups[id];
        const uint8_t mask = c->gen >= 6 ? head >> 20 & LULL_CAP_ANY : LULL_CAP_ANY;
        *g = (struct lull_cap_group){.flags = (uint8_t)flags, .mask = mask};
        if ((flags & DISABLE_ALL) != 0) {
            told(c, id, g, "all groups off");
            memset(c->groups, 0, sizeof c->groups);
            continue;
        }
        if ((flags & DISABLE) != 0) {
            told(c, id, g, "off");
            continue;
        }
        g->address = lull_cap_arg_address(c, p, i + 1);
        g->count = head & 0xffff;
        g->pending = mask;
        told(c, id, g, (flags & LOAD_IMMED) != 0 ? "runs at once" : "set");
        if ((flags & LOAD_IMMED) != 0 && g->count != 0 && !c->in_groups) {
            if ((mask & c->mode) != 0) {
                run_group(c, p, id);
            }
            *g = (struct lull_cap_group){0};
        }
    }
}

void lull_cap_marker(struct lull_cap *c, const struct lull_cap_packet *p)
{
    static const struct {
        const char *name;
        unsigned mode; ///< 0: as before.
        bool sure;     ///< Conditions see that mode.
    } rows[] = {
        {"RM6_BIN_VISIBILITY", LULL_CAP_BINNING, true},
        {"RM6_BIN_RENDER_START", LULL_CAP_GMEM, true},
        {"RM6_BIN_END_OF_DRAWS", 0, true},
        {"RM6_BIN_RESOLVE", 0, true},
        {"RM6_DIRECT_RENDER", LULL_CAP_SYSMEM, true},
    };
    const uint32_t value = lull_cap_arg(p, 0);
    if ((value & 0x100) != 0) {
        return; // not a mode: whether the GPU may power down between frames
    }
    const char *name = lull_cap_enum(c, LULL_ADRENO_ENUM_a6xx_marker, value & 15);
    const bool was_sure = c->mode_sure;
    c->mode_name = name != NULL ? name : "unknown mode";
    c->mode_sure = false;
    for (size_t i = 0; name != NULL && i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            c->mode = rows[i].mode != 0 ? rows[i].mode : c->mode;
            c->mode_sure = rows[i].mode != 0 || was_sure;
        }
    }
    lull_cap_note(c, "mode %s, draw state of %s", c->mode_name, lull_cap_mode_name(c->mode));
}

void lull_cap_render_mode(struct lull_cap *c, const struct lull_cap_packet *p)
{
    c->mode_name = lull_cap_enum(c, LULL_ADRENO_ENUM_render_mode_cmd, lull_cap_arg(p, 0) & 0x1ff);
    if (p->n >= 9 && lull_cap_arg(p, 5) != 0) {
        lull_cap_run(c, p,
                     (struct lull_cap_call){.kind = LULL_CAP_IB,
                                            .address = lull_cap_arg_address(c, p, 6),
                                            .dwords = lull_cap_arg(p, 5) & 0xfffff});
    }
}

uint32_t lull_cap_condition(struct lull_cap *c, const struct lull_cap_packet *p)
{
    const uint32_t head = lull_cap_arg(p, 0);
    const enum lull_cap_op op = (enum lull_cap_op)c->op_kinds[p->what % LULL_CAP_OPCODES];
    if (op == LULL_CAP_OP_COND_EXEC) {
        lull_cap_note(c, "the next %" PRIu32 " dwords depend on memory: taken as executed",
                      lull_cap_arg(p, c->gen >= 5 ? 5 : 3));
        return 0;
    }
    const char *kind = lull_cap_enum(c, LULL_ADRENO_ENUM_compare_mode, head >> 28);
    const uint32_t n = lull_cap_arg(p, p->n > 3 ? 2 : 1) & 0xffffff;
    const unsigned modes = head >> 25 & LULL_CAP_ANY;
    if (kind == NULL || strcmp(kind, "RENDER_MODE") != 0) {
        lull_cap_note(c, "the next %" PRIu32 " dwords depend on %s: taken as executed", n,
                      kind != NULL ? kind : "something unknown");
        return 0;
    }
    const bool sure = c->mode_sure && !c->o.both;
    const bool runs = !sure || (modes & c->mode) != 0;
    lull_cap_note(c, "the next %" PRIu32 " dwords are for%s%s%s: %s", n,
                  (modes & LULL_CAP_BINNING) != 0 ? " BINNING" : "",
                  (modes & LULL_CAP_GMEM) != 0 ? " GMEM" : "",
                  (modes & LULL_CAP_SYSMEM) != 0 ? " SYSMEM" : "",
                  !sure  ? "taken as executed"
                  : runs ? "executed"
                         : "not executed");
    return runs ? 0 : n;
}
