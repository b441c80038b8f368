// SPDX-License-Identifier: MIT
// lull_spv_mark() on any bytes: no crash, no leak; what it writes is a module that can be marked
// again. Seeds: tests/fuzz/corpus/spirv_marks/, modules by glslang.
#include "fuzz.h"

#include <stdlib.h>

#include "spirv/marks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t *words = NULL, *twice = NULL;
    size_t n = 0, n_twice = 0;
    struct lull_error *err = lull_spv_mark(data, size, LULL_SPV_MARK_DIVISIONS, &words, &n);
    if (err != NULL && lull_error_message(err)[0] == '\0') {
        abort();
    }
    lull_error_free(err);
    if (words != NULL) {
        err = lull_spv_mark(words, 4 * n, LULL_SPV_MARK_DIVISIONS, &twice, &n_twice);
        if (err != NULL || twice == NULL || n_twice <= n) {
            abort();
        }
    }
    free(words);
    free(twice);
    return 0;
}
