// SPDX-License-Identifier: MIT
// One instruction that is not about blocks.
#include <spirv/unified1/spirv.h>

#include "front/llvm/lower_priv.h"

/** Nothing is to be done for it. */
static bool is_silent(const struct lull_fl *f)
{
    switch (f->in->op) {
    case SpvOpNop:
    case SpvOpAssumeTrueKHR:
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpLoopMerge:
    case SpvOpSelectionMerge:
        return true;
    case SpvOpExtInst:
        return !lull_fr_is_semantic(f->m, f->in->w[3]);
    default:
        return false;
    }
}

static lull_fl_lowering *const lowerings[] = {
    lull_fl_vendor,           lull_fl_fragment,     lull_fl_alu,          lull_fl_special,
    lull_fl_convert,          lull_fl_composite,    lull_fl_matrix,       lull_fl_glsl,
    lull_fl_atomic,           lull_fl_subgroup,     lull_fl_dot_products, lull_fl_image,
    lull_fl_image_access,     lull_fl_image_sample, lull_fl_image_query,  lull_fl_cooperative,
    lull_fl_compare_pointers,
};

struct lull_error *lull_fl_step_one(struct lull_fl *f)
{
    bool typed = false, known = is_silent(f);
    const bool result = lull_spv_has_result(f->in->op, &typed);
    const struct lull_fr_type *t = result && typed ? lull_fr_type_of(f->m, f->in->w[1]) : NULL;
    LLVMValueRef v = NULL;
    if (lull_fl_is_printf(f)) {
        return lull_fl_printf(f);
    }
    if (known) {
        return NULL;
    }
    if (typed && (t == NULL || t->kind == LULL_FR_NO_TYPE)) {
        return lull_fl_bad(f, "%%%u is not a type", f->in->w[1]);
    }
    if (f->in->op == SpvOpUndef && lull_fl_is_logical(t)) {
        return lull_fl_null_pointer(f, f->in->w[2], t);
    }
    if (f->in->op == SpvOpUndef) {
        LLVMTypeRef type = NULL;
        struct lull_error *err = lull_fl_type(f, t, &type);
        return err != NULL ? err : lull_fl_set(f, f->in->w[2], t, LLVMConstNull(type));
    }
    if (t != NULL && t->kind == LULL_FR_POINTER &&
        (f->in->op == SpvOpSelect || f->in->op == SpvOpCopyObject)) {
        return lull_fl_choose_pointer(f, t);
    }
    struct lull_error *err = lull_fl_check_each(f);
    err = err != NULL ? err : lull_fl_memory(f, &known);
    err = err == NULL && !known ? lull_fl_mesh(f, &v, &known) : err;
    err = err == NULL && !known ? lull_fl_emits(f, &v, &known) : err;
    for (size_t i = 0; err == NULL && !known && i < sizeof lowerings / sizeof lowerings[0]; i++) {
        err = lowerings[i](f, &v, &known);
    }
    if (err == NULL && !known) {
        return lull_fl_refuse(f, "lull does not compile this instruction");
    }
    return err != NULL || v == NULL ? err : lull_fl_set(f, f->in->w[2], t, v);
}
