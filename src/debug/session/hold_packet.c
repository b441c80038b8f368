// SPDX-License-Identifier: MIT
/* The command processor of an Adreno stands: is that for the user? */
#include "base/error.h"
#include "debug/session/engine.h"

/* Breakpoints that it came to: are there any that stop for the user? Temporary ones are gone. */
static bool hit(struct lull_debug *d, bool *ret_gone)
{
    struct lull_debug_packets *p = &d->packets;
    bool user = false;
    p->hit = 0;
    for (unsigned i = 0; i < p->nslots; i++) {
        struct lull_breakpoint *b =
            (p->at.hits >> i & 1) != 0 ? lull_debug_breakpoint(d, p->slots[i]) : NULL;
        if (b == NULL) {
            user = user || ((p->at.hits >> i & 1) != 0 && p->slots[i] == 0);
            continue;
        }
        b->hits++;
        const bool counts = b->ignore == 0;
        b->ignore -= b->ignore > 0;
        user = user || counts;
        p->hit = counts && p->hit == 0 ? b->number : p->hit;
        if (counts && b->temporary) {
            lull_debug_delete_breakpoint(b);
            *ret_gone = true;
        }
    }
    return user;
}

/* The rest of a buffer runs: it is shown as part of the whole one. */
static void as_whole(struct lull_debug *d)
{
    struct lull_packet_info *p = &d->packets.at;
    for (unsigned i = 0; d->dumped.whole != NULL && i < p->nbuffers; i++) {
        const uint64_t base = d->dumped.whole(d->dumped.ctx, p->buffers[i].address);
        const uint32_t before = (uint32_t)((p->buffers[i].address - base) / sizeof(uint32_t));
        p->buffers[i].address = base;
        p->buffers[i].dwords += before;
        p->buffers[i].next += before;
    }
}

struct lull_error *lull_debug_look_at_packet(struct lull_debug *d, bool *ret_user)
{
    struct lull_debug_packets *p = &d->packets;
    bool gone = false;
    p->pending = false;
    *ret_user = false;
    struct lull_error *err = d->target->ops->packet(d->target, &p->at);
    if (err != NULL || p->at.stop == LULL_PACKET_NOT) {
        return err;
    }
    as_whole(d);
    const bool came = p->at.stop == LULL_PACKET_ARRIVED && hit(d, &gone);
    *ret_user = p->at.stop == LULL_PACKET_ARRIVED ? p->at.next || came : !p->rewinding;
    err = gone ? lull_debug_sync_packets(d) : NULL;
    if (err == NULL && *ret_user) {
        d->held = true;
        p->stands = true;
        return NULL;
    }
    return err != NULL ? err : d->target->ops->release(d->target);
}
