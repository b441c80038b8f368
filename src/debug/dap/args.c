// SPDX-License-Identifier: MIT
// Arguments of requests, which may be of any type.
#include <stdlib.h>

#include "debug/dap/dap_priv.h"

const char *lull_dap_text(const json_t *args, const char *key)
{
    return json_string_value(json_object_get(args, key));
}

struct lull_error *lull_dap_number(const json_t *args, const char *key, json_int_t least,
                                   json_int_t most, json_int_t missing, json_int_t *ret)
{
    const json_t *v = json_object_get(args, key);
    *ret = v == NULL ? missing : json_integer_value(v);
    if (v != NULL && (!json_is_integer(v) || *ret < least || *ret > most)) {
        return lull_error_new(LULL_ERR_INVALID, "%s: not a whole number from %lld to %lld", key,
                              (long long)least, (long long)most);
    }
    return NULL;
}

struct lull_error *lull_dap_address(const json_t *args, const char *key, uint64_t *ret)
{
    const char *text = lull_dap_text(args, key);
    char *end = NULL;
    json_int_t offset = 0;
    *ret = text != NULL ? strtoull(text, &end, 0) : 0;
    if (text == NULL || end == text || *end != '\0') {
        return lull_error_new(LULL_ERR_INVALID, "%s: not an address, as '0x100'", key);
    }
    struct lull_error *err =
        lull_dap_number(args, "offset", -(json_int_t)INT32_MAX, INT32_MAX, 0, &offset);
    *ret += (uint64_t)offset;
    return err;
}
