// SPDX-License-Identifier: MIT
// lull_msgpack_next() and _skip() on any bytes: they end, stay inside, and agree about the size.
#include "fuzz.h"

#include <stdlib.h>

#include "file/msgpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_cur all = lull_cur_of(data, size);
    while (lull_cur_left(&all) > 0) {
        struct lull_cur one = all;
        struct lull_msgpack m = {0};
        int n = lull_msgpack_next(&one, &m);
        if (n > 0 && (one.pos <= all.pos || one.pos > all.end ||
                      (m.data != NULL && m.data + m.size > all.end))) {
            abort();
        }
        struct lull_cur rest = one;
        int skipped = lull_msgpack_skip(&all);
        if (n < 0) {
            if (skipped == 0) {
                abort();
            }
            break;
        }
        if (lull_msgpack_skip_rest(&rest, &m) != skipped || (skipped == 0 && rest.pos != all.pos)) {
            abort();
        }
        if (skipped != 0) {
            break;
        }
    }
    return 0;
}
