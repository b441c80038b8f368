// SPDX-License-Identifier: MIT
// The shortest way from one list to the other: Myers, "An O(ND) Difference Algorithm", 1986.
#include "adreno/show/align.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 2000 };

struct part {
    const struct lull_rec_entry *a, *b;
    size_t n, m;
    bool strong;
    size_t a0, b0; ///< Where the part begins in the whole.
    size_t *pairs;
};

static bool same(const struct part *p, size_t i, size_t j)
{
    const struct lull_rec_entry *a = &p->a[p->a0 + i], *b = &p->b[p->b0 + j];
    return p->strong ? a->strong == b->strong : a->weak == b->weak;
}

static void pair(const struct part *p, size_t i, size_t j)
{
    p->pairs[p->a0 + i] = p->b0 + j;
}

/** Too many differences for the shortest way: one after the other, where they fit. */
static void in_order(const struct part *p)
{
    for (size_t i = 0; i < p->n && i < p->m; i++) {
        if (same(p, i, i)) {
            pair(p, i, i);
        }
    }
}

/** One round of the search: how far each diagonal gets with @p d steps. @return It is there. */
static bool round_of(const struct part *p, long *v, long d)
{
    for (long k = -d; k <= d; k += 2) {
        const bool down = k == -d || (k != d && v[k - 1] < v[k + 1]);
        long x = down ? v[k + 1] : v[k - 1] + 1;
        while (x < (long)p->n && x - k < (long)p->m && x - k >= 0 &&
               same(p, (size_t)x, (size_t)(x - k))) {
            x++;
        }
        v[k] = x;
        if (x >= (long)p->n && x - k >= (long)p->m) {
            return true;
        }
    }
    return false;
}

/** Back from the end, through the rounds that were kept: row d has 2 d + 3 places. */
static void back(const struct part *p, long *const *rows, long d)
{
    long x = (long)p->n, y = (long)p->m;
    for (; d >= 0; d--) {
        const long *v = rows[d] + d + 1; // v[k]: how far d - 1 steps got
        const long k = x - y;
        const bool down = k == -d || (k != d && v[k - 1] < v[k + 1]);
        const long from = down ? k + 1 : k - 1;
        const long px = d == 0 ? 0 : v[from], py = d == 0 ? 0 : px - from;
        while (x > px && y > py) {
            pair(p, (size_t)--x, (size_t)--y);
        }
        x = px;
        y = py;
    }
}

LULL_MUST_USE static struct lull_error *shortest(const struct part *p)
{
    enum { ROOM = 2 * MOST_STEPS + 3 };
    struct lull_error *err = NULL;
    long *rows[MOST_STEPS] = {NULL}, found = -1;
    long *v = calloc(ROOM, sizeof *v);
    if (v == NULL) {
        return &lull_enomem;
    }
    for (long d = 0; d < MOST_STEPS && found < 0 && err == NULL; d++) {
        rows[d] = malloc(((size_t)d * 2 + 3) * sizeof **rows);
        if (rows[d] == NULL) {
            err = &lull_enomem;
            break;
        }
        memcpy(rows[d], v + MOST_STEPS + 1 - d - 1, ((size_t)d * 2 + 3) * sizeof *v);
        if (round_of(p, v + MOST_STEPS + 1, d)) {
            found = d;
        }
    }
    if (err == NULL && found >= 0) {
        back(p, rows, found);
    } else if (err == NULL) {
        in_order(p);
    }
    for (long d = 0; d < MOST_STEPS; d++) {
        free(rows[d]);
    }
    free(v);
    return err;
}

/** A part, without what is the same at its beginning and end. */
LULL_MUST_USE static struct lull_error *align(struct part p)
{
    while (p.n > 0 && p.m > 0 && same(&p, 0, 0)) {
        pair(&p, 0, 0);
        p.a0++, p.b0++, p.n--, p.m--;
    }
    while (p.n > 0 && p.m > 0 && same(&p, p.n - 1, p.m - 1)) {
        pair(&p, p.n - 1, p.m - 1);
        p.n--, p.m--;
    }
    return p.n > 0 && p.m > 0 ? shortest(&p) : NULL;
}

struct lull_error *lull_align(const struct lull_rec_entry *a, size_t n,
                              const struct lull_rec_entry *b, size_t m, size_t **ret)
{
    size_t *pairs = malloc((n + 1) * sizeof *pairs);
    if (pairs == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < n; i++) {
        pairs[i] = SIZE_MAX;
    }
    const struct part whole = {.a = a, .b = b, .n = n, .m = m, .strong = true, .pairs = pairs};
    struct lull_error *err = align(whole);
    for (size_t i = 0, j = 0; err == NULL && i <= n;) { // gaps between those that are the same
        size_t end = i;
        while (end < n && pairs[end] == SIZE_MAX) {
            end++;
        }
        const size_t b_end = end < n ? pairs[end] : m;
        struct part gap = whole;
        gap.strong = false;
        gap.a0 = i, gap.n = end - i, gap.b0 = j, gap.m = b_end - j;
        err = align(gap);
        i = end + 1;
        j = b_end + 1;
    }
    if (err != NULL) {
        free(pairs);
        return err;
    }
    *ret = pairs;
    return NULL;
}
