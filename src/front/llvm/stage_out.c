// SPDX-License-Identifier: MIT
// What goes out of a vertex or primitive: positions as exports, parameters into the attribute ring,
// before gfx11 as exports, too.
//
// Source: Mesa 25.0.7, src/amd/common/ac_nir.c (a fault of gfx10.1, too) and ac_nir_lower_ngg.c;
// exports: AMD, "RDNA3 Instruction Set Architecture", section 14.
#include <stdio.h>

#include <spirv/unified1/spirv.h>

#include "front/llvm/stage.h"
#include "spirv/grammar.h"

enum {
    TARGET_POSITION = 12,
    TARGET_PARAMETER = 32,
    RING_INFO = 5, // parameter of the function
    RING_MASK = 0x7fff,
    RING_SHIFT = 9,
    SLOT_BYTES = 16,
    VIEWPORT_SHIFT = 16,
};

/** The words of a parameter. */
static void set_words(struct lull_fl *f, unsigned key, unsigned component, LLVMValueRef *words,
                      unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const unsigned at = key * LULL_FL_WORDS + component + i; // 64 bits: into the next location
        if (at / LULL_FL_WORDS < LULL_FL_NKEYS) {
            f->stage->words[at / LULL_FL_WORDS][at % LULL_FL_WORDS] = words[i];
            f->stage->keys |= UINT64_C(1) << at / LULL_FL_WORDS;
        }
    }
}

/** Distances: an array of floats. */
LULL_MUST_USE static struct lull_error *distances(struct lull_fl *f,
                                                  const struct lull_fr_leaf *leaf, LLVMValueRef v,
                                                  LLVMValueRef *to, unsigned *n)
{
    if (leaf->type->kind != LULL_FR_ARRAY || leaf->type->count > LULL_FL_DISTANCES ||
        LLVMGetElementType(LLVMTypeOf(v)) != f->f32) {
        return lull_fl_bad(f, "output %%%u: distances are an array of up to 8 floats", leaf->id);
    }
    for (*n = 0; *n < leaf->type->count; (*n)++) {
        to[*n] = LLVMBuildExtractValue(f->b, v, *n, "");
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *builtin(struct lull_fl *f, const struct lull_fr_leaf *leaf,
                                                LLVMValueRef v, struct lull_fl_out *p)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    bool ok = true;
    switch (leaf->decor.builtin) {
    case SpvBuiltInPosition:
        p->position = v;
        ok = type == LLVMVectorType(f->f32, 4);
        break;
    case SpvBuiltInPointSize:
        p->size = v;
        ok = type == f->f32;
        break;
    case SpvBuiltInLayer:
        p->layer = v;
        ok = type == f->i32;
        break;
    case SpvBuiltInViewportIndex:
        p->viewport = v;
        ok = type == f->i32;
        break;
    case SpvBuiltInPrimitiveId:
        p->id = v;
        ok = type == f->i32;
        break;
    case SpvBuiltInCullPrimitiveEXT:
        p->culled = v;
        ok = type == f->i1;
        break;
    case SpvBuiltInPrimitivePointIndicesEXT:
    case SpvBuiltInPrimitiveLineIndicesEXT:
    case SpvBuiltInPrimitiveTriangleIndicesEXT:
        p->corners = v;
        ok = lull_fl_scalar_of(type) == f->i32;
        break;
    case SpvBuiltInClipDistance:
        return distances(f, leaf, v, p->clip, &p->nclip);
    case SpvBuiltInCullDistance:
        return distances(f, leaf, v, p->cull, &p->ncull);
    default:
        return lull_fl_refuse(f, "output %%%u: built-in %u (%s)", leaf->id, leaf->decor.builtin,
                              lull_spv_builtin_name(leaf->decor.builtin));
    }
    return ok ? NULL : lull_fl_bad(f, "output %%%u: not the type of the built-in", leaf->id);
}

bool lull_fl_is_of_primitive(const struct lull_fr_leaf *leaf)
{
    switch (leaf->decor.builtin) {
    case SpvBuiltInLayer:
    case SpvBuiltInViewportIndex:
    case SpvBuiltInPrimitiveId:
    case SpvBuiltInCullPrimitiveEXT:
    case SpvBuiltInPrimitivePointIndicesEXT:
    case SpvBuiltInPrimitiveLineIndicesEXT:
    case SpvBuiltInPrimitiveTriangleIndicesEXT:
    case SpvBuiltInPrimitiveShadingRateKHR:
        return leaf->each != 0;
    default:
        return leaf->decor.per_primitive;
    }
}

/** What is collected. */
struct collected {
    struct lull_fl *f;
    LLVMValueRef each;
    bool primitive;
    struct lull_fl_out *out;
};

/** One part of an output variable, as the shader left it. */
LULL_MUST_USE static struct lull_error *one(void *arg, const struct lull_fr_leaf *leaf)
{
    const struct collected *o = arg;
    struct lull_fl *f = o->f;
    struct lull_fl_pointer at = {0};
    LLVMValueRef v = NULL, words[8] = {0};
    if (lull_fl_is_of_primitive(leaf) != o->primitive) {
        return NULL;
    }
    struct lull_error *err = lull_fl_leaf_at(f, leaf, o->each, &at);
    err = err != NULL ? err : lull_fl_load(f, &at, &v);
    if (err != NULL || leaf->decor.builtin != LULL_FR_NONE) {
        return err != NULL ? err : builtin(f, leaf, v, o->out);
    }
    const unsigned n = lull_fl_to_words(f, leaf->type, v, words);
    set_words(f, leaf->location, leaf->component, words, n);
    return NULL;
}

/** Built-ins that pixel shaders may read are parameters, too. */
static void add_builtin_parameters(struct lull_fl *f, const struct lull_fl_out *p)
{
    LLVMValueRef all[2 * LULL_FL_DISTANCES] = {0};
    unsigned n = 0;
    LLVMValueRef layer = p->layer, viewport = p->viewport;
    LLVMValueRef id = p->id;
    if (id != NULL) {
        set_words(f, LULL_FL_KEY_PRIMITIVE, 0, &id, 1);
    }
    if (layer != NULL) {
        set_words(f, LULL_FL_KEY_LAYER, 0, &layer, 1);
    }
    if (viewport != NULL) {
        set_words(f, LULL_FL_KEY_VIEWPORT, 0, &viewport, 1);
    }
    for (unsigned i = 0; i < p->nclip + p->ncull; i++) {
        LLVMValueRef v = i < p->nclip ? p->clip[i] : p->cull[i - p->nclip];
        all[n++] = LLVMBuildBitCast(f->b, v, f->i32, "");
    }
    set_words(f, LULL_FL_KEY_CLIP, 0, all, n);
}

struct lull_error *lull_fl_out_collect(struct lull_fl *f, LLVMValueRef each, bool primitive,
                                       struct lull_fl_out *ret)
{
    struct collected o = {.f = f, .each = each, .primitive = primitive, .out = ret};
    struct lull_error *err = lull_fr_leaves(f->m, SpvStorageClassOutput, one, &o);
    if (err == NULL && ret->nclip + ret->ncull > LULL_FL_DISTANCES) {
        err = lull_fl_bad(f, "more than 8 clip and cull distances");
    }
    if (err != NULL) {
        return err;
    }
    if (f->multiview && ret->layer == NULL && primitive == f->stage->mesh) {
        ret->layer = lull_fl_view(f);
    }
    add_builtin_parameters(f, ret);
    return lull_fl_slots(f->stage) > LULL_FR_LOCATIONS
               ? lull_fl_refuse(f, "more than 32 parameters with built-ins")
               : NULL;
}

/** An export of four components; NULL: 0. */
static void export(const struct lull_fl *f, LLVMValueRef row, unsigned target,
                   const LLVMValueRef v[4], bool done)
{
    LLVMValueRef args[8] = {lull_fl_int(f, target), lull_fl_int(f, 0xf)};
    for (unsigned i = 0; i < 4; i++) {
        args[2 + i] =
            v[i] != NULL ? LLVMBuildBitCast(f->b, v[i], f->f32, "") : LLVMConstReal(f->f32, 0);
    }
    args[6] = LLVMConstInt(f->i1, done, false);
    // gfx10.1 leaves out positions of waves without lanes if neither DONE nor VM is set, and hangs.
    const bool vm = target < TARGET_PARAMETER && lull_fl_is_chip(f, "gfx101");
    args[7] = row != NULL ? row : LLVMConstInt(f->i1, vm, false);
    lull_fl_call(f, row != NULL ? "llvm.amdgcn.exp.row" : "llvm.amdgcn.exp", f->f32, args, 8);
}

/** Parameters of the lane's own vertex. */
static void export_parameters(const struct lull_fl *f, uint64_t keys)
{
    const struct lull_fl_stage *s = f->stage;
    for (unsigned key = 0; key < LULL_FL_NKEYS; key++) {
        if ((keys >> key & 1) != 0) {
            export(f, NULL, TARGET_PARAMETER + lull_fl_slot_of(s, key), s->words[key], false);
        }
    }
}

void lull_fl_out_store(struct lull_fl *f, uint64_t keys, LLVMValueRef index)
{
    const struct lull_fl_stage *s = f->stage;
    LLVMTypeRef four = LLVMVectorType(f->i32, 4);
    LLVMValueRef count = lull_fl_int(f, lull_fl_slots(s));
    if (keys == 0) {
        return;
    }
    if (f->gfx < LULL_FL_GFX11) {
        export_parameters(f, keys);
        return;
    }
    LLVMValueRef ring = lull_fl_extern(f, "lull.attribute.ring", four, &count, 1);
    LLVMValueRef place =
        LLVMBuildAnd(f->b, lull_fl_param(f, RING_INFO), lull_fl_int(f, RING_MASK), "");
    LLVMValueRef base = LLVMBuildShl(f->b, place, lull_fl_int(f, RING_SHIFT), "");
    for (unsigned key = 0; key < LULL_FL_NKEYS; key++) {
        LLVMValueRef v = LLVMConstNull(four);
        if ((keys >> key & 1) == 0) {
            continue;
        }
        for (unsigned i = 0; i < LULL_FL_WORDS; i++) {
            v = s->words[key][i] != NULL ? lull_fl_put(f, v, s->words[key][i], i) : v;
        }
        LLVMValueRef at = lull_fl_int(f, SLOT_BYTES * lull_fl_slot_of(s, key));
        LLVMValueRef args[6] = {v, ring, index, at, base, lull_fl_int(f, 0)};
        lull_fl_call(f, "llvm.amdgcn.struct.buffer.store", four, args, 6);
    }
    LLVMBuildFence(f->b, LLVMAtomicOrderingRelease, false, "");
}

void lull_fl_out_positions(const struct lull_fl *f, const struct lull_fl_out *p, LLVMValueRef row)
{
    LLVMValueRef v[LULL_FL_DISTANCES] = {0};
    const bool misc = p->size != NULL || p->layer != NULL || p->viewport != NULL;
    const unsigned ndistances = p->nclip + p->ncull;
    const unsigned last = misc + (ndistances + 3) / 4;
    for (unsigned i = 0; p->position != NULL && i < 4; i++) {
        v[i] = lull_fl_part(f, p->position, i);
    }
    export(f, row, TARGET_POSITION, v, last == 0);
    if (misc) {
        LLVMValueRef index = p->layer;
        if (p->viewport != NULL) {
            index = LLVMBuildShl(f->b, p->viewport, lull_fl_int(f, VIEWPORT_SHIFT), "");
            index = p->layer != NULL ? LLVMBuildOr(f->b, index, p->layer, "") : index;
        }
        LLVMValueRef w[4] = {p->size, NULL, index, NULL};
        export(f, row, TARGET_POSITION + 1, w, last == 1);
    }
    for (unsigned i = 0; i < LULL_FL_DISTANCES; i++) {
        v[i] = i < p->nclip ? p->clip[i] : i < ndistances ? p->cull[i - p->nclip] : NULL;
    }
    for (unsigned i = 0; i < ndistances; i += 4) {
        const unsigned at = misc + 1 + i / 4;
        export(f, row, TARGET_POSITION + at, v + i, at == last);
    }
}

void lull_fl_out_describe(const struct lull_fl *f, const struct lull_fl_out *p)
{
    char text[64] = "";
    const unsigned clip = (1u << p->nclip) - 1, cull = ((1u << p->ncull) - 1) << p->nclip;
    snprintf(text, sizeof text, "%s%s%s clip=%u cull=%u", p->size != NULL ? "size " : "",
             p->layer != NULL ? "layer " : "", p->viewport != NULL ? "viewport" : "", clip, cull);
    LLVMAddTargetDependentFunctionAttr(f->fn, "lull-positions", text);
}
