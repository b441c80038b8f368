// SPDX-License-Identifier: MIT
// Patches between a tessellation control and an evaluation shader: what of them lies off chip, and
// where. Each patch has a record; in it all vertices' positions and parameters by key, sixteen
// bytes each, then what belongs to the patch. Only what the evaluation shader reads is there.
//
// Source: Mesa 25.0.7, src/amd/common/nir/ac_nir_lower_tess_io_to_mem.c (what is where, coherence)
// and src/amd/vulkan/radv_shader_args.c (registers); Vulkan 1.3, "Tessellation".
#include <stdio.h>

#include <spirv/unified1/spirv.h>

#include "front/llvm/stage.h"

enum {
    SLOT_BYTES = 16,
    OFF_CHIP = 10, // descriptor of the global table; LLPC's SiDrvTableHsBufferOffs
    MOST_POINTS = 32,
    KEY_OUTER = LULL_FR_LOCATIONS, // of what belongs to a patch: locations first
    KEY_INNER,
    PATCH_KEYS,
};

static unsigned count(uint64_t keys)
{
    return (unsigned)__builtin_popcountll(keys);
}

static unsigned patch_key(const struct lull_fr_leaf *leaf)
{
    return leaf->decor.builtin == LULL_FR_NONE               ? leaf->location
           : leaf->decor.builtin == SpvBuiltInTessLevelOuter ? KEY_OUTER
           : leaf->decor.builtin == SpvBuiltInTessLevelInner ? KEY_INNER
                                                             : PATCH_KEYS;
}

/** Key of a leaf among those of vertices or of patches; whether there is one. */
static bool key_of(const struct lull_fr_leaf *leaf, unsigned *ret)
{
    *ret = leaf->each != 0 ? lull_fl_vertex_key(leaf) : patch_key(leaf);
    return *ret < (leaf->each != 0 ? (unsigned)LULL_FL_VERTEX_KEYS : (unsigned)PATCH_KEYS);
}

/** Words of a leaf; levels are arrays. */
static unsigned words_of(const struct lull_fr_leaf *leaf)
{
    const struct lull_fr_type *t = leaf->type;
    const bool levels = leaf->each == 0 && leaf->decor.builtin != LULL_FR_NONE;
    if (!levels) {
        return lull_fl_leaf_words(leaf);
    }
    return t->kind == LULL_FR_ARRAY && t->element->kind == LULL_FR_FLOAT &&
                   t->element->bits == 32 && t->count <= LULL_FL_WORDS
               ? t->count
               : 0;
}

/** Take up what the evaluation shader reads. */
LULL_MUST_USE static struct lull_error *count_input(void *arg, const struct lull_fr_leaf *leaf)
{
    struct lull_fl_tess *t = arg;
    unsigned key = 0;
    const unsigned n = words_of(leaf);
    const bool passes = key_of(leaf, &key);
    if (!passes && leaf->each == 0) {
        return NULL; // a built-in of the point that is evaluated
    }
    if (!passes || n == 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "input %%%u: built-in %u (%s) of patches",
                              leaf->id, leaf->decor.builtin,
                              lull_spv_builtin_name(leaf->decor.builtin));
    }
    for (unsigned i = 0; i < (leaf->component + n + LULL_FL_WORDS - 1) / LULL_FL_WORDS; i++) {
        *(leaf->each != 0 ? &t->keys : &t->patch_keys) |= UINT64_C(1) << (key + i);
    }
    return NULL;
}

/** What one of both shaders says of the tessellation. */
static void take_modes(const struct lull_fr_shapes *from, struct lull_fr_shapes *to)
{
    to->domain = from->domain != LULL_FR_NO_DOMAIN ? from->domain : to->domain;
    to->spacing = from->has_spacing ? from->spacing : to->spacing;
    to->clockwise = from->has_order ? from->clockwise : to->clockwise;
    to->points |= from->points;
}

uint32_t lull_fl_tess_bytes(const struct lull_fl_tess *t)
{
    return SLOT_BYTES * (count(t->keys) * t->points + count(t->patch_keys));
}

struct lull_error *lull_fl_tess_read(const struct lull_fr_module *control,
                                     const struct lull_fr_module *evaluation,
                                     struct lull_fl_tess *ret)
{
    *ret = (struct lull_fl_tess){.control = control, .points = control->shapes.vertices};
    take_modes(&control->shapes, &ret->modes);
    take_modes(&evaluation->shapes, &ret->modes);
    if (ret->points == 0 || ret->points > MOST_POINTS) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "a tessellation control shader that puts out %u vertices; 1 to %d "
                              "are possible",
                              ret->points, MOST_POINTS);
    }
    if (ret->modes.domain == LULL_FR_NO_DOMAIN) {
        return lull_error_new(LULL_ERR_BAD_DATA, "no shader says whether patches are triangles, "
                                                 "quads or isolines");
    }
    return lull_fr_leaves(evaluation, SpvStorageClassInput, count_input, ret);
}

/** Bytes of a word in the record of patch @p patch; @p point: of which vertex. */
static LLVMValueRef place(const struct lull_fl *f, LLVMValueRef patch, LLVMValueRef point,
                          unsigned key, unsigned component)
{
    const struct lull_fl_tess *t = f->tess;
    const uint64_t below = (UINT64_C(1) << key) - 1;
    const unsigned slot = point != NULL ? count(t->keys & below) * t->points
                                        : count(t->keys) * t->points + count(t->patch_keys & below);
    LLVMValueRef at = LLVMBuildMul(f->b, patch, lull_fl_int(f, lull_fl_tess_bytes(t)), "");
    if (point != NULL) {
        at = LLVMBuildAdd(f->b, at, LLVMBuildMul(f->b, point, lull_fl_int(f, SLOT_BYTES), ""), "");
    }
    const uint64_t bytes = (uint64_t)SLOT_BYTES * slot + sizeof(uint32_t) * component;
    return LLVMBuildAdd(f->b, at, lull_fl_int(f, bytes), "");
}

LLVMValueRef lull_fl_global_desc(const struct lull_fl *f, unsigned n)
{
    LLVMValueRef which = lull_fl_int(f, n);
    return lull_fl_extern(f, "lull.global.desc", LLVMVectorType(f->i32, 4), &which, 1);
}

/** Words of the slot of one key that a leaf has, from word @p word of its own on. */
static unsigned run_of(const struct lull_fr_leaf *leaf, unsigned n, unsigned word)
{
    const unsigned in_slot = LULL_FL_WORDS - (leaf->component + word) % LULL_FL_WORDS;
    return n - word < in_slot ? n - word : in_slot;
}

void lull_fl_store_words(const struct lull_fl *f, LLVMValueRef desc, LLVMValueRef at,
                         LLVMValueRef base, const LLVMValueRef *words, unsigned n)
{
    LLVMTypeRef type = n == 1 ? f->i32 : LLVMVectorType(f->i32, n);
    LLVMValueRef v = words[0];
    if (n != 1) {
        v = LLVMGetPoison(type);
        for (unsigned i = 0; i < n; i++) {
            v = lull_fl_put(f, v, words[i], i);
        }
    }
    LLVMValueRef args[5] = {v, desc, at, base, lull_fl_int(f, lull_fl_coherent(f, true))};
    lull_fl_call(f, "llvm.amdgcn.raw.buffer.store", type, args, 5);
}

void lull_fl_patch_store(const struct lull_fl *f, const struct lull_fr_leaf *leaf,
                         LLVMValueRef patch, LLVMValueRef point, LLVMValueRef base, LLVMValueRef v)
{
    LLVMValueRef words[8] = {0};
    unsigned key = 0;
    const unsigned n = words_of(leaf);
    const uint64_t keys = leaf->each != 0 ? f->tess->keys : f->tess->patch_keys;
    if (n == 0 || !key_of(leaf, &key)) {
        return;
    }
    (void)lull_fl_leaf_to_words(f, leaf, v, words);
    for (unsigned i = 0, run = 0; i < n; i += run) {
        const unsigned word = leaf->component + i, at = key + word / LULL_FL_WORDS;
        run = run_of(leaf, n, i);
        if ((keys >> at & 1) != 0) {
            lull_fl_store_words(
                f, lull_fl_global_desc(f, OFF_CHIP),
                place(f, patch, leaf->each != 0 ? point : NULL, at, word % LULL_FL_WORDS), base,
                words + i, run);
        }
    }
}

/** What lies off chip of a leaf. */
static LLVMValueRef load(const struct lull_fl *f, const struct lull_fr_leaf *leaf,
                         LLVMValueRef point)
{
    LLVMValueRef words[8] = {0};
    unsigned key = 0;
    const unsigned n = words_of(leaf);
    (void)key_of(leaf, &key); // count_input() has seen it
    for (unsigned i = 0, run = 0; i < n; i += run) {
        const unsigned word = leaf->component + i;
        run = run_of(leaf, n, i);
        LLVMTypeRef type = run == 1 ? f->i32 : LLVMVectorType(f->i32, run);
        LLVMValueRef at = place(f, lull_fl_register(f, LULL_FL_RELATIVE_PATCH), point,
                                key + word / LULL_FL_WORDS, word % LULL_FL_WORDS);
        LLVMValueRef args[4] = {lull_fl_global_desc(f, OFF_CHIP), at,
                                lull_fl_register(f, LULL_FL_BASE_OFF_CHIP),
                                lull_fl_int(f, lull_fl_coherent(f, false))};
        LLVMValueRef v = lull_fl_call(f, "llvm.amdgcn.raw.buffer.load", type, args, 4);
        for (unsigned k = 0; k < run; k++) {
            words[i + k] = lull_fl_part(f, v, k);
        }
    }
    return lull_fl_leaf_from_words(f, leaf, words);
}

/** A built-in of the point; NULL: it is none. */
static LLVMValueRef builtin(const struct lull_fl *f, uint32_t which)
{
    LLVMValueRef u = LLVMBuildBitCast(f->b, lull_fl_register(f, LULL_FL_U), f->f32, "");
    LLVMValueRef v = LLVMBuildBitCast(f->b, lull_fl_register(f, LULL_FL_V), f->f32, "");
    LLVMValueRef w = LLVMConstReal(f->f32, 0);
    LLVMValueRef all = LLVMGetPoison(LLVMVectorType(f->f32, 3));
    switch (which) {
    case SpvBuiltInTessCoord:
        if (f->tess->modes.domain == LULL_FR_TRIANGLES) {
            w = LLVMBuildFSub(f->b, LLVMConstReal(f->f32, 1), u, "");
            w = LLVMBuildFSub(f->b, w, v, "");
        }
        all = lull_fl_put(f, lull_fl_put(f, all, u, 0), v, 1);
        return lull_fl_put(f, all, w, 2);
    case SpvBuiltInPrimitiveId:
        lull_fl_is_numbered(f);
        return lull_fl_register(f, LULL_FL_PATCH);
    case SpvBuiltInPatchVertices:
        return lull_fl_int(f, f->tess->points);
    default:
        return NULL;
    }
}

/** Vertices of the patch: those that there are. */
LULL_MUST_USE static struct lull_error *vertices(struct lull_fl *f, const struct lull_fr_leaf *leaf)
{
    struct lull_error *err = NULL;
    for (unsigned i = 0; i < leaf->each && i < f->tess->points && err == NULL; i++) {
        struct lull_fl_pointer at = {0};
        LLVMValueRef point = lull_fl_int(f, i), v = load(f, leaf, point);
        err = lull_fl_leaf_at(f, leaf, point, &at);
        err = err != NULL ? err : lull_fl_store(f, &at, v);
    }
    return err;
}

struct lull_error *lull_fl_evaluation_input(struct lull_fl *f, const struct lull_fr_leaf *leaf)
{
    struct lull_fl_pointer at = {0};
    unsigned key = 0;
    if (leaf->each != 0) {
        return vertices(f, leaf);
    }
    LLVMValueRef v = key_of(leaf, &key) ? load(f, leaf, NULL) : builtin(f, leaf->decor.builtin);
    struct lull_error *err = lull_fl_leaf_at(f, leaf, NULL, &at);
    err = err == NULL && v == NULL ? lull_fl_builtin(f, leaf->decor.builtin, leaf->type, &v) : err;
    return err != NULL ? err : lull_fl_store(f, &at, v);
}

void lull_fl_tess_describe(const struct lull_fl *f)
{
    static const char *const domains[] = {"", "triangles", "quads", "isolines"};
    static const char *const spacings[] = {"equal", "even", "odd"};
    const struct lull_fr_shapes *m = &f->tess->modes;
    char text[96] = "";
    snprintf(text, sizeof text, "%s %s %s", domains[m->domain], spacings[m->spacing],
             m->points                       ? "points"
             : m->domain == LULL_FR_ISOLINES ? "lines"
             : m->clockwise                  ? "cw"
                                             : "ccw");
    LLVMAddTargetDependentFunctionAttr(f->fn, "lull-tessellation", text);
}
