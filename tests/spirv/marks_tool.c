// SPDX-License-Identifier: MIT
// A module with marks: marks_tool IN.spv OUT.spv, which is not written if there is nothing to mark.
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "spirv/marks.h"

int main(int argc, char **argv)
{
    enum { MOST = 1 << 22 };
    uint8_t *bytes = malloc(MOST);
    FILE *f = argc == 3 ? fopen(argv[1], "rb") : NULL;
    const size_t size = f != NULL && bytes != NULL ? fread(bytes, 1, MOST, f) : 0;
    uint32_t *words = NULL;
    size_t n = 0;
    struct lull_error *err = lull_spv_mark(bytes, size, LULL_SPV_MARK_DIVISIONS, &words, &n);
    FILE *to = words != NULL ? fopen(argv[2], "wb") : NULL;
    const int failed =
        err != NULL || (words != NULL && (to == NULL || fwrite(words, 4, n, to) != n));
    if (err != NULL) {
        fprintf(stderr, "%s\n", lull_error_message(err));
        lull_error_free(err);
    }
    if (f != NULL) {
        fclose(f);
    }
    if (to != NULL) {
        fclose(to);
    }
    free(words);
    free(bytes);
    return failed;
}
