// SPDX-License-Identifier: MIT
// lull_spv_mark() on any bytes: no crash, no leak; what it writes is a module that can be marked
// again. Seeds: tests/fuzz/corpus/spirv_marks/, modules by glslang.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "spirv/marks.h"

static void on_site(void *arg, const struct lull_spv_mark_site *site)
{
    size_t *sum = arg;
    *sum += strlen(site->name) + (site->file != NULL ? strlen(site->file) : 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t *words = NULL, *twice = NULL;
    size_t n = 0, n_twice = 0;
    volatile size_t keep = 0;
    size_t sum = 0;
    const struct lull_spv_marks how = {.what = LULL_SPV_MARK_DIVISIONS | LULL_SPV_MARK_INDICES,
                                       .address = 0x123456780,
                                       .site = on_site,
                                       .arg = &sum};
    struct lull_error *err = lull_spv_mark(data, size, &how, &words, &n);
    if (err != NULL && lull_error_message(err)[0] == '\0') {
        abort();
    }
    lull_error_free(err);
    if (words != NULL) {
        err = lull_spv_mark(words, 4 * n, &how, &twice, &n_twice);
        if (err != NULL || twice == NULL || n_twice <= n) {
            abort();
        }
    }
    keep = sum;
    (void)keep;
    free(words);
    free(twice);
    return 0;
}
