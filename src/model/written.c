// SPDX-License-Identifier: MIT
// Each write has a record, and each page that was written has, by dword, the number of the record
// of its last writer, its lane, and the value. A page in which less than dwords were written has
// the first two by byte, too. Records are freed oldest first, with the pages that have no other.
#include "model/written.h"

#include <stdlib.h>
#include <string.h>

enum {
    SHIFT = 12,
    BYTES = 1 << SHIFT,
    DWORD = 4,
    DWORDS = BYTES / DWORD,
    CHUNK = 1024, // records that are allocated at once
    FIRST_ROOM = 64,
    SPACE_SHIFT = 48 - SHIFT,
    FIRST_LAYERS = 16,
    VALID_DWORDS = 8,
    NEAR = 1024, // pages that are found without a search
};

#define ADDRESS_MASK ((UINT64_C(1) << 48) - 1)

/** By byte; number 0: as the dword's. */
struct by_byte {
    uint32_t number[BYTES];
    uint8_t lane[BYTES];
};

/** Who wrote a dword, and what: together, as a store that goes all over has a cache miss for each.
 */
struct entry {
    uint32_t number; ///< Of the record; 0: nobody.
    uint8_t value[DWORD];
    uint8_t lane;
};

struct page {
    uint64_t key; ///< Address space and page.
    struct entry at[DWORDS];
    struct by_byte *bytes; ///< NULL: dwords alone.
};

/** Pages by key, open addressing. */
struct table {
    struct page **pages;
    size_t n, room;
    struct page *last; ///< That was looked for.
};

struct lull_written {
    struct lull_observer o; ///< First.
    struct lull_written_host host;
    uint64_t most, pages_bytes;
    struct table then; ///< Before the first mark.
    struct layer {
        struct table pages;
        uint64_t mark;
        uint32_t n; ///< Records when it began.
    } * layers;     ///< Since each mark, oldest first.
    size_t nlayers, room;
    struct lull_writer **chunks; ///< Record n (from 1) is in chunk (n - 1) / CHUNK.
    size_t nchunks;
    uint32_t n, first; ///< Records below `first` are forgotten.
    /** Of the newest pages, those with dwords alone, by key; NULL: not looked for yet. */
    struct near {
        uint64_t key;
        struct page *page;
    } near[NEAR];
};

/** Pages go, or others are the newest. */
static void forget_near(struct lull_written *w)
{
    memset(w->near, 0, sizeof w->near);
}

static uint64_t key_of(uint32_t space, uint64_t address)
{
    return (uint64_t)space << SPACE_SHIFT | (address & ADDRESS_MASK) >> SHIFT;
}

static size_t slot_of(const struct table *t, uint64_t key)
{
    size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (t->room - 1);
    while (t->pages[i] != NULL && t->pages[i]->key != key) {
        i = (i + 1) & (t->room - 1);
    }
    return i;
}

static struct page *page_in(struct table *t, uint64_t key)
{
    if (t->last != NULL && t->last->key == key) {
        return t->last;
    }
    struct page *p = t->room != 0 ? t->pages[slot_of(t, key)] : NULL;
    t->last = p != NULL ? p : t->last;
    return p;
}

static bool grow(struct table *t)
{
    struct table more = {.n = t->n, .room = t->room != 0 ? 2 * t->room : FIRST_ROOM};
    more.pages = calloc(more.room, sizeof(struct page *));
    for (size_t i = 0; more.pages != NULL && i < t->room; i++) {
        if (t->pages[i] != NULL) {
            more.pages[slot_of(&more, t->pages[i]->key)] = t->pages[i];
        }
    }
    if (more.pages != NULL) {
        free(t->pages);
        *t = more;
    }
    return more.pages != NULL;
}

/** The page, or a new one. NULL: no memory. */
static struct page *have_page(struct lull_written *w, struct table *t, uint64_t key)
{
    struct page *p = page_in(t, key);
    if (p != NULL || (2 * t->n >= t->room && !grow(t))) {
        return p;
    }
    p = calloc(1, sizeof *p);
    if (p != NULL) {
        p->key = key;
        t->pages[slot_of(t, key)] = p;
        t->last = p;
        t->n++;
        w->pages_bytes += sizeof *p;
    }
    return p;
}

static void free_page(struct lull_written *w, struct page *p)
{
    w->pages_bytes -= p != NULL ? sizeof *p + (p->bytes != NULL ? sizeof *p->bytes : 0) : 0;
    if (p != NULL) {
        free(p->bytes);
    }
    free(p);
}

static void empty(struct lull_written *w, struct table *t)
{
    forget_near(w);
    for (size_t i = 0; i < t->room; i++) {
        free_page(w, t->pages[i]);
    }
    free(t->pages);
    *t = (struct table){0};
}

uint64_t lull_written_bytes(const struct lull_written *w)
{
    const size_t gone = (w->first - 1) / CHUNK;
    return w->pages_bytes + (w->nchunks - gone) * CHUNK * sizeof(struct lull_writer) +
           w->then.room * sizeof(struct page *);
}

static bool any_left(const struct page *p, uint32_t first)
{
    bool any = false;
    for (unsigned i = 0; i < DWORDS; i++) {
        any = any || p->at[i].number >= first;
    }
    for (unsigned i = 0; p->bytes != NULL && i < BYTES; i++) {
        any = any || p->bytes->number[i] >= first;
    }
    return any;
}

/** Pages of which everything is forgotten go. */
static void sweep(struct lull_written *w, struct table *t)
{
    struct table left = {0};
    forget_near(w);
    for (size_t i = 0; i < t->room; i++) {
        struct page *p = t->pages[i];
        const bool stays =
            p != NULL && any_left(p, w->first) && (2 * left.n < left.room || grow(&left));
        if (stays) {
            left.pages[slot_of(&left, p->key)] = p;
            left.n++;
        } else {
            free_page(w, p);
        }
    }
    free(t->pages);
    *t = left;
}

/** Make room: the older half of what is known is forgotten, until a quarter is free. */
static void forget_old(struct lull_written *w)
{
    while (lull_written_bytes(w) > w->most / 4 * 3 && w->first <= w->n) {
        const size_t from = (w->first - 1) / CHUNK;
        w->first += (w->n - w->first) / 2 + 1;
        for (size_t i = from; i < (w->first - 1) / CHUNK; i++) {
            free(w->chunks[i]);
            w->chunks[i] = NULL;
        }
        sweep(w, &w->then);
        for (size_t i = 0; i < w->nlayers; i++) {
            sweep(w, &w->layers[i].pages);
        }
    }
}

/** Forget everything. */
static void start_again(struct lull_written *w)
{
    empty(w, &w->then);
    for (size_t i = 0; i < w->nlayers; i++) {
        empty(w, &w->layers[i].pages);
        w->layers[i].n = 0;
    }
    for (size_t i = 0; i < w->nchunks; i++) {
        free(w->chunks[i]);
    }
    free(w->chunks);
    w->chunks = NULL;
    w->nchunks = 0;
    w->n = 0;
    w->first = 1;
}

static struct lull_writer *record_at(const struct lull_written *w, uint32_t number)
{
    return &w->chunks[(number - 1) / CHUNK][(number - 1) % CHUNK];
}

/** A new record; NULL: no memory. */
static struct lull_writer *new_record(struct lull_written *w)
{
    if (lull_written_bytes(w) > w->most) {
        forget_old(w);
    }
    if (w->n == UINT32_MAX - 1) {
        start_again(w);
    }
    const size_t chunk = w->n / CHUNK;
    if (chunk >= w->nchunks) {
        struct lull_writer **more = reallocarray(w->chunks, chunk + 1, sizeof *more);
        if (more == NULL) {
            return NULL;
        }
        w->chunks = more;
        more[chunk] = calloc(CHUNK, sizeof **more);
        w->nchunks = more[chunk] != NULL ? chunk + 1 : chunk;
    }
    return chunk < w->nchunks ? record_at(w, ++w->n) : NULL;
}

/** Where what is written now goes. */
static struct table *newest(struct lull_written *w)
{
    return w->nlayers != 0 ? &w->layers[w->nlayers - 1].pages : &w->then;
}

/** Bytes @p at to @p at + @p n of @p p, in one dword or whole ones. */
static bool put_dwords(struct page *p, unsigned at, unsigned n, uint32_t number, uint8_t lane)
{
    for (unsigned i = at / DWORD; i < (at + n) / DWORD; i++) {
        p->at[i].number = number;
        p->at[i].lane = lane;
        if (p->bytes != NULL) {
            memset(&p->bytes->number[i * DWORD], 0, DWORD * sizeof(uint32_t));
        }
    }
    return true;
}

static bool put_bytes(struct lull_written *w, struct page *p, unsigned at, unsigned n,
                      uint32_t number, uint8_t lane)
{
    if (p->bytes == NULL) {
        forget_near(w);
        p->bytes = calloc(1, sizeof *p->bytes);
        w->pages_bytes += p->bytes != NULL ? sizeof *p->bytes : 0;
    }
    for (unsigned i = at; p->bytes != NULL && i < at + n; i++) {
        p->bytes->number[i] = number;
        p->bytes->lane[i] = lane;
    }
    return p->bytes != NULL;
}

static void set_value(struct page *p, unsigned at, const uint8_t *value, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        p->at[(at + i) / DWORD].value[(at + i) % DWORD] = value[i];
    }
}

static bool has_value(const struct page *p, unsigned at, const uint8_t *value, unsigned n)
{
    bool same = true;
    for (unsigned i = 0; i < n; i++) {
        same = same && p->at[(at + i) / DWORD].value[(at + i) % DWORD] == value[i];
    }
    return same;
}

/** @p n bytes of a page at @p address are the record's. */
static bool put(struct lull_written *w, uint32_t vmid, uint64_t key, uint64_t address, unsigned n,
                unsigned lane)
{
    const uint8_t *value = w->host.look(w->host.look_ctx, vmid, address);
    struct page *p = value != NULL ? have_page(w, newest(w), key) : NULL;
    const unsigned at = (unsigned)(address % BYTES);
    if (p == NULL) {
        return false;
    }
    set_value(p, at, value, n);
    return at % DWORD == 0 && n % DWORD == 0 ? put_dwords(p, at, n, w->n, (uint8_t)lane)
                                             : put_bytes(w, p, at, n, w->n, (uint8_t)lane);
}

static void put_all(struct lull_written *w, uint32_t vmid, uint32_t space, uint64_t to,
                    uint64_t bytes, unsigned lane)
{
    while (bytes != 0) {
        const uint64_t left = BYTES - to % BYTES, n = bytes < left ? bytes : left;
        (void)put(w, vmid, key_of(space, to), to, (unsigned)n, lane);
        to += n;
        bytes -= n;
    }
}

/** The last record, if it is @p by; else a new one. False: no memory. */
static bool have_record(struct lull_written *w, const struct lull_writer *by)
{
    struct lull_writer *r = w->n >= w->first ? record_at(w, w->n) : NULL;
    if (r == NULL || memcmp(r, by, sizeof *r) != 0) {
        r = new_record(w);
    }
    if (r != NULL) {
        *r = *by;
    }
    return r != NULL;
}

/** The record of the instruction of @p at: of one that comes again and again there is one. */
static bool have_wave(struct lull_written *w, const struct lull_observed *at)
{
    struct lull_writer by = {.pc = at->pc, .place = at->place};
    memcpy(by.workgroup, at->workgroup, sizeof by.workgroup);
    by.kind = w->host.who(w->host.look_ctx, at, &by.launch, &by.index) ? LULL_WRITER_DRAW
                                                                       : LULL_WRITER_WAVE;
    return have_record(w, &by);
}

/** Has the lane changed nothing there? */
static bool is_same(struct lull_written *w, uint32_t vmid, uint64_t key, uint64_t address,
                    unsigned n)
{
    const uint8_t *value = w->host.look(w->host.look_ctx, vmid, address);
    const struct page *p = page_in(newest(w), key);
    return value != NULL && p != NULL && has_value(p, (unsigned)(address % BYTES), value, n);
}

/** Do all lanes store whole dwords, each behind the one before? */
static bool is_run(const struct lull_touch *t)
{
    bool all = t->shape == LULL_TOUCH_RUN && t->bytes % DWORD == 0 && t->address[0] % DWORD == 0 &&
               !t->compares;
    const unsigned n = all ? (unsigned)__builtin_popcountll(t->lanes) : 0;
    for (unsigned l = 0; l < n; l++) {
        all = all && t->valid[l] == UINT8_MAX;
    }
    return all;
}

/** Such a store, page by page. */
static void put_run(struct lull_written *w, uint32_t vmid, uint32_t space,
                    const struct lull_touch *t)
{
    const unsigned all = (unsigned)__builtin_popcountll(t->lanes) * t->bytes;
    for (unsigned done = 0, n = 0; done < all; done += n) {
        const uint64_t to = t->address[0] + done;
        const unsigned at = (unsigned)(to % BYTES);
        n = all - done < BYTES - at ? all - done : BYTES - at;
        const uint8_t *value = w->host.look(w->host.look_ctx, vmid, to);
        struct page *p = value != NULL ? have_page(w, newest(w), key_of(space, to)) : NULL;
        for (unsigned i = 0; p != NULL && i < n / DWORD; i++) {
            struct entry *e = &p->at[at / DWORD + i];
            e->number = w->n;
            e->lane = (uint8_t)(t->from + (done + i * DWORD) / t->bytes);
            memcpy(e->value, value + (size_t)i * DWORD, DWORD);
        }
        if (p != NULL && p->bytes != NULL) {
            memset(&p->bytes->number[at], 0, n * sizeof(uint32_t));
        }
    }
}

/** The page of an address that a lane has stored to. NULL: there is none. */
static struct page *page_near(struct lull_written *w, uint32_t vmid, uint64_t key, uint64_t address)
{
    struct near *n = &w->near[key % NEAR];
    if (n->page != NULL && n->key == key) {
        return n->page;
    }
    struct page *p =
        w->host.look(w->host.look_ctx, vmid, address) != NULL ? have_page(w, newest(w), key) : NULL;
    if (p != NULL && p->bytes == NULL) {
        *n = (struct near){.key = key, .page = p};
    }
    return p;
}

/** Dwords of @p lanes, which the store has told: all are fetched before the first is written. */
static void put_told(struct lull_written *w, uint32_t vmid, uint32_t space,
                     const struct lull_touch *t, uint64_t lanes)
{
    struct page *pages[64];
    uint64_t by_byte = 0; // Lanes whose page may have more than dwords.
    for (uint64_t m = lanes; m != 0; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(m);
        const uint64_t to = t->address[l];
        const uint64_t key = key_of(space, to);
        pages[l] = page_near(w, vmid, key, to);
        by_byte |= (uint64_t)(w->near[key % NEAR].page != pages[l]) << l;
        if (pages[l] != NULL) {
            __builtin_prefetch(&pages[l]->at[to % BYTES / DWORD], 1);
        }
    }
    for (uint64_t m = lanes; m != 0; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(m);
        const unsigned at = (unsigned)(t->address[l] % BYTES / DWORD);
        struct page *p = pages[l];
        if (p == NULL) {
            continue;
        }
        p->at[at].number = w->n;
        p->at[at].lane = (uint8_t)(t->from + l);
        memcpy(p->at[at].value, &t->row[l], DWORD);
        if ((by_byte >> l & 1) != 0 && p->bytes != NULL) {
            memset(&p->bytes->number[at * DWORD], 0, DWORD * sizeof(uint32_t));
        }
    }
}

/** Lanes that store a whole dword each, and what: 0 if the store does not tell. */
static uint64_t told_lanes(const struct lull_touch *t)
{
    uint64_t lanes = 0;
    const bool told = t->kind == LULL_TOUCH_STORE && t->row != NULL && t->bytes == DWORD &&
                      t->texels == NULL && !t->compares && !t->image && !t->scalar;
    for (uint64_t m = told ? t->lanes : 0; m != 0; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(m);
        lanes |= (uint64_t)(t->valid[l] == UINT8_MAX && t->address[l] % DWORD == 0) << l;
    }
    return lanes;
}

static void memory(struct lull_observer *o, const struct lull_observed *at,
                   const struct lull_touch *t)
{
    struct lull_written *w = (struct lull_written *)o;
    if (at->handler || t->local || t->priv || t->kind == LULL_TOUCH_LOAD || t->lanes == 0 ||
        !have_wave(w, at)) {
        return;
    }
    const uint32_t space = w->host.space(w->host.ctx, at->space);
    if (is_run(t)) {
        put_run(w, at->space, space, t);
        return;
    }
    const uint64_t told = told_lanes(t);
    put_told(w, at->space, space, t, told);
    for (uint64_t m = t->lanes & ~told; m != 0; m &= m - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(m);
        const uint64_t to = t->address[l];
        const bool good = t->valid[l] == UINT8_MAX;
        if (t->compares && is_same(w, at->space, key_of(space, to), to, t->bytes)) {
            continue; // It did not store, or the same.
        }
        for (unsigned d = 0; d < t->bytes; d += DWORD) {
            const unsigned n = t->bytes - d < DWORD ? t->bytes - d : DWORD;
            if (good || (d / DWORD < VALID_DWORDS && (t->valid[l] >> d / DWORD & 1) != 0)) {
                put_all(w, at->space, space, to + d, n, t->from + l);
            }
        }
    }
}

/** Nobody need be told of an instruction that computes. */
static void before(struct lull_observer *o, const struct lull_observed *at)
{
    (void)o, (void)at;
}

static bool is_loud(struct lull_observer *o, const struct lull_observed *at)
{
    (void)o, (void)at;
    return false;
}

static bool is_quiet(struct lull_observer *o, const struct lull_observed *at)
{
    (void)o, (void)at;
    return true;
}

struct lull_written *lull_written_new(const struct lull_written_host *host, uint64_t bytes)
{
    struct lull_written *w = calloc(1, sizeof *w);
    if (w != NULL) {
        w->o = (struct lull_observer){
            .before = before, .loud = is_loud, .quiet = is_quiet, .memory = memory};
        w->o.no_scratch = w->o.no_local_loads = w->o.no_loads = true;
        w->host = *host;
        w->most = bytes;
        w->first = 1;
    }
    return w;
}

void lull_written_free(struct lull_written *w)
{
    if (w != NULL) {
        start_again(w);
        free(w->layers);
    }
    free(w);
}

struct lull_observer *lull_written_observer(struct lull_written *w)
{
    return &w->o;
}

void lull_written_chain(struct lull_written *w, struct lull_observer *next)
{
    w->o.before = next == NULL ? before : NULL; // Else the other is asked what is quiet.
    w->o.next = next;
}

void lull_written_packet(struct lull_written *w, uint32_t vmid, uint64_t cookie, uint64_t to,
                         uint64_t bytes, const struct lull_writer *by)
{
    struct lull_writer *r = new_record(w);
    if (r != NULL) {
        *r = *by;
        r->to = to;
        r->job = w->host.job(w->host.ctx, cookie);
        put_all(w, vmid, w->host.space(w->host.ctx, vmid), to, bytes, 0);
    }
}

void lull_written_pixel(struct lull_written *w, uint32_t vmid, uint64_t to, unsigned bytes,
                        unsigned lane, const struct lull_writer *by)
{
    if (have_record(w, by)) {
        put_all(w, vmid, w->host.space(w->host.ctx, vmid), to, bytes, lane);
    }
}

static void forget_page(struct lull_written *w, struct page *p)
{
    for (unsigned i = 0; i < DWORDS; i++) {
        p->at[i].number = 0;
    }
    w->pages_bytes -= p->bytes != NULL ? sizeof *p->bytes : 0;
    free(p->bytes);
    p->bytes = NULL;
}

static void forget_in(struct lull_written *w, struct table *t, uint64_t first, uint64_t pages)
{
    for (size_t k = 0; pages > t->room && k < t->room; k++) {
        if (t->pages[k] != NULL && t->pages[k]->key - first < pages) {
            forget_page(w, t->pages[k]);
        }
    }
    for (uint64_t k = 0; pages <= t->room && k < pages; k++) {
        struct page *p = page_in(t, first + k);
        if (p != NULL) {
            forget_page(w, p);
        }
    }
}

void lull_written_forget(struct lull_written *w, uint32_t space, uint64_t first, uint64_t bytes)
{
    forget_in(w, &w->then, key_of(space, first), bytes >> SHIFT);
    for (size_t i = 0; i < w->nlayers; i++) {
        forget_in(w, &w->layers[i].pages, key_of(space, first), bytes >> SHIFT);
    }
}

/** Who wrote byte @p i of @p p; 0: nobody. */
static uint32_t number_at(const struct page *p, unsigned i, unsigned *lane)
{
    const bool fine = p->bytes != NULL && p->bytes->number[i] != 0;
    *lane = fine ? p->bytes->lane[i] : p->at[i / DWORD].lane;
    return fine ? p->bytes->number[i] : p->at[i / DWORD].number;
}

/** What @p from says is newer than what @p to does. */
static void merge(struct lull_written *w, const struct page *from, struct page *to)
{
    for (unsigned i = 0; i < BYTES; i += DWORD) {
        bool fine = false;
        for (unsigned k = i; from->bytes != NULL && k < i + DWORD; k++) {
            fine = fine || from->bytes->number[k] != 0;
        }
        const struct entry *e = &from->at[i / DWORD];
        if (e->number != 0) {
            put_dwords(to, i, DWORD, e->number, e->lane);
            memcpy(to->at[i / DWORD].value, e->value, DWORD);
        }
        for (unsigned k = i; fine && k < i + DWORD; k++) {
            unsigned lane = 0;
            const uint32_t byte = number_at(from, k, &lane);
            if (byte != 0 && put_bytes(w, to, k, 1, byte, (uint8_t)lane)) {
                to->at[k / DWORD].value[k % DWORD] = e->value[k % DWORD];
            }
        }
    }
}

bool lull_written_mark(struct lull_written *w, uint64_t number)
{
    if (w->nlayers == w->room) {
        const size_t room = w->room != 0 ? 2 * w->room : FIRST_LAYERS;
        struct layer *more = reallocarray(w->layers, room, sizeof *more);
        if (more == NULL) {
            return false;
        }
        w->layers = more;
        w->room = room;
    }
    forget_near(w);
    w->layers[w->nlayers++] = (struct layer){.mark = number, .n = w->n};
    return true;
}

void lull_written_restore(struct lull_written *w, uint64_t number)
{
    while (w->nlayers != 0 && w->layers[w->nlayers - 1].mark > number) {
        empty(w, &w->layers[--w->nlayers].pages);
    }
    if (w->nlayers != 0 && w->layers[w->nlayers - 1].mark == number) {
        struct layer *l = &w->layers[w->nlayers - 1];
        empty(w, &l->pages);
        w->n = l->n < w->n ? l->n : w->n;
    }
}

/** Layer @p i becomes part of what is below it. */
static void settle(struct lull_written *w, size_t i)
{
    struct table *from = &w->layers[i].pages;
    struct table *below = i != 0 ? &w->layers[i - 1].pages : &w->then;
    for (size_t k = 0; k < from->room; k++) {
        struct page *to = from->pages[k] != NULL ? have_page(w, below, from->pages[k]->key) : NULL;
        if (to != NULL) {
            merge(w, from->pages[k], to);
        }
    }
    empty(w, from);
    memmove(&w->layers[i], &w->layers[i + 1], (--w->nlayers - i) * sizeof *w->layers);
}

void lull_written_drop(struct lull_written *w, uint64_t number)
{
    for (size_t i = w->nlayers; i-- > 0;) {
        if (number == UINT64_MAX || w->layers[i].mark == number) {
            settle(w, i);
        }
    }
}

/** The last writer of a byte; 0: nobody that is remembered. */
static uint32_t writer_of(struct lull_written *w, uint32_t space, uint64_t address, bool before,
                          unsigned *lane, uint8_t *value)
{
    for (size_t i = before ? 0 : w->nlayers;; i--) {
        struct table *t = i != 0 ? &w->layers[i - 1].pages : &w->then;
        const struct page *p = page_in(t, key_of(space, address));
        const uint32_t n = p != NULL ? number_at(p, (unsigned)(address % BYTES), lane) : 0;
        if (n != 0) {
            *value = p->at[address % BYTES / DWORD].value[address % DWORD];
            return n >= w->first ? n : 0;
        }
        if (i == 0) {
            return 0;
        }
    }
}

bool lull_written_find(struct lull_written *w, uint32_t space, uint64_t address, uint64_t bytes,
                       bool before, uint64_t number, struct lull_written_answer *ret)
{
    uint32_t best = 0;
    *ret = (struct lull_written_answer){.address = address};
    for (uint64_t i = 0; i < bytes; i++) {
        unsigned lane = 0;
        uint8_t value = 0;
        const uint32_t n = writer_of(w, space, address + i, before, &lane, &value);
        if (n != 0 && i < LULL_WRITTEN_VALUES) {
            ret->known |= 1u << i;
            ret->values[i] = value;
        }
        if (n > best && n < number) {
            best = n;
            ret->address = address + i;
            ret->lane = lane;
        }
    }
    ret->number = best;
    if (best != 0) {
        ret->by = *record_at(w, best);
    }
    return best != 0;
}
