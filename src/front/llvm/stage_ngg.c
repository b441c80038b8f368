// SPDX-License-Identifier: MIT
// A vertex shader as a primitive shader whose primitives go out as they came in (NGG passthrough):
// lanes with a primitive export it, lanes with a vertex run the shader. GS_ALLOC_REQ is not sent:
// the hardware does without (VGT_SHADER_STAGES_EN.PRIMGEN_PASSTHRU_NO_MSG).
//
// Source: Mesa 25.0.7, src/amd/common/ac_nir_lower_ngg.c and src/amd/vulkan/radv_shader_args.c;
// exports: AMD, "RDNA3 Instruction Set Architecture", section 14.
#include "front/llvm/stage.h"

/** Parameters of the function. */
enum { WAVE_INFO = 3, PRIMITIVE = 8 };

enum {
    TARGET_PRIMITIVE = 20,
    PRIMITIVES_SHIFT = 8,
    COUNT_MASK = 0xff,
};

/** The rest of the code runs in lanes below @p count; the others go to @p otherwise. */
static void only_below(const struct lull_fl *f, LLVMValueRef count, LLVMBasicBlockRef yes,
                       LLVMBasicBlockRef otherwise)
{
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntULT, f->stage->lane, count, ""), yes,
                    otherwise);
    LLVMPositionBuilderAtEnd(f->b, yes);
}

void lull_fl_ngg_begin(struct lull_fl *f)
{
    LLVMValueRef info = lull_fl_param(f, WAVE_INFO), poison = LLVMGetPoison(f->i32);
    LLVMBasicBlockRef primitive = LLVMAppendBasicBlockInContext(f->c, f->fn, "primitive");
    LLVMBasicBlockRef vertices = LLVMAppendBasicBlockInContext(f->c, f->fn, "vertices");
    LLVMBasicBlockRef vertex = LLVMAppendBasicBlockInContext(f->c, f->fn, "vertex");
    f->stage->done = LLVMAppendBasicBlockInContext(f->c, f->fn, "done");
    f->stage->lane = lull_fl_lane(f);
    only_below(f, lull_fl_field(f, info, PRIMITIVES_SHIFT, COUNT_MASK), primitive, vertices);
    LLVMValueRef args[8] = {lull_fl_int(f, TARGET_PRIMITIVE),
                            lull_fl_int(f, 1),
                            lull_fl_param(f, PRIMITIVE),
                            poison,
                            poison,
                            poison,
                            LLVMConstInt(f->i1, 1, false),
                            LLVMConstInt(f->i1, 0, false)};
    lull_fl_call(f, "llvm.amdgcn.exp", f->i32, args, 8);
    LLVMBuildBr(f->b, vertices);
    LLVMPositionBuilderAtEnd(f->b, vertices);
    only_below(f, lull_fl_field(f, info, 0, COUNT_MASK), vertex, f->stage->done);
}

struct lull_error *lull_fl_ngg_end(struct lull_fl *f)
{
    struct lull_fl_out out = {0};
    struct lull_error *err = lull_fl_out_collect(f, NULL, false, &out);
    if (err != NULL) {
        return err;
    }
    LLVMValueRef first = LLVMBuildMul(f->b, lull_fl_wave_number(f), lull_fl_int(f, f->wave), "");
    lull_fl_out_store(f, f->stage->keys, LLVMBuildAdd(f->b, first, f->stage->lane, ""));
    lull_fl_out_positions(f, &out, NULL);
    lull_fl_out_describe(f, &out);
    LLVMBuildBr(f->b, f->stage->done);
    LLVMPositionBuilderAtEnd(f->b, f->stage->done);
    return NULL;
}
