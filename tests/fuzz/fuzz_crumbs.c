// SPDX-License-Identifier: MIT
// lull_crumbs_take() on datagrams of any bytes, the first of which are the text of a break: no
// crash, no leak; a number that comes again is counted.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "adreno/crumbs/crumbs.h"

enum { TEXT = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_crumbs c = {0};
    char text[TEXT + 1] = "";
    const size_t n = size < TEXT ? size : TEXT;
    memcpy(text, data, n);
    lull_error_free(lull_crumbs_break(&c, text));
    for (size_t at = n; at < size;) { // a datagram: its length, and bytes
        const size_t said = data[at++];
        const size_t bytes = said < size - at ? said : size - at;
        struct lull_crumb crumb = {0}, again = {0};
        struct lull_error *err = lull_crumbs_take(&c, data + at, bytes, &crumb);
        if ((err == NULL) != (bytes != 0 && bytes % LULL_CRUMB_BYTES == 0)) {
            abort();
        }
        if (err == NULL) {
            uint8_t back[LULL_CRUMB_BYTES];
            lull_crumb_put(crumb.number, back);
            if (memcmp(back, data + at, sizeof back) != 0) {
                abort();
            }
            err = lull_crumbs_take(&c, back, sizeof back, &again);
            if (err != NULL || again.times != crumb.times + 1) {
                abort();
            }
        }
        lull_error_free(err);
        at += bytes;
    }
    lull_crumbs_done(&c);
    return 0;
}
