// SPDX-License-Identifier: MIT
// Keys and values of a layout in JSON; messages begin with the path of the value that is wrong.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "link/layout_priv.h"

struct lull_error *lull_layout_bad(const struct lull_layout_reader *r, const char *key,
                                   const char *what)
{
    const char *dot = r->path[0] != '\0' && key[0] != '\0' ? "." : "";
    return lull_error_new(LULL_ERR_BAD_DATA, "%s%s%s: %s", r->path, dot, key, what);
}

// A list of the keys that an object may have; the index of *key, or -1.
static int key_index(const char *key, const struct lull_layout_word *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(key, words[i].name) == 0 ||
            (words[i].alias != NULL && strcmp(key, words[i].alias) == 0)) {
            return (int)i;
        }
    }
    return -1;
}

struct lull_error *lull_layout_take_keys(const struct lull_layout_reader *r, json_t *o,
                                         const struct lull_layout_word *words, size_t n,
                                         json_t **values)
{
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach(o, key, value)
    {
        const int i = key_index(key, words, n);
        if (i < 0) {
            return lull_layout_bad(r, key, "no such key");
        }
        if (values[i] != NULL) {
            return lull_layout_bad(r, key, "given twice, by another name");
        }
        values[i] = value;
    }
    return NULL;
}

static bool parse_u32(const char *text, uint32_t *ret)
{
    char *end = NULL;
    if (text[0] < '0' || text[0] > '9') {
        return false;
    }
    const unsigned long long v =
        strtoull(text, &end, text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10);
    if (*end != '\0' || v > UINT32_MAX || strlen(text) > 12) {
        return false;
    }
    *ret = (uint32_t)v;
    return true;
}

struct lull_error *lull_layout_get_number(const struct lull_layout_reader *r, const json_t *v,
                                          const char *key, uint32_t most, uint32_t *ret)
{
    uint32_t n = 0;
    if (v == NULL) {
        return NULL;
    }
    bool ok = false;
    if (json_is_string(v)) {
        ok = parse_u32(json_string_value(v), &n);
    } else if (json_is_integer(v)) {
        const json_int_t i = json_integer_value(v);
        ok = i >= 0 && i <= UINT32_MAX;
        n = (uint32_t)i;
    }
    if (!ok || n > most) {
        const char *dot = r->path[0] != '\0' ? "." : "";
        return lull_error_new(LULL_ERR_BAD_DATA, "%s%s%s: not a number from 0 to %" PRIu32, r->path,
                              dot, key, most);
    }
    *ret = n;
    return NULL;
}

struct lull_error *lull_layout_get_bool(const struct lull_layout_reader *r, const json_t *v,
                                        const char *key, bool *ret)
{
    if (v != NULL && !json_is_boolean(v)) {
        return lull_layout_bad(r, key, "not true or false");
    }
    *ret = v != NULL ? json_is_true(v) : *ret;
    return NULL;
}
