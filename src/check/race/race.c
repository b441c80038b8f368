// SPDX-License-Identifier: MIT
#include "check/race/race.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "check/race/across.h"
#include "check/race/cells.h"
#include "check/race/clock.h"
#include "check/race/log.h"

static const char name[] = "race";

enum { LANES = 64, KNOWN = 32, FIRST_RECORDS = 32, WHOLE = 0xf, LINE = 0xffff };

/** Of the run. */
struct race {
    struct lull_race_shadow shadow;
    uint32_t time; // Counts instructions that access memory.
    uint64_t waves, live, dispatch;
    uint32_t insns; // Instructions that access memory, as they are numbered.
    bool unsure;    // Of the dispatch: lull_touch.unsure counts.
};

/** What is known of an instruction. */
struct plan {
    uint32_t number;
};

struct group {
    struct lull_race_clock clock; // What its waves are behind.
    /** When a wave came last to barrier number k, by k modulo 2: no wave can be two ahead. What the
     * workgroup did up to then is in front of what is behind the barrier. */
    struct come {
        uint32_t k, time;
    } come[2];
    struct lull_race_cell *local; // By dword; NULL: not needed yet.
    size_t nlocal;
    uint32_t stored; // When it stored there last.
    struct lull_race_log loads;
};

/** Of a record: whose it is. */
struct whose {
    uint32_t record;
    bool mine, ours; // Of this wave, or of an earlier dispatch; of this workgroup.
};

struct wave {
    uint64_t number;
    uint32_t barriers;
    bool past;     // A barrier, since the clock of the group was taken over.
    uint64_t half; // Instructions in front of the one whose lower half was told last.
    struct lull_race_clock clock;
    uint32_t *records, nrecords; // By number of the instruction; 0: none yet.
    struct whose known[KNOWN];   // The last asked for.
};

/** An instruction's access to a dword, as it is compared with those before. */
struct step {
    const struct lull_check_now *n;
    const struct lull_touch *t;
    struct race *r;
    struct wave *w;
    struct group *g;
    uint32_t record;
    unsigned lane;
    uint8_t mask;
    uint32_t value;
    bool valued;
    uint64_t address;            // Of the dword.
    uint32_t floor;              // What the workgroup did up to this time is in front.
    struct lull_race_page *page; // Of the last dword in memory.
};

/** A dispatch begins. */
static void begin(const struct lull_check_now *n, struct race *r)
{
    const struct lull_check_objects *o = n->config;
    r->dispatch = n->group->dispatch;
    r->unsure = o == NULL || o->atomic_loads == NULL || o->atomic_loads(o->atomic_ctx);
}

static void starts(const struct lull_check_now *n)
{
    struct race *r = n->own;
    struct wave *w = calloc(1, sizeof *w);
    if (r->live == 0 && n->group->dispatch != r->dispatch) {
        lull_race_shadow_clear(&r->shadow);
        r->time = 0;
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

static void ends(const struct lull_check_now *n)
{
    struct race *r = n->own;
    const struct wave *w = *n->of_wave;
    struct group *g = *n->of_group;
    r->live -= r->live != 0;
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
    free(g);
}

static void done(void *own)
{
    struct race *r = own;
    lull_race_shadow_done(&r->shadow);
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

/** Of the wave. */
static inline uint8_t lane_of(const struct step *s)
{
    return (uint8_t)(s->t->from + s->lane);
}

static void find_whose(struct step *s, uint32_t record, struct whose *k)
{
    const struct lull_race_record *r = &s->r->shadow.records[record];
    *k = (struct whose){record, r->started == s->w->number || r->dispatch != s->n->group->dispatch,
                        r->group == s->n->group->number};
}

static inline const struct whose *whose(struct step *s, uint32_t record)
{
    struct whose *k = &s->w->known[record % KNOWN];
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

/** "texel (63, 0)"; both accesses of a race have the same one. */
static void add_texel(const struct lull_touch *t, unsigned lane, struct lull_str *out)
{
    for (unsigned i = 0; t->texel != NULL && i < t->dims; i++) {
        lull_str_addf(out, "%s%" PRId32, i == 0 ? ", texel (" : ", ",
                      t->texel[(size_t)4 * lane + i]);
    }
    lull_str_addf(out, "%s", t->texel != NULL && t->dims != 0 ? ")" : "");
}

static uint32_t spread(uint8_t mask)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < 4; i++) {
        bits |= (mask >> i & 1u) != 0 ? UINT32_C(0xff) << 8 * i : 0;
    }
    return bits;
}

static char *does(const struct step *s, const char *verb, const uint32_t *value)
{
    struct lull_str place = {0};
    const uint64_t first = s->address + (unsigned)__builtin_ctz(s->mask);
    const unsigned bytes = (unsigned)__builtin_popcount(s->mask);
    lull_check_place(s->n->config, s->t->local, first, bytes, &place);
    if (s->t->image) {
        lull_str_addf(&place, " of an image");
        add_texel(s->t, s->lane, &place);
    }
    const uint32_t stored =
        value != NULL ? (*value & spread(s->mask)) >> 8 * (unsigned)__builtin_ctz(s->mask) : 0;
    char *text = value != NULL
                     ? lull_check_text("%s %u byte%s, 0x%" PRIx32 ", at %s", verb, bytes,
                                       bytes == 1 ? "" : "s", stored, lull_str_text(&place))
                     : lull_check_text("%s %u byte%s at %s", verb, bytes, bytes == 1 ? "" : "s",
                                       lull_str_text(&place));
    lull_error_free(place.err);
    place.err = NULL;
    lull_str_free(&place);
    return text;
}

static const char *verb_of(enum lull_touch_kind kind)
{
    return kind == LULL_TOUCH_LOAD    ? "loads"
           : kind == LULL_TOUCH_STORE ? "stores"
                                      : "atomically changes";
}

static struct lull_check_site other_site(const struct step *s, const struct lull_race_access *a)
{
    const struct lull_race_record *r = &s->r->shadow.records[a->record];
    struct lull_check_site site = lull_check_site(s->n, r->pc, a->lane);
    site.wave = r->wave;
    site.lanes = r->lanes;
    memcpy(site.workgroup, r->workgroup, sizeof site.workgroup);
    memcpy(site.full, r->full, sizeof site.full);
    site.touched = (struct lull_check_touched){.there = !s->t->local,
                                               .described = s->t->described || s->t->image,
                                               .bytes = 4,
                                               .address = s->address};
    return site;
}

static void tell(const struct step *s, const struct lull_race_cell *c,
                 const struct lull_race_access *a, bool stored)
{
    const struct lull_race_record *r = &s->r->shadow.records[a->record];
    const bool same = r->group == s->n->group->number;
    // A load of local memory that the source calls atomic looks like any other.
    const bool atomic =
        stored ? c->atomic && s->t->kind == LULL_TOUCH_LOAD : s->t->kind == LULL_TOUCH_ATOMIC;
    const bool guess = s->t->local && atomic;
    struct lull_finding *f =
        lull_check_found(s->n, name,
                         same ? "two waves of a workgroup, no barrier between them"
                              : "two workgroups of a dispatch, nothing orders them",
                         r->pc, s->n->at->pc);
    if (f == NULL || f->count != 1) {
        return;
    }
    f->warning = guess;
    f->sites[0] = other_site(s, a);
    f->sites[1] = lull_check_site(s->n, s->n->at->pc, s->t->from + s->lane);
    f->sites[1].touched.address = s->address;
    f->sites[1].whole = s->t->scalar;
    f->sites[0].does = does(s,
                            verb_of(!stored     ? LULL_TOUCH_LOAD
                                    : c->atomic ? LULL_TOUCH_ATOMIC
                                                : LULL_TOUCH_STORE),
                            stored && !c->atomic ? &c->value : NULL);
    f->sites[1].does = does(s, verb_of(s->t->kind),
                            s->t->kind == LULL_TOUCH_STORE && s->valued ? &s->value : NULL);
    f->note = lull_check_text(
        "%s", same ? "a barrier is expected between the two"
                   : "barriers order one workgroup only: expected are atomic operations, or one "
                     "more dispatch");
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
    if ((c->store.mask & s->mask) != 0 && !expects && !ordered(s, &c->store)) {
        tell(s, c, &c->store, true);
    }
    if (c->read[0].record != 0 && !whose(s, c->read[0].record)->mine) {
        c->read[1] = c->read[0];
    }
    const bool again = c->read[0].record == s->record && c->read[0].time > s->floor;
    const uint8_t mask = again ? c->read[0].mask | s->mask : s->mask;
    c->read[0] = (struct lull_race_access){
        .record = s->record, .time = s->r->time, .mask = mask, .lane = lane_of(s)};
}

/** May a store, or an atomic operation, be what is expected at a place with that history? */
static bool store_may(const struct step *s, const struct lull_race_cell *c)
{
    const bool atomic = s->t->kind == LULL_TOUCH_ATOMIC;
    if (c->atomic && (atomic || !s->t->local)) {
        return true; // Both are, or a lock is freed.
    }
    if (atomic && (c->atomics || !s->t->local)) {
        return true; // What it was freed by.
    }
    const uint32_t both = spread(s->mask & c->store.mask);
    return !atomic && !c->atomic && s->valued && ((s->value ^ c->value) & both) == 0;
}

/** Has another lane stored something else there by this very instruction? */
static void two_lanes(const struct step *s, const struct lull_race_cell *c)
{
    const uint32_t both = spread(s->mask & c->store.now);
    const bool now = c->store.record == s->record && c->store.time == s->r->time;
    if (!now || !s->valued || ((s->value ^ c->value) & both) == 0) {
        return;
    }
    struct lull_finding *f = lull_check_found(
        s->n, name, "two lanes of one instruction store different values to one place",
        s->n->at->pc, s->n->at->pc);
    if (f == NULL || f->count != 1) {
        return;
    }
    f->sites[0] = other_site(s, &c->store);
    f->sites[1] = lull_check_site(s->n, s->n->at->pc, s->t->from + s->lane);
    f->sites[1].touched.address = s->address;
    f->sites[0].does = does(s, "stores", &c->value);
    f->sites[1].does = does(s, "stores", &s->value);
    f->note = lull_check_text("which of them stays is not defined");
}

static void store(struct step *s, struct lull_race_cell *c)
{
    const bool atomic = s->t->kind == LULL_TOUCH_ATOMIC;
    if ((c->store.mask & s->mask) != 0 && !ordered(s, &c->store) && !store_may(s, c)) {
        tell(s, c, &c->store, true);
    }
    if (!atomic) {
        two_lanes(s, c);
    }
    for (unsigned i = 0; i < 2 && !s->t->compares; i++) {
        if ((c->read[i].mask & s->mask) != 0 && !ordered(s, &c->read[i])) {
            tell(s, c, &c->read[i], false);
        }
    }
    if (atomic && (s->t->returns || s->t->local)) {
        acquire(s, c);
    }
    const bool again = c->store.record == s->record && c->store.time > s->floor;
    const bool now = again && c->store.time == s->r->time;
    const uint32_t bits = spread(s->mask);
    c->value = again ? (c->value & ~bits) | (s->value & bits) : s->value;
    c->store = (struct lull_race_access){.record = s->record,
                                         .time = s->r->time,
                                         .mask = again ? c->store.mask | s->mask : s->mask,
                                         .now = now ? c->store.now | s->mask : s->mask,
                                         .lane = lane_of(s)};
    c->atomic = atomic;
    c->atomics = c->atomics || atomic;
    c->compared = c->compared || s->t->compares;
}

static inline struct lull_race_page *page_of(struct step *s)
{
    if (s->page == NULL || s->page->number != s->address / 4 / LULL_RACE_PAGE_DWORDS) {
        s->page = lull_race_page_at(&s->r->shadow, s->n->space, s->address);
    }
    return s->page;
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
        s->value = s->valued ? s->value << 8 * from & spread(s->mask) : 0;
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
    to->lane = lane_of(s);
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
    if (again || !s->valued || !in_front(s, &c->store) || !in_front(s, &c->read[0]) ||
        !in_front(s, &c->read[1])) {
        return false;
    }
    c->value = s->value;
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
    const struct race *r = n->own;
    struct wave *w = *n->of_wave;
    struct group *g = *n->of_group;
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
    return n->barrier;
}

const struct lull_check_module lull_check_race = {.name = name,
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
