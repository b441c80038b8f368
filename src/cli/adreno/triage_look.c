// SPDX-License-Identifier: MIT
// One file of lull crash triage.
#include <string.h>

#include "adreno/file/kind.h"
#include "cli/adreno/triage.h"
#include "file/stream.h"

static const uint64_t MOST_BYTES = 1ull << 31;

void lull_triage_look(struct lull_triage_file *f, uint64_t memory)
{
    struct lull_stream *s = NULL;
    struct lull_error *err = lull_stream_open(f->path, &s);
    err = err != NULL ? err : lull_kind_want_devcore(s);
    if (err == NULL) {
        err = lull_crash_facts(s, memory, MOST_BYTES, f->facts);
    }
    if (err != NULL) {
        f->error = strdup(lull_error_message(err));
        lull_error_free(err);
    }
    lull_stream_free(s);
}
