// SPDX-License-Identifier: MIT
#include "debug/rdna/vertex.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "tex/descriptor.h"

/** VGPRs at the start of the stage that fetches. */
enum { ES_VERTEX = 5, ES_INSTANCE = 8, LS_VERTEX = 2, LS_INSTANCE = 5, DWORD = 4 };

static bool goes_on(const struct lull_vertex_element *e, const struct lull_vertex_element *more)
{
    return e->base == more->base && e->table == more->table && e->stride == more->stride &&
           e->rate == more->rate && e->first == more->first && e->format == more->format &&
           e->loads + more->loads <= 4 && e->format != NULL && e->format->components == 1 &&
           e->offset + lull_vertex_bytes(e) == more->offset;
}

static bool before(const struct lull_vertex_element *a, const struct lull_vertex_element *b)
{
    return a->table != b->table ? a->table < b->table : a->offset < b->offset;
}

/* In order; what is there already is not there twice. */
static unsigned insert(struct lull_vertex_element *all, unsigned n,
                       const struct lull_vertex_element *e)
{
    unsigned at = 0;
    while (at < n && before(&all[at], e)) {
        at++;
    }
    if (n == LULL_MAX_ELEMENTS || (at < n && !before(e, &all[at]))) {
        return n;
    }
    memmove(&all[at + 1], &all[at], (n - at) * sizeof all[0]);
    all[at] = *e;
    return n + 1;
}

unsigned lull_vertex_elements(const struct lull_bindings *b, bool hull,
                              struct lull_vertex_element ret[LULL_MAX_ELEMENTS])
{
    unsigned n = 0;
    unsigned merged = 0;
    for (unsigned i = 0; i < b->nfetches; i++) {
        const struct lull_fetch *f = &b->fetch[i];
        struct lull_buffer_desc d = {0};
        lull_buffer_desc_parse(f->dword, &d);
        if (d.swizzle_bytes != 0 || d.stride == 0) {
            continue; // not a vertex buffer
        }
        const struct lull_vertex_element e = {
            .base = d.base,
            .size = lull_buffer_size(&d),
            .stride = d.stride,
            .offset = f->offset,
            .table = f->table,
            .first = f->add,
            .rate = f->input == (hull ? LS_VERTEX : ES_VERTEX)       ? LULL_RATE_VERTEX
                    : f->input == (hull ? LS_INSTANCE : ES_INSTANCE) ? LULL_RATE_INSTANCE
                                                                     : LULL_RATE_OTHER,
            .format = f->format != 0 ? lull_format_by_code(f->format) : NULL,
            .loads = f->loads,
        };
        n = insert(ret, n, &e);
    }
    for (unsigned i = 1; i < n; i++) { // one component at a time
        if (goes_on(&ret[merged], &ret[i])) {
            ret[merged].loads += ret[i].loads;
        } else {
            ret[++merged] = ret[i];
        }
    }
    return n == 0 ? 0 : merged + 1;
}

uint32_t lull_vertex_bytes(const struct lull_vertex_element *e)
{
    return e->format == NULL            ? DWORD * e->loads
           : e->format->components == 1 ? e->format->bytes * e->loads
                                        : e->format->bytes;
}

bool lull_vertex_is_integer(const struct lull_vertex_element *e)
{
    return e->format != NULL && lull_format_is_integer(e->format);
}

void lull_vertex_format(const struct lull_vertex_element *e, bool integer, struct lull_str *out)
{
    char name[64] = "";
    const char *one = e->format != NULL ? e->format->name : integer ? "32_UINT" : "32_FLOAT";
    if (e->format != NULL && e->format->components != 1) {
        lull_str_addf(out, "%s", one);
        return;
    }
    const size_t bits = strcspn(one, "_");
    for (unsigned i = 0; i + 1 < e->loads && i < 3; i++) {
        snprintf(name + strlen(name), sizeof name - strlen(name), "%.*s_", (int)bits, one);
    }
    lull_str_addf(out, "%s%s", name, one);
}

struct lull_error *lull_vertex_read(struct lull_target *t, const struct lull_vertex_element *e,
                                    uint32_t index, uint32_t ret[4])
{
    uint8_t bytes[16] = {0};
    const uint64_t at = (uint64_t)e->stride * (uint32_t)(index + e->first);
    memset(ret, 0, 4 * sizeof ret[0]);
    if (at + e->stride > e->size) { // structures count, not bytes
        return lull_error_new(LULL_ERR_NOT_FOUND, "structure %" PRIu32 " of %" PRIu64,
                              index + e->first, e->size / e->stride);
    }
    struct lull_error *err = t->ops->read(t, e->base + at + e->offset, bytes, lull_vertex_bytes(e));
    if (err != NULL) {
        return err;
    }
    if (e->format == NULL) {
        memcpy(ret, bytes, sizeof bytes);
    } else if (e->format->components != 1) {
        lull_format_unpack(e->format, bytes, ret);
    } else {
        for (unsigned i = 0; i < e->loads; i++) {
            uint32_t one[4] = {0};
            lull_format_unpack(e->format, bytes + (size_t)e->format->bytes * i, one);
            ret[i] = one[0];
        }
    }
    return NULL;
}

struct lull_error *lull_draw_index(struct lull_target *t, const struct lull_draw_info *draw,
                                   uint32_t i, uint32_t *ret)
{
    *ret = i;
    if (draw->index_bytes == 0) {
        return NULL;
    }
    uint8_t b[DWORD] = {0};
    struct lull_error *err = t->ops->read(t, draw->index_va + (uint64_t)draw->index_bytes * i, b,
                                          draw->index_bytes <= DWORD ? draw->index_bytes : DWORD);
    *ret = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    return err;
}
