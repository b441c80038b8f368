// SPDX-License-Identifier: MIT
// Attributes and colours of relocatable shaders: VGPRs that other parts of the pipeline fill or
// export. A part in front loads attributes, one behind the shader's end exports colours.
//
// Source: LLPC lgc/include/lgc/state/PalMetadata.h (.vertexInputs, .colorExports).
#include <string.h>

#include "cc/ir.h"
#include "cc/reloc_priv.h"
#include "file/msgpack_write.h"

enum {
    RETURNED_VGPRS = 32 // eight colours
};

struct lull_rl_vertex_vgprs lull_rl_vertex_vgprs(const struct lull_rl_entry *e)
{
    // Where hardware has what a thread is. Source: Mesa 25.0.7, src/amd/vulkan/radv_shader_args.c
    // and src/gallium/drivers/radeonsi/si_shader.c, declare_vs_input_vgprs.
    enum { GFX9, GFX10, GFX11, GFX12, NGPUS };
    static const struct lull_rl_vertex_vgprs vertex[NGPUS] = {{4, 0, 1}, {4, 0, 3}};
    static const struct lull_rl_vertex_vgprs primitive[NGPUS] = {
        {9, 5, 6}, {9, 5, 8}, {9, 5, 8}, {5, 3, 4}};
    static const struct lull_rl_vertex_vgprs hull[NGPUS] = {
        {6, 2, 4}, {6, 2, 5}, {6, 2, 5}, {4, 2, 3}};
    const unsigned gpu = e->gfx <= 9 ? GFX9 : e->gfx >= 12 ? GFX12 : e->gfx - 9;
    return strcmp(e->stage, "hs") == 0   ? hull[gpu]
           : strcmp(e->stage, "vs") == 0 ? vertex[gpu]
                                         : primitive[gpu];
}

static bool is(const struct lull_rl_call *c, enum lull_rl_op op)
{
    return c->row->op == op;
}

static LLVMTypeRef value_type(const struct lull_rl_call *c)
{
    return is(c, LULL_RL_VERTEX_INPUT) ? LLVMTypeOf(c->inst)
                                       : LLVMTypeOf(LLVMGetOperand(c->inst, 2));
}

/** VGPRs that the shader's own parameters take. */
static unsigned own_vgprs(const struct lull_rl_entry *e)
{
    const unsigned inreg = LLVMGetEnumAttributeKindForName("inreg", 5);
    unsigned n = 0;
    for (unsigned i = 0; i < LLVMCountParams(e->fn); i++) {
        LLVMTypeRef one = NULL;
        if (LLVMGetEnumAttributeAtIndex(e->fn, i + 1, inreg) == NULL) {
            n += lull_rl_components(LLVMTypeOf(LLVMGetParam(e->fn, i)), &one);
        }
    }
    return n;
}

/** The earlier call of the same attribute; NULL if there is none. */
static const struct lull_rl_call *same(const struct lull_rl_entry *e, const struct lull_rl_call *c)
{
    for (const struct lull_rl_call *i = e->calls; i < c; i++) {
        if (is(i, LULL_RL_VERTEX_INPUT) && memcmp(i->value, c->value, sizeof c->value) == 0 &&
            value_type(i) == value_type(c)) {
            return i;
        }
    }
    return NULL;
}

struct lull_error *lull_rl_pass(const struct lull_rl *rl, struct lull_rl_entry *e)
{
    for (size_t i = 0; i < e->ncalls; i++) {
        struct lull_rl_call *c = &e->calls[i];
        LLVMTypeRef one = NULL;
        c->type = c->row->type == LULL_RL_ANY ? value_type(c) : NULL;
        if (is(c, LULL_RL_COLOR_EXPORT)) {
            c->vgpr = e->ncolor_vgprs;
            e->ncolor_vgprs += lull_rl_components(value_type(c), &one);
        }
        if (!is(c, LULL_RL_VERTEX_INPUT)) {
            continue;
        }
        const struct lull_rl_call *before = same(e, c);
        c->vgpr = before != NULL ? before->vgpr : e->nattribute_vgprs;
        c->again = before != NULL;
        e->nattribute_vgprs += c->again ? 0 : lull_rl_components(value_type(c), &one);
        const unsigned want = lull_rl_vertex_vgprs(e).n;
        if (own_vgprs(e) != want) {
            return lull_ir_error(rl->cc, c->inst,
                                 "%s: the shader's parameters take %u VGPRs, and the part that "
                                 "loads attributes is given the %u of an amdgpu_%s",
                                 c->row->name, own_vgprs(e), want, e->stage);
        }
    }
    return e->ncolor_vgprs <= RETURNED_VGPRS
               ? NULL
               : lull_error_new(LULL_ERR_UNSUPPORTED, "%s: function '%s': more than %d colours",
                                rl->cc->options->input, e->name, LULL_RL_COLORS);
}

LLVMTypeRef lull_rl_return_type(const struct lull_rl *rl, struct lull_rl_entry *e)
{
    LLVMTypeRef types[RETURNED_VGPRS] = {0};
    for (unsigned i = 0; i < e->ncolor_vgprs; i++) {
        types[i] = LLVMFloatTypeInContext(rl->cc->context);
    }
    return e->ncolor_vgprs == 0
               ? LLVMGetReturnType(LLVMGlobalGetValueType(e->fn))
               : LLVMStructTypeInContext(rl->cc->context, types, e->ncolor_vgprs, false);
}

static bool is_i16(LLVMTypeRef one)
{
    return LLVMGetTypeKind(one) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(one) == 16;
}

LLVMValueRef lull_rl_passed(const struct lull_rl *rl, const struct lull_rl_entry *e,
                            const struct lull_rl_call *c, LLVMBuilderRef b)
{
    LLVMTypeRef type = value_type(c), one = NULL, i32 = LLVMInt32TypeInContext(rl->cc->context);
    const unsigned n = lull_rl_components(type, &one);
    LLVMValueRef all = LLVMGetPoison(type);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef v = LLVMGetParam(e->fn, e->attribute_param + c->vgpr + i);
        v = LLVMGetTypeKind(one) == LLVMHalfTypeKind ? LLVMBuildFPTrunc(b, v, one, "")
            : is_i16(one) ? LLVMBuildTrunc(b, LLVMBuildBitCast(b, v, i32, ""), one, "")
                          : LLVMBuildBitCast(b, v, one, "");
        all = LLVMGetTypeKind(type) == LLVMVectorTypeKind
                  ? LLVMBuildInsertElement(b, all, v, LLVMConstInt(i32, i, false), "")
                  : v;
    }
    return all;
}

/** All components of a colour into the returned structure. */
static LLVMValueRef give(const struct lull_rl *rl, const struct lull_rl_call *c, LLVMBuilderRef b,
                         LLVMValueRef all)
{
    LLVMTypeRef one = NULL, i32 = LLVMInt32TypeInContext(rl->cc->context),
                f32 = LLVMFloatTypeInContext(rl->cc->context);
    LLVMValueRef value = LLVMGetOperand(c->inst, 2);
    const unsigned n = lull_rl_components(value_type(c), &one);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef v = LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind
                             ? LLVMBuildExtractElement(b, value, LLVMConstInt(i32, i, false), "")
                             : value;
        v = LLVMGetTypeKind(one) == LLVMHalfTypeKind ? LLVMBuildFPExt(b, v, f32, "")
            : is_i16(one) ? LLVMBuildBitCast(b, LLVMBuildZExt(b, v, i32, ""), f32, "")
                          : LLVMBuildBitCast(b, v, f32, "");
        all = LLVMBuildInsertValue(b, all, v, c->vgpr + i, "");
    }
    return all;
}

struct lull_error *lull_rl_return_colors(const struct lull_rl *rl, struct lull_rl_entry *e,
                                         LLVMBuilderRef b)
{
    LLVMBasicBlockRef block = NULL;
    LLVMValueRef all = LLVMGetPoison(LLVMGetReturnType(LLVMGlobalGetValueType(e->fn)));
    struct lull_error *err = lull_rl_check_colors(rl, e, &block);
    for (LLVMBasicBlockRef i = LLVMGetFirstBasicBlock(e->fn); err == NULL && i != NULL;
         i = LLVMGetNextBasicBlock(i)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(i);
        if (i != block && LLVMIsAReturnInst(end) != NULL) {
            err = lull_ir_error(rl->cc, end, "a shader that gives colours returns in one place");
        }
    }
    if (err != NULL) {
        return err;
    }
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    LLVMPositionBuilderBefore(b, end);
    for (size_t i = 0; i < e->ncalls; i++) {
        if (is(&e->calls[i], LULL_RL_COLOR_EXPORT)) {
            all = give(rl, &e->calls[i], b, all);
            LLVMInstructionEraseFromParent(e->calls[i].inst);
        }
    }
    LLVMBuildRet(b, all);
    LLVMInstructionEraseFromParent(end);
    return NULL;
}

/** [number, number, (signed,) type] of one call. */
static void put_one(struct lull_str *s, const struct lull_rl_call *c)
{
    char name[16] = "";
    const bool color = is(c, LULL_RL_COLOR_EXPORT);
    lull_rl_type_name(c->type, name);
    lull_msgpack_put_array(s, color ? 4 : 3);
    lull_msgpack_put_uint(s, color ? c->value[0] + c->value[1] : c->value[0]);
    lull_msgpack_put_uint(s, color ? c->value[0] : c->value[1]);
    if (color) {
        lull_msgpack_put_uint(s, 0);
    }
    lull_msgpack_put_text(s, name);
}

size_t lull_rl_put_unlinked(struct lull_str *s, const struct lull_rl *rl)
{
    static const struct {
        const char *key;
        enum lull_rl_op op;
    } keys[] = {{".vertexInputs", LULL_RL_VERTEX_INPUT}, {".colorExports", LULL_RL_COLOR_EXPORT}};
    size_t nkeys = 0;
    for (size_t k = 0; rl->layout == NULL && k < sizeof keys / sizeof keys[0]; k++) {
        size_t n = 0;
        struct lull_str list = {0};
        for (size_t i = 0; i < rl->nentries; i++) {
            const struct lull_rl_entry *e = &rl->entries[i];
            for (size_t j = 0; j < e->ncalls; j++) {
                if (e->calls[j].row->op == keys[k].op && !e->calls[j].again) {
                    put_one(&list, &e->calls[j]);
                    n++;
                }
            }
        }
        if (n != 0) {
            lull_msgpack_put_text(s, keys[k].key);
            lull_msgpack_put_array(s, n);
            lull_str_add(s, lull_str_text(&list), list.size);
            nkeys++;
        }
        s->err = s->err != NULL ? s->err : list.err;
        list.err = NULL;
        lull_str_free(&list);
    }
    return nkeys;
}
