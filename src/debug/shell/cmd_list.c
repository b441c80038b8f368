// SPDX-License-Identifier: MIT
/* disassemble, list. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/files.h"
#include "base/path.h"
#include "debug/session/frame.h"
#include "debug/session/lines.h"
#include "debug/session/names.h"
#include "debug/session/pipeline.h"
#include "debug/shell/shell.h"

enum { AROUND = 8, DEFAULT_COUNT = 16, PAGE = 10 };

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
                        is_file(here.file, lull_path_from_here(source->file));
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

/* With /s the line in front of the code of it; *@p last is where that was. With /r bytes. */
static void in_front(struct lull_cmd *c, uint64_t va, struct lull_line *last)
{
    struct lull_line line = {0};
    char text[LULL_LINE_ROOM] = {0};
    const bool known =
        c->format == 's' || c->format == 'm' ? lull_debug_line_at(c->d, va, &line) : false;
    if (!known || (line.line == last->line && last->file == line.file)) {
        return;
    }
    const bool there = lull_debug_source_text(line.file, line.line, text);
    lull_str_addf(c->out, "%s:%" PRIu32 "%s%s\n", line.file, line.line, there ? "\t" : "", text);
    *last = line;
}

static void put_bytes(struct lull_cmd *c, uint64_t va, unsigned size)
{
    uint32_t dwords[5] = {0};
    const size_t n = size <= sizeof dwords ? size : sizeof dwords;
    struct lull_error *err = lull_debug_read_memory(c->d, false, va, dwords, n);
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    for (size_t i = 0; err == NULL && i < n / 4; i++) {
        lull_str_addf(&text, "%s%08" PRIx32, i != 0 ? " " : "", dwords[i]);
    }
    lull_error_free(err);
    lull_str_addf(c->out, "%-27s", lull_str_text(&text));
}

LULL_MUST_USE static struct lull_error *list_code(struct lull_cmd *c, uint64_t va, unsigned count,
                                                  uint64_t end)
{
    struct lull_line last = {0};
    const struct lull_debug_wave *w =
        c->d->has_focus ? lull_debug_wave_by_number(c->d, c->d->focus) : NULL;
    struct lull_error *err = NULL;
    for (unsigned i = 0; err == NULL && i < count && va < end; i++) {
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
        in_front(c, va, &last);
        lull_str_addf(c->out, "%c ", lull_debug_breakpoint_at(c->d, va) != NULL ? 'B' : ' ');
        if (c->format == 'r') {
            put_bytes(c, va, size);
        }
        lull_str_addf(c->out, "%s", lull_str_text(&line));
        va += size;
    }
    return err;
}

/* What stands behind "PLACE,": COUNT, or gdb's +BYTES and END. */
LULL_MUST_USE static struct lull_error *code_end(struct lull_cmd *c, const char *text, uint64_t va,
                                                 unsigned *ret_count, uint64_t *ret_end)
{
    uint64_t n = 0;
    text += strspn(text, " \t");
    struct lull_error *err = lull_cmd_count(text + (*text == '+'), 1, UINT16_MAX, &n);
    if (err == NULL && *text == '+') {
        *ret_end = va + n;
    } else if (err == NULL) {
        *ret_count = (unsigned)n; // at most UINT16_MAX
        return NULL;
    } else if (*text == '-' || *text == '+') {
        return err;
    } else {
        struct lull_error *place = lull_debug_location(c->d, text, ret_end);
        if (place != NULL || *ret_end <= va) {
            lull_error_free(place);
            return err;
        }
        lull_error_free(err);
    }
    *ret_count = UINT16_MAX;
    return NULL;
}

/* "PLACE", "PLACE,COUNT", "PLACE,+BYTES", "PLACE,END", or nothing: around the pc. */
LULL_MUST_USE static struct lull_error *code_range(struct lull_cmd *c, uint64_t *ret_va,
                                                   unsigned *ret_count, uint64_t *ret_end)
{
    *ret_end = UINT64_MAX;
    *ret_count = c->count != 0 ? c->count : DEFAULT_COUNT;
    if (*c->args != '\0') {
        lull_cleanup(lull_freep) char *place = strdup(c->args);
        if (place == NULL) {
            return &lull_enomem;
        }
        char *comma = strrchr(place, ',');
        if (comma != NULL) {
            *comma = '\0';
        }
        struct lull_error *err = lull_debug_location(c->d, place, ret_va);
        return err != NULL || comma == NULL ? err
                                            : code_end(c, comma + 1, *ret_va, ret_count, ret_end);
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
    uint64_t end = 0;
    struct lull_error *err = code_range(c, &va, &count, &end);
    if (err != NULL) {
        return err;
    }
    if (c->json != NULL) {
        lull_json_key(c->json, "instructions");
        lull_json_open(c->json, '[');
    }
    err = list_code(c, va, count, end);
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    return err;
}

/* Lines @p first to @p last; the one that is meant, if any, has an arrow. @return The last that is
 * there; 0: none. */
static uint32_t show_source(struct lull_cmd *c, FILE *f, uint32_t first, uint32_t last,
                            uint32_t meant)
{
    char text[LULL_LINE_ROOM] = {0};
    uint32_t shown = 0;
    bool whole = true;
    if (c->json != NULL) {
        lull_json_key(c->json, "lines");
        lull_json_open(c->json, '[');
    }
    for (uint32_t at = 1; at <= last && fgets(text, sizeof text, f) != NULL; at += whole) {
        whole = strchr(text, '\n') != NULL;
        text[strcspn(text, "\r\n")] = '\0';
        if (at >= first) {
            lull_str_addf(c->out, "%s %4" PRIu32 "  %s\n", at == meant ? "=>" : "  ", at, text);
            shown = at;
        }
        if (at >= first && c->json != NULL) {
            lull_json_str(c->json, text);
        }
    }
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
        lull_json_put_u64(c->json, "first", first);
    }
    return shown;
}

/** Does the focused wave stand in a line, as code by 'source on' has? */
static bool stands_in_line(struct lull_debug *d)
{
    struct lull_line line = {0};
    const struct lull_debug_wave *w = d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
    return w != NULL && lull_debug_line_at(d, w->info.pc, &line);
}

/* The line that @p place, or where the focused wave is, means. */
LULL_MUST_USE static struct lull_error *line_of(struct lull_cmd *c, const char *place,
                                                struct lull_line *ret)
{
    uint64_t va = 0;
    struct lull_debug_wave *w = NULL;
    struct lull_error *err =
        *place != '\0' ? lull_debug_location(c->d, place, &va) : lull_debug_focused(c->d, &w);
    struct lull_frame frame = {.va = va};
    if (err == NULL && w != NULL) {
        err = lull_debug_frame(c->d, w, &frame); // the one that is looked at
    }
    if (err != NULL) {
        return err;
    }
    *ret = frame.line;
    if (ret->line == 0 && !lull_debug_line_at(c->d, frame.va, ret)) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "no source line for 0x%" PRIx64 " (was it compiled with -g?)",
                              frame.va);
    }
    return NULL;
}

/* So many lines at once. */
static uint32_t page_of(const struct lull_debug *d)
{
    return d->listsize != 0 ? d->listsize : PAGE;
}

/* What `list` shows. */
struct part {
    struct lull_line line; ///< Its file, and the line that is meant.
    uint32_t first, last, meant;
};

/* Did `list` show a file since the user looked elsewhere? */
static bool goes_on(const struct lull_debug *d)
{
    return d->listed_file != NULL && d->listed_resumes == d->resumes &&
           d->listed_focus == d->focus && d->listed_frame == d->frame;
}

/* One end of a range: a number, or a place, whose file is meant then. Nothing: 0. */
LULL_MUST_USE static struct lull_error *end_of(struct lull_cmd *c, const char *text, size_t n,
                                               struct part *p, uint32_t *ret)
{
    lull_cleanup(lull_freep) char *copy = strndup(text, n);
    struct lull_line line = {0};
    uint64_t number = 0;
    if (copy == NULL) {
        return &lull_enomem;
    }
    const char *at = copy + strspn(copy, " ");
    for (size_t k = strlen(copy); k > 0 && copy[k - 1] == ' '; k--) {
        copy[k - 1] = '\0';
    }
    if (*at == '\0') {
        return NULL;
    }
    const char *word = at;
    if (lull_cmd_number(&at, &number) && *at == '\0') {
        *ret = number < UINT16_MAX * 64u ? (uint32_t)number : 0;
        return *ret != 0 ? NULL
                         : lull_error_new(LULL_ERR_INVALID, "'%s' is not a line of a file", word);
    }
    struct lull_error *err = line_of(c, word, &line);
    if (err == NULL) {
        *ret = line.line;
        p->line.file = line.file;
    }
    return err;
}

/* "5,9", "5,", ",9" of the file that was listed last, or where the wave is; "v.cl:5,v.cl:9". */
LULL_MUST_USE static struct lull_error *range(struct lull_cmd *c, const char *comma, struct part *p)
{
    const uint32_t page = page_of(c->d);
    uint32_t first = 0, last = 0;
    struct lull_error *err = end_of(c, c->args, (size_t)(comma - c->args), p, &first);
    err = err != NULL ? err : end_of(c, comma + 1, strlen(comma + 1), p, &last);
    if (err != NULL) {
        return err;
    }
    if ((first == 0 && last == 0) || (first != 0 && last != 0 && first > last)) {
        return lull_error_new(LULL_ERR_INVALID, "'%s' is not a range of lines", c->args);
    }
    p->first = first != 0 ? first : last > page ? last - page + 1 : 1;
    p->last = last != 0 ? last : first + page - 1;
    if (p->line.file != NULL) {
        return NULL;
    }
    if (goes_on(c->d)) {
        p->line.file = c->d->listed_file;
        return NULL;
    }
    lull_cleanup(lull_str_free) struct lull_str place = {0};
    lull_str_addf(&place, "%" PRIu32, p->first);
    err = line_of(c, "", &p->line);
    if (err != NULL) { // Nothing stands: the file that has such a line.
        lull_error_free(err);
        err = line_of(c, lull_str_text(&place), &p->line);
    }
    return err;
}

/* The line that @p place means, also one that has no code: only those with code are marked. */
LULL_MUST_USE static struct lull_error *line_meant(struct lull_cmd *c, const char *place,
                                                   struct part *p)
{
    lull_cleanup(lull_freep) char *plain = NULL;
    uint32_t line = 0;
    struct lull_error *err = lull_debug_plain_place(c->d, place, &plain);
    if (err == NULL && *plain != '\0' && lull_debug_is_line(plain)) {
        err = lull_debug_line_number(plain, &line);
    }
    if (err != NULL) {
        return err;
    }
    err = line_of(c, plain, &p->line);
    if (err != NULL && line != 0 && strchr(plain, ':') == NULL) { // Nothing behind it has code.
        lull_error_free(err);
        err = line_of(c, "", &p->line);
        p->line.line = 0;
    }
    p->meant = line == 0 || p->line.line == line ? p->line.line : 0;
    p->line.line = line != 0 ? line : p->line.line;
    return err;
}

LULL_MUST_USE static struct lull_error *which_part(struct lull_cmd *c, struct part *p)
{
    const struct lull_debug *d = c->d;
    const uint32_t page = page_of(d);
    const bool back = strcmp(c->args, "-") == 0;
    const char *comma = strchr(c->args, ',');
    if (goes_on(d) && (back || *c->args == '\0')) {
        p->line.file = d->listed_file;
        p->last = back ? d->listed_first - 1 : d->listed_last + page;
        p->first = back ? (p->last > page ? p->last - page + 1 : 1) : d->listed_last + 1;
        return back && d->listed_first <= 1
                   ? lull_error_new(LULL_ERR_NOT_FOUND, "nothing stands before line 1")
                   : NULL;
    }
    if (comma != NULL) {
        return range(c, comma, p);
    }
    struct lull_error *err = line_meant(c, back ? "" : c->args, p);
    if (err != NULL) {
        return err;
    }
    const uint32_t middle = p->line.line, before = page / 2;
    p->first = middle > before ? middle - before : 1;
    p->last = p->first + page - 1;
    return NULL;
}

LULL_MUST_USE static struct lull_error *list_file(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    struct part p = {0};
    lull_cleanup(lull_fclosep) FILE *f = NULL;
    struct lull_error *err = which_part(c, &p);
    if (err != NULL) {
        return err;
    }
    lull_error_free(lull_files_fopen(p.line.file, &f)); // without it, only places are shown
    if (f == NULL) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "line %" PRIu32 " of '%s', which is not there",
                              p.first, p.line.file);
    }
    const uint32_t shown = show_source(c, f, p.first, p.last, p.meant);
    if (shown == 0) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "'%s' ends before line %" PRIu32, p.line.file,
                              p.first);
    }
    d->listed_file = p.line.file;
    d->listed_first = p.first;
    d->listed_last = shown;
    d->listed_resumes = d->resumes;
    d->listed_focus = d->focus;
    d->listed_frame = d->frame;
    if (c->json != NULL) {
        lull_json_put_str(c->json, "file", p.line.file);
        lull_json_put_u64(c->json, "line", p.meant != 0 ? p.meant : p.first);
    }
    return NULL;
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
    return list_file(c);
}
