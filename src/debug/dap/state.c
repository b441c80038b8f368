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

json_t *lull_dap_file(const char *file)
{
    char path[PATH_MAX];
    const char *base = strrchr(file, '/');
    json_t *s = json_pack("{s:s}", "name", base != NULL ? base + 1 : file);
    if (s == NULL) {
        return json_object();
    }
    json_object_set_new(s, "path", json_string(realpath(file, path) != NULL ? path : file));
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

/** Frame @p depth of the wave in focus, at @p va. */
static json_t *frame(struct lull_dap *p, unsigned depth, uint64_t va)
{
    struct lull_debug_source line;
    lull_cleanup(lull_str_free) struct lull_str symbol = {0};
    lull_debug_show_symbol(p->d, va, &symbol);
    json_t *name = symbol.size > 2 ? json_stringn(symbol.text + 1, symbol.size - 2) : NULL; // <...>
    json_t *f = json_pack("{s:i,s:o,s:i,s:i,s:s}", "id", (int)(p->d->focus * MAX_FRAMES + depth),
                          "name", name != NULL ? name : json_string("code"), "line", 0, "column", 0,
                          "presentationHint", "normal");
    json_object_set_new(f, "instructionPointerReference", json_sprintf("0x%" PRIx64, va));
    struct lull_error *no = lull_debug_source(p->d, va, &line);
    if (no == NULL) {
        const uint32_t column = line.column != 0 ? line.column : 1;
        json_object_set_new(f, "line", json_integer(line.line - p->lines_from_0));
        json_object_set_new(f, "column", json_integer(column - p->columns_from_0));
        json_object_set_new(f, "source", lull_dap_file(line.file));
    }
    lull_error_free(no);
    return f;
}

struct lull_error *lull_dap_stack(struct lull_dap *p, const json_t *args, json_t *body)
{
    const bool had = p->d->has_focus;
    const unsigned focus = p->d->focus, lane = p->d->lane;
    json_t *list = json_array();
    json_int_t id = 0;
    json_object_set_new(body, "stackFrames", list);
    struct lull_error *err = lull_dap_number(args, "threadId", 0, INT32_MAX, 0, &id);
    if (err != NULL || id == LULL_DAP_NO_WAVE) {
        json_object_set_new(body, "totalFrames", json_integer(0));
        return err;
    }
    struct lull_debug_wave *w = NULL;
    err = lull_dap_focus(p, id);
    err = err != NULL ? err : lull_debug_focused(p->d, &w);
    if (err == NULL) {
        uint64_t va = 0;
        bool good = false;
        json_array_append_new(list, frame(p, 0, w->info.pc));
        if (!lull_debug_in_kernel(p->d, w->info.pc)) {
            err = lull_debug_return_address(p->d, w, &va, &good);
        }
        if (good) {
            json_array_append_new(list, frame(p, 1, va));
        }
    }
    json_object_set_new(body, "totalFrames", json_integer((json_int_t)json_array_size(list)));
    if (had && p->d->focus != focus) { // A look does not move the focus.
        struct lull_error *back = lull_debug_select(p->d, focus, lane);
        lull_error_free(back);
    }
    return err;
}
