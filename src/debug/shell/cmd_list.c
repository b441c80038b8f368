// SPDX-License-Identifier: MIT
/* disassemble, list. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/files.h"
#include "debug/session/frame.h"
#include "debug/session/lines.h"
#include "debug/session/names.h"
#include "debug/session/pipeline.h"
#include "debug/shell/shell.h"

enum { LINE_ROOM = 512, AROUND = 8, DEFAULT_COUNT = 16 };

/* Is @p path the module's file, as far as both say it? */
static bool is_file(const char *path, const char *file)
{
    const size_t n = strlen(file), size = strlen(path);
    return n <= size && n != 0 && strcmp(path + size - n, file) == 0;
}

/* The text that the shader was made from, with line numbers. */
LULL_MUST_USE static struct lull_error *list_shader(struct lull_cmd *c)
{
    struct lull_dispatch_names n = {0};
    lull_debug_names_of(c->d, &c->d->dispatch, &n);
    const struct lull_spirv_source *source = lull_dispatch_source(&n);
    if (source == NULL) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "no source: the shader's module has none (glslangValidator -gVS)");
    }
    const char *at = source->text;
    struct lull_line here = {0};
    const struct lull_debug_wave *w =
        c->d->has_focus ? lull_debug_wave_by_number(c->d, c->d->focus) : NULL;
    const bool marked = w != NULL && lull_debug_lines_at(c->d, w->info.pc, &here) &&
                        is_file(here.file, source->file);
    for (unsigned line = 1; *at != '\0'; line++) {
        size_t length = strcspn(at, "\n");
        lull_str_addf(c->out, "%s%4u  %.*s\n",
                      !marked             ? ""
                      : line == here.line ? "=> "
                                          : "   ",
                      line, (int)length, at);
        at += length + (at[length] == '\n');
    }
    if (c->json != NULL) {
        lull_json_put_str(c->json, "file", source->file);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *list_code(struct lull_cmd *c, uint64_t va, unsigned count)
{
    const struct lull_debug_wave *w =
        c->d->has_focus ? lull_debug_wave_by_number(c->d, c->d->focus) : NULL;
    struct lull_error *err = NULL;
    for (unsigned i = 0; err == NULL && i < count; i++) {
        unsigned size = 0;
        lull_cleanup(lull_str_free) struct lull_str line = {0};
        struct lull_cmd one = *c;
        one.out = &line;
        err = lull_debug_show_insn(&one, va, w != NULL && w->stopped && w->info.pc == va,
                                   w != NULL ? w->info.lanes : 0, &size, c->json);
        if (err != NULL && i > 0) { // the end of the code
            lull_error_free(err);
            return NULL;
        }
        lull_str_addf(c->out, "%c %s", lull_debug_breakpoint_at(c->d, va) != NULL ? 'B' : ' ',
                      lull_str_text(&line));
        va += size;
    }
    return err;
}

/* "PLACE", "PLACE,COUNT", or nothing: around the pc. */
LULL_MUST_USE static struct lull_error *code_range(struct lull_cmd *c, uint64_t *ret_va,
                                                   unsigned *ret_count)
{
    *ret_count = c->count != 0 ? c->count : DEFAULT_COUNT;
    if (*c->args != '\0') {
        lull_cleanup(lull_freep) char *place = strdup(c->args);
        if (place == NULL) {
            return &lull_enomem;
        }
        char *comma = strrchr(place, ',');
        if (comma != NULL) {
            uint64_t n = 0;
            *comma = '\0';
            struct lull_error *err = lull_cmd_count(comma + 1, 1, UINT16_MAX, &n);
            if (err != NULL) {
                return err;
            }
            *ret_count = (unsigned)n; // at most UINT16_MAX
        }
        return lull_debug_location(c->d, place, ret_va);
    }
    struct lull_debug_wave *w = NULL;
    struct lull_error *err = lull_debug_focused(c->d, &w);
    if (err != NULL) {
        return err;
    }
    uint64_t before[AROUND] = {0};
    size_t n = lull_debug_insns_before(c->d, w->info.pc, before, AROUND);
    *ret_va = n > 0 ? before[0] : w->info.pc;
    *ret_count = c->count != 0 ? c->count : (unsigned)n + AROUND;
    return NULL;
}

struct lull_error *lull_cmd_disassemble(struct lull_cmd *c)
{
    uint64_t va = 0;
    unsigned count = 0;
    struct lull_error *err = code_range(c, &va, &count);
    if (err != NULL) {
        return err;
    }
    if (c->json != NULL) {
        lull_json_key(c->json, "instructions");
        lull_json_open(c->json, '[');
    }
    err = list_code(c, va, count);
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    return err;
}

static void show_source(struct lull_cmd *c, FILE *f, const struct lull_line *line)
{
    char text[LINE_ROOM] = {0};
    bool whole = true;
    uint32_t first = line->line > 5 ? line->line - 5 : 1;
    for (uint32_t at = 1; at < first + 10 && fgets(text, sizeof text, f) != NULL; at += whole) {
        whole = strchr(text, '\n') != NULL;
        text[strcspn(text, "\r\n")] = '\0';
        if (at >= first) {
            lull_str_addf(c->out, "%s %4" PRIu32 "  %s\n", at == line->line ? "=>" : "  ", at,
                          text);
        }
    }
}

/** Does the focused wave stand in a line, as code by 'source on' has? */
static bool stands_in_line(struct lull_debug *d)
{
    struct lull_line line = {0};
    const struct lull_debug_wave *w = d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
    return w != NULL && lull_debug_line_at(d, w->info.pc, &line);
}

struct lull_error *lull_cmd_list(struct lull_cmd *c)
{
    if (lull_debug_is_program(c->d)) {
        struct lull_error *none = list_shader(c);
        if (none == NULL || !stands_in_line(c->d)) {
            return none;
        }
        lull_error_free(none);
    }
    uint64_t va = 0;
    struct lull_debug_wave *w = NULL;
    struct lull_error *err =
        *c->args != '\0' ? lull_debug_location(c->d, c->args, &va) : lull_debug_focused(c->d, &w);
    if (err != NULL) {
        return err;
    }
    struct lull_frame frame = {.va = va};
    err = w != NULL ? lull_debug_frame(c->d, w, &frame) : NULL; // the one that is looked at
    if (err != NULL) {
        return err;
    }
    va = frame.va;
    struct lull_line line = frame.line;
    if (line.line == 0 && !lull_debug_line_at(c->d, va, &line)) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "no source line for 0x%" PRIx64 " (was it compiled with -g?)", va);
    }
    lull_cleanup(lull_fclosep) FILE *f = NULL;
    lull_error_free(lull_files_fopen(line.file, &f)); // without it, only places are shown
    if (f == NULL) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "line %" PRIu32 " of '%s', which is not there",
                              line.line, line.file);
    }
    show_source(c, f, &line);
    if (c->json != NULL) {
        lull_json_put_str(c->json, "file", line.file);
        lull_json_put_u64(c->json, "line", line.line);
    }
    return NULL;
}
