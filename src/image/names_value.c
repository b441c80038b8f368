// SPDX-License-Identifier: MIT
// Values of JSON in a line of a names file.
#include "image/names_value.h"

#include <inttypes.h>
#include <string.h>

LULL_NEW_ERROR struct lull_error *lull_names_bad(const char *key, const char *want)
{
    return lull_error_new(LULL_ERR_BAD_DATA, "'%s' is not %s", key, want);
}

struct lull_error *lull_names_text(const json_t *o, const char *key, const char **ret)
{
    const char *text = json_string_value(json_object_get(o, key));
    if (text == NULL) {
        return lull_names_bad(key, "a string");
    }
    *ret = text;
    return NULL;
}

struct lull_error *lull_names_handle_in(const json_t *o, const char *key, uint64_t *ret)
{
    return lull_names_handle(json_object_get(o, key), key, ret);
}

struct lull_error *lull_names_number(const json_t *v, const char *key, uint64_t most, uint64_t *ret)
{
    json_int_t value = json_integer_value(v);
    if (!json_is_integer(v) || value < 0 || (uint64_t)value > most) {
        return lull_error_new(LULL_ERR_BAD_DATA, "'%s' is not a number from 0 to %" PRIu64, key,
                              most);
    }
    *ret = (uint64_t)value;
    return NULL;
}

struct lull_error *lull_names_u64(const json_t *o, const char *key, uint64_t *ret)
{
    return lull_names_number(json_object_get(o, key), key, INT64_MAX, ret);
}

struct lull_error *lull_names_u32(const json_t *o, const char *key, uint32_t *ret)
{
    uint64_t value = 0;
    struct lull_error *err = lull_names_number(json_object_get(o, key), key, UINT32_MAX, &value);
    if (err == NULL) {
        *ret = (uint32_t)value;
    }
    return err;
}

struct lull_error *lull_names_list_in(const json_t *o, const char *key, size_t most,
                                      const json_t **ret)
{
    const json_t *list = json_object_get(o, key);
    if (!json_is_array(list) || json_array_size(list) > most) {
        return lull_names_bad(key, "a list");
    }
    *ret = list;
    return NULL;
}

struct lull_error *lull_names_three(const json_t *o, const char *key, uint32_t ret[3])
{
    const json_t *list = NULL;
    struct lull_error *err = lull_names_list_in(o, key, 3, &list);
    for (size_t i = 0; i < 3 && err == NULL; i++) {
        uint64_t value = 0;
        err = lull_names_number(json_array_get(list, i), key, UINT32_MAX, &value);
        ret[i] = (uint32_t)value;
    }
    return err;
}

// Bytes from hexadecimal digits: at most room.
struct lull_error *lull_names_bytes(const json_t *o, const char *key, uint8_t *ret, size_t room,
                                    size_t *ret_size)
{
    static const char digits[] = "0123456789abcdef";
    const char *text = NULL;
    struct lull_error *err = lull_names_text(o, key, &text);
    if (err != NULL) {
        return err;
    }
    size_t size = strlen(text);
    if (size % 2 != 0 || size / 2 > room) {
        return lull_names_bad(key, "bytes in hexadecimal");
    }
    for (size_t i = 0; i < size / 2; i++) {
        const char *high = strchr(digits, text[2 * i]), *low = strchr(digits, text[2 * i + 1]);
        if (high == NULL || low == NULL) {
            return lull_names_bad(key, "bytes in hexadecimal");
        }
        ret[i] = (uint8_t)((high - digits) << 4 | (low - digits));
    }
    *ret_size = size / 2;
    return NULL;
}

void *lull_names_make(struct lull_names *n, size_t count, size_t size)
{
    return lull_arena_calloc(&n->arena, count, size);
}
