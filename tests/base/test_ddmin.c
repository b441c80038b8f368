// SPDX-License-Identifier: MIT
// Sets of which something is known: ddmin's result must hold, lose by each thing taken away, and,
// where what holds is a set and all above it, be that set; the paper's number of tests is not
// passed.
#include "base/ddmin.h"

#include <stdint.h>

#include "test.h"

struct world {
    uint64_t need[2]; ///< It holds with all of either.
    bool parity;      ///< Or: with an odd number of things of need[0].
    unsigned tests;
};

static bool holds_with(const struct world *w, uint64_t set)
{
    return w->parity ? __builtin_parityll(set & w->need[0]) == 1
                     : (set & w->need[0]) == w->need[0] || (set & w->need[1]) == w->need[1];
}

static uint64_t as_bits(const size_t *which, size_t n)
{
    uint64_t set = 0;
    for (size_t i = 0; i < n; i++) {
        set |= 1ull << which[i];
    }
    return set;
}

static struct lull_error *test(void *ctx, const size_t *which, size_t n, bool *ret)
{
    struct world *w = ctx;
    w->tests++;
    *ret = holds_with(w, as_bits(which, n));
    return n == 0 ? lull_error_new(LULL_ERR_INVALID, "tested without things") : NULL;
}

static uint64_t next_random(uint64_t *s)
{
    *s = *s * 6364136223846793005ull + 1442695040888963407ull;
    return *s >> 20;
}

static struct lull_error *tests(void *ctx, const struct lull_ddmin_set *sets, size_t n, size_t *ret)
{
    struct lull_error *err = NULL;
    *ret = n;
    for (size_t i = n; err == NULL && i-- > 0;) { // in any order: the first counts
        bool holds = false;
        err = test(ctx, sets[i].which, sets[i].n, &holds);
        *ret = holds ? i : *ret;
    }
    return err;
}

// The same things are left, however many sets are tested at a time.
static void run_many(const struct world *w, size_t n, const char *name, uint64_t want)
{
    for (size_t many = 2; many <= 7; many++) {
        struct world again = *w;
        size_t which[64], left = n;
        for (size_t i = 0; i < n; i++) {
            which[i] = i;
        }
        struct lull_error *err = lull_ddmin_many(which, &left, many, tests, &again);
        test_case(err == NULL && as_bits(which, left) == want, name, "%zu at a time, n %zu: %#llx",
                  many, n, (unsigned long long)as_bits(which, left));
        lull_error_free(err);
    }
}

static void run(struct world *w, size_t n, const char *name, uint64_t want)
{
    size_t which[64], left = n;
    for (size_t i = 0; i < n; i++) {
        which[i] = i;
    }
    struct lull_error *err = lull_ddmin(which, &left, test, w);
    const uint64_t set = as_bits(which, left);
    bool minimal = holds_with(w, set);
    for (size_t i = 0; left > 1 && i < left; i++) {
        minimal = minimal && !holds_with(w, set & ~(1ull << which[i]));
    }
    test_case(err == NULL && minimal && (want == 0 || set == want) && w->tests <= n * n + 3 * n,
              name, "n %zu: %zu left (%#llx, wanted %#llx), %u tests", n, left,
              (unsigned long long)set, (unsigned long long)want, w->tests);
    lull_error_free(err);
    run_many(w, n, name, set);
}

static struct lull_error *fails(void *ctx, const size_t *which, size_t n, bool *ret)
{
    (void)ctx;
    (void)which;
    *ret = n == 4; // the halves of 8 are taken once
    return n == 4 ? NULL : lull_error_new(LULL_ERR_UNSUPPORTED, "no");
}

int main(void)
{
    uint64_t seed = 1;
    for (unsigned i = 0; i < 300; i++) {
        const size_t n = 1 + next_random(&seed) % 40;
        const uint64_t all = (1ull << n) - 1;
        uint64_t need = next_random(&seed) & next_random(&seed) & all;
        need = need == 0 ? 1 : need;
        struct world w = {{need, need}, false, 0};
        run(&w, n, "one set", need);
        struct world two = {{need, (next_random(&seed) & all) | 1ull << (n - 1)}, false, 0};
        run(&two, n, "one of two sets", 0);
        struct world odd = {{__builtin_parityll(need) == 1 ? need : need & (need - 1), 0}, true, 0};
        odd.need[0] = odd.need[0] == 0 ? 1 : odd.need[0];
        run(&odd, n, "not monotone", 0);
    }
    struct world one = {{1ull << 37, 1ull << 37}, false, 0};
    run(&one, 64, "one of 64", 1ull << 37);
    test_case(one.tests <= 2 * 6, "by halves", "%u tests for one of 64", one.tests);
    size_t which[8] = {0, 1, 2, 3, 4, 5, 6, 7}, n = 8;
    struct lull_error *err = lull_ddmin(which, &n, fails, NULL);
    test_case(err != NULL && n == 4, "an error ends it, with what was found", "%zu left", n);
    lull_error_free(err);
    return test_end();
}
