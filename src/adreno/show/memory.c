// SPDX-License-Identifier: MIT
// Buffers of a submit, by address. One may lie in another: the one that was written last counts.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/show/walk.h"

enum { FIRST_ROOM = 64, MANY = 64 };

struct lull_error *lull_cap_add_buffer(struct lull_cap *c, const struct lull_rd_range *r)
{
    if (c->nbuffers == c->room) {
        const size_t room = c->room != 0 ? c->room * 2 : FIRST_ROOM;
        struct lull_cap_buffer *grown = realloc(c->buffers, room * sizeof *grown);
        if (grown == NULL) {
            return &lull_enomem;
        }
        c->buffers = grown;
        c->room = room;
    }
    c->buffers[c->nbuffers] = (struct lull_cap_buffer){
        .address = r->address, .size = r->size, .order = (uint32_t)c->nbuffers};
    c->newest = c->nbuffers++;
    c->has_newest = true;
    c->sorted = false;
    return NULL;
}

struct lull_error *lull_cap_fill_buffer(struct lull_cap *c, const struct lull_rd_section *s)
{
    if (!c->has_newest || c->sorted) {
        lull_cap_problem(c, 0, "contents of %" PRIu32 " bytes belong to no buffer", s->size);
        return NULL;
    }
    struct lull_cap_buffer *b = &c->buffers[c->newest];
    const uint64_t most = c->o.most_memory != 0 ? c->o.most_memory : 1ull << 30;
    const uint32_t size = s->size < b->size ? s->size : (uint32_t)b->size;
    c->has_newest = false;
    if (s->size != b->size) {
        lull_cap_problem(c, b->address,
                         "buffer of %" PRIu64 " bytes, the capture has %" PRIu32 " of it", b->size,
                         s->size);
    }
    if (size == 0) {
        return NULL;
    }
    if (c->held + size > most) {
        lull_cap_problem(c, b->address,
                         "buffers of one submit have more than %" PRIu64 " bytes: left out", most);
        return NULL;
    }
    b->data = malloc(size);
    if (b->data == NULL) {
        return &lull_enomem;
    }
    memcpy(b->data, s->payload, size);
    b->held = size;
    b->offset = s->offset + 8; // after the header
    c->held += size;
    return NULL;
}

void lull_cap_drop_buffers(struct lull_cap *c)
{
    for (size_t i = 0; i < c->nbuffers; i++) {
        free(c->buffers[i].data);
    }
    c->nbuffers = 0;
    c->held = 0;
    c->has_newest = false;
    c->nloads = 0; // they are in those buffers
    memset(c->shaders, 0, sizeof c->shaders);
}

static int by_address(const void *a, const void *b)
{
    const struct lull_cap_buffer *x = a, *y = b;
    if (x->address != y->address) {
        return x->address < y->address ? -1 : 1;
    }
    return x->order < y->order ? -1 : x->order > y->order;
}

static void sort(struct lull_cap *c)
{
    uint64_t reach = 0;
    if (c->nbuffers > 1) {
        qsort(c->buffers, c->nbuffers, sizeof c->buffers[0], by_address);
    }
    for (size_t i = 0; i < c->nbuffers; i++) {
        struct lull_cap_buffer *b = &c->buffers[i];
        const uint64_t end = b->address + b->size;
        reach = end > reach || end < b->address ? (end < b->address ? UINT64_MAX : end) : reach;
        b->reach = reach;
    }
    c->sorted = true;
    c->has_newest = false;
}

const struct lull_cap_buffer *lull_cap_buffer_at(struct lull_cap *c, uint64_t address)
{
    const struct lull_cap_buffer *best = NULL;
    if (!c->sorted) {
        sort(c);
    }
    size_t low = 0, high = c->nbuffers; // the first whose address is beyond
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (c->buffers[mid].address <= address) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    const size_t first = low;
    for (size_t i = low; i-- > 0 && c->buffers[i].reach > address;) {
        low = i;
        const struct lull_cap_buffer *b = &c->buffers[i];
        const bool in = address - b->address < b->size;
        const bool has = b->data != NULL && address - b->address < b->held;
        const bool best_has =
            best != NULL && best->data != NULL && address - best->address < best->held;
        if (in && (best == NULL || has > best_has || (has == best_has && b->order > best->order))) {
            best = b;
        }
    }
    if (first - low > MANY) { // buffers in buffers: no capture needs to look for long
        (void)lull_cap_work(c, first - low);
    }
    return best;
}

struct lull_cap_words lull_cap_memory(struct lull_cap *c, uint64_t address, uint32_t n)
{
    const struct lull_cap_buffer *b = address % 4 == 0 ? lull_cap_buffer_at(c, address) : NULL;
    const uint64_t at = b != NULL ? address - b->address : 0;
    if (b == NULL || at >= b->held || at % 4 != 0) {
        return (struct lull_cap_words){.address = address};
    }
    const uint64_t left = (b->held - at) / 4;
    return (struct lull_cap_words){
        .words = (const uint32_t *)(const void *)(b->data + at),
        .address = address,
        .n = n < left ? n : (uint32_t)left,
    };
}
