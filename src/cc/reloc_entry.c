// SPDX-License-Identifier: MIT
// The entry function with user SGPRs and ids as parameters.
#include <stdio.h>
#include <string.h>

#include "cc/ir.h"
#include "cc/reloc_priv.h"

enum { MERGED = 8, MAX_PARAMS = 256 };

/** Parameters of the new function. */
struct params {
    LLVMTypeRef type[MAX_PARAMS];
    int old[MAX_PARAMS]; ///< Number in the old function; -1: new.
    bool sgpr[MAX_PARAMS];
    unsigned n, user, group, local; ///< All, and where new ones begin.
};

static void add(struct params *p, LLVMTypeRef type, int old, bool sgpr)
{
    p->type[p->n] = type;
    p->old[p->n] = old;
    p->sgpr[p->n++] = sgpr;
}

static unsigned count(const bool which[3])
{
    return (unsigned)which[0] + which[1] + which[2];
}

/** VGPRs that hold the local ids. */
static unsigned id_registers(const struct lull_rl_entry *e)
{
    if (count(e->local) == 0 || e->packed_ids) {
        return count(e->local) != 0;
    }
    return e->local[2] ? 3 : e->local[1] ? 2 : 1;
}

LULL_MUST_USE static struct lull_error *check(const struct lull_rl *rl, struct lull_rl_entry *e)
{
    const unsigned n = LLVMCountParams(e->fn);
    const char *in = rl->cc->options->input;
    if (e->compute && n != 0) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "%s: function '%s': a compute shader that uses lull.* intrinsics has "
                              "no parameters",
                              in, e->name);
    }
    const bool merged = e->gfx >= 9 && (strcmp(e->stage, "gs") == 0 || strcmp(e->stage, "hs") == 0);
    e->first = merged ? MERGED : 0;
    unsigned leading = 0;
    const unsigned inreg = LLVMGetEnumAttributeKindForName("inreg", 5);
    while (leading < n && LLVMGetEnumAttributeAtIndex(e->fn, leading + 1, inreg) != NULL &&
           LLVMTypeOf(LLVMGetParam(e->fn, leading)) == LLVMInt32TypeInContext(rl->cc->context)) {
        leading++;
    }
    if (leading < e->first) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "%s: function '%s': a merged stage's first 8 parameters are 'i32 "
                              "inreg', what the hardware writes into s0 to s7",
                              in, e->name);
    }
    if (n + e->nmap + e->nattribute_vgprs + 6 > MAX_PARAMS) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "%s: function '%s': %u parameters", in, e->name,
                              n);
    }
    if (LLVMGetFirstUse(e->fn) != NULL) {
        return lull_error_new(LULL_ERR_BAD_DATA, "%s: function '%s' is a shader and is used", in,
                              e->name);
    }
    return NULL;
}

static void list(const struct lull_rl *rl, const struct lull_rl_entry *e, struct params *p)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(rl->cc->context);
    const unsigned n = LLVMCountParams(e->fn);
    for (unsigned i = 0; i < e->first; i++) {
        add(p, i32, (int)i, true);
    }
    p->user = p->n;
    for (unsigned i = 0; i < e->nmap; i++) {
        add(p, i32, -1, true);
    }
    p->group = p->n;
    for (unsigned i = 0; i < count(e->group); i++) {
        add(p, i32, -1, true);
    }
    for (unsigned i = e->first; i < n; i++) {
        add(p, LLVMTypeOf(LLVMGetParam(e->fn, i)), (int)i, false);
    }
    for (unsigned i = 0; i < e->nattribute_vgprs; i++) {
        add(p, LLVMFloatTypeInContext(rl->cc->context), -1, false);
    }
    p->local = p->n;
    for (unsigned i = 0; i < id_registers(e); i++) {
        add(p, i32, -1, false);
    }
}

static void copy_attributes(LLVMValueRef from, LLVMAttributeIndex at, LLVMValueRef to,
                            LLVMAttributeIndex index)
{
    LLVMAttributeRef all[64] = {0};
    const unsigned n = LLVMGetAttributeCountAtIndex(from, at);
    if (n <= sizeof all / sizeof all[0]) {
        LLVMGetAttributesAtIndex(from, at, all);
        for (unsigned i = 0; i < n; i++) {
            LLVMAddAttributeAtIndex(to, index, all[i]);
        }
    }
}

/** Attributes, metadata and the body of @p from. */
static void take_over(const struct lull_rl *rl, LLVMValueRef from, LLVMValueRef to,
                      const struct params *p)
{
    LLVMAttributeRef inreg =
        LLVMCreateEnumAttribute(rl->cc->context, LLVMGetEnumAttributeKindForName("inreg", 5), 0);
    const LLVMAttributeIndex function = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMSetFunctionCallConv(to, LLVMGetFunctionCallConv(from));
    copy_attributes(from, function, to, function);
    copy_attributes(from, LLVMAttributeReturnIndex, to, LLVMAttributeReturnIndex);
    for (unsigned i = 0; i < p->n; i++) {
        if (p->old[i] >= 0) {
            copy_attributes(from, (unsigned)p->old[i] + 1, to, i + 1);
            LLVMReplaceAllUsesWith(LLVMGetParam(from, (unsigned)p->old[i]), LLVMGetParam(to, i));
        } else if (p->sgpr[i]) {
            LLVMAddAttributeAtIndex(to, i + 1, inreg);
        }
    }
    size_t n = 0;
    LLVMValueMetadataEntry *all = LLVMGlobalCopyAllMetadata(from, &n);
    for (unsigned i = 0; i < n; i++) {
        LLVMGlobalSetMetadata(to, LLVMValueMetadataEntriesGetKind(all, i),
                              LLVMValueMetadataEntriesGetMetadata(all, i));
    }
    LLVMDisposeValueMetadataEntries(all);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(from); b != NULL;
         b = LLVMGetFirstBasicBlock(from)) {
        LLVMRemoveBasicBlockFromParent(b);
        LLVMAppendExistingBasicBlock(to, b);
    }
    LLVMDeleteFunction(from);
}

/** Local ids come in one VGPR, ten bits each, or in one VGPR each. */
static void make_local_ids(const struct lull_rl *rl, struct lull_rl_entry *e, LLVMValueRef fn,
                           const struct params *p)
{
    enum { BITS = 10, MASK = (1 << BITS) - 1 };
    LLVMTypeRef i32 = LLVMInt32TypeInContext(rl->cc->context);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(rl->cc->context);
    LLVMPositionBuilderBefore(b, lull_rl_top(fn));
    for (unsigned i = 0; i < 3; i++) {
        if (e->local[i]) {
            LLVMValueRef v = LLVMGetParam(fn, p->local + (e->packed_ids ? 0 : i));
            if (e->packed_ids) {
                v = LLVMBuildLShr(b, v, LLVMConstInt(i32, i * BITS, false), "");
                v = LLVMBuildAnd(b, v, LLVMConstInt(i32, MASK, false), "");
            }
            e->local_id[i] = v;
        }
    }
    LLVMDisposeBuilder(b);
}

/** LLVM may rely on the number of work-items of a workgroup. */
static void say_size(const struct lull_rl *rl, const struct lull_rl_entry *e)
{
    static const char key[] = "amdgpu-flat-work-group-size";
    char text[32] = "";
    const unsigned n = e->block[0] * e->block[1] * e->block[2];
    if (e->compute && lull_ir_attribute(e->fn, key) == NULL) {
        const int size = snprintf(text, sizeof text, "%u,%u", n, n);
        LLVMAddAttributeAtIndex(
            e->fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
            LLVMCreateStringAttribute(rl->cc->context, key, sizeof key - 1, text, (unsigned)size));
    }
}

LLVMValueRef lull_rl_top(LLVMValueRef fn)
{
    LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn));
    while (LLVMIsAAllocaInst(i) != NULL) {
        i = LLVMGetNextInstruction(i);
    }
    return i;
}

/** Glue has all its parameters already. */
LULL_MUST_USE static struct lull_error *take_sgprs(const struct lull_rl *rl,
                                                   struct lull_rl_entry *e)
{
    if (LLVMCountParams(e->fn) < e->first + e->nmap) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "%s: function '%s': fewer parameters than user data",
                              rl->cc->options->input, e->name);
    }
    for (unsigned i = 0; i < e->nmap; i++) {
        e->sgpr[i] = LLVMGetParam(e->fn, e->first + i);
    }
    return NULL;
}

struct lull_error *lull_rl_parameters(struct lull_rl *rl, struct lull_rl_entry *e)
{
    struct lull_error *err = check(rl, e);
    if (err != NULL) {
        return err;
    }
    struct params *p = lull_arena_calloc(&rl->arena, 1, sizeof *p);
    if (p == NULL) {
        return &lull_enomem;
    }
    if (e->glue != LULL_RL_SHADER) {
        return take_sgprs(rl, e);
    }
    list(rl, e, p);
    e->attribute_param = p->local - e->nattribute_vgprs;
    LLVMTypeRef type = LLVMFunctionType(lull_rl_return_type(rl, e), p->type, p->n, false);
    LLVMValueRef fn = LLVMAddFunction(rl->cc->module, "", type);
    take_over(rl, e->fn, fn, p);
    e->fn = fn;
    LLVMSetValueName2(fn, e->name, strlen(e->name));
    for (unsigned i = 0; i < e->nmap; i++) {
        e->sgpr[i] = LLVMGetParam(fn, p->user + i);
    }
    for (unsigned i = 0, at = p->group; i < 3; i++) {
        if (e->group[i]) {
            e->group_id[i] = LLVMGetParam(fn, at++);
        }
    }
    make_local_ids(rl, e, fn, p);
    say_size(rl, e);
    return NULL;
}
