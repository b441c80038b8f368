// SPDX-License-Identifier: MIT
#include "base/ddmin.h"

#include <stdlib.h>
#include <string.h>

struct search {
    size_t *which, *n;
    size_t *parts; // Room for n, `many` times.
    struct lull_ddmin_set *sets;
    size_t many;
    lull_ddmin_tests tests;
    void *ctx;
};

// Things first to before last, or all but those, at @p to.
static size_t part(const struct search *s, size_t first, size_t last, bool without, size_t *to)
{
    size_t n = 0;
    for (size_t i = 0; i < *s->n; i++) {
        if ((i >= first && i < last) != without) {
            to[n++] = s->which[i];
        }
    }
    return n;
}

// One of the parts, or all without one of them; the first with which it holds is what is left.
LULL_MUST_USE static struct lull_error *try_parts(struct search *s, size_t parts, bool without,
                                                  bool *holds)
{
    const size_t n = *s->n;
    struct lull_error *err = NULL;
    *holds = false;
    for (size_t i = 0; err == NULL && !*holds && i < parts; i += s->many) {
        const size_t m = parts - i < s->many ? parts - i : s->many;
        size_t first = m;
        for (size_t j = 0; j < m; j++) {
            size_t *to = s->parts + j * n;
            const size_t from = n * (i + j) / parts, until = n * (i + j + 1) / parts;
            s->sets[j] = (struct lull_ddmin_set){to, part(s, from, until, without, to)};
        }
        err = s->tests(s->ctx, s->sets, m, &first);
        if (err == NULL && first < m) {
            memcpy(s->which, s->sets[first].which, s->sets[first].n * sizeof *s->which);
            *s->n = s->sets[first].n;
            *holds = true;
        }
    }
    return err;
}

struct lull_error *lull_ddmin_many(size_t *which, size_t *n, size_t many, lull_ddmin_tests tests,
                                   void *ctx)
{
    const size_t most = many < *n ? many : *n; // there are never more parts than things
    struct search s = {.which = which, .n = n, .many = most, .tests = tests, .ctx = ctx};
    struct lull_error *err = NULL;
    s.parts = malloc(most * *n * sizeof *which + 1);
    s.sets = malloc(most * sizeof *s.sets + 1);
    if (s.parts == NULL || s.sets == NULL) {
        err = &lull_enomem;
    }
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
    free(s.parts);
    free(s.sets);
    return err;
}

struct one {
    lull_ddmin_test test;
    void *ctx;
};

LULL_MUST_USE static struct lull_error *test_one(void *ctx, const struct lull_ddmin_set *sets,
                                                 size_t n, size_t *ret)
{
    const struct one *o = ctx;
    bool holds = false;
    struct lull_error *err = o->test(o->ctx, sets[0].which, sets[0].n, &holds);
    *ret = holds ? 0 : n;
    return err;
}

struct lull_error *lull_ddmin(size_t *which, size_t *n, lull_ddmin_test test, void *ctx)
{
    struct one o = {test, ctx};
    return lull_ddmin_many(which, n, 1, test_one, &o);
}
