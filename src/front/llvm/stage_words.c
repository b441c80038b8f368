// SPDX-License-Identifier: MIT
// Parts of interface variables, and their values as 32-bit words.
#include "front/llvm/stage.h"

struct lull_error *lull_fl_leaf_at(struct lull_fl *f, const struct lull_fr_leaf *leaf,
                                   LLVMValueRef each, struct lull_fl_pointer *ret)
{
    const struct lull_fl_pointer *p = NULL;
    struct lull_error *err = lull_fl_get_pointer(f, leaf->id, &p);
    if (err != NULL) {
        return err;
    }
    *ret = *p;
    for (uint32_t i = 0; i < leaf->npath && err == NULL; i++) {
        const bool which = i == 0 && leaf->each != 0;
        err = lull_fl_step(f, ret, which ? each : lull_fl_int(f, leaf->path[i]));
    }
    return err;
}

unsigned lull_fl_nwords(const struct lull_fr_type *t)
{
    return (t->kind == LULL_FR_VECTOR ? t->count : 1) * (lull_fr_scalar(t)->bits == 64 ? 2 : 1);
}

unsigned lull_fl_to_words(const struct lull_fl *f, const struct lull_fr_type *t, LLVMValueRef v,
                          LLVMValueRef words[8])
{
    const struct lull_fr_type *s = lull_fr_scalar(t);
    LLVMTypeRef pair = LLVMVectorType(f->i32, 2);
    unsigned n = 0;
    for (unsigned i = 0; i < lull_fl_count(LLVMTypeOf(v)); i++) {
        LLVMValueRef part = lull_fl_part(f, v, i);
        if (s->bits == 64) {
            part = LLVMBuildBitCast(f->b, part, pair, "");
            words[n++] = lull_fl_part(f, part, 0);
            words[n++] = lull_fl_part(f, part, 1);
            continue;
        }
        if (s->kind == LULL_FR_FLOAT) {
            part = LLVMBuildBitCast(f->b, LLVMBuildFPCast(f->b, part, f->f32, ""), f->i32, "");
        } else {
            part = LLVMBuildIntCast2(f->b, part, f->i32, s->is_signed, "");
        }
        words[n++] = part;
    }
    return n;
}

LLVMValueRef lull_fl_from_words(const struct lull_fl *f, const struct lull_fr_type *t,
                                const LLVMValueRef words[8])
{
    const struct lull_fr_type *s = lull_fr_scalar(t);
    LLVMTypeRef type = NULL;
    struct lull_error *err = lull_fl_type(f, t, &type); // checked where the variable is declared
    lull_error_free(err);
    LLVMValueRef all = LLVMGetPoison(type);
    for (unsigned i = 0; i < lull_fl_count(type); i++) {
        LLVMTypeRef want = lull_fl_scalar_of(type);
        LLVMValueRef v = words[i];
        if (s->bits == 64) {
            LLVMValueRef pair = LLVMGetPoison(LLVMVectorType(f->i32, 2));
            pair = lull_fl_put(f, pair, words[2 * i], 0);
            v = LLVMBuildBitCast(f->b, lull_fl_put(f, pair, words[2 * i + 1], 1), want, "");
        } else if (s->kind == LULL_FR_FLOAT) {
            v = LLVMBuildFPCast(f->b, LLVMBuildBitCast(f->b, v, f->f32, ""), want, "");
        } else {
            v = LLVMBuildIntCast2(f->b, v, want, false, "");
        }
        all = lull_fl_put(f, all, v, i);
    }
    return all;
}
