// SPDX-License-Identifier: MIT
// A module with marks: marks_tool IN.spv OUT.spv WHAT; OUT is not written if there is nothing to
// mark. WHAT: LULL_SPV_MARK_*.
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "spirv/marks.h"

/** A line for each place with an index. */
static void on_site(void *arg, const struct lull_spv_mark_site *site)
{
    static const char *const kinds[] = {"array", "buffer", "vector", "matrix"};
    (void)arg;
    printf("%u %s %s %s\n", site->line, kinds[site->of], site->is_signed ? "int" : "uint",
           site->name);
}

int main(int argc, char **argv)
{
    enum { MOST = 1 << 22 };
    uint8_t *bytes = malloc(MOST);
    FILE *f = argc == 4 ? fopen(argv[1], "rb") : NULL;
    const size_t size = f != NULL && bytes != NULL ? fread(bytes, 1, MOST, f) : 0;
    const struct lull_spv_marks how = {.what = argc == 4 ? (unsigned)strtoul(argv[3], NULL, 0) : 0,
                                       .address = 0x123456780,
                                       .process = 7,
                                       .first_site = 40,
                                       .site = on_site};
    uint32_t *words = NULL;
    size_t n = 0;
    struct lull_error *err = lull_spv_mark(bytes, size, &how, &words, &n);
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
