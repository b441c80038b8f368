// SPDX-License-Identifier: MIT
// OpenCL C's printf after clang's passes, back to calls of printf.
//
// LLVM's AMDGPUPrintfRuntimeBinding makes of a call: a pointer from __printf_alloc(bytes), a test
// of it against NULL, and in the branch where it is none a store of the format's number and one of
// each argument, of a literal's bytes in dwords. !llvm.printf.fmts has "number:arguments:bytes of
// each:format". Source: LLVM 19, lib/Target/AMDGPU/AMDGPUPrintfRuntimeBinding.cpp.
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cc/ir.h"
#include "cc/printf_pass.h"

static const char alloc_name[] = "__printf_alloc", list_name[] = "llvm.printf.fmts";

enum { MAX_ARGS = 256, MAX_USES = 4096 };

// A store to the memory of one call.
struct put {
    uint64_t at; // bytes
    LLVMValueRef store, value;
};

// One lowered call.
struct raise {
    struct lull_printf_pass *p;
    LLVMValueRef alloc;
    struct put *puts; // by address
    size_t nputs;
    LLVMValueRef *dead; // GEPs, casts: to be erased, users after what they use
    size_t ndead;
    LLVMValueRef *tests;
    size_t ntests;
    char *format; // in the arena
    size_t format_size;
    uint64_t bytes[MAX_ARGS]; // of each argument, as the list says
    unsigned nargs;
    LLVMValueRef args[MAX_ARGS + 1];
    unsigned ngot;
};

LULL_MUST_USE static struct lull_error *strange(const struct raise *r, const char *what)
{
    return lull_ir_error(
        r->p->cc, r->alloc,
        "clang's passes have lowered this printf, and %s: make the IR with -Xclang "
        "-disable-llvm-passes",
        what);
}

// Bytes that a GEP over i8 adds; false: not known.
static bool step_of(LLVMValueRef gep, uint64_t *bytes)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    LLVMValueRef index = LLVMGetOperand(gep, 1);
    if (LLVMGetNumOperands(gep) != 2 || LLVMIsAConstantInt(index) == NULL ||
        LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) != 8) {
        return false;
    }
    *bytes += LLVMConstIntGetZExtValue(index);
    return true;
}

// Follow a pointer at byte `at` of the memory through its uses.
LULL_MUST_USE static struct lull_error *follow(struct raise *r, LLVMValueRef pointer, uint64_t at,
                                               unsigned depth)
{
    struct lull_error *err = NULL;
    for (LLVMUseRef u = LLVMGetFirstUse(pointer); err == NULL && u != NULL; u = LLVMGetNextUse(u)) {
        LLVMValueRef v = LLVMGetUser(u);
        uint64_t to = at;
        if (r->nputs == MAX_USES || r->ndead == MAX_USES || depth == 0) {
            return strange(r, "it is too long");
        }
        if (LLVMIsAICmpInst(v) != NULL && r->ntests < MAX_USES) {
            r->tests[r->ntests++] = v;
        } else if (LLVMIsAStoreInst(v) != NULL && LLVMGetOperand(v, 1) == pointer &&
                   LLVMGetOperand(v, 0) != pointer) {
            r->puts[r->nputs++] = (struct put){at, v, LLVMGetOperand(v, 0)};
        } else if (LLVMIsABitCastInst(v) != NULL ||
                   (LLVMIsAGetElementPtrInst(v) != NULL && step_of(v, &to))) {
            err = follow(r, v, to, depth - 1);
            r->dead[r->ndead++] = v;
        } else {
            return strange(r, "its memory is used in another way");
        }
    }
    return err;
}

static int by_address(const void *a, const void *b)
{
    const struct put *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

// The format as the list has it, without its escapes.
static size_t unescape(char *to, const char *from, size_t size)
{
    static const char letters[] = "abfnrv", codes[] = "\a\b\f\n\r\v";
    size_t n = 0;
    for (size_t i = 0; i < size; i++) {
        const char *letter =
            from[i] == '\\' && i + 1 < size ? memchr(letters, from[i + 1], 6) : NULL;
        if (letter != NULL) {
            to[n++] = codes[letter - letters];
            i++;
        } else if (size - i >= 3 && memcmp(from + i, "\\72", 3) == 0) {
            to[n++] = ':';
            i += 2;
        } else {
            to[n++] = from[i];
        }
    }
    return n;
}

// A number and the ':' behind it.
static bool number(const char **at, const char *end, uint64_t *ret)
{
    uint64_t n = 0;
    const char *p = *at;
    while (p < end && *p >= '0' && *p <= '9' && n < UINT32_MAX) {
        n = 10 * n + (uint64_t)(*p++ - '0');
    }
    if (p == *at || p == end || *p != ':') {
        return false;
    }
    *at = p + 1;
    *ret = n;
    return true;
}

// Read one entry of the list; true if it is number id.
static bool entry_is(struct raise *r, const char *text, size_t size, uint64_t id)
{
    const char *end = text + size;
    uint64_t n = 0, nargs = 0;
    if (!number(&text, end, &n) || n != id || !number(&text, end, &nargs) || nargs > MAX_ARGS) {
        return false;
    }
    for (unsigned i = 0; i < nargs; i++) {
        if (!number(&text, end, &r->bytes[i])) {
            return false;
        }
    }
    r->nargs = (unsigned)nargs;
    r->format = lull_arena_calloc(&r->p->arena, (size_t)(end - text) + 1, 1);
    if (r->format == NULL) {
        return false;
    }
    r->format_size = unescape(r->format, text, (size_t)(end - text));
    return true;
}

static bool find_format(struct raise *r, uint64_t id)
{
    LLVMModuleRef m = r->p->cc->module;
    const unsigned n = LLVMGetNamedMetadataNumOperands(m, list_name);
    LLVMValueRef *nodes = lull_arena_calloc(&r->p->arena, n + 1, sizeof *nodes);
    if (nodes == NULL) {
        return false;
    }
    LLVMGetNamedMetadataOperands(m, list_name, nodes);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef text = NULL;
        unsigned size = 0;
        if (LLVMGetMDNodeNumOperands(nodes[i]) == 1) {
            LLVMGetMDNodeOperands(nodes[i], &text);
            const char *s = text != NULL ? LLVMGetMDString(text, &size) : NULL;
            if (s != NULL && entry_is(r, s, size, id)) {
                return true;
            }
        }
    }
    return false;
}

// A pointer to a new constant string.
static LLVMValueRef string(struct raise *r, const char *text, size_t size)
{
    LLVMContextRef c = r->p->cc->context;
    LLVMValueRef bytes = LLVMConstStringInContext2(c, text, size, 0);
    LLVMValueRef g = LLVMAddGlobalInAddressSpace(r->p->cc->module, LLVMTypeOf(bytes), "", 4);
    LLVMSetInitializer(g, bytes);
    LLVMSetGlobalConstant(g, 1);
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    return g;
}

// Is argument i a string? Its format's conversions, in order.
static bool is_string(const struct raise *r, unsigned i)
{
    struct lull_printf_conv conv = {0};
    struct lull_printf_diag diag = {0};
    size_t at = 0;
    unsigned n = 0;
    int got = 0;
    while ((got = lull_printf_next(r->format, r->format_size, &at, &conv, &diag)) != 0) {
        if (got > 0 && conv.conversion != '%' && n++ == i) {
            return conv.conversion == 's';
        }
    }
    return false;
}

// The literal in the n dwords from puts[at] on, if they can be all of one whose size with its end,
// in whole dwords, is `bytes`. An empty one is 0xffffff00.
static bool literal(struct raise *r, size_t at, uint64_t bytes, uint64_t n, LLVMValueRef *ret)
{
    char *text = lull_arena_calloc(&r->p->arena, 4 * n + 1, 1);
    if (text == NULL || n == 0 || at + n > r->nputs) {
        return false;
    }
    for (uint64_t i = 0; i < n; i++) {
        LLVMValueRef v = r->puts[at + i].value;
        if (LLVMIsAConstantInt(v) == NULL || LLVMGetIntTypeWidth(LLVMTypeOf(v)) != 32) {
            return false;
        }
        const uint64_t dword = LLVMConstIntGetZExtValue(v);
        for (unsigned b = 0; b < 4; b++) {
            text[4 * i + b] = (char)(dword >> 8 * b & 0xff);
        }
    }
    const size_t size = strlen(text);
    if (size / 4 + 1 != bytes / 4) {
        return false;
    }
    *ret = string(r, text, size);
    return true;
}

// Divide puts[at...] among the arguments from i on. Where a literal's last dword may be left out
// both are tried.
static bool divide(struct raise *r, unsigned i, size_t at)
{
    if (i == r->nargs) {
        r->ngot = i;
        return at == r->nputs;
    }
    if (at == r->nputs) {
        return false;
    }
    if (is_string(r, i) && LLVMIsAConstantInt(r->puts[at].value) != NULL) {
        const uint64_t n = r->bytes[i] / 4;
        return n != 0 && n <= r->nputs &&
               ((literal(r, at, r->bytes[i], n, &r->args[i + 1]) && divide(r, i + 1, at + n)) ||
                (literal(r, at, r->bytes[i], n - 1, &r->args[i + 1]) &&
                 divide(r, i + 1, at + n - 1)));
    }
    r->args[i + 1] = r->puts[at].value;
    return divide(r, i + 1, at + 1);
}

// The last of the stores in their block; NULL: they are not in one block.
static LLVMValueRef last_store(const struct raise *r)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(r->puts[0].store);
    LLVMValueRef last = NULL;
    for (size_t k = 0; k < r->nputs; k++) {
        if (LLVMGetInstructionParent(r->puts[k].store) != block) {
            return NULL;
        }
    }
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL;
         i = LLVMGetNextInstruction(i)) {
        for (size_t k = 0; k < r->nputs; k++) {
            last = r->puts[k].store == i ? i : last;
        }
    }
    return last;
}

// Put the call where the last store is, and take away what it was made into.
static void replace(struct raise *r, LLVMValueRef at)
{
    LLVMContextRef c = r->p->cc->context;
    LLVMModuleRef m = r->p->cc->module;
    LLVMTypeRef format = LLVMPointerTypeInContext(c, 4);
    LLVMTypeRef type = LLVMFunctionType(LLVMInt32TypeInContext(c), &format, 1, 1);
    LLVMValueRef f = LLVMGetNamedFunction(m, "printf");
    f = f != NULL ? f : LLVMAddFunction(m, "printf", type);
    LLVMPositionBuilderBefore(r->p->builder, at); // and its place in the source
    r->args[0] = string(r, r->format, r->format_size);
    LLVMBuildCall2(r->p->builder, type, f, r->args, r->ngot + 1, "");
    for (size_t i = 0; i < r->ntests; i++) {
        const bool equal = LLVMGetICmpPredicate(r->tests[i]) == LLVMIntEQ;
        LLVMReplaceAllUsesWith(r->tests[i], LLVMConstInt(LLVMInt1TypeInContext(c), !equal, 0));
        LLVMInstructionEraseFromParent(r->tests[i]);
    }
    for (size_t i = 0; i < r->nputs; i++) {
        LLVMInstructionEraseFromParent(r->puts[i].store);
    }
    for (size_t i = 0; i < r->ndead; i++) {
        LLVMInstructionEraseFromParent(r->dead[i]);
    }
    LLVMInstructionEraseFromParent(r->alloc);
}

LULL_MUST_USE static struct lull_error *raise_call(struct raise *r)
{
    struct lull_error *err = follow(r, r->alloc, 0, 64 + MAX_ARGS);
    if (err != NULL) {
        return err;
    }
    if (r->nputs == 0) {
        return strange(r, "nothing is stored");
    }
    qsort(r->puts, r->nputs, sizeof *r->puts, by_address);
    LLVMValueRef id = r->puts[0].value;
    if (LLVMIsAConstantInt(id) == NULL || r->puts[0].at != 0 ||
        !find_format(r, LLVMConstIntGetZExtValue(id))) {
        return strange(r, "its format is not in !llvm.printf.fmts");
    }
    for (size_t i = 0; i < r->ntests; i++) {
        const LLVMIntPredicate how = LLVMGetICmpPredicate(r->tests[i]);
        if ((how != LLVMIntEQ && how != LLVMIntNE) || !LLVMIsNull(LLVMGetOperand(r->tests[i], 1))) {
            return strange(r, "its memory is compared in another way");
        }
    }
    LLVMValueRef last = last_store(r);
    if (last == NULL || !divide(r, 0, 1)) {
        return strange(r, "its arguments cannot be told apart");
    }
    replace(r, last);
    return NULL;
}

struct lull_error *lull_printf_raise(struct lull_printf_pass *p)
{
    LLVMValueRef f = LLVMGetNamedFunction(p->cc->module, alloc_name);
    if (f == NULL || !LLVMIsDeclaration(f)) {
        return NULL;
    }
    lull_cleanup(lull_freep) struct put *puts = calloc(MAX_USES, sizeof *puts);
    lull_cleanup(lull_freep) LLVMValueRef *dead =
        calloc(2 * (size_t)MAX_USES, sizeof(LLVMValueRef));
    lull_cleanup(lull_freep) struct raise *r = calloc(1, sizeof *r);
    struct lull_error *err = puts == NULL || dead == NULL || r == NULL ? &lull_enomem : NULL;
    for (LLVMUseRef u = NULL; err == NULL && (u = LLVMGetFirstUse(f)) != NULL;) {
        LLVMValueRef call = LLVMGetUser(u);
        if (LLVMIsACallInst(call) == NULL || LLVMGetCalledValue(call) != f) {
            return lull_error_new(LULL_ERR_BAD_DATA, "%s: '%s' is used other than by a plain call",
                                  p->cc->options->input, alloc_name);
        }
        *r = (struct raise){
            .p = p, .alloc = call, .puts = puts, .dead = dead, .tests = dead + MAX_USES};
        err = raise_call(r);
    }
    return err;
}
