// SPDX-License-Identifier: MIT
// Any bytes as an rd capture that is shown in every way, and compared with another: no crash, and
// it ends. The first byte chooses the way. Seeds: corpus/capture/.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "adreno/show/diff.h"
#include "adreno/show/show.h"

enum { MOST = 1 << 16, WAYS = 8 };

static void show(const uint8_t *data, size_t size, unsigned way, FILE *null)
{
    struct lull_show_options o = {.frame = -1, .submit = -1, .draw = -1, .most_work = 1 << 16};
    struct lull_stream *s = NULL;
    uint64_t findings = 0;
    o.json = way % 2 == 1;
    o.raw = o.both = way == 0;
    o.mode = way / 2 == 1 ? LULL_SHOW_SUMMARY : way / 2 == 2 ? LULL_SHOW_QUERY : LULL_SHOW_WHOLE;
    o.query = "*CNTL*,SP_?S_CONFIG.*,0x8004";
    o.draw = way / 2 == 3 ? 1 : -1;
    o.all = true;
    struct lull_error *err = lull_stream_of(data, size, &s);
    err = err != NULL ? err : lull_show_capture(s, "fuzz", &o, null, null, &findings);
    lull_error_free(err);
    lull_stream_free(s);
}

static void diff(const uint8_t *data, size_t size, FILE *null)
{
    const struct lull_diff_options o = {.json = size % 2 == 0, .most_work = 1 << 16};
    struct lull_diff_side a = {.name = "a"}, b = {.name = "b"};
    bool different = false;
    struct lull_error *err = lull_stream_of(data, size / 2, &a.s);
    err = err != NULL ? err : lull_stream_of(data, size, &b.s);
    err = err != NULL ? err : lull_diff_captures(&a, &b, &o, null, null, &different);
    lull_error_free(err);
    lull_stream_free(a.s);
    lull_stream_free(b.s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FILE *null = fopen("/dev/null", "w");
    if (size >= 1 && size <= MOST && null != NULL) {
        const unsigned way = data[0] % (WAYS + 1);
        if (way == WAYS) {
            diff(data + 1, size - 1, null);
        } else {
            show(data + 1, size - 1, way, null);
        }
    }
    if (null != NULL) {
        fclose(null);
    }
    return 0;
}
