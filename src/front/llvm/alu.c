// SPDX-License-Identifier: MIT
// Instructions that are one of LLVM's, by data/spirv/alu.tsv.
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "front/llvm/lower_priv.h"

enum how { BIN, ICMP, FCMP, CALL, EACH };

enum { MAX_OPERANDS = 3 };

struct row {
    uint32_t glsl; ///< 1: of GLSL.std.450.
    uint32_t op;
    char kind;  ///< Of all operands.
    unsigned n; ///< How many.
    enum how how;
    unsigned what; ///< LLVMOpcode or predicate.
    const char *name;
};

#include "alu_table.h"

LLVMValueRef lull_fl_contract(const struct lull_fl *f, LLVMValueRef v)
{
    const bool can = LLVMIsAInstruction(v) != NULL && LLVMCanValueUseFastMathFlags(v);
    const bool typed = f->in != NULL && f->in->n > 2;
    if (can && typed && !f->m->ids[f->in->w[2]].decor.no_contraction) {
        LLVMSetFastMathFlags(v, LLVMFastMathAllowContract);
    }
    return v;
}

static int by_key(const void *key, const void *row)
{
    const struct row *a = key, *b = row;
    return a->glsl != b->glsl ? (a->glsl > b->glsl) - (a->glsl < b->glsl)
                              : (a->op > b->op) - (a->op < b->op);
}

/** An intrinsic that is not for vectors. */
static LLVMValueRef each(const struct lull_fl *f, const struct row *row, LLVMValueRef *v)
{
    LLVMTypeRef type = LLVMTypeOf(v[0]);
    LLVMValueRef all = LLVMGetPoison(type), args[MAX_OPERANDS] = {0};
    for (unsigned i = 0; i < lull_fl_count(type); i++) {
        for (unsigned k = 0; k < row->n; k++) {
            args[k] = lull_fl_part(f, v[k], i);
        }
        LLVMValueRef one = lull_fl_call(f, row->name, LLVMTypeOf(args[0]), args, row->n);
        all = lull_fl_put(f, all, one, i);
    }
    return all;
}

/** The name of a constrained intrinsic, of what is rounded exactly; NULL: of nothing else. */
static const char *rounded_name(const struct row *row)
{
    if (row->how == BIN) {
        return row->what == LLVMFAdd   ? "fadd"
               : row->what == LLVMFSub ? "fsub"
               : row->what == LLVMFMul ? "fmul"
                                       : NULL;
    }
    return row->how == CALL && strcmp(row->name, "llvm.fma") == 0 ? "fma" : NULL;
}

static LLVMValueRef build(const struct lull_fl *f, const struct row *row, LLVMValueRef *v)
{
    if (rounded_name(row) != NULL && lull_fl_rounds_to_zero(f, LLVMTypeOf(v[0]))) {
        return lull_fl_rounded(f, rounded_name(row), v, row->n);
    }
    switch (row->how) {
    case BIN:
        return lull_fl_contract(f, LLVMBuildBinOp(f->b, (LLVMOpcode)row->what, v[0], v[1], ""));
    case ICMP:
        return LLVMBuildICmp(f->b, (LLVMIntPredicate)row->what, v[0], v[1], "");
    case FCMP:
        return LLVMBuildFCmp(f->b, (LLVMRealPredicate)row->what, v[0], v[1], "");
    case CALL:
        return lull_fl_call(f, row->name, LLVMTypeOf(v[0]), v, row->n);
    case EACH:
    default:
        return each(f, row, v);
    }
}

struct lull_error *lull_fl_alu(struct lull_fl *f, LLVMValueRef *ret, bool *ret_known)
{
    enum { FIRST = 3, FIRST_OF_EXTENDED = 5 };
    const struct lull_spv_insn *in = f->in;
    const bool extended = in->op == SpvOpExtInst;
    const struct row key = {.glsl = extended, .op = extended ? in->w[4] : in->op};
    const struct row *row = bsearch(&key, rows, sizeof rows / sizeof rows[0], sizeof *rows, by_key);
    const uint32_t first = extended ? FIRST_OF_EXTENDED : FIRST;
    LLVMValueRef v[MAX_OPERANDS] = {0};
    struct lull_error *err = NULL;
    *ret_known = row != NULL;
    if (row == NULL) {
        return NULL;
    }
    for (unsigned i = 0; i < row->n && err == NULL; i++) {
        err = lull_fl_get_kind(f, lull_spv_word(in, first + i), row->kind, &v[i]);
        if (err == NULL && LLVMTypeOf(v[i]) != LLVMTypeOf(v[0])) {
            err = lull_fl_bad(f, "operands of different types");
        }
    }
    const bool wide = err == NULL && row->name != NULL && row->kind == 'f' &&
                      lull_fl_scalar_of(LLVMTypeOf(v[0])) == f->f64;
    if (wide &&
        (row->op == GLSLstd450Exp2 || row->op == GLSLstd450Log2 || row->op == GLSLstd450Pow ||
         row->op == GLSLstd450Sin || row->op == GLSLstd450Cos)) {
        err = lull_fl_bad(f, "floats of 64 bits");
    }
    *ret = err == NULL ? build(f, row, v) : NULL;
    return err;
}
