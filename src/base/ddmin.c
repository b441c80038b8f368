// SPDX-License-Identifier: MIT
#include "base/ddmin.h"

#include <stdlib.h>
#include <string.h>

struct search {
    size_t *which, *n, *part; // part: room for n.
    lull_ddmin_test test;
    void *ctx;
};

// Test things first to before last, or all but those; if it holds they are what is left.
LULL_MUST_USE static struct lull_error *try_part(struct search *s, size_t first, size_t last,
                                                 bool without, bool *holds)
{
    size_t n = 0;
    for (size_t i = 0; i < *s->n; i++) {
        if ((i >= first && i < last) != without) {
            s->part[n++] = s->which[i];
        }
    }
    *holds = false;
    struct lull_error *err = s->test(s->ctx, s->part, n, holds);
    if (err == NULL && *holds) {
        memcpy(s->which, s->part, n * sizeof *s->which);
        *s->n = n;
    }
    return err;
}

// One of the parts, or all without one of them.
LULL_MUST_USE static struct lull_error *try_parts(struct search *s, size_t parts, bool without,
                                                  bool *holds)
{
    const size_t n = *s->n;
    struct lull_error *err = NULL;
    *holds = false;
    for (size_t i = 0; err == NULL && !*holds && i < parts; i++) {
        err = try_part(s, n * i / parts, n * (i + 1) / parts, without, holds);
    }
    return err;
}

struct lull_error *lull_ddmin(size_t *which, size_t *n, lull_ddmin_test test, void *ctx)
{
    struct search s = {which, n, malloc(*n * sizeof *which + 1), test, ctx};
    if (s.part == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = NULL;
    size_t parts = 2;
    while (err == NULL && *n >= 2) {
        bool holds = false;
        err = try_parts(&s, parts, false, &holds);
        if (err == NULL && holds) {
            parts = 2;
            continue;
        }
        if (err == NULL && parts > 2) { // of two parts the rest is the other one
            err = try_parts(&s, parts, true, &holds);
        }
        if (err == NULL && holds) {
            parts--;
        } else if (parts == *n) {
            break;
        } else {
            parts = 2 * parts < *n ? 2 * parts : *n;
        }
    }
    free(s.part);
    return err;
}
