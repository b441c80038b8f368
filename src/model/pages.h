// SPDX-License-Identifier: MIT
/** @file
 * Memory of a model GPU, and pictures of it.
 *
 * A picture is what memory held at one time. It shares with the picture before it all pages that
 * are the same, so it costs the pages that have changed. Which those are the GPU says itself, in
 * the slow path of a translation (lull_pages_mark()): stores pay nothing for it, and nobody pays
 * before the first picture. Others who write the memory, a driver and the programs that have mapped
 * it, say nothing; after them a picture is made by comparison (@p outside).
 */
#ifndef LULL_MODEL_PAGES_H
#define LULL_MODEL_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum {
    LULL_PAGES_SHIFT = 12,
    LULL_PAGES_CHUNK_SHIFT = 21, ///< Pictures share chunks of pages, then pages.
};

struct lull_picture;
struct lull_slabs;

/** Memory that pictures can be taken of. */
struct lull_pages {
    uint8_t *map;
    uint64_t size;   ///< Bytes, a multiple of a page.
    int fd;          ///< Behind map, borrowed: its holes are zeros. -1: none, no page is a hole.
    uint8_t *dirty;  ///< By page: marked. NULL before the first picture.
    uint8_t *chunks; ///< By chunk: one of its pages is marked.
    uint8_t *other;  ///< By chunk: memory of another file has been mapped over map there.
    struct lull_picture *last; ///< What memory was when dirty was cleared.
    struct lull_slabs *slabs;  ///< Where pages of pictures are kept; NULL before the first.
};

struct lull_error *lull_pages_init(struct lull_pages *p, uint8_t *map, uint64_t size,
                                   int fd) LULL_MUST_USE;
void lull_pages_done(struct lull_pages *p);

/** The page at @p offset is going to be written. Only if p->dirty is there. */
static inline void lull_pages_mark(struct lull_pages *p, uint64_t offset)
{
    p->dirty[offset >> LULL_PAGES_SHIFT] = 1;
    p->chunks[offset >> LULL_PAGES_CHUNK_SHIFT] = 1;
}

/** Another file has been mapped over @p size bytes from @p offset on. */
void lull_pages_other(struct lull_pages *p, uint64_t offset, uint64_t size);

/**
 * What memory holds now.
 *
 * @param outside Somebody may have written since the last picture was taken or put back who marks
 * nothing.
 */
struct lull_error *lull_pages_take(struct lull_pages *p, bool outside,
                                   struct lull_picture **ret) LULL_MUST_USE;
/** Make memory hold what it did in @p picture, which may be of other memory of the same size. */
struct lull_error *lull_pages_put(struct lull_pages *p, bool outside,
                                  struct lull_picture *picture) LULL_MUST_USE;

void lull_picture_free(struct lull_picture *picture);
/** Do they hold the same bytes? If not, @p where gets the offset of the first that differs. */
bool lull_picture_same(const struct lull_picture *a, const struct lull_picture *b, uint64_t *where);
/** Pages of @p picture that @p before, which may be NULL, does not share: what it costs. */
uint64_t lull_picture_own(const struct lull_picture *picture, const struct lull_picture *before);

#endif
