// SPDX-License-Identifier: MIT
// Sections of a capture in memory, and what goes into them.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/rdgen/rdgen.h"
#include "hw/rd_regs.h"

enum { WIDE = 3 };

uint64_t lull_rdgen_sum(const uint8_t *bytes, size_t size)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++) {
        h = (h ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return h;
}

void lull_rdgen_fail(struct lull_rdgen *g, struct lull_error *err)
{
    if (g->err == NULL) {
        g->err = err;
    } else {
        lull_error_free(err);
    }
}

bool lull_rdgen_grow(struct lull_rdgen *g, void *array, size_t n, size_t *room, size_t size)
{
    void **at = array;
    if (n < *room) {
        return true;
    }
    const size_t more = 2 * *room + 64;
    void *grown = reallocarray(*at, more, size);
    if (grown == NULL) {
        lull_rdgen_fail(g, &lull_enomem);
        return false;
    }
    *at = grown;
    *room = more;
    return true;
}

void lull_rdgen_put32(uint8_t *to, uint32_t v)
{
    for (unsigned i = 0; i < 4; i++) {
        to[i] = (uint8_t)(v >> (8 * i)); // little-endian
    }
}

void lull_rdgen_put64(uint8_t *to, uint64_t v)
{
    lull_rdgen_put32(to, (uint32_t)v);
    lull_rdgen_put32(to + 4, (uint32_t)(v >> 32));
}

struct lull_rdgen_section *lull_rdgen_insert(struct lull_rdgen *g, size_t at, uint32_t type,
                                             uint32_t size)
{
    if (g->err != NULL ||
        !lull_rdgen_grow(g, &g->sections, g->n, &g->room, sizeof g->sections[0])) {
        return NULL;
    }
    uint8_t *payload = calloc(1, size != 0 ? size : 1);
    if (payload == NULL) {
        lull_rdgen_fail(g, &lull_enomem);
        return NULL;
    }
    memmove(g->sections + at + 1, g->sections + at, (g->n - at) * sizeof g->sections[0]);
    g->n++;
    g->sections[at] = (struct lull_rdgen_section){.type = type, .size = size, .payload = payload};
    return &g->sections[at];
}

bool lull_rdgen_insert_range(struct lull_rdgen *g, size_t at, uint32_t type, uint64_t address,
                             uint32_t size)
{
    const unsigned dwords = address >> 32 != 0 ? WIDE : g->address_dwords;
    struct lull_rdgen_section *s = lull_rdgen_insert(g, at, type, dwords * 4);
    if (s != NULL) {
        lull_rdgen_put32(s->payload, (uint32_t)address);
        lull_rdgen_put32(s->payload + 4, size);
        if (dwords == WIDE) {
            lull_rdgen_put32(s->payload + 8, (uint32_t)(address >> 32));
        }
    }
    return s != NULL;
}

void lull_rdgen_expand(struct lull_rdgen *g, const struct lull_rdgen_run *data, uint8_t *to,
                       uint32_t size)
{
    for (; data != NULL && data->times != 0 && g->err == NULL; data++) {
        uint64_t at = data->offset;
        const uint64_t bytes = data->n * UINT64_C(4) * data->times;
        if (at % 4 != 0 || at > size || bytes > (size - at + 3) / 4 * 4) {
            lull_rdgen_fail(g, lull_error_new(LULL_ERR_INVALID,
                                              "data: a run of %" PRIu64 " bytes at 0x%" PRIx64
                                              " does not fit into %" PRIu32 " bytes",
                                              bytes, at, size));
            return;
        }
        for (uint64_t i = 0; i < bytes / 4; i++, at += 4) {
            uint8_t word[4];
            lull_rdgen_put32(word, data->words[i % data->n]);
            memcpy(to + at, word, size - at < 4 ? size - at : 4);
        }
    }
}
