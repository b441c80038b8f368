// SPDX-License-Identifier: MIT
// What a vertex shader reads: attributes, and which vertex it is.
#include <stdio.h>

#include <spirv/unified1/spirv.h>

#include "front/llvm/stage.h"

/** Numbers of user data. Source: PAL inc/core/palPipelineAbi.h, Util::Abi::UserDataMapping. */
enum { BASE_VERTEX = 0x10000003, BASE_INSTANCE = 0x10000004, DRAW_INDEX = 0x10000005 };

static LLVMValueRef user_data(const struct lull_fl *f, uint32_t which)
{
    LLVMValueRef arg = lull_fl_int(f, which);
    return lull_fl_extern(f, "lull.user.data", f->i32, &arg, 1);
}

/** A built-in; NULL: it is none of a vertex shader. */
static LLVMValueRef builtin(const struct lull_fl *f, uint32_t which)
{
    switch (which) {
    case SpvBuiltInVertexIndex:
        return LLVMBuildAdd(f->b, lull_fl_register(f, LULL_FL_VERTEX), user_data(f, BASE_VERTEX),
                            "");
    case SpvBuiltInInstanceIndex:
        return LLVMBuildAdd(f->b, lull_fl_register(f, LULL_FL_INSTANCE),
                            user_data(f, BASE_INSTANCE), "");
    case SpvBuiltInBaseVertex:
        return user_data(f, BASE_VERTEX);
    case SpvBuiltInBaseInstance:
        return user_data(f, BASE_INSTANCE);
    case SpvBuiltInDrawIndex:
        return user_data(f, DRAW_INDEX);
    default:
        return NULL;
    }
}

/** "v4f32" and its like: how LLVM writes a type in a name. */
static void type_name(LLVMTypeRef type, char *out, size_t room)
{
    const unsigned n = lull_fl_count(type);
    LLVMTypeRef s = lull_fl_scalar_of(type);
    const bool whole = LLVMGetTypeKind(s) == LLVMIntegerTypeKind;
    const unsigned bits = whole                                     ? LLVMGetIntTypeWidth(s)
                          : LLVMGetTypeKind(s) == LLVMFloatTypeKind ? 32
                                                                    : 16;
    if (n == 1) {
        snprintf(out, room, "%c%u", whole ? 'i' : 'f', bits);
    } else {
        snprintf(out, room, "v%u%c%u", n, whole ? 'i' : 'f', bits);
    }
}

/** An attribute: the pass behind knows its buffer and format. */
LULL_MUST_USE static struct lull_error *attribute(struct lull_fl *f,
                                                  const struct lull_fr_leaf *leaf,
                                                  LLVMValueRef *ret)
{
    LLVMTypeRef type = NULL;
    char name[64] = "lull.vertex.input.", suffix[16] = "", whole[96] = "";
    struct lull_error *err = lull_fl_type(f, leaf->type, &type);
    if (err != NULL) {
        return err;
    }
    const struct lull_fr_type *s = lull_fr_scalar(leaf->type);
    if (s->bits == 8 || s->brain) {
        return lull_fl_refuse(f, "input %%%u: attributes of bytes or of bfloat16", leaf->id);
    }
    LLVMTypeRef asked = s->bits == 64 ? LLVMVectorType(f->i32, 2 * lull_fl_count(type)) : type;
    type_name(asked, suffix, sizeof suffix);
    snprintf(whole, sizeof whole, "%s%s", name, suffix);
    LLVMValueRef args[2] = {lull_fl_int(f, leaf->location), lull_fl_int(f, leaf->component)};
    *ret = LLVMBuildBitCast(f->b, lull_fl_extern(f, whole, asked, args, 2), type, "");
    return NULL;
}

struct lull_error *lull_fl_vertex_input(struct lull_fl *f, const struct lull_fr_leaf *leaf,
                                        LLVMValueRef *ret)
{
    LLVMTypeRef type = NULL;
    struct lull_error *err = lull_fl_type(f, leaf->type, &type);
    if (err != NULL || leaf->decor.builtin == LULL_FR_NONE) {
        return err != NULL ? err : attribute(f, leaf, ret);
    }
    *ret = builtin(f, leaf->decor.builtin);
    if (*ret == NULL) {
        return lull_fl_builtin(f, leaf->decor.builtin, leaf->type, ret);
    }
    return LLVMTypeOf(*ret) == type
               ? NULL
               : lull_fl_bad(f, "input %%%u: not the type of the built-in", leaf->id);
}
