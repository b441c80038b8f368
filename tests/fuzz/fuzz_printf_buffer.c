// SPDX-License-Identifier: MIT
// Printf buffers of any bytes, decoded at once and in two steps: it ends, tells of places inside in
// order, and both ways find the same entries. Byte 0 says how many bytes the first step sees of the
// offset; the rest is the buffer. Words 0xf0f0f000 + n are replaced by the id of string n.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "printf/decode.h"

static const char *const types[][2] = {{"plain", ""},
                                       {"%d", "s32"},
                                       {"%d", "s64"},
                                       {"%d %f", "i8,f16"},
                                       {"%v4f %s", "f32x4,str"},
                                       {"%p%c%%", "ptr,i32"},
                                       {"%d", "u32"}};
enum { STRINGS = sizeof types / sizeof types[0] };

struct seen {
    size_t size;
    uint64_t last, events;
};

static struct lull_error *on_event(void *arg, const struct lull_printf_event *e)
{
    struct seen *s = arg;
    if (e->kind != LULL_PRINTF_NO_HEADER && e->offset > s->size) {
        abort();
    }
    if (e->offset >= LULL_PRINTF_HEADER_BYTES && e->offset < s->last) {
        abort();
    }
    if (strlen(e->problem) > 4096 || (e->text_size > 0 && e->text[e->text_size] != '\0')) {
        abort();
    }
    s->last = e->offset;
    s->events++;
    return NULL;
}

static struct lull_printf_table *strings(uint64_t ids[STRINGS])
{
    struct lull_printf_table *t = NULL;
    if (lull_printf_table_new(&t) != NULL) {
        abort();
    }
    for (unsigned i = 0; i < STRINGS; i++) {
        struct lull_printf_type list[4] = {0};
        size_t n = 0;
        for (const char *p = types[i][1]; *p != '\0';) {
            const size_t size = strcspn(p, ",");
            if (!lull_printf_type_parse(p, size, &list[n++])) {
                abort();
            }
            p += size + (p[size] == ',');
        }
        if (lull_printf_table_add(t, types[i][0], strlen(types[i][0]), list, n, i == 3 ? 15 : 0,
                                  &ids[i]) != NULL) {
            abort();
        }
    }
    return t;
}

static void decode(struct lull_printf_decoder *d, const struct lull_printf_table *t,
                   const void *data, size_t size, bool live)
{
    struct seen seen = {.size = size};
    struct lull_error *err = lull_printf_decode(d, t, data, size, live, on_event, &seen);
    if (err != NULL || d->problems + d->entries > seen.events + d->entries + d->problems) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t ids[STRINGS] = {0}, offset = 0;
    if (size == 0) {
        return 0;
    }
    struct lull_printf_table *t = strings(ids);
    const size_t n = size - 1;
    uint8_t *buffer = malloc(n + 1);
    if (buffer == NULL) {
        abort();
    }
    memcpy(buffer, data + 1, n);
    for (size_t i = LULL_PRINTF_HEADER_BYTES; i + 8 <= n; i += 4) {
        uint32_t low = 0, high = 0;
        memcpy(&low, buffer + i, 4);
        memcpy(&high, buffer + i + 4, 4);
        if ((high & 0xfffffff0) == 0xf0f0f000 && (high & 15) < STRINGS) {
            const uint64_t head = ids[high & 15] << 16 | (low & 0xffff);
            memcpy(buffer + i, &head, 8);
        }
    }
    struct lull_printf_decoder whole = {0}, steps = {0};
    decode(&whole, t, buffer, n, false);
    if (n >= 8) {
        memcpy(&offset, buffer, 8);
        const uint64_t first = offset < data[0] ? offset : data[0];
        memcpy(buffer, &first, 8);
        decode(&steps, t, buffer, n, true);
        memcpy(buffer, &offset, 8);
        decode(&steps, t, buffer, n, true);
    }
    decode(&steps, t, buffer, n, false);
    free(buffer);
    lull_printf_table_free(t);
    return 0;
}
