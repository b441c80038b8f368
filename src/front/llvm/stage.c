// SPDX-License-Identifier: MIT
// Shaders that draw, from their registers to their ends.
#include "front/llvm/stage.h"

#include <stdio.h>

#include <spirv/unified1/spirv.h>

#include "base/str.h"

enum { PAIRS = 7 };

/**
 * LLVM may rely on how many lanes a workgroup has: barriers are more than a wave's. Of a mesh
 * shader with one thread it must not: the same wave has a lane for each vertex and primitive.
 */
static void say_lanes(const struct lull_fl *f)
{
    enum { MOST = 256, SEVERAL = 2 };
    const uint32_t *size = f->m->local_size;
    const unsigned n = size[0] * size[1] * size[2], most = n < SEVERAL ? SEVERAL : n;
    char text[32] = "";
    snprintf(text, sizeof text, "%u,%u", f->stage->mesh ? n : 1, f->stage->mesh ? most : MOST);
    LLVMAddTargetDependentFunctionAttr(f->fn, "amdgpu-flat-work-group-size", text);
}

/** Of a pixel shader: which primitive; weights; position and what else stage_ps.c names. */
static unsigned pixel_params(const struct lull_fl *f, LLVMTypeRef *types)
{
    unsigned n = 0;
    types[n++] = f->i32;
    for (unsigned i = 0; i < PAIRS; i++) {
        types[n++] = LLVMVectorType(f->f32, i == 3 ? 3 : 2); // the fourth: to be divided yet
    }
    for (unsigned i = 0; i < 5; i++) {
        types[n++] = f->f32;
    }
    for (unsigned i = 0; i < 4; i++) {
        types[n++] = f->i32;
    }
    return n;
}

/** A shader before a geometry or control shader: a function with registers of a vertex shader. */
static void part_function(struct lull_fl *f)
{
    LLVMTypeRef types[LULL_FL_PART_INDEX + 1] = {0};
    static const char always[] = "alwaysinline";
    f->stage->part = true;
    f->stage->geometry = f->whole->geometry;
    f->stage->hull = f->whole->hull;
    unsigned sgprs = 0;
    const unsigned n = lull_fl_vertex_registers(f, types, &sgprs);
    types[n] = f->i32;
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(f->c), types, n + 1, false);
    f->fn = LLVMAddFunction(f->module, "vertex", type);
    LLVMSetLinkage(f->fn, LLVMInternalLinkage);
    LLVMAddAttributeAtIndex(
        f->fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
        LLVMCreateEnumAttribute(f->c, LLVMGetEnumAttributeKindForName(always, sizeof always - 1),
                                0));
}

struct lull_error *lull_fl_stage_function(struct lull_fl *f)
{
    LLVMTypeRef types[32] = {0};
    const bool pixel = f->m->model == SpvExecutionModelFragment;
    f->stage = lull_arena_calloc(&f->arena, 1, sizeof *f->stage);
    if (f->stage == NULL) {
        return &lull_enomem;
    }
    const bool hull = f->m->model == SpvExecutionModelTessellationControl;
    const bool geometry = f->m->model == SpvExecutionModelGeometry && !f->copy;
    f->stage->pixel = pixel;
    f->stage->mesh = f->m->model == SpvExecutionModelMeshEXT;
    if (f->whole != NULL) {
        part_function(f);
        return NULL;
    }
    unsigned sgprs = 1;
    const unsigned n = pixel ? pixel_params(f, types) : lull_fl_vertex_registers(f, types, &sgprs);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(f->c), types, n, false);
    f->fn = LLVMAddFunction(f->module, f->copy ? "copy" : f->m->entry_name, type);
    const bool gs = geometry || lull_fl_is_primitive_shader(f);
    LLVMSetFunctionCallConv(f->fn, pixel  ? LLVMAMDGPUPSCallConv
                                   : hull ? LLVMAMDGPUHSCallConv
                                   : gs   ? LLVMAMDGPUGSCallConv
                                          : LLVMAMDGPUVSCallConv);
    LLVMAttributeRef inreg =
        LLVMCreateEnumAttribute(f->c, LLVMGetEnumAttributeKindForName("inreg", 5), 0);
    for (unsigned i = 0; i < sgprs; i++) {
        LLVMAddAttributeAtIndex(f->fn, i + 1, inreg);
    }
    const bool barrier = // stage_ngg.c
        !pixel && (lull_fl_is_chip(f, "gfx101") || (f->primitive_id && f->gfx == LULL_FL_GFX10));
    if (f->stage->mesh || geometry || hull || barrier) {
        say_lanes(f);
    }
    return geometry ? lull_fl_geometry_prepare(f) : hull ? lull_fl_hull_prepare(f) : NULL;
}

struct lull_error *lull_fl_stage_begin(struct lull_fl *f)
{
    if (f->stage->pixel || f->copy) {
        return f->copy ? NULL : lull_fl_pixel_keys(f);
    }
    if (f->stage->mesh) {
        return lull_fl_mesh_begin(f);
    }
    if (f->stage->part) {
        return NULL;
    }
    if (f->stage->geometry != NULL) {
        return lull_fl_geometry_begin(f);
    }
    if (f->stage->hull != NULL) {
        return lull_fl_hull_begin(f);
    }
    return lull_fl_is_primitive_shader(f) ? lull_fl_ngg_begin(f) : NULL;
}

/** Fill one part of an input variable. */
LULL_MUST_USE static struct lull_error *fill(void *arg, const struct lull_fr_leaf *leaf)
{
    struct lull_fl *f = arg;
    struct lull_fl_pointer at = {0};
    LLVMValueRef v = NULL;
    if (f->stage->again != 0 && leaf->id != f->stage->again) {
        return NULL;
    }
    if (f->m->model == SpvExecutionModelTessellationEvaluation) {
        return lull_fl_evaluation_input(f, leaf);
    }
    if (f->m->model == SpvExecutionModelTessellationControl) {
        return lull_fl_hull_input(f, leaf);
    }
    if (leaf->each != 0) {
        return lull_fl_geometry_input(f, leaf);
    }
    if (f->stage->geometry != NULL && !f->stage->part) {
        v = lull_fl_geometry_builtin(f, leaf->decor.builtin);
    }
    struct lull_error *err = lull_fl_leaf_at(f, leaf, NULL, &at);
    err = err != NULL       ? err
          : v != NULL       ? NULL
          : f->stage->pixel ? lull_fl_pixel_input(f, leaf, &v)
          : f->stage->mesh  ? lull_fl_mesh_input(f, leaf, &v)
          : f->stage->geometry != NULL && !f->stage->part
              ? lull_fl_builtin(f, leaf->decor.builtin, leaf->type, &v)
              : lull_fl_vertex_input(f, leaf, &v);
    if (err == NULL && f->stage->again != 0) {
        at.base = at.again;
    }
    return err != NULL ? err : lull_fl_store(f, &at, v);
}

struct lull_error *lull_fl_fill_inputs(struct lull_fl *f)
{
    if (f->stage->pixel && f->stage->again == 0) {
        lull_fl_pixel_begin(f);
    }
    return lull_fr_leaves(f->m, SpvStorageClassInput, fill, f);
}

/** Say what parameters there are, for the pass that writes metadata, and for the linker. */
LULL_MUST_USE static struct lull_error *describe(struct lull_fl *f)
{
    static const char reads[] = "lull-interpolants", writes[] = "lull-parameters";
    const struct lull_fl_stage *s = f->stage;
    struct lull_str list = {0};
    for (unsigned i = 0; i < 2 * LULL_FL_NKEYS; i++) {
        const unsigned key = i % LULL_FL_NKEYS;
        const bool primitive = i >= LULL_FL_NKEYS;
        if ((s->keys >> key & 1) != 0 && ((s->primitive >> key & 1) != 0) == primitive) {
            lull_str_addf(&list, "%s%u%s", list.size != 0 ? "," : "", key,
                          primitive                   ? "p"
                          : (s->flat >> key & 1) != 0 ? "f"
                                                      : "");
        }
    }
    struct lull_error *err = list.err;
    if (err == NULL) {
        LLVMAddTargetDependentFunctionAttr(f->fn, s->pixel ? reads : writes, lull_str_text(&list));
        if (s->pixel && (s->per_sample || f->m->early_tests)) {
            LLVMAddTargetDependentFunctionAttr(f->fn, "lull-fragment",
                                               s->per_sample && f->m->early_tests ? "sample,early"
                                               : s->per_sample                    ? "sample"
                                                                                  : "early");
        }
        lull_str_free(&list);
    }
    return err;
}

struct lull_error *lull_fl_stage_end(struct lull_fl *f)
{
    if (f->stage->hull != NULL) {
        return f->stage->part ? lull_fl_hull_vertex_end(f) : lull_fl_hull_end(f);
    }
    if (f->stage->part) {
        return lull_fl_vertex_part_end(f);
    }
    if (f->tess != NULL) {
        lull_fl_tess_describe(f);
    }
    struct lull_error *err = f->stage->pixel              ? lull_fl_pixel_end(f)
                             : f->stage->mesh             ? lull_fl_mesh_end(f)
                             : f->stage->geometry != NULL ? lull_fl_geometry_end(f)
                                                          : lull_fl_ngg_end(f);
    return err != NULL || f->stage->has_ring ? err : describe(f); // the copy shader has them
}
