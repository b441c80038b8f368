// SPDX-License-Identifier: MIT
// A pipeline layout out of any bytes: what is read can be written and read again as the same.
// Seeds: tests/fuzz/corpus/layout/.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "link/layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_layout layout = {0}, again = {0};
    struct lull_error *err = lull_layout_read((const char *)data, size, &layout);
    if (err != NULL) {
        if (lull_error_message(err)[0] == '\0' || layout.nodes != NULL) {
            abort();
        }
        lull_error_free(err);
        return 0;
    }
    struct lull_str text = {0}, second = {0};
    lull_layout_write(&layout, &text);
    err = lull_layout_read(lull_str_text(&text), text.size, &again);
    if (err != NULL) {
        abort();
    }
    lull_layout_write(&again, &second);
    if (strcmp(lull_str_text(&text), lull_str_text(&second)) != 0) {
        abort();
    }
    lull_error_free(lull_layout_check_relocatable(&layout));
    lull_str_free(&text);
    lull_str_free(&second);
    lull_layout_done(&layout);
    lull_layout_done(&again);
    return 0;
}
