// SPDX-License-Identifier: MIT
// A module as text and with the lines of that text: text_tool IN.spv OUT.spv OUT.txt PATH.
// It fails with status 1 if the module has lines or is refused. text.py compares.
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "spirv/text.h"

static int put(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    const size_t n = f != NULL ? fwrite(bytes, 1, size, f) : 0;
    return f == NULL || fclose(f) != 0 || n != size;
}

int main(int argc, char **argv)
{
    enum { MOST = 1 << 22 };
    uint8_t *bytes = malloc(MOST);
    FILE *f = argc == 5 ? fopen(argv[1], "rb") : NULL;
    const size_t size = f != NULL && bytes != NULL ? fread(bytes, 1, MOST, f) : 0;
    struct lull_spv m = {0};
    struct lull_str text = {0};
    uint32_t *words = NULL;
    size_t n = 0;
    struct lull_error *err = lull_spv_read(bytes, size, &m);
    if (err == NULL && lull_spv_has_lines(&m)) {
        puts("it has lines");
        return 1;
    }
    err = err != NULL ? err : lull_spv_text(&m, argv[4], &text, &words, &n);
    if (err != NULL) {
        printf("%s\n", lull_error_message(err));
        return 1;
    }
    const int failed = put(argv[2], words, n * sizeof *words) || put(argv[3], text.text, text.size);
    free(words);
    lull_str_free(&text);
    lull_spv_done(&m);
    free(bytes);
    fclose(f);
    return failed;
}
