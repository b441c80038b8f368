// SPDX-License-Identifier: MIT
// Which registers hardware fills before a shader that draws, on which chip: the parameters of its
// function.
//
// Source: Mesa 25.0.7, src/amd/vulkan/radv_shader_args.c; LLPC at 40cb8d95a,
// lgc/lowering/NggPrimShader.cpp (gfx12).
#include <spirv/unified1/spirv.h>

#include "front/llvm/stage.h"

/** How the registers lie. */
enum form {
    PRIMITIVE, ///< A primitive shader of gfx10 and gfx11; also a part of another shader.
    PRIMITIVE_12,
    VERTEX_9, ///< A hardware vertex shader, which a vertex shader is on gfx9.
    EVALUATION_9,
    GEOMETRY_9,
    COPY_9, ///< The shader that reads what a geometry shader emitted.
    HULL_9,
    HULL_10, ///< Also of gfx11.
    HULL_12,
    MESH,
    NFORMS,
};

/** SGPRs, then VGPRs. */
static const struct {
    uint8_t sgprs, vgprs;
} sizes[NFORMS] = {
    [PRIMITIVE] = {8, 9},  [PRIMITIVE_12] = {8, 5}, [VERTEX_9] = {0, 4}, [EVALUATION_9] = {2, 4},
    [GEOMETRY_9] = {8, 9}, [COPY_9] = {0, 1},       [HULL_9] = {8, 6},   [HULL_10] = {8, 6},
    [HULL_12] = {8, 4},    [MESH] = {8, 1}};

/** Which parameter it is; 0: there is none, but for VERTEX_9's first. */
static const uint8_t places[NFORMS][LULL_FL_NREGISTERS] = {
    [PRIMITIVE] = {[LULL_FL_VERTEX] = 13,
                   [LULL_FL_INSTANCE] = 16,
                   [LULL_FL_U] = 13,
                   [LULL_FL_V] = 14,
                   [LULL_FL_RELATIVE_PATCH] = 15,
                   [LULL_FL_PATCH] = 16,
                   [LULL_FL_BASE_OFF_CHIP] = 4,
                   [LULL_FL_PRIMITIVE_ID] = 10},
    [PRIMITIVE_12] = {[LULL_FL_VERTEX] = 11,
                      [LULL_FL_INSTANCE] = 12,
                      [LULL_FL_U] = 11,
                      [LULL_FL_V] = 12,
                      [LULL_FL_RELATIVE_PATCH] = 13,
                      [LULL_FL_PATCH] = 14,
                      [LULL_FL_BASE_OFF_CHIP] = 4,
                      [LULL_FL_PRIMITIVE_ID] = 9},
    [VERTEX_9] = {[LULL_FL_VERTEX] = 0, [LULL_FL_INSTANCE] = 1, [LULL_FL_PRIMITIVE_ID] = 2},
    [EVALUATION_9] = {[LULL_FL_U] = 2,
                      [LULL_FL_V] = 3,
                      [LULL_FL_RELATIVE_PATCH] = 4,
                      [LULL_FL_PATCH] = 5,
                      [LULL_FL_BASE_OFF_CHIP] = 1}, // behind one of streamout's
    [GEOMETRY_9] = {[LULL_FL_VERTEX] = 13,
                    [LULL_FL_INSTANCE] = 14,
                    [LULL_FL_U] = 13,
                    [LULL_FL_V] = 14,
                    [LULL_FL_RELATIVE_PATCH] = 15,
                    [LULL_FL_PATCH] = 16,
                    [LULL_FL_BASE_OFF_CHIP] = 4},
    [COPY_9] = {[LULL_FL_VERTEX] = 0},
    [HULL_9] = {[LULL_FL_VERTEX] = 10, [LULL_FL_RELATIVE_VERTEX] = 11, [LULL_FL_INSTANCE] = 12},
    [HULL_10] = {[LULL_FL_VERTEX] = 10, [LULL_FL_RELATIVE_VERTEX] = 11, [LULL_FL_INSTANCE] = 13},
    [HULL_12] = {[LULL_FL_VERTEX] = 10, [LULL_FL_INSTANCE] = 11},
};

static enum form form_of(const struct lull_fl *f)
{
    if (f->stage->part) {
        return PRIMITIVE;
    }
    if (f->copy) {
        return COPY_9;
    }
    switch (f->m->model) {
    case SpvExecutionModelMeshEXT:
        return MESH;
    case SpvExecutionModelGeometry:
        return f->gfx < LULL_FL_GFX10    ? GEOMETRY_9
               : f->gfx >= LULL_FL_GFX12 ? PRIMITIVE_12
                                         : PRIMITIVE;
    case SpvExecutionModelTessellationControl:
        return f->gfx >= LULL_FL_GFX12 ? HULL_12 : f->gfx >= LULL_FL_GFX10 ? HULL_10 : HULL_9;
    case SpvExecutionModelTessellationEvaluation:
        return f->gfx < LULL_FL_GFX10    ? EVALUATION_9
               : f->gfx >= LULL_FL_GFX12 ? PRIMITIVE_12
                                         : PRIMITIVE;
    default:
        return f->gfx < LULL_FL_GFX10    ? VERTEX_9
               : f->gfx >= LULL_FL_GFX12 ? PRIMITIVE_12
                                         : PRIMITIVE;
    }
}

bool lull_fl_is_primitive_shader(const struct lull_fl *f)
{
    return f->gfx >= LULL_FL_GFX10;
}

unsigned lull_fl_vertex_registers(const struct lull_fl *f, LLVMTypeRef *types, unsigned *ret_sgprs)
{
    const enum form form = form_of(f);
    // A vertex has two VGPRs on gfx12, and a point of a patch four.
    const unsigned more = form == PRIMITIVE_12 && f->tess != NULL ? 2 : 0;
    const unsigned n = sizes[form].sgprs + sizes[form].vgprs + more;
    for (unsigned i = 0; i < n; i++) {
        types[i] = f->i32;
    }
    *ret_sgprs = sizes[form].sgprs;
    return n;
}

LLVMValueRef lull_fl_register(const struct lull_fl *f, enum lull_fl_register which)
{
    return lull_fl_param(f, places[form_of(f)][which]);
}

void lull_fl_part_registers(const struct lull_fl *f, LLVMValueRef *args)
{
    static const enum lull_fl_register vertex[] = {LULL_FL_VERTEX, LULL_FL_INSTANCE};
    static const enum lull_fl_register point[] = {LULL_FL_U, LULL_FL_V, LULL_FL_RELATIVE_PATCH,
                                                  LULL_FL_PATCH};
    const bool evaluates = f->tess != NULL && f->m->model == SpvExecutionModelGeometry;
    const enum lull_fl_register *all = evaluates ? point : vertex;
    for (unsigned i = 0; i < LULL_FL_PART_INDEX; i++) {
        args[i] = i < sizes[PRIMITIVE].sgprs ? lull_fl_param(f, i) : LLVMGetPoison(f->i32);
    }
    for (unsigned i = 0; i < (evaluates ? 4 : 2); i++) {
        args[places[PRIMITIVE][all[i]]] = lull_fl_register(f, all[i]);
    }
}
