// SPDX-License-Identifier: MIT
#include "cli/adreno/fault_buffers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/file/devcore.h"
#include "adreno/file/kind.h"
#include "adreno/file/rd.h"
#include "cli/opt/progress.h"
#include "hw/rd_regs.h"

enum { FIRST_ROOM = 256 };

LULL_MUST_USE static struct lull_error *add(struct lull_fault_buffers *b,
                                            const struct lull_fault_buffer *new)
{
    if ((b->n & (b->n - 1)) == 0 && (b->n == 0 || b->n >= FIRST_ROOM)) { // a power of two: full
        const size_t room = b->n == 0 ? FIRST_ROOM : b->n * 2;
        struct lull_fault_buffer *at = realloc(b->at, room * sizeof *at);
        if (at == NULL) {
            return &lull_enomem;
        }
        b->at = at;
    }
    b->at[b->n++] = *new;
    return NULL;
}

struct lull_error *lull_fault_from_rd(struct lull_fault_buffers *b, const char *file)
{
    struct lull_stream *s = NULL;
    struct lull_rd *rd = NULL;
    struct lull_progress progress = {0};
    struct lull_error *err = lull_progress_open(&progress, file, &s);
    err = err != NULL ? err : lull_kind_want_rd(s);
    err = err != NULL ? err : lull_rd_new(s, 0, &rd);
    bool more = err == NULL, ended = false;
    while (more) {
        struct lull_rd_section section = {0};
        struct lull_rd_range r = {0};
        err = lull_rd_next(rd, &section, &more);
        if (err != NULL || !more) {
            break;
        }
        // Buffers come before the streams of their submit.
        const bool stream = !section.filler && section.type == LULL_RD_CMDSTREAM_ADDR;
        if (!section.filler && section.type == LULL_RD_GPUADDR && lull_rd_range(&section, &r)) {
            b->submits += ended;
            ended = false;
            const struct lull_fault_buffer new = {.address = r.address,
                                                  .size = r.size,
                                                  .first = b->submits,
                                                  .last = b->submits,
                                                  .file = file};
            err = add(b, &new);
            more = err == NULL;
        }
        ended |= stream;
    }
    b->submits += ended;
    lull_rd_free(rd);
    lull_stream_free(s);
    return lull_error_in(err, "%s", file);
}

/** "bos:" and rings, as far as they go. */
LULL_MUST_USE static struct lull_error *line(struct lull_fault_buffers *b, const char *file,
                                             const struct lull_devcore_line *l)
{
    const bool ring = strcmp(l->section, "ringbuffer") == 0;
    uint64_t n = 0;
    if (l->kind != LULL_DEVCORE_KEY || (!ring && strcmp(l->section, "bos") != 0)) {
        return NULL;
    }
    if (strcmp(l->key, "iova") == 0 && lull_devcore_number(l->value, &n)) {
        const struct lull_fault_buffer new = {
            .address = n, .file = file, .name = "a ring of the kernel"};
        struct lull_error *err = add(b, &new);
        if (err == NULL && !ring) {
            b->at[b->n - 1].name[0] = '\0';
        }
        return err;
    }
    struct lull_fault_buffer *last = b->n != 0 ? &b->at[b->n - 1] : NULL;
    if (last != NULL && last->file == file && strcmp(l->key, "size") == 0 &&
        lull_devcore_number(l->value, &n)) {
        last->size = n;
    } else if (last != NULL && last->file == file && !ring && strcmp(l->key, "name") == 0) {
        (void)snprintf(last->name, sizeof last->name, "%.39s", l->value);
        for (size_t end = strlen(last->name); end > 0 && last->name[end - 1] == ' ';) {
            last->name[--end] = '\0';
        }
        for (char *c = last->name; *c != '\0'; c++) {
            *c = (char)(*c >= ' ' && *c <= '~' ? *c : '?');
        }
    }
    return NULL;
}

struct lull_error *lull_fault_from_devcore(struct lull_fault_buffers *b, const char *file)
{
    struct lull_stream *s = NULL;
    struct lull_devcore *d = NULL;
    struct lull_progress progress = {0};
    struct lull_error *err = lull_progress_open(&progress, file, &s);
    err = err != NULL ? err : lull_kind_want_devcore(s);
    err = err != NULL ? err : lull_devcore_new(s, 0, &d);
    for (bool more = err == NULL; more && err == NULL;) {
        struct lull_devcore_line l = {0};
        err = lull_devcore_next(d, &l, &more);
        if (err == NULL && more) {
            err = line(b, file, &l);
        }
    }
    lull_devcore_free(d);
    lull_stream_free(s);
    return lull_error_in(err, "%s", file);
}

void lull_fault_buffers_free(struct lull_fault_buffers *b)
{
    free(b->at);
    *b = (struct lull_fault_buffers){0};
}

uint64_t lull_fault_end(const struct lull_fault_buffer *b)
{
    return b->size > UINT64_MAX - b->address ? UINT64_MAX : b->address + b->size;
}

/** The submits of all entries for the same buffer. */
static void whole_life(struct lull_fault_buffers *b, struct lull_fault_buffer *of)
{
    for (size_t i = 0; of != NULL && i < b->n; i++) {
        const struct lull_fault_buffer *at = &b->at[i];
        if (at->address == of->address && at->size == of->size && at->file == of->file) {
            of->first = at->first < of->first ? at->first : of->first;
            of->last = at->last > of->last ? at->last : of->last;
        }
    }
}

void lull_fault_find(struct lull_fault_buffers *b, uint64_t address, struct lull_fault_near *ret)
{
    struct lull_fault_buffer *in = NULL, *below = NULL, *above = NULL;
    for (size_t i = 0; i < b->n; i++) {
        struct lull_fault_buffer *at = &b->at[i];
        if (address >= at->address && address - at->address < at->size) {
            in = in == NULL || at->last >= in->last ? at : in;
        } else if (at->address > address) {
            above = above == NULL || at->address < above->address ? at : above;
        } else if (below == NULL || lull_fault_end(at) > lull_fault_end(below)) {
            below = at;
        }
    }
    whole_life(b, in);
    whole_life(b, below);
    whole_life(b, above);
    *ret = (struct lull_fault_near){.in = in, .below = below, .above = above};
}
