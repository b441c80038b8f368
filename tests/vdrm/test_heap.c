// SPDX-License-Identifier: MIT
// Free ranges and handles, against a byte for each unit.
#include "vdrm/core/heap.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

enum { UNITS = 2048, MAX_LIVE = 256, STEPS = 20000 };

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static bool is_free(const bool *used, uint64_t start, uint64_t size)
{
    for (uint64_t i = start; i < start + size; i++) {
        if (i >= UNITS || used[i]) {
            return false;
        }
    }
    return true;
}

// Where a range of @p size is to go: the lowest or highest place; UINT64_MAX: nowhere.
static uint64_t place_of(const bool *used, uint64_t size, uint64_t align, bool top)
{
    uint64_t best = UINT64_MAX;
    for (uint64_t at = 0; at + size <= UNITS; at += align) {
        if (is_free(used, at, size)) {
            best = at;
            if (!top) {
                break;
            }
        }
    }
    return best;
}

struct range {
    uint64_t start, size;
};

static void mark(bool *used, struct range r, bool value)
{
    for (uint64_t i = r.start; i < r.start + r.size; i++) {
        used[i] = value;
    }
}

static void test_ranges(uint32_t seed)
{
    struct lull_vd_heap h = {0};
    bool used[UNITS] = {false}, ok = lull_vd_heap_init(&h, UNITS);
    struct range live[MAX_LIVE] = {{0}};
    size_t n = 0;
    uint64_t sum = 0;
    uint32_t state = seed;
    int step = 0;
    for (; ok && step < STEPS; step++) {
        if (n == MAX_LIVE || (n > 0 && next_random(&state) % 5 < 2)) {
            const size_t i = next_random(&state) % n;
            lull_vd_heap_give(&h, live[i].start, live[i].size);
            mark(used, live[i], false);
            sum -= live[i].size;
            live[i] = live[--n];
        } else {
            struct range r = {.size = 1 + next_random(&state) % 24};
            const uint64_t align = 1ull << next_random(&state) % 5;
            const bool top = next_random(&state) % 4 == 0;
            const uint64_t want = place_of(used, r.size, align, top);
            const bool got = lull_vd_heap_take(&h, r.size, align, top, &r.start);
            ok = got == (want != UINT64_MAX) && (!got || r.start == want);
            if (ok && got) {
                mark(used, r, true);
                sum += r.size;
                live[n++] = r;
            }
        }
        ok = ok && h.used == sum;
    }
    test_case(ok, "ranges: first fit, from both ends", "seed %u, step %d", seed, step);
    while (n > 0) {
        n--;
        lull_vd_heap_give(&h, live[n].start, live[n].size);
    }
    test_case(h.free.n == 1 && h.used == 0 && h.free.root->weight == UNITS,
              "ranges: all in one piece again", "%zu pieces", h.free.n);
    lull_vd_heap_done(&h);
}

static void test_limits(void)
{
    struct lull_vd_heap h = {0};
    uint64_t at = 0;
    if (!lull_vd_heap_init(&h, UNITS)) {
        abort();
    }
    test_case(!lull_vd_heap_take(&h, 0, 1, false, &at) &&
                  !lull_vd_heap_take(&h, UNITS + 1, 1, false, &at) &&
                  !lull_vd_heap_take(&h, 1, 2 * UNITS, false, &at),
              "ranges: none, too long, too far", "taken");
    test_case(lull_vd_heap_take(&h, UNITS, 1, true, &at) && at == 0 &&
                  !lull_vd_heap_take(&h, 1, 1, false, &at),
              "ranges: everything", "at %llu", (unsigned long long)at);
    lull_vd_heap_done(&h);
}

// The lowest free handle, as idr_alloc() gives it.
static void test_handles(uint32_t seed)
{
    static int objects[UNITS];
    int *there[UNITS + 1] = {NULL};
    struct lull_vd_idr idr = {0};
    uint32_t state = seed;
    bool ok = true;
    int step = 0;
    for (; ok && step < STEPS; step++) {
        const uint32_t i = 1 + next_random(&state) % (UNITS - 1);
        if (next_random(&state) % 3 == 0) {
            ok = lull_vd_idr_remove(&idr, i) == there[i];
            there[i] = NULL;
        } else {
            uint32_t want = 1;
            while (want < UNITS && there[want] != NULL) {
                want++;
            }
            if (want < UNITS) {
                there[want] = &objects[i];
                ok = lull_vd_idr_add(&idr, &objects[i]) == want;
            }
        }
        ok = ok && lull_vd_idr_find(&idr, i) == there[i];
    }
    test_case(ok, "handles: the lowest free one", "seed %u, step %d", seed, step);
    test_case(lull_vd_idr_find(&idr, 0) == NULL && lull_vd_idr_find(&idr, UINT32_MAX) == NULL &&
                  lull_vd_idr_remove(&idr, 0) == NULL,
              "handles: 0 and what was never given", "found");
    uint32_t i = UNITS;
    while (ok && i-- > 1) {
        ok = there[i] == NULL || lull_vd_idr_remove_any(&idr) == there[i];
    }
    test_case(ok && lull_vd_idr_remove_any(&idr) == NULL, "handles: all of them, the last first",
              "handle %u", i);
    lull_vd_idr_done(&idr);
}

int main(int argc, char **argv)
{
    const uint32_t seed = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1;
    test_ranges(seed);
    test_limits();
    test_handles(seed);
    return test_end();
}
