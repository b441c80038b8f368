// SPDX-License-Identifier: MIT
#include "adreno/replay/garbage.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PAGES = 1 << 22 };

/** A piece of a buffer in a page, of a submit. */
struct piece {
    uint64_t page;
    size_t submit;
    bool zeros;
};

struct pieces {
    size_t n, room;
    struct piece *all;
};

LULL_MUST_USE static struct lull_error *add(struct pieces *p, struct piece one)
{
    if (p->n == p->room) {
        const size_t room = p->room != 0 ? 2 * p->room : 64;
        struct piece *grown = room <= MOST_PAGES ? realloc(p->all, room * sizeof *grown) : NULL;
        if (grown == NULL) {
            return room <= MOST_PAGES
                       ? &lull_enomem
                       : lull_error_new(LULL_ERR_UNSUPPORTED,
                                        "the capture has more than %d pages of memory", MOST_PAGES);
        }
        p->all = grown;
        p->room = room;
    }
    p->all[p->n++] = one;
    return NULL;
}

/** What of buffer @p b lies in @p page. @return Its offset in the buffer. */
static uint64_t within(const struct lull_rp_buffer *b, uint64_t page, uint64_t *size)
{
    const uint64_t end = b->address + b->size;
    const uint64_t from = page > b->address ? page : b->address;
    const uint64_t to = end - page < LULL_RP_PAGE ? end : page + LULL_RP_PAGE;
    *size = to - from;
    return from - b->address;
}

/** Zeros, or not captured. */
static bool zeros(const struct lull_rp_buffer *b, uint64_t page)
{
    uint64_t size = 0;
    const uint64_t at = within(b, page, &size);
    for (uint64_t i = at; i < at + size && i < b->held; i++) {
        if (b->data[i] != 0) {
            return false;
        }
    }
    return true;
}

static uint64_t page_of(uint64_t address)
{
    return address / LULL_RP_PAGE * LULL_RP_PAGE;
}

static bool wraps(const struct lull_rp_buffer *b)
{
    return b->size == 0 || b->address > UINT64_MAX - b->size - LULL_RP_PAGE;
}

static int by_page(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    if (x->page != y->page) {
        return x->page < y->page ? -1 : 1;
    }
    return x->submit < y->submit ? -1 : x->submit > y->submit;
}

/** Pages whose pieces of the first submit are all zeros. */
LULL_MUST_USE static struct lull_error *choose(struct lull_rp_zero_pages *z, const struct pieces *p,
                                               size_t nsubmits)
{
    z->all = calloc(p->n + 1, sizeof *z->all);
    if (z->all == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0, next = 0; i < p->n; i = next) {
        struct lull_rp_zeros one = {p->all[i].page, p->all[i].submit, nsubmits};
        for (next = i; next < p->n && p->all[next].page == one.address; next++) {
            if (!p->all[next].zeros && p->all[next].submit < one.end) {
                one.end = p->all[next].submit;
            }
        }
        if (one.end > one.first) {
            z->all[z->n++] = one;
        }
    }
    return NULL;
}

struct lull_error *lull_rp_zero_pages_find(struct lull_rp_zero_pages *z,
                                           const struct lull_rp_capture *c)
{
    struct pieces p = {0};
    struct lull_error *err = NULL;
    for (size_t i = 0; i < c->nsubmits; i++) {
        const struct lull_rp_submit *s = &c->submits[i];
        for (size_t k = 0; err == NULL && k < s->nbuffers; k++) {
            const struct lull_rp_buffer *b = &s->buffers[k];
            for (uint64_t page = page_of(b->address);
                 err == NULL && !wraps(b) && page < b->address + b->size; page += LULL_RP_PAGE) {
                err = add(&p, (struct piece){page, i, zeros(b, page)});
            }
        }
    }
    if (err == NULL && p.n != 0) {
        qsort(p.all, p.n, sizeof *p.all, by_page);
    }
    err = err != NULL ? err : choose(z, &p, c->nsubmits);
    free(p.all);
    return err;
}

bool lull_rp_zero_pages_has(const struct lull_rp_zero_pages *z, uint64_t address)
{
    size_t low = 0, high = z->n;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (z->all[mid].address <= address) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low != 0 && address - z->all[low - 1].address < LULL_RP_PAGE;
}

void lull_rp_zero_pages_done(struct lull_rp_zero_pages *z)
{
    free(z->all);
    *z = (struct lull_rp_zero_pages){0};
}

/** The part of buffer @p k in the page that the capture has; and, if it is @p fresh, what it has
 * not, as a range of its own. */
LULL_MUST_USE static struct lull_error *fill(struct lull_rp_submit *s, size_t k, uint64_t page,
                                             bool fresh)
{
    uint8_t garbage[LULL_RP_PAGE];
    const struct lull_rp_buffer b = s->buffers[k];
    uint64_t size = 0;
    const uint64_t at = within(&b, page, &size);
    const uint64_t held = at >= b.held ? 0 : size < b.held - at ? size : b.held - at;
    if (held != 0) {
        memset(b.data + at, 0xff, held);
    }
    if (!fresh || held == size) {
        return NULL;
    }
    memset(garbage, 0xff, sizeof garbage);
    const struct lull_rp_buffer rest = {.address = b.address + at + held,
                                        .size = (uint32_t)(size - held),
                                        .held = (uint32_t)(size - held),
                                        .data = garbage};
    return lull_rp_submit_add(s, &rest);
}

struct lull_error *lull_rp_zero_pages_fill(const struct lull_rp_zero_pages *z, size_t which,
                                           struct lull_rp_capture *c)
{
    const struct lull_rp_zeros *one = &z->all[which];
    struct lull_error *err = NULL;
    for (size_t i = one->first; i < one->end; i++) {
        struct lull_rp_submit *s = &c->submits[i];
        const size_t n = s->nbuffers;
        for (size_t k = 0; err == NULL && k < n; k++) {
            const struct lull_rp_buffer *b = &s->buffers[k];
            if (!wraps(b) && page_of(b->address) <= one->address &&
                one->address < b->address + b->size) {
                err = fill(s, k, one->address, i == one->first);
            }
        }
    }
    return err;
}
