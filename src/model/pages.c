// SPDX-License-Identifier: MIT
#include "model/pages.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/slabs.h"

enum {
    PAGE = 1 << LULL_PAGES_SHIFT,
    CHUNK_PAGES = 1 << (LULL_PAGES_CHUNK_SHIFT - LULL_PAGES_SHIFT),
};

struct chunk {
    uint64_t refs;
    uint8_t *page[CHUNK_PAGES]; // NULL: zeros
};

/** Where a chunk lies; those that are all zeros are not there. */
struct place {
    uint64_t index;
    struct chunk *chunk;
};

struct lull_picture {
    uint64_t refs, size; // size: bytes of the memory
    size_t n, room;
    struct place *at; // By index.
};

static const uint8_t zeros[PAGE];

static uint64_t count_chunks(uint64_t size)
{
    return (size + (UINT64_C(1) << LULL_PAGES_CHUNK_SHIFT) - 1) >> LULL_PAGES_CHUNK_SHIFT;
}

struct lull_error *lull_pages_init(struct lull_pages *p, uint8_t *map, uint64_t size, int fd)
{
    *p = (struct lull_pages){.map = map, .size = size, .fd = fd};
    p->other = calloc(count_chunks(size), 1);
    return p->other != NULL ? NULL : &lull_enomem;
}

void lull_pages_done(struct lull_pages *p)
{
    lull_picture_free(p->last);
    lull_slabs_done(p->slabs);
    free(p->dirty);
    free(p->chunks);
    free(p->other);
    *p = (struct lull_pages){.fd = -1};
}

void lull_pages_other(struct lull_pages *p, uint64_t offset, uint64_t size)
{
    for (uint64_t i = offset >> LULL_PAGES_CHUNK_SHIFT; i < count_chunks(offset + size); i++) {
        p->other[i] = 1;
    }
}

static void free_chunk(struct chunk *c)
{
    if (c == NULL || --c->refs != 0) {
        return;
    }
    for (unsigned i = 0; i < CHUNK_PAGES; i++) {
        lull_slab_drop(c->page[i]);
    }
    free(c);
}

void lull_picture_free(struct lull_picture *picture)
{
    if (picture == NULL || --picture->refs != 0) {
        return;
    }
    for (size_t i = 0; i < picture->n; i++) {
        free_chunk(picture->at[i].chunk);
    }
    free(picture->at);
    free(picture);
}

/** Chunk @p index of a picture, looked for from @p *from on; @p *from is then behind it. */
static struct chunk *find(const struct lull_picture *picture, uint64_t index, size_t *from)
{
    if (picture == NULL) {
        return NULL;
    }
    while (*from < picture->n && picture->at[*from].index < index) {
        ++*from;
    }
    return *from < picture->n && picture->at[*from].index == index ? picture->at[*from].chunk
                                                                   : NULL;
}

static const uint8_t *page_bytes(const struct chunk *c, unsigned i)
{
    return c != NULL && c->page[i] != NULL ? c->page[i] : zeros;
}

static void mark_range(struct lull_pages *p, uint64_t from, uint64_t end)
{
    end = end < p->size ? end : p->size;
    for (uint64_t at = from & ~(uint64_t)(PAGE - 1); at < end; at += PAGE) {
        lull_pages_mark(p, at);
    }
}

/** Mark the pages that are in the host's memory: the others are zeros. */
static void mark_resident(struct lull_pages *p)
{
    off_t end = 0;
    if (p->fd < 0) {
        mark_range(p, 0, p->size);
    }
    for (off_t at = 0; p->fd >= 0 && (at = lseek(p->fd, end, SEEK_DATA)) >= 0;) {
        end = lseek(p->fd, at, SEEK_HOLE);
        if (end <= at) {
            break;
        }
        mark_range(p, (uint64_t)at, (uint64_t)end);
    }
    for (uint64_t i = 0; i < count_chunks(p->size); i++) {
        const uint64_t at = i << LULL_PAGES_CHUNK_SHIFT;
        unsigned char in[CHUNK_PAGES] = {0};
        const uint64_t left = p->size - at;
        const size_t n = left < sizeof in * PAGE ? left : sizeof in * PAGE;
        const bool known = p->other[i] == 0 || mincore(p->map + at, n, in) == 0;
        for (unsigned k = 0; p->other[i] != 0 && k < n / PAGE; k++) {
            if (!known || (in[k] & 1) != 0) {
                lull_pages_mark(p, at + (uint64_t)k * PAGE);
            }
        }
    }
}

/** Mark the pages by which @p a and @p b differ; either may be NULL. */
static void mark_difference(struct lull_pages *p, const struct lull_picture *a,
                            const struct lull_picture *b)
{
    size_t at_a = 0, at_b = 0;
    for (uint64_t i = 0; i < count_chunks(p->size); i++) {
        const struct chunk *ca = find(a, i, &at_a), *cb = find(b, i, &at_b);
        for (unsigned k = 0; ca != cb && k < CHUNK_PAGES; k++) {
            if ((ca != NULL ? ca->page[k] : NULL) != (cb != NULL ? cb->page[k] : NULL)) {
                lull_pages_mark(p,
                                (i << LULL_PAGES_CHUNK_SHIFT) + ((uint64_t)k << LULL_PAGES_SHIFT));
            }
        }
    }
}

/** Have dirty, with all marks that are needed for a comparison with p->last. */
LULL_MUST_USE static struct lull_error *begin(struct lull_pages *p, bool outside)
{
    if (p->slabs == NULL) {
        p->slabs = lull_slabs_new();
        if (p->slabs == NULL) {
            return &lull_enomem;
        }
    }
    if (p->dirty == NULL) {
        p->chunks = calloc(count_chunks(p->size), 1);
        p->dirty = p->chunks != NULL
                       ? calloc(count_chunks(p->size) * CHUNK_PAGES, sizeof p->dirty[0])
                       : NULL;
        if (p->dirty == NULL) {
            free(p->chunks);
            p->chunks = NULL;
            return &lull_enomem;
        }
    }
    if (outside || p->last == NULL) {
        mark_resident(p);
        mark_difference(p, p->last, NULL); // what was there and may be a hole now
    }
    return NULL;
}

/** Memory is now @p picture, which p->last shares. */
static void end(struct lull_pages *p, struct lull_picture *picture)
{
    for (uint64_t i = 0; i < count_chunks(p->size); i++) {
        if (p->chunks[i] != 0) {
            p->chunks[i] = 0;
            memset(p->dirty + i * CHUNK_PAGES, 0, CHUNK_PAGES);
        }
    }
    picture->refs++;
    lull_picture_free(p->last);
    p->last = picture;
}

/** A chunk of its own with the pages of @p c, which is given back. NULL: no memory. */
static struct chunk *unshare(struct chunk *c)
{
    if (c != NULL && c->refs == 1) {
        return c;
    }
    struct chunk *own = calloc(1, sizeof *own);
    if (own == NULL) {
        return NULL;
    }
    own->refs = 1;
    for (unsigned i = 0; c != NULL && i < CHUNK_PAGES; i++) {
        own->page[i] = c->page[i];
        lull_slab_share(own->page[i]);
    }
    free_chunk(c);
    return own;
}

/** Put what @p mem holds into page @p i of @p c, which nobody shares. False: no memory. */
static bool copy_page(struct lull_slabs *slabs, struct chunk *c, unsigned i, const uint8_t *mem)
{
    uint8_t *new = NULL;
    if (memcmp(mem, zeros, PAGE) != 0) {
        new = lull_slab_page(slabs);
        if (new == NULL) {
            return false;
        }
        memcpy(new, mem, PAGE);
    }
    lull_slab_drop(c->page[i]);
    c->page[i] = new;
    return true;
}

/** Bring @p *c, chunk @p index, up to date in its marked pages. False: no memory. */
static bool update(const struct lull_pages *p, uint64_t index, struct chunk **c)
{
    for (unsigned i = 0; p->chunks[index] != 0 && i < CHUNK_PAGES; i++) {
        const uint64_t offset =
            (index << LULL_PAGES_CHUNK_SHIFT) + ((uint64_t)i << LULL_PAGES_SHIFT);
        if (p->dirty[offset >> LULL_PAGES_SHIFT] == 0 ||
            memcmp(p->map + offset, page_bytes(*c, i), PAGE) == 0) {
            continue;
        }
        struct chunk *own = unshare(*c);
        *c = own != NULL ? own : *c;
        if (own == NULL || !copy_page(p->slabs, own, i, p->map + offset)) {
            return false;
        }
    }
    return true;
}

static bool append(struct lull_picture *picture, uint64_t index, struct chunk *c)
{
    if (picture->n == picture->room) {
        const size_t room = picture->room != 0 ? 2 * picture->room : 16;
        struct place *at = realloc(picture->at, room * sizeof *at);
        if (at == NULL) {
            return false;
        }
        picture->at = at;
        picture->room = room;
    }
    picture->at[picture->n++] = (struct place){.index = index, .chunk = c};
    return true;
}

struct lull_error *lull_pages_take(struct lull_pages *p, bool outside, struct lull_picture **ret)
{
    struct lull_error *err = begin(p, outside);
    struct lull_picture *picture = err == NULL ? calloc(1, sizeof *picture) : NULL;
    bool ok = picture != NULL;
    size_t from = 0;
    if (ok) {
        picture->refs = 1;
        picture->size = p->size;
    }
    for (uint64_t i = 0; ok && i < count_chunks(p->size); i++) {
        struct chunk *c = find(p->last, i, &from);
        if (c != NULL) {
            c->refs++;
        }
        ok = update(p, i, &c) && (c == NULL || append(picture, i, c));
        if (!ok) {
            free_chunk(c);
        }
    }
    if (!ok) {
        lull_picture_free(picture);
        return err != NULL ? err : &lull_enomem;
    }
    end(p, picture);
    *ret = picture;
    return NULL;
}

struct lull_error *lull_pages_put(struct lull_pages *p, bool outside, struct lull_picture *picture)
{
    if (picture->size != p->size) {
        return lull_error_new(LULL_ERR_INVALID, "a picture of %llu bytes for %llu bytes of memory",
                              (unsigned long long)picture->size, (unsigned long long)p->size);
    }
    struct lull_error *err = begin(p, outside);
    if (err != NULL) {
        return err;
    }
    size_t from = 0;
    mark_difference(p, p->last, picture);
    for (uint64_t i = 0; i < count_chunks(p->size); i++) {
        const struct chunk *c = find(picture, i, &from);
        for (unsigned k = 0; p->chunks[i] != 0 && k < CHUNK_PAGES; k++) {
            const uint64_t at = (i << LULL_PAGES_CHUNK_SHIFT) + ((uint64_t)k << LULL_PAGES_SHIFT);
            if (p->dirty[at >> LULL_PAGES_SHIFT] != 0 &&
                memcmp(p->map + at, page_bytes(c, k), PAGE) != 0) {
                memcpy(p->map + at, page_bytes(c, k), PAGE);
            }
        }
    }
    end(p, picture);
    return NULL;
}

bool lull_picture_same(const struct lull_picture *a, const struct lull_picture *b, uint64_t *where)
{
    const uint64_t size = a->size > b->size ? a->size : b->size;
    size_t at_a = 0, at_b = 0;
    for (uint64_t i = 0; i < count_chunks(size); i++) {
        const struct chunk *ca = find(a, i, &at_a), *cb = find(b, i, &at_b);
        for (unsigned k = 0; ca != cb && k < CHUNK_PAGES; k++) {
            const uint8_t *x = page_bytes(ca, k), *y = page_bytes(cb, k);
            unsigned byte = 0;
            while (x != y && byte < PAGE && x[byte] == y[byte]) {
                byte++;
            }
            if (x != y && byte < PAGE) {
                *where = (i << LULL_PAGES_CHUNK_SHIFT) + ((uint64_t)k << LULL_PAGES_SHIFT) + byte;
                return false;
            }
        }
    }
    return a->size == b->size;
}

uint64_t lull_picture_own(const struct lull_picture *picture, const struct lull_picture *before)
{
    uint64_t n = 0;
    size_t at_a = 0, at_b = 0;
    for (uint64_t i = 0; i < count_chunks(picture->size); i++) {
        const struct chunk *ca = find(picture, i, &at_a), *cb = find(before, i, &at_b);
        for (unsigned k = 0; ca != NULL && ca != cb && k < CHUNK_PAGES; k++) {
            n += ca->page[k] != NULL && (cb == NULL || ca->page[k] != cb->page[k]);
        }
    }
    return n;
}
