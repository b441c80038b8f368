// SPDX-License-Identifier: MIT
#include "adreno/file/devcore.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/file/ascii85.h"

enum { CHUNK = 1 << 16, KEY = 32, VALUE = 256 };

struct lull_devcore {
    struct lull_stream *s; ///< Borrowed.
    size_t limit;
    uint64_t number;
    bool ended, overlong;
    char *text; ///< What was read and not yet given, from `at` to `size`.
    size_t at, size, room;
    char section[KEY], key[KEY], value[VALUE];
};

struct lull_error *lull_devcore_new(struct lull_stream *s, size_t limit, struct lull_devcore **ret)
{
    struct lull_devcore *d = calloc(1, sizeof *d);
    if (d == NULL) {
        return &lull_enomem;
    }
    d->s = s;
    d->limit = limit != 0 ? limit : LULL_DEVCORE_LIMIT;
    *ret = d;
    return NULL;
}

void lull_devcore_free(struct lull_devcore *d)
{
    if (d != NULL) {
        free(d->text);
        free(d);
    }
}

/** Room for another chunk behind the first @p size bytes. */
static bool make_room(struct lull_devcore *d, size_t size)
{
    if (d->room - size < CHUNK) {
        const size_t room = d->room * 2 + CHUNK;
        char *text = realloc(d->text, room);
        if (text == NULL) {
            return false;
        }
        d->text = text;
        d->room = room;
    }
    return true;
}

LULL_MUST_USE static struct lull_error *more(struct lull_devcore *d)
{
    if (d->at > 0) {
        memmove(d->text, d->text + d->at, d->size - d->at);
        d->size -= d->at;
        d->at = 0;
    }
    if (!make_room(d, d->size)) {
        return &lull_enomem;
    }
    const size_t got = lull_stream_read(d->s, d->text + d->size, CHUNK);
    d->size += got;
    d->ended = got < CHUNK; // why is asked for when all that came is given
    return NULL;
}

/** Leave out the rest of the line that starts @p from bytes after `at`, which is over the limit. */
LULL_MUST_USE static struct lull_error *skip(struct lull_devcore *d, size_t from)
{
    const size_t keep = d->at + from + d->limit;
    d->overlong = true;
    if (!make_room(d, keep)) {
        return &lull_enomem;
    }
    for (;;) {
        char *rest = d->text + keep;
        const char *end = memchr(rest, '\n', d->size - keep);
        if (end != NULL) {
            const size_t n = d->size - (size_t)(end + 1 - d->text);
            memmove(rest, end + 1, n);
            d->size = keep + n;
            return NULL;
        }
        d->size = keep;
        if (d->ended) {
            return NULL;
        }
        const size_t got = lull_stream_read(d->s, rest, d->room - keep);
        d->size += got;
        d->ended = got < d->room - keep;
    }
}

/** Bytes of the line that starts @p from bytes after `at`, with its end; 0: there is none. */
LULL_MUST_USE static struct lull_error *measure(struct lull_devcore *d, size_t from, size_t *ret)
{
    size_t looked = from;
    for (;;) {
        const char *start = d->text != NULL ? d->text + d->at : "";
        const size_t left = d->size - d->at;
        const char *end = left > looked ? memchr(start + looked, '\n', left - looked) : NULL;
        if (end != NULL || d->ended) {
            *ret = (end != NULL ? (size_t)(end - start) + 1 : left) - from;
            return NULL;
        }
        looked = left;
        if (left - from > d->limit) {
            *ret = d->limit;
            return skip(d, from);
        }
        struct lull_error *err = more(d);
        if (err != NULL) {
            return err;
        }
    }
}

/** -1: it is none. */
static int hex_digit(char c)
{
    const char lower = (char)(c | 0x20);
    return c >= '0' && c <= '9' ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool lull_devcore_number(const char *value, uint64_t *ret)
{
    if (value[0] < '0' || value[0] > '9') {
        return false;
    }
    if (value[0] != '0' || value[1] != 'x') {
        *ret = strtoull(value, NULL, 10);
        return true;
    }
    uint64_t number = 0;
    for (const char *c = value + 2; hex_digit(*c) >= 0; c++) {
        number = number >> 60 != 0 ? UINT64_MAX : number << 4 | (unsigned)hex_digit(*c);
    }
    *ret = number;
    return true;
}

/** Copy at most @p room - 1 of @p size characters. */
static void copy(char *to, size_t room, const char *text, size_t size)
{
    const size_t n = size < room ? size : room - 1;
    memcpy(to, text, n);
    to[n] = '\0';
}

/** "{ offset: 0x840, value: 0x5 }" */
static bool parse_register(const char *text, struct lull_devcore_line *ret)
{
    static const char first[] = "{ offset: ", second[] = "value: ";
    const char *value = strstr(text, second);
    uint64_t offset = 0, content = 0;
    if (strncmp(text, first, sizeof first - 1) != 0 || value == NULL ||
        !lull_devcore_number(text + sizeof first - 1, &offset) ||
        !lull_devcore_number(value + sizeof second - 1, &content) || strchr(value, '}') == NULL ||
        offset > UINT32_MAX || content > UINT32_MAX) {
        return false;
    }
    ret->offset = (uint32_t)offset;
    ret->content = (uint32_t)content;
    return true;
}

static void parse(struct lull_devcore *d, struct lull_devcore_line *ret)
{
    const char *text = ret->text;
    size_t size = ret->size;
    const bool margin = size == 0 || text[0] != ' ';
    while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == '\r')) {
        size--;
    }
    for (; size > 0 && *text == ' '; size--) {
        text++;
    }
    if (size > 1 && text[0] == '-' && text[1] == ' ') {
        text += 2;
        size -= 2;
    }
    copy(d->value, sizeof d->value, text, size);
    const char *colon = size > 0 ? memchr(text, ':', size) : NULL;
    const size_t key = colon != NULL ? (size_t)(colon - text) : 0;
    ret->kind = margin ? LULL_DEVCORE_HEAD : LULL_DEVCORE_TEXT;
    if (!margin && parse_register(d->value, ret)) {
        ret->kind = LULL_DEVCORE_REGISTER;
        d->value[0] = '\0';
    } else if (colon != NULL && key < KEY && memchr(text, ' ', key) == NULL) {
        const size_t skip = key + 1 < size && text[key + 1] == ' ' ? key + 2 : key + 1;
        ret->kind = margin ? LULL_DEVCORE_HEAD : LULL_DEVCORE_KEY;
        copy(d->key, sizeof d->key, text, key);
        copy(d->value, sizeof d->value, text + skip, size - skip);
    }
    if (margin) {
        copy(d->section, sizeof d->section, d->key, strlen(d->key));
    }
}

struct lull_error *lull_devcore_next(struct lull_devcore *d, struct lull_devcore_line *ret,
                                     bool *ret_more)
{
    size_t size = 0, second = 0;
    d->overlong = false;
    struct lull_error *err = measure(d, 0, &size);
    if (err != NULL || size == 0) {
        *ret_more = false;
        return err != NULL ? err
                           : lull_error_in(lull_stream_error(d->s), "line %" PRIu64, d->number + 1);
    }
    struct lull_devcore_line line = {.text = d->text + d->at, .size = size, .data = ""};
    d->key[0] = d->value[0] = '\0';
    line.number = ++d->number;
    parse(d, &line);
    const bool is_data = line.kind == LULL_DEVCORE_KEY && strcmp(d->key, "data") == 0 &&
                         strncmp(d->value, "!!ascii85 |", sizeof "!!ascii85 |" - 1) == 0;
    if (is_data && !d->overlong) {
        err = measure(d, size, &second);
        if (err != NULL) {
            return err;
        }
        line.kind = LULL_DEVCORE_DATA;
        line.text = d->text + d->at;
        const char *data = line.text + size, *end = data + second;
        if (second > 0 && *data == ' ') {
            line.size = size + second;
            line.number = ++d->number;
            for (; data < end && *data == ' '; data++) {
            }
            for (; end > data && (end[-1] == '\n' || end[-1] == '\r'); end--) {
            }
            line.data = data;
            line.data_size = (size_t)(end - data);
        }
    }
    line.section = d->section;
    line.key = d->key;
    line.value = d->value;
    line.overlong = d->overlong;
    line.cut = !d->overlong && line.text[line.size - 1] != '\n';
    d->at += line.size;
    *ret = line;
    *ret_more = true;
    return NULL;
}

void lull_devcore_put_data(struct lull_str *out, unsigned indent, unsigned data_indent,
                           const uint32_t *words, size_t n)
{
    while (n > 0 && words[n - 1] == 0) {
        n--;
    }
    if (n > 0) {
        lull_str_addf(out, "%*sdata: !!ascii85 |\n%*s", (int)indent, "", (int)data_indent, "");
        lull_ascii85_encode(words, n, out);
        lull_str_addf(out, "\n");
    }
}

void lull_devcore_put_register(struct lull_str *out, unsigned indent, uint32_t offset,
                               uint32_t value)
{
    lull_str_addf(out, "%*s- { offset: 0x%06" PRIx32 ", value: 0x%08" PRIx32 " }\n", (int)indent,
                  "", offset, value);
}
