// SPDX-License-Identifier: MIT
// lull_cache_parse() on any bytes: no crash, and what it takes lies within them. Seeds:
// tests/fuzz/corpus/cache/.
#include "fuzz.h"

#include <stdlib.h>

#include "compile/cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_cache_entry e = {0};
    struct lull_error *err = lull_cache_parse(data, size, &e);
    if (err == NULL && (e.out != data + 56 || e.said != e.out + e.out_size ||
                        e.said + e.said_size != data + size)) {
        abort();
    }
    lull_error_free(err);
    return 0;
}
