// SPDX-License-Identifier: MIT
// Places with an index out of any bytes (docs/formats/marks.md): refused with the line, or each is
// one. Seeds: a good file, one that is being written, and a bad one.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "check/undefined/places.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_check_marked m = {0};
    char *text = malloc(size + 1);
    if (text == NULL) {
        return 0;
    }
    if (size != 0) {
        memcpy(text, data, size);
    }
    struct lull_error *err = lull_check_marked_parse(text, size, &m);
    if (err != NULL) {
        if (strstr(lull_error_message(err), "line") == NULL || m.n != 0) {
            abort();
        }
        lull_error_free(err);
    }
    for (size_t i = 0; i < m.n; i++) {
        if (strlen(m.all[i].name) + strlen(m.all[i].file) > size ||
            m.all[i].of > LULL_CHECK_MARK_MATRIX) {
            abort();
        }
    }
    lull_check_marked_done(&m);
    return 0;
}
