// SPDX-License-Identifier: MIT
// What a pixel shader gives out: depth, stencil reference and coverage, then colours. Those go to
// lull.color.export: the pass behind knows the targets' formats.
#include <stdio.h>

#include <spirv/unified1/spirv.h>

#include "front/llvm/stage.h"
#include "spirv/grammar.h"

enum { TARGETS = 8, PARTS = 4, TARGET_DEPTH = 8, DEPTH = 1, STENCIL = 2, MASK = 4 };

struct output {
    struct lull_fl *f;
    LLVMValueRef color[TARGETS][PARTS]; ///< NULL: not written.
    LLVMValueRef second[PARTS];         ///< The second source of blending, of location 0.
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
    if (leaf->decor.color > 1 || (leaf->decor.color == 1 && leaf->location != 0)) {
        return lull_fl_refuse(o->f,
                              "output %%%u: location %u, index %u; a second colour for blending "
                              "has location 0, index 1",
                              leaf->id, leaf->location, leaf->decor.color);
    }
    LLVMValueRef *const to = leaf->decor.color == 1 ? o->second : o->color[leaf->location];
    LLVMValueRef words[8] = {0};
    const unsigned n = lull_fl_to_words(o->f, leaf->type, v, words);
    for (unsigned i = 0; i < n && leaf->component + i < PARTS; i++) {
        to[leaf->component + i] = words[i];
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
        return lull_fl_refuse(f, "output %%%u: built-in %u (%s)", leaf->id, leaf->decor.builtin,
                              lull_spv_builtin_name(leaf->decor.builtin));
    }
    return ok ? NULL : lull_fl_bad(f, "output %%%u: not the type of the built-in", leaf->id);
}

LULL_MUST_USE static struct lull_error *one(void *arg, const struct lull_fr_leaf *leaf)
{
    struct output *o = arg;
    struct lull_fl_pointer at = {0};
    LLVMValueRef v = NULL;
    struct lull_error *err = lull_fl_leaf_at(o->f, leaf, NULL, &at);
    err = err != NULL ? err : lull_fl_load(o->f, &at, &v);
    return err != NULL                           ? err
           : leaf->decor.builtin != LULL_FR_NONE ? builtin(o, leaf, v)
                                                 : color(o, leaf, v);
}

/** Export depth, stencil reference and coverage; NULL: not written. */
static void export_depth(const struct output *o, bool last)
{
    const struct lull_fl *f = o->f;
    const unsigned mask = (o->depth != NULL ? DEPTH : 0) | (o->stencil != NULL ? STENCIL : 0) |
                          (o->mask != NULL ? MASK : 0);
    LLVMValueRef v[PARTS] = {o->depth, o->stencil, o->mask, NULL};
    LLVMValueRef args[8] = {lull_fl_int(f, TARGET_DEPTH), lull_fl_int(f, mask)};
    for (unsigned i = 0; i < PARTS; i++) {
        args[2 + i] =
            v[i] != NULL ? LLVMBuildBitCast(f->b, v[i], f->f32, "") : LLVMGetPoison(f->f32);
    }
    args[6] = args[7] = LLVMConstInt(f->i1, last, false);
    if (mask != 0) {
        lull_fl_call(f, "llvm.amdgcn.exp", f->f32, args, 8);
    }
}

/** Words up to the last that is written. */
static unsigned written(const LLVMValueRef words[PARTS])
{
    unsigned n = 0;
    for (unsigned i = 0; i < PARTS; i++) {
        n = words[i] != NULL ? i + 1 : n;
    }
    return n;
}

/** Export a colour's words as floats, up to the last that is written. */
static void export_color(const struct lull_fl *f, unsigned location, unsigned index,
                         const LLVMValueRef words[PARTS])
{
    const unsigned n = written(words);
    if (n == 0) {
        return;
    }
    char name[40] = "lull.color.export.f32";
    LLVMValueRef all = LLVMBuildBitCast(f->b, words[n - 1], f->f32, "");
    if (n > 1) {
        snprintf(name, sizeof name, "lull.color.export.v%uf32", n);
        LLVMValueRef v = LLVMGetPoison(LLVMVectorType(f->f32, n));
        for (unsigned i = 0; i < n; i++) {
            v = words[i] != NULL
                    ? lull_fl_put(f, v, LLVMBuildBitCast(f->b, words[i], f->f32, ""), i)
                    : v;
        }
        all = v;
    }
    LLVMValueRef args[3] = {lull_fl_int(f, location), lull_fl_int(f, index), all};
    (void)lull_fl_extern(f, name, LLVMVoidTypeInContext(f->c), args, 3);
}

struct lull_error *lull_fl_pixel_end(struct lull_fl *f)
{
    struct output o = {.f = f};
    struct lull_error *err = lull_fr_leaves(f->m, SpvStorageClassOutput, one, &o);
    if (err != NULL) {
        return err;
    }
    unsigned ncolors = written(o.second) != 0;
    for (unsigned i = 0; i < TARGETS; i++) {
        ncolors += written(o.color[i]) != 0;
    }
    export_depth(&o, ncolors == 0);
    for (unsigned i = 0; i < TARGETS; i++) {
        export_color(f, i, 0, o.color[i]);
    }
    export_color(f, 0, 1, o.second);
    return NULL;
}
