// SPDX-License-Identifier: MIT
// What all parts of the decompiler use.
#include <ctype.h>
#include <stdlib.h>

#include "adreno/decompile/priv.h"

void lull_dc_fail(struct lull_dc *d, struct lull_error *err)
{
    if (d->err == NULL) {
        d->err = err;
    } else {
        lull_error_free(err);
    }
}

bool lull_dc_grow(struct lull_dc *d, void *array, size_t n, size_t *room, size_t size)
{
    void **at = array;
    if (n < *room) {
        return true;
    }
    void *grown = reallocarray(*at, 2 * *room + 64, size);
    if (grown == NULL) {
        lull_dc_fail(d, &lull_enomem);
        return false;
    }
    *at = grown;
    *room = 2 * *room + 64;
    return true;
}

uint64_t lull_dc_hash(uint64_t h, const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    h ^= UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++) {
        h = (h ^ b[i]) * UINT64_C(0x100000001b3);
    }
    return h ^ h >> 32;
}

void lull_dc_quote(const char *text, size_t size, struct lull_str *out)
{
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c == '\n') {
            lull_str_addf(out, i + 1 < size ? "\\n\"\n        \"" : "\\n");
        } else if (c == '"' || c == '\\' || c == '?') { // ?: trigraphs
            lull_str_addf(out, "\\%c", c);
        } else if (isprint(c) != 0) {
            lull_str_addf(out, "%c", c);
        } else {
            lull_str_addf(out, "\\%03o", c);
        }
    }
}

const uint8_t *lull_dc_bytes(const struct lull_dc *d, const struct lull_dc_piece *p)
{
    const struct lull_dc_section *s = &d->sections[p->section];
    return s->payload + (p->address - s->address);
}
