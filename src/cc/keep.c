// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cc/cc.h"
#include "cc/ir.h"

// A place in the source: a scope, and the call that it was inlined at.
struct place {
    LLVMMetadataRef scope, inlined_at; // inlined_at: NULL if it was not
};

// An instruction and its place; a dbg.value names a variable.
struct insn {
    LLVMValueRef value;
    size_t place; // index + 1; 0: none
    bool varies;  // certainly not the same in all lanes
};

// A llvm.dbg.value: from here on the variable, or the part of it, is this value.
struct decl {
    size_t insn;
    LLVMMetadataRef variable;
    struct place place; // of the variable
    const char *part;   // the fragment in words; "" of the whole variable
    LLVMValueRef value; // NULL: unknown, or a constant, which needs no register
    bool varies;        // certainly not the same in all lanes
    bool shared;        // a variable before it has the same value
    bool done;
};

struct indexed {
    LLVMBasicBlockRef block;
    size_t index;
};

struct function {
    const struct lull_cc *cc;
    LLVMBuilderRef b;
    struct lull_arena arena;
    LLVMBasicBlockRef *blocks;
    struct insn *insns;
    struct place *places;
    struct decl *decls;
    size_t *succ_first, *succ; // by block: where it goes on to
    size_t *first;             // by block: index of its first instruction; one more at the end
    size_t nblocks, ninsns, nplaces, ndecls;
};

// What a variable is at the begin of a block.
struct state {
    LLVMValueRef value; // NULL: not known
    bool reached;
};

static LLVMMetadataRef operand(const struct function *f, LLVMMetadataRef node, unsigned i)
{
    LLVMValueRef v = LLVMMetadataAsValue(f->cc->context, node), ops[32] = {0};
    const unsigned n = LLVMGetMDNodeNumOperands(v);
    if (i >= n || n > sizeof ops / sizeof ops[0]) {
        return NULL;
    }
    LLVMGetMDNodeOperands(v, ops);
    return ops[i] != NULL ? LLVMValueAsMetadata(ops[i]) : NULL;
}

// The scope around a block of a function; NULL around the function.
static LLVMMetadataRef outer(const struct function *f, LLVMMetadataRef scope)
{
    const LLVMMetadataKind kind = LLVMGetMetadataKind(scope);
    const bool block =
        kind == LLVMDILexicalBlockMetadataKind || kind == LLVMDILexicalBlockFileMetadataKind;
    return block ? operand(f, scope, 1) : NULL;
}

// Is place inside of around, by blocks and by calls that were inlined?
static bool inside(const struct function *f, struct place place, struct place around)
{
    while (place.scope != NULL) {
        for (LLVMMetadataRef s = place.scope; s != NULL; s = outer(f, s)) {
            if (s == around.scope && place.inlined_at == around.inlined_at) {
                return true;
            }
        }
        LLVMMetadataRef at = place.inlined_at;
        place = at == NULL
                    ? (struct place){0}
                    : (struct place){LLVMDILocationGetScope(at), LLVMDILocationGetInlinedAt(at)};
    }
    return false;
}

// The number of a place, which is added.
static size_t place_of(struct function *f, LLVMValueRef insn)
{
    LLVMMetadataRef loc = LLVMInstructionGetDebugLoc(insn);
    if (loc == NULL) {
        return 0;
    }
    const struct place p = {LLVMDILocationGetScope(loc), LLVMDILocationGetInlinedAt(loc)};
    for (size_t i = f->nplaces; i > 0; i--) { // most have the place of the one before
        if (f->places[i - 1].scope == p.scope && f->places[i - 1].inlined_at == p.inlined_at) {
            return i;
        }
    }
    f->places[f->nplaces++] = p;
    return f->nplaces;
}

// The value that a dbg.value names, if it is one that lives in a register.
static LLVMValueRef named_value(LLVMValueRef call)
{
    LLVMValueRef op = LLVMGetOperand(call, 0);
    LLVMValueRef value = NULL;
    switch (LLVMGetMetadataKind(LLVMValueAsMetadata(op))) {
    case LLVMLocalAsMetadataMetadataKind:
        LLVMGetMDNodeOperands(op, &value);
        return value;
    default: // a constant, or an expression of several values
        return NULL;
    }
}

// The part of the variable that an expression is about, as it is printed; "" of all.
static const char *part_of(struct function *f, LLVMValueRef call)
{
    char *text = LLVMPrintValueToString(LLVMGetOperand(call, 2));
    const char *at = text != NULL ? strstr(text, "DW_OP_LLVM_fragment") : NULL;
    char *part = lull_arena_calloc(&f->arena, at != NULL ? strlen(at) + 1 : 1, 1);
    if (part != NULL && at != NULL) {
        memcpy(part, at, strlen(at));
    }
    LLVMDisposeMessage(text);
    return part;
}

static bool is_named(LLVMValueRef insn, const char *name)
{
    if (LLVMGetInstructionOpcode(insn) != LLVMCall) {
        return false;
    }
    LLVMValueRef callee = LLVMGetCalledValue(insn);
    return LLVMIsAFunction(callee) != NULL && strcmp(lull_ir_name(callee), name) == 0;
}

// List what a function has; false if memory is short.
static bool list(struct function *f, LLVMValueRef function)
{
    f->nblocks = LLVMCountBasicBlocks(function);
    f->blocks = lull_arena_calloc(&f->arena, f->nblocks + 1, sizeof(LLVMBasicBlockRef));
    f->first = lull_arena_calloc(&f->arena, f->nblocks + 1, sizeof *f->first);
    if (f->blocks == NULL || f->first == NULL) {
        return false;
    }
    LLVMGetBasicBlocks(function, f->blocks);
    size_t n = 0;
    for (size_t b = 0; b < f->nblocks; b++) {
        f->first[b] = n;
        LLVMValueRef i = LLVMGetFirstInstruction(f->blocks[b]);
        for (; i != NULL; i = LLVMGetNextInstruction(i)) {
            n++;
        }
    }
    f->first[f->nblocks] = n;
    f->insns = lull_arena_calloc(&f->arena, n + 1, sizeof *f->insns);
    f->places = lull_arena_calloc(&f->arena, n + 1, sizeof *f->places);
    f->decls = lull_arena_calloc(&f->arena, n + 1, sizeof *f->decls);
    for (size_t b = 0; f->insns != NULL && b < f->nblocks; b++) {
        LLVMValueRef i = LLVMGetFirstInstruction(f->blocks[b]);
        for (; i != NULL; i = LLVMGetNextInstruction(i)) {
            f->insns[f->ninsns++].value = i;
        }
    }
    return f->insns != NULL && f->places != NULL && f->decls != NULL;
}

// The places and variables of what is listed; false if memory is short.
static bool read_places(struct function *f)
{
    for (size_t i = 0; i < f->ninsns; i++) {
        LLVMValueRef insn = f->insns[i].value;
        f->insns[i].place = place_of(f, insn);
        if (!is_named(insn, "llvm.dbg.value") || f->insns[i].place == 0) {
            continue;
        }
        struct decl *d = &f->decls[f->ndecls++];
        d->insn = i;
        d->variable = LLVMValueAsMetadata(LLVMGetOperand(insn, 1));
        d->place.scope = LLVMDIVariableGetScope(d->variable);
        d->place.inlined_at = f->places[f->insns[i].place - 1].inlined_at;
        d->value = named_value(insn);
        d->part = part_of(f, insn);
        if (d->part == NULL) {
            return false;
        }
    }
    return true;
}

static bool same(const struct decl *a, const struct decl *b)
{
    return a->variable == b->variable && a->place.inlined_at == b->place.inlined_at &&
           strcmp(a->part, b->part) == 0;
}

// Calls whose result differs from lane to lane, or is in vector registers.
static bool call_varies(LLVMValueRef call)
{
    static const char *const lanes[] = {"llvm.amdgcn.workitem.id.", "llvm.amdgcn.mbcnt."};
    LLVMValueRef callee = LLVMGetCalledValue(call);
    const char *name = LLVMIsAFunction(callee) != NULL ? lull_ir_name(callee) : "";
    for (size_t i = 0; i < sizeof lanes / sizeof lanes[0]; i++) {
        if (strncmp(name, lanes[i], strlen(lanes[i])) == 0) {
            return true;
        }
    }
    return strncmp(name, "llvm.", 5) != 0;
}

// Does an instruction make what varies of what does not?
static bool is_source(LLVMValueRef insn)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(insn);
    if (op == LLVMLoad) {
        const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(insn, 0)));
        return space == 0 || space == 5;
    }
    return op == LLVMAtomicRMW || op == LLVMAtomicCmpXchg || (op == LLVMCall && call_varies(insn));
}

// Does it hand on what varies? Intrinsics that read one lane, or all, do not.
static bool hands_on(LLVMValueRef insn)
{
    static const char *const scalar[] = {"llvm.amdgcn.read", "llvm.amdgcn.ballot",
                                         "llvm.amdgcn.icmp", "llvm.amdgcn.fcmp"};
    if (LLVMGetInstructionOpcode(insn) != LLVMCall) {
        return true;
    }
    const char *name = lull_ir_name(LLVMGetCalledValue(insn));
    for (size_t i = 0; i < sizeof scalar / sizeof scalar[0]; i++) {
        if (strncmp(name, scalar[i], strlen(scalar[i])) == 0) {
            return false;
        }
    }
    return true;
}

static int by_value(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)(*(const struct insn *const *)a)->value;
    const uintptr_t y = (uintptr_t)(*(const struct insn *const *)b)->value;
    return (x > y) - (x < y);
}

// Is an argument in vector registers? Those of kernels, and those that are inreg, are in scalar
// ones.
static bool is_vector_argument(LLVMValueRef argument)
{
    LLVMValueRef function = LLVMGetParamParent(argument);
    const unsigned inreg = LLVMGetEnumAttributeKindForName("inreg", strlen("inreg"));
    unsigned i = 0;
    while (LLVMGetParam(function, i) != argument) {
        i++;
    }
    return LLVMGetFunctionCallConv(function) != LLVMAMDGPUKERNELCallConv &&
           LLVMGetEnumAttributeAtIndex(function, i + 1, inreg) == NULL;
}

static bool varies(struct insn *const *sorted, size_t n, LLVMValueRef value)
{
    if (LLVMIsAArgument(value) != NULL) {
        return is_vector_argument(value);
    }
    struct insn key = {.value = value}, *k = &key;
    struct insn *const *at = bsearch(&k, sorted, n, sizeof(struct insn *), by_value);
    return at != NULL && (*at)->varies;
}

static bool has_varying(struct insn *const *sorted, size_t n, LLVMValueRef insn)
{
    for (int i = 0; i < LLVMGetNumOperands(insn); i++) {
        if (varies(sorted, n, LLVMGetOperand(insn, (unsigned)i))) {
            return true;
        }
    }
    return false;
}

static bool is_shared(const struct function *f, size_t which)
{
    for (size_t i = 0; f->decls[which].value != NULL && i < which; i++) {
        if (f->decls[i].value == f->decls[which].value && !same(&f->decls[i], &f->decls[which])) {
            return true;
        }
    }
    return false;
}

// Find the instructions whose values differ from lane to lane; false if memory is short.
static bool find_varying(struct function *f)
{
    struct insn **sorted = lull_arena_calloc(&f->arena, f->ninsns + 1, sizeof(struct insn *));
    if (sorted == NULL) {
        return false;
    }
    for (size_t i = 0; i < f->ninsns; i++) {
        sorted[i] = &f->insns[i];
        f->insns[i].varies = is_source(f->insns[i].value);
    }
    qsort(sorted, f->ninsns, sizeof(struct insn *), by_value);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < f->ninsns; i++) {
            struct insn *insn = &f->insns[i];
            if (!insn->varies && has_varying(sorted, f->ninsns, insn->value) &&
                hands_on(insn->value)) {
                insn->varies = changed = true;
            }
        }
    }
    for (size_t i = 0; i < f->ndecls; i++) {
        f->decls[i].shared = is_shared(f, i);
        f->decls[i].varies =
            f->decls[i].value == NULL || varies(sorted, f->ninsns, f->decls[i].value);
    }
    return true;
}

// What a block gives on: the last value in it, or what came in.
static struct state leave(const struct function *f, const struct decl *const *at, size_t block,
                          struct state in)
{
    for (size_t i = f->first[block + 1]; i > f->first[block]; i--) {
        if (at[i - 1] != NULL) {
            return (struct state){at[i - 1]->value, true};
        }
    }
    return in;
}

static int by_address(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const struct indexed *)a)->block;
    const uintptr_t y = (uintptr_t)((const struct indexed *)b)->block;
    return (x > y) - (x < y);
}

// Where each block goes on to; false if memory is short.
static bool list_successors(struct function *f)
{
    struct indexed *sorted = lull_arena_calloc(&f->arena, f->nblocks + 1, sizeof *sorted);
    f->succ_first = lull_arena_calloc(&f->arena, f->nblocks + 1, sizeof *f->succ_first);
    if (sorted == NULL || f->succ_first == NULL) {
        return false;
    }
    for (size_t b = 0; b < f->nblocks; b++) {
        sorted[b] = (struct indexed){f->blocks[b], b};
        const LLVMValueRef last = LLVMGetBasicBlockTerminator(f->blocks[b]);
        f->succ_first[b + 1] = f->succ_first[b] + LLVMGetNumSuccessors(last);
    }
    qsort(sorted, f->nblocks, sizeof *sorted, by_address);
    f->succ = lull_arena_calloc(&f->arena, f->succ_first[f->nblocks] + 1, sizeof *f->succ);
    for (size_t b = 0; f->succ != NULL && b < f->nblocks; b++) {
        const LLVMValueRef last = LLVMGetBasicBlockTerminator(f->blocks[b]);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++) {
            const struct indexed key = {LLVMGetSuccessor(last, i), 0};
            const struct indexed *s = bsearch(&key, sorted, f->nblocks, sizeof *sorted, by_address);
            f->succ[f->succ_first[b] + i] = s->index;
        }
    }
    return f->succ != NULL;
}

// What a variable is at the begin of each block: what all blocks before agree on.
static void flow(const struct function *f, const struct decl *const *at, struct state *in)
{
    memset(in, 0, f->nblocks * sizeof *in);
    in[0].reached = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t b = 0; b < f->nblocks; b++) {
            const struct state out = leave(f, at, b, in[b]);
            for (size_t i = f->succ_first[b]; in[b].reached && i < f->succ_first[b + 1]; i++) {
                struct state *next = &in[f->succ[i]];
                if (!next->reached) {
                    *next = out;
                    changed = true;
                } else if (next->value != NULL && next->value != out.value) {
                    next->value = NULL;
                    changed = true;
                }
            }
        }
    }
}

// A type that a vector register holds as it is, or after an extension; NULL: none.
static LLVMTypeRef held_as(const struct function *f, LLVMTypeRef type)
{
    const bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    LLVMTypeRef element = vector ? LLVMGetElementType(type) : type;
    const LLVMTypeKind kind = LLVMGetTypeKind(element);
    if (kind == LLVMPointerTypeKind) {
        return vector || LLVMGetPointerAddressSpace(element) > 5 ? NULL : type;
    }
    const unsigned bits = kind == LLVMIntegerTypeKind  ? LLVMGetIntTypeWidth(element)
                          : kind == LLVMHalfTypeKind   ? 16
                          : kind == LLVMFloatTypeKind  ? 32
                          : kind == LLVMDoubleTypeKind ? 64
                                                       : 0;
    if (kind == LLVMIntegerTypeKind && !vector && bits < 32) {
        return LLVMInt32TypeInContext(f->cc->context);
    }
    const unsigned all = bits * (vector ? LLVMGetVectorSize(type) : 1);
    const bool whole = bits == 16 || bits == 32 || bits == 64;
    return whole && (!vector || all % 32 == 0) && all <= 512 ? type : NULL;
}

// The dwords of a vector that held_as() takes.
static LLVMTypeRef dwords(const struct function *f, LLVMTypeRef vector)
{
    LLVMTypeRef dword = LLVMInt32TypeInContext(f->cc->context);
    const unsigned n =
        (unsigned)(LLVMSizeOfTypeInBits(LLVMGetModuleDataLayout(f->cc->module), vector) / 32);
    return n == 1 ? dword : LLVMVectorType(dword, n);
}

// An empty piece of assembly that takes the value, before an instruction: code that costs nothing.
static void hold(const struct function *f, LLVMValueRef value, const struct insn *before,
                 LLVMValueRef like)
{
    LLVMTypeRef type = held_as(f, LLVMTypeOf(value));
    if (type == NULL) {
        return;
    }
    LLVMValueRef at = before->value;
    while (LLVMGetInstructionOpcode(at) == LLVMPHI) {
        at = LLVMGetNextInstruction(at);
    }
    LLVMPositionBuilderBefore(f->b, at);
    LLVMSetCurrentDebugLocation2(f->b, LLVMInstructionGetDebugLoc(like));
    if (type != LLVMTypeOf(value)) {
        value = LLVMBuildZExt(f->b, value, type, "");
    }
    LLVMTypeRef call = LLVMFunctionType(LLVMVoidTypeInContext(f->cc->context), &type, 1, false);
    LLVMValueRef code =
        LLVMGetInlineAsm(call, "", 0, "v", 1, true, false, LLVMInlineAsmDialectATT, false);
    LLVMBuildCall2(f->b, call, code, &value, 1, "");
}

/*
 * LLVM 19 loses variables in scalar registers: it allocates those first, and asks for the places of
 * variables only behind the vector registers. So what may be scalar is copied into a vector
 * register, by an empty piece of assembly, and the variable is the copy. So is the second variable
 * of one value, which LLVM may lose where it merges registers, and each vector, which it loses
 * where it takes it apart; what assembly gives must be dwords then, since others are converted, and
 * the variable stays with what was converted. A number of less than 32 bits is extended first,
 * since LLVM would keep an expression with a conversion instead.
 */
static void copy(const struct function *f, struct decl *d)
{
    LLVMTypeRef type = d->value != NULL ? held_as(f, LLVMTypeOf(d->value)) : NULL;
    LLVMValueRef call = f->insns[d->insn].value;
    const bool vector = type != NULL && LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    if (type == NULL || (d->varies && !d->shared && !vector && type == LLVMTypeOf(d->value))) {
        return;
    }
    LLVMPositionBuilderBefore(f->b, call);
    LLVMSetCurrentDebugLocation2(f->b, LLVMInstructionGetDebugLoc(call));
    if (vector) {
        type = dwords(f, type);
        d->value = LLVMBuildBitCast(f->b, d->value, type, "");
    } else if (type != LLVMTypeOf(d->value)) {
        d->value = LLVMBuildZExt(f->b, d->value, type, "");
    }
    LLVMTypeRef as = LLVMFunctionType(type, &type, 1, false);
    LLVMValueRef code =
        LLVMGetInlineAsm(as, "", 0, "=v,0", 4, true, false, LLVMInlineAsmDialectATT, false);
    d->value = LLVMBuildCall2(f->b, as, code, &d->value, 1, "");
    LLVMSetOperand(call, 0, LLVMMetadataAsValue(f->cc->context, LLVMValueAsMetadata(d->value)));
}

// Is what a variable is at the begin of a block held in it?
static bool holds_first(const struct function *f, const struct decl *const *at, const bool *within,
                        size_t block)
{
    for (size_t i = f->first[block]; i < f->first[block + 1] && at[i] == NULL; i++) {
        if (f->insns[i].place != 0 && within[f->insns[i].place]) {
            return true;
        }
    }
    return false;
}

/*
 * Do all blocks that one goes on to hold the value that it has at its end? Then it lives that far
 * without a hold here, and the number of holds does not grow with the square of a long function.
 * Only blocks behind this one count, so that one of a loop's holds it; and where the variable gets
 * its value it is held in any case, since LLVM would move what makes it to where it is needed, and
 * lose the variable.
 */
static bool held_behind(const struct function *f, const struct state *in, const bool *first,
                        size_t block, LLVMValueRef value)
{
    for (size_t i = f->succ_first[block]; i < f->succ_first[block + 1]; i++) {
        const size_t next = f->succ[i];
        if (next <= block || in[next].value != value || !first[next]) {
            return false;
        }
    }
    return f->succ_first[block] < f->succ_first[block + 1];
}

// Hold a variable in a block: up to where it changes, and to the last instruction of its scope.
static void hold_in(const struct function *f, const struct decl *const *at, const bool *within,
                    const struct state *in, const bool *first, size_t block)
{
    LLVMValueRef value = in[block].value;
    const struct insn *last = NULL; // of the scope, since the value is this
    bool changes = false;
    const size_t end = f->first[block + 1];
    for (size_t i = f->first[block]; i < end; i++) {
        const struct insn *insn = &f->insns[i];
        if (at[i] != NULL) {
            if (last != NULL && value != NULL) {
                hold(f, value, insn, last->value);
            }
            value = at[i]->value;
            last = NULL;
            changes = true;
        } else if (insn->place != 0 && within[insn->place]) {
            last = insn;
        }
    }
    if (last != NULL && value != NULL && (changes || !held_behind(f, in, first, block, value))) {
        hold(f, value, last + 1 < f->insns + end ? last + 1 : last, last->value);
    }
}

// One variable, or a part of one.
static void hold_variable(struct function *f, struct decl *first, const struct decl **at,
                          bool *within, struct state *in, bool *holds)
{
    memset(at, 0, f->ninsns * sizeof(struct decl *));
    for (struct decl *d = first; d < f->decls + f->ndecls; d++) {
        if (same(d, first)) {
            copy(f, d);
            at[d->insn] = d;
            d->done = true;
        }
    }
    for (size_t i = 0; i < f->nplaces; i++) {
        within[i + 1] = inside(f, f->places[i], first->place);
    }
    flow(f, at, in);
    for (size_t b = 0; b < f->nblocks; b++) {
        holds[b] = holds_first(f, at, within, b);
    }
    for (size_t b = 0; b < f->nblocks; b++) {
        if (in[b].reached) {
            hold_in(f, at, within, in, holds, b);
        }
    }
}

// One function; false if memory is short.
static bool hold_function(struct function *f, LLVMValueRef function)
{
    if (!list(f, function) || !read_places(f) || !find_varying(f) || !list_successors(f)) {
        return false;
    }
    const struct decl **at = lull_arena_calloc(&f->arena, f->ninsns + 1, sizeof(struct decl *));
    bool *within = lull_arena_calloc(&f->arena, f->nplaces + 1, sizeof *within);
    struct state *in = lull_arena_calloc(&f->arena, f->nblocks + 1, sizeof *in);
    bool *holds = lull_arena_calloc(&f->arena, f->nblocks + 1, sizeof *holds);
    if (at == NULL || within == NULL || in == NULL || holds == NULL) {
        return false;
    }
    for (size_t i = 0; i < f->ndecls; i++) {
        if (!f->decls[i].done) {
            hold_variable(f, &f->decls[i], at, within, in, holds);
        }
    }
    return true;
}

/*
 * A variable that lies where an address points to, as a buffer's: the address stays in private
 * memory, since DWARF cannot say "where these two registers point to".
 */
static void keep_address(LLVMValueRef call)
{
    LLVMValueRef place = NULL;
    char *text = LLVMPrintValueToString(LLVMGetOperand(call, 2));
    if (text != NULL && strstr(text, "DW_OP_deref") != NULL) {
        place = named_value(call);
    }
    LLVMDisposeMessage(text);
    if (place == NULL || LLVMIsAAllocaInst(place) == NULL) {
        return;
    }
    for (LLVMUseRef u = LLVMGetFirstUse(place); u != NULL; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsAStoreInst(user) != NULL && LLVMGetOperand(user, 1) == place) {
            LLVMSetVolatile(user, true);
        }
    }
}

// An expression that says nothing but "in private memory" says nothing from now on.
static void make_plain(LLVMContextRef context, LLVMDIBuilderRef di, LLVMValueRef call)
{
    static const char private_memory[] = "!DIExpression(DW_OP_constu, 1, DW_OP_swap, DW_OP_xderef)";
    char *text = LLVMPrintValueToString(LLVMGetOperand(call, 2));
    if (text != NULL && strncmp(text, private_memory, sizeof private_memory - 1) == 0) {
        LLVMMetadataRef plain = LLVMDIBuilderCreateExpression(di, NULL, 0);
        LLVMSetOperand(call, 2, LLVMMetadataAsValue(context, plain));
    }
    LLVMDisposeMessage(text);
}

void lull_cc_plain_places(struct lull_cc *cc)
{
    LLVMDIBuilderRef di = LLVMCreateDIBuilder(cc->module);
    LLVMSetIsNewDbgInfoFormat(cc->module, false); // the C API sees calls, not records
    LLVMValueRef f = LLVMGetFirstFunction(cc->module);
    for (; f != NULL; f = LLVMGetNextFunction(f)) {
        LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f);
        for (; b != NULL; b = LLVMGetNextBasicBlock(b)) {
            LLVMValueRef i = LLVMGetFirstInstruction(b);
            for (; i != NULL; i = LLVMGetNextInstruction(i)) {
                if (is_named(i, "llvm.dbg.declare") || is_named(i, "llvm.dbg.value")) {
                    make_plain(cc->context, di, i);
                    keep_address(i);
                }
            }
        }
    }
    LLVMSetIsNewDbgInfoFormat(cc->module, true);
    LLVMDisposeDIBuilder(di);
}

struct lull_error *lull_cc_keep(struct lull_cc *cc)
{
    struct lull_error *err = NULL;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(cc->context);
    LLVMSetIsNewDbgInfoFormat(cc->module, false);
    LLVMValueRef function = LLVMGetFirstFunction(cc->module);
    for (; err == NULL && function != NULL; function = LLVMGetNextFunction(function)) {
        struct function f = {.cc = cc, .b = b};
        if (!LLVMIsDeclaration(function) && LLVMGetSubprogram(function) != NULL &&
            !hold_function(&f, function)) {
            err = &lull_enomem;
        }
        lull_arena_done(&f.arena);
    }
    LLVMSetIsNewDbgInfoFormat(cc->module, true);
    LLVMDisposeBuilder(b);
    return err;
}
