// SPDX-License-Identifier: MIT
// Kernel arguments on the command line: parse, make buffers, write results.
#include "cli/opt/args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/output.h"
#include "cli/opt/series.h"
#include "compile/run.h"

enum pattern { PATTERN_ZEROS, PATTERN_FILE, PATTERN_IOTA, PATTERN_RAND };

enum { MAX_BYTES = 1 << 30, TAIL_ROOM = 64 };

/** Bytes of a value: a struct's, at most (struct lull_launch_arg). */
enum { MAX_VALUE = 64 };

struct lull_args_item {
    bool buffer, local;
    enum pattern pattern;
    const struct lull_type *type; ///< Of the elements or of the value.
    const char *file;             ///< PATTERN_FILE.
    const char *text;             ///< As of --arg, without :out=.
    const char *out, *name;       ///< out may be NULL.
    uint64_t count;               ///< Elements of IOTA and RAND.
    uint64_t size;                ///< Bytes; PATTERN_FILE: at least; 0: the file's.
    uint64_t seed;
    uint8_t value[MAX_VALUE];
};

LULL_MUST_USE static struct lull_error *add_item(struct lull_args *a, const char *text,
                                                 struct lull_args_item **ret, char **ret_copy)
{
    if (a->n == a->room) {
        const size_t room = a->room != 0 ? 2 * a->room : 8;
        struct lull_args_item *items = realloc(a->items, room * sizeof *items);
        if (items == NULL) {
            return &lull_enomem;
        }
        a->items = items;
        a->room = room;
    }
    const size_t size = strlen(text) + 1;
    char *copy = lull_arena_calloc(&a->arena, 1, size);
    char *name = lull_arena_calloc(&a->arena, 1, 16);
    if (copy == NULL || name == NULL) {
        return &lull_enomem;
    }
    memcpy(copy, text, size);
    snprintf(name, 16, "arg%zu", a->n);
    *ret = &a->items[a->n];
    **ret = (struct lull_args_item){.name = name};
    *ret_copy = copy;
    return NULL;
}

/** Cut ":out=FILE" and ":name=NAME" off the end of @p text. */
LULL_MUST_USE static struct lull_error *cut_tails(char *text, struct lull_args_item *item)
{
    for (;;) {
        char *out = strstr(text, ":out=");
        char *name = strstr(text, ":name=");
        char *last = out == NULL || (name != NULL && name > out) ? name : out;
        if (last == NULL) {
            return NULL;
        }
        const char *value = strchr(last, '=') + 1;
        if (value[0] == '\0') {
            return lull_error_new(LULL_ERR_INVALID, "nothing after '%s'", last + 1);
        }
        if (last == out) {
            item->out = value;
        } else {
            item->name = value;
        }
        *last = '\0';
    }
}

/** [SEED:]N:TYPE. */
LULL_MUST_USE static struct lull_error *parse_series(char *rest, struct lull_args_item *item)
{
    struct lull_error *err = NULL;
    if (item->pattern == PATTERN_RAND) {
        err = lull_args_number("seed", lull_next_part(&rest), UINT64_MAX, &item->seed);
    }
    if (err == NULL) {
        err = lull_args_number("elements", lull_next_part(&rest), MAX_BYTES / 8, &item->count);
    }
    if (err != NULL) {
        return err;
    }
    const char *name = lull_next_part(&rest);
    item->type = lull_type_find(name);
    if (item->type == NULL || rest != NULL) {
        return lull_error_new(LULL_ERR_INVALID, "type '%s%s%s' is not known",
                              name != NULL ? name : "", rest != NULL ? ":" : "",
                              rest != NULL ? rest : "");
    }
    if (item->count == 0) {
        return lull_error_new(LULL_ERR_INVALID, "no elements");
    }
    item->size = item->count * item->type->size;
    return NULL;
}

LULL_MUST_USE static struct lull_error *parse_size(const char *text, struct lull_args_item *item)
{
    struct lull_error *err = lull_args_number("size", text, MAX_BYTES, &item->size);
    return err != NULL || item->size != 0 ? err : lull_error_new(LULL_ERR_INVALID, "size 0");
}

/** "0a1b...": the bytes of a value in memory order, two digits each. */
LULL_MUST_USE static struct lull_error *parse_hex(const char *text, struct lull_args_item *item)
{
    const size_t digits = strlen(text);
    if (digits == 0 || digits % 2 != 0 || digits / 2 > MAX_VALUE ||
        strspn(text, "0123456789abcdefABCDEF") != digits) {
        return lull_error_new(LULL_ERR_INVALID, "it is not 1 to %d bytes of two hex digits each",
                              MAX_VALUE);
    }
    for (size_t i = 0; i < digits; i += 2) {
        const char byte[3] = {text[i], text[i + 1], 0};
        item->value[i / 2] = (uint8_t)strtoul(byte, NULL, 16);
    }
    item->size = digits / 2;
    return NULL;
}

/** KIND:rest of one argument. */
LULL_MUST_USE static struct lull_error *parse_kind(const char *kind, char *rest,
                                                   struct lull_args_item *item)
{
    item->buffer = true;
    if (strcmp(kind, "buffer") == 0) {
        item->pattern = PATTERN_FILE;
        item->file = rest;
        return rest[0] != '\0' ? NULL : lull_error_new(LULL_ERR_INVALID, "no file");
    }
    if (strcmp(kind, "zeros") == 0) {
        return parse_size(rest, item);
    }
    if (strcmp(kind, "iota") == 0 || strcmp(kind, "rand") == 0) {
        item->pattern = kind[0] == 'i' ? PATTERN_IOTA : PATTERN_RAND;
        return parse_series(rest, item);
    }
    item->buffer = false;
    if (item->out != NULL) {
        return lull_error_new(LULL_ERR_INVALID, "only a buffer has out=");
    }
    if (strcmp(kind, "local") == 0) {
        item->local = true;
        const uint32_t max = 65536;
        uint64_t bytes = 0;
        struct lull_error *err = lull_args_number("size", rest, max, &bytes);
        item->size = 4;
        const uint32_t narrow = (uint32_t)bytes; // at most max
        memcpy(item->value, &narrow, sizeof narrow);
        return err;
    }
    if (strcmp(kind, "hex") == 0) {
        return parse_hex(rest, item);
    }
    item->type = lull_type_find(kind);
    if (item->type == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "'%s' is not a kind of argument", kind);
    }
    item->size = item->type->size;
    return lull_type_parse(item->type, rest, item->value);
}

struct lull_error *lull_args_add(struct lull_args *a, const char *text)
{
    struct lull_args_item *item = NULL;
    char *copy = NULL;
    struct lull_error *err = add_item(a, text, &item, &copy);
    if (err == NULL) {
        err = cut_tails(copy, item);
    }
    const size_t room = strlen(text) + TAIL_ROOM;
    char *whole = err == NULL ? lull_arena_calloc(&a->arena, 1, room) : NULL;
    if (err == NULL && whole == NULL) {
        err = &lull_enomem;
    }
    if (err == NULL) {
        char *rest = copy;
        const int n = snprintf(whole, room, "%s", copy);
        const char *kind = lull_next_part(&rest);
        err = rest != NULL ? parse_kind(kind, rest, item)
                           : lull_error_new(LULL_ERR_INVALID, "it is not KIND:VALUE");
        if (err == NULL && item->buffer) {
            snprintf(whole + n, room - (size_t)n, ":name=%s", item->name);
        }
        item->text = whole;
    }
    a->n += err == NULL;
    return lull_error_in(err, "--arg %s", text);
}

struct lull_error *lull_args_add_buffer(struct lull_args *a, const char *text)
{
    struct lull_args_item *item = NULL;
    char *copy = NULL;
    struct lull_error *err = add_item(a, text, &item, &copy);
    if (err == NULL) {
        err = cut_tails(copy, item);
    }
    if (err == NULL) {
        char *at = strchr(copy, '@');
        if (at != NULL) {
            *at = '\0';
            item->pattern = PATTERN_FILE;
            item->file = at + 1;
        }
        item->buffer = true;
        err = parse_size(copy, item);
    }
    a->n += err == NULL;
    return lull_error_in(err, "--buffer %s", text);
}

/* The file of @p item, if it has one, for a buffer of @p size bytes; 0: as many as the file has. */
LULL_MUST_USE static struct lull_error *read_contents(const struct lull_args_item *item,
                                                      uint64_t size, uint8_t **ret,
                                                      size_t *ret_size)
{
    if (item->pattern != PATTERN_FILE) {
        return NULL;
    }
    struct lull_error *err = lull_run_read(item->file, ret, ret_size);
    const size_t have = *ret_size;
    size = size != 0 ? size : have;
    return err != NULL || (size != 0 && have <= size)
               ? err
               : lull_error_new(LULL_ERR_BAD_DATA, "%s: %zu bytes for a buffer of %llu", item->file,
                                have, (unsigned long long)size);
}

/* @p bo is all zeros. */
static void put_contents(const struct lull_args_item *item, const uint8_t *data, size_t have,
                         const struct lull_amd_bo *bo)
{
    if (data != NULL) {
        memcpy(bo->map, data, have);
    } else if (item->count != 0) {
        lull_series_fill(item->type, item->pattern == PATTERN_RAND ? &item->seed : NULL,
                         item->count, bo->map);
    }
}

LULL_MUST_USE static struct lull_error *make_buffer(const struct lull_args_item *item,
                                                    struct lull_amd_device *d,
                                                    struct lull_launch_arg *ret)
{
    lull_cleanup(lull_freep) uint8_t *data = NULL;
    size_t have = 0;
    struct lull_amd_bo *bo = NULL;
    struct lull_error *err = read_contents(item, item->size, &data, &have);
    if (err == NULL) {
        err = lull_amd_bo_new(d, item->name, item->size != 0 ? item->size : have, 0, &bo);
    }
    if (err != NULL) {
        return err;
    }
    ret->bo = bo;
    ret->size = 8;
    put_contents(item, data, have, bo);
    return NULL;
}

struct lull_error *lull_args_again(const struct lull_args *a)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < a->n; i++) {
        lull_cleanup(lull_freep) uint8_t *data = NULL;
        size_t have = 0;
        const struct lull_amd_bo *bo = a->launch[i].bo;
        if (bo == NULL) {
            continue;
        }
        err = read_contents(&a->items[i], bo->size, &data, &have);
        if (err == NULL) {
            lull_amd_bo_clear(bo);
            put_contents(&a->items[i], data, have, bo);
        }
    }
    return err;
}

struct lull_error *lull_args_make(struct lull_args *a, struct lull_amd_device *d)
{
    a->launch = lull_arena_calloc(&a->arena, a->n + 1, sizeof *a->launch);
    struct lull_error *err = a->launch != NULL ? NULL : &lull_enomem;
    for (size_t i = 0; err == NULL && i < a->n; i++) {
        const struct lull_args_item *item = &a->items[i];
        struct lull_launch_arg *arg = &a->launch[i];
        if (item->buffer) {
            err = make_buffer(item, d, arg);
        } else {
            arg->size = (uint32_t)item->size; // at most MAX_VALUE
            arg->local = item->local;
            memcpy(arg->bytes, item->value, sizeof item->value);
        }
    }
    return err;
}

const char *lull_args_text(const struct lull_args *a, size_t i)
{
    return a->items[i].text;
}

const char *lull_args_file(const struct lull_args *a, size_t i)
{
    return a->items[i].pattern == PATTERN_FILE ? a->items[i].file : NULL;
}

const char *lull_args_name(const struct lull_args *a, size_t i)
{
    return a->items[i].name;
}

void lull_args_files(const struct lull_args *a, struct lull_files *files)
{
    for (size_t i = 0; i < a->n; i++) {
        lull_files_in(files, a->items[i].file);
        lull_files_out(files, a->items[i].out);
    }
}

struct lull_error *lull_args_write(const struct lull_args *a)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < a->n; i++) {
        const struct lull_args_item *item = &a->items[i];
        const struct lull_amd_bo *bo = a->launch[i].bo;
        if (item->out != NULL && bo != NULL) {
            err = lull_output_write(item->out, bo->map, (size_t)bo->size);
        }
    }
    return err;
}

void lull_args_done(struct lull_args *a)
{
    free(a->items);
    lull_arena_done(&a->arena);
    *a = (struct lull_args){0};
}
