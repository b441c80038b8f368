// SPDX-License-Identifier: MIT
// The order in which a function's blocks go: constructs come whole, before the block where they
// merge.
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/eval/priv.h"

/** A walk in depth. */
struct walk {
    const struct lull_fr_function *f;
    uint32_t *stack; ///< Blocks that are open.
    uint32_t *next;  ///< By block: how many of its ways were gone.
    bool *seen;
    uint32_t (*merge)[2]; ///< By block: 1 + index of where it merges, continues; 0: nowhere.
};

/** Where a block merges and continues, as its last instructions say. */
static void find_merge(const struct lull_ev *ev, const struct lull_fr_block *b, uint32_t ret[2])
{
    struct lull_spv_insn in = {0};
    for (size_t pos = b->first; pos < b->end && lull_spv_next(&ev->m->spv, &pos, &in);) {
        if (in.op == SpvOpSelectionMerge || in.op == SpvOpLoopMerge) {
            ret[0] = ev->block_of[in.w[1]];
            ret[1] = in.op == SpvOpLoopMerge ? ev->block_of[in.w[2]] : 0;
        }
    }
}

/** The way number @p i out of block @p b: those that end last are gone first. */
static bool way(const struct walk *k, uint32_t b, uint32_t i, uint32_t *ret)
{
    const struct lull_fr_block *block = &k->f->blocks[b];
    if (i < 2) {
        *ret = k->merge[b][i] != 0 ? k->merge[b][i] - 1 : b;
        return true;
    }
    // The last successor first, so that the first comes first in the end.
    if (i - 2 < block->nsuccessors) {
        *ret = block->successors[block->nsuccessors - 1 - (i - 2)];
        return true;
    }
    return false;
}

static void go(const struct walk *k, struct lull_ev_order *o)
{
    uint32_t depth = 1, at = k->f->nblocks;
    k->stack[0] = 0;
    k->seen[0] = true;
    while (depth != 0) {
        const uint32_t b = k->stack[depth - 1];
        uint32_t to = 0;
        if (!way(k, b, k->next[b]++, &to)) {
            o->block[--at] = b;
            depth--;
        } else if (!k->seen[to]) {
            k->seen[to] = true;
            k->stack[depth++] = to;
        }
    }
    o->n = k->f->nblocks - at;
    memmove(o->block, o->block + at, o->n * sizeof *o->block);
    for (uint32_t i = 0; i < o->n; i++) {
        o->rank[o->block[i]] = i;
    }
}

LULL_MUST_USE static struct lull_error *order(struct lull_ev *ev, const struct lull_fr_function *f,
                                              struct lull_ev_order *o)
{
    const size_t n = (size_t)f->nblocks + 1;
    struct walk k = {.f = f,
                     .stack = lull_arena_calloc(&ev->arena, n, sizeof *k.stack),
                     .next = lull_arena_calloc(&ev->arena, n, sizeof *k.next),
                     .seen = lull_arena_calloc(&ev->arena, n, sizeof *k.seen),
                     .merge = lull_arena_calloc(&ev->arena, n, sizeof *k.merge)};
    o->rank = lull_arena_calloc(&ev->arena, n, sizeof *o->rank);
    o->block = lull_arena_calloc(&ev->arena, n, sizeof *o->block);
    if (k.stack == NULL || k.next == NULL || k.seen == NULL || k.merge == NULL || o->rank == NULL ||
        o->block == NULL) {
        return &lull_enomem;
    }
    memset(o->rank, 0xff, n * sizeof *o->rank);
    for (uint32_t i = 0; i < f->nblocks; i++) {
        find_merge(ev, &f->blocks[i], k.merge[i]);
        for (unsigned j = 0; j < 2; j++) { // a label of another function
            k.merge[i][j] = k.merge[i][j] <= f->nblocks ? k.merge[i][j] : 0;
        }
    }
    if (f->nblocks != 0) {
        go(&k, o);
    }
    return NULL;
}

struct lull_error *lull_ev_orders(struct lull_ev *ev)
{
    const struct lull_fr_module *m = ev->m;
    struct lull_error *err = NULL;
    ev->orders = lull_arena_calloc(&ev->arena, (size_t)m->nfunctions + 1, sizeof *ev->orders);
    ev->block_of = lull_arena_calloc(&ev->arena, (size_t)m->spv.bound + 1, sizeof *ev->block_of);
    if (ev->orders == NULL || ev->block_of == NULL) {
        return &lull_enomem;
    }
    for (uint32_t i = 0; i < m->nfunctions; i++) {
        for (uint32_t b = 0; b < m->functions[i].nblocks; b++) {
            ev->block_of[m->functions[i].blocks[b].label] = b + 1;
        }
    }
    for (uint32_t i = 0; i < m->nfunctions && err == NULL; i++) {
        err = order(ev, &m->functions[i], &ev->orders[i]);
    }
    return err;
}
