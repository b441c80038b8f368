// SPDX-License-Identifier: MIT
// Texel buffers.
#include <stdio.h>

#include "front/llvm/image_priv.h"

enum { BUFFER_SPACE = 8, RECORDS = 2 };

/** The descriptor as a pointer. */
static LLVMValueRef pointer(const struct lull_fl *f, LLVMValueRef words)
{
    LLVMValueRef number = LLVMBuildBitCast(f->b, words, LLVMIntTypeInContext(f->c, 128), "");
    return LLVMBuildIntToPtr(f->b, number, LLVMPointerTypeInContext(f->c, BUFFER_SPACE), "");
}

LLVMValueRef lull_fl_load_texels(const struct lull_fl *f, const struct lull_fl_image *image,
                                 LLVMValueRef at, LLVMTypeRef raw, bool coherent)
{
    LLVMValueRef zero = lull_fl_int(f, 0);
    LLVMValueRef args[5] = {pointer(f, image->words), at, zero, zero,
                            lull_fl_int(f, coherent ? lull_fl_coherent(f, false) : 0)};
    return lull_fl_call(f, "llvm.amdgcn.struct.ptr.buffer.load.format", raw, args, 5);
}

void lull_fl_store_texels(const struct lull_fl *f, const struct lull_fl_image *image,
                          LLVMValueRef at, LLVMValueRef v, bool coherent)
{
    LLVMValueRef zero = lull_fl_int(f, 0);
    LLVMValueRef args[6] = {v,    pointer(f, image->words),
                            at,   zero,
                            zero, lull_fl_int(f, coherent ? lull_fl_coherent(f, true) : 0)};
    (void)lull_fl_call(f, "llvm.amdgcn.struct.ptr.buffer.store.format", LLVMTypeOf(v), args, 6);
}

LLVMValueRef lull_fl_texels_size(const struct lull_fl *f, const struct lull_fl_image *image)
{
    return lull_fl_part(f, image->words, RECORDS); // counted in texels: they have a stride
}

LLVMValueRef lull_fl_texels_atomic(const struct lull_fl *f, LLVMValueRef words, const char *name,
                                   LLVMValueRef at, LLVMValueRef v, LLVMValueRef compare)
{
    char full[96] = "";
    LLVMValueRef zero = lull_fl_int(f, 0);
    struct lull_fl_image_call c = {0};
    snprintf(full, sizeof full, "llvm.amdgcn.struct.ptr.buffer.atomic.%s", name);
    lull_fl_push(&c, v);
    if (compare != NULL) {
        lull_fl_push(&c, compare);
    }
    lull_fl_push(&c, pointer(f, words));
    lull_fl_push(&c, at);
    for (unsigned i = 0; i < 3; i++) {
        lull_fl_push(&c, zero);
    }
    return lull_fl_call(f, full, LLVMTypeOf(v), c.args, c.n);
}
