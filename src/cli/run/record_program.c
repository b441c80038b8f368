// SPDX-License-Identifier: MIT
// A held dispatch of a program into a file: registers, memory, and what the program called it.
#include "cli/run/record_program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/output.h"
#include "compile/run.h"
#include "debug/session/names.h"
#include "debug/session/reverse.h"
#include "debug/session/travel.h"
#include "file/record_program.h"

enum { CHUNK_PAGES = 64, CHUNK = CHUNK_PAGES * LULL_RECORD_PAGE };

LULL_MUST_USE static struct lull_error *flush(struct lull_output *o, struct lull_str *part)
{
    struct lull_error *err = part->err;
    part->err = NULL;
    err = err != NULL ? err : lull_output_put(o, lull_str_text(part), part->size);
    lull_str_free(part);
    *part = (struct lull_str){0};
    return err;
}

static bool is_zero(const uint8_t *page)
{
    return page[0] == 0 && memcmp(page, page + 1, LULL_RECORD_PAGE - 1) == 0;
}

/** The pages of a chunk that have something. */
LULL_MUST_USE static struct lull_error *put_chunk(struct lull_output *o, uint64_t va,
                                                  const uint8_t *bytes, size_t size)
{
    lull_cleanup(lull_str_free) struct lull_str head = {0};
    struct lull_error *err = NULL;
    for (size_t at = 0; err == NULL && at < size;) {
        size_t n = 0;
        while (at + n < size && !is_zero(bytes + at + n)) {
            n += LULL_RECORD_PAGE;
        }
        if (n != 0) {
            lull_record_put_pages(va + at, n, &head);
            err = flush(o, &head);
            err = err != NULL ? err : lull_output_put(o, bytes + at, n);
        }
        at += n != 0 ? n : LULL_RECORD_PAGE;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *put_range(struct lull_debug *d, struct lull_output *o,
                                                  const struct lull_bo_info *b, uint8_t *chunk)
{
    const struct lull_record_range r = {.va = b->va,
                                        .size = b->size,
                                        .writable = b->writable,
                                        .executable = b->executable,
                                        .vram = b->vram};
    lull_cleanup(lull_str_free) struct lull_str head = {0};
    lull_record_put_range(&r, &head);
    struct lull_error *err = flush(o, &head);
    for (uint64_t at = 0; err == NULL && at < r.size; at += CHUNK) {
        const size_t n = r.size - at < CHUNK ? (size_t)(r.size - at) : CHUNK;
        err = d->target->ops->read(d->target, r.va + at, chunk, n);
        err = err != NULL ? err : put_chunk(o, r.va + at, chunk, n);
    }
    return err;
}

static int by_address(const void *a, const void *b)
{
    const struct lull_bo_info *x = a, *y = b;
    return (x->va > y->va) - (x->va < y->va);
}

/** All that is mapped, but for what the debugger has there. */
LULL_MUST_USE static struct lull_error *put_memory(struct lull_debug *d, struct lull_output *o)
{
    size_t n = 0, got = 0;
    struct lull_error *err = d->target->ops->bos(d->target, NULL, 0, &n);
    if (err != NULL) {
        return err;
    }
    lull_cleanup(lull_freep) struct lull_bo_info *all = calloc(n + 1, sizeof *all);
    lull_cleanup(lull_freep) uint8_t *chunk = malloc(CHUNK);
    if (all == NULL || chunk == NULL) {
        return &lull_enomem;
    }
    err = d->target->ops->bos(d->target, all, n, &got);
    n = got < n ? got : n;
    qsort(all, n, sizeof *all, by_address);
    for (size_t i = 0; err == NULL && i < n; i++) {
        if (all[i].name[0] == '\0') {
            err = put_range(d, o, &all[i], chunk);
        }
    }
    return err;
}

/** Element @p n of the array that begins behind @p at, where objects are, without it: its length;
 * 0: there is none. */
static size_t element(const char *at, uint64_t n, const char **ret)
{
    unsigned depth = 0;
    bool quoted = false;
    const char *begin = NULL;
    for (; *at != '\0' && (depth != 0 || *at != ']'); at++) {
        if (quoted) {
            at += *at == '\\' && at[1] != '\0';
            quoted = *at != '"';
        } else if (*at == '"') {
            quoted = true;
        } else if (*at == '{' || *at == '[') {
            begin = depth++ == 0 ? at : begin;
        } else if ((*at == '}' || *at == ']') && --depth == 0 && n-- == 0) {
            *ret = begin;
            return (size_t)(at + 1 - begin);
        }
    }
    return 0;
}

/** A line of the names layer: that of the submission has this dispatch alone, others are left out.
 * @p nth: which of its dispatches. */
static void put_line(const char *line, uint64_t submit, uint64_t nth, struct lull_str *out)
{
    static const char key[] = "\"dispatches\":[";
    const char *is = strstr(line, "\"k\":\"submit\""), *n = strstr(line, "\"n\":");
    const char *list = strstr(line, key), *one = NULL;
    if (is == NULL || n == NULL || list == NULL) {
        lull_str_addf(out, "%s\n", is == NULL ? line : "");
        return;
    }
    if (strtoull(n + strlen("\"n\":"), NULL, 10) != submit) {
        return;
    }
    const size_t size = element(list + strlen(key), nth, &one);
    if (size != 0) {
        lull_str_add(out, line, (size_t)(list - line) + strlen(key));
        lull_str_add(out, one, size);
        lull_str_addf(out, "]}\n");
    }
}

/** Which of its submission's dispatches @p r is. */
static uint64_t nth_of(const struct lull_names *names, const struct lull_names_dispatch *r)
{
    uint64_t n = 0;
    while (n < r->number && lull_names_dispatch_at(names, r->number - n - 1)->submit == r->submit) {
        n++;
    }
    return n;
}

LULL_MUST_USE static struct lull_error *put_file(struct lull_output *o, const char *name,
                                                 const void *bytes, size_t size)
{
    lull_cleanup(lull_str_free) struct lull_str head = {0};
    lull_record_put_name(name, size, &head);
    struct lull_error *err = flush(o, &head);
    return err != NULL || size == 0 ? err : lull_output_put(o, bytes, size);
}

/** What the program called its things, if that is known. */
LULL_MUST_USE static struct lull_error *put_names(struct lull_debug *d, struct lull_output *o)
{
    struct lull_dispatch_names n = {0};
    char dir[4096] = "";
    lull_cleanup(lull_str_free) struct lull_str path = {0};
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    lull_cleanup(lull_freep) uint8_t *bytes = NULL;
    lull_cleanup(lull_freep) uint8_t *module = NULL;
    size_t size = 0;
    lull_debug_names_of(d, &d->dispatch, &n);
    if (n.record == NULL || !d->names_dir(d->run_ctx, d->dispatch.pid, dir, sizeof dir)) {
        return NULL;
    }
    lull_str_addf(&path, "%s/%" PRIu32 ".names", dir, d->dispatch.pid);
    struct lull_error *err = lull_run_read(lull_str_text(&path), &bytes, &size);
    const uint64_t nth = nth_of(n.names, n.record);
    for (size_t at = 0; err == NULL && at < size;) {
        const uint8_t *end = memchr(bytes + at, '\n', size - at);
        if (end == NULL) {
            break;
        }
        bytes[end - bytes] = '\0';
        put_line((const char *)bytes + at, n.record->submit, nth, &text);
        at = (size_t)(end - bytes) + 1;
    }
    err = err != NULL ? err : text.err;
    text.err = NULL;
    err = err != NULL ? err : put_file(o, "names", lull_str_text(&text), text.size);
    const struct lull_names_pipeline *p = n.record->pipeline;
    const char *file = p != NULL && p->shader != NULL ? p->shader->file : "";
    const char *base = strrchr(file, '/') != NULL ? strrchr(file, '/') + 1 : file;
    if (err == NULL && *base != '\0') {
        err = lull_run_read(file, &module, &size);
        err = err != NULL ? err : put_file(o, base, module, size);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *put_all(struct lull_debug *d, uint64_t seed,
                                                const struct lull_debug_place *place,
                                                struct lull_output *o)
{
    const struct lull_dispatch_info *i = &d->dispatch;
    struct lull_record_dispatch r = {
        .ring = i->ring_number,
        .job = i->job,
        .code_va = i->code_va,
        .scratch_va = i->scratch_va,
        .rsrc = {i->rsrc1, i->rsrc2, i->rsrc3},
        .initiator = i->initiator,
        .tmpring = i->tmpring,
        .seed = seed,
        .has_wave = place != NULL,
    };
    if (place != NULL) {
        r.hw_id1 = place->hw_id1;
        r.executed = place->executed;
        memcpy(r.workgroup, place->workgroup, sizeof r.workgroup);
    }
    memcpy(r.grid, i->raw_grid, sizeof r.grid);
    memcpy(r.block, i->raw_block, sizeof r.block);
    memcpy(r.start, i->raw_start, sizeof r.start);
    memcpy(r.cus, i->cus, sizeof r.cus);
    memcpy(r.user_data, i->user_data, sizeof r.user_data);
    lull_cleanup(lull_str_free) struct lull_str part = {0};
    lull_record_put_dispatch(&r, &part);
    struct lull_error *err = flush(o, &part);
    err = err != NULL ? err : put_memory(d, o);
    err = err != NULL ? err : put_names(d, o);
    lull_record_put_end(&part);
    return err != NULL ? err : flush(o, &part);
}

/** What is written, and where to. */
struct file {
    struct lull_debug *d;
    uint64_t seed;
    const char *path;
};

LULL_MUST_USE static struct lull_error *write_file(void *ctx, const struct lull_debug_place *place)
{
    const struct file *f = ctx;
    struct lull_output o = {0};
    struct lull_error *err = lull_output_open(&o, f->path);
    err = err != NULL ? err : put_all(f->d, f->seed, place, &o);
    err = err != NULL ? err : lull_output_keep(&o);
    lull_output_done(&o);
    return err;
}

struct lull_error *lull_record_as_begun(
    struct lull_debug *d, const uint64_t *time,
    struct lull_error *(*write)(void *ctx, const struct lull_debug_place *place), void *ctx)
{
    struct lull_debug_place place = {0};
    const unsigned lane = d->lane;
    if (d->held) {
        return write(ctx, NULL);
    }
    if (time == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "record save: how memory was in the beginning is not remembered; "
                              "say it where the dispatch is held ('catch dispatch')");
    }
    const bool has = lull_debug_place_of_focus(d, &place);
    place.timed = true;
    place.time = *time;
    struct lull_error *err = lull_debug_travel_to(d, 0);
    err = err != NULL ? lull_error_in(err, "record save") : write(ctx, has ? &place : NULL);
    struct lull_error *back =
        has ? lull_debug_travel_to_place(d, &place) : lull_debug_travel_to(d, *time);
    if (back == NULL && has) {
        d->lane = lane;
    }
    if (err != NULL) {
        lull_error_free(back);
        return err;
    }
    return back;
}

struct lull_error *lull_record_program_save(struct lull_debug *d, uint64_t seed,
                                            const uint64_t *time, const char *path)
{
    struct file f = {.d = d, .seed = seed, .path = path};
    return !d->has_dispatch || d->at_draw || strcmp(d->target->ops->kind, "program") != 0
               ? lull_error_new(LULL_ERR_UNSUPPORTED,
                                "record save: for a dispatch that is held ('catch dispatch') or "
                                "runs, not for draws")
               : lull_record_as_begun(d, time, write_file, &f);
}
