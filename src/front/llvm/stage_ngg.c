// SPDX-License-Identifier: MIT
// A vertex shader as a primitive shader whose primitives go out as they came in (NGG passthrough):
// lanes with a primitive export it, lanes with a vertex run the shader. GS_ALLOC_REQ is sent before
// gfx11 only; then the hardware does without (VGT_SHADER_STAGES_EN.PRIMGEN_PASSTHRU_NO_MSG). On
// gfx9, a vertex shader as one of the hardware's (amdgpu_vs), which has nothing around it.
//
// Pixel shaders may be given the primitive's number, as a parameter of its first vertex, which no
// other primitive has for its first (NGG_DISABLE_PROVOK_REUSE). Lanes with a primitive have it,
// lanes with a vertex export it: from gfx11 on parameters are memory, which the former write; on
// gfx10 it goes through LDS. On gfx9 a vertex has it in a register, and each point of a patch has
// its patch's.
//
// Source: Mesa 25.0.7, src/amd/common/ac_nir_lower_ngg.c and src/amd/vulkan/radv_shader_args.c;
// LLPC at 40cb8d95a, lgc/lowering/NggPrimShader.cpp (the barrier of gfx10.1); exports: AMD, "RDNA3
// Instruction Set Architecture", section 14.
#include "front/llvm/stage.h"

/** Parameters of the function. */
enum { GROUP_INFO = 2, WAVE_INFO = 3, PRIMITIVE = 8 };

enum {
    TARGET_PRIMITIVE = 20,
    PRIMITIVES_SHIFT = 8,
    COUNT_MASK = 0xff,
    GROUP_VERTICES_SHIFT = 12, // in GROUP_INFO
    GROUP_PRIMITIVES_SHIFT = 22,
    GROUP_MASK = 0x1ff,
    VERTEX_MASK = 0x1ff, // of the first, in PRIMITIVE
    VERTEX_MASK_12 = 0xff,
    MOST_VERTICES = 256, // of a subgroup
};

/** The rest of the code runs in lanes below @p count; the others go to @p otherwise. */
static void only_below(const struct lull_fl *f, LLVMValueRef count, LLVMBasicBlockRef yes,
                       LLVMBasicBlockRef otherwise)
{
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntULT, f->stage->lane, count, ""), yes,
                    otherwise);
    LLVMPositionBuilderAtEnd(f->b, yes);
}

/** Ask for room for what comes in. Processors of gfx10.1 need a barrier before. */
static void request(const struct lull_fl *f)
{
    LLVMValueRef info = lull_fl_param(f, GROUP_INFO);
    if (lull_fl_is_chip(f, "gfx101")) {
        lull_fl_call(f, "llvm.amdgcn.s.barrier", NULL, NULL, 0);
    }
    lull_fl_request(f, lull_fl_field(f, info, GROUP_VERTICES_SHIFT, GROUP_MASK),
                    lull_fl_field(f, info, GROUP_PRIMITIVES_SHIFT, GROUP_MASK));
}

/** Do lanes with a primitive know its number, and those with a vertex not? */
static bool is_scattered(const struct lull_fl *f)
{
    return f->primitive_id && f->tess == NULL && lull_fl_is_primitive_shader(f);
}

/** The parameter that lanes with a primitive write. */
static uint64_t id_key(const struct lull_fl *f)
{
    return is_scattered(f) && f->gfx >= LULL_FL_GFX11 ? UINT64_C(1) << LULL_FL_KEY_PRIMITIVE : 0;
}

/** Where the number of a primitive is for its first vertex, @p vertex. */
static LLVMValueRef id_place(const struct lull_fl *f, LLVMValueRef vertex)
{
    static const char name[] = "primitive.ids";
    LLVMValueRef all = LLVMGetNamedGlobal(f->module, name);
    all = all != NULL ? all : lull_fl_lds(f, f->i32, MOST_VERTICES, name);
    return LLVMBuildGEP2(f->b, f->i32, all, &vertex, 1, "");
}

/** A primitive gives its number to its first vertex. */
static void scatter(struct lull_fl *f)
{
    LLVMValueRef id = lull_fl_register(f, LULL_FL_PRIMITIVE_ID);
    LLVMValueRef vertex = lull_fl_field(f, lull_fl_param(f, PRIMITIVE), 0,
                                        f->gfx >= LULL_FL_GFX12 ? VERTEX_MASK_12 : VERTEX_MASK);
    if (f->gfx < LULL_FL_GFX11) {
        LLVMBuildStore(f->b, id, id_place(f, vertex));
        return;
    }
    f->stage->words[LULL_FL_KEY_PRIMITIVE][0] = id;
    lull_fl_out_store(f, id_key(f), vertex);
}

/** Lanes with a primitive export it; then all are at @p next. */
static void primitives(struct lull_fl *f, LLVMBasicBlockRef next)
{
    LLVMValueRef info = lull_fl_param(f, WAVE_INFO), poison = LLVMGetPoison(f->i32);
    LLVMBasicBlockRef primitive = LLVMInsertBasicBlockInContext(f->c, next, "primitive");
    only_below(f, lull_fl_field(f, info, PRIMITIVES_SHIFT, COUNT_MASK), primitive, next);
    if (is_scattered(f)) {
        scatter(f);
    }
    LLVMValueRef args[8] = {lull_fl_int(f, TARGET_PRIMITIVE),
                            lull_fl_int(f, 1),
                            lull_fl_param(f, PRIMITIVE),
                            poison,
                            poison,
                            poison,
                            LLVMConstInt(f->i1, 1, false),
                            LLVMConstInt(f->i1, 0, false)};
    lull_fl_call(f, "llvm.amdgcn.exp", f->i32, args, 8);
    LLVMBuildBr(f->b, next);
    LLVMPositionBuilderAtEnd(f->b, next);
}

/** Number of the lane's vertex in its subgroup. */
static LLVMValueRef index_of(const struct lull_fl *f)
{
    LLVMValueRef first = LLVMBuildMul(f->b, lull_fl_wave_number(f), lull_fl_int(f, f->wave), "");
    return LLVMBuildAdd(f->b, first, f->stage->lane, "");
}

/** A vertex has the number of the primitive that it is the first of. */
static void take_id(struct lull_fl *f)
{
    LLVMValueRef id = f->tess != NULL ? lull_fl_register(f, LULL_FL_PATCH)
                      : !lull_fl_is_primitive_shader(f)
                          ? lull_fl_register(f, LULL_FL_PRIMITIVE_ID)
                          : LLVMBuildLoad2(f->b, f->i32, id_place(f, index_of(f)), "");
    lull_fl_is_numbered(f);
    f->stage->words[LULL_FL_KEY_PRIMITIVE][0] = id;
    f->stage->keys |= UINT64_C(1) << LULL_FL_KEY_PRIMITIVE;
}

struct lull_error *lull_fl_ngg_begin(struct lull_fl *f)
{
    if (f->gfx < LULL_FL_GFX11) {
        request(f);
    }
    LLVMValueRef info = lull_fl_param(f, WAVE_INFO);
    LLVMBasicBlockRef vertices = LLVMAppendBasicBlockInContext(f->c, f->fn, "vertices");
    LLVMBasicBlockRef vertex = LLVMAppendBasicBlockInContext(f->c, f->fn, "vertex");
    f->stage->done = LLVMAppendBasicBlockInContext(f->c, f->fn, "done");
    f->stage->lane = lull_fl_lane(f);
    struct lull_error *err = NULL;
    if (id_key(f) != 0) { // later: which parameters there are is not known yet
        lull_fl_is_numbered(f);
        LLVMBuildBr(f->b, vertices);
        LLVMPositionBuilderAtEnd(f->b, vertices);
    } else {
        primitives(f, vertices);
        err = is_scattered(f) ? lull_fl_meet(f) : NULL;
    }
    only_below(f, lull_fl_field(f, info, 0, COUNT_MASK), vertex, f->stage->done);
    return err;
}

struct lull_error *lull_fl_ngg_end(struct lull_fl *f)
{
    struct lull_fl_out out = {0};
    f->stage->keys |= id_key(f);
    struct lull_error *err = lull_fl_out_collect(f, NULL, false, &out);
    if (err != NULL) {
        return err;
    }
    if (f->primitive_id && id_key(f) == 0) {
        take_id(f);
    }
    lull_fl_out_store(f, f->stage->keys & ~id_key(f), f->gfx >= LULL_FL_GFX11 ? index_of(f) : NULL);
    lull_fl_out_positions(f, &out, NULL);
    lull_fl_out_describe(f, &out);
    if (lull_fl_is_primitive_shader(f)) {
        LLVMBuildBr(f->b, f->stage->done);
        LLVMPositionBuilderAtEnd(f->b, f->stage->done);
    }
    if (id_key(f) != 0) {
        primitives(f, LLVMAppendBasicBlockInContext(f->c, f->fn, "end"));
    }
    return NULL;
}
