// SPDX-License-Identifier: MIT
// What an entry records of its place, behind the arguments. docs/formats/printf-buffer.md.
//
// Source: LLVM AMDGPUUsage, "Code Object V5 Hidden Kernel Arguments".
#include <string.h>

#include "cc/ir.h"
#include "cc/printf_pass.h"

enum { DISPATCH_DWORD = 3, COUNTS = 0, SIZES = 12, REMAINDERS = 18 };

static LLVMValueRef intrinsic0(struct lull_printf_pass *p, const char *name)
{
    return lull_ir_intrinsic(p->cc, p->builder, name, NULL, 0, NULL, 0);
}

static LLVMValueRef group_id(struct lull_printf_pass *p, unsigned axis)
{
    static const char *const names[] = {"llvm.amdgcn.workgroup.id.x", "llvm.amdgcn.workgroup.id.y",
                                        "llvm.amdgcn.workgroup.id.z"};
    return intrinsic0(p, names[axis]);
}

// Work-items of this workgroup along an axis: the last group may be smaller.
static LLVMValueRef group_size(struct lull_printf_pass *p, unsigned axis)
{
    LLVMTypeRef i16 = LLVMInt16TypeInContext(p->cc->context);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(p->cc->context);
    LLVMValueRef whole = lull_printf_implicit_load(p, i32, COUNTS + 4 * axis);
    LLVMValueRef size = lull_printf_implicit_load(p, i16, SIZES + 2 * axis);
    LLVMValueRef rest = lull_printf_implicit_load(p, i16, REMAINDERS + 2 * axis);
    LLVMValueRef in = LLVMBuildICmp(p->builder, LLVMIntULT, group_id(p, axis), whole, "");
    return LLVMBuildZExt(p->builder, LLVMBuildSelect(p->builder, in, size, rest, ""), i32, "");
}

// Number of the wave in its workgroup: waves are filled in order of the work-items' flat ids.
static LLVMValueRef wave_number(struct lull_printf_pass *p)
{
    LLVMBuilderRef b = p->builder;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(p->cc->context);
    LLVMValueRef flat = intrinsic0(p, "llvm.amdgcn.workitem.id.z");
    flat = LLVMBuildMul(b, flat, group_size(p, 1), "");
    flat = LLVMBuildAdd(b, flat, intrinsic0(p, "llvm.amdgcn.workitem.id.y"), "");
    flat = LLVMBuildMul(b, flat, group_size(p, 0), "");
    flat = LLVMBuildAdd(b, flat, intrinsic0(p, "llvm.amdgcn.workitem.id.x"), "");
    LLVMValueRef lanes = intrinsic0(p, "llvm.amdgcn.wavefrontsize");
    LLVMValueRef wide = LLVMBuildICmp(b, LLVMIntEQ, lanes, LLVMConstInt(i32, 64, 0), "");
    LLVMValueRef shift =
        LLVMBuildSelect(b, wide, LLVMConstInt(i32, 6, 0), LLVMConstInt(i32, 5, 0), "");
    return LLVMBuildLShr(b, flat, shift, "");
}

static LLVMValueRef lane_number(struct lull_printf_pass *p)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(p->cc->context);
    LLVMValueRef all = LLVMConstAllOnes(i32);
    LLVMValueRef low[] = {all, LLVMConstInt(i32, 0, 0)};
    LLVMValueRef n = lull_ir_intrinsic(p->cc, p->builder, "llvm.amdgcn.mbcnt.lo", NULL, 0, low, 2);
    LLVMValueRef high[] = {all, n};
    return lull_ir_intrinsic(p->cc, p->builder, "llvm.amdgcn.mbcnt.hi", NULL, 0, high, 2);
}

struct lull_error *lull_printf_records(struct lull_printf_pass *p, const struct lull_printf_site *s,
                                       const struct lull_printf_place *at)
{
    const unsigned records = p->cc->options->printf_records;
    struct lull_error *err = NULL;
    if ((records & (LULL_PRINTF_WORKGROUP | LULL_PRINTF_WAVE)) != 0 && !p->cc->amdhsa) {
        return lull_ir_error(p->cc, s->call,
                             "workgroup and wave can be recorded on amdhsa only, dispatch and lane "
                             "everywhere");
    }
    if ((records & LULL_PRINTF_DISPATCH) != 0) {
        err = lull_printf_push(p, s, lull_printf_head(p, at, DISPATCH_DWORD));
    }
    for (unsigned i = 0; err == NULL && i < 3 && (records & LULL_PRINTF_WORKGROUP) != 0; i++) {
        err = lull_printf_push(p, s, group_id(p, i));
    }
    if (err == NULL && (records & LULL_PRINTF_WAVE) != 0) {
        err = lull_printf_push(p, s, wave_number(p));
    }
    if (err == NULL && (records & LULL_PRINTF_LANE) != 0) {
        err = lull_printf_push(p, s, lane_number(p));
    }
    return err;
}
