// SPDX-License-Identifier: MIT
// What an editor asks while its user types and points: lines that can have breakpoints, words that
// a command could go on with, why it stands, a value of an expression that is set.
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "debug/dap/dap_priv.h"
#include "debug/session/engine.h"
#include "debug/shell/debugger.h"

enum { MOST_LINES = 4096, MOST_WORDS = 1000 };

/** Is there code of exactly this line? */
static bool has_code(const struct lull_image *im, const char *file, uint32_t line)
{
    uint64_t offset = 0;
    struct lull_line at;
    return lull_image_line_find(im, file, line, &offset) && lull_image_line_at(im, offset, &at) &&
           at.line == line;
}

struct lull_error *lull_dap_locations(struct lull_dap *p, const json_t *args, json_t *body)
{
    const json_t *source = json_object_get(args, "source");
    const char *path = lull_dap_text(source, "path");
    const char *file = path != NULL && strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    json_t *list = json_array();
    json_int_t line = 0, last = 0;
    json_object_set_new(body, "breakpoints", list);
    struct lull_error *err = lull_dap_number(args, "line", 0, INT32_MAX - 1, -1, &line);
    err = err != NULL ? err : lull_dap_number(args, "endLine", 0, INT32_MAX - 1, line, &last);
    if (err != NULL || file == NULL || line < 0) {
        return err != NULL ? err
                           : lull_error_new(LULL_ERR_INVALID,
                                            "breakpointLocations: no source with a path, or line");
    }
    last = last - line < MOST_LINES ? last : line + MOST_LINES;
    for (json_int_t i = line; p->d->image != NULL && i <= last; i++) {
        if (has_code(p->d->image, file, (uint32_t)(i + p->lines_from_0))) {
            json_array_append_new(list, json_pack("{s:I}", "line", i));
        }
    }
    return NULL;
}

/** Words that are found, for the client. */
struct words {
    json_t *list;
    json_int_t start, length; ///< Of the part of a word that is there.
};

static void found(void *ctx, const char *word)
{
    const struct words *w = ctx;
    if (json_array_size(w->list) < MOST_WORDS) {
        json_array_append_new(w->list, json_pack("{s:s,s:I,s:I}", "label", word, "start", w->start,
                                                 "length", w->length));
    }
}

struct lull_error *lull_dap_completions(struct lull_dap *p, const json_t *args, json_t *body)
{
    const char *text = lull_dap_text(args, "text");
    json_int_t column = 0;
    struct lull_error *err = lull_dap_number(args, "column", 0, INT32_MAX, 0, &column);
    if (err != NULL || text == NULL) {
        return err != NULL ? err : lull_error_new(LULL_ERR_INVALID, "completions: no text");
    }
    const json_int_t first = p->columns_from_0 ? 0 : 1;
    const size_t size = strlen(text);
    const size_t at = column < first ? 0 : (size_t)(column - first);
    char *line = strndup(text, at < size ? at : size);
    if (line == NULL) {
        return &lull_enomem;
    }
    const char *space = strrchr(line, ' ');
    const char *word = space != NULL ? space + 1 : line;
    struct words w = {
        .list = json_array(), .start = (word - line), .length = (json_int_t)strlen(word)};
    lull_debug_complete(p->d, line, found, &w);
    json_object_set_new(body, "targets", w.list);
    free(line);
    return NULL;
}

struct lull_error *lull_dap_exception_info(struct lull_dap *p, const json_t *args, json_t *body)
{
    json_int_t id = 0;
    struct lull_error *err = lull_dap_number(args, "threadId", 0, INT32_MAX, 0, &id);
    if (err != NULL || p->why == NULL || id != p->why_thread) {
        return err != NULL
                   ? err
                   : lull_error_new(LULL_ERR_NOT_FOUND, "that wave stands for no exception");
    }
    const size_t n = strcspn(p->why, "\n");
    json_object_set_new(body, "exceptionId", json_stringn(p->why, n));
    json_object_set_new(body, "description", json_string(p->why));
    json_object_set_new(body, "breakMode", json_string("always"));
    return NULL;
}

void lull_dap_note_why(struct lull_dap *p, json_int_t thread, const char *why)
{
    free(p->why);
    p->why = why != NULL ? strdup(why) : NULL;
    p->why_thread = thread;
}
