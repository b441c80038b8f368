// SPDX-License-Identifier: MIT
// Colours of a pixel shader: conversions and exports by the formats of the layout's targets.
//
// Source: LLPC lgc/state/PipelineState.cpp (computeExportFormat), lgc/patch/FragColorExport.cpp.
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "cc/ir.h"
#include "cc/reloc_priv.h"
#include "link/vkformat.h"

enum {
    ZERO = 0, // SPI_SHADER_COL_FORMAT
    FORMAT_32_R = 1,
    FORMAT_32_GR = 2,
    FORMAT_32_AR = 3,
    FORMAT_FP16 = 4,
    FORMAT_UNORM16 = 5,
    FORMAT_SNORM16 = 6,
    FORMAT_UINT16 = 7,
    FORMAT_SINT16 = 8,
    FORMAT_32_ABGR = 9,
    ALPHA = 3,
    MRTZ = 8,    // a target of exports
    DUAL_0 = 21, // two sources of even pixels, then of odd ones
    SECOND = 1,  // in lists by location: the second source of location 0
    SWAP = 0xb1, // quad_perm [1, 0, 3, 2]
    ALL_ROWS = 0xf,
    FIRST_PAIR = 0x3, // masks of gfx9 and gfx10
    SECOND_PAIR = 0xc,
    GFX10 = 10,
    GFX11,
    HALF_FLOAT_BITS = 11, // normalised, that a half holds
};

struct export
{
    const struct lull_rl *rl;
    LLVMBuilderRef b;
    LLVMTypeRef i32, f32;
    const struct lull_rl_call *c;
    unsigned n;                                 ///< Components.
    LLVMTypeRef one;                            ///< Of them.
    LLVMValueRef component[LULL_RL_COMPONENTS]; ///< Those that the shader gives.
    LLVMValueRef even;                          ///< Of two sources: is the lane's number even?
    unsigned gfx;
};

/** Format of the export for a target; without targets in the layout, all of the colour. */
static unsigned format_of(const struct lull_layout *l, unsigned location)
{
    const struct lull_layout_color *c = &l->colors[location];
    const struct lull_vkformat *f = c->format;
    const bool coverage = l->alpha_to_coverage && location == 0;
    const bool alpha = coverage || c->source_alpha;
    if (!l->has_colors) {
        return FORMAT_32_ABGR;
    }
    if (f == NULL) {
        return coverage ? FORMAT_32_AR : ZERO;
    }
    if (f->components == 1 && f->bits == 32 && !alpha) {
        return FORMAT_32_R;
    }
    if (lull_vkformat_is_integer(f) && f->bits <= 16 && !coverage) {
        return f->kind == LULL_VKFORMAT_UINT ? FORMAT_UINT16 : FORMAT_SINT16;
    }
    const bool norm = f->kind == LULL_VKFORMAT_UNORM || f->kind == LULL_VKFORMAT_SNORM;
    if (f->kind == LULL_VKFORMAT_SRGB || (norm && f->bits < HALF_FLOAT_BITS) ||
        (f->kind == LULL_VKFORMAT_FLOAT && f->bits <= 16)) {
        return FORMAT_FP16;
    }
    if (norm && f->bits == 16 && !c->blend && !alpha) {
        return f->kind == LULL_VKFORMAT_UNORM ? FORMAT_UNORM16 : FORMAT_SNORM16;
    }
    return f->components == 1             ? (alpha ? FORMAT_32_AR : FORMAT_32_R)
           : f->components == 2 && !alpha ? FORMAT_32_GR
                                          : FORMAT_32_ABGR;
}

/** Components of an export that a target takes: CB_SHADER_MASK. */
static unsigned mask_of(unsigned format)
{
    return format == ZERO           ? 0
           : format == FORMAT_32_R  ? 0x1
           : format == FORMAT_32_GR ? 0x3
           : format == FORMAT_32_AR ? 0x9
                                    : 0xf;
}

static LLVMValueRef number(const struct export *x, uint32_t value)
{
    return LLVMConstInt(x->i32, value, false);
}

/** Is it half, or i16? */
static bool narrow(const struct export *x)
{
    return LLVMGetTypeKind(x->one) == LLVMHalfTypeKind ||
           (LLVMGetTypeKind(x->one) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(x->one) == 16);
}

/** Component @p i as a float; what the shader does not give is 0, and not seen. */
static LLVMValueRef as_float(const struct export *x, unsigned i)
{
    if (i >= x->n) {
        return LLVMConstNull(x->f32);
    }
    LLVMValueRef v = x->component[i];
    if (narrow(x)) {
        v = LLVMBuildBitCast(x->b, v, LLVMHalfTypeInContext(x->rl->cc->context), "");
        return LLVMBuildFPExt(x->b, v, x->f32, "");
    }
    return LLVMBuildBitCast(x->b, v, x->f32, "");
}

/** Component @p i as an integer. */
static LLVMValueRef as_integer(const struct export *x, unsigned i, bool is_signed)
{
    if (i >= x->n) {
        return number(x, 0);
    }
    LLVMValueRef v = x->component[i];
    if (narrow(x)) {
        v = LLVMBuildBitCast(x->b, v, LLVMInt16TypeInContext(x->rl->cc->context), "");
        return is_signed ? LLVMBuildSExt(x->b, v, x->i32, "") : LLVMBuildZExt(x->b, v, x->i32, "");
    }
    return LLVMBuildBitCast(x->b, v, x->i32, "");
}

/** Component @p i in 32 bits, as the target's format has numbers. */
static LLVMValueRef as_single(const struct export *x, const struct lull_vkformat *f, unsigned i)
{
    const bool integer = f != NULL && lull_vkformat_is_integer(f);
    return integer
               ? LLVMBuildBitCast(x->b, as_integer(x, i, f->kind == LULL_VKFORMAT_SINT), x->f32, "")
               : as_float(x, i);
}

/** Components @p i and @p i + 1 in one dword, as a float. */
static LLVMValueRef pair(const struct export *x, unsigned format, unsigned i)
{
    static const char *const names[] = {[FORMAT_FP16] = "llvm.amdgcn.cvt.pkrtz",
                                        [FORMAT_UNORM16] = "llvm.amdgcn.cvt.pknorm.u16",
                                        [FORMAT_SNORM16] = "llvm.amdgcn.cvt.pknorm.i16",
                                        [FORMAT_UINT16] = "llvm.amdgcn.cvt.pk.u16",
                                        [FORMAT_SINT16] = "llvm.amdgcn.cvt.pk.i16"};
    LLVMValueRef v[2] = {0};
    for (unsigned k = 0; k < 2; k++) {
        v[k] = format >= FORMAT_UINT16 ? as_integer(x, i + k, format == FORMAT_SINT16)
                                       : as_float(x, i + k);
    }
    LLVMValueRef packed = lull_ir_intrinsic(x->rl->cc, x->b, names[format], NULL, 0, v, 2);
    return LLVMBuildBitCast(x->b, packed, x->f32, "");
}

/** The export's four operands; which of them are there. */
static unsigned operands(const struct export *x, unsigned format, LLVMValueRef v[4])
{
    const struct lull_vkformat *f = x->rl->layout->colors[x->c->value[0]].format;
    const unsigned used = format == FORMAT_32_R    ? 1
                          : format == FORMAT_32_GR ? 2
                                                   : LULL_RL_COMPONENTS;
    for (unsigned i = 0; i < 4; i++) {
        v[i] = LLVMGetPoison(x->f32);
    }
    if (format == FORMAT_32_AR) { // gfx9 has alpha at its own place
        const unsigned at = x->gfx < GFX10 ? ALPHA : 1;
        v[0] = as_single(x, f, 0);
        v[at] = as_single(x, f, ALPHA);
        return 1 | 1u << at;
    }
    if (format >= FORMAT_FP16 && format <= FORMAT_SINT16) {
        v[0] = pair(x, format, 0);
        if (x->n > 2) {
            v[1] = pair(x, format, 2);
        }
        return x->n > 2 ? 0x3 : 0x1;
    }
    const unsigned n = x->n < used ? x->n : used;
    for (unsigned i = 0; i < n; i++) {
        v[i] = as_single(x, f, i);
    }
    return (1u << n) - 1;
}

/** Pairs of halves, which gfx9 and gfx10 know by a bit of the export; a mask has two bits each. */
static void put_pairs(const struct export *x, unsigned target, unsigned mask, LLVMValueRef v[4],
                      LLVMValueRef done)
{
    LLVMContextRef c = x->rl->cc->context;
    LLVMTypeRef type = LLVMVectorType(LLVMInt16TypeInContext(c), 2);
    const unsigned halves =
        ((mask & 1) != 0 ? FIRST_PAIR : 0) | ((mask & 2) != 0 ? SECOND_PAIR : 0);
    LLVMValueRef args[] = {number(x, target),
                           number(x, halves),
                           LLVMBuildBitCast(x->b, v[0], type, ""),
                           LLVMBuildBitCast(x->b, v[1], type, ""),
                           done,
                           done};
    (void)lull_ir_intrinsic(x->rl->cc, x->b, "llvm.amdgcn.exp.compr", &type, 1, args, 6);
}

static void put(const struct export *x, unsigned format, unsigned target, unsigned mask,
                LLVMValueRef v[4], bool last)
{
    LLVMTypeRef i1 = LLVMInt1TypeInContext(x->rl->cc->context), f32 = x->f32;
    LLVMValueRef done = LLVMConstInt(i1, last, false);
    if (x->gfx < GFX11 && format >= FORMAT_FP16 && format <= FORMAT_SINT16) {
        put_pairs(x, target, mask, v, done);
        return;
    }
    LLVMValueRef args[] = {number(x, target), number(x, mask), v[0], v[1], v[2], v[3], done, done};
    (void)lull_ir_intrinsic(x->rl->cc, x->b, "llvm.amdgcn.exp", &f32, 1, args, 8);
}

/** One place for each colour, one block for all. */
LULL_MUST_USE static struct lull_error *collect(const struct lull_rl *rl,
                                                const struct lull_rl_entry *e,
                                                const struct lull_rl_call *by[LULL_RL_COLORS])
{
    LLVMBasicBlockRef block = NULL;
    for (size_t i = 0; i < e->ncalls; i++) {
        const struct lull_rl_call *c = &e->calls[i];
        if (c->row->op != LULL_RL_COLOR_EXPORT) {
            continue;
        }
        LLVMBasicBlockRef in = LLVMGetInstructionParent(c->inst);
        if (c->value[0] >= LULL_RL_COLORS) {
            return lull_ir_error(rl->cc, c->inst, "%s: location %u: there are %d", c->row->name,
                                 c->value[0], LULL_RL_COLORS);
        }
        if (c->value[1] > 1 || (c->value[1] == 1 && c->value[0] != 0)) {
            return lull_ir_error(rl->cc, c->inst,
                                 "%s: location %u, index %u: a second source for blending is "
                                 "location 0, index 1",
                                 c->row->name, c->value[0], c->value[1]);
        }
        const unsigned key = c->value[1] == 1 ? SECOND : c->value[0];
        if (by[key] != NULL) {
            return lull_ir_error(
                rl->cc, c->inst, "%s: location %u is exported twice%s", c->row->name, c->value[0],
                key == SECOND ? ", or 1 beside a second source of location 0" : "");
        }
        if ((block != NULL && in != block) ||
            LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(in)) == NULL) {
            return lull_ir_error(
                rl->cc, c->inst,
                "%s: all calls stand in one block, at whose end the shader returns", c->row->name);
        }
        block = in;
        by[key] = c;
    }
    return NULL;
}

struct lull_error *lull_rl_check_colors(const struct lull_rl *rl, const struct lull_rl_entry *e,
                                        LLVMBasicBlockRef *ret_block)
{
    const struct lull_rl_call *by[LULL_RL_COLORS] = {NULL};
    struct lull_error *err = collect(rl, e, by);
    for (unsigned i = 0; err == NULL && i < LULL_RL_COLORS; i++) {
        *ret_block = by[i] != NULL ? LLVMGetInstructionParent(by[i]->inst) : *ret_block;
    }
    return err;
}

/** Is there an export of depth, stencil or mask in front of the colours? */
static bool has_z(LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL;
         i = LLVMGetNextInstruction(i)) {
        LLVMValueRef callee = LLVMIsACallInst(i) != NULL ? LLVMGetCalledValue(i) : NULL;
        if (callee != NULL && strncmp(lull_ir_name(callee), "llvm.amdgcn.exp.", 16) == 0 &&
            LLVMIsAConstantInt(LLVMGetOperand(i, 0)) != NULL &&
            LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0)) == MRTZ) {
            return true;
        }
    }
    return false;
}

/** Take the value of call @p c apart. */
static void take(struct export *x, const struct lull_rl_call *c)
{
    LLVMValueRef v = LLVMGetOperand(c->inst, 2);
    x->c = c;
    x->n = lull_rl_components(LLVMTypeOf(v), &x->one);
    for (unsigned i = 0; i < x->n; i++) {
        x->component[i] = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind
                              ? LLVMBuildExtractElement(x->b, v, number(x, i), "")
                              : v;
    }
}

/** Nothing is written, and the hardware waits for an export. */
static void put_nothing(const struct export *x, struct lull_rl_entry *e, bool z)
{
    LLVMValueRef none[4] = {LLVMGetPoison(x->f32), LLVMGetPoison(x->f32), LLVMGetPoison(x->f32),
                            LLVMGetPoison(x->f32)};
    put(x, FORMAT_32_R, 0, 0, none, true);
    e->color_format[0] = z ? ZERO : FORMAT_32_R;
}

/** The number of a lane is even. */
static LLVMValueRef is_even(const struct export *x, const struct lull_rl_entry *e)
{
    LLVMValueRef args[2] = {number(x, UINT32_MAX), number(x, 0)};
    LLVMValueRef lane =
        lull_ir_intrinsic(x->rl->cc, x->b, "llvm.amdgcn.mbcnt.lo", NULL, 0, args, 2);
    if (e->wave_size == 64) {
        args[1] = lane;
        lane = lull_ir_intrinsic(x->rl->cc, x->b, "llvm.amdgcn.mbcnt.hi", NULL, 0, args, 2);
    }
    LLVMValueRef odd = LLVMBuildAnd(x->b, lane, number(x, 1), "");
    return LLVMBuildICmp(x->b, LLVMIntEQ, odd, number(x, 0), "");
}

/** What the lane beside has: of each two lanes the other. */
static LLVMValueRef beside(const struct export *x, LLVMValueRef v)
{
    LLVMTypeRef i32 = x->i32;
    LLVMValueRef args[] = {LLVMBuildBitCast(x->b, v, i32, ""), number(x, SWAP), number(x, ALL_ROWS),
                           number(x, ALL_ROWS),
                           LLVMConstInt(LLVMInt1TypeInContext(x->rl->cc->context), 1, false)};
    v = lull_ir_intrinsic(x->rl->cc, x->b, "llvm.amdgcn.mov.dpp", &i32, 1, args, 5);
    return LLVMBuildBitCast(x->b, v, x->f32, "");
}

/** Two sources. On gfx11 and later each export has both of the even pixels, or of the odd ones, in
 * lanes side by side. LLVM has all lanes of a quad on for what such an export takes. */
static void put_both(struct export *x, struct lull_rl_entry *e, unsigned format,
                     const struct lull_rl_call *const by[LULL_RL_COLORS])
{
    LLVMValueRef v[2][4] = {{NULL}}, out[2][4] = {{NULL}};
    unsigned mask = 0;
    for (unsigned k = 0; k < 2; k++) {
        take(x, by[k]);
        mask |= operands(x, format, v[k]);
    }
    if (x->gfx < GFX11) { // two targets, as they are
        put(x, format, 0, mask, v[0], false);
        put(x, format, 1, mask, v[1], true);
        return;
    }
    x->even = is_even(x, e);
    for (unsigned i = 0; i < 4; i++) {
        out[0][i] = out[1][i] = LLVMGetPoison(x->f32);
        if ((mask >> i & 1) != 0) {
            out[0][i] = LLVMBuildSelect(x->b, x->even, v[0][i], beside(x, v[1][i]), "");
            out[1][i] = LLVMBuildSelect(x->b, x->even, beside(x, v[0][i]), v[1][i], "");
        }
    }
    put(x, format, DUAL_0, mask, out[0], false);
    put(x, format, DUAL_0 + 1, mask, out[1], true);
}

/** A second source is made where blending takes one; else the shader's is left out. */
static bool has_two(const struct lull_rl *rl, const struct lull_rl_call *by[LULL_RL_COLORS])
{
    const struct lull_rl_call *c = by[SECOND];
    if (c == NULL || c->value[1] != 1) {
        return false;
    }
    if (by[0] != NULL && (rl->layout->dual_source || !rl->layout->has_colors)) {
        return true;
    }
    LLVMInstructionEraseFromParent(c->inst);
    by[SECOND] = NULL;
    return false;
}

struct lull_error *lull_rl_colors(const struct lull_rl *rl, struct lull_rl_entry *e,
                                  LLVMBuilderRef b)
{
    const struct lull_rl_call *by[LULL_RL_COLORS] = {NULL};
    LLVMContextRef c = rl->cc->context;
    struct lull_error *err = collect(rl, e, by);
    LLVMBasicBlockRef block = NULL;
    uint8_t formats[LULL_RL_COLORS] = {0}; // by location
    unsigned count = 0, n = 0;             // exports have numbers without those that are not made
    if (err != NULL) {
        return err;
    }
    for (unsigned i = 0; i < LULL_RL_COLORS; i++) {
        block = by[i] != NULL ? LLVMGetInstructionParent(by[i]->inst) : block;
    }
    const bool two = has_two(rl, by);
    for (unsigned i = 0; i < LULL_RL_COLORS; i++) {
        if (by[i] == NULL) {
            continue;
        }
        formats[i] = (uint8_t)format_of(rl->layout, by[i]->value[0]);
        e->color_mask[i] = (uint8_t)mask_of(formats[i]);
        if (formats[i] != ZERO) {
            e->color_format[count++] = formats[i];
        }
    }
    struct export x = {.rl = rl,
                       .b = b,
                       .gfx = e->gfx,
                       .i32 = LLVMInt32TypeInContext(c),
                       .f32 = LLVMFloatTypeInContext(c)};
    LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(block));
    if (two && count != 0) {
        LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(by[0]->inst));
        put_both(&x, e, formats[0], by);
    }
    for (unsigned i = 0; i < LULL_RL_COLORS; i++) {
        LLVMValueRef v[4] = {NULL};
        if (by[i] == NULL) {
            continue;
        }
        LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(by[i]->inst));
        if (!two && formats[i] != ZERO) {
            take(&x, by[i]);
            const unsigned mask = operands(&x, formats[i], v);
            put(&x, formats[i], n, mask, v, n + 1 == count);
            n++;
        }
        LLVMInstructionEraseFromParent(by[i]->inst);
    }
    if (count == 0) {
        put_nothing(&x, e, has_z(block));
    }
    return NULL;
}
