// SPDX-License-Identifier: MIT
// Crumbs: who is told of a packet before it is done, and when the waves that it started have gone.
#include <string.h>

#include "model/amd/cp/cp.h"
#include "model/amd/gpu/gpu_spi.h"

static const char *name_of(const struct lull_cp *cp)
{
    const struct lull_pkt *p = lull_pkt_by_opcode(&lull_pkts_pm4_amd, 0, cp->p.opcode);
    return p != NULL ? p->name : NULL;
}

/** Those of which there are too many, and which do nothing themselves, do not count. */
static bool counts(const struct lull_cp *cp, const char *name)
{
    const unsigned op = cp->p.opcode;
    if (cp->g->crumbs.packets) {
        return op != LULL_PM4_NOP && op != LULL_PM4_INDIRECT_BUFFER;
    }
    return name != NULL && op != LULL_PM4_DRAW_PREAMBLE &&
           op != LULL_PM4_DISPATCH_TASK_STATE_INIT &&
           (strncmp(name, "DRAW_", strlen("DRAW_")) == 0 ||
            strncmp(name, "DISPATCH_", strlen("DISPATCH_")) == 0);
}

static bool ask(struct lull_gpu *g, struct lull_gpu_crumb *c, bool again)
{
    lull_spi_start_all(g);
    c->waits = !g->crumbs.crumb(g->crumbs.ctx, &c->at, again);
    return !c->waits;
}

bool lull_cp_crumb_before(struct lull_cp *cp)
{
    struct lull_gpu_crumb *c = &cp->r->crumb;
    const char *name = cp->g->crumbs.crumb != NULL ? name_of(cp) : NULL;
    if (c->waits) {
        return ask(cp->g, c, true);
    }
    if (cp->g->crumbs.crumb == NULL || c->told || !counts(cp, name)) {
        return true;
    }
    c->told = true;
    c->at = (struct lull_crumb_packet){.stream = c->stream,
                                       .ring = cp->r->id,
                                       .buffer = cp->ib->va,
                                       .address = cp->ib->va + UINT64_C(4) * cp->p.offset,
                                       .name = name};
    return ask(cp->g, c, false);
}

enum lull_cp_turn lull_cp_crumb_after(struct lull_gpu *g, struct lull_gpu_ring *r)
{
    struct lull_gpu_crumb *c = &r->crumb;
    if (!c->at.after) {
        return LULL_CP_TURN_OUT;
    }
    if (c->waits || lull_spi_idle(r)) {
        if (!ask(g, c, c->waits)) {
            return LULL_CP_TURN_HELD;
        }
        c->at.after = false;
        return LULL_CP_TURN_OUT;
    }
    return LULL_CP_TURN_OVER;
}
