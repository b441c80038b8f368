// SPDX-License-Identifier: MIT
// Two lists put together: as long as the longest common part, by tables of all prefixes; in order.
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "adreno/show/align.h"

enum { MOST = 40 };

static uint32_t next(uint32_t *seed)
{
    return *seed = *seed * 1664525 + 1013904223; // Knuth's
}

/** Length of the longest common part, by the textbook's table. */
static size_t longest(const struct lull_rec_entry *a, size_t n, const struct lull_rec_entry *b,
                      size_t m)
{
    static size_t t[MOST + 1][MOST + 1];
    memset(t, 0, sizeof t);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) {
            const size_t most = t[i][j + 1] > t[i + 1][j] ? t[i][j + 1] : t[i + 1][j];
            t[i + 1][j + 1] = a[i].strong == b[j].strong ? t[i][j] + 1 : most;
        }
    }
    return t[n][m];
}

int main(void)
{
    struct lull_rec_entry a[MOST] = {{0}}, b[MOST] = {{0}};
    unsigned wrong = 0, disorder = 0, weak = 0;
    uint32_t seed = 7;
    for (unsigned run = 0; run < 3000; run++) {
        const size_t n = next(&seed) >> 8 & 31, m = next(&seed) >> 8 & 31;
        const uint32_t kinds = 1 + (next(&seed) >> 8) % 9;
        for (size_t i = 0; i < MOST; i++) {
            a[i] = (struct lull_rec_entry){.strong = (next(&seed) >> 8) % kinds};
            b[i] = (struct lull_rec_entry){.strong = (next(&seed) >> 8) % kinds};
            a[i].weak = 100 + i; // none the same
            b[i].weak = 200 + i;
        }
        size_t *pairs = NULL, found = 0, last = 0;
        struct lull_error *err = lull_align(a, n, b, m, &pairs);
        for (size_t i = 0; err == NULL && i < n; i++) {
            if (pairs[i] == SIZE_MAX) {
                continue;
            }
            disorder += (found != 0 && pairs[i] <= last) || pairs[i] >= m ||
                        a[i].strong != b[pairs[i]].strong;
            last = pairs[i];
            found++;
        }
        wrong += err != NULL || found != longest(a, n, b, m);
        lull_error_free(err);
        free(pairs);
    }
    test_case(wrong == 0, "as many pairs as there can be", "%u of 3000 lists", wrong);
    test_case(disorder == 0, "in order, and the same", "%u pairs", disorder);
    for (size_t i = 0; i < 5; i++) { // two that differ in detail, between others that do not
        a[i] = (struct lull_rec_entry){.strong = i, .weak = 1};
        b[i] = (struct lull_rec_entry){.strong = i == 2 ? 9 : i, .weak = 1};
    }
    size_t *pairs = NULL;
    struct lull_error *err = lull_align(a, 5, b, 5, &pairs);
    for (size_t i = 0; err == NULL && i < 5; i++) {
        weak += pairs[i] == i;
    }
    test_case(weak == 5, "then those of one kind", "%u pairs", weak);
    lull_error_free(err);
    free(pairs);
    return test_end();
}
