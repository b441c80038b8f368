// SPDX-License-Identifier: MIT
// Functions that the lowered calls call, always inlined: allocate an entry, store dwords.
//
// The buffer: 64-bit count of dwords allocated, 32-bit count of entries that did not fit, 32-bit
// number of the dispatch; entries from byte 16. docs/formats/printf-buffer.md.
#include <stdio.h>
#include <string.h>

#include "cc/ir.h"
#include "cc/printf_pass.h"

enum {
    LOST_BYTE = 8,
    ENTRIES_BYTE = LULL_PRINTF_HEADER_BYTES,
};

// What a helper is built with.
struct build {
    struct lull_printf_pass *p;
    struct lull_printf_kind kind;
    LLVMBuilderRef b;
    LLVMContextRef c;
    LLVMTypeRef i1, i8, i32, i64;
    LLVMValueRef f;
    struct lull_printf_place at;
    unsigned nparams; // Of the place.
};

static LLVMValueRef number(const struct build *u, uint64_t n)
{
    return LLVMConstInt(u->i32, n, 0);
}

static LLVMValueRef call1(const struct build *u, const char *name, LLVMTypeRef type, LLVMValueRef a)
{
    return lull_ir_intrinsic(u->p->cc, u->b, name, &type, type != NULL, &a, 1);
}

static LLVMValueRef call2(const struct build *u, const char *name, LLVMTypeRef type, LLVMValueRef a,
                          LLVMValueRef b)
{
    LLVMValueRef args[] = {a, b};
    return lull_ir_intrinsic(u->p->cc, u->b, name, &type, type != NULL, args, 2);
}

static LLVMBasicBlockRef block(const struct build *u, const char *name)
{
    return LLVMAppendBasicBlockInContext(u->c, u->f, name);
}

static void attribute(const struct build *u, const char *name)
{
    const unsigned id = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(u->f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(u->c, id, 0));
}

// New helper; false: it is there already, in u->f. params has room for the place's two.
static bool start(struct build *u, const char *what, LLVMTypeRef result, LLVMTypeRef *params,
                  unsigned nrest)
{
    char name[96] = "";
    snprintf(name, sizeof name, "__lull_printf_%s%u_%s_%s%s", what, u->kind.dwords,
             u->kind.descriptor ? "descriptor" : "address", u->kind.wave ? "wave" : "lane",
             u->kind.pixel ? "_pixel" : "");
    u->f = LLVMGetNamedFunction(u->p->cc->module, name);
    if (u->f != NULL) {
        return false;
    }
    if (u->kind.descriptor) {
        params[0] = LLVMVectorType(u->i32, 4);
        params[1] = u->i32;
        u->nparams = 2;
    } else {
        memmove(params + 1, params + 2, nrest * sizeof *params);
        params[0] = LLVMPointerTypeInContext(u->c, 1);
        u->nparams = 1;
    }
    u->f = LLVMAddFunction(u->p->cc->module, name,
                           LLVMFunctionType(result, params, u->nparams + nrest, 0));
    LLVMSetLinkage(u->f, LLVMInternalLinkage);
    attribute(u, "alwaysinline");
    attribute(u, "convergent");
    attribute(u, "nounwind");
    LLVMPositionBuilderAtEnd(u->b, block(u, "entry"));
    u->at = (struct lull_printf_place){
        .address = u->kind.descriptor ? NULL : LLVMGetParam(u->f, 0),
        .rsrc = u->kind.descriptor ? LLVMGetParam(u->f, 0) : NULL,
        .offset = u->kind.descriptor ? LLVMGetParam(u->f, 1) : NULL,
    };
    return true;
}

static struct build begin(struct lull_printf_pass *p, struct lull_printf_kind kind)
{
    LLVMContextRef c = p->cc->context;
    return (struct build){.p = p,
                          .kind = kind,
                          .b = LLVMCreateBuilderInContext(c),
                          .c = c,
                          .i1 = LLVMInt1TypeInContext(c),
                          .i8 = LLVMInt8TypeInContext(c),
                          .i32 = LLVMInt32TypeInContext(c),
                          .i64 = LLVMInt64TypeInContext(c)};
}

// A zero that LLVM takes for different in each lane: so its own pass that makes one atomic of a
// wave's leaves this one alone; it would only repeat what was done (wave) or undo it (lane).
static LLVMValueRef opaque_zero(const struct build *u)
{
    static const char constraints[] = "=v,0";
    LLVMTypeRef type = LLVMFunctionType(u->i32, (LLVMTypeRef[]){u->i32}, 1, 0);
    LLVMValueRef code = LLVMGetInlineAsm(type, "", 0, constraints, sizeof constraints - 1, 0, 0,
                                         LLVMInlineAsmDialectATT, 0);
    LLVMValueRef zero = number(u, 0);
    return LLVMBuildCall2(u->b, type, code, &zero, 1, "");
}

// Atomic addition to a field of the buffer's head.
static LLVMValueRef atomic_add(const struct build *u, unsigned byte, LLVMValueRef value,
                               bool opaque)
{
    LLVMValueRef zero = opaque ? opaque_zero(u) : number(u, 0);
    if (u->kind.descriptor) {
        LLVMTypeRef type = LLVMTypeOf(value);
        LLVMValueRef at = LLVMBuildAdd(u->b, u->at.offset, zero, "");
        at = LLVMBuildAdd(u->b, at, number(u, byte), "");
        LLVMValueRef args[] = {value, u->at.rsrc, at, number(u, 0), number(u, 0)};
        return lull_ir_intrinsic(u->p->cc, u->b, "llvm.amdgcn.raw.buffer.atomic.add", &type, 1,
                                 args, 5);
    }
    LLVMValueRef step = LLVMBuildZExt(u->b, zero, u->i64, "");
    LLVMValueRef at = LLVMBuildInBoundsGEP2(u->b, u->i8, u->at.address, &step, 1, "");
    LLVMValueRef more = LLVMConstInt(u->i64, byte, 0);
    at = LLVMBuildInBoundsGEP2(u->b, u->i8, at, &more, 1, "");
    LLVMValueRef old =
        LLVMBuildAtomicRMW(u->b, LLVMAtomicRMWBinOpAdd, at, value, LLVMAtomicOrderingMonotonic, 0);
    LLVMSetAlignment(old, byte == 0 ? 8 : 4);
    return old;
}

// Lane's place among the active ones before it.
static LLVMValueRef rank_in(const struct build *u, LLVMValueRef mask)
{
    LLVMValueRef low = LLVMBuildTrunc(u->b, mask, u->i32, "");
    LLVMValueRef high = LLVMBuildTrunc(
        u->b, LLVMBuildLShr(u->b, mask, LLVMConstInt(u->i64, 32, 0), ""), u->i32, "");
    LLVMValueRef n = call2(u, "llvm.amdgcn.mbcnt.lo", NULL, low, number(u, 0));
    return call2(u, "llvm.amdgcn.mbcnt.hi", NULL, high, n);
}

static LLVMValueRef first_lane(const struct build *u, LLVMValueRef v)
{
    return call1(u, "llvm.amdgcn.readfirstlane", u->i32, v);
}

// The smaller of a 64-bit count and 2 GiB in dwords: i32.
static LLVMValueRef clamp(const struct build *u, LLVMValueRef low, LLVMValueRef high)
{
    LLVMValueRef most = number(u, LULL_PRINTF_CLAMP_DWORDS);
    LLVMValueRef small = LLVMBuildICmp(u->b, LLVMIntEQ, high, number(u, 0), "");
    return call2(u, "llvm.umin", u->i32, LLVMBuildSelect(u->b, small, low, most, ""), most);
}

// One atomic for the active lanes of the wave; each lane's old count as if they had come in order.
static LLVMValueRef count_wave(const struct build *u, LLVMValueRef size)
{
    LLVMValueRef all = LLVMConstInt(u->i1, 1, 0);
    LLVMValueRef mask = call1(u, "llvm.amdgcn.ballot", u->i64, all);
    LLVMValueRef rank = rank_in(u, mask);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(u->b);
    LLVMBasicBlockRef one = block(u, "one"), join = block(u, "join");
    LLVMBuildCondBr(u->b, LLVMBuildICmp(u->b, LLVMIntEQ, rank, number(u, 0), ""), one, join);
    LLVMPositionBuilderAtEnd(u->b, one);
    LLVMValueRef lanes = LLVMBuildTrunc(u->b, call1(u, "llvm.ctpop", u->i64, mask), u->i32, "");
    LLVMValueRef sum = LLVMBuildZExt(u->b, LLVMBuildMul(u->b, lanes, size, ""), u->i64, "");
    LLVMValueRef old = atomic_add(u, 0, sum, true);
    LLVMBuildBr(u->b, join);
    LLVMPositionBuilderAtEnd(u->b, join);
    LLVMValueRef phi = LLVMBuildPhi(u->b, u->i64, "");
    LLVMValueRef values[] = {old, LLVMGetPoison(u->i64)};
    LLVMBasicBlockRef blocks[] = {one, before};
    LLVMAddIncoming(phi, values, blocks, 2);
    LLVMValueRef low = first_lane(u, LLVMBuildTrunc(u->b, phi, u->i32, ""));
    LLVMValueRef high = LLVMBuildLShr(u->b, phi, LLVMConstInt(u->i64, 32, 0), "");
    high = first_lane(u, LLVMBuildTrunc(u->b, high, u->i32, ""));
    LLVMValueRef base = clamp(u, low, high); // the wave's: the sum has 32 bits still
    return LLVMBuildAdd(u->b, base, LLVMBuildMul(u->b, rank, size, ""), "");
}

// An atomic for each lane.
static LLVMValueRef count_lane(const struct build *u, LLVMValueRef size)
{
    LLVMValueRef old = atomic_add(u, 0, LLVMBuildZExt(u->b, size, u->i64, ""), true);
    LLVMValueRef high = LLVMBuildLShr(u->b, old, LLVMConstInt(u->i64, 32, 0), "");
    return clamp(u, LLVMBuildTrunc(u->b, old, u->i32, ""), LLVMBuildTrunc(u->b, high, u->i32, ""));
}

// Dwords that entries may take, as a descriptor says: i32. Num_records counts bytes, or elements of
// stride bytes. Source: AMD RDNA3 ISA reference guide, 9.1.5.
static LLVMValueRef room_of_descriptor(const struct build *u)
{
    LLVMValueRef word[4] = {0};
    for (unsigned i = 1; i < 4; i++) {
        word[i] = LLVMBuildExtractElement(u->b, u->at.rsrc, number(u, i), "");
    }
    LLVMValueRef records = word[2];
    LLVMValueRef stride = LLVMBuildLShr(u->b, word[1], number(u, 16), "");
    stride = LLVMBuildAnd(u->b, stride, number(u, 0x3fff), ""); // 14 bits
    LLVMValueRef raw = LLVMBuildLShr(u->b, word[3], number(u, 28), "");
    raw = LLVMBuildAnd(u->b, raw, number(u, 3), ""); // OOB_SELECT, from gfx10: 3 RAW
    raw = LLVMBuildICmp(u->b, LLVMIntEQ, raw, number(u, 3), "");
    stride = LLVMBuildSelect(u->b, raw, number(u, 1), stride, "");
    stride = call2(u, "llvm.umax", u->i32, stride, number(u, 1));
    LLVMValueRef wide = LLVMBuildMul(u->b, LLVMBuildZExt(u->b, records, u->i64, ""),
                                     LLVMBuildZExt(u->b, stride, u->i64, ""), "");
    LLVMValueRef high = LLVMBuildTrunc(
        u->b, LLVMBuildLShr(u->b, wide, LLVMConstInt(u->i64, 32, 0), ""), u->i32, "");
    LLVMValueRef fits = LLVMBuildICmp(u->b, LLVMIntEQ, high, number(u, 0), "");
    LLVMValueRef bytes = LLVMBuildSelect(u->b, fits, LLVMBuildTrunc(u->b, wide, u->i32, ""),
                                         LLVMConstAllOnes(u->i32), "");
    LLVMValueRef head = LLVMBuildAdd(u->b, u->at.offset, number(u, ENTRIES_BYTE), "");
    LLVMValueRef some = LLVMBuildICmp(u->b, LLVMIntUGT, bytes, head, "");
    LLVMValueRef left =
        LLVMBuildSelect(u->b, some, LLVMBuildSub(u->b, bytes, head, ""), number(u, 0), "");
    left = LLVMBuildLShr(u->b, left, number(u, 2), "");
    return call2(u, "llvm.umin", u->i32, left, number(u, LULL_PRINTF_CLAMP_DWORDS));
}

// The same of an address, which has no size: the compiler was told.
static LLVMValueRef room_of_address(const struct build *u)
{
    const uint64_t bytes = u->p->cc->options->printf_size;
    const uint64_t dwords = bytes > ENTRIES_BYTE ? (bytes - ENTRIES_BYTE) / 4 : 0;
    return number(u, dwords < LULL_PRINTF_CLAMP_DWORDS ? dwords : LULL_PRINTF_CLAMP_DWORDS);
}

// Store a dword or a vector of them at dword `at` behind the entry's place.
static void store_value(const struct build *u, LLVMValueRef offset, unsigned at, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    if (u->kind.descriptor) {
        LLVMValueRef byte = LLVMBuildShl(u->b, offset, number(u, 2), "");
        byte = LLVMBuildAdd(u->b, LLVMBuildAdd(u->b, byte, u->at.offset, ""),
                            number(u, ENTRIES_BYTE + 4 * at), "");
        LLVMValueRef args[] = {value, u->at.rsrc, byte, number(u, 0), number(u, 0)};
        lull_ir_intrinsic(u->p->cc, u->b, "llvm.amdgcn.raw.buffer.store", &type, 1, args, 5);
        return;
    }
    LLVMValueRef index = LLVMBuildZExt(u->b, offset, u->i64, "");
    LLVMValueRef where = LLVMBuildInBoundsGEP2(u->b, u->i32, u->at.address, &index, 1, "");
    LLVMValueRef step = LLVMConstInt(u->i64, ENTRIES_BYTE + 4 * at, 0);
    where = LLVMBuildInBoundsGEP2(u->b, u->i8, where, &step, 1, "");
    LLVMSetAlignment(LLVMBuildStore(u->b, value, where), 4);
}

// Count one lost entry if it does not fit, and return. If it begins within the buffer its header is
// stored there: what stood there before is not taken for an entry then.
static void finish_reserve(const struct build *u, LLVMValueRef offset, LLVMValueRef size,
                           LLVMValueRef room)
{
    LLVMBasicBlockRef lost = block(u, "lost"), begins = block(u, "begins");
    LLVMBasicBlockRef counts = block(u, "counts"), done = block(u, "done");
    LLVMValueRef end = LLVMBuildAdd(u->b, offset, size, "");
    LLVMValueRef fits = LLVMBuildICmp(u->b, LLVMIntULE, end, room, "");
    LLVMBuildCondBr(u->b, fits, done, lost);
    LLVMPositionBuilderAtEnd(u->b, lost);
    end = LLVMBuildAdd(u->b, offset, number(u, LULL_PRINTF_ENTRY_HEADER_DWORDS), "");
    LLVMBuildCondBr(u->b, LLVMBuildICmp(u->b, LLVMIntULE, end, room, ""), begins, counts);
    LLVMPositionBuilderAtEnd(u->b, begins);
    LLVMValueRef header = LLVMGetPoison(LLVMVectorType(u->i32, 2));
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef dword = LLVMGetParam(u->f, u->nparams + i);
        header = LLVMBuildInsertElement(u->b, header, dword, number(u, i), "");
    }
    store_value(u, offset, 0, header);
    LLVMBuildBr(u->b, counts);
    LLVMPositionBuilderAtEnd(u->b, counts);
    atomic_add(u, LOST_BYTE, number(u, 1), !u->kind.wave);
    LLVMBuildBr(u->b, done);
    LLVMPositionBuilderAtEnd(u->b, done);
    LLVMBuildAggregateRet(u->b, (LLVMValueRef[]){offset, fits}, 2);
}

// Pixel shaders: helper lanes and killed ones return at once.
static void only_live(const struct build *u, LLVMTypeRef result)
{
    LLVMBasicBlockRef go = block(u, "go"), out = block(u, "helper");
    LLVMValueRef live =
        lull_ir_intrinsic(u->p->cc, u->b, "llvm.amdgcn.live.mask", NULL, 0, NULL, 0);
    LLVMBuildCondBr(u->b, live, go, out);
    LLVMPositionBuilderAtEnd(u->b, out);
    LLVMBuildRet(u->b, LLVMConstNull(result));
    LLVMPositionBuilderAtEnd(u->b, go);
}

LLVMValueRef lull_printf_reserve(struct lull_printf_pass *p, struct lull_printf_kind kind)
{
    kind.dwords = 0;
    struct build u = begin(p, kind);
    LLVMTypeRef members[] = {u.i32, u.i1};
    LLVMTypeRef result = LLVMStructTypeInContext(u.c, members, 2, 0);
    LLVMTypeRef params[4] = {NULL, NULL, u.i32, u.i32};
    if (start(&u, "reserve", result, params, 2)) {
        LLVMValueRef size = LLVMGetParam(u.f, u.nparams); // and 16 bits of the id
        size = LLVMBuildAnd(u.b, size, number(&u, LULL_PRINTF_MAX_DWORDS), "");
        if (kind.pixel) {
            only_live(&u, result);
        }
        LLVMValueRef room = kind.descriptor ? room_of_descriptor(&u) : room_of_address(&u);
        LLVMValueRef offset = kind.wave ? count_wave(&u, size) : count_lane(&u, size);
        finish_reserve(&u, offset, size, room);
    }
    LLVMDisposeBuilder(u.b);
    return u.f;
}

// Store n dwords (1 to 4) that are helper's parameters from first on, at dword `at` of the chunk.
static void store_piece(const struct build *u, LLVMValueRef offset, unsigned at, unsigned n)
{
    LLVMTypeRef type = n == 1 ? u->i32 : LLVMVectorType(u->i32, n);
    LLVMValueRef value = LLVMGetPoison(type);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef dword = LLVMGetParam(u->f, u->nparams + 2 + at + i);
        value = n == 1 ? dword : LLVMBuildInsertElement(u->b, value, dword, number(u, i), "");
    }
    store_value(u, offset, at, value);
}

LLVMValueRef lull_printf_store(struct lull_printf_pass *p, struct lull_printf_kind kind)
{
    kind.wave = kind.pixel = false; // all the same here
    struct build u = begin(p, kind);
    LLVMTypeRef params[4 + LULL_PRINTF_CHUNK_DWORDS] = {NULL, NULL, u.i32, u.i1};
    for (unsigned i = 0; i < kind.dwords; i++) {
        params[4 + i] = u.i32;
    }
    if (start(&u, "store", LLVMVoidTypeInContext(u.c), params, 2 + kind.dwords)) {
        LLVMBasicBlockRef go = block(&u, "go"), done = block(&u, "done");
        LLVMBuildCondBr(u.b, LLVMGetParam(u.f, u.nparams + 1), go, done);
        LLVMPositionBuilderAtEnd(u.b, go);
        LLVMValueRef offset = LLVMGetParam(u.f, u.nparams);
        for (unsigned i = 0; i < kind.dwords; i += 4) {
            store_piece(&u, offset, i, kind.dwords - i < 4 ? kind.dwords - i : 4);
        }
        LLVMBuildBr(u.b, done);
        LLVMPositionBuilderAtEnd(u.b, done);
        LLVMBuildRetVoid(u.b);
    }
    LLVMDisposeBuilder(u.b);
    return u.f;
}
