// SPDX-License-Identifier: MIT
#include "check/race/log.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 64, HALF = 32, FIRST_ROOM = 16, MOST = 512, WHOLE = 0xf };

/** A load. */
struct lull_race_logged {
    uint32_t record, time;
    uint64_t lanes;
    uint16_t ndwords;
    uint8_t from;       // Lane of the wave that bit 0 of lanes is.
    uint16_t at[LANES]; // First dword of each lane.
};

static bool make_room(struct lull_race_log *l)
{
    if (l->n < l->room) {
        return true;
    }
    const size_t room = l->room != 0 ? 2 * l->room : FIRST_ROOM;
    struct lull_race_logged *more = room > MOST ? NULL : realloc(l->at, room * sizeof *more);
    if (more == NULL) {
        return false;
    }
    l->at = more;
    l->room = room;
    return true;
}

/** First dwords of 32 lanes, which are all on. @return whether they are dwords, and in bounds. */
static bool narrow(const uint64_t *address, const uint8_t *valid, uint16_t *to)
{
    uint64_t bits = 0;
    uint8_t off = 0;
    for (unsigned i = 0; i < HALF; i++) {
        bits |= address[i];
        off |= valid[i] == 0;
        to[i] = (uint16_t)(address[i] / 4);
    }
    return bits % 4 == 0 && off == 0;
}

/** First dwords of all lanes of @p t, as the model knows them. */
static void take(const struct lull_touch *t, bool all, uint16_t *to)
{
    memcpy(to, t->dwords, HALF * sizeof *to);
    if (all) {
        memcpy(to + HALF, t->dwords + HALF, HALF * sizeof *to);
    }
}

/** The same of some lanes. */
static bool narrow_some(const struct lull_touch *t, uint64_t lanes, uint16_t *to)
{
    bool right = true;
    for (uint64_t m = lanes; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(m);
        right = right && t->address[lane] % 4 == 0 && t->valid[lane] != 0;
        to[lane] = (uint16_t)(t->address[lane] / 4);
    }
    return right;
}

bool lull_race_log_add(struct lull_race_log *l, const struct lull_touch *t, size_t ndwords,
                       uint32_t record, uint32_t time)
{
    if (t->bytes % 4 != 0 || t->high + t->bytes > 4 * (uint64_t)ndwords || !make_room(l)) {
        return false;
    }
    struct lull_race_logged *e = &l->at[l->n];
    e->record = record;
    e->time = time;
    e->lanes = t->shape == LULL_TOUCH_ONE ? t->lanes & -t->lanes : t->lanes;
    e->ndwords = (uint16_t)(t->bytes / 4);
    e->from = (uint8_t)t->from;
    const bool half = e->lanes == UINT32_MAX, all = e->lanes == UINT64_MAX;
    if (t->dwords != NULL && (half || all)) {
        take(t, all, e->at);
        l->n++;
        return true;
    }
    bool right =
        half || all ? narrow(t->address, t->valid, e->at) : narrow_some(t, e->lanes, e->at);
    right = right && (!all || narrow(t->address + HALF, t->valid + HALF, e->at + HALF));
    l->n += right;
    return right;
}

static void note(struct lull_race_cell *c, const struct lull_race_logged *e, unsigned lane,
                 const struct lull_race_record *records, uint32_t floor)
{
    struct lull_race_access *r = &c->read[0];
    if (r->record == e->record && r->time > floor && r->mask == WHOLE) {
        return; // Within a workgroup the time since a barrier does not matter.
    }
    if (r->record != 0 && records[r->record].started != records[e->record].started) {
        c->read[1] = *r;
    }
    *r = (struct lull_race_access){
        .record = e->record, .time = e->time, .mask = WHOLE, .lane = (uint8_t)(e->from + lane)};
}

void lull_race_log_flush(struct lull_race_log *l, struct lull_race_cell *cells,
                         const struct lull_race_record *records, uint32_t floor)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct lull_race_logged *e = &l->at[i];
        unsigned last = UINT16_MAX;
        for (uint64_t m = e->time > floor ? e->lanes : 0; m != 0; m &= m - 1) {
            const unsigned lane = (unsigned)__builtin_ctzll(m), at = e->at[lane];
            for (unsigned d = 0; d < e->ndwords && at != last; d++) {
                note(&cells[at + d], e, lane, records, floor);
            }
            last = at;
        }
    }
    l->n = 0;
}

void lull_race_log_done(struct lull_race_log *l)
{
    free(l->at);
    *l = (struct lull_race_log){0};
}
