// SPDX-License-Identifier: MIT
// Any bytes as an rd capture that is checked for stale state: no crash, it ends, and what is told
// stands in a packet. Seeds: corpus/lint/.
#include "fuzz.h"

#include <stdlib.h>

#include "adreno/lint/lint.h"

enum { MOST = 1 << 16 };

static void found(void *ctx, struct lull_cap *c, const struct lull_lint_finding *f)
{
    uint64_t *n = ctx;
    (void)c;
    (*n)++;
    if (f->packet == NULL || f->mend == NULL || lull_lint_rule_name(f->rule) == NULL) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct lull_cap_options o = {.most_work = 1 << 16};
    struct lull_stream *s = NULL;
    uint64_t n = 0, findings = 0;
    const struct lull_lint_sink sink = {.ctx = &n, .found = found};
    if (size > MOST) {
        return 0;
    }
    struct lull_error *err = lull_stream_of(data, size, &s);
    err = err != NULL ? err : lull_lint_capture(s, &o, &sink, &findings);
    if (n > findings) {
        abort();
    }
    lull_error_free(err);
    lull_stream_free(s);
    return 0;
}
