// SPDX-License-Identifier: MIT
#include "model/order.h"

#include <stdlib.h>
#include <string.h>

enum { SHORTEST_PART = 4, LENGTHS = 5, FIRST_ROOM = 256 };

/** What becomes of a hold. */
enum met { WAITS, MET, DROPPED };

/** Behind met: the first dispatch that counts, number 0. */
struct begun {
    uint32_t index;
    uint32_t asked; // 1: it is the next one that is seen.
};

struct lull_order {
    size_t n;
    struct lull_hold *by_wave; // Sorted by wave and at.
    size_t *by_after;          // Numbers of them, sorted by after and until.
    uint8_t *met;              // enum met, by by_wave; then struct begun: all the state.
    uint64_t seed, rng;        // seed 0: nothing is drawn.
    uint32_t length;           // Of parts, on average.
    bool records, short_of_memory;
    struct lull_order_part *parts;
    size_t nparts, room;
};

int lull_order_compare(const struct lull_order_wave *a, const struct lull_order_wave *b)
{
    if (a->dispatch != b->dispatch) {
        return a->dispatch < b->dispatch ? -1 : 1;
    }
    for (unsigned i = 3; i-- > 0;) {
        if (a->workgroup[i] != b->workgroup[i]) {
            return a->workgroup[i] < b->workgroup[i] ? -1 : 1;
        }
    }
    return a->index == b->index ? 0 : a->index < b->index ? -1 : 1;
}

static int compare_at(const void *one, const void *other)
{
    const struct lull_hold *a = one, *b = other;
    const int by = lull_order_compare(&a->wave, &b->wave);
    return by != 0 ? by : a->at == b->at ? 0 : a->at < b->at ? -1 : 1;
}

/** A hold and its number, while they are sorted. */
struct numbered {
    struct lull_hold hold;
    size_t n;
};

static int compare_until(const void *one, const void *other)
{
    const struct lull_hold *a = &((const struct numbered *)one)->hold,
                           *b = &((const struct numbered *)other)->hold;
    const int by = lull_order_compare(&a->after, &b->after);
    return by != 0 ? by : a->until == b->until ? 0 : a->until < b->until ? -1 : 1;
}

struct lull_error *lull_order_new(const struct lull_hold *holds, size_t n, struct lull_order **ret)
{
    struct lull_order *o = calloc(1, sizeof *o);
    struct numbered *by_after = calloc(n + 1, sizeof *by_after);
    if (o != NULL) {
        o->by_wave = calloc(n + 1, sizeof *o->by_wave);
        o->by_after = calloc(n + 1, sizeof *o->by_after);
        o->met = calloc(n + sizeof(struct begun), 1);
    }
    if (o == NULL || by_after == NULL || o->by_wave == NULL || o->by_after == NULL ||
        o->met == NULL) {
        free(by_after);
        lull_order_free(o);
        return &lull_enomem;
    }
    o->n = n;
    if (n != 0) {
        memcpy(o->by_wave, holds, n * sizeof *holds);
    }
    qsort(o->by_wave, n, sizeof *o->by_wave, compare_at);
    for (size_t i = 0; i < n; i++) {
        by_after[i] = (struct numbered){o->by_wave[i], i};
        o->met[i] = o->by_wave[i].until == 0 ? MET : WAITS;
    }
    qsort(by_after, n, sizeof *by_after, compare_until);
    for (size_t i = 0; i < n; i++) {
        o->by_after[i] = by_after[i].n;
    }
    free(by_after);
    *ret = o;
    return NULL;
}

static void set_begun(struct lull_order *o, struct begun b)
{
    memcpy(o->met + o->n, &b, sizeof b);
}

void lull_order_again(struct lull_order *o)
{
    for (size_t i = 0; i < o->n; i++) {
        o->met[i] = o->by_wave[i].until == 0 ? MET : WAITS;
    }
    set_begun(o, (struct begun){.asked = 1});
}

/** @p w, with its dispatch counted from the first one that counts. */
static struct lull_order_wave counted(struct lull_order *o, const struct lull_order_wave *w)
{
    struct lull_order_wave c = *w;
    struct begun b;
    memcpy(&b, o->met + o->n, sizeof b);
    if (b.asked != 0) {
        b = (struct begun){.index = (uint32_t)w->dispatch};
        set_begun(o, b);
    }
    const uint64_t ring = w->dispatch & ~(uint64_t)UINT32_MAX;
    c.dispatch = ring | ((uint32_t)w->dispatch - b.index);
    return c;
}

void lull_order_free(struct lull_order *o)
{
    if (o == NULL) {
        return;
    }
    free(o->by_wave);
    free(o->by_after);
    free(o->met);
    free(o->parts);
    free(o);
}

/** splitmix64's mix. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
 * 2014. */
static uint64_t mixed(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t draw(struct lull_order *o)
{
    return mixed(o->rng += UINT64_C(0x9e3779b97f4a7c15));
}

void lull_order_draw(struct lull_order *o, uint64_t seed)
{
    o->seed = o->rng = seed;
    // Bugs of a few instructions need short parts, those of whole phases long ones.
    o->length = (uint32_t)SHORTEST_PART << 2 * (draw(o) % LENGTHS);
}

void lull_order_record(struct lull_order *o)
{
    o->records = true;
}

const struct lull_order_part *lull_order_parts(const struct lull_order *o, size_t *n)
{
    *n = o->short_of_memory ? 0 : o->nparts;
    return *n != 0 ? o->parts : NULL;
}

size_t lull_order_holds(const struct lull_order_part *parts, size_t n, struct lull_hold *ret)
{
    size_t nholds = 0;
    for (size_t i = 1; i < n; i++) {
        ret[nholds++] = (struct lull_hold){.wave = parts[i].wave,
                                           .after = parts[i - 1].wave,
                                           .at = parts[i].from,
                                           .until = parts[i - 1].to};
    }
    return nholds;
}

static size_t count(const struct lull_order *o, enum met what)
{
    size_t n = 0;
    for (size_t i = 0; i < o->n; i++) {
        n += o->met[i] == what;
    }
    return n;
}

size_t lull_order_dropped(const struct lull_order *o)
{
    return count(o, DROPPED);
}

size_t lull_order_waiting(const struct lull_order *o)
{
    return count(o, WAITS);
}

/** The first hold of @p w that stands at @p at or behind. */
static size_t first_at(const struct lull_order *o, const struct lull_order_wave *w, uint64_t at)
{
    const struct lull_hold key = {.wave = *w, .at = at};
    size_t low = 0, high = o->n;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (compare_at(&o->by_wave[mid], &key) < 0) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

/** The first number in by_after of a hold that waits for @p w to come beyond @p until. */
static size_t first_beyond(const struct lull_order *o, const struct lull_order_wave *w,
                           uint64_t until)
{
    size_t low = 0, high = o->n;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        const struct lull_hold *h = &o->by_wave[o->by_after[mid]];
        const int by = lull_order_compare(&h->after, w);
        if (by < 0 || (by == 0 && h->until <= until)) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

uint64_t lull_order_may(struct lull_order *o, const struct lull_order_wave *w, uint64_t count)
{
    const struct lull_order_wave c = counted(o, w);
    for (size_t i = first_at(o, &c, count); i < o->n; i++) {
        const struct lull_hold *h = &o->by_wave[i];
        if (lull_order_compare(&h->wave, &c) != 0) {
            break;
        }
        if (o->met[i] == WAITS) {
            return h->at - count;
        }
    }
    return UINT64_MAX;
}

/** Write down that @p w ran. */
static void write_down(struct lull_order *o, const struct lull_order_wave *w, uint64_t from,
                       uint64_t to)
{
    struct lull_order_part *last = o->nparts != 0 ? &o->parts[o->nparts - 1] : NULL;
    if (last != NULL && last->to == from && lull_order_compare(&last->wave, w) == 0) {
        last->to = to;
        return;
    }
    if (o->nparts == o->room) {
        const size_t room = o->room != 0 ? 2 * o->room : FIRST_ROOM;
        struct lull_order_part *more = realloc(o->parts, room * sizeof *more);
        o->short_of_memory |= more == NULL;
        if (more == NULL) {
            return;
        }
        o->parts = more;
        o->room = room;
    }
    o->parts[o->nparts++] = (struct lull_order_part){*w, from, to};
}

void lull_order_ran(struct lull_order *o, const struct lull_order_wave *w, uint64_t from,
                    uint64_t to, bool ended)
{
    const struct lull_order_wave c = counted(o, w);
    if (o->records && !o->short_of_memory && to != from) {
        write_down(o, &c, from, to);
    }
    for (size_t i = first_beyond(o, &c, from); i < o->n; i++) {
        const size_t n = o->by_after[i];
        const struct lull_hold *h = &o->by_wave[n];
        if (lull_order_compare(&h->after, &c) != 0 || (h->until > to && !ended)) {
            break;
        }
        o->met[n] = o->met[n] == WAITS ? MET : o->met[n];
    }
}

void lull_order_drop(struct lull_order *o, const struct lull_order_wave *w, uint64_t count)
{
    const struct lull_order_wave c = counted(o, w);
    for (size_t i = first_at(o, &c, count); i < o->n; i++) {
        const struct lull_hold *h = &o->by_wave[i];
        if (lull_order_compare(&h->wave, &c) != 0 || h->at != count) {
            break;
        }
        o->met[i] = o->met[i] == WAITS ? DROPPED : o->met[i];
    }
}

bool lull_order_drawn(const struct lull_order *o)
{
    return o->seed != 0;
}

uint32_t lull_order_length(struct lull_order *o)
{
    return 1 + (uint32_t)(draw(o) % (2 * (uint64_t)o->length));
}

uint64_t lull_order_rank(const struct lull_order *o, const struct lull_order_wave *w)
{
    uint64_t z = o->rng ^ w->dispatch;
    for (unsigned i = 0; i < 3; i++) {
        z = mixed(z + w->workgroup[i] + 1);
    }
    return mixed(z + w->index + 1);
}

void *lull_order_state(struct lull_order *o, size_t *size)
{
    *size = o->n + sizeof(struct begun);
    return o->met;
}
