// SPDX-License-Identifier: MIT
// Pages as they were before they were written.
#include <stdlib.h>
#include <string.h>

#include "model/adreno/gpu_impl.h"

#define KERNEL ((uint64_t)1 << LULL_AGPU_KERNEL_BIT)

/** A page, or what there is of it, as it was. */
struct lull_agpu_was {
    struct lull_agpu_space *space;
    uint64_t address;
    uint32_t bytes;
    uint8_t mem[];
};

void lull_agpu_log_done(struct lull_agpu_log *l)
{
    for (size_t i = 0; i < l->n; i++) {
        free(l->all[i]);
    }
    free(l->all);
    free(l->slots);
    *l = (struct lull_agpu_log){.all = NULL};
}

/** Where @p page is, or would be. */
static uint32_t *slot_of(const struct lull_agpu_log *l, const struct lull_agpu_space *s,
                         uint64_t page)
{
    size_t i = (size_t)((page / LULL_AGPU_PAGE) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    for (;; i++) {
        uint32_t *slot = &l->slots[i & (l->nslots - 1)];
        if (*slot == 0 || (l->all[*slot - 1]->address == page && l->all[*slot - 1]->space == s)) {
            return slot;
        }
    }
}

bool lull_agpu_log_grow(struct lull_agpu_log *l)
{
    if (2 * (l->n + 1) <= l->nslots) {
        return true;
    }
    const size_t n = l->nslots == 0 ? 64 : 2 * l->nslots;
    struct lull_agpu_was **all = reallocarray(l->all, n, sizeof *all);
    l->all = all != NULL ? all : l->all;
    uint32_t *slots = all != NULL ? calloc(n, sizeof *slots) : NULL;
    if (slots == NULL) {
        return false;
    }
    free(l->slots);
    l->slots = slots;
    l->nslots = n;
    for (size_t i = 0; i < l->n; i++) {
        *slot_of(l, l->all[i]->space, l->all[i]->address) = (uint32_t)i + 1;
    }
    return true;
}

bool lull_agpu_log_add(struct lull_agpu_log *l, struct lull_agpu_was *was)
{
    uint32_t *slot = lull_agpu_log_grow(l) ? slot_of(l, was->space, was->address) : NULL;
    if (slot == NULL || *slot != 0) {
        return false;
    }
    l->all[l->n++] = was;
    *slot = (uint32_t)l->n;
    l->bytes += sizeof *was + was->bytes;
    return true;
}

/** What is there and what was there change places. */
static void swap(struct lull_agpu_was *w)
{
    const struct lull_agpu_page p = lull_agpu_space_look(w->space, w->address);
    for (uint32_t i = 0; p.mem != NULL && p.size >= w->bytes && i < w->bytes; i++) {
        const uint8_t was = w->mem[i];
        w->mem[i] = p.mem[i];
        p.mem[i] = was;
    }
}

void lull_agpu_log_swap(const struct lull_agpu_log *l, bool back)
{
    for (size_t i = 0; i < l->n; i++) {
        swap(l->all[back ? l->n - 1 - i : i]);
    }
}

void lull_agpu_log_forget(struct lull_agpu_past *p)
{
    memset(p->lately, 0, sizeof p->lately);
}

/** The page at @p page is about to be written. */
static void keep_page(struct lull_agpu *g, struct lull_agpu_log *l, struct lull_agpu_space *s,
                      uint64_t page)
{
    struct lull_agpu_past *p = &g->past;
    const size_t i = page / LULL_AGPU_PAGE % LULL_AGPU_LATELY;
    const struct lull_agpu_page from = lull_agpu_space_look(s, page);
    if (from.mem == NULL || !lull_agpu_log_grow(l)) {
        p->on = p->on && from.mem == NULL; // Without it there is no way back.
        return;
    }
    p->lately[i] = s;
    p->lately_page[i] = page;
    if (*slot_of(l, s, page) != 0) {
        return;
    }
    const uint32_t n = from.size < LULL_AGPU_PAGE ? (uint32_t)from.size : LULL_AGPU_PAGE;
    struct lull_agpu_was *was = malloc(sizeof *was + n);
    if (was == NULL) {
        p->on = false;
        return;
    }
    *was = (struct lull_agpu_was){.space = s, .address = page, .bytes = n};
    memcpy(was->mem, from.mem, n);
    (void)lull_agpu_log_add(l, was);
}

void lull_agpu_log_keep(struct lull_agpu *g, struct lull_agpu_log *l, uint64_t address,
                        uint64_t bytes)
{
    struct lull_agpu_past *p = &g->past;
    address &= LULL_AGPU_ADDRESS_MASK;
    struct lull_agpu_space *s = (address & KERNEL) != 0 ? &g->kernel : g->current;
    const uint64_t last = (address + bytes - 1) & ~(uint64_t)(LULL_AGPU_PAGE - 1);
    for (uint64_t page = address & ~(uint64_t)(LULL_AGPU_PAGE - 1); s != NULL && page <= last;
         page += LULL_AGPU_PAGE) {
        const size_t i = page / LULL_AGPU_PAGE % LULL_AGPU_LATELY;
        if (p->on && (p->lately[i] != s || p->lately_page[i] != page)) {
            keep_page(g, l, s, page);
        }
    }
}

bool lull_agpu_log_has(const struct lull_agpu_log *l, const struct lull_agpu_space *s,
                       uint64_t address, uint64_t size)
{
    for (size_t i = 0; i < l->n; i++) {
        if (l->all[i]->space == s && l->all[i]->address - address < size) {
            return true;
        }
    }
    return false;
}
