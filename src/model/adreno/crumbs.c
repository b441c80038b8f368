// SPDX-License-Identifier: MIT
#include "model/adreno/crumbs.h"

#include <string.h>

static struct lull_crumb_packet packet_of(const struct lull_agpu_crumbs *c, unsigned ring,
                                          const struct lull_as_frame *in,
                                          const struct lull_as_packet *p, bool after)
{
    return (struct lull_crumb_packet){.stream = c->streams,
                                      .ring = ring,
                                      .buffer = in->address,
                                      .address = p->address,
                                      .name = p->name,
                                      .after = after};
}

static bool ask(struct lull_agpu_crumbs *c, const struct lull_crumb_packet *p, bool again)
{
    c->asked = *p;
    c->waits = !c->to.crumb(c->to.ctx, p, again);
    return !c->waits;
}

/** One that counts if all do. */
static bool counts(const struct lull_as_frame *in, const struct lull_as_packet *p)
{
    const bool nop = p->type == LULL_APKT_OP && p->name != NULL && strcmp(p->name, "CP_NOP") == 0;
    return in->kind == LULL_AS_IB && !p->dead && p->type != LULL_APKT_NOP && !nop;
}

void lull_agpu_crumbs_did(struct lull_agpu_crumbs *c, const struct lull_astream *s, unsigned ring,
                          const struct lull_as_event *e)
{
    if (e->what == LULL_AS_CALL && e->u.frame->kind == LULL_AS_IB && s->level == 1) {
        c->streams++;
    }
    if (c->to.crumb == NULL || e->packet == NULL || e->packet->nowhere) {
        return;
    }
    const struct lull_as_frame *top = &s->frames[s->nframes - 1];
    if (!c->to.packets && e->what == LULL_AS_DRAWS && e->u.draw->kind != LULL_AS_PIXELS) {
        const struct lull_crumb_packet p =
            packet_of(c, ring, &s->frames[s->here], e->packet, false);
        c->drawn = e->packet->address;
        (void)ask(c, &p, false);
    } else if (e->what == LULL_AS_DONE && c->n < LULL_AS_FRAMES &&
               (c->to.packets ? counts(top, e->packet)
                              : c->drawn != 0 && c->drawn == e->packet->address)) {
        c->drawn = 0;
        c->done[c->n++] = packet_of(c, ring, top, e->packet, true);
    }
}

bool lull_agpu_crumbs_may_run(struct lull_agpu_crumbs *c)
{
    const struct lull_crumb_packet p = c->asked;
    return !c->waits || ask(c, &p, true);
}

/** The packet that the engine does next is told. */
static bool next(struct lull_agpu_crumbs *c, const struct lull_astream *s, unsigned ring)
{
    const struct lull_as_frame *f = s->nframes != 0 ? &s->frames[s->nframes - 1] : NULL;
    if (f == NULL || f->kind != LULL_AS_IB || f->waits || f->next >= f->n) {
        return true;
    }
    const struct lull_apkt a = lull_apkt_header(s->gen, f->words[f->next]);
    const struct lull_as_packet p = {
        .address = f->address + f->next * 4ull,
        .type = a.type,
        .name = a.type == LULL_APKT_OP ? s->op_names[a.what % LULL_AS_OPCODES] : NULL,
        .dead = f->next < f->dead_to};
    if (a.type == LULL_APKT_BAD || !counts(f, &p)) {
        return true;
    }
    const struct lull_crumb_packet crumb = packet_of(c, ring, f, &p, false);
    c->told = true;
    return ask(c, &crumb, false);
}

bool lull_agpu_crumbs_may_step(struct lull_agpu_crumbs *c, const struct lull_astream *s,
                               unsigned ring)
{
    bool go = true;
    while (c->to.crumb != NULL && go && c->n != 0) {
        const struct lull_crumb_packet p = c->done[0];
        c->n--;
        memmove(c->done, c->done + 1, c->n * sizeof c->done[0]);
        go = ask(c, &p, false);
    }
    if (c->to.crumb != NULL && c->to.packets && go && !c->told) {
        go = next(c, s, ring);
    }
    c->told = c->told && !go;
    return go;
}

void lull_agpu_crumbs_drop(struct lull_agpu_crumbs *c)
{
    c->n = 0;
    c->drawn = 0;
    c->waits = c->told = false;
}
