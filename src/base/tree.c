// SPDX-License-Identifier: MIT
#include "base/tree.h"

static uint64_t most_of(const struct lull_tree_node *n)
{
    return n != NULL ? n->most : 0;
}

// What @p n knows of its children is right again.
static void update(struct lull_tree_node *n)
{
    const uint64_t a = most_of(n->child[0]), b = most_of(n->child[1]);
    n->most = a > b ? a : b;
    n->most = n->weight > n->most ? n->weight : n->most;
}

// Nodes of @p n with keys below @p key, and the others.
static void split(struct lull_tree_node *n, uint64_t key, struct lull_tree_node **below,
                  struct lull_tree_node **others)
{
    if (n == NULL) {
        *below = *others = NULL;
    } else if (n->key < key) {
        split(n->child[1], key, &n->child[1], others);
        update(n);
        *below = n;
    } else {
        split(n->child[0], key, below, &n->child[0]);
        update(n);
        *others = n;
    }
}

// One tree of two; all keys of @p a are below those of @p b.
static struct lull_tree_node *merge(struct lull_tree_node *a, struct lull_tree_node *b)
{
    if (a == NULL || b == NULL) {
        return a != NULL ? a : b;
    }
    if (a->priority >= b->priority) {
        a->child[1] = merge(a->child[1], b);
        update(a);
        return a;
    }
    b->child[0] = merge(a, b->child[0]);
    update(b);
    return b;
}

static struct lull_tree_node *add(struct lull_tree_node *n, struct lull_tree_node *node)
{
    if (n == NULL || node->priority > n->priority) {
        split(n, node->key, &node->child[0], &node->child[1]);
        n = node;
    } else {
        struct lull_tree_node **side = &n->child[node->key > n->key];
        *side = add(*side, node);
    }
    update(n);
    return n;
}

static struct lull_tree_node *without(struct lull_tree_node *n, const struct lull_tree_node *node)
{
    if (n == node) {
        return merge(n->child[0], n->child[1]);
    }
    struct lull_tree_node **side = &n->child[node->key > n->key];
    *side = without(*side, node);
    update(n);
    return n;
}

// Numbers that look random. Source: MurmurHash3's 32-bit finalizer, over a counter.
static uint32_t next_priority(struct lull_tree *t)
{
    uint32_t v = t->state += 0x9e3779b9u;
    v = (v ^ v >> 16) * 0x85ebca6bu;
    v = (v ^ v >> 13) * 0xc2b2ae35u;
    return v ^ v >> 16;
}

void lull_tree_add(struct lull_tree *t, struct lull_tree_node *node)
{
    node->priority = next_priority(t);
    node->child[0] = node->child[1] = NULL;
    t->root = add(t->root, node);
    t->n++;
}

void lull_tree_remove(struct lull_tree *t, struct lull_tree_node *node)
{
    t->root = without(t->root, node);
    node->child[0] = node->child[1] = NULL;
    t->n--;
}

struct lull_tree_node *lull_tree_floor(const struct lull_tree *t, uint64_t key)
{
    struct lull_tree_node *best = NULL, *n = t->root;
    while (n != NULL) {
        best = n->key <= key ? n : best;
        n = n->child[n->key <= key];
    }
    return best;
}

struct lull_tree_node *lull_tree_ceil(const struct lull_tree *t, uint64_t key)
{
    struct lull_tree_node *best = NULL, *n = t->root;
    while (n != NULL) {
        best = n->key >= key ? n : best;
        n = n->child[n->key < key];
    }
    return best;
}

struct lull_tree_node *lull_tree_find(const struct lull_tree *t, uint64_t key)
{
    struct lull_tree_node *n = lull_tree_floor(t, key);
    return n != NULL && n->key == key ? n : NULL;
}
