// SPDX-License-Identifier: MIT
// Geometry shaders of gfx9, which has no primitive shaders: what is emitted goes through memory,
// the ring between geometry and vertex shaders, with a message for each vertex. One more shader,
// the copy shader, runs for each of these vertices as a hardware vertex shader, reads it from the
// ring and exports it. The ring has for each word of a vertex a place for all vertices that a lane
// may emit; hardware spreads the lanes of a wave over it, sixteen beside each other.
//
// Source: Mesa 22.3.6, code of RADV for vega10 (messages, offsets in both shaders) and
// src/amd/vulkan/radv_shader_args.c; LLPC at 40cb8d95a, lgc/lowering/LowerInOut.cpp,
// GenerateCopyShader.cpp and SystemValues.cpp (descriptors and their fields).
#include <spirv/unified1/spirv.h>

#include "front/llvm/stage.h"

enum { VERTICES_OFFSET = 2, WAVE_INFO = 3 }; // parameters of the function

enum {
    GS_WAVE_SHIFT = 16, // in WAVE_INFO
    GS_WAVE_MASK = 0xff,
    MESSAGE_DONE = 3,
    MESSAGE_CUT = 0x12,
    MESSAGE_EMIT = 0x22,
    RING_OUT = 4, // descriptors of the global table; LLPC's SiDrvTableGsRingOuT0Offs
    RING_IN = 8,  // ... SiDrvTableVsRingInOffs
    WORD = 4,
    LANES_BESIDE = 16,
    STRIDE_SHIFT = 16, // in word 1 of a descriptor
    STRIDE_MASK = 0x3fff,
    FORMAT_SHIFT = 15, // in word 3
    FORMAT_MASK = 0xf,
    FORMAT_32 = 4,
    GLC_SLC = 3,
    SWIZZLED = 8,
    MOST_WORDS = 8, // of a leaf
};

/** Words of an output; 0: it is of no type that goes out. */
static unsigned words_of(const struct lull_fr_leaf *leaf)
{
    const struct lull_fr_type *t = leaf->type;
    if (lull_fr_is_plain(t)) {
        return lull_fr_scalar(t)->kind != LULL_FR_BOOL ? lull_fl_nwords(t) : 0;
    }
    return t->kind == LULL_FR_ARRAY && t->element->kind == LULL_FR_FLOAT &&
                   t->element->bits == 32 && t->count <= MOST_WORDS
               ? t->count
               : 0;
}

/** A walk over what is emitted, in the same order in both shaders. */
struct walk {
    struct lull_fl *f;
    LLVMValueRef ring, vertex; ///< Descriptor; number of the vertex, or bytes to the vertex.
    unsigned word;             ///< First of the leaf.
};

LULL_MUST_USE static struct lull_error *count(void *arg, const struct lull_fr_leaf *leaf)
{
    struct walk *w = arg;
    const unsigned n = words_of(leaf);
    w->word += n;
    return n != 0 ? NULL : lull_fl_bad(w->f, "output %%%u: not the type of the built-in", leaf->id);
}

struct lull_error *lull_fl_ring_prepare(struct lull_fl *f)
{
    struct walk w = {.f = f};
    struct lull_error *err = lull_fr_leaves(f->m, SpvStorageClassOutput, count, &w);
    const unsigned bytes = w.word * f->m->shapes.vertices * WORD;
    f->stage->ring_words = w.word;
    return err != NULL || bytes <= STRIDE_MASK
               ? err
               : lull_fl_refuse(f, "%u bytes emitted by an invocation; %d are possible", bytes,
                                STRIDE_MASK);
}

/** Word @p i of a descriptor with other bits. */
static LLVMValueRef change(const struct lull_fl *f, LLVMValueRef desc, unsigned i, uint32_t clear,
                           uint32_t set)
{
    LLVMValueRef v = LLVMBuildAnd(f->b, lull_fl_part(f, desc, i), lull_fl_int(f, ~clear), "");
    return lull_fl_put(f, desc, LLVMBuildOr(f->b, v, lull_fl_int(f, set), ""), i);
}

void lull_fl_ring_begin(struct lull_fl *f)
{
    const uint32_t stride = f->stage->ring_words * f->m->shapes.vertices * WORD;
    LLVMValueRef desc = lull_fl_global_desc(f, RING_OUT);
    desc = change(f, desc, 1, (uint32_t)STRIDE_MASK << STRIDE_SHIFT, stride << STRIDE_SHIFT);
    desc = change(f, desc, 3, FORMAT_MASK << FORMAT_SHIFT, FORMAT_32 << FORMAT_SHIFT);
    f->stage->ring = desc;
}

static void message(const struct lull_fl *f, unsigned what)
{
    LLVMValueRef wave = lull_fl_field(f, lull_fl_param(f, WAVE_INFO), GS_WAVE_SHIFT, GS_WAVE_MASK);
    LLVMValueRef args[2] = {lull_fl_int(f, what), wave};
    lull_fl_call(f, "llvm.amdgcn.s.sendmsg", NULL, args, 2);
}

/** One part of the outputs as they are now. */
LULL_MUST_USE static struct lull_error *put(void *arg, const struct lull_fr_leaf *leaf)
{
    struct walk *w = arg;
    struct lull_fl *f = w->f;
    struct lull_fl_pointer at = {0};
    LLVMValueRef v = NULL, words[MOST_WORDS] = {0};
    struct lull_error *err = lull_fl_leaf_at(f, leaf, NULL, &at);
    err = err != NULL ? err : lull_fl_load(f, &at, &v);
    if (err != NULL) {
        return err;
    }
    const unsigned n = lull_fl_leaf_to_words(f, leaf, v, words);
    for (unsigned i = 0; i < n; i++) {
        const unsigned first = (w->word + i) * f->m->shapes.vertices;
        LLVMValueRef place = LLVMBuildAdd(f->b, w->vertex, lull_fl_int(f, first), "");
        LLVMValueRef args[5] = {
            words[i], w->ring, LLVMBuildMul(f->b, place, lull_fl_int(f, WORD), ""),
            lull_fl_param(f, VERTICES_OFFSET), lull_fl_int(f, GLC_SLC | SWIZZLED)};
        lull_fl_call(f, "llvm.amdgcn.raw.buffer.store", f->i32, args, 5);
    }
    w->word += n;
    return NULL;
}

struct lull_error *lull_fl_ring_emit(struct lull_fl *f, LLVMValueRef vertex)
{
    struct walk w = {.f = f, .ring = f->stage->ring, .vertex = vertex};
    struct lull_error *err = lull_fr_leaves(f->m, SpvStorageClassOutput, put, &w);
    message(f, MESSAGE_EMIT);
    return err;
}

void lull_fl_ring_cut(const struct lull_fl *f)
{
    message(f, MESSAGE_CUT);
}

void lull_fl_ring_end(const struct lull_fl *f)
{
    LLVMBuildFence(f->b, LLVMAtomicOrderingRelease, false, ""); // what was stored is there
    message(f, MESSAGE_DONE);
}

/** One part of the outputs, from the ring. */
LULL_MUST_USE static struct lull_error *take(void *arg, const struct lull_fr_leaf *leaf)
{
    struct walk *w = arg;
    struct lull_fl *f = w->f;
    struct lull_fl_pointer at = {0};
    LLVMValueRef words[MOST_WORDS] = {0};
    const unsigned n = words_of(leaf);
    for (unsigned i = 0; i < n; i++) {
        const unsigned first = (w->word + i) * f->m->shapes.vertices * LANES_BESIDE * WORD;
        LLVMValueRef args[4] = {w->ring, LLVMBuildAdd(f->b, w->vertex, lull_fl_int(f, first), ""),
                                lull_fl_int(f, 0), lull_fl_int(f, GLC_SLC)};
        words[i] = lull_fl_call(f, "llvm.amdgcn.raw.buffer.load", f->i32, args, 4);
    }
    w->word += n;
    struct lull_error *err = lull_fl_leaf_at(f, leaf, NULL, &at);
    return err != NULL ? err : lull_fl_store(f, &at, lull_fl_leaf_from_words(f, leaf, words));
}

struct lull_error *lull_fl_ring_take(struct lull_fl *f)
{
    LLVMValueRef vertex = lull_fl_register(f, LULL_FL_VERTEX);
    struct walk w = {.f = f,
                     .ring = lull_fl_global_desc(f, RING_IN),
                     .vertex = LLVMBuildMul(f->b, vertex, lull_fl_int(f, WORD), "")};
    return lull_fr_leaves(f->m, SpvStorageClassOutput, take, &w);
}
