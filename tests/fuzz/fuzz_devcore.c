// SPDX-License-Identifier: MIT
// Any bytes as a crash dump: no crash, and it ends. Seeds: corpus/devcore/.
#include "fuzz.h"

#include <stdlib.h>

#include "adreno/crash/crash.h"

enum { MOST = 1 << 16, MEMORY = 1 << 20, LITTLE = 1 << 12 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_stream *s = NULL;
    if (size > MOST) {
        return 0;
    }
    FILE *null = fopen("/dev/null", "w");
    const struct lull_crash_options o = {
        .summary = size % 2, .verbose = size % 3 == 0, .most_memory = MEMORY};
    struct lull_error *err = lull_stream_of(data, size, &s);
    err = err != NULL || null == NULL ? err : lull_crash_decode(s, &o, null, null);
    lull_error_free(err);
    lull_stream_free(s);
    s = NULL;
    struct lull_str page = {0};
    // With little memory lines are cut, too.
    const struct lull_crash_look look = {.style = size % 3,
                                         .sections = size % 2 != 0 ? LULL_CRASH_ALL : 0,
                                         .no_page = size % 7 == 0,
                                         .most_memory = size % 5 == 0 ? LITTLE : MEMORY};
    err = lull_stream_of(data, size, &s);
    err = err != NULL || null == NULL ? err : lull_crash_page(s, &look, &page);
    lull_error_free(err);
    lull_stream_free(s);
    lull_str_free(&page);
    if (null != NULL) {
        fclose(null);
    }
    return 0;
}
