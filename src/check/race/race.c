// SPDX-License-Identifier: MIT
#include "check/race/race.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "check/race/across.h"
#include "check/race/step.h"
#include "isa/rdna/ops.h"
#include "isa/rdna/rdna.h"

enum { LANES = 64, FIRST_RECORDS = 32, WHOLE = 0xf, LINE = 0xffff };

/** What is known of an instruction. */
struct plan {
    uint32_t number;
    bool waits;  // For all stores in global memory.
    bool counts; // These can be waited for.
};

/** A dispatch begins. */
static void begin(const struct lull_check_now *n, struct race *r)
{
    const struct lull_check_objects *o = n->config;
    r->dispatch = n->group->dispatch;
    const unsigned all = LULL_CHECK_ATOMIC_LOADS | LULL_CHECK_ATOMIC_STORES;
    const unsigned may = o == NULL || o->atomics == NULL ? all : o->atomics(o->atomic_ctx);
    r->unsure = (may & LULL_CHECK_ATOMIC_LOADS) != 0;
    r->unsure_stores = (may & LULL_CHECK_ATOMIC_STORES) != 0;
}

static void starts(const struct lull_check_now *n)
{
    struct race *r = n->own;
    struct wave *w = calloc(1, sizeof *w);
    if (r->live == 0 && n->group->dispatch != r->dispatch) {
        lull_race_shadow_clear(&r->shadow);
        r->time = 0;
        r->waited_room = 0;
        r->waited_from = r->waves + 1;
    }
    if (r->waves == 0 || n->group->dispatch != r->dispatch) {
        begin(n, r);
    }
    r->live++;
    if (*n->of_group == NULL) {
        *n->of_group = calloc(1, sizeof(struct group));
    }
    if (w == NULL || *n->of_group == NULL) {
        lull_checks_lose(n->all);
    } else {
        w->number = ++r->waves;
    }
    *n->of_wave = w;
}

/** When wave @p started last had no store open; NULL: not known. */
static uint32_t *waited(struct race *r, uint64_t started, bool grow)
{
    const uint64_t at = started - r->waited_from;
    if (started < r->waited_from || (at >= r->waited_room && !grow)) {
        return NULL;
    }
    if (at >= r->waited_room) {
        const size_t room = 2 * (size_t)at + FIRST_RECORDS;
        uint32_t *more = realloc(r->waited, room * sizeof *more);
        if (more == NULL) {
            return NULL;
        }
        memset(more + r->waited_room, 0, (room - r->waited_room) * sizeof *more);
        r->waited = more;
        r->waited_room = room;
    }
    return &r->waited[at];
}

/** The wave at hand has no store open any more. */
static void waits(struct race *r, struct wave *w)
{
    uint32_t *at = w->open != 0 ? waited(r, w->number, true) : NULL;
    if (at != NULL) {
        *at = r->time;
    }
    w->open = 0;
}

static void ends(const struct lull_check_now *n)
{
    struct race *r = n->own;
    struct wave *w = *n->of_wave;
    struct group *g = *n->of_group;
    r->live -= r->live != 0;
    if (w != NULL) {
        waits(r, w);
    }
    for (unsigned i = 0; w != NULL && g != NULL && i < 2; i++) {
        if (g->come[i].k > w->barriers) { // Others wait there for what is left: its end, too.
            g->come[i].time = r->time;
        }
    }
}

static void drop_wave(void *of_wave)
{
    struct wave *w = of_wave;
    lull_race_clock_done(&w->clock);
    free(w->records);
    free(w);
}

static void drop_group(void *of_group)
{
    struct group *g = of_group;
    lull_race_clock_done(&g->clock);
    lull_race_log_done(&g->loads);
    free(g->local);
    free(g->plain);
    free(g);
}

static void done(void *own)
{
    struct race *r = own;
    lull_race_shadow_done(&r->shadow);
    free(r->waited);
    free(r);
}

static bool records_grow(struct wave *w, uint32_t number)
{
    uint32_t room = w->nrecords != 0 ? w->nrecords : FIRST_RECORDS;
    while (room <= number) {
        room *= 2;
    }
    uint32_t *more = realloc(w->records, room * sizeof *more);
    if (more == NULL) {
        return false;
    }
    memset(more + w->nrecords, 0, (room - w->nrecords) * sizeof *more);
    w->records = more;
    w->nrecords = room;
    return true;
}

/** The record of the instruction at hand; 0: no memory. */
static uint32_t record_of(const struct lull_check_now *n, struct race *r, struct wave *w)
{
    const struct plan *p = n->plan;
    if (p->number >= w->nrecords && !records_grow(w, p->number)) {
        lull_checks_lose(n->all);
        return 0;
    }
    uint32_t *number = &w->records[p->number];
    if (*number != 0) {
        return *number;
    }
    struct lull_race_record *a = lull_race_record_new(&r->shadow, number);
    if (a == NULL) {
        lull_checks_lose(n->all);
        return 0;
    }
    *a = (struct lull_race_record){.dispatch = n->group->dispatch,
                                   .pc = n->at->pc,
                                   .group = n->group->number,
                                   .started = w->number,
                                   .wave = n->wave->index,
                                   .lanes = n->wave->lanes};
    memcpy(a->workgroup, n->group->workgroup, sizeof a->workgroup);
    memcpy(a->full, n->group->full, sizeof a->full);
    lull_check_keep_insn(n);
    return *number;
}

static void find_whose(struct step *s, uint32_t record, struct whose *k)
{
    const struct lull_race_record *r = &s->r->shadow.records[record];
    *k = (struct whose){record, r->started == s->w->number || r->dispatch != s->n->group->dispatch,
                        r->group == s->n->group->number};
}

static inline const struct whose *whose(struct step *s, uint32_t record)
{
    struct whose *k = &s->w->known[record % LULL_RACE_KNOWN];
    if (k->record != record) {
        find_whose(s, record, k);
    }
    return k;
}

/** Is what @p a says in front of the instruction at hand, as is easily told? */
static inline bool in_front(struct step *s, const struct lull_race_access *a)
{
    if (a->record == 0) {
        return true;
    }
    const struct whose *k = whose(s, a->record);
    return k->mine || (k->ours && a->time <= s->floor);
}

/** Is it? */
static bool ordered(struct step *s, const struct lull_race_access *a)
{
    return in_front(s, a) ||
           lull_race_clock_behind(&s->w->clock, s->r->shadow.records[a->record].group, a->time);
}

/** Is a store? */
static enum lull_race_why ordered_store(struct step *s, const struct lull_race_access *a)
{
    const struct lull_race_record *r = &s->r->shadow.records[a->record];
    if (in_front(s, a)) {
        return LULL_RACE_ORDERED;
    }
    if (!lull_race_clock_behind(&s->w->clock, r->group, a->time)) {
        return LULL_RACE_NOTHING;
    }
    for (unsigned i = 0; i < s->w->nholes && !s->t->local; i++) {
        const struct hole *h = &s->w->holes[i];
        if (h->started == r->started && a->time >= h->from && a->time <= h->to) {
            return LULL_RACE_RELEASE;
        }
    }
    return LULL_RACE_ORDERED;
}

/** The wave is behind the store of @p c: not behind what that one's wave had open. Of those who
 * have waited since, others may tell. */
static void leave_holes(const struct step *s, const struct lull_race_cell *c, uint64_t started)
{
    struct wave *w = s->w;
    unsigned n = 0;
    for (unsigned i = 0; i < w->nholes; i++) {
        const struct hole h = w->holes[i];
        const uint32_t *at = waited(s->r, h.started, false);
        const bool closed = at == NULL || *at > h.to;
        if (h.started != started && !closed) {
            w->holes[n++] = h;
        }
    }
    if (c->open != 0 && c->open < c->store.time && n < LULL_RACE_HOLES) {
        w->holes[n++] = (struct hole){started, c->open, c->store.time - 1};
    }
    w->nholes = n;
}

/** Behind all that the last who stored there had done. */
static void acquire(const struct step *s, const struct lull_race_cell *c)
{
    const struct lull_race_access *a = &c->store;
    const struct lull_race_record *r = &s->r->shadow.records[a->record];
    if (a->record == 0 || r->started == s->w->number) {
        return;
    }
    lull_race_clock_see(&s->w->clock, r->group, a->time);
    if (r->group != s->n->group->number) {
        leave_holes(s, c, r->started);
        // Of a workgroup that has ended, what it was behind is not known any more: all before.
        s->w->clock.all = a->time > s->w->clock.all ? a->time : s->w->clock.all;
    }
}

/** Is a load one that the source may call atomic? */
static inline bool may_acquire(const struct step *s)
{
    return s->t->coherent || (s->t->unsure && s->r->unsure);
}

static void load(struct step *s, struct lull_race_cell *c)
{
    if (may_acquire(s) && !s->t->local) {
        acquire(s, c);
        return;
    }
    const bool expects = c->atomic && c->compared; // What it loads may be compared later.
    const enum lull_race_why why = (c->store.mask & s->mask) != 0 && !expects
                                       ? ordered_store(s, &c->store)
                                       : LULL_RACE_ORDERED;
    if (why != LULL_RACE_ORDERED) {
        lull_race_tell(s, c, &c->store, true, why);
    }
    if (c->read[0].record != 0 && !whose(s, c->read[0].record)->mine) {
        c->read[1] = c->read[0];
    }
    const bool again = c->read[0].record == s->record && c->read[0].time > s->floor;
    const uint8_t mask = again ? c->read[0].mask | s->mask : s->mask;
    c->read[0] = (struct lull_race_access){
        .record = s->record, .time = s->r->time, .mask = mask, .lane = lull_race_lane(s)};
}

/** May a store, or an atomic operation, be what is expected at a place with that history? */
static bool store_may(const struct step *s, const struct lull_race_cell *c)
{
    const bool atomic = s->t->kind == LULL_TOUCH_ATOMIC;
    const bool may_free = !s->t->local && s->r->unsure_stores;
    if (c->atomic && (atomic || may_free)) {
        return true; // Both are, or a lock is freed.
    }
    if (atomic && (s->t->local ? c->atomics : may_free)) {
        return true; // What it was freed by.
    }
    const uint32_t both = lull_race_bits(s->mask & c->store.mask);
    return !atomic && !c->atomic && s->valued && ((s->value ^ c->value) & both) == 0;
}

/** Has another lane stored something else there by this very instruction? */
static void two_lanes(const struct step *s, const struct lull_race_cell *c)
{
    const uint32_t both = lull_race_bits(s->mask & c->store.now);
    const bool now = c->store.record == s->record && c->store.time == s->r->time;
    if (!now || !s->valued || ((s->value ^ c->value) & both) == 0) {
        return;
    }
    lull_race_tell_lanes(s, c);
}

static inline struct lull_race_page *page_of(struct step *s)
{
    if (s->page == NULL || s->page->number != s->address / 4 / LULL_RACE_PAGE_DWORDS) {
        s->page = lull_race_page_at(&s->r->shadow, s->n->space, s->address);
    }
    return s->page;
}

/** What was stored at the place last by no atomic operation, if it has some; NULL: it is not kept.
 * @p first: the first one is at hand. */
static struct lull_race_access *plain_of(struct step *s, bool first)
{
    struct lull_race_access **all = s->t->local ? &s->g->plain : &page_of(s)->plain;
    const size_t n = s->t->local ? s->g->nlocal : LULL_RACE_PAGE_DWORDS;
    if (*all == NULL && first) {
        *all = calloc(n, sizeof **all);
    }
    return *all != NULL ? &(*all)[s->address / 4 % n] : NULL;
}

/** Of memory that atomic operations work on: a store that is none of them sets the place up,
 * if a barrier stands between it and those before (else it may free a lock), and must be in front
 * of the next ones. The cell has only the last of them. */
static void set_up(struct step *s, const struct lull_race_cell *c)
{
    const bool atomic = s->t->kind == LULL_TOUCH_ATOMIC, first = atomic && !c->atomics;
    struct lull_race_access *plain = plain_of(s, first);
    if (plain != NULL && first) {
        *plain = c->store; // If that is not in front it is told as any store.
    } else if (plain != NULL && atomic && (plain->mask & s->mask) != 0 && !ordered(s, plain)) {
        lull_race_tell(s, c, plain, true, LULL_RACE_NOTHING);
    } else if (plain != NULL && !atomic) {
        const bool frees = s->t->local && c->store.time > s->floor;
        *plain = (struct lull_race_access){.record = frees ? 0 : s->record,
                                           .time = s->r->time,
                                           .mask = s->mask,
                                           .lane = lull_race_lane(s)};
    }
}

static void store(struct step *s, struct lull_race_cell *c)
{
    const bool atomic = s->t->kind == LULL_TOUCH_ATOMIC;
    if (s->t->local || !s->r->unsure_stores) {
        set_up(s, c);
    }
    const enum lull_race_why why = (c->store.mask & s->mask) != 0 && !store_may(s, c)
                                       ? ordered_store(s, &c->store)
                                       : LULL_RACE_ORDERED;
    if (why != LULL_RACE_ORDERED) {
        lull_race_tell(s, c, &c->store, true, why);
    }
    if (!atomic) {
        two_lanes(s, c);
    }
    for (unsigned i = 0; i < 2 && !s->t->compares; i++) {
        if ((c->read[i].mask & s->mask) != 0 && !ordered(s, &c->read[i])) {
            lull_race_tell(s, c, &c->read[i], false, LULL_RACE_NOTHING);
        }
    }
    if (atomic && (s->t->returns || s->t->local)) {
        acquire(s, c);
    }
    const bool again = c->store.record == s->record && c->store.time > s->floor;
    const bool now = again && c->store.time == s->r->time;
    const uint32_t bits = lull_race_bits(s->mask);
    c->open = s->w->open;
    c->value = again ? (c->value & ~bits) | (s->value & bits) : s->value;
    c->store = (struct lull_race_access){.record = s->record,
                                         .time = s->r->time,
                                         .mask = again ? c->store.mask | s->mask : s->mask,
                                         .now = now ? c->store.now | s->mask : s->mask,
                                         .lane = lull_race_lane(s)};
    c->atomic = atomic;
    c->atomics = c->atomics || atomic;
    c->compared = c->compared || s->t->compares;
}

static inline struct lull_race_cell *cell_of(struct step *s)
{
    if (!s->t->local) {
        const unsigned in_page = (unsigned)(s->address / 4 % LULL_RACE_PAGE_DWORDS);
        const unsigned line = in_page / LULL_RACE_LINE_DWORDS;
        struct lull_race_page *p = page_of(s);
        const bool there = p != NULL && ((p->split >> line & 1) != 0 || lull_race_split(p, line));
        return there ? p->cells + in_page : NULL;
    }
    const struct group *g = s->g;
    return g->local != NULL && s->address / 4 < g->nlocal ? &g->local[s->address / 4] : NULL;
}

/** What @p lane stores into dword @p i of its access; false: not known. */
static bool value_of(const struct lull_check_now *n, const struct lull_touch *t, unsigned lane,
                     unsigned i, uint32_t *ret)
{
    if (t->image || t->texels != NULL) {
        const bool there = t->texels != NULL && 4 * (i + 1) <= LULL_TOUCH_TEXEL;
        memcpy(ret,
               there ? t->texels + (size_t)lane * LULL_TOUCH_TEXEL + (size_t)4 * i
                     : (const uint8_t[4]){0},
               4);
        return there;
    }
    if (i == 0 && t->row != NULL) {
        *ret = t->row[lane];
        return true;
    }
    return t->kind == LULL_TOUCH_STORE && n->at->read(n->at, t->data + i, t->from + lane, ret);
}

static void lane_step(struct step *s)
{
    const uint64_t first = s->t->address[s->lane], end = first + s->t->bytes;
    for (uint64_t at = first & ~UINT64_C(3); at < end; at += 4) {
        const unsigned from = at < first ? (unsigned)(first - at) : 0;
        const unsigned to = end - at < 4 ? (unsigned)(end - at) : 4;
        s->address = at;
        s->mask = (uint8_t)((1u << to) - (1u << from));
        s->valued = first % 4 == 0 || (s->t->bytes < 4 && from + s->t->bytes == to);
        s->valued = s->valued &&
                    value_of(s->n, s->t, s->lane, (unsigned)((at + from - first) / 4), &s->value);
        s->value = s->valued ? s->value << 8 * from & lull_race_bits(s->mask) : 0;
        struct lull_race_cell *c = cell_of(s);
        if (c == NULL) {
            lull_checks_lose(s->n->all);
        } else if (s->t->kind == LULL_TOUCH_LOAD) {
            load(s, c);
        } else {
            store(s, c);
        }
    }
}

/** The instruction at hand accesses a whole dword. (Field by field: what is put together first is
 * slow to be copied.) */
static inline void note(const struct step *s, struct lull_race_access *to)
{
    to->record = s->record;
    to->time = s->r->time;
    to->mask = to->now = WHOLE;
    to->lane = lull_race_lane(s);
}

/** A load of a whole dword, of which nothing but that has to be noted. False: there is more. */
static inline bool quick_load(struct step *s, struct lull_race_cell *c)
{
    const uint32_t last = c->read[0].record;
    if (last == s->record && s->t->local && c->read[0].time > s->floor &&
        c->read[0].mask == WHOLE) {
        return true; // Within a workgroup the time since a barrier does not matter.
    }
    if (!in_front(s, &c->store)) {
        return false;
    }
    if (last != s->record && last != 0 && !whose(s, last)->mine) {
        c->read[1] = c->read[0];
    }
    note(s, &c->read[0]);
    return true;
}

/** The same of a plain store. */
static inline bool quick_store(struct step *s, struct lull_race_cell *c)
{
    const bool again = c->store.record == s->record && c->store.time == s->r->time;
    const bool watched = (s->t->local ? s->g->plain : page_of(s)->plain) != NULL;
    if (again || watched || !s->valued || !in_front(s, &c->store) || !in_front(s, &c->read[0]) ||
        !in_front(s, &c->read[1])) {
        return false;
    }
    c->value = s->value;
    c->open = s->w->open;
    note(s, &c->store);
    c->atomic = false;
    return true;
}

/** The same as lane_step(), of a lane that accesses whole dwords. */
static void lane_dwords(struct step *s)
{
    const bool plain = s->t->kind == LULL_TOUCH_LOAD && (s->t->local || !may_acquire(s));
    const unsigned n = s->t->bytes / 4;
    s->mask = WHOLE;
    for (unsigned d = 0; d < n; d++) {
        s->address = s->t->address[s->lane] + 4 * (uint64_t)d;
        struct lull_race_cell *c = cell_of(s);
        if (c == NULL) {
            lull_checks_lose(s->n->all);
            continue;
        }
        if (plain && quick_load(s, c)) {
            continue;
        }
        s->value = 0;
        s->valued = s->t->kind != LULL_TOUCH_LOAD && value_of(s->n, s->t, s->lane, d, &s->value);
        if (s->t->kind == LULL_TOUCH_LOAD) {
            load(s, c);
        } else if (s->t->kind != LULL_TOUCH_STORE || !quick_store(s, c)) {
            store(s, c);
        }
    }
}

/** Do the lanes from @p from on go to a line, each to the dword behind that of the one before? */
static bool is_line(const struct lull_touch *t, unsigned from)
{
    const uint64_t *address = t->address + from, first = *address;
    const uint8_t *valid = t->valid + from;
    uint64_t differ = first % (4 * LULL_RACE_LINE_DWORDS);
    uint8_t off = 0;
    if ((~t->lanes >> from & LINE) != 0) {
        return false;
    }
    for (unsigned i = 0; i < LULL_RACE_LINE_DWORDS; i++) {
        differ |= address[i] ^ (first + 4 * (uint64_t)i);
        off |= valid[i] == 0;
    }
    return differ == 0 && off == 0;
}

/** The lanes from @p from on load or store a line that is not split, and no more has to be done
 * than that. */
static bool quick_line(struct step *s, unsigned from)
{
    const struct lull_touch *t = s->t;
    if (!is_line(t, from)) {
        return false;
    }
    s->lane = from;
    s->address = t->address[from];
    const struct lull_race_page *p = page_of(s);
    const unsigned line =
        (unsigned)(s->address / 4 % LULL_RACE_PAGE_DWORDS) / LULL_RACE_LINE_DWORDS;
    if (p == NULL || (p->split >> line & 1) != 0) {
        return false;
    }
    struct lull_race_cell *c = &s->page->lines[line];
    if (t->kind == LULL_TOUCH_LOAD) {
        return quick_load(s, c);
    }
    uint32_t *values = t->row != NULL ? lull_race_values(s->page, line) : NULL;
    s->valued = values != NULL;
    s->value = 0;
    if (!quick_store(s, c)) {
        return false;
    }
    memcpy(values, t->row + from, LULL_RACE_LINE_DWORDS * sizeof *values);
    return true;
}

/** May lanes go to lines? */
static bool has_lines(const struct step *s)
{
    const struct lull_touch *t = s->t;
    const bool plain =
        t->kind == LULL_TOUCH_STORE || (t->kind == LULL_TOUCH_LOAD && !may_acquire(s));
    return !t->local && !t->image && !t->scalar && t->bytes == 4 && plain;
}

/** Lanes @p lanes, one by one. */
static void lane_by_lane(struct step *s, uint64_t lanes)
{
    const struct lull_touch *t = s->t;
    for (uint64_t m = lanes; m != 0; m &= m - 1) {
        s->lane = (unsigned)__builtin_ctzll(m);
        if (t->valid[s->lane] == 0) {
            continue;
        }
        if (t->bytes % 4 == 0 && t->address[s->lane] % 4 == 0) {
            lane_dwords(s);
        } else {
            lane_step(s);
        }
    }
}

/** Lanes of an instruction that goes to lines, perhaps. */
static void line_by_line(struct step *s)
{
    const unsigned lanes = s->n->wave->lanes - s->t->from, n = lanes < LANES ? lanes : LANES;
    for (unsigned l = 0; l < n; l += LULL_RACE_LINE_DWORDS) {
        if (!quick_line(s, l)) {
            lane_by_lane(s, s->t->lanes & (uint64_t)LINE << l);
        }
    }
}

/** All lanes of a load of local memory. */
static void load_local(struct step *s)
{
    const struct lull_touch *t = s->t;
    const uint64_t ndwords = t->bytes / 4;
    uint64_t last = UINT64_MAX;
    for (uint64_t m = t->lanes; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(m);
        const uint64_t at = t->address[lane];
        if (at == last || t->valid[lane] == 0) {
            continue;
        }
        last = at;
        s->lane = lane;
        if (t->bytes % 4 != 0 || at % 4 != 0 || at / 4 + ndwords > s->g->nlocal) {
            lane_step(s);
            continue;
        }
        struct lull_race_cell *const cells = s->g->local + at / 4;
        for (uint64_t d = 0; d < ndwords; d++) {
            if (!quick_load(s, &cells[d])) {
                s->mask = WHOLE;
                s->address = at + 4 * d;
                s->valued = false;
                load(s, &cells[d]);
            }
        }
    }
}

/** Local memory. @return whether nothing is left to be done. */
static bool is_logged(struct step *s)
{
    struct group *g = s->g;
    const struct lull_touch *t = s->t;
    if (g->local == NULL && s->n->at->local_bytes != 0) {
        g->nlocal = (s->n->at->local_bytes + 3) / 4;
        g->local = calloc(g->nlocal, sizeof *g->local);
    }
    const bool load = t->kind == LULL_TOUCH_LOAD;
    if (load && g->local != NULL && g->stored <= s->floor &&
        lull_race_log_add(&g->loads, t, g->nlocal, s->record, s->r->time)) {
        return true;
    }
    g->stored = load ? g->stored : s->r->time;
    lull_race_log_flush(&g->loads, g->local, s->r->shadow.records, s->floor);
    return false;
}

static void before(const struct lull_check_now *n)
{
    struct race *r = n->own;
    struct wave *w = *n->of_wave;
    struct group *g = *n->of_group;
    const struct plan *p = n->plan;
    if (w != NULL && (n->barrier || p->waits)) {
        waits(r, w);
    }
    if (w != NULL && g != NULL && n->barrier) {
        lull_race_clock_join(&g->clock, &w->clock);
        w->barriers++;
        w->past = true;
        g->come[w->barriers & 1] = (struct come){.k = w->barriers, .time = r->time};
    }
}

static void memory(const struct lull_check_now *n, const struct lull_touch *t)
{
    const struct lull_check_objects *known = n->config;
    if (known != NULL && known->across != NULL && !t->local) {
        lull_across_touch(known->across, n, t);
    }
    struct step s = {.n = n, .t = t, .r = n->own, .w = *n->of_wave, .g = *n->of_group};
    if (s.w == NULL || s.g == NULL) {
        return;
    }
    if (s.w->past) {
        lull_race_clock_join(&s.w->clock, &s.g->clock);
        s.w->past = false;
    }
    s.record = record_of(n, s.r, s.w);
    if (s.record == 0) {
        return;
    }
    s.r->time += t->from == 0 || s.w->half != n->at->ninsns; // Halves are one.
    s.w->half = n->at->ninsns;
    const struct come *come = &s.g->come[s.w->barriers & 1];
    s.floor = s.w->barriers != 0 && come->k == s.w->barriers ? come->time : 0;
    if (t->local && is_logged(&s)) {
        return;
    }
    if (t->local && t->kind == LULL_TOUCH_LOAD && s.g->local != NULL) {
        load_local(&s);
        return;
    }
    const bool once = t->shape == LULL_TOUCH_ONE && t->kind == LULL_TOUCH_LOAD;
    if (!once && has_lines(&s)) {
        line_by_line(&s);
    } else {
        lane_by_lane(&s, once ? t->lanes & -t->lanes : t->lanes);
    }
    const struct plan *p = n->plan;
    const bool open = p->counts && !t->local && t->kind != LULL_TOUCH_LOAD && !t->returns;
    s.w->open = s.w->open != 0 || !open ? s.w->open : s.r->time;
}

static void transfer(const void *config, const struct lull_transfer *t)
{
    const struct lull_check_objects *known = config;
    if (known != NULL && known->across != NULL) {
        lull_across_transfer(known->across, t);
    }
}

static bool plan(const struct lull_check_now *n, void *to)
{
    struct race *r = n->own;
    struct plan *p = to;
    if (n->at->arch->memory(n->at->insn).kind != LULL_MEMORY_NONE) {
        p->number = r->insns++;
    }
    p->counts = n->at->arch == &lull_arch_rdna3;
    if (p->counts) {
        const struct lull_rdna_insn *in = (const struct lull_rdna_insn *)n->at->insn;
        p->waits = in->op == LULL_RDNA_OP_S_WAITCNT_VSCNT && in->imm == 0;
    }
    return n->barrier || p->waits;
}

const struct lull_check_module lull_check_race = {.name = "race",
                                                  .images = true,
                                                  .own_bytes = sizeof(struct race),
                                                  .plan_bytes = sizeof(struct plan),
                                                  .plan = plan,
                                                  .starts = starts,
                                                  .before = before,
                                                  .memory = memory,
                                                  .ends = ends,
                                                  .transfer = transfer,
                                                  .drop_wave = drop_wave,
                                                  .drop_group = drop_group,
                                                  .done = done};
