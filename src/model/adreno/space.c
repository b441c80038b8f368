// SPDX-License-Identifier: MIT
#include "model/adreno/space.h"

#include <stdlib.h>

#include "base/list.h"

struct extent {
    struct lull_tree_node at; // By address.
    uint64_t size;
    struct lull_agpu_page page;
};

static struct extent *extent_of(struct lull_tree_node *n)
{
    return n != NULL ? lull_container(n, struct extent, at) : NULL;
}

bool lull_agpu_space_map(struct lull_agpu_space *s, uint64_t address, uint64_t size,
                         const struct lull_agpu_page *page)
{
    struct extent *e = calloc(1, sizeof *e);
    if (e == NULL) {
        return false;
    }
    e->at.key = address;
    e->size = size;
    e->page = *page;
    lull_tree_add(&s->extents, &e->at);
    return true;
}

static void drop(struct lull_agpu_space *s, struct extent *e)
{
    lull_tree_remove(&s->extents, &e->at);
    free(e);
}

void lull_agpu_space_unmap(struct lull_agpu_space *s, uint64_t address)
{
    struct extent *e = extent_of(lull_tree_find(&s->extents, address));
    if (e != NULL) {
        drop(s, e);
    }
}

struct lull_agpu_page lull_agpu_space_piece(const struct lull_agpu_space *s, uint64_t address,
                                            uint64_t *first)
{
    const struct extent *e = extent_of(lull_tree_floor(&s->extents, address));
    if (e == NULL || address - e->at.key >= e->size) {
        return (struct lull_agpu_page){0};
    }
    *first = e->at.key;
    return (struct lull_agpu_page){.mem = e->page.mem, .size = e->size, .access = e->page.access};
}

struct lull_agpu_page lull_agpu_space_look(const struct lull_agpu_space *s, uint64_t address)
{
    uint64_t first = 0;
    struct lull_agpu_page p = lull_agpu_space_piece(s, address, &first);
    if (p.mem != NULL) {
        p.mem += address - first;
        p.size -= address - first;
    }
    return p;
}

void lull_agpu_space_done(struct lull_agpu_space *s)
{
    while (s->extents.root != NULL) {
        drop(s, extent_of(s->extents.root));
    }
}
