// SPDX-License-Identifier: MIT
// Waves as threads, and where they are.
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "debug/dap/dap_priv.h"
#include "debug/session/engine.h"
#include "debug/session/frame.h"

enum { MAX_FRAMES = 64 };

struct lull_error *lull_dap_focus(struct lull_dap *p, json_int_t id)
{
    const unsigned number = (unsigned)(id - LULL_DAP_FIRST_WAVE);
    const struct lull_debug_wave *w =
        id >= LULL_DAP_FIRST_WAVE ? lull_debug_wave_by_number(p->d, number) : NULL;
    if (w == NULL) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "no wave stands as thread %" JSON_INTEGER_FORMAT,
                              id);
    }
    if (p->d->has_focus && p->d->focus == number) {
        return NULL;
    }
    return lull_debug_select(p->d, number, lull_debug_first_lane(p->d, w));
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/** The client's file with the name of @p file, which is not where its compiler says it is; NULL:
 * none in which it has a breakpoint. */
static const char *file_of_client(const struct lull_dap *p, const char *file)
{
    for (size_t i = 0; i < p->nbreaks; i++) {
        const char *source = p->breaks[i].source;
        if (source != NULL && strcmp(base_of(source), base_of(file)) == 0) {
            return source;
        }
    }
    return NULL;
}

json_t *lull_dap_file(const struct lull_dap *p, const char *file)
{
    char path[PATH_MAX];
    json_t *s = json_pack("{s:s}", "name", base_of(file));
    if (s == NULL) {
        return json_object();
    }
    const bool there = realpath(file, path) != NULL;
    const char *other = there ? NULL : file_of_client(p, file);
    json_object_set_new(s, "path", json_string(there ? path : other != NULL ? other : file));
    return s;
}

struct lull_error *lull_dap_threads(struct lull_dap *p, const json_t *args, json_t *body)
{
    json_t *list = json_array();
    (void)args;
    for (size_t i = 0; i < p->d->nwaves; i++) {
        const struct lull_debug_wave *w = &p->d->waves[i];
        const uint32_t *g = w->info.workgroup;
        if (w->stopped) {
            json_t *name = json_sprintf(
                "wave %u [%" PRIu32 ",%" PRIu32 ",%" PRIu32 "] %d of %u lanes", w->number, g[0],
                g[1], g[2], __builtin_popcountll(w->info.exec), w->info.lanes);
            json_array_append_new(
                list,
                json_pack("{s:i,s:o}", "id", (int)(w->number + LULL_DAP_FIRST_WAVE), "name", name));
        }
    }
    if (json_array_size(list) == 0) {
        json_array_append_new(list, json_pack("{s:i,s:s}", "id", LULL_DAP_NO_WAVE, "name", "GPU"));
    }
    json_object_set_new(body, "threads", list);
    return NULL;
}

int lull_dap_frame_id(const struct lull_dap *p, unsigned depth)
{
    return (int)(p->d->focus * MAX_FRAMES + depth);
}

struct lull_error *lull_dap_frame(struct lull_dap *p, json_int_t id)
{
    const unsigned depth = (unsigned)(id % MAX_FRAMES);
    struct lull_frame frames[LULL_MAX_FRAMES];
    struct lull_debug_wave *w = NULL;
    unsigned n = 1;
    bool more = false;
    struct lull_error *err = lull_dap_focus(p, id / MAX_FRAMES + LULL_DAP_FIRST_WAVE);
    if (err == NULL && depth != 0) {
        err = lull_debug_focused(p->d, &w);
        err = err != NULL ? err : lull_debug_frames(p->d, w, frames, &n, &more);
    }
    if (err == NULL && depth >= n) {
        err = lull_error_new(LULL_ERR_NOT_FOUND,
                             "frameId %" JSON_INTEGER_FORMAT ": wave %u has %u frame%s", id,
                             p->d->focus, n, n == 1 ? "" : "s");
    }
    if (err == NULL) {
        p->d->frame = depth;
    }
    return err;
}

/** What frame @p f of the wave in focus is called: the function inlined, or its symbol. */
static json_t *frame_name(struct lull_dap *p, const struct lull_frame *f)
{
    lull_cleanup(lull_str_free) struct lull_str symbol = {0};
    if (f->inlined != NULL) {
        return json_sprintf("%s, inlined", f->inlined);
    }
    lull_debug_show_symbol(p->d, f->va, &symbol); // <...>
    return symbol.size > 2 ? json_stringn(symbol.text + 1, symbol.size - 2) : json_string("code");
}

/** Frame @p depth of the wave in focus. */
static json_t *frame(struct lull_dap *p, unsigned depth, const struct lull_frame *f)
{
    json_t *out = json_pack("{s:i,s:o,s:i,s:i,s:s}", "id", lull_dap_frame_id(p, depth), "name",
                            frame_name(p, f), "line", 0, "column", 0, "presentationHint", "normal");
    json_object_set_new(out, "instructionPointerReference", json_sprintf("0x%" PRIx64, f->va));
    if (f->line.line != 0) {
        const uint32_t column = f->line.column != 0 ? f->line.column : 1;
        json_object_set_new(out, "line", json_integer(f->line.line - p->lines_from_0));
        json_object_set_new(out, "column", json_integer(column - p->columns_from_0));
        json_object_set_new(out, "source", lull_dap_file(p, f->line.file));
    }
    return out;
}

/** The frames of the wave in focus of which "startFrame" and "levels" ask. */
LULL_MUST_USE static struct lull_error *frames_of(struct lull_dap *p, const json_t *args,
                                                  json_t *list, unsigned *ret_n)
{
    struct lull_frame frames[LULL_MAX_FRAMES];
    struct lull_debug_wave *w = NULL;
    bool more = false;
    json_int_t start = 0, levels = 0;
    struct lull_error *err = lull_dap_number(args, "startFrame", 0, INT32_MAX, 0, &start);
    err = err != NULL ? err : lull_dap_number(args, "levels", 0, INT32_MAX, 0, &levels);
    err = err != NULL ? err : lull_debug_focused(p->d, &w);
    err = err != NULL ? err : lull_debug_frames(p->d, w, frames, ret_n, &more);
    for (json_int_t i = start; err == NULL && i < (json_int_t)*ret_n; i++) {
        if (levels == 0 || i < start + levels) { // 0: all.
            json_array_append_new(list, frame(p, (unsigned)i, &frames[i]));
        }
    }
    return err;
}

struct lull_error *lull_dap_stack(struct lull_dap *p, const json_t *args, json_t *body)
{
    const bool had = p->d->has_focus;
    const unsigned focus = p->d->focus, lane = p->d->lane, chosen = p->d->frame;
    json_t *list = json_array();
    json_int_t id = 0;
    unsigned n = 0;
    json_object_set_new(body, "stackFrames", list);
    struct lull_error *err = lull_dap_number(args, "threadId", 0, INT32_MAX, 0, &id);
    if (err != NULL || id == LULL_DAP_NO_WAVE) {
        json_object_set_new(body, "totalFrames", json_integer(0));
        return err;
    }
    err = lull_dap_focus(p, id);
    err = err != NULL ? err : frames_of(p, args, list, &n);
    json_object_set_new(body, "totalFrames", json_integer(n));
    if (had && p->d->focus != focus) { // A look does not move the focus.
        struct lull_error *back = lull_debug_select(p->d, focus, lane);
        p->d->frame = back == NULL ? chosen : 0;
        lull_error_free(back);
    }
    return err;
}
