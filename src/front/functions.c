// SPDX-License-Identifier: MIT
// Functions and their blocks.
#include <stdlib.h>

#include <spirv/unified1/spirv.h>

#include "front/module_priv.h"

/** What is being read. */
struct reader {
    struct lull_fr_module *m;
    uint32_t *block_of; ///< Of labels' ids: 1 + index in their function.
    uint32_t *owner;    ///< ... and 1 + the function's index.
};

/** Count functions; count blocks and parameters of the one that begins at @p pos. */
static void count(const struct lull_spv *m, size_t pos, uint32_t *ret_blocks, uint32_t *ret_params)
{
    struct lull_spv_insn in = {0};
    *ret_blocks = *ret_params = 0;
    while (lull_spv_next(m, &pos, &in) && in.op != SpvOpFunctionEnd) {
        *ret_blocks += in.op == SpvOpLabel;
        *ret_params += in.op == SpvOpFunctionParameter;
    }
}

LULL_MUST_USE static struct lull_error *begin(struct reader *r, const struct lull_spv_insn *in,
                                              struct lull_fr_function *f)
{
    uint32_t nparams = 0;
    f->id = in->w[2];
    f->first = (uint32_t)in->at;
    f->type = lull_fr_type_of(r->m, in->w[4]);
    count(&r->m->spv, in->at, &f->nblocks, &nparams);
    if (f->type == NULL || f->type->kind != LULL_FR_FUNCTION || f->type->count != nparams ||
        f->type->element != lull_fr_type_of(r->m, in->w[1])) {
        return lull_spv_error(LULL_ERR_BAD_DATA, in, "its type is not that of such a function");
    }
    f->params = lull_arena_calloc(&r->m->arena, (size_t)nparams + 1, sizeof *f->params);
    f->blocks = lull_arena_calloc(&r->m->arena, (size_t)f->nblocks + 1, sizeof *f->blocks);
    f->nblocks = 0; // counted again
    r->m->ids[f->id].function = 1 + (uint32_t)(f - r->m->functions);
    return f->params != NULL && f->blocks != NULL ? NULL : &lull_enomem;
}

/** One instruction of a function. @p ret_in_block: is a block open? */
LULL_MUST_USE static struct lull_error *add(struct reader *r, const struct lull_spv_insn *in,
                                            struct lull_fr_function *f, uint32_t *nparams,
                                            bool *in_block)
{
    const char *why = NULL;
    const uint32_t end = (uint32_t)(in->at + in->n);
    if (in->op == SpvOpFunctionParameter) {
        why = f->nblocks != 0 || lull_fr_type_of(r->m, in->w[1]) != f->type->members[*nparams]
                  ? "not the parameter of the function's type"
                  : NULL;
        f->params[(*nparams)++] = in->w[2];
    } else if (in->op == SpvOpLabel) {
        why = *in_block ? "the block before has no end" : NULL;
        r->block_of[in->w[1]] = f->nblocks + 1;
        r->owner[in->w[1]] = 1 + (uint32_t)(f - r->m->functions);
        f->blocks[f->nblocks++] = (struct lull_fr_block){.label = in->w[1], .first = end};
        *in_block = true;
    } else if (in->op == SpvOpLine || in->op == SpvOpNoLine ||
               (in->op == SpvOpExtInst && !lull_fr_is_semantic(r->m, in->w[3]) && !*in_block)) {
        return NULL; // what is not semantic may stand between blocks
    } else if (!*in_block) {
        why = "not in a block";
    } else if (lull_spv_ends_block(in->op)) {
        f->blocks[f->nblocks - 1].end = end;
        *in_block = false;
    }
    return why != NULL ? lull_spv_error(LULL_ERR_BAD_DATA, in, "%s", why) : NULL;
}

LULL_MUST_USE static struct lull_error *read_one(struct reader *r, size_t *pos,
                                                 const struct lull_spv_insn *first,
                                                 struct lull_fr_function *f)
{
    uint32_t nparams = 0;
    bool in_block = false;
    struct lull_spv_insn in = {0};
    struct lull_error *err = begin(r, first, f);
    while (err == NULL && lull_spv_next(&r->m->spv, pos, &in)) {
        err = lull_spv_check(&r->m->spv, &in);
        if (err != NULL) {
            return err;
        }
        if (in.op == SpvOpFunctionEnd) {
            f->end = (uint32_t)*pos;
            return in_block ? lull_spv_error(LULL_ERR_BAD_DATA, &in, "the last block has no end")
                            : NULL;
        }
        err = in.op == SpvOpFunction ? lull_spv_error(LULL_ERR_BAD_DATA, &in, "in a function")
                                     : add(r, &in, f, &nparams, &in_block);
    }
    return err != NULL ? err : lull_spv_error(LULL_ERR_BAD_DATA, first, "the function has no end");
}

/** Where the last instruction of a block goes: words @p from on, every @p step-th. */
LULL_MUST_USE static struct lull_error *targets(const struct reader *r, uint32_t function,
                                                const struct lull_spv_insn *in,
                                                struct lull_fr_block *b)
{
    uint32_t from = in->n, step = 1, limit = in->n;
    if (in->op == SpvOpBranch) {
        from = 1;
    } else if (in->op == SpvOpBranchConditional) {
        from = 2;
        limit = 4; // weights behind them
    } else if (in->op == SpvOpSwitch) {
        const struct lull_fr_type *t = lull_fr_type_of(r->m, r->m->spv.type[in->w[1]]);
        from = 2;
        if (t == NULL || t->kind != LULL_FR_INT) {
            return lull_spv_error(LULL_ERR_BAD_DATA, in, "its selector is not an integer");
        }
        step = t->bits > 32 ? 3 : 2;
    }
    b->successors = lull_arena_calloc(&r->m->arena, in->n, sizeof *b->successors);
    if (b->successors == NULL) {
        return &lull_enomem;
    }
    for (uint32_t i = from; i < limit; i += step) {
        const uint32_t id = in->w[i];
        if (r->owner[id] != function + 1) {
            return lull_spv_error(LULL_ERR_BAD_DATA, in, "%%%u is not a block of this function",
                                  id);
        }
        b->successors[b->nsuccessors++] = r->block_of[id] - 1;
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *link_blocks(const struct reader *r, uint32_t function)
{
    struct lull_fr_function *f = &r->m->functions[function];
    struct lull_error *err = NULL;
    for (uint32_t i = 0; i < f->nblocks && err == NULL; i++) {
        struct lull_spv_insn in = {0};
        for (size_t pos = f->blocks[i].first; pos < f->blocks[i].end;) {
            lull_spv_next(&r->m->spv, &pos, &in);
        }
        err = targets(r, function, &in, &f->blocks[i]);
    }
    return err;
}

/** Reverse post-order, without recursion. */
LULL_MUST_USE static struct lull_error *order_blocks(struct lull_fr_module *m,
                                                     struct lull_fr_function *f)
{
    if (f->nblocks == 0) {
        return NULL;
    }
    f->order = lull_arena_calloc(&m->arena, f->nblocks, sizeof *f->order);
    uint32_t *stack = lull_arena_calloc(&m->arena, f->nblocks, sizeof *stack);
    uint32_t *next = lull_arena_calloc(&m->arena, f->nblocks, sizeof *next);
    bool *seen = lull_arena_calloc(&m->arena, f->nblocks, sizeof *seen);
    if (f->order == NULL || stack == NULL || next == NULL || seen == NULL) {
        return &lull_enomem;
    }
    uint32_t depth = 1, at = f->nblocks;
    seen[0] = true;
    while (depth != 0) {
        const uint32_t b = stack[depth - 1];
        if (next[b] == f->blocks[b].nsuccessors) {
            f->order[--at] = b;
            depth--;
            continue;
        }
        const uint32_t to = f->blocks[b].successors[next[b]++];
        if (!seen[to]) {
            seen[to] = true;
            stack[depth++] = to;
        }
    }
    f->norder = f->nblocks - at;
    for (uint32_t i = 0; i < f->norder; i++) {
        f->order[i] = f->order[at + i];
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_all(struct reader *r)
{
    struct lull_fr_module *m = r->m;
    struct lull_spv_insn in = {0};
    struct lull_error *err = NULL;
    uint32_t n = 0;
    for (size_t pos = m->spv.functions; lull_spv_next(&m->spv, &pos, &in);) {
        n += in.op == SpvOpFunction;
    }
    m->functions = lull_arena_calloc(&m->arena, (size_t)n + 1, sizeof *m->functions);
    if (m->functions == NULL) {
        return &lull_enomem;
    }
    for (size_t pos = m->spv.functions; err == NULL && lull_spv_next(&m->spv, &pos, &in);) {
        err = lull_spv_check(&m->spv, &in);
        if (err == NULL && in.op == SpvOpFunction) {
            err = read_one(r, &pos, &in, &m->functions[m->nfunctions++]);
        } else if (err == NULL && in.op != SpvOpLine && in.op != SpvOpNoLine &&
                   (in.op != SpvOpExtInst || lull_fr_is_semantic(m, lull_spv_word(&in, 3)))) {
            err = lull_spv_error(LULL_ERR_BAD_DATA, &in, "not in a function");
        }
    }
    for (uint32_t i = 0; err == NULL && i < m->nfunctions; i++) {
        err = link_blocks(r, i);
        err = err != NULL ? err : order_blocks(m, &m->functions[i]);
    }
    return err;
}

struct lull_error *lull_fr_add_functions(struct lull_fr_module *m)
{
    struct reader r = {.m = m};
    r.block_of = lull_arena_calloc(&m->arena, m->spv.bound, sizeof *r.block_of);
    r.owner = lull_arena_calloc(&m->arena, m->spv.bound, sizeof *r.owner);
    return r.block_of != NULL && r.owner != NULL ? read_all(&r) : &lull_enomem;
}
