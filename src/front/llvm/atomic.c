// SPDX-License-Identifier: MIT
// Atomics, barriers and fences.
#include <llvm-c/IRReader.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/llvm/lower_priv.h"

/** Read-modify-write: one instruction of each kind of memory. */
static const struct row {
    uint32_t op;
    LLVMAtomicRMWBinOp how;
    const char *buffer; ///< Intrinsic for memory behind a descriptor; NULL: none.
    char kind;
} rows[] = {
    {SpvOpAtomicExchange, LLVMAtomicRMWBinOpXchg, "llvm.amdgcn.raw.ptr.buffer.atomic.swap", 'i'},
    {SpvOpAtomicIAdd, LLVMAtomicRMWBinOpAdd, "llvm.amdgcn.raw.ptr.buffer.atomic.add", 'i'},
    {SpvOpAtomicISub, LLVMAtomicRMWBinOpSub, "llvm.amdgcn.raw.ptr.buffer.atomic.sub", 'i'},
    {SpvOpAtomicIIncrement, LLVMAtomicRMWBinOpAdd, "llvm.amdgcn.raw.ptr.buffer.atomic.add", 'i'},
    {SpvOpAtomicIDecrement, LLVMAtomicRMWBinOpSub, "llvm.amdgcn.raw.ptr.buffer.atomic.sub", 'i'},
    {SpvOpAtomicSMin, LLVMAtomicRMWBinOpMin, "llvm.amdgcn.raw.ptr.buffer.atomic.smin", 'i'},
    {SpvOpAtomicUMin, LLVMAtomicRMWBinOpUMin, "llvm.amdgcn.raw.ptr.buffer.atomic.umin", 'i'},
    {SpvOpAtomicSMax, LLVMAtomicRMWBinOpMax, "llvm.amdgcn.raw.ptr.buffer.atomic.smax", 'i'},
    {SpvOpAtomicUMax, LLVMAtomicRMWBinOpUMax, "llvm.amdgcn.raw.ptr.buffer.atomic.umax", 'i'},
    {SpvOpAtomicAnd, LLVMAtomicRMWBinOpAnd, "llvm.amdgcn.raw.ptr.buffer.atomic.and", 'i'},
    {SpvOpAtomicOr, LLVMAtomicRMWBinOpOr, "llvm.amdgcn.raw.ptr.buffer.atomic.or", 'i'},
    {SpvOpAtomicXor, LLVMAtomicRMWBinOpXor, "llvm.amdgcn.raw.ptr.buffer.atomic.xor", 'i'},
    {SpvOpAtomicFAddEXT, LLVMAtomicRMWBinOpFAdd, "llvm.amdgcn.raw.ptr.buffer.atomic.fadd", 'f'},
    {SpvOpAtomicFMinEXT, LLVMAtomicRMWBinOpFMin, "llvm.amdgcn.raw.ptr.buffer.atomic.fmin", 'f'},
    {SpvOpAtomicFMaxEXT, LLVMAtomicRMWBinOpFMax, "llvm.amdgcn.raw.ptr.buffer.atomic.fmax", 'f'},
};

/** Fences with the scopes that LLVM's C API cannot say. */
static const char fences[] = "define void @fences() {\n"
                             "fence syncscope(\"wavefront\") acq_rel\n"
                             "fence syncscope(\"workgroup\") acq_rel\n"
                             "fence syncscope(\"agent\") acq_rel\n"
                             "fence acq_rel\n"
                             "ret void\n}\n";

static unsigned fence_of(uint64_t scope)
{
    switch (scope) {
    case SpvScopeSubgroup:
        return 0;
    case SpvScopeWorkgroup:
        return 1;
    case SpvScopeDevice:
    case SpvScopeQueueFamily:
        return 2;
    default:
        return 3;
    }
}

/** A fence, cloned from the text: the C API has no other way to a scope. */
LULL_MUST_USE static struct lull_error *fence(struct lull_fl *f, uint64_t scope,
                                              LLVMAtomicOrdering ordering)
{
    LLVMModuleRef m = NULL;
    char *why = NULL;
    LLVMMemoryBufferRef text =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(fences, sizeof fences - 1, "fences");
    if (LLVMParseIRInContext(f->c, text, &m, &why) != 0) {
        LLVMDisposeMessage(why);
        return lull_fl_bad(f, "fences");
    }
    LLVMValueRef from = LLVMGetFirstInstruction(LLVMGetFirstBasicBlock(LLVMGetFirstFunction(m)));
    for (unsigned i = fence_of(scope); i != 0; i--) {
        from = LLVMGetNextInstruction(from);
    }
    LLVMValueRef copy = LLVMInstructionClone(from);
    LLVMSetOrdering(copy, ordering);
    LLVMInsertIntoBuilder(f->b, copy);
    LLVMDisposeModule(m);
    return NULL;
}

/** A fence for memory semantics; nothing if they order nothing. */
LULL_MUST_USE static struct lull_error *order(struct lull_fl *f, uint32_t scope_id,
                                              uint32_t semantics_id, bool before, bool after)
{
    uint64_t scope = 0, semantics = 0;
    struct lull_error *err = lull_fl_number(f, scope_id, &scope);
    err = err != NULL ? err : lull_fl_number(f, semantics_id, &semantics);
    if (err != NULL || scope == SpvScopeInvocation) {
        return err;
    }
    const bool both = (semantics & (SpvMemorySemanticsAcquireReleaseMask |
                                    SpvMemorySemanticsSequentiallyConsistentMask)) != 0;
    const bool release = before && (both || (semantics & SpvMemorySemanticsReleaseMask) != 0);
    const bool acquire = after && (both || (semantics & SpvMemorySemanticsAcquireMask) != 0);
    if (!release && !acquire) {
        return NULL;
    }
    return fence(f, scope,
                 release && acquire ? LLVMAtomicOrderingAcquireRelease
                 : release          ? LLVMAtomicOrderingRelease
                                    : LLVMAtomicOrderingAcquire);
}

LULL_MUST_USE static struct lull_error *barrier(struct lull_fl *f)
{
    const struct lull_spv_insn *in = f->in;
    uint64_t scope = 0;
    struct lull_error *err = lull_fl_number(f, in->w[1], &scope);
    if (err == NULL && scope != SpvScopeWorkgroup && scope != SpvScopeSubgroup) {
        err = lull_fl_refuse(f, "a barrier of scope %u", (unsigned)scope);
    }
    err = err != NULL ? err : order(f, in->w[2], in->w[3], true, false);
    if (err == NULL) {
        // Lanes of a wave go together: only the compiler must not move accesses over it.
        (void)lull_fl_call(
            f, scope == SpvScopeWorkgroup ? "llvm.amdgcn.s.barrier" : "llvm.amdgcn.wave.barrier",
            NULL, NULL, 0);
        err = order(f, in->w[2], in->w[3], false, true);
    }
    return err;
}

struct lull_error *lull_fl_meet(struct lull_fl *f)
{
    struct lull_error *err = fence(f, SpvScopeWorkgroup, LLVMAtomicOrderingRelease);
    if (err == NULL) {
        (void)lull_fl_call(f, "llvm.amdgcn.s.barrier", NULL, NULL, 0);
        err = fence(f, SpvScopeWorkgroup, LLVMAtomicOrderingAcquire);
    }
    return err;
}

/** The pointer of an atomic, which points to a number of the kind. */
LULL_MUST_USE static struct lull_error *pointer(struct lull_fl *f, uint32_t id,
                                                const struct lull_fl_pointer **ret)
{
    struct lull_error *err = lull_fl_get_pointer(f, id, ret);
    const enum lull_fr_kind k = err == NULL ? (*ret)->type->kind : LULL_FR_VOID;
    const uint32_t bits = err == NULL ? (*ret)->type->bits : 0;
    const bool number =
        (k == LULL_FR_INT && bits >= 32) || (k == LULL_FR_FLOAT && !(*ret)->type->brain &&
                                             bits >= ((*ret)->where == LULL_FL_TEXEL ? 32U : 16U));
    if (err == NULL && (!number || (*ret)->where == LULL_FL_PUSH)) {
        err = lull_fl_refuse(f, "not an integer of 32 or 64 bits, or a float, in memory that is "
                                "written");
    }
    return err;
}

/** Behind a descriptor: value and what is compared, if anything. */
static LLVMValueRef in_buffer(const struct lull_fl *f, const struct lull_fl_pointer *p,
                              const char *name, LLVMValueRef v, LLVMValueRef compare)
{
    LLVMValueRef zero = lull_fl_int(f, 0), args[6] = {v};
    unsigned n = 1;
    if (compare != NULL) {
        args[n++] = compare;
    }
    args[n++] = p->base;
    args[n++] = p->offset;
    args[n++] = zero;
    args[n++] = zero;
    return lull_fl_call(f, name, LLVMTypeOf(v), args, n);
}

/** The last part of an intrinsic's name. */
static const char *short_name(const char *intrinsic)
{
    return strrchr(intrinsic, '.') + 1;
}

/** Which atomics on floats in buffers there are differs. */
static bool in_hardware(const struct lull_fl *f, const struct row *row, LLVMValueRef v)
{
    enum { WITH_MIN = 10, WITH_ADD = 11 };
    const bool add = row->how == LLVMAtomicRMWBinOpFAdd;
    return row->kind == 'i' || (LLVMTypeOf(v) == f->f32 && f->gfx >= (add ? WITH_ADD : WITH_MIN));
}

/** What a number becomes. */
static LLVMValueRef combine(const struct lull_fl *f, const struct row *row, LLVMValueRef was,
                            LLVMValueRef v)
{
    LLVMValueRef args[2] = {was, v};
    switch ((unsigned)row->how) {
    case LLVMAtomicRMWBinOpXchg:
        return v;
    case LLVMAtomicRMWBinOpFAdd:
        return LLVMBuildFAdd(f->b, was, v, "");
    case LLVMAtomicRMWBinOpFMin:
        return lull_fl_call(f, "llvm.minnum", LLVMTypeOf(v), args, 2);
    default:
        return lull_fl_call(f, "llvm.maxnum", LLVMTypeOf(v), args, 2);
    }
}

/** The word that a number of 16 bits in a buffer lies in, and how far up. */
static struct lull_fl_pointer word_of(const struct lull_fl *f, const struct lull_fl_pointer *p,
                                      LLVMValueRef *ret_shift)
{
    struct lull_fl_pointer word = *p;
    LLVMValueRef low = LLVMBuildAnd(f->b, p->offset, lull_fl_int(f, 2), "");
    word.offset = LLVMBuildSub(f->b, p->offset, low, "");
    *ret_shift = LLVMBuildShl(f->b, low, lull_fl_int(f, 3), "");
    return word;
}

/** The number in @p whole, an integer of 32 or 64 bits. @p shift: NULL, but of 16 bits. */
static LLVMValueRef take_out(const struct lull_fl *f, LLVMValueRef whole, LLVMValueRef shift,
                             LLVMTypeRef type)
{
    LLVMValueRef bits =
        shift != NULL ? LLVMBuildTrunc(f->b, LLVMBuildLShr(f->b, whole, shift, ""), f->i16, "")
                      : whole;
    return LLVMBuildBitCast(f->b, bits, type, "");
}

static LLVMValueRef put_in(const struct lull_fl *f, LLVMValueRef whole, LLVMValueRef shift,
                           LLVMValueRef v)
{
    if (shift == NULL) {
        return LLVMBuildBitCast(f->b, v, LLVMTypeOf(whole), "");
    }
    LLVMValueRef half = LLVMBuildShl(f->b, lull_fl_int(f, UINT16_MAX), shift, "");
    LLVMValueRef bits = LLVMBuildZExt(f->b, LLVMBuildBitCast(f->b, v, f->i16, ""), f->i32, "");
    return LLVMBuildOr(f->b, LLVMBuildAnd(f->b, whole, LLVMBuildNot(f->b, half, ""), ""),
                       LLVMBuildShl(f->b, bits, shift, ""), "");
}

/** A number in a buffer or image is changed until no other lane wrote in between. */
static LLVMValueRef loop(const struct lull_fl *f, const struct lull_fl_pointer *p,
                         const struct row *row, LLVMValueRef v)
{
    static const char swap[] = "llvm.amdgcn.raw.ptr.buffer.atomic.cmpswap";
    LLVMTypeRef type = LLVMTypeOf(v), whole = p->type->bits == 64 ? f->i64 : f->i32;
    LLVMValueRef shift = NULL;
    const struct lull_fl_pointer at = p->type->bits < 32 ? word_of(f, p, &shift) : *p;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(f->b);
    LLVMBasicBlockRef again = LLVMAppendBasicBlockInContext(f->c, f->fn, "");
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(f->c, f->fn, "");
    LLVMBuildBr(f->b, again);
    LLVMPositionBuilderAtEnd(f->b, again);
    LLVMValueRef guess = LLVMBuildPhi(f->b, whole, "");
    LLVMValueRef now = combine(f, row, take_out(f, guess, shift, type), v);
    now = put_in(f, guess, shift, now);
    LLVMValueRef was = at.where == LULL_FL_TEXEL
                           ? lull_fl_texel_atomic(f, &at, "cmpswap", now, guess)
                           : in_buffer(f, &at, swap, now, guess);
    LLVMValueRef from[2] = {LLVMConstNull(whole), was};
    LLVMBasicBlockRef blocks[2] = {before, LLVMGetInsertBlock(f->b)};
    LLVMAddIncoming(guess, from, blocks, 2);
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntEQ, was, guess, ""), after, again);
    LLVMPositionBuilderAtEnd(f->b, after);
    return take_out(f, was, shift, type);
}

/** An atomic of one number, wherever that is. @p v: swapped floats are integers. */
static LLVMValueRef anywhere(struct lull_fl *f, const struct row *row,
                             const struct lull_fl_pointer *p, LLVMValueRef v)
{
    const bool buffer = p->where == LULL_FL_BUFFER, texel = p->where == LULL_FL_TEXEL;
    if ((buffer && (!in_hardware(f, row, v) || p->type->bits < 32)) ||
        (texel && row->kind == 'f')) {
        return loop(f, p, row, v);
    }
    return buffer  ? in_buffer(f, p, row->buffer, v, NULL)
           : texel ? lull_fl_texel_atomic(f, p, short_name(row->buffer), v, NULL)
                   : LLVMBuildAtomicRMW(f->b, row->how, lull_fl_address(f, p), v,
                                        LLVMAtomicOrderingMonotonic, false);
}

LULL_MUST_USE static struct lull_error *modify(struct lull_fl *f, const struct row *row,
                                               LLVMValueRef *ret)
{
    const struct lull_spv_insn *in = f->in;
    const struct lull_fl_pointer *p = NULL;
    LLVMTypeRef type = NULL;
    LLVMValueRef v = NULL;
    struct lull_error *err = pointer(f, in->w[3], &p);
    err = err != NULL ? err : lull_fl_type(f, p->type, &type);
    if (err != NULL) {
        return err;
    }
    if (in->op == SpvOpAtomicIIncrement || in->op == SpvOpAtomicIDecrement) {
        v = p->type->kind == LULL_FR_INT ? lull_fl_whole(type, 1) : NULL;
    } else {
        err = lull_fl_get(f, lull_spv_word(in, 6), &v);
    }
    const bool swap = in->op == SpvOpAtomicExchange;
    if (err == NULL && (v == NULL || LLVMTypeOf(v) != type ||
                        (!swap && (row->kind == 'i') != (p->type->kind == LULL_FR_INT)))) {
        err = lull_fl_bad(f, "operands that do not fit");
    }
    err = err != NULL ? err : order(f, in->w[4], in->w[5], true, false);
    if (err != NULL) {
        return err;
    }
    LLVMTypeRef whole = LLVMIntTypeInContext(f->c, p->type->bits);
    v = swap ? LLVMBuildBitCast(f->b, v, whole, "") : v;
    *ret = LLVMBuildBitCast(f->b, anywhere(f, row, p, v), type, "");
    return order(f, in->w[4], in->w[5], false, true);
}

LULL_MUST_USE static struct lull_error *exchange(struct lull_fl *f, LLVMValueRef *ret)
{
    const struct lull_spv_insn *in = f->in;
    const struct lull_fl_pointer *p = NULL;
    LLVMTypeRef type = NULL;
    LLVMValueRef v = NULL, compare = NULL;
    struct lull_error *err = pointer(f, in->w[3], &p);
    err = err != NULL ? err : lull_fl_type(f, p->type, &type);
    err = err != NULL ? err : lull_fl_get_kind(f, in->w[7], 'i', &v);
    err = err != NULL ? err : lull_fl_get_kind(f, in->w[8], 'i', &compare);
    if (err == NULL && (LLVMTypeOf(v) != type || LLVMTypeOf(compare) != type)) {
        err = lull_fl_bad(f, "operands that do not fit");
    }
    err = err != NULL ? err : order(f, in->w[4], in->w[5], true, false);
    if (err != NULL) {
        return err;
    }
    if (p->where == LULL_FL_BUFFER) {
        *ret = in_buffer(f, p, "llvm.amdgcn.raw.ptr.buffer.atomic.cmpswap", v, compare);
    } else if (p->where == LULL_FL_TEXEL) {
        *ret = lull_fl_texel_atomic(f, p, "cmpswap", v, compare);
    } else {
        LLVMValueRef both =
            LLVMBuildAtomicCmpXchg(f->b, lull_fl_address(f, p), compare, v,
                                   LLVMAtomicOrderingMonotonic, LLVMAtomicOrderingMonotonic, false);
        *ret = LLVMBuildExtractValue(f->b, both, 0, "");
    }
    return order(f, in->w[4], in->w[5], false, true);
}

/** A texel as an atomic reads it (@p v NULL), by changing nothing, or writes it. */
LULL_MUST_USE static struct lull_error *of_texel(struct lull_fl *f, const struct lull_fl_pointer *p,
                                                 LLVMValueRef v, LLVMValueRef *ret)
{
    LLVMTypeRef type = NULL, whole = LLVMIntTypeInContext(f->c, p->type->bits);
    struct lull_error *err = lull_fl_type(f, p->type, &type);
    if (err != NULL || (v != NULL && LLVMTypeOf(v) != type)) {
        return err != NULL ? err : lull_fl_bad(f, "operands that do not fit");
    }
    if (v == NULL) {
        v = lull_fl_texel_atomic(f, p, "or", LLVMConstNull(whole), NULL);
        *ret = LLVMBuildBitCast(f->b, v, type, "");
    } else {
        (void)lull_fl_texel_atomic(f, p, "swap", LLVMBuildBitCast(f->b, v, whole, ""), NULL);
    }
    return NULL;
}

/** OpAtomicLoad, OpAtomicStore: accesses that are not left out, with fences. */
LULL_MUST_USE static struct lull_error *access(struct lull_fl *f, LLVMValueRef *ret)
{
    const struct lull_spv_insn *in = f->in;
    const bool load = in->op == SpvOpAtomicLoad;
    const uint32_t at = load ? 3 : 1;
    const struct lull_fl_pointer *from = NULL;
    LLVMValueRef v = NULL;
    struct lull_error *err = pointer(f, in->w[at], &from);
    err = err == NULL && !load ? lull_fl_get(f, in->w[4], &v) : err;
    err = err != NULL ? err : order(f, in->w[at + 1], in->w[at + 2], true, false);
    if (err != NULL) {
        return err;
    }
    struct lull_fl_pointer p = *from;
    p.is_volatile = true;
    err = p.where == LULL_FL_TEXEL ? of_texel(f, &p, v, ret)
          : load                   ? lull_fl_load(f, &p, ret)
                                   : lull_fl_store(f, &p, v);
    return err != NULL ? err : order(f, in->w[at + 1], in->w[at + 2], false, true);
}

struct lull_error *lull_fl_atomic(struct lull_fl *f, LLVMValueRef *ret, bool *ret_known)
{
    *ret_known = true;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].op == f->in->op) {
            return modify(f, &rows[i], ret);
        }
    }
    switch (f->in->op) {
    case SpvOpAtomicCompareExchange:
        return exchange(f, ret);
    case SpvOpAtomicLoad:
    case SpvOpAtomicStore:
        return access(f, ret);
    case SpvOpControlBarrier:
        return barrier(f);
    case SpvOpMemoryBarrier:
        return order(f, f->in->w[1], f->in->w[2], true, true);
    default:
        *ret_known = false;
        return NULL;
    }
}
