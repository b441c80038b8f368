// SPDX-License-Identifier: MIT
#include "check/race/across.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    DWORDS = 1024,
    PAGE_SHIFT = 12,
    FIRST_ROOM = 256,
    MAX_PAGES = 16384, // 64 MiB of memory, 192 MiB of cells
    MAX_RECORDS = 1 << 20,
    MAX_PAIRS = 65536,
    WHOLE = 0xf,      // Bytes of a dword.
    MAX_MOVED = 4096, // Each new page is compared with all.
};

/** An instruction of a dispatch. */
struct lull_across_record {
    uint64_t launch, pc;
    uint32_t workgroup[3], full[3]; // Of the wave that came first.
    uint32_t wave, lanes, bytes;
    enum lull_touch_kind kind;
    bool described, image;
};

/** Who stored a dword last, and who loaded it: records, and bytes of the dword. copied: the last
 * transfer that read all of it, by its number + 1. */
struct cell {
    uint32_t store, load;
    uint8_t stored, loaded;
    uint16_t copied;
};

struct lull_across_page {
    uint64_t number;
    uint32_t space;
    struct cell cells[DWORDS];
};

static size_t place_of(const struct lull_across *a, uint32_t space, uint64_t number)
{
    size_t at = (size_t)((number + space) * 0x9e3779b1u) & (a->pages_room - 1);
    while (a->pages[at] != NULL &&
           (a->pages[at]->number != number || a->pages[at]->space != space)) {
        at = (at + 1) & (a->pages_room - 1);
    }
    return at;
}

static bool grow(struct lull_across *a)
{
    struct lull_across_page **old = a->pages;
    const size_t old_room = a->pages_room, room = old_room != 0 ? 2 * old_room : FIRST_ROOM;
    struct lull_across_page **pages = calloc(room, sizeof(void *));
    if (pages == NULL) {
        return false;
    }
    a->pages = pages;
    a->pages_room = room;
    for (size_t i = 0; i < old_room; i++) {
        if (old[i] != NULL) {
            a->pages[place_of(a, old[i]->space, old[i]->number)] = old[i];
        }
    }
    free(old);
    return true;
}

/** Too much to remember: what was is forgotten, so some pairs are not seen. */
static void forget(struct lull_across *a)
{
    for (size_t i = 0; i < a->pages_room; i++) {
        free(a->pages[i]);
        a->pages[i] = NULL;
    }
    a->npages = 0;
    a->last = NULL;
}

/** What of @p bytes from @p from on lies in page @p number; false: nothing does. */
static bool in_page(uint64_t from, uint64_t bytes, uint64_t number, uint64_t ret[2])
{
    const uint64_t low = number << PAGE_SHIFT, high = low + (UINT64_C(1) << PAGE_SHIFT);
    ret[0] = from > low ? from : low;
    ret[1] = from + bytes < high ? from + bytes : high;
    return ret[0] < ret[1];
}

static uint8_t mask_of(uint64_t dword, const uint64_t range[2])
{
    const unsigned from = dword < range[0] ? (unsigned)(range[0] - dword) : 0;
    const unsigned to = range[1] - dword < 4 ? (unsigned)(range[1] - dword) : 4;
    return (uint8_t)((1u << to) - (1u << from));
}

/** A new page was written or read by transfers before it was there. */
static void move_before(const struct lull_across *a, struct lull_across_page *p)
{
    uint64_t range[2];
    for (size_t i = 0; i < a->nmoved; i++) {
        const struct lull_across_moved *m = &a->moved[i];
        if (m->t.space == p->space && m->t.copies &&
            in_page(m->t.from, m->t.bytes, p->number, range)) {
            for (uint64_t at = range[0] & ~UINT64_C(3); at < range[1]; at += 4) {
                if (mask_of(at, range) == WHOLE) {
                    p->cells[at / 4 % DWORDS].copied = (uint16_t)(i + 1);
                }
            }
        }
        if (m->t.space == p->space && in_page(m->t.to, m->t.bytes, p->number, range)) {
            for (uint64_t at = range[0] & ~UINT64_C(3); at < range[1]; at += 4) {
                p->cells[at / 4 % DWORDS].store = m->stores;
                p->cells[at / 4 % DWORDS].stored = mask_of(at, range);
            }
        }
    }
}

/** NULL: no memory. */
static struct cell *cell_at(struct lull_across *a, uint32_t space, uint64_t address)
{
    const uint64_t number = address >> PAGE_SHIFT;
    struct lull_across_page *p = a->last;
    if (p == NULL || p->number != number || p->space != space) {
        p = a->pages_room != 0 ? a->pages[place_of(a, space, number)] : NULL;
        if (p == NULL) {
            if (a->npages == MAX_PAGES) {
                forget(a);
            }
            p = 2 * (a->npages + 1) > a->pages_room && !grow(a) ? NULL : calloc(1, sizeof *p);
            if (p == NULL) {
                return NULL;
            }
            p->number = number;
            p->space = space;
            a->pages[place_of(a, space, number)] = p;
            a->npages++;
            move_before(a, p);
        }
        a->last = p;
    }
    return &p->cells[address / 4 % DWORDS];
}

/** NULL: no memory, or there are too many. */
static struct lull_across_record *new_record(struct lull_across *a)
{
    if (a->nrecords + 1 >= a->records_room) {
        const size_t room = a->records_room != 0 ? 2 * a->records_room : FIRST_ROOM;
        struct lull_across_record *more =
            room > MAX_RECORDS ? NULL : realloc(a->records, room * sizeof *more);
        if (more == NULL) {
            return NULL;
        }
        a->records = more;
        a->records_room = room;
    }
    return &a->records[++a->nrecords];
}

/** The record of the instruction at hand; 0: no memory. */
static uint32_t record_of(struct lull_across *a, const struct lull_check_now *n,
                          const struct lull_touch *t)
{
    const size_t place = n->at->pc / 4 % (sizeof a->known / sizeof a->known[0]);
    const uint64_t launch = n->group->launch;
    if (a->known[place].record != 0 && a->known[place].pc == n->at->pc &&
        a->known[place].launch == launch) {
        return a->known[place].record;
    }
    struct lull_across_record *r = new_record(a);
    if (r == NULL) {
        return 0;
    }
    *r = (struct lull_across_record){.launch = launch,
                                     .pc = n->at->pc,
                                     .wave = n->wave->index,
                                     .lanes = n->wave->lanes,
                                     .bytes = t->bytes,
                                     .kind = t->kind,
                                     .described = t->described || t->image,
                                     .image = t->image};
    memcpy(r->workgroup, n->group->workgroup, sizeof r->workgroup);
    memcpy(r->full, n->group->full, sizeof r->full);
    a->known[place].launch = launch;
    a->known[place].pc = n->at->pc;
    a->known[place].record = (uint32_t)a->nrecords;
    lull_check_keep_insn(n);
    return (uint32_t)a->nrecords;
}

static const char *const verbs[] = {[LULL_TOUCH_LOAD] = "loads",
                                    [LULL_TOUCH_STORE] = "stores",
                                    [LULL_TOUCH_ATOMIC] = "atomically changes"};

/** What a transfer did; which call it is will be found out. */
static struct lull_check_site transfer_site(const struct lull_across_record *r, uint64_t address)
{
    struct lull_check_site s = {.there = true, .call = true};
    s.does = lull_check_text("%s address 0x%" PRIx64, verbs[r->kind], address);
    return s;
}

/** What the first did: its wave is the one that came first to the instruction. @p n NULL: there is
 * no other wave at hand. */
static struct lull_check_site first_site(const struct lull_check_now *n,
                                         const struct lull_across_record *r, uint64_t address)
{
    if ((r->launch & LULL_ACROSS_TRANSFER) != 0) {
        return transfer_site(r, address);
    }
    struct lull_check_site s = n != NULL ? lull_check_site(n, r->pc, 0)
                                         : (struct lull_check_site){.there = true, .pc = r->pc};
    s.whole = true;
    s.wave = r->wave;
    s.lanes = r->lanes;
    memcpy(s.workgroup, r->workgroup, sizeof s.workgroup);
    memcpy(s.full, r->full, sizeof s.full);
    s.launch = r->launch;
    s.touched = (struct lull_check_touched){.there = true,
                                            .described = r->described,
                                            .stores = r->kind != LULL_TOUCH_LOAD,
                                            .image = r->image,
                                            .bytes = r->bytes,
                                            .address = address};
    s.does = lull_check_text("or another of dispatch %" PRIu64 " %s %u bytes at address 0x%" PRIx64,
                             r->launch, verbs[r->kind], r->bytes, address);
    return s;
}

static struct lull_check_site second_site(const struct lull_check_now *n,
                                          const struct lull_touch *t, unsigned lane,
                                          uint64_t address)
{
    struct lull_check_site s = lull_check_site(n, n->at->pc, t->from + lane);
    s.whole = t->scalar;
    s.touched.address = address;
    s.does = lull_check_text("of dispatch %" PRIu64 " %s %u bytes at address 0x%" PRIx64,
                             n->group->launch, verbs[t->kind], t->bytes, address);
    return s;
}

static bool index_grow(struct lull_across *a)
{
    const size_t room = a->index_room != 0 ? 2 * a->index_room : FIRST_ROOM;
    uint32_t *index = calloc(room, sizeof *index);
    if (index == NULL) {
        return false;
    }
    free(a->index);
    a->index = index;
    a->index_room = room;
    return true;
}

static size_t hash_of(const struct lull_across *a, const uint64_t launches[2],
                      const uint64_t pcs[2], enum lull_across_kind kind)
{
    uint64_t h = kind;
    for (unsigned i = 0; i < 2; i++) {
        h = (h ^ launches[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h = (h ^ pcs[i]) * UINT64_C(0xc2b2ae3d27d4eb4f);
    }
    return (size_t)(h >> 32) & (a->index_room - 1);
}

/** Where the pair of these stands in the index, or would stand. */
static uint32_t *slot_of(struct lull_across *a, const uint64_t launches[2], const uint64_t pcs[2],
                         enum lull_across_kind kind)
{
    for (size_t at = hash_of(a, launches, pcs, kind);; at = (at + 1) & (a->index_room - 1)) {
        const struct lull_across_pair *p = a->index[at] != 0 ? &a->pairs[a->index[at] - 1] : NULL;
        if (p == NULL || (p->kind == kind && memcmp(p->launches, launches, 16) == 0 &&
                          p->sites[0].pc == pcs[0] && p->sites[1].pc == pcs[1])) {
            return &a->index[at];
        }
    }
}

/** Room for one more pair, in the list and in the index. */
static bool make_room(struct lull_across *a)
{
    if (a->npairs == a->room) {
        const size_t room = a->room != 0 ? 2 * a->room : FIRST_ROOM;
        struct lull_across_pair *more =
            room > MAX_PAIRS ? NULL : realloc(a->pairs, room * sizeof *more);
        if (more == NULL) {
            return false;
        }
        a->pairs = more;
        a->room = room;
    }
    if (2 * (a->npairs + 1) > a->index_room) {
        if (!index_grow(a)) {
            return false;
        }
        for (size_t i = 0; i < a->npairs; i++) {
            const struct lull_across_pair *p = &a->pairs[i];
            const uint64_t pcs[2] = {p->sites[0].pc, p->sites[1].pc};
            *slot_of(a, p->launches, pcs, p->kind) = (uint32_t)i + 1;
        }
    }
    return true;
}

/** What one instruction does, lane by lane. */
struct touching {
    struct lull_across *a;
    const struct lull_check_now *n;
    const struct lull_touch *t;
    uint32_t record;
    unsigned lane;
    uint32_t told; // The record that it was paired with last.
    enum lull_across_kind told_kind;
    struct lull_across_pair *pair; // Of these two.
};

/** The pair of these. @p fresh: it was not there. */
static struct lull_across_pair *pair_of(struct lull_across *a, const uint64_t launches[2],
                                        const uint64_t pcs[2], enum lull_across_kind kind,
                                        bool *fresh)
{
    uint32_t *slot = slot_of(a, launches, pcs, kind);
    *fresh = *slot == 0;
    if (*slot != 0) {
        a->pairs[*slot - 1].count++;
        return &a->pairs[*slot - 1];
    }
    struct lull_across_pair *p = &a->pairs[a->npairs++];
    *p = (struct lull_across_pair){.kind = kind, .count = 1};
    memcpy(p->launches, launches, sizeof p->launches);
    *slot = (uint32_t)a->npairs;
    return p;
}

/** The pair is of byte @p address, too. */
static void reach(struct lull_across_pair *p, const struct lull_across_end *e, bool fresh)
{
    p->first = fresh ? *e : p->first;
    p->low = fresh || e->address < p->low.address ? *e : p->low;
    p->high = fresh || e->address > p->high.address ? *e : p->high;
}

static struct lull_across_end end_of(const struct touching *w, uint64_t address)
{
    struct lull_across_end e = {
        .address = address, .wave = w->n->wave->index, .lane = w->t->from + w->lane};
    memcpy(e.workgroup, w->n->group->workgroup, sizeof e.workgroup);
    memcpy(e.full, w->n->group->full, sizeof e.full);
    return e;
}

static void pair(struct touching *w, uint32_t first, enum lull_across_kind kind, uint64_t address)
{
    struct lull_across *a = w->a;
    const struct lull_across_record *r = &a->records[first];
    if (first == w->told && kind == w->told_kind) {
        if (w->pair != NULL &&
            (address < w->pair->low.address || address > w->pair->high.address)) {
            const struct lull_across_end e = end_of(w, address);
            reach(w->pair, &e, false);
        }
        return;
    }
    if (!make_room(a)) {
        return;
    }
    w->told = first;
    w->told_kind = kind;
    const uint64_t launches[2] = {r->launch, w->n->group->launch};
    const uint64_t pcs[2] = {r->pc, w->n->at->pc};
    const struct lull_across_end e = end_of(w, address);
    bool fresh = false;
    w->pair = pair_of(a, launches, pcs, kind, &fresh);
    reach(w->pair, &e, fresh);
    if (fresh) {
        w->pair->space = w->n->space;
        w->pair->sites[0] = first_site(w->n, r, address);
        w->pair->sites[1] = second_site(w->n, w->t, w->lane, address);
    }
}

/** Record @p now, of a transfer, comes behind @p first, of a dispatch. */
static void pair_transfer(struct lull_across *a, uint32_t first, uint32_t now, uint32_t space,
                          enum lull_across_kind kind, uint64_t address)
{
    const struct lull_across_record *r = &a->records[first], *t = &a->records[now];
    if (first == 0 || (r->launch & LULL_ACROSS_TRANSFER) != 0 || !make_room(a)) {
        return;
    }
    const uint64_t launches[2] = {r->launch, t->launch}, pcs[2] = {r->pc, 0};
    const struct lull_across_end e = {.address = address};
    bool fresh = false;
    struct lull_across_pair *p = pair_of(a, launches, pcs, kind, &fresh);
    reach(p, &e, fresh);
    if (fresh) {
        p->space = space;
        p->sites[0] = first_site(NULL, r, address);
        p->sites[1] = transfer_site(t, address);
    }
}

/** Bytes @p range of a page that dispatches have used are read or written by a transfer. */
static void move_in(struct lull_across *a, struct lull_across_page *p, const uint64_t range[2],
                    uint32_t record)
{
    const bool loads = a->records[record].kind == LULL_TOUCH_LOAD;
    for (uint64_t at = range[0] & ~UINT64_C(3); at < range[1]; at += 4) {
        struct cell *c = &p->cells[at / 4 % DWORDS];
        const uint8_t mask = mask_of(at, range);
        if ((c->stored & mask) != 0) {
            pair_transfer(a, c->store, record, p->space,
                          loads ? LULL_ACROSS_READ : LULL_ACROSS_WRITE, at);
        }
        if (!loads && (c->loaded & mask) != 0) {
            pair_transfer(a, c->load, record, p->space, LULL_ACROSS_AFTER, at);
        }
        if (loads && mask == WHOLE) {
            c->copied = (uint16_t)((a->records[record].launch & ~LULL_ACROSS_TRANSFER) + 1);
        } else if (!loads) {
            c->store = record;
            c->stored = mask;
        }
    }
}

/** Pages that dispatches have used. */
static void move(struct lull_across *a, uint32_t space, uint64_t from, uint64_t bytes,
                 uint32_t record)
{
    uint64_t range[2];
    for (size_t i = 0; i < a->pages_room; i++) {
        struct lull_across_page *p = a->pages[i];
        if (p != NULL && p->space == space && in_page(from, bytes, p->number, range)) {
            move_in(a, p, range, record);
        }
    }
}

/** Does @p t go on where @p m ends? */
static bool goes_on(const struct lull_transfer *m, const struct lull_transfer *t)
{
    return m->space == t->space && m->launches == t->launches && m->copies == t->copies &&
           m->to + m->bytes == t->to && (!m->copies || m->from + m->bytes == t->from);
}

/** Number of a record of transfer @p number; 0: no memory. */
static uint32_t transfer_record(struct lull_across *a, size_t number, enum lull_touch_kind kind)
{
    struct lull_across_record *r = new_record(a);
    if (r != NULL) {
        *r = (struct lull_across_record){.launch = LULL_ACROSS_TRANSFER | number, .kind = kind};
    }
    return r != NULL ? (uint32_t)a->nrecords : 0;
}

/** NULL: no memory, or there are too many. */
static struct lull_across_moved *new_moved(struct lull_across *a, const struct lull_transfer *t)
{
    if (a->nmoved == a->moved_room) {
        const size_t room = a->moved_room != 0 ? 2 * a->moved_room : FIRST_ROOM;
        struct lull_across_moved *more =
            room > MAX_MOVED ? NULL : realloc(a->moved, room * sizeof *more);
        if (more == NULL) {
            return NULL;
        }
        a->moved = more;
        a->moved_room = room;
    }
    const uint32_t loads = t->copies ? transfer_record(a, a->nmoved, LULL_TOUCH_LOAD) : 0;
    const uint32_t stores = transfer_record(a, a->nmoved, LULL_TOUCH_STORE);
    if (stores == 0 || (t->copies && loads == 0)) {
        return NULL;
    }
    struct lull_across_moved *m = &a->moved[a->nmoved++];
    *m = (struct lull_across_moved){.t = *t, .stores = stores, .loads = loads};
    m->t.bytes = 0;
    return m;
}

void lull_across_transfer(struct lull_across *a, const struct lull_transfer *t)
{
    struct lull_across_moved *m = a->nmoved != 0 ? &a->moved[a->nmoved - 1] : NULL;
    m = m != NULL && goes_on(&m->t, t) ? m : new_moved(a, t);
    if (m == NULL || t->bytes == 0) {
        return;
    }
    m->t.bytes += t->bytes;
    if (t->copies) {
        move(a, t->space, t->from, t->bytes, m->loads);
    }
    move(a, t->space, t->to, t->bytes, m->stores);
}

static void dword(struct touching *w, struct cell *c, uint8_t mask, uint64_t address)
{
    const struct lull_across_record *all = w->a->records, *now = &all[w->record];
    const bool atomic = w->t->kind == LULL_TOUCH_ATOMIC;
    const bool other = c->store != 0 && all[c->store].launch != now->launch;
    const bool both = atomic && all[c->store].kind == LULL_TOUCH_ATOMIC;
    if (other && (c->stored & mask) != 0 && !both) {
        const bool load = w->t->kind == LULL_TOUCH_LOAD;
        pair(w, c->store, load ? LULL_ACROSS_READ : LULL_ACROSS_WRITE, address);
    }
    if (w->t->kind == LULL_TOUCH_LOAD) {
        c->loaded = c->load == w->record ? c->loaded | mask : mask;
        c->load = w->record;
        return;
    }
    if (c->load != 0 && all[c->load].launch != now->launch && (c->loaded & mask) != 0) {
        pair(w, c->load, LULL_ACROSS_AFTER, address);
    }
    if (c->copied != 0) {
        pair(w, w->a->moved[c->copied - 1].loads, LULL_ACROSS_AFTER, address);
    }
    c->stored = c->store == w->record ? c->stored | mask : mask;
    c->store = w->record;
}

void lull_across_touch(struct lull_across *a, const struct lull_check_now *n,
                       const struct lull_touch *t)
{
    struct touching w = {.a = a, .n = n, .t = t, .record = record_of(a, n, t)};
    for (uint64_t m = w.record != 0 ? t->lanes : 0; m != 0; m &= m - 1) {
        w.lane = (unsigned)__builtin_ctzll(m);
        const uint64_t first = t->address[w.lane], end = first + t->bytes;
        for (uint64_t at = first & ~UINT64_C(3); t->valid[w.lane] != 0 && at < end; at += 4) {
            const unsigned from = at < first ? (unsigned)(first - at) : 0;
            const unsigned to = end - at < 4 ? (unsigned)(end - at) : 4;
            struct cell *c = cell_at(a, n->space, at);
            if (c != NULL) {
                dword(&w, c, (uint8_t)((1u << to) - (1u << from)), at + from);
            }
        }
    }
}

bool lull_across_stored(const struct lull_across *a, uint64_t address, uint32_t *ret_space,
                        struct lull_check_site *ret)
{
    for (size_t i = 0; i < a->pages_room; i++) {
        const struct lull_across_page *p = a->pages[i];
        const uint32_t store = p != NULL && p->number == address >> PAGE_SHIFT
                                   ? p->cells[address / 4 % DWORDS].store
                                   : 0;
        if (store != 0 && (a->records[store].launch & LULL_ACROSS_TRANSFER) == 0) {
            *ret_space = p->space;
            *ret = first_site(NULL, &a->records[store], address);
            return true;
        }
    }
    return false;
}

const struct lull_across_moved *lull_across_moved_to(const struct lull_across *a, uint64_t address,
                                                     uint64_t launch)
{
    for (size_t i = a->nmoved; i > 0; i--) {
        const struct lull_transfer *t = &a->moved[i - 1].t;
        if (t->launches <= launch && address >= t->to && address - t->to < t->bytes) {
            return &a->moved[i - 1];
        }
    }
    return NULL;
}

void lull_across_done(struct lull_across *a)
{
    forget(a);
    for (size_t i = 0; i < a->npairs; i++) {
        for (unsigned k = 0; k < 2; k++) {
            free(a->pairs[i].sites[k].insn);
            free(a->pairs[i].sites[k].does);
        }
    }
    free(a->pages);
    free(a->pairs);
    free(a->records);
    free(a->moved);
    free(a->index);
    *a = (struct lull_across){0};
}
