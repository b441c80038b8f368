// SPDX-License-Identifier: MIT
#include "cli/opt/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"

LULL_MUST_USE static struct lull_error *parse_who(const char *text, struct lull_trace_who *ret)
{
    int end = 0;
    const int n = sscanf(text, "%" SCNu32 ":%" SCNu32 ",%" SCNu32 ",%" SCNu32 ":%" SCNu32 "%n",
                         &ret->dispatch, &ret->workgroup[0], &ret->workgroup[1], &ret->workgroup[2],
                         &ret->item, &end);
    return n == 5 && text[end] == '\0' ? NULL
                                       : lull_error_new(LULL_ERR_INVALID,
                                                        "LULL_TRACE_WHO: '%s' is not "
                                                        "DISPATCH:X,Y,Z:ITEM",
                                                        text);
}

struct lull_error *lull_trace_wanted(struct lull_trace_wanted *w)
{
    const char *path = getenv("LULL_TRACE"), *who = getenv("LULL_TRACE_WHO");
    const char *most = getenv("LULL_TRACE_MOST");
    struct lull_error *err = NULL;
    if (path == NULL || *path == '\0') {
        return NULL;
    }
    w->path = strdup(path);
    if (w->path == NULL) {
        return &lull_enomem;
    }
    if (who != NULL) {
        w->trace.has_who = true;
        err = parse_who(who, &w->trace.who);
    }
    w->trace.most = most != NULL ? strtoull(most, NULL, 10) : 0;
    w->config.to = &w->trace;
    unsetenv("LULL_TRACE");
    return err;
}

struct lull_error *lull_trace_write(struct lull_trace_wanted *w,
                                    const struct lull_check_objects *objects,
                                    lull_trace_line_fn *line, const void *ctx)
{
    struct lull_str out = {0};
    if (w->path == NULL) {
        return NULL;
    }
    struct lull_error *err = lull_trace_file(&w->trace, objects, line, ctx, &out);
    if (err == NULL && out.err != NULL) {
        err = out.err;
        out.err = NULL;
    }
    err = err != NULL ? err : lull_output_write(w->path, lull_str_text(&out), out.size);
    lull_error_free(out.err);
    out.err = NULL;
    lull_str_free(&out);
    return err;
}

void lull_trace_wanted_done(struct lull_trace_wanted *w)
{
    lull_trace_done(&w->trace);
    free(w->path);
    w->path = NULL;
}
