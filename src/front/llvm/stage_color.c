// SPDX-License-Identifier: MIT
// What a pixel shader gives out: depth, stencil reference and coverage, then colours.
#include <spirv/unified1/spirv.h>

#include "front/llvm/stage.h"

enum { TARGETS = 8, TARGET_DEPTH = 8, DEPTH = 1, STENCIL = 2, MASK = 4 };

struct output {
    struct lull_fl *f;
    LLVMValueRef color[TARGETS][4]; ///< NULL: not written.
    LLVMValueRef depth, stencil, mask;
};

/** A colour, or a part of one. */
LULL_MUST_USE static struct lull_error *color(struct output *o, const struct lull_fr_leaf *leaf,
                                              LLVMValueRef v)
{
    const struct lull_fr_type *s = lull_fr_scalar(leaf->type);
    if (leaf->location >= TARGETS || s->bits == 64 || s->bits == 8 || s->brain) {
        return lull_fl_refuse(o->f,
                              "output %%%u: location %u; colours have 0 to 7, of 16 or 32 "
                              "bits",
                              leaf->id, leaf->location);
    }
    if (leaf->decor.color != 0) {
        return lull_fl_refuse(o->f, "output %%%u: a second colour for blending", leaf->id);
    }
    LLVMValueRef words[8] = {0};
    const unsigned n = lull_fl_to_words(o->f, leaf->type, v, words);
    for (unsigned i = 0; i < n && leaf->component + i < 4; i++) {
        o->color[leaf->location][leaf->component + i] = words[i];
    }
    return NULL;
}

/** gl_FragDepth and its like, as words. */
LULL_MUST_USE static struct lull_error *builtin(struct output *o, const struct lull_fr_leaf *leaf,
                                                LLVMValueRef v)
{
    const struct lull_fl *f = o->f;
    LLVMTypeRef type = LLVMTypeOf(v);
    bool ok = false;
    switch (leaf->decor.builtin) {
    case SpvBuiltInFragDepth:
        ok = type == f->f32;
        o->depth = v;
        break;
    case SpvBuiltInFragStencilRefEXT:
        ok = type == f->i32;
        o->stencil = v;
        break;
    case SpvBuiltInSampleMask:
        ok = type == LLVMArrayType2(f->i32, 1);
        o->mask = ok ? LLVMBuildExtractValue(f->b, v, 0, "") : NULL;
        break;
    default:
        return lull_fl_refuse(f, "output %%%u: built-in %u", leaf->id, leaf->decor.builtin);
    }
    return ok ? NULL : lull_fl_bad(f, "output %%%u: not the type of the built-in", leaf->id);
}

LULL_MUST_USE static struct lull_error *one(void *arg, const struct lull_fr_leaf *leaf)
{
    struct output *o = arg;
    struct lull_fl_pointer at = {0};
    LLVMValueRef v = NULL;
    struct lull_error *err = lull_fl_leaf_at(o->f, leaf, &at);
    err = err != NULL ? err : lull_fl_load(o->f, &at, &v);
    return err != NULL                           ? err
           : leaf->decor.builtin != LULL_FR_NONE ? builtin(o, leaf, v)
                                                 : color(o, leaf, v);
}

/** An export of words; NULL: undefined. */
static void export(const struct lull_fl *f, unsigned target, unsigned mask, const LLVMValueRef v[4],
                   bool last)
{
    LLVMValueRef args[8] = {lull_fl_int(f, target), lull_fl_int(f, mask)};
    for (unsigned i = 0; i < 4; i++) {
        args[2 + i] =
            v[i] != NULL ? LLVMBuildBitCast(f->b, v[i], f->f32, "") : LLVMGetPoison(f->f32);
    }
    args[6] = args[7] = LLVMConstInt(f->i1, last, false);
    lull_fl_call(f, "llvm.amdgcn.exp", f->f32, args, 8);
}

struct lull_error *lull_fl_pixel_end(struct lull_fl *f)
{
    struct output o = {.f = f};
    struct lull_error *err = lull_fr_leaves(f->m, SpvStorageClassOutput, one, &o);
    if (err != NULL) {
        return err;
    }
    unsigned ncolors = 0;
    bool written[TARGETS] = {0};
    for (unsigned i = 0; i < TARGETS; i++) {
        for (unsigned j = 0; j < 4; j++) {
            written[i] |= o.color[i][j] != NULL;
        }
        ncolors += written[i];
    }
    const unsigned mask = (o.depth != NULL ? DEPTH : 0) | (o.stencil != NULL ? STENCIL : 0) |
                          (o.mask != NULL ? MASK : 0);
    if (mask != 0) {
        LLVMValueRef v[4] = {o.depth, o.stencil, o.mask, NULL};
        export(f, TARGET_DEPTH, mask, v, ncolors == 0);
    }
    for (unsigned i = 0; i < TARGETS; i++) {
        if (written[i]) {
            export(f, i, 0xf, o.color[i], --ncolors == 0);
        }
    }
    return NULL;
}
