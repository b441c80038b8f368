// SPDX-License-Identifier: MIT
// What the front end says of a shader's parameters, and how keys of metadata are written.
#include <stdlib.h>
#include <string.h>

#include "cc/ir.h"
#include "cc/reloc_graphics.h"
#include "file/msgpack_write.h"

const char lull_rl_writes[] = "lull-parameters", lull_rl_reads[] = "lull-interpolants";

int lull_rl_parameter_list(LLVMValueRef fn, const char *name,
                           struct lull_rl_parameter list[LULL_RL_MAX_KEYS])
{
    const char *at = lull_ir_attribute(fn, name);
    int n = 0;
    if (at == NULL) {
        return -1;
    }
    while (n < LULL_RL_MAX_KEYS && *at >= '0' && *at <= '9') {
        char *end = NULL;
        list[n].key = (unsigned)strtoul(at, &end, 10);
        list[n].primitive = *end == 'p';
        list[n++].flat = *end == 'f';
        at = end + (*end == 'f' || *end == 'p');
        at += *at == ',';
    }
    return n;
}

bool lull_rl_says(LLVMValueRef fn, const char *name, const char *word)
{
    const char *text = lull_ir_attribute(fn, name);
    return text != NULL && strstr(text, word) != NULL;
}

unsigned lull_rl_of_primitives(LLVMValueRef fn, const char *name)
{
    struct lull_rl_parameter list[LULL_RL_MAX_KEYS] = {0};
    const int n = lull_rl_parameter_list(fn, name, list);
    unsigned primitives = 0;
    for (int i = 0; i < n; i++) {
        primitives += list[i].primitive;
    }
    return primitives;
}

void lull_rl_map(struct lull_str *s, const char *key, size_t n)
{
    lull_msgpack_put_text(s, key);
    lull_msgpack_put_map(s, n);
}

void lull_rl_put(struct lull_str *s, const char *key, uint64_t value)
{
    lull_msgpack_put_text(s, key);
    lull_msgpack_put_uint(s, value);
}

void lull_rl_put_bool(struct lull_str *s, const char *key, bool value)
{
    lull_msgpack_put_text(s, key);
    lull_msgpack_put_bool(s, value);
}
