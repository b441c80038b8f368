// SPDX-License-Identifier: MIT
// lull_msgpack_next() and _skip() on any bytes: they end, stay inside, and agree about the size.
// What the writer makes of an object is not longer, and a fixed point.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "file/msgpack_write.h"

static void written(struct lull_cur c, int skipped)
{
    const uint8_t *start = c.pos;
    struct lull_str one = {0}, two = {0};
    if (lull_msgpack_copy(&c, &one) != skipped || one.err != NULL) {
        abort();
    }
    if (skipped == 0) {
        struct lull_cur again = lull_cur_of(one.text, one.size);
        if (one.size > (size_t)(c.pos - start) || lull_msgpack_copy(&again, &two) != 0 ||
            lull_cur_left(&again) != 0 || one.size != two.size ||
            memcmp(one.text, two.text, one.size) != 0) {
            abort();
        }
    }
    lull_str_free(&one);
    lull_str_free(&two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_cur all = lull_cur_of(data, size);
    while (lull_cur_left(&all) > 0) {
        struct lull_cur one = all;
        const struct lull_cur whole = all;
        struct lull_msgpack m = {0};
        int n = lull_msgpack_next(&one, &m);
        if (n > 0 && (one.pos <= all.pos || one.pos > all.end ||
                      (m.data != NULL && m.data + m.size > all.end))) {
            abort();
        }
        struct lull_cur rest = one;
        int skipped = lull_msgpack_skip(&all);
        written(whole, skipped);
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
