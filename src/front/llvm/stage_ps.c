// SPDX-License-Identifier: MIT
// What a pixel shader reads: interpolated parameters, and which pixel it is.
#include <spirv/unified1/spirv.h>

#include "front/llvm/stage.h"

/** Parameters of the function. */
enum {
    PRIMITIVE_MASK,
    PERSPECTIVE_SAMPLE,
    PERSPECTIVE_CENTER,
    PERSPECTIVE_CENTROID,
    LINEAR_SAMPLE = 5,
    LINEAR_CENTER,
    LINEAR_CENTROID,
    POSITION_X = 9,
    POSITION_Z = 11,
    POSITION_W,
    FRONT_FACE,
    ANCILLARY,
    COVERAGE,
};

enum {
    SAMPLE_SHIFT = 8, // in ANCILLARY
    SAMPLE_MASK = 0xf,
    FIRST_VERTEX = 2, // parameter of interp.mov: P0
    BROADCAST_0 = 0,  // of four lanes, as LLVM's quad_perm
    ALL_ROWS = 0xf,
};

LLVMValueRef lull_fl_weights(const struct lull_fl *f, enum lull_fl_place place, bool linear)
{
    static const unsigned params[2][3] = {
        {PERSPECTIVE_CENTER, PERSPECTIVE_CENTROID, PERSPECTIVE_SAMPLE},
        {LINEAR_CENTER, LINEAR_CENTROID, LINEAR_SAMPLE},
    };
    return lull_fl_param(f, params[linear][place]);
}

static uint32_t key_of(const struct lull_fr_leaf *leaf)
{
    switch (leaf->decor.builtin) {
    case LULL_FR_NONE:
        return leaf->location;
    case SpvBuiltInLayer:
        return LULL_FL_KEY_LAYER;
    case SpvBuiltInViewportIndex:
        return LULL_FL_KEY_VIEWPORT;
    case SpvBuiltInPointCoord:
        return LULL_FL_KEY_POINT;
    case SpvBuiltInPrimitiveId:
        return LULL_FL_KEY_PRIMITIVE;
    default:
        return LULL_FL_NKEYS;
    }
}

/** Is the parameter that of the first vertex, for the whole primitive? */
static bool is_flat(const struct lull_fr_leaf *leaf)
{
    const struct lull_fr_type *s = lull_fr_scalar(leaf->type);
    return leaf->decor.flat || leaf->decor.per_primitive || s->kind != LULL_FR_FLOAT ||
           s->bits == 64;
}

LULL_MUST_USE static struct lull_error *count(void *arg, const struct lull_fr_leaf *leaf)
{
    struct lull_fl_stage *s = ((struct lull_fl *)arg)->stage;
    const uint32_t key = key_of(leaf), builtin = leaf->decor.builtin;
    s->per_sample |=
        leaf->decor.sample || builtin == SpvBuiltInSampleId || builtin == SpvBuiltInSamplePosition;
    if (key < LULL_FL_NKEYS) {
        const uint64_t all = lull_fr_is_plain(leaf->type) &&
                                     leaf->component + lull_fl_nwords(leaf->type) > LULL_FL_WORDS
                                 ? 3
                                 : 1;
        s->keys |= all << key;
        *(is_flat(leaf) ? &s->flat : &s->smooth) |= all << key;
        s->primitive |= leaf->decor.per_primitive ? all << key : 0;
    }
    if (builtin == SpvBuiltInClipDistance || builtin == SpvBuiltInCullDistance) {
        if (leaf->type->kind != LULL_FR_ARRAY || leaf->type->count > LULL_FL_DISTANCES) {
            return lull_fl_bad(arg, "input %%%u: distances are an array of up to 8 floats",
                               leaf->id);
        }
        *(builtin == SpvBuiltInClipDistance ? &s->nclip : &s->ncull) = (unsigned)leaf->type->count;
    }
    return NULL;
}

/** Has the module input attachments? They are read in the layer that is drawn to. */
static bool has_attachments(const struct lull_fl *f)
{
    for (uint32_t id = 1; id < f->m->spv.bound; id++) {
        const struct lull_fr_type *t = lull_fr_type_of(f->m, id);
        if (t != NULL && t->op == SpvOpTypeImage && t->image.dim == SpvDimSubpassData) {
            return true;
        }
    }
    return false;
}

struct lull_error *lull_fl_pixel_keys(struct lull_fl *f)
{
    struct lull_fl_stage *s = f->stage;
    struct lull_error *err = lull_fr_leaves(f->m, SpvStorageClassInput, count, f);
    const unsigned n = s->nclip + s->ncull;
    if (err == NULL && n > LULL_FL_DISTANCES) {
        err = lull_fl_bad(f, "more than 8 clip and cull distances");
    }
    if (has_attachments(f)) {
        s->keys |= UINT64_C(1) << LULL_FL_KEY_LAYER;
        s->flat |= UINT64_C(1) << LULL_FL_KEY_LAYER;
    }
    s->keys |= n > 0 ? UINT64_C(1) << LULL_FL_KEY_CLIP : 0;
    s->keys |= n > LULL_FL_WORDS ? UINT64_C(1) << LULL_FL_KEY_CLIP1 : 0;
    s->flat &= ~s->smooth; // a word that is not interpolated is the first vertex's either way
    return err;
}

/** Of the lanes of four, lane 0's: there the parameter of the first vertex is. */
static LLVMValueRef first_vertex(const struct lull_fl *f, LLVMValueRef v)
{
    LLVMValueRef args[5] = {LLVMBuildBitCast(f->b, v, f->i32, ""), lull_fl_int(f, BROADCAST_0),
                            lull_fl_int(f, ALL_ROWS), lull_fl_int(f, ALL_ROWS),
                            LLVMConstInt(f->i1, 1, false)};
    LLVMValueRef out = lull_fl_call(f, "llvm.amdgcn.mov.dpp", f->i32, args, 5);
    return lull_fl_call(f, "llvm.amdgcn.wqm", f->i32, &out, 1);
}

/** One word of a parameter before gfx11: instructions read parameters where they interpolate. */
static LLVMValueRef old_word(const struct lull_fl *f, unsigned slot, unsigned channel, bool flat,
                             LLVMValueRef ij)
{
    LLVMValueRef chan = lull_fl_int(f, channel), attr = lull_fl_int(f, slot);
    LLVMValueRef mask = lull_fl_param(f, PRIMITIVE_MASK), v = NULL;
    if (flat) {
        LLVMValueRef args[4] = {lull_fl_int(f, FIRST_VERTEX), chan, attr, mask};
        v = lull_fl_call(f, "llvm.amdgcn.interp.mov", NULL, args, 4);
    } else {
        LLVMValueRef one[4] = {lull_fl_part(f, ij, 0), chan, attr, mask};
        v = lull_fl_call(f, "llvm.amdgcn.interp.p1", NULL, one, 4);
        LLVMValueRef two[5] = {v, lull_fl_part(f, ij, 1), chan, attr, mask};
        v = lull_fl_call(f, "llvm.amdgcn.interp.p2", NULL, two, 5);
    }
    return LLVMBuildBitCast(f->b, v, f->i32, "");
}

/** One word of a parameter. */
static LLVMValueRef word(const struct lull_fl *f, unsigned key, unsigned channel, bool flat,
                         LLVMValueRef ij)
{
    if (f->gfx < LULL_FL_GFX11) {
        return old_word(f, lull_fl_slot_of(f->stage, key), channel, flat, ij);
    }
    LLVMValueRef args[3] = {lull_fl_int(f, channel), lull_fl_int(f, lull_fl_slot_of(f->stage, key)),
                            lull_fl_param(f, PRIMITIVE_MASK)};
    LLVMValueRef p = lull_fl_call(f, "llvm.amdgcn.lds.param.load", NULL, args, 3);
    if (flat) {
        return first_vertex(f, p);
    }
    LLVMValueRef one[3] = {p, lull_fl_part(f, ij, 0), p};
    LLVMValueRef sum = lull_fl_call(f, "llvm.amdgcn.interp.inreg.p10", NULL, one, 3);
    LLVMValueRef two[3] = {p, lull_fl_part(f, ij, 1), sum};
    sum = lull_fl_call(f, "llvm.amdgcn.interp.inreg.p2", NULL, two, 3);
    return LLVMBuildBitCast(f->b, sum, f->i32, "");
}

void lull_fl_pixel_begin(struct lull_fl *f)
{
    if (has_attachments(f)) {
        f->stage->layer = word(f, LULL_FL_KEY_LAYER, 0, true, NULL);
    }
}

LULL_MUST_USE static struct lull_error *parameter(struct lull_fl *f,
                                                  const struct lull_fr_leaf *leaf,
                                                  LLVMValueRef *ret)
{
    const uint32_t key = key_of(leaf);
    const bool flat = is_flat(leaf);
    const struct lull_fr_decor *d = &leaf->decor;
    const enum lull_fl_place place = d->centroid ? LULL_FL_CENTROID
                                     : d->sample ? LULL_FL_SAMPLE
                                                 : LULL_FL_CENTER;
    LLVMValueRef words[8] = {0};
    if (lull_fr_scalar(leaf->type)->brain || lull_fl_nwords(leaf->type) > 8) {
        return lull_fl_refuse(f, "input %%%u: of bfloat16", leaf->id);
    }
    LLVMValueRef ij = f->stage->ij != NULL ? f->stage->ij
                      : flat               ? NULL
                                           : lull_fl_weights(f, place, d->noperspective);
    for (unsigned i = 0; i < lull_fl_nwords(leaf->type); i++) {
        const unsigned at = key * LULL_FL_WORDS + leaf->component + i;
        words[i] = word(f, at / LULL_FL_WORDS, at % LULL_FL_WORDS, flat, ij);
    }
    *ret = lull_fl_from_words(f, leaf->type, words);
    return NULL;
}

/** Clip or cull distances: an array of floats. Cull distances lie behind the others. */
static LLVMValueRef distances(const struct lull_fl *f, const struct lull_fr_leaf *leaf,
                              LLVMTypeRef type)
{
    const bool cull = leaf->decor.builtin == SpvBuiltInCullDistance;
    LLVMValueRef all = LLVMGetPoison(type);
    for (unsigned i = 0; i < leaf->type->count; i++) {
        const unsigned at = LULL_FL_KEY_CLIP * LULL_FL_WORDS + (cull ? f->stage->nclip : 0) + i;
        LLVMValueRef v = word(f, at / LULL_FL_WORDS, at % LULL_FL_WORDS, false,
                              lull_fl_weights(f, LULL_FL_CENTER, false));
        v = LLVMBuildBitCast(f->b, v, f->f32, "");
        all = LLVMBuildInsertValue(f->b, all, v, i, "");
    }
    return all;
}

LLVMValueRef lull_fl_pixel_place(const struct lull_fl *f, unsigned part)
{
    return LLVMBuildFPToSI(f->b, lull_fl_param(f, POSITION_X + part), f->i32, "");
}

/** gl_FragCoord: its last part is one through w. */
static LLVMValueRef position(const struct lull_fl *f)
{
    LLVMValueRef v = LLVMGetPoison(LLVMVectorType(f->f32, 4));
    for (unsigned i = 0; i < 4; i++) {
        LLVMValueRef part = lull_fl_param(f, POSITION_X + i);
        if (i == 3) {
            part = lull_fl_call(f, "llvm.amdgcn.rcp", f->f32, &part, 1);
        }
        v = lull_fl_put(f, v, part, i);
    }
    return v;
}

/** Where in the pixel the shader runs: the position is the sample's. */
static LLVMValueRef sample_position(const struct lull_fl *f)
{
    LLVMValueRef v = LLVMGetPoison(LLVMVectorType(f->f32, 2));
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef part = lull_fl_param(f, POSITION_X + i);
        v = lull_fl_put(f, v, lull_fl_call(f, "llvm.amdgcn.fract", f->f32, &part, 1), i);
    }
    return v;
}

static LLVMValueRef sample_id(const struct lull_fl *f)
{
    LLVMValueRef v =
        LLVMBuildLShr(f->b, lull_fl_param(f, ANCILLARY), lull_fl_int(f, SAMPLE_SHIFT), "");
    return LLVMBuildAnd(f->b, v, lull_fl_int(f, SAMPLE_MASK), "");
}

/** The samples that this lane stands for, as an array of one. */
static LLVMValueRef coverage(const struct lull_fl *f)
{
    LLVMValueRef v = lull_fl_param(f, COVERAGE);
    if (f->stage->per_sample) {
        LLVMValueRef bit = LLVMBuildShl(f->b, lull_fl_int(f, 1), sample_id(f), "");
        v = LLVMBuildAnd(f->b, v, bit, "");
    }
    return LLVMBuildInsertValue(f->b, LLVMGetPoison(LLVMArrayType2(f->i32, 1)), v, 0, "");
}

/** A built-in that is no parameter; NULL: it is none of a pixel shader. */
static LLVMValueRef builtin(const struct lull_fl *f, uint32_t which)
{
    switch (which) {
    case SpvBuiltInFragCoord:
        return position(f);
    case SpvBuiltInFrontFacing:
        return LLVMBuildICmp(f->b, LLVMIntNE, lull_fl_param(f, FRONT_FACE), lull_fl_int(f, 0), "");
    case SpvBuiltInSampleId:
        return sample_id(f);
    case SpvBuiltInSamplePosition:
        return sample_position(f);
    case SpvBuiltInSampleMask:
        return coverage(f);
    case SpvBuiltInHelperInvocation:
        return LLVMBuildNot(f->b, lull_fl_call(f, "llvm.amdgcn.ps.live", NULL, NULL, 0), "");
    default:
        return NULL;
    }
}

struct lull_error *lull_fl_pixel_input(struct lull_fl *f, const struct lull_fr_leaf *leaf,
                                       LLVMValueRef *ret)
{
    LLVMTypeRef type = NULL;
    struct lull_error *err = lull_fl_type(f, leaf->type, &type);
    if (err != NULL) {
        return err;
    }
    if (key_of(leaf) < LULL_FL_NKEYS) {
        return lull_fr_is_plain(leaf->type) && lull_fr_scalar(leaf->type)->kind != LULL_FR_BOOL
                   ? parameter(f, leaf, ret)
                   : lull_fl_bad(f, "input %%%u: not a number or vector", leaf->id);
    }
    const uint32_t which = leaf->decor.builtin;
    if (which == SpvBuiltInClipDistance || which == SpvBuiltInCullDistance) {
        if (LLVMGetElementType(type) != f->f32) {
            return lull_fl_bad(f, "input %%%u: not the type of the built-in", leaf->id);
        }
        *ret = distances(f, leaf, type);
        return NULL;
    }
    *ret = builtin(f, which);
    if (*ret == NULL) {
        return lull_fl_builtin(f, leaf->decor.builtin, leaf->type, ret);
    }
    return LLVMTypeOf(*ret) == type
               ? NULL
               : lull_fl_bad(f, "input %%%u: not the type of the built-in", leaf->id);
}
