// SPDX-License-Identifier: MIT
/* source on, off: a dispatch that runs lull's own code. */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/shell/shell.h"
#include "debug/source/source.h"

/** Is @p word what stands at *at? Then *at is behind it. */
static bool is_word(const char **at, const char *word)
{
    const size_t n = strcspn(*at, " ");
    if (n != strlen(word) || strncmp(*at, word, n) != 0) {
        return false;
    }
    *at += n + strspn(*at + n, " ");
    return true;
}

LULL_MUST_USE static struct lull_error *level_of(const char *text, unsigned *ret)
{
    if (*text == '\0') {
        return NULL;
    }
    if (strncmp(text, "-O", 2) != 0 || text[2] < '0' || text[2] > '3' || text[3] != '\0') {
        return lull_error_new(LULL_ERR_INVALID, "'%s' is not -O0 to -O3", text);
    }
    *ret = (unsigned)(text[2] - '0');
    return NULL;
}

LULL_MUST_USE static struct lull_error *on(struct lull_cmd *c, const char *args)
{
    struct lull_source_options o = {0};
    lull_cleanup(lull_str_free) struct lull_str notes = {0};
    struct lull_error *err = level_of(args, &o.level);
    err = err != NULL ? err : lull_source_on(c->d, &o, &notes);
    if (err != NULL) {
        return err;
    }
    uint64_t start = 0, end = 0;
    struct lull_line line = {0};
    lull_image_code_range(c->d->image, &start, &end);
    lull_str_addf(c->out, "%sThe dispatch will run lull's code, -O%u, at 0x%" PRIx64 ".\n",
                  lull_str_text(&notes), o.level, c->d->image_va);
    if (!lull_image_line_find(c->d->image, NULL, 1, &start)) {
        lull_str_addf(c->out, "The module has no lines: compile it with debug information "
                              "(glslangValidator -g).\n");
    } else if (lull_image_line_at(c->d->image, start, &line) && c->json != NULL) {
        lull_json_put_str(c->json, "file", line.file);
    }
    if (c->json != NULL) {
        lull_json_put_hex(c->json, "code", c->d->image_va);
        lull_json_put_str(c->json, "notes", lull_str_text(&notes));
    }
    return notes.err;
}

struct lull_error *lull_cmd_source(struct lull_cmd *c)
{
    const char *at = c->args;
    if (is_word(&at, "on")) {
        return on(c, at);
    }
    if (is_word(&at, "off") && *at == '\0') {
        struct lull_error *err = lull_source_off(c->d);
        if (err == NULL) {
            lull_str_addf(c->out, "The dispatch will run its own code.\n");
        }
        return err;
    }
    return lull_error_new(LULL_ERR_INVALID, "source on [-O0..3], or source off");
}
