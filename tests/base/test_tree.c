// SPDX-License-Identifier: MIT
// The search tree against a sorted array, and how deep it gets: what a search costs.
#include "base/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "test.h"

enum { NKEYS = 512, STEPS = 40000, MANY = 1 << 16, LOG2_MANY = 16 };

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

// Nodes below @p n, or -1: keys out of order, or a wrong `most`.
static long count(const struct lull_tree_node *n, uint64_t low, uint64_t high)
{
    if (n == NULL) {
        return 0;
    }
    uint64_t most = n->weight;
    for (int i = 0; i < 2; i++) {
        most = n->child[i] != NULL && n->child[i]->most > most ? n->child[i]->most : most;
    }
    const long a = count(n->child[0], low, n->key), b = count(n->child[1], n->key + 1, high);
    return a < 0 || b < 0 || n->key < low || n->key >= high || n->most != most ? -1 : a + b + 1;
}

static unsigned depth(const struct lull_tree_node *n)
{
    if (n == NULL) {
        return 0;
    }
    const unsigned a = depth(n->child[0]), b = depth(n->child[1]);
    return 1 + (a > b ? a : b);
}

// Keys 0, 2, 4, ...: there[i] says whether 2 i is in. The answers that an array gives.
static long floor_of(const bool *there, uint64_t key)
{
    long i = (long)(key / 2);
    while (i >= 0 && !there[i]) {
        i--;
    }
    return i;
}

static long ceil_of(const bool *there, uint64_t key)
{
    long i = (long)((key + 1) / 2);
    while (i < NKEYS && !there[i]) {
        i++;
    }
    return i < NKEYS ? i : -1;
}

static long index_of(const struct lull_tree_node *n, const struct lull_tree_node *nodes)
{
    return n != NULL ? n - nodes : -1;
}

static void test_random(uint32_t seed)
{
    static struct lull_tree_node nodes[NKEYS];
    bool there[NKEYS] = {false};
    struct lull_tree t = {0};
    uint32_t state = seed;
    size_t n = 0;
    long step = 0;
    bool ok = true;
    for (; ok && step < STEPS; step++) {
        const uint32_t i = next_random(&state) % NKEYS;
        const uint64_t key = next_random(&state) % (2 * NKEYS - 1);
        if (there[i]) {
            lull_tree_remove(&t, &nodes[i]);
        } else {
            nodes[i].key = 2ull * i;
            nodes[i].weight = next_random(&state);
            lull_tree_add(&t, &nodes[i]);
        }
        there[i] = !there[i];
        n = there[i] ? n + 1 : n - 1;
        const long same = key % 2 == 0 && there[key / 2] ? (long)key / 2 : -1;
        ok = t.n == n && index_of(lull_tree_floor(&t, key), nodes) == floor_of(there, key) &&
             index_of(lull_tree_ceil(&t, key), nodes) == ceil_of(there, key) &&
             index_of(lull_tree_find(&t, key), nodes) == same &&
             (step % 64 != 0 || count(t.root, 0, UINT64_MAX) == (long)n);
    }
    test_case(ok, "random nodes come and go, as in an array", "seed %u, step %ld", seed, step);
}

// Keys in an order that a plain tree would make a list of.
static void test_depth(const char *name, unsigned order)
{
    static struct lull_tree_node nodes[MANY];
    struct lull_tree t = {0};
    for (uint32_t i = 0; i < MANY; i++) {
        const uint32_t key[] = {i, MANY - 1 - i, i % 2 != 0 ? i : MANY - 2 - i, i * 40503u % MANY};
        nodes[i].key = key[order];
        lull_tree_add(&t, &nodes[i]);
    }
    const unsigned full = depth(t.root);
    test_case(t.n == MANY && full <= 4 * LOG2_MANY, name, "%zu nodes, %u deep", t.n, full);
    for (uint32_t i = 0; i < MANY; i++) {
        if (i % 16 != 0) {
            lull_tree_remove(&t, lull_tree_find(&t, i));
        }
    }
    const unsigned some = depth(t.root);
    test_case(t.n == MANY / 16 && count(t.root, 0, UINT64_MAX) == MANY / 16 &&
                  some <= 4 * (LOG2_MANY - 4),
              name, "a sixteenth left: %zu nodes, %u deep", t.n, some);
}

static void test_list(void)
{
    struct lull_list head = {0}, links[3] = {{0}};
    test_case(lull_list_empty(&head), "list: nothing in one that is all zero", "no");
    lull_list_init(&head);
    test_case(lull_list_empty(&head), "list: nothing in a new one", "no");
    for (int i = 0; i < 3; i++) {
        lull_list_add(&head, &links[i]);
    }
    lull_list_remove(&links[1]);
    lull_list_remove(&links[1]); // is in none any more
    test_case(head.next == &links[0] && links[0].next == &links[2] && links[2].next == &head &&
                  head.prev == &links[2] && links[2].prev == &links[0],
              "list: one taken out of the middle", "other links");
    lull_list_remove(&links[0]);
    lull_list_remove(&links[2]);
    test_case(lull_list_empty(&head), "list: all taken out", "no");
}

int main(int argc, char **argv)
{
    test_random(argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1);
    static const char *const orders[] = {"depth: ascending", "depth: descending",
                                         "depth: from both ends", "depth: in no order"};
    for (unsigned i = 0; i < TEST_ROWS(orders); i++) {
        test_depth(orders[i], i);
    }
    test_list();
    return test_end();
}
