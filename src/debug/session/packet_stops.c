// SPDX-License-Identifier: MIT
/* Where the command processor of an Adreno is to stop: what the target is told. */
#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/session/packets.h"

/* As the target counts streams. */
static struct lull_packet_where told(const struct lull_debug *d, struct lull_packet_where where)
{
    const bool any = where.stream == LULL_PACKET_ANY_STREAM;
    where.stream = any ? where.stream : (uint64_t)((int64_t)where.stream - d->packets.shift);
    return where;
}

struct lull_error *lull_debug_sync_packets(struct lull_debug *d)
{
    struct lull_debug_packets *p = &d->packets;
    struct lull_packet_stops stops = {.deepest = p->deepest};
    if (d->target->ops->stop_packets == NULL) {
        return NULL;
    }
    if (p->passing) {
        p->slots[stops.n] = 0;
        stops.at[stops.n++] = told(d, p->place);
    }
    for (size_t i = 0; !p->rewinding && i < d->nbreakpoints && stops.n < LULL_PACKET_STOPS; i++) {
        const struct lull_breakpoint *b = d->breakpoints[i];
        if (b->number != 0 && b->kind == LULL_BREAK_PACKET && b->enabled) {
            p->slots[stops.n] = b->number;
            stops.at[stops.n++] = told(d, b->where);
        }
    }
    p->nslots = (unsigned)stops.n;
    return d->target->ops->stop_packets(d->target,
                                        stops.n != 0 || stops.deepest != 0 ? &stops : NULL);
}

struct lull_error *lull_debug_number_streams(struct lull_debug *d, int64_t shift)
{
    const bool same = d->packets.shift == shift;
    d->packets.shift = shift;
    return same ? NULL : lull_debug_sync_packets(d);
}

struct lull_error *lull_debug_release(struct lull_debug *d)
{
    d->held = false;
    d->packets.stands = false;
    return d->target->ops->release(d->target);
}
