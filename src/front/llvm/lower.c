// SPDX-License-Identifier: MIT
#include "front/llvm/lower.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/llvm/lower_priv.h"
#include "front/llvm/stage.h"

static const char triple[] = "amdgcn-amd-amdpal";
static const char layout[] =
    "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-"
    "p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-"
    "v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9";

/** Attributes and metadata of the shader. */
static void describe(const struct lull_fl *f)
{
    static const char key[] = "reqd_work_group_size";
    const uint32_t *n = f->m->local_size;
    char range[32] = "";
    LLVMMetadataRef size[3] = {0};
    for (unsigned i = 0; i < 3; i++) {
        size[i] = LLVMValueAsMetadata(lull_fl_int(f, n[i]));
    }
    LLVMGlobalSetMetadata(f->fn, LLVMGetMDKindIDInContext(f->c, key, sizeof key - 1),
                          LLVMMDNodeInContext2(f->c, size, 3));
    snprintf(range, sizeof range, "%u,%u", n[0] * n[1] * n[2], n[0] * n[1] * n[2]);
    LLVMAddTargetDependentFunctionAttr(f->fn, "amdgpu-flat-work-group-size", range);
    LLVMSetFunctionCallConv(f->fn, LLVMAMDGPUCSCallConv);
}

/** Is the variable an input or output of another entry point, or one that no function uses? */
static bool is_of_another(const struct lull_fl *f, const struct lull_spv_insn *in)
{
    const struct lull_fr_id *id = &f->m->ids[in->w[2]];
    const bool interface = in->w[3] == SpvStorageClassInput || in->w[3] == SpvStorageClassOutput;
    return f->stage != NULL && interface && (!id->is_interface || id->uses == 0);
}

/** Variables outside functions, in the first block. */
LULL_MUST_USE static struct lull_error *globals(struct lull_fl *f)
{
    struct lull_spv_insn in = {0};
    struct lull_error *err = NULL;
    const struct lull_spv *m = &f->m->spv;
    for (size_t pos = LULL_SPV_HEADER_WORDS;
         err == NULL && pos < m->functions && lull_spv_next(m, &pos, &in);) {
        const bool other = (in.op == SpvOpVariable) && is_of_another(f, &in);
        if (in.op == SpvOpVariable && !other) {
            f->in = &in;
            err = lull_fl_variable(f);
            err = err != NULL ? err : lull_fl_debug_variable(f);
        }
    }
    err = err == NULL && f->cleared ? lull_fl_meet(f) : err;
    f->in = NULL;
    return err;
}

LULL_MUST_USE static struct lull_error *check(const struct lull_fr_module *m,
                                              const struct lull_fl_options *o)
{
    const bool mesh = m->model == SpvExecutionModelMeshEXT;
    const uint32_t most = mesh ? 256 : 1024;
    uint64_t lanes = 1;
    struct lull_error *err = lull_fl_check_model(m, o->cpu, o->gfx);
    err = err != NULL ? err : lull_fl_check_rays(m);
    if (err != NULL || (m->model != SpvExecutionModelGLCompute && !mesh)) {
        return err;
    }
    for (unsigned i = 0; i < 3; i++) {
        lanes = m->local_size[i] == 0 || m->local_size[i] > most ? UINT32_MAX
                                                                 : lanes * m->local_size[i];
    }
    return lanes <= most ? NULL
                         : lull_error_new(LULL_ERR_UNSUPPORTED,
                                          "entry point '%s': workgroups of %u x %u x %u; 1 to %u "
                                          "lanes are possible",
                                          m->entry_name, m->local_size[0], m->local_size[1],
                                          m->local_size[2], most);
}

/** The entry function of a compute shader. */
static void compute_function(struct lull_fl *f)
{
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(f->c), NULL, 0, false);
    f->fn = LLVMAddFunction(f->module, f->m->entry_name, type);
    describe(f);
}

/** Memory, builders and the function that the entry point becomes. */
LULL_MUST_USE static struct lull_error *begin(struct lull_fl *f)
{
    const size_t n = (size_t)f->m->spv.bound + 1;
    f->values = lull_arena_calloc(&f->arena, n, sizeof *f->values);
    f->slots = lull_arena_calloc(&f->arena, n, sizeof(struct lull_fl_slot *));
    f->b = LLVMCreateBuilderInContext(f->c);
    f->top = LLVMCreateBuilderInContext(f->c);
    if (f->values == NULL || f->slots == NULL) {
        return &lull_enomem;
    }
    if (f->m->model != SpvExecutionModelGLCompute) {
        return lull_fl_stage_function(f);
    }
    compute_function(f);
    return NULL;
}

static void end(struct lull_fl *f)
{
    lull_fl_debug_end(f);
    LLVMDisposeBuilder(f->b);
    LLVMDisposeBuilder(f->top);
    lull_arena_done(&f->arena);
}

/** The function's code. */
LULL_MUST_USE static struct lull_error *build(struct lull_fl *f, const struct lull_fl_options *o)
{
    struct lull_error *err = lull_fl_float_modes(f);
    err = err == NULL && o->debug ? lull_fl_debug_begin(f, o) : err;
    // Two first blocks: variables in one, so that built-ins may become several blocks.
    LLVMBasicBlockRef variables = LLVMAppendBasicBlockInContext(f->c, f->fn, "variables");
    LLVMBasicBlockRef begin = LLVMAppendBasicBlockInContext(f->c, f->fn, "begin");
    LLVMPositionBuilderAtEnd(f->top, variables);
    LLVMPositionBuilderAtEnd(f->b, begin);
    err = err == NULL && f->stage != NULL ? lull_fl_stage_begin(f) : err;
    err = err != NULL ? err : globals(f);
    err = err == NULL && f->stage != NULL ? lull_fl_fill_inputs(f) : err;
    err = err != NULL ? err : lull_fl_run(f);
    if (err == NULL) {
        LLVMBuildBr(f->top, begin);
    }
    return err;
}

static void types(struct lull_fl *f)
{
    f->i1 = LLVMInt1TypeInContext(f->c);
    f->i8 = LLVMInt8TypeInContext(f->c);
    f->i16 = LLVMInt16TypeInContext(f->c);
    f->i32 = LLVMInt32TypeInContext(f->c);
    f->i64 = LLVMInt64TypeInContext(f->c);
    f->f16 = LLVMHalfTypeInContext(f->c);
    f->f32 = LLVMFloatTypeInContext(f->c);
    f->f64 = LLVMDoubleTypeInContext(f->c);
}

/** The shader before, as a function in the same module. */
LULL_MUST_USE static struct lull_error *lower_part(struct lull_fl *f,
                                                   const struct lull_fl_options *o,
                                                   const struct lull_fl_before *part)
{
    struct lull_fl v = {.m = part->m,
                        .c = f->c,
                        .module = f->module,
                        .wave = f->wave,
                        .cpu = f->cpu,
                        .gfx = f->gfx,
                        .printf = f->printf,
                        .tess = f->tess,
                        .whole = f->stage};
    struct lull_fl_options how = *o;
    how.path = part->path;
    types(&v);
    struct lull_error *err = begin(&v);
    err = err != NULL ? err : build(&v, &how);
    end(&v);
    f->stage->vertices = v.fn;
    return lull_error_in(err, "%s", part->path);
}

/** Tell the pass that writes metadata of the copy shader what it is told of @p gs. */
static void say_same(LLVMValueRef gs, LLVMValueRef copy)
{
    static const char *const names[] = {"lull-geometry", "lull-reads"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const unsigned n = (unsigned)strlen(names[i]);
        LLVMAttributeRef a = LLVMGetStringAttributeAtIndex(
            gs, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, names[i], n);
        if (a != NULL) {
            LLVMAddAttributeAtIndex(copy, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
        }
    }
}

/** The shader behind a geometry shader of gfx9, which exports what that emits. */
LULL_MUST_USE static struct lull_error *lower_copy(const struct lull_fl *like, LLVMValueRef gs)
{
    struct lull_fl f = {.m = like->m,
                        .c = like->c,
                        .module = like->module,
                        .wave = like->wave,
                        .cpu = like->cpu,
                        .gfx = like->gfx,
                        .multiview = like->multiview,
                        .copy = true};
    types(&f);
    struct lull_error *err = begin(&f);
    if (err == NULL) {
        LLVMBasicBlockRef variables = LLVMAppendBasicBlockInContext(f.c, f.fn, "variables");
        LLVMBasicBlockRef first = LLVMAppendBasicBlockInContext(f.c, f.fn, "begin");
        LLVMPositionBuilderAtEnd(f.top, variables);
        LLVMPositionBuilderAtEnd(f.b, first);
        err = globals(&f);
        err = err != NULL ? err : lull_fl_ring_take(&f);
        err = err != NULL ? err : lull_fl_stage_end(&f);
        LLVMBuildRetVoid(f.b);
        LLVMBuildBr(f.top, first);
        say_same(gs, f.fn);
    }
    end(&f);
    return err;
}

/** A shader of its own hardware stage, @p part of another before it. */
LULL_MUST_USE static struct lull_error *lower_whole(struct lull_fl *f,
                                                    const struct lull_fl_options *o,
                                                    const struct lull_fl_before *part)
{
    types(f);
    struct lull_error *err = begin(f);
    err = err == NULL && part != NULL ? lower_part(f, o, part) : err;
    err = err != NULL ? err : build(f, o);
    const bool emits = err == NULL && f->stage != NULL && f->stage->has_ring;
    LLVMValueRef fn = f->fn;
    end(f);
    return emits ? lower_copy(f, fn) : err;
}

/** A control shader with the vertex shader before it: the first two of the shaders before. */
LULL_MUST_USE static struct lull_error *lower_hull(const struct lull_fl *like,
                                                   const struct lull_fl_options *o)
{
    struct lull_fl f = *like;
    struct lull_fl_options how = *o;
    f.m = o->before[1].m;
    how.path = o->before[1].path;
    return lull_error_in(lower_whole(&f, &how, &o->before[0]), "%s", how.path);
}

/** Shaders that come together: a vertex, control, evaluation and geometry shader in this order. */
LULL_MUST_USE static struct lull_error *check_before(const struct lull_fr_module *m,
                                                     const struct lull_fl_options *o)
{
    static const struct {
        unsigned n;
        uint32_t models[LULL_FL_BEFORE + 1];
    } orders[] = {
        {2, {SpvExecutionModelVertex, SpvExecutionModelGeometry}},
        {3,
         {SpvExecutionModelVertex, SpvExecutionModelTessellationControl,
          SpvExecutionModelTessellationEvaluation}},
        {4,
         {SpvExecutionModelVertex, SpvExecutionModelTessellationControl,
          SpvExecutionModelTessellationEvaluation, SpvExecutionModelGeometry}},
    };
    const bool alone = m->model != SpvExecutionModelGeometry &&
                       m->model != SpvExecutionModelTessellationControl &&
                       m->model != SpvExecutionModelTessellationEvaluation;
    if (o->nbefore == 0 && alone) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        bool fits = o->nbefore + 1 == orders[i].n && m->model == orders[i].models[o->nbefore];
        for (unsigned k = 0; k < o->nbefore && fits; k++) {
            fits = o->before[k].m->model == orders[i].models[k];
        }
        if (fits) {
            return NULL;
        }
    }
    return o->nbefore == 0
               ? lull_error_new(LULL_ERR_INVALID,
                                "a tessellation or geometry shader is compiled with all shaders "
                                "before the pixel shader: lull cc X.vert X.geom, lull cc X.vert "
                                "X.tesc X.tese, or these three and X.geom")
               : lull_error_new(LULL_ERR_INVALID,
                                "several files are a vertex and a geometry shader, or a vertex, a "
                                "tessellation control and an evaluation shader, with or without a "
                                "geometry shader, in this order");
}

/** Are these shaders that are compiled, and together? */
LULL_MUST_USE static struct lull_error *check_all(const struct lull_fr_module *m,
                                                  const struct lull_fl_options *o)
{
    struct lull_error *err = check(m, o);
    for (unsigned i = 0; i < o->nbefore && err == NULL; i++) {
        err = lull_error_in(check(o->before[i].m, o), "%s", o->before[i].path);
    }
    const bool gives = m->model == SpvExecutionModelVertex ||
                       m->model == SpvExecutionModelTessellationEvaluation ||
                       m->model == SpvExecutionModelFragment; // which only reads it
    if (err == NULL && o->primitive_id && !gives) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED,
                             "--primitive-id is for a vertex or tessellation evaluation shader "
                             "right before the pixel shader; a geometry or mesh shader writes "
                             "gl_PrimitiveID itself");
    }
    if (err == NULL && o->multiview && m->model == SpvExecutionModelGLCompute) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "--multiview is for shaders that draw");
    }
    return err != NULL ? err : check_before(m, o);
}

LULL_MUST_USE static struct lull_error *is_view(void *arg, const struct lull_fr_leaf *leaf)
{
    bool *reads = arg;
    *reads = *reads || leaf->decor.builtin == SpvBuiltInViewIndex;
    return NULL;
}

/** Does one of the shaders before the rasteriser read gl_ViewIndex? Then they draw views. */
LULL_MUST_USE static struct lull_error *find_view(struct lull_fl *f,
                                                  const struct lull_fl_options *o)
{
    struct lull_error *err = lull_fr_leaves(f->m, SpvStorageClassInput, is_view, &f->multiview);
    for (unsigned i = 0; i < o->nbefore && err == NULL; i++) {
        err = lull_fr_leaves(o->before[i].m, SpvStorageClassInput, is_view, &f->multiview);
        err = lull_error_in(err, "%s", o->before[i].path);
    }
    return err;
}

struct lull_error *lull_fl_lower(const struct lull_fr_module *m,
                                 const struct lull_fl_options *options, LLVMContextRef context,
                                 LLVMModuleRef *ret)
{
    enum { WITH_HULL = 2 };
    struct lull_fl_tess tess = {0};
    struct lull_fl f = {.m = m,
                        .c = context,
                        .wave = options->wave,
                        .cpu = options->cpu,
                        .gfx = options->gfx,
                        .printf = options->printf,
                        .primitive_id = options->primitive_id,
                        .multiview = options->multiview};
    const bool hull = options->nbefore >= WITH_HULL;
    struct lull_error *err = check_all(m, options);
    if (err == NULL && hull) {
        err = lull_fl_tess_read(options->before[1].m,
                                options->nbefore == WITH_HULL ? m : options->before[2].m, &tess);
        f.tess = &tess;
    }
    err = err != NULL ? err : find_view(&f, options);
    if (err != NULL) {
        return err;
    }
    f.module = LLVMModuleCreateWithNameInContext(m->entry_name, context);
    LLVMSetTarget(f.module, triple);
    LLVMSetDataLayout(f.module, layout);
    // The linker puts a part that fetches attributes in front of the first function.
    err = hull ? lower_hull(&f, options) : NULL;
    const bool part = options->nbefore == 1 || options->nbefore == LULL_FL_BEFORE;
    err = err != NULL
              ? err
              : lower_whole(&f, options, part ? &options->before[options->nbefore - 1] : NULL);
    if (err != NULL) {
        LLVMDisposeModule(f.module);
        return err;
    }
    *ret = f.module;
    return NULL;
}
