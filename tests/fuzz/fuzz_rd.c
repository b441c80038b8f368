// SPDX-License-Identifier: MIT
// The rd reader on any bytes, packed or not: no crash, and it ends; what was read and is written
// again is what the stream held. Seeds: tests/fuzz/corpus/rd/.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "adreno/file/rd.h"

enum { LIMIT = 1 << 20, MOST_SECTIONS = 10000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_stream *stream = NULL;
    struct lull_rd *rd = NULL;
    char *again = NULL;
    size_t again_size = 0;
    FILE *to = open_memstream(&again, &again_size);
    struct lull_error *err = lull_stream_of(data, size, &stream);
    if (err == NULL) {
        err = lull_rd_new(stream, LIMIT, &rd);
    }
    bool more = true;
    uint64_t end = 0;
    for (unsigned n = 0; err == NULL && more && n < MOST_SECTIONS; n++) {
        struct lull_rd_section s = {0};
        err = lull_rd_next(rd, &s, &more);
        if (err == NULL && more) {
            struct lull_rd_range range = {0};
            uint64_t number = 0;
            if (s.offset != end || s.size > LIMIT || lull_rd_range(&s, &range) != (s.size >= 8)) {
                abort();
            }
            end += 8 + (uint64_t)s.size;
            volatile bool keep = lull_rd_number(&s, &number);
            (void)keep;
            err = lull_rd_write(to, &s);
        }
    }
    fclose(to);
    const bool packed = size >= 2 && (data[0] == 0x1f || data[0] == 0x28);
    if (!packed && (again_size > size || memcmp(again, data, again_size) != 0)) {
        abort();
    }
    free(again);
    lull_error_free(err);
    lull_rd_free(rd);
    lull_stream_free(stream);
    return 0;
}
