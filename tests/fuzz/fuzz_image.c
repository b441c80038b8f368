// SPDX-License-Identifier: MIT
// lull_image_parse() on any bytes; what it takes must load, and every look-up must work.
#include "fuzz.h"

#include <stdlib.h>

#include "image/image.h"

static void use(const struct lull_image *im)
{
    uint64_t start = 0, end = 0, at = 0;
    lull_image_code_range(im, &start, &end);
    if (start >= end || end > lull_image_size(im)) {
        abort();
    }
    for (size_t i = 0; i < lull_image_nkernels(im); i++) {
        const struct lull_kernel_info *k = lull_image_kernel(im, i);
        if (k->entry < start || k->entry >= end || lull_image_find_kernel(im, k->name) == NULL) {
            abort();
        }
    }
    for (size_t i = 0; i < lull_image_nsymbols(im); i++) {
        const struct lull_symbol *s = lull_image_symbol(im, i);
        if (s->size > lull_image_size(im) - s->offset) {
            abort();
        }
        struct lull_line line = {0};
        lull_image_line_at(im, s->offset, &line);
        lull_image_symbol_at(im, s->offset);
    }
    lull_image_line_find(im, "a.cl", 1, &at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_image *im = NULL;
    struct lull_error *err = lull_image_parse(data, size, &im);
    if (err == NULL) {
        use(im);
        if (lull_image_size(im) < 1 << 20) {
            void *memory = malloc(lull_image_size(im) + 1);
            err = memory != NULL ? lull_image_load(im, 0x10000, memory) : NULL;
            free(memory);
        }
    } else if (im != NULL || lull_error_message(err)[0] == '\0') {
        abort();
    }
    lull_error_free(err);
    lull_image_free(im);
    return 0;
}
