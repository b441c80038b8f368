// SPDX-License-Identifier: MIT
// The host's memory for waves and workgroups, kept for those that come next.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/amd/gpu/gpu_impl.h"
#include "model/amd/gpu/gpu_pool.h"

enum { CACHE_LINE = 64, SMALLEST = 1024 };

/** What stands at the beginning of a register file that is not used. */
struct unused {
    void *next;
    size_t dirty; ///< Bytes of it, from here on, that may not be 0.
};

/** Which pool a register file comes from. */
static unsigned class_of(size_t bytes)
{
    unsigned c = 0;
    while (((size_t)SMALLEST << c) < bytes) {
        c++;
    }
    return c;
}

void lull_pool_mark(void *mem, size_t bytes, size_t dirty)
{
    const size_t all = (size_t)SMALLEST << class_of(bytes);
    struct unused *u = mem;
    u->dirty = dirty < sizeof *u ? sizeof *u : dirty < all ? dirty : all;
}

void lull_pool_zero(void *mem)
{
    lull_pool_clear(mem, ((const struct unused *)mem)->dirty);
}

void lull_pool_clear(void *mem, size_t bytes)
{
    memset(mem, 0, bytes);
}

void lull_pool_copy(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

uint32_t *lull_pool_last(struct lull_gpu_vgprs *v, size_t bytes)
{
    const unsigned class = class_of(bytes);
    struct unused *mem = v->free[class];
    if (mem != NULL) {
        v->free[class] = mem->next;
    }
    return (uint32_t *)mem;
}

/** Last in, first out: it may still be in the host's cache. */
uint32_t *lull_pool_take(struct lull_gpu_vgprs *v, size_t bytes)
{
    uint32_t *mem = lull_pool_last(v, bytes);
    if (mem == NULL) {
        mem = aligned_alloc(CACHE_LINE, (size_t)SMALLEST << class_of(bytes));
        if (mem != NULL) {
            lull_pool_mark(mem, bytes, SIZE_MAX);
        }
    }
    return mem;
}

void lull_pool_give(struct lull_gpu_vgprs *v, size_t bytes, void *mem)
{
    const unsigned class = class_of(bytes);
    ((struct unused *)mem)->next = v->free[class];
    v->free[class] = mem;
}

void lull_pool_free_vgprs(struct lull_gpu_vgprs *v)
{
    for (unsigned i = 0; i < LULL_VGPR_CLASSES; i++) {
        while (v->free[i] != NULL) {
            void *next = ((struct unused *)v->free[i])->next;
            free(v->free[i]);
            v->free[i] = next;
        }
    }
}

struct lull_gpu_group *lull_pool_group(struct lull_gpu *g, uint32_t lds_bytes)
{
    struct lull_gpu_group *group = g->free_groups;
    if (group != NULL) {
        g->free_groups = group->free_next;
        uint8_t *lds = group->wg.lds;
        const uint32_t room = group->lds_room;
        lull_pool_clear(group, offsetof(struct lull_gpu_group, gone));
        group->wg.lds = lds;
        group->lds_room = room;
    } else {
        group = calloc(1, sizeof *group);
    }
    if (group != NULL && group->lds_room < lds_bytes) {
        free(group->wg.lds);
        // Compiled code reads up to three bytes more (jit/lds.h).
        group->wg.lds = aligned_alloc(CACHE_LINE, ((lds_bytes + 3) | (size_t)(CACHE_LINE - 1)) + 1);
        group->lds_room = group->wg.lds != NULL ? lds_bytes : 0;
        if (group->wg.lds == NULL) {
            free(group);
            return NULL;
        }
    }
    return group;
}

void lull_pool_done(struct lull_gpu *g)
{
    while (g->free_groups != NULL) {
        struct lull_gpu_group *next = g->free_groups->free_next;
        free(g->free_groups->wg.lds);
        free(g->free_groups);
        g->free_groups = next;
    }
    lull_pool_free_vgprs(&g->vgprs);
}
