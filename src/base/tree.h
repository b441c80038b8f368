// SPDX-License-Identifier: MIT
/** @file
 * A search tree by 64-bit keys whose nodes lie in the objects: nothing is allocated, so nothing
 * fails.
 *
 * It is a treap: what is done to one of n nodes takes about 2 log2 n steps, in whatever order they
 * come. Each node also knows the greatest weight below it, for searches such as "the first with at
 * least so much room".
 */
#ifndef LULL_BASE_TREE_H
#define LULL_BASE_TREE_H

#include <stddef.h>
#include <stdint.h>

struct lull_tree_node {
    uint64_t key;                    ///< The caller sets it before adding. Unique in a tree.
    uint64_t weight;                 ///< The same; need not be unique.
    uint64_t most;                   ///< The greatest weight of this node and all below.
    struct lull_tree_node *child[2]; ///< Smaller keys, greater keys.
    uint32_t priority;               ///< Not below that of any child.
};

/** All zero: empty. */
struct lull_tree {
    struct lull_tree_node *root;
    size_t n;
    uint32_t state; ///< Of the generator of priorities: the same calls give the same tree.
};

void lull_tree_add(struct lull_tree *t, struct lull_tree_node *node);
/** Take out @p node, which is in @p t. */
void lull_tree_remove(struct lull_tree *t, struct lull_tree_node *node);

/** The node of the greatest key that is not above @p key, or NULL. */
struct lull_tree_node *lull_tree_floor(const struct lull_tree *t, uint64_t key);
/** The node of the least key that is not below @p key, or NULL. */
struct lull_tree_node *lull_tree_ceil(const struct lull_tree *t, uint64_t key);
/** The node of this key, or NULL. */
struct lull_tree_node *lull_tree_find(const struct lull_tree *t, uint64_t key);

#endif
