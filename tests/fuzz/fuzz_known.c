// SPDX-License-Identifier: MIT
// Patterns of findings that are known out of any bytes: refused with the line, or each can be
// matched. Seeds: a file of all kinds of lines, and bad ones.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "check/known.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_known k = {0};
    struct lull_error *err = lull_known_parse("input", (const char *)data, size, &k);
    if (err != NULL) {
        if (strstr(lull_error_message(err), "line") == NULL || k.n != 0) {
            abort();
        }
        lull_error_free(err);
    }
    (void)lull_known_has(&k, "race:hist.cl:9:hist.cl:9");
    lull_known_done(&k);
    return 0;
}
