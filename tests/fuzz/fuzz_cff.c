// SPDX-License-Identifier: MIT
// Any bytes as an rd capture with command streams: no crash, and it ends. Seeds: corpus/cff/.
#include "fuzz.h"

#include <stdlib.h>

#include "adreno/cffdump/cff.h"

enum { MOST = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_stream *s = NULL;
    if (size > MOST) {
        return 0;
    }
    FILE *null = fopen("/dev/null", "w");
    const struct lull_cff_options o = {.last = -1,
                                       .once = size % 2,
                                       .summary = size % 3 == 0,
                                       .most_memory = MOST,
                                       .most_work = 1 << 20};
    struct lull_error *err = lull_stream_of(data, size, &s);
    err = err != NULL || null == NULL ? err : lull_cff_decode(s, &o, null, null);
    lull_error_free(err);
    lull_stream_free(s);
    if (null != NULL) {
        fclose(null);
    }
    return 0;
}
