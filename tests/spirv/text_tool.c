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

static int write_text(char **argv, const uint8_t *bytes, size_t size)
{
    struct lull_spv m = {0};
    struct lull_str text = {0};
    uint32_t *words = NULL;
    size_t n = 0;
    struct lull_error *err = lull_spv_read(bytes, size, &m);
    const bool lines = err == NULL && lull_spv_has_lines(&m);
    err = err != NULL || lines ? err : lull_spv_text(&m, argv[4], &text, &words, &n);
    if (err != NULL || lines) {
        printf("%s\n", lines ? "it has lines" : lull_error_message(err));
    }
    const int failed = err != NULL || lines || put(argv[2], words, n * sizeof *words) ||
                       put(argv[3], text.text, text.size);
    lull_error_free(err);
    free(words);
    lull_str_free(&text);
    lull_spv_done(&m);
    return failed;
}

int main(int argc, char **argv)
{
    enum { MOST = 1 << 22 };
    uint8_t *bytes = malloc(MOST);
    FILE *f = argc == 5 ? fopen(argv[1], "rb") : NULL;
    const size_t size = f != NULL && bytes != NULL ? fread(bytes, 1, MOST, f) : 0;
    const int failed = write_text(argv, bytes, size);
    free(bytes);
    if (f != NULL) {
        fclose(f);
    }
    return failed;
}
