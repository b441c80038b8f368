// SPDX-License-Identifier: MIT
// Blocks, branches, and calls, which are lowered in place.
//
// A phi is a variable that the blocks before write at their ends: LLVM makes phis of it, and at -O0
// it can be read. Merge instructions are not looked at: LLVM finds the structure itself.
#include <stdlib.h>

#include <spirv/unified1/spirv.h>

#include "base/cleanup.h"
#include "front/llvm/lower_priv.h"
#include "front/llvm/stage.h"

enum {
    MAX_DEPTH = 64,        // of calls
    MAX_EMITTED = 1 << 20, // instructions, those of functions counted for each call
};

/** One call of a function. */
struct frame {
    const struct lull_fr_function *function;
    LLVMBasicBlockRef *blocks; ///< Of each block that is reached; NULL: not reached.
    LLVMBasicBlockRef after;   ///< Where returns go.
    struct lull_fl_slot *result;
    unsigned depth;
};

/** Write what @p id is into a slot, which is made when it is written first. */
LULL_MUST_USE static struct lull_error *put(struct lull_fl *f, struct lull_fl_slot *s, uint32_t id,
                                            const struct lull_fr_type *type)
{
    const struct lull_fr_type *t = NULL;
    const struct lull_fl_pointer *p = NULL;
    LLVMValueRef v = NULL;
    struct lull_error *err = lull_fl_type_of(f, id, &t);
    if (err != NULL || t != type) {
        return err != NULL ? err : lull_fl_bad(f, "%%%u is of a wrong type", id);
    }
    if (t->kind == LULL_FR_POINTER) {
        err = lull_fl_get_pointer(f, id, &p);
        if (err == NULL && (p->base == NULL || lull_fl_is_resource(p) ||
                            (s->base != NULL && !lull_fl_alike(&s->like, p)))) {
            err = lull_fl_refuse(f, "a choice between pointers of different kinds");
        }
        if (err != NULL) {
            return err;
        }
        s->like = *p;
        v = p->base;
    } else {
        err = lull_fl_get(f, id, &v);
    }
    if (err != NULL) {
        return err;
    }
    s->base = s->base != NULL ? s->base : LLVMBuildAlloca(f->top, LLVMTypeOf(v), "");
    LLVMBuildStore(f->b, v, s->base);
    if (p != NULL && p->offset != NULL) {
        s->offset = s->offset != NULL ? s->offset : LLVMBuildAlloca(f->top, f->i32, "");
        LLVMBuildStore(f->b, p->offset, s->offset);
    }
    return NULL;
}

/** What is in a slot becomes what @p id is. */
LULL_MUST_USE static struct lull_error *take(struct lull_fl *f, const struct lull_fl_slot *s,
                                             uint32_t id, const struct lull_fr_type *t)
{
    LLVMTypeRef type = NULL;
    if (s->base == NULL) {
        return lull_fl_bad(f, "no block before gives it a value");
    }
    if (t->kind == LULL_FR_POINTER) {
        struct lull_fl_pointer p = s->like;
        p.base = LLVMBuildLoad2(f->b, LLVMTypeOf(s->like.base), s->base, "");
        p.offset = s->offset != NULL ? LLVMBuildLoad2(f->b, f->i32, s->offset, "") : NULL;
        return lull_fl_set_pointer(f, id, t, &p);
    }
    struct lull_error *err = lull_fl_type(f, t, &type);
    return err != NULL ? err : lull_fl_set(f, id, t, LLVMBuildLoad2(f->b, type, s->base, ""));
}

LULL_MUST_USE static struct lull_error *phi(struct lull_fl *f)
{
    const struct lull_fr_type *t = lull_fr_type_of(f->m, f->in->w[1]);
    const struct lull_fl_slot *s = f->slots[f->in->w[2]];
    return t == NULL || s == NULL ? lull_fl_bad(f, "no block before gives it a value")
                                  : take(f, s, f->in->w[2], t);
}

/** The phis of block @p to get the values that they have from block @p from. */
LULL_MUST_USE static struct lull_error *fill_phis(struct lull_fl *f, const struct frame *r,
                                                  uint32_t from, uint32_t to)
{
    const struct lull_fr_function *fn = r->function;
    const struct lull_spv_insn *saved = f->in;
    struct lull_spv_insn in = {0};
    struct lull_error *err = NULL;
    for (size_t pos = fn->blocks[to].first; err == NULL && pos < fn->blocks[to].end;) {
        lull_spv_next(&f->m->spv, &pos, &in);
        if (in.op != SpvOpPhi) {
            const bool between = in.op == SpvOpLine || in.op == SpvOpNoLine ||
                                 (in.op == SpvOpExtInst && !lull_fr_is_semantic(f->m, in.w[3]));
            if (!between) { // what is not semantic may stand among phis
                break;
            }
            continue;
        }
        f->in = &in;
        struct lull_fl_slot **s = &f->slots[in.w[2]];
        *s = *s != NULL ? *s : lull_arena_calloc(&f->arena, 1, sizeof **s);
        if (*s == NULL) {
            err = &lull_enomem;
        }
        bool found = false;
        for (uint32_t i = 3; i + 1 < in.n && err == NULL && !found; i += 2) {
            found = in.w[i + 1] == fn->blocks[from].label;
            err = found ? put(f, *s, in.w[i], lull_fr_type_of(f->m, in.w[1])) : NULL;
        }
        if (err == NULL && !found) {
            err = lull_fl_bad(f, "it has no value for block %%%u", fn->blocks[from].label);
        }
    }
    f->in = saved;
    return err;
}

LULL_MUST_USE static struct lull_error *choose(struct lull_fl *f, const struct frame *r,
                                               const struct lull_fr_block *b)
{
    const struct lull_spv_insn *in = f->in;
    const uint32_t *to = b->successors;
    LLVMValueRef v = NULL;
    if (in->op == SpvOpBranchConditional) {
        struct lull_error *err = lull_fl_get_kind(f, in->w[1], 'b', &v);
        if (err == NULL && lull_fl_count(LLVMTypeOf(v)) != 1) {
            err = lull_fl_bad(f, "its condition is a vector");
        }
        if (err == NULL) {
            LLVMBuildCondBr(f->b, v, r->blocks[to[0]], r->blocks[to[1]]);
        }
        return err;
    }
    struct lull_error *err = lull_fl_get_kind(f, in->w[1], 'i', &v);
    if (err != NULL || lull_fl_count(LLVMTypeOf(v)) != 1) {
        return err != NULL ? err : lull_fl_bad(f, "its selector is a vector");
    }
    const unsigned step = LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 32 ? 3 : 2;
    LLVMValueRef all = LLVMBuildSwitch(f->b, v, r->blocks[to[0]], b->nsuccessors);
    for (uint32_t k = 1; k < b->nsuccessors; k++) {
        const uint32_t at = 3 + (k - 1) * step;
        const uint64_t value = in->w[at] | (step == 3 ? (uint64_t)in->w[at + 1] << 32 : 0);
        LLVMAddCase(all, LLVMConstInt(LLVMTypeOf(v), value, false), r->blocks[to[k]]);
    }
    return NULL;
}

/** The lane ends: it is off from here on, where the shader gives out what it has, too. */
LULL_MUST_USE static struct lull_error *discard(struct lull_fl *f)
{
    LLVMValueRef no = LLVMConstInt(f->i1, 0, false);
    if (f->stage == NULL || !f->stage->pixel) {
        return lull_fl_bad(f, "only pixel shaders discard");
    }
    lull_fl_call(f, "llvm.amdgcn.kill", NULL, &no, 1);
    LLVMBuildBr(f->b, f->stage->end);
    return NULL;
}

/** The last instruction of a block. */
LULL_MUST_USE static struct lull_error *leave(struct lull_fl *f, const struct frame *r,
                                              uint32_t block)
{
    const struct lull_fr_block *b = &r->function->blocks[block];
    struct lull_error *err = NULL;
    for (uint32_t i = 0; i < b->nsuccessors && err == NULL; i++) {
        err = fill_phis(f, r, block, b->successors[i]);
    }
    if (err != NULL) {
        return err;
    }
    switch (f->in->op) {
    case SpvOpBranch:
        LLVMBuildBr(f->b, r->blocks[b->successors[0]]);
        return NULL;
    case SpvOpBranchConditional:
    case SpvOpSwitch:
        return choose(f, r, b);
    case SpvOpReturnValue:
        err = put(f, r->result, f->in->w[1], r->function->type->element);
        LLVMBuildBr(f->b, r->after);
        return err;
    case SpvOpReturn:
        LLVMBuildBr(f->b, r->after);
        return NULL;
    case SpvOpUnreachable:
        LLVMBuildUnreachable(f->b);
        return NULL;
    case SpvOpKill:
    case SpvOpTerminateInvocation:
        return discard(f);
    default:
        return lull_fl_refuse(f, "lull does not compile this instruction");
    }
}

/** What a function's ids were in an earlier call is gone. */
static void forget(struct lull_fl *f, const struct lull_fr_function *fn)
{
    struct lull_spv_insn in = {0};
    bool typed = false;
    for (size_t pos = fn->first; pos < fn->end && lull_spv_next(&f->m->spv, &pos, &in);) {
        if (lull_spv_has_result(in.op, &typed) && in.op != SpvOpFunctionParameter) {
            const uint32_t id = in.w[typed ? 2 : 1];
            f->values[id] = (struct lull_fl_value){0};
            f->slots[id] = NULL;
        }
    }
}

static struct lull_error *run(struct lull_fl *f, const struct frame *r) LULL_MUST_USE;

/** A call: parameters are what the arguments are. */
LULL_MUST_USE static struct lull_error *call(struct lull_fl *f, const struct frame *from)
{
    const struct lull_spv_insn *in = f->in;
    const uint32_t index = f->m->ids[in->w[3]].function;
    struct lull_fl_slot result = {0};
    if (index == 0 || f->m->functions[index - 1].norder == 0) {
        return lull_fl_bad(f, "%%%u is not a function with blocks", in->w[3]);
    }
    const struct lull_fr_function *fn = &f->m->functions[index - 1];
    if (in->n - 4 != fn->type->count || fn->type->element != lull_fr_type_of(f->m, in->w[1])) {
        return lull_fl_bad(f, "its operands are not those of the function");
    }
    if (from->depth == MAX_DEPTH) {
        return lull_fl_bad(f, "calls %u deep, or a function that calls itself", MAX_DEPTH);
    }
    for (uint32_t i = 0; i < fn->type->count; i++) {
        const struct lull_fr_type *t = NULL;
        struct lull_error *err = lull_fl_type_of(f, in->w[4 + i], &t);
        if (err != NULL || t != fn->type->members[i]) {
            return err != NULL ? err : lull_fl_bad(f, "%%%u is of a wrong type", in->w[4 + i]);
        }
        f->values[fn->params[i]] = f->values[in->w[4 + i]];
    }
    const struct frame r = {.function = fn,
                            .after = LLVMAppendBasicBlockInContext(f->c, f->fn, ""),
                            .result = &result,
                            .depth = from->depth + 1};
    const struct lull_fl_scope saved = lull_fl_debug_enter(f, fn);
    struct lull_error *err = lull_fl_debug_parameters(f, fn);
    err = err != NULL ? err : run(f, &r);
    lull_fl_debug_leave(f, &saved);
    f->in = in;
    if (err == NULL) {
        LLVMPositionBuilderAtEnd(f->b, r.after);
        err = fn->type->element->kind == LULL_FR_VOID || result.base == NULL
                  ? NULL // without a value: nothing returns
                  : take(f, &result, in->w[2], fn->type->element);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *one(struct lull_fl *f, const struct frame *r,
                                            uint32_t block, bool last)
{
    if (++f->emitted > MAX_EMITTED) {
        return lull_fl_refuse(f,
                              "more than %u instructions and numbers that are moved, with those of "
                              "functions at each call",
                              MAX_EMITTED);
    }
    lull_fl_debug_line(f);
    struct lull_error *err = last                             ? leave(f, r, block)
                             : f->in->op == SpvOpPhi          ? phi(f)
                             : f->in->op == SpvOpFunctionCall ? call(f, r)
                                                              : lull_fl_step_one(f);
    return err == NULL && !last && f->in->op == SpvOpVariable ? lull_fl_debug_variable(f) : err;
}

/** All blocks of a function, from where the builder is. */
struct lull_error *run(struct lull_fl *f, const struct frame *from)
{
    const struct lull_fr_function *fn = from->function;
    lull_cleanup(lull_freep) LLVMBasicBlockRef *blocks = calloc(fn->nblocks, sizeof *blocks);
    struct frame r = *from;
    struct lull_error *err = NULL;
    if (blocks == NULL) {
        return &lull_enomem;
    }
    r.blocks = blocks;
    forget(f, fn);
    for (uint32_t i = 0; i < fn->norder; i++) {
        blocks[fn->order[i]] = LLVMAppendBasicBlockInContext(f->c, f->fn, "");
    }
    LLVMBuildBr(f->b, blocks[0]);
    for (uint32_t i = 0; i < fn->norder && err == NULL; i++) {
        const struct lull_fr_block *b = &fn->blocks[fn->order[i]];
        struct lull_spv_insn in = {0};
        LLVMPositionBuilderAtEnd(f->b, blocks[fn->order[i]]);
        lull_fl_debug_block(f);
        for (size_t pos = b->first; err == NULL && pos < b->end;) {
            lull_spv_next(&f->m->spv, &pos, &in);
            f->in = &in;
            err = one(f, &r, fn->order[i], pos == b->end);
        }
    }
    f->in = NULL;
    return err;
}

struct lull_error *lull_fl_run(struct lull_fl *f)
{
    const struct lull_fr_function *fn = &f->m->functions[f->m->entry];
    struct lull_fl_slot none = {0};
    const struct frame r = {.function = fn,
                            .after = LLVMAppendBasicBlockInContext(f->c, f->fn, "end"),
                            .result = &none};
    if (f->stage != NULL) {
        f->stage->end = r.after;
    }
    struct lull_error *err = fn->type->count != 0 || fn->type->element->kind != LULL_FR_VOID
                                 ? lull_fl_bad(f, "the entry point has parameters or a result")
                                 : run(f, &r);
    if (err == NULL) {
        // LLVM takes the first line that it finds in this order for the end of the prologue.
        LLVMMoveBasicBlockAfter(r.after, LLVMGetLastBasicBlock(f->fn));
        LLVMPositionBuilderAtEnd(f->b, r.after);
        err = f->stage != NULL ? lull_fl_stage_end(f) : NULL;
    }
    if (err == NULL) {
        LLVMBuildRetVoid(f->b);
    }
    return err;
}
