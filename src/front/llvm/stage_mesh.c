// SPDX-License-Identifier: MIT
// A mesh shader as a primitive shader that is launched like a compute shader (fast launch 2): its
// outputs are arrays in LDS, which all lanes of a workgroup write. Behind its last block the lanes
// export what is there, several rows of lanes if the workgroup has fewer lanes than outputs.
//
// Source: Mesa 25.0.7, src/amd/common/ac_nir_lower_ngg_mesh.c and src/amd/vulkan/radv_shader_args.c
// (registers); Vulkan 1.3, "Mesh Shading".
#include <stdio.h>

#include <llvm-c/Target.h>
#include <spirv/unified1/spirv.h>

#include "front/llvm/stage.h"

enum {
    MOST = 256, // lanes, vertices, primitives
    TARGET_PRIMITIVE = 20,
    NULL_BIT = 31,
    VIEWPORT_SHIFT = 20, // beside the layer, in what goes out with a primitive
    SHARED_SPACE = 3,
    LDS_MOST = 64 << 10,
    DRAW_INDEX = 0x10000005, // user data; PAL inc/core/palPipelineAbi.h
};

static uint32_t lanes_of(const struct lull_fl *f)
{
    const uint32_t *n = f->m->local_size;
    return n[0] * n[1] * n[2];
}

/** Which parameters there are, before any code needs their slots. */
LULL_MUST_USE static struct lull_error *count(void *arg, const struct lull_fr_leaf *leaf)
{
    struct lull_fl *f = arg;
    struct lull_fl_stage *s = f->stage;
    const uint32_t builtin = leaf->decor.builtin;
    unsigned key = leaf->location, n = 1;
    if (builtin == SpvBuiltInClipDistance || builtin == SpvBuiltInCullDistance) {
        return NULL; // the collected vertex knows how many
    }
    if (builtin == SpvBuiltInLayer || builtin == SpvBuiltInViewportIndex ||
        builtin == SpvBuiltInPrimitiveId) {
        key = builtin == SpvBuiltInLayer         ? LULL_FL_KEY_LAYER
              : builtin == SpvBuiltInPrimitiveId ? LULL_FL_KEY_PRIMITIVE
                                                 : LULL_FL_KEY_VIEWPORT;
    } else if (builtin != LULL_FR_NONE) {
        return NULL;
    } else {
        n = (leaf->component + lull_fl_nwords(leaf->type) + LULL_FL_WORDS - 1) / LULL_FL_WORDS;
    }
    for (unsigned i = key; i < key + n; i++) {
        const uint64_t bit = UINT64_C(1) << i;
        const bool primitive = lull_fl_is_of_primitive(leaf);
        if ((s->keys & bit) != 0 && ((s->primitive & bit) != 0) != primitive) {
            return lull_fl_bad(f, "location %u is of vertices and of primitives", i);
        }
        s->keys |= bit;
        s->primitive |= primitive ? bit : 0;
    }
    return NULL;
}

/** Clip and cull distances are parameters, too: two at most. */
LULL_MUST_USE static struct lull_error *count_distances(void *arg, const struct lull_fr_leaf *leaf)
{
    unsigned *n = arg;
    const uint32_t builtin = leaf->decor.builtin;
    *n += builtin == SpvBuiltInClipDistance || builtin == SpvBuiltInCullDistance ? leaf->type->count
                                                                                 : 0;
    return NULL;
}

LULL_MUST_USE static struct lull_error *check(struct lull_fl *f)
{
    const struct lull_fr_shapes *s = &f->m->shapes;
    if (s->corners == 0 || s->vertices == 0 || s->primitives == 0) {
        return lull_fl_bad(f, "a mesh shader that does not say what it puts out, and how much");
    }
    if (s->vertices > MOST || s->primitives > MOST) {
        return lull_fl_refuse(f, "a mesh of %u vertices and %u primitives; 256 are possible",
                              s->vertices, s->primitives);
    }
    return NULL;
}

struct lull_error *lull_fl_mesh_begin(struct lull_fl *f)
{
    struct lull_fl_stage *s = f->stage;
    unsigned ndistances = 0;
    struct lull_error *err = check(f);
    err = err != NULL ? err : lull_fr_leaves(f->m, SpvStorageClassOutput, count, f);
    err = err != NULL ? err
                      : lull_fr_leaves(f->m, SpvStorageClassOutput, count_distances, &ndistances);
    if (err != NULL) {
        return err;
    }
    if (f->multiview) {
        s->keys |= UINT64_C(1) << LULL_FL_KEY_LAYER;
        s->primitive |= UINT64_C(1) << LULL_FL_KEY_LAYER;
    }
    s->keys |= ndistances > 0 ? UINT64_C(1) << LULL_FL_KEY_CLIP : 0;
    s->keys |= ndistances > LULL_FL_WORDS ? UINT64_C(1) << LULL_FL_KEY_CLIP1 : 0;
    for (unsigned i = 0; i < 2; i++) {
        s->counts[i] = LLVMBuildAlloca(f->top, f->i32, "");
        LLVMBuildStore(f->b, lull_fl_int(f, 0), s->counts[i]);
    }
    LLVMBasicBlockRef threads = LLVMAppendBasicBlockInContext(f->c, f->fn, "threads");
    s->done = LLVMAppendBasicBlockInContext(f->c, f->fn, "done");
    s->lane = lull_fl_lane(f);
    LLVMValueRef first = LLVMBuildMul(f->b, lull_fl_wave_number(f), lull_fl_int(f, f->wave), "");
    s->index = LLVMBuildAdd(f->b, first, s->lane, "");
    if (lanes_of(f) % f->wave == 0) {
        LLVMBuildBr(f->b, threads);
    } else {
        LLVMValueRef in =
            LLVMBuildICmp(f->b, LLVMIntULT, s->index, lull_fl_int(f, lanes_of(f)), "");
        LLVMBuildCondBr(f->b, in, threads, s->done);
    }
    LLVMPositionBuilderAtEnd(f->b, threads);
    return NULL;
}

struct lull_error *lull_fl_mesh_input(struct lull_fl *f, const struct lull_fr_leaf *leaf,
                                      LLVMValueRef *ret)
{
    if (leaf->decor.builtin == LULL_FR_NONE) {
        return lull_fl_bad(f, "input %%%u: a mesh shader has only built-ins", leaf->id);
    }
    if (leaf->decor.builtin != SpvBuiltInDrawIndex) {
        return lull_fl_builtin(f, leaf->decor.builtin, leaf->type, ret);
    }
    LLVMValueRef arg = lull_fl_int(f, DRAW_INDEX);
    *ret = lull_fl_extern(f, "lull.user.data", f->i32, &arg, 1);
    return NULL;
}

struct lull_error *lull_fl_mesh(struct lull_fl *f, LLVMValueRef *ret, bool *ret_known)
{
    *ret_known = f->in->op == SpvOpSetMeshOutputsEXT;
    *ret = NULL;
    if (!*ret_known) {
        return NULL;
    }
    if (f->stage == NULL || !f->stage->mesh) {
        return lull_fl_bad(f, "not in a mesh shader");
    }
    struct lull_error *err = NULL;
    for (unsigned i = 0; i < 2 && err == NULL; i++) {
        LLVMValueRef v = NULL;
        err = lull_fl_get_kind(f, f->in->w[1 + i], 'i', &v);
        if (err == NULL && LLVMTypeOf(v) != f->i32) {
            err = lull_fl_bad(f, "%%%u is of a wrong type", f->in->w[1 + i]);
        }
        if (err == NULL) {
            LLVMBuildStore(f->b, v, f->stage->counts[i]);
        }
    }
    return err;
}

/** What the first lane said of the number of vertices and primitives, for all lanes. */
LULL_MUST_USE static struct lull_error *share_counts(struct lull_fl *f, LLVMValueRef ret[2])
{
    const struct lull_fl_stage *s = f->stage;
    const uint32_t most[2] = {f->m->shapes.vertices, f->m->shapes.primitives};
    LLVMTypeRef two = LLVMVectorType(f->i32, 2);
    LLVMValueRef shared = LLVMAddGlobalInAddressSpace(f->module, two, "counts", SHARED_SPACE);
    LLVMSetInitializer(shared, LLVMGetPoison(two));
    LLVMSetLinkage(shared, LLVMInternalLinkage);
    LLVMSetAlignment(shared, 8);
    LLVMBasicBlockRef first = LLVMAppendBasicBlockInContext(f->c, f->fn, "first");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntEQ, s->index, lull_fl_int(f, 0), ""), first,
                    s->done);
    LLVMPositionBuilderAtEnd(f->b, first);
    LLVMValueRef both = LLVMGetPoison(two);
    for (unsigned i = 0; i < 2; i++) {
        both = lull_fl_put(f, both, LLVMBuildLoad2(f->b, f->i32, s->counts[i], ""), i);
    }
    LLVMBuildStore(f->b, both, shared);
    LLVMBuildBr(f->b, s->done);
    LLVMPositionBuilderAtEnd(f->b, s->done);
    struct lull_error *err = lull_fl_meet(f);
    both = LLVMBuildLoad2(f->b, two, shared, "");
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef args[2] = {lull_fl_part(f, both, i), lull_fl_int(f, most[i])};
        ret[i] = lull_fl_first(f, lull_fl_call(f, "llvm.umin", f->i32, args, 2));
    }
    return err;
}

/**
 * The word that is a primitive: its vertices, and whether it is drawn. Vertices that the shader
 * never writes are undefined; here they are all the first.
 */
LULL_MUST_USE static struct lull_error *connection(const struct lull_fl *f,
                                                   const struct lull_fl_out *out, LLVMValueRef *ret)
{
    const unsigned n = out->corners != NULL ? f->m->shapes.corners : 0;
    if (n != 0 && lull_fl_count(LLVMTypeOf(out->corners)) != n) {
        return lull_fl_bad(f, "a mesh shader whose primitives have %u vertices and indices of %u",
                           n, lull_fl_count(LLVMTypeOf(out->corners)));
    }
    *ret = lull_fl_int(f, 0);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef v = lull_fl_field(f, lull_fl_part(f, out->corners, i), 0, MOST - 1);
        v = LLVMBuildShl(f->b, v, lull_fl_int(f, lull_fl_corner_bits(f) * i), "");
        *ret = LLVMBuildOr(f->b, *ret, v, "");
    }
    if (out->culled != NULL) {
        LLVMValueRef none = LLVMBuildZExt(f->b, out->culled, f->i32, "");
        none = LLVMBuildShl(f->b, none, lull_fl_int(f, NULL_BIT), "");
        *ret = LLVMBuildOr(f->b, *ret, none, "");
    }
    return NULL;
}

static void export_primitive(const struct lull_fl *f, const struct lull_fl_out *out,
                             LLVMValueRef word, LLVMValueRef row)
{
    const bool more = out->layer != NULL || out->viewport != NULL;
    LLVMValueRef poison = LLVMGetPoison(f->i32), payload = more ? lull_fl_int(f, 0) : poison;
    if (out->viewport != NULL) {
        payload = LLVMBuildShl(f->b, out->viewport, lull_fl_int(f, VIEWPORT_SHIFT), "");
    }
    if (out->layer != NULL) {
        payload = LLVMBuildOr(f->b, payload, out->layer, "");
    }
    LLVMValueRef args[8] = {lull_fl_int(f, TARGET_PRIMITIVE),
                            lull_fl_int(f, more ? 3 : 1),
                            word,
                            payload,
                            poison,
                            poison,
                            LLVMConstInt(f->i1, 1, false),
                            row};
    lull_fl_call(f, "llvm.amdgcn.exp.row", f->i32, args, 8);
}

/** What the pass that writes metadata needs to know. */
static void describe(const struct lull_fl *f, const struct lull_fl_out *primitive)
{
    char text[128] = "";
    const struct lull_fr_shapes *s = &f->m->shapes;
    const uint32_t *n = f->m->local_size;
    snprintf(text, sizeof text, "x=%u y=%u z=%u vertices=%u primitives=%u corners=%u%s%s", n[0],
             n[1], n[2], s->vertices, s->primitives, s->corners,
             primitive->layer != NULL || primitive->viewport != NULL ? " payload" : "",
             primitive->viewport != NULL ? " viewport" : "");
    LLVMAddTargetDependentFunctionAttr(f->fn, "lull-mesh", text);
}

LULL_MUST_USE static struct lull_error *primitives(struct lull_fl *f, LLVMValueRef n)
{
    struct lull_fl_out out = {0};
    struct lull_fl_rows r = {0};
    LLVMValueRef word = NULL;
    lull_fl_rows_begin(f, n, (lanes_of(f) + f->wave - 1) / f->wave, &r);
    struct lull_error *err = lull_fl_out_collect(f, r.index, true, &out);
    err = err != NULL ? err : connection(f, &out, &word);
    if (err != NULL) {
        return err;
    }
    lull_fl_out_store(f, f->stage->keys & f->stage->primitive, r.index);
    export_primitive(f, &out, word, r.row);
    lull_fl_rows_end(f, &r);
    describe(f, &out);
    return NULL;
}

LULL_MUST_USE static struct lull_error *vertices(struct lull_fl *f, LLVMValueRef n)
{
    struct lull_fl_out out = {0};
    struct lull_fl_rows r = {0};
    lull_fl_rows_begin(f, n, (lanes_of(f) + f->wave - 1) / f->wave, &r);
    struct lull_error *err = lull_fl_out_collect(f, r.index, false, &out);
    if (err == NULL) {
        lull_fl_out_store(f, f->stage->keys & ~f->stage->primitive, r.index);
        lull_fl_out_positions(f, &out, r.row);
        lull_fl_rows_end(f, &r);
        lull_fl_out_describe(f, &out);
    }
    return err;
}

/** Outputs and shared memory: is there that much LDS? */
LULL_MUST_USE static struct lull_error *check_lds(const struct lull_fl *f)
{
    uint64_t bytes = 0;
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(f->module);
    for (LLVMValueRef v = LLVMGetFirstGlobal(f->module); v != NULL; v = LLVMGetNextGlobal(v)) {
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(v)) == SHARED_SPACE) {
            bytes += LLVMABISizeOfType(layout, LLVMGlobalGetValueType(v));
        }
    }
    return bytes <= LDS_MOST
               ? NULL
               : lull_fl_refuse(f,
                                "a mesh shader whose outputs and shared memory need %llu bytes of "
                                "LDS; there are %d",
                                (unsigned long long)bytes, LDS_MOST);
}

struct lull_error *lull_fl_mesh_end(struct lull_fl *f)
{
    LLVMValueRef n[2] = {0};
    struct lull_error *err = share_counts(f, n);
    err = err != NULL ? err : check_lds(f);
    if (err == NULL) {
        lull_fl_request(f, n[0], n[1]);
        err = primitives(f, n[1]);
    }
    return err != NULL ? err : vertices(f, n[0]);
}
