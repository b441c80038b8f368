// SPDX-License-Identifier: MIT
// Memory that a workgroup shares, also outputs of mesh shaders, and what clears it before the
// shader begins.
#include <llvm-c/Target.h>
#include <spirv/unified1/spirv.h>

#include "front/llvm/lower_priv.h"

enum {
    SHARED_SPACE = 3,
    SHARED_ALIGNMENT = 16,
};

/** Blocks in shared memory lie over each other: one array of bytes for all. */
LULL_MUST_USE static struct lull_error *shared_blocks(struct lull_fl *f, LLVMValueRef *ret)
{
    static const char name[] = "shared.blocks";
    const struct lull_spv *spv = &f->m->spv;
    struct lull_spv_insn in = {0};
    uint64_t size = 0;
    *ret = LLVMGetNamedGlobal(f->module, name);
    if (*ret != NULL) {
        return NULL;
    }
    for (size_t pos = LULL_SPV_HEADER_WORDS;
         pos < spv->functions && lull_spv_next(spv, &pos, &in);) {
        const struct lull_fr_type *t =
            in.op == SpvOpVariable ? lull_fr_type_of(f->m, in.w[1]) : NULL;
        if (t != NULL && in.w[3] == SpvStorageClassWorkgroup && t->kind == LULL_FR_POINTER &&
            lull_fl_is_explicit(t->element)) {
            const uint64_t one = lull_fl_explicit_size(t->element, 0, false);
            size = one > size ? one : size;
        }
    }
    if (size > UINT32_MAX) {
        return lull_fl_bad(f, "%llu bytes of shared memory", (unsigned long long)size);
    }
    *ret = LLVMAddGlobalInAddressSpace(f->module, LLVMArrayType2(f->i8, size), name, SHARED_SPACE);
    return NULL;
}

/** Is the id the one initializer that Vulkan lets shared memory have: nothing but zeros? */
static bool is_null(const struct lull_fl *f, uint32_t id, const struct lull_fr_type *type)
{
    const struct lull_fr_constant *c = lull_fr_constant_of(f->m, id);
    return c != NULL && c->null && c->type == type;
}

/** Bytes of the variable. */
static uint64_t bytes_of(const struct lull_fl *f, const struct lull_fl_pointer *p)
{
    return p->where == LULL_FL_BYTES ? lull_fl_explicit_size(p->type, 0, false)
                                     : LLVMABISizeOfType(LLVMGetModuleDataLayout(f->module),
                                                         LLVMGlobalGetValueType(p->base));
}

/** All lanes write zeros: lane i the units i, i + lanes, i + 2 * lanes ... of 1 to 4 bytes. */
static void clear(const struct lull_fl *f, const struct lull_fl_pointer *p)
{
    const uint32_t *n = f->m->local_size, lanes = n[0] * n[1] * n[2];
    const uint64_t bytes = bytes_of(f, p);
    LLVMTypeRef unit = bytes % 4 == 0 ? f->i32 : bytes % 2 == 0 ? f->i16 : f->i8;
    const uint64_t units = bytes * 8 / LLVMGetIntTypeWidth(unit);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(f->b);
    LLVMBasicBlockRef test = LLVMAppendBasicBlockInContext(f->c, f->fn, "");
    LLVMBasicBlockRef write = LLVMAppendBasicBlockInContext(f->c, f->fn, "");
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(f->c, f->fn, "");
    LLVMValueRef first = lull_fl_local_index(f);
    LLVMBuildBr(f->b, test);
    LLVMPositionBuilderAtEnd(f->b, test);
    LLVMValueRef i = LLVMBuildPhi(f->b, f->i32, "");
    LLVMValueRef more = LLVMBuildICmp(f->b, LLVMIntULT, i, lull_fl_int(f, units), "");
    LLVMBuildCondBr(f->b, more, write, after);
    LLVMPositionBuilderAtEnd(f->b, write);
    LLVMBuildStore(f->b, LLVMConstNull(unit), LLVMBuildGEP2(f->b, unit, p->base, &i, 1, ""));
    LLVMValueRef next = LLVMBuildAdd(f->b, i, lull_fl_int(f, lanes), "");
    LLVMBuildBr(f->b, test);
    LLVMAddIncoming(i, &first, &before, 1);
    LLVMAddIncoming(i, &next, &write, 1);
    LLVMPositionBuilderAtEnd(f->b, after);
}

struct lull_error *lull_fl_shared(struct lull_fl *f, struct lull_fl_pointer *p)
{
    LLVMTypeRef type = NULL;
    struct lull_error *err = NULL;
    if (f->in->n > 4 && !is_null(f, f->in->w[4], p->type)) {
        return lull_fl_refuse(f, "shared memory with an initializer that is not OpConstantNull");
    }
    if (lull_fl_is_explicit(p->type)) {
        p->where = LULL_FL_BYTES;
        err = shared_blocks(f, &p->base);
    } else {
        err = lull_fl_memory_type(f, p->type, &type);
        if (err == NULL) {
            p->base = LLVMAddGlobalInAddressSpace(f->module, type, "shared", SHARED_SPACE);
        }
    }
    if (err == NULL) {
        LLVMSetInitializer(p->base, LLVMGetPoison(LLVMGlobalGetValueType(p->base)));
        LLVMSetLinkage(p->base, LLVMInternalLinkage);
        LLVMSetAlignment(p->base, SHARED_ALIGNMENT);
    }
    if (err == NULL && f->in->n > 4) {
        clear(f, p);
        f->cleared = true;
    }
    return err;
}
