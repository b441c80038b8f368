// SPDX-License-Identifier: MIT
// lull_faultlog_next() and lull_ringlog_next() on any text: no crash, each fault or ring takes some
// of it, and strings end.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "drm/core/faultlog.h"
#include "drm/core/ringlog.h"

static void check(const char *s)
{
    if (memchr(s, '\0', LULL_FAULTLOG_TEXT) == NULL) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_cur c = lull_cur_of(data, size);
    struct lull_faultlog f = {0};
    for (size_t left = lull_cur_left(&c); lull_faultlog_next(&c, &f); left = lull_cur_left(&c)) {
        if (lull_cur_left(&c) >= left || f.kind == LULL_FAULTLOG_NONE) {
            abort();
        }
        check(f.type);
        check(f.source);
        check(f.hub);
        check(f.process);
    }
    struct lull_cur rings = lull_cur_of(data, size);
    struct lull_ringlog r = {0};
    for (size_t left = size; lull_ringlog_next(&rings, &r); left = lull_cur_left(&rings)) {
        if (lull_cur_left(&rings) >= left || memchr(r.name, '\0', sizeof r.name) == NULL) {
            abort();
        }
    }
    if (lull_cur_left(&c) != 0 || lull_cur_left(&rings) != 0) {
        abort();
    }
    return 0;
}
