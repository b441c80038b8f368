// SPDX-License-Identifier: MIT
// Manifests and buffers of any bytes: text up to a NUL, then the buffer. No crash, no leak; what
// was read prints and reads again as the same. Seeds: tests/fuzz/corpus/ir3_records/.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "instrument/records.h"

/** What is printed of a manifest is what is read. */
static void again(const struct lull_manifest *m)
{
    struct lull_str text = {0}, second = {0};
    struct lull_manifest back = {0};
    lull_manifest_print(m, &text);
    struct lull_error *err = lull_manifest_read(lull_str_text(&text), text.size, &back);
    if (err == NULL) {
        lull_manifest_print(&back, &second);
    }
    if (err != NULL || strcmp(lull_str_text(&text), lull_str_text(&second)) != 0) {
        abort();
    }
    lull_manifest_done(&back);
    lull_str_free(&text);
    lull_str_free(&second);
}

static void all_of(struct lull_dump *d)
{
    struct lull_str text = {0};
    size_t at = 0;
    uint32_t value = 0;
    for (size_t i = 0; i < d->n && i < 100; i++) {
        lull_dump_print(d, &d->all[i], &text);
    }
    if (lull_dump_nan(d, &at, &value) && at >= d->n) {
        abort();
    }
    lull_dump_sort(d);
    if (lull_dump_differ(d, d, &at, &value)) {
        abort();
    }
    lull_str_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size != 0 ? memchr(data, 0, size) : NULL;
    const size_t text = end != NULL ? (size_t)(end - data) : size;
    struct lull_manifest m = {0};
    struct lull_dump d = {0};
    struct lull_error *err = lull_manifest_read((const char *)data, text, &m);
    if (err == NULL) {
        again(&m);
        err = lull_dump_of(&m, data + text + (end != NULL), size - text - (end != NULL), &d);
    }
    if (err == NULL) {
        all_of(&d);
    }
    lull_error_free(err);
    lull_dump_done(&d);
    lull_manifest_done(&m);
    return 0;
}
