// SPDX-License-Identifier: MIT
// Any dwords as firmware: no crash; any text to the assembler: no crash. What was printed for a
// firmware that has a table of handlers assembles again, or says why not. Seeds: corpus/afuc/.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "isa/afuc/afuc.h"

enum { MOST = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    uint32_t *words = malloc(size + sizeof *words), *out = NULL, n = 0;
    if (text == NULL || words == NULL || size > MOST) {
        free(text);
        free(words);
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    struct lull_error *err = lull_afuc_assemble(text, &out, &n);
    if (err == NULL) {
        free(out);
    }
    lull_error_free(err);
    memcpy(words, data, size);
    struct lull_afuc fw = {0};
    err = lull_afuc_open(words, (uint32_t)(size / sizeof *words), 0, &fw);
    if (err == NULL) {
        struct lull_str s = {0};
        lull_afuc_disasm(&fw, false, &s);
        lull_str_free(&s);
    }
    lull_error_free(err);
    free(text);
    free(words);
    return 0;
}
