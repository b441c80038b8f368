// SPDX-License-Identifier: MIT
// Vertex attributes: loads that convert, by the layout's description of the vertex input.
//
// Source: Vulkan 1.3, "Vertex Input Extraction"; LLPC lgc/patch/VertexFetch.cpp: a load for each
// component where components are bytes of their own, since buffers need only be aligned to those.
#include <string.h>

#include "cc/ir.h"
#include "cc/reloc_priv.h"
#include "link/vkformat.h"

enum {
    ALPHA = 3,
    ONE_FLOAT = 0x3f800000,
};

struct fetch {
    const struct lull_rl *rl;
    LLVMBuilderRef b;
    LLVMTypeRef i32;
    const struct lull_layout_attribute *a;
    LLVMValueRef buffer, index;
    enum lull_vkformat_gpu gpu;
    LLVMValueRef raw[LULL_RL_WIDE]; ///< What the shader sees, i32.
};

static LLVMValueRef number(const struct fetch *f, uint32_t value)
{
    return LLVMConstInt(f->i32, value, false);
}

/** The parameter that hardware writes into VGPR @p n; NULL if the shader has not so many. */
static LLVMValueRef vgpr(const struct lull_rl_entry *e, unsigned n)
{
    const unsigned inreg = LLVMGetEnumAttributeKindForName("inreg", 5);
    unsigned at = 0;
    for (unsigned i = 0; i < LLVMCountParams(e->fn) && at <= n; i++) {
        LLVMValueRef p = LLVMGetParam(e->fn, i);
        LLVMTypeRef one = NULL;
        if (LLVMGetEnumAttributeAtIndex(e->fn, i + 1, inreg) != NULL) {
            continue;
        }
        const unsigned size = lull_rl_components(LLVMTypeOf(p), &one);
        if (at == n) {
            return size == 1 && LLVMGetTypeKind(one) == LLVMIntegerTypeKind &&
                           LLVMGetIntTypeWidth(one) == 32
                       ? p
                       : NULL;
        }
        at += size;
    }
    return NULL;
}

/** Which element of the buffer. */
LULL_MUST_USE static struct lull_error *index_of(struct fetch *f, const struct lull_rl_entry *e,
                                                 const struct lull_rl_call *c,
                                                 const struct lull_layout_binding *b)
{
    const struct lull_rl_vertex_vgprs own = lull_rl_vertex_vgprs(e);
    const unsigned n = b->instance ? own.instance : own.vertex;
    LLVMValueRef v = vgpr(e, n);
    if (v == NULL) {
        return lull_ir_error(f->rl->cc, c->inst,
                             "%s: the shader has no i32 parameter in VGPR %u, where the number of "
                             "the %s is",
                             c->row->name, n, b->instance ? "instance" : "vertex");
    }
    const int slot = lull_rl_slot(e, b->instance ? LULL_UD_BASE_INSTANCE : LULL_UD_BASE_VERTEX);
    LLVMValueRef base = e->sgpr[slot];
    f->index = b->divisor == 0 ? base : v;
    if (b->divisor > 1) {
        f->index = LLVMBuildUDiv(f->b, v, number(f, b->divisor), "");
    }
    if (b->divisor != 0) {
        f->index = LLVMBuildAdd(f->b, f->index, base, "");
    }
    return NULL;
}

/** @p n dwords in the buffer's format @p format, from byte @p offset of the element on. */
static LLVMValueRef load(const struct fetch *f, unsigned format, uint32_t offset, unsigned n)
{
    LLVMTypeRef type = n == 1 ? f->i32 : LLVMVectorType(f->i32, n);
    LLVMValueRef args[] = {f->buffer,    f->index,          number(f, offset),
                           number(f, 0), number(f, format), number(f, 0)};
    return lull_ir_intrinsic(f->rl->cc, f->b, "llvm.amdgcn.struct.tbuffer.load", &type, 1, args, 6);
}

/** Components @p first up to @p end into f->raw. */
static void load_components(struct fetch *f, unsigned first, unsigned end)
{
    const struct lull_vkformat *v = f->a->format;
    LLVMValueRef whole = NULL;
    for (unsigned i = first; i < end; i++) {
        const unsigned at = v->bgra && i < ALPHA ? 2 - i : i; // where it is in memory
        if (i >= v->components) {
            const uint32_t one = lull_vkformat_is_integer(v) ? 1 : ONE_FLOAT;
            f->raw[i] = number(f, i == ALPHA ? one : 0);
        } else if (v->part[f->gpu] != 0) {
            f->raw[i] = load(f, v->part[f->gpu], f->a->offset + at * v->part_bytes, 1);
        } else {
            whole = whole != NULL ? whole : load(f, v->whole[f->gpu], f->a->offset, v->components);
            f->raw[i] = v->components == 1
                            ? whole
                            : LLVMBuildExtractElement(f->b, whole, number(f, at), "");
        }
    }
}

/** Dwords @p first up to @p end of 64-bit components. */
static void load_wide(struct fetch *f, unsigned first, unsigned end)
{
    const struct lull_vkformat *v = f->a->format;
    for (unsigned i = first / 2; i < (end + 1) / 2; i++) {
        LLVMValueRef pair = i < v->components
                                ? load(f, v->part[f->gpu], f->a->offset + i * v->part_bytes, 2)
                                : LLVMConstNull(LLVMVectorType(f->i32, 2));
        f->raw[2 * i] = LLVMBuildExtractElement(f->b, pair, number(f, 0), "");
        f->raw[2 * i + 1] = LLVMBuildExtractElement(f->b, pair, number(f, 1), "");
    }
}

/** A dword as a component of the shader's type. */
static LLVMValueRef component(const struct fetch *f, LLVMValueRef v, LLVMTypeRef type)
{
    LLVMContextRef c = f->rl->cc->context;
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    const bool narrow =
        kind == LLVMHalfTypeKind || (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) < 32);
    if (!narrow) {
        return LLVMBuildBitCast(f->b, v, type, "");
    }
    if (kind == LLVMHalfTypeKind && !lull_vkformat_is_integer(f->a->format)) {
        return LLVMBuildFPTrunc(f->b, LLVMBuildBitCast(f->b, v, LLVMFloatTypeInContext(c), ""),
                                type, "");
    }
    return LLVMBuildBitCast(f->b, LLVMBuildTrunc(f->b, v, LLVMInt16TypeInContext(c), ""), type, "");
}

struct lull_error *lull_rl_fetch(const struct lull_rl *rl, const struct lull_rl_entry *e,
                                 const struct lull_rl_call *c, LLVMBuilderRef b,
                                 LLVMValueRef buffer, LLVMValueRef *ret)
{
    const struct lull_layout_binding *binding = NULL;
    LLVMTypeRef type = LLVMTypeOf(c->inst), one = NULL;
    const unsigned n = lull_rl_components(type, &one), first = c->value[1];
    struct fetch f = {.rl = rl,
                      .b = b,
                      .i32 = LLVMInt32TypeInContext(rl->cc->context),
                      .buffer = buffer,
                      .gpu = lull_vkformat_gpu(e->gfx)};
    struct lull_error *err = lull_rl_attribute(rl, c, &f.a, &binding);
    err = err != NULL ? err : index_of(&f, e, c, binding);
    if (err != NULL) {
        return err;
    }
    if (f.a->format->wide) {
        load_wide(&f, first, first + n);
    } else {
        load_components(&f, first, first + n);
    }
    LLVMValueRef all = LLVMGetPoison(type);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef v = component(&f, f.raw[first + i], one);
        all = LLVMGetTypeKind(type) == LLVMVectorTypeKind
                  ? LLVMBuildInsertElement(b, all, v, number(&f, i), "")
                  : v;
    }
    *ret = all;
    return NULL;
}
