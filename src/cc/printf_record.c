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

// On amdpal the relocation pass gives ids (docs/formats/lull-intrinsics.md); amdhsa has intrinsics.
static LLVMValueRef group_id(struct lull_printf_pass *p, uint32_t axis)
{
    static const char *const names[] = {"llvm.amdgcn.workgroup.id.x", "llvm.amdgcn.workgroup.id.y",
                                        "llvm.amdgcn.workgroup.id.z"};
    LLVMTypeRef i32 = LLVMInt32TypeInContext(p->cc->context);
    return p->cc->amdpal ? lull_printf_ask(p, "lull.workgroup.id", i32, &axis, 1)
                         : intrinsic0(p, names[axis]);
}

static LLVMValueRef local_id(struct lull_printf_pass *p, uint32_t axis)
{
    static const char *const names[] = {"llvm.amdgcn.workitem.id.x", "llvm.amdgcn.workitem.id.y",
                                        "llvm.amdgcn.workitem.id.z"};
    LLVMTypeRef i32 = LLVMInt32TypeInContext(p->cc->context);
    return p->cc->amdpal ? lull_printf_ask(p, "lull.local.id", i32, &axis, 1)
                         : intrinsic0(p, names[axis]);
}

// Work-items of a workgroup along an axis, as the function says; 64, 1, 1 if it does not.
static LLVMValueRef fixed_size(struct lull_printf_pass *p, LLVMValueRef f, unsigned axis)
{
    static const char key[] = "reqd_work_group_size";
    static const uint64_t defaults[3] = {64, 1, 1};
    LLVMContextRef c = p->cc->context;
    LLVMValueRef v = LLVMConstInt(LLVMInt32TypeInContext(c), defaults[axis], 0);
    const unsigned kind = LLVMGetMDKindIDInContext(c, key, sizeof key - 1);
    size_t n = 0;
    LLVMValueMetadataEntry *all = LLVMGlobalCopyAllMetadata(f, &n);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef node = LLVMMetadataAsValue(c, LLVMValueMetadataEntriesGetMetadata(all, i));
        LLVMValueRef sizes[3] = {NULL};
        if (LLVMValueMetadataEntriesGetKind(all, i) == kind &&
            LLVMGetMDNodeNumOperands(node) == 3) {
            LLVMGetMDNodeOperands(node, sizes);
            v = LLVMIsAConstantInt(sizes[axis]) != NULL ? sizes[axis] : v;
        }
    }
    LLVMDisposeValueMetadataEntries(all);
    return v;
}

// Work-items of this workgroup along an axis: on amdhsa the last group may be smaller.
static LLVMValueRef group_size(struct lull_printf_pass *p, const struct lull_printf_site *s,
                               uint32_t axis)
{
    LLVMTypeRef i16 = LLVMInt16TypeInContext(p->cc->context);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(p->cc->context);
    if (p->cc->amdpal) {
        return fixed_size(p, lull_ir_function(s->call), axis);
    }
    LLVMValueRef whole = lull_printf_implicit_load(p, i32, COUNTS + 4 * axis);
    LLVMValueRef size = lull_printf_implicit_load(p, i16, SIZES + 2 * axis);
    LLVMValueRef rest = lull_printf_implicit_load(p, i16, REMAINDERS + 2 * axis);
    LLVMValueRef in = LLVMBuildICmp(p->builder, LLVMIntULT, group_id(p, axis), whole, "");
    return LLVMBuildZExt(p->builder, LLVMBuildSelect(p->builder, in, size, rest, ""), i32, "");
}

// Number of the wave in its workgroup: waves are filled in order of the work-items' flat ids.
static LLVMValueRef wave_number(struct lull_printf_pass *p, const struct lull_printf_site *s)
{
    LLVMBuilderRef b = p->builder;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(p->cc->context);
    LLVMValueRef flat = local_id(p, 2);
    flat = LLVMBuildMul(b, flat, group_size(p, s, 1), "");
    flat = LLVMBuildAdd(b, flat, local_id(p, 1), "");
    flat = LLVMBuildMul(b, flat, group_size(p, s, 0), "");
    flat = LLVMBuildAdd(b, flat, local_id(p, 0), "");
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
    const bool ids =
        p->cc->amdhsa ||
        (p->cc->amdpal && (p->cc->options->relocatable || p->cc->options->layout != NULL));
    if ((records & (LULL_PRINTF_WORKGROUP | LULL_PRINTF_WAVE)) != 0 && !ids) {
        return lull_ir_error(p->cc, s->call,
                             "workgroup and wave can be recorded on amdhsa, and on amdpal with "
                             "--relocatable or --layout");
    }
    if ((records & LULL_PRINTF_DISPATCH) != 0) {
        err = lull_printf_push(p, s, lull_printf_head(p, at, DISPATCH_DWORD));
    }
    for (unsigned i = 0; err == NULL && i < 3 && (records & LULL_PRINTF_WORKGROUP) != 0; i++) {
        err = lull_printf_push(p, s, group_id(p, i));
    }
    if (err == NULL && (records & LULL_PRINTF_WAVE) != 0) {
        err = lull_printf_push(p, s, wave_number(p, s));
    }
    if (err == NULL && (records & LULL_PRINTF_LANE) != 0) {
        err = lull_printf_push(p, s, lane_number(p));
    }
    return err;
}
