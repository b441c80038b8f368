// SPDX-License-Identifier: MIT
#include "cli/opt/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { FIRST = 2, EVERY = 10, MIB_SHIFT = 20 };

static void show(void *ctx, enum lull_stream_wait wait, uint64_t unpacked, unsigned seconds)
{
    struct lull_progress *p = ctx;
    if (wait == LULL_STREAM_WAITS_WRITER && !p->told) {
        p->told = true;
        fprintf(stderr, "lull: %s: waits until somebody writes to it\n", p->path);
    }
    const bool terminal = isatty(STDERR_FILENO) != 0 && !(p->quiet && isatty(STDOUT_FILENO) != 0);
    if (wait == LULL_STREAM_WAITS_WRITER || !terminal || seconds < p->next) {
        return;
    }
    p->next = seconds + EVERY;
    fprintf(stderr, "lull: %s: %" PRIu64 " MiB read in %u s%s\n", p->path, unpacked >> MIB_SHIFT,
            seconds, wait == LULL_STREAM_WAITS_DATA ? ", waits for more" : "");
}

struct lull_error *lull_progress_open(struct lull_progress *p, const char *path,
                                      struct lull_stream **ret)
{
    p->path = path;
    p->next = FIRST;
    p->watch = (struct lull_stream_watch){.fn = show, .ctx = p};
    return lull_stream_open_watched(path, &p->watch, ret);
}
