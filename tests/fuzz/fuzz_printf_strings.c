// SPDX-License-Identifier: MIT
// Format strings from any bytes, an ELF or a document: what was read and written is read the same.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "printf/table.h"

static struct lull_printf_table *load(const void *data, size_t size, bool *good)
{
    struct lull_printf_table *t = NULL;
    struct lull_error *err = lull_printf_table_new(&t);
    if (err != NULL) {
        abort();
    }
    err = lull_printf_table_load(t, data, size, "doc", NULL);
    *good = err == NULL;
    lull_error_free(err);
    return t;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool good = false;
    struct lull_str one = {0}, two = {0};
    struct lull_printf_table *t = load(data, size, &good);
    size_t dwords = 0;
    for (size_t i = 0; i < lull_printf_table_count(t); i++) {
        dwords += lull_printf_entry_dwords(lull_printf_table_at(t, i));
    }
    if (dwords < 1 << 20) { // counts of the input may ask for megabytes of masks
        lull_printf_table_document(t, &one);
        struct lull_printf_table *again = load(one.text, one.size, &good);
        lull_printf_table_document(again, &two);
        if (!good || one.size != two.size || memcmp(one.text, two.text, one.size) != 0) {
            abort();
        }
        lull_printf_table_free(again);
    }
    lull_str_free(&one);
    lull_str_free(&two);
    lull_printf_table_free(t);
    return 0;
}
