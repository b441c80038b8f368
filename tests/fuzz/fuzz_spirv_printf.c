// SPDX-License-Identifier: MIT
// lull_spirv_printf() on any bytes: no crash, no leak; what it writes is a module that can be read
// again and has no printf. The generator's word of the header chooses the options.
// Seeds: tests/fuzz/corpus/spirv_printf/, modules by glslang and spirv-as.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "spirv/printf.h"

static void told(void *arg, const struct lull_spirv_printf_message *m)
{
    size_t *sum = arg;
    *sum += strlen(m->text) + (m->file != NULL ? strlen(m->file) : 0) + m->line;
}

static struct lull_spirv_printf_options choose(const uint8_t *data, size_t size)
{
    enum { GENERATOR_AT = 8 };
    uint32_t g = 0;
    if (size >= GENERATOR_AT + sizeof g) {
        memcpy(&g, data + GENERATOR_AT, sizeof g);
    }
    return (struct lull_spirv_printf_options){
        .place = (enum lull_spirv_printf_place)((g & 0xff) % 3),
        .set = g >> 8 & 3,
        .binding = g >> 10 & 3,
        .push_offset = (g >> 8 & 7) * 8,
        .spec_id = g >> 8 & 7,
        .wave = (g >> 12 & 1) != 0,
        .counter64 = (g >> 13 & 1) != 0,
        .records = g >> 16 & LULL_PRINTF_RECORD_ALL,
    };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_spirv_printf_options o = choose(data, size);
    struct lull_spirv_printf_result r = {0}, again = {0};
    struct lull_printf_table *table = NULL;
    size_t sum = 0;
    o.fn = told;
    o.arg = &sum;
    struct lull_error *err = lull_printf_table_new(&table);
    if (err == NULL) {
        err = lull_spirv_printf(data, size, &o, table, &r);
    }
    if (err == NULL && r.words != NULL) {
        struct lull_error *bad = lull_spirv_printf(r.words, 4 * r.nwords, &o, table, &again);
        if (bad != NULL || again.ncalls != 0 || again.words != NULL || r.ncalls == 0) {
            abort();
        }
    }
    if (err != NULL && lull_error_message(err)[0] == '\0') {
        abort();
    }
    volatile size_t keep = sum;
    (void)keep;
    free(r.words);
    lull_error_free(err);
    lull_printf_table_free(table);
    return 0;
}
