// SPDX-License-Identifier: MIT
/* Places in code as a user writes them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/session/lines.h"
#include "debug/session/symbols.h"

bool lull_debug_is_line(const char *text)
{
    const bool number = isdigit((unsigned char)*text) && strncmp(text, "0x", 2) != 0;
    return number || strchr(text, ':') != NULL;
}

struct lull_error *lull_debug_line_number(const char *text, uint32_t *ret)
{
    const char *colon = strrchr(text, ':');
    const char *digits = colon != NULL ? colon + 1 : text;
    char *end = NULL;
    unsigned long line = strtoul(digits, &end, 10);
    if (!isdigit((unsigned char)*digits) || *end != '\0' || line == 0 || line > UINT32_MAX) {
        return lull_error_new(LULL_ERR_INVALID, "'%s': no such symbol, line or address", text);
    }
    *ret = (uint32_t)line;
    return NULL;
}

struct lull_error *lull_debug_plain_place(struct lull_debug *d, const char *text, char **ret)
{
    const bool quoted = *text == '\'' && strchr(text + 1, '\'') != NULL;
    lull_cleanup(lull_freep) char *copy = strdup(text + quoted);
    char *end = quoted && copy != NULL ? strchr(copy, '\'') : NULL;
    if (copy == NULL) {
        return &lull_enomem;
    }
    if (end != NULL) {
        memmove(end, end + 1, strlen(end));
    }
    char *colon = strrchr(copy, ':');
    const char *name = colon != NULL ? colon + 1 : "";
    const struct lull_symbols *s = lull_debug_symbols(d);
    if (s == NULL || colon == copy || !(isalpha((unsigned char)*name) || *name == '_')) {
        *ret = copy;
        copy = NULL;
        return NULL;
    }
    *colon = '\0';
    if (lull_symbols_function(s, copy, name) == NULL) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "no function '%s' in '%s'", name, copy);
    }
    *ret = strdup(name);
    return *ret != NULL ? NULL : &lull_enomem;
}

LULL_MUST_USE static struct lull_error *line_location(struct lull_debug *d, const char *text,
                                                      uint64_t *ret)
{
    lull_cleanup(lull_freep) char *file = NULL;
    const char *colon = strrchr(text, ':');
    uint32_t line = 0;
    struct lull_error *err = lull_debug_line_number(text, &line);
    if (err != NULL) {
        return err;
    }
    if (colon != NULL) {
        file = strndup(text, (size_t)(colon - text));
        if (file == NULL) {
            return &lull_enomem;
        }
    }
    uint64_t offset = 0;
    if (d->image == NULL || !lull_image_line_find(d->image, file, line, &offset)) {
        return lull_debug_lines_find(d, file, line, ret);
    }
    *ret = d->image_va + offset;
    return NULL;
}

struct lull_error *lull_debug_location(struct lull_debug *d, const char *text, uint64_t *ret)
{
    lull_cleanup(lull_freep) char *place = NULL;
    struct lull_error *err = lull_debug_plain_place(d, text, &place);
    if (err != NULL) {
        return err;
    }
    if (lull_debug_is_line(place)) {
        return line_location(d, place, ret);
    }
    return lull_debug_address(d, *place == '*' ? place + 1 : place, ret);
}

/* The code symbol @p text; NULL: it is none. */
static const struct lull_symbol *code_symbol(const struct lull_debug *d, const char *text)
{
    for (size_t i = 0; d->image != NULL && i < lull_image_nsymbols(d->image); i++) {
        const struct lull_symbol *s = lull_image_symbol(d->image, i);
        if (s->is_code && strcmp(s->name, text) == 0) {
            return s;
        }
    }
    return NULL;
}

bool lull_debug_is_function(const struct lull_debug *d, const char *text)
{
    return *text != '\0' && (code_symbol(d, text) != NULL || strpbrk(text, "*+-$(){}[] ") == NULL);
}

uint64_t lull_debug_behind_prologue(const struct lull_debug *d, uint64_t low, uint64_t high)
{
    struct lull_line_run runs[16];
    struct lull_line first = {0};
    struct lull_line line = {0};
    uint64_t end = low;
    if (!lull_image_prologue_end(d->image, low, high, &end)) {
        return low;
    }
    // A constant of a later line may stand in front of all: then the first line begins behind it.
    const bool other = lull_image_line_at(d->image, low, &first) &&
                       lull_image_line_at(d->image, end, &line) && line.line > first.line;
    const size_t room = sizeof runs / sizeof runs[0];
    const size_t n = other ? lull_image_line_runs(d->image, first.file, first.line, runs, room) : 0;
    for (size_t i = 0; i < n && i < room; i++) {
        if (runs[i].offset > end && runs[i].offset < high &&
            lull_image_line_at(d->image, runs[i].offset, &line) && line.line == first.line) {
            return runs[i].offset;
        }
    }
    return end;
}

struct lull_error *lull_debug_stop_location(struct lull_debug *d, const char *text, uint64_t *ret)
{
    struct lull_error *err = lull_debug_location(d, text, ret);
    const struct lull_symbol *s = err == NULL ? code_symbol(d, text) : NULL;
    if (s != NULL && *ret == d->image_va + s->offset) {
        *ret = d->image_va + lull_debug_behind_prologue(d, s->offset, s->offset + s->size);
    }
    return err;
}
