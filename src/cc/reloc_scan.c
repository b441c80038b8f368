// SPDX-License-Identifier: MIT
// Shaders of a module, and their calls of lull.* intrinsics.
#include <stdio.h>
#include <string.h>

#include <llvm-c/Transforms/PassBuilder.h>

#include "cc/ir.h"
#include "cc/reloc_priv.h"
#include "link/stages.h"

static const struct lull_rl_row rows[] = {
    {"lull.buffer.desc", LULL_RL_DESC, LULL_RL_V4I32, 3, 2, 'b', LULL_LAYOUT_BUFFER, NULL},
    {"lull.texel.desc", LULL_RL_DESC, LULL_RL_V4I32, 3, 2, 't', LULL_LAYOUT_TEXEL_BUFFER, NULL},
    {"lull.image.desc", LULL_RL_DESC, LULL_RL_V8I32, 3, 2, 'r', LULL_LAYOUT_RESOURCE, NULL},
    {"lull.sampler.desc", LULL_RL_DESC, LULL_RL_V4I32, 3, 2, 's', LULL_LAYOUT_SAMPLER, NULL},
    {"lull.fmask.desc", LULL_RL_DESC, LULL_RL_V8I32, 3, 2, 'f', LULL_LAYOUT_FMASK, NULL},
    {"lull.desc.table", LULL_RL_TABLE, LULL_RL_POINTER, 1, 1, 0, LULL_LAYOUT_TABLE, NULL},
    {"lull.push.constant", LULL_RL_PUSH, LULL_RL_I32, 1, 0, 0, LULL_LAYOUT_PUSH_CONSTANTS, NULL},
    {"lull.push.pointer", LULL_RL_PUSH_POINTER, LULL_RL_POINTER, 0, 0, 0,
     LULL_LAYOUT_PUSH_CONSTANTS, NULL},
    {"lull.user.data", LULL_RL_USER_DATA, LULL_RL_I32, 1, 1, 0, LULL_LAYOUT_ANY, NULL},
    {"lull.workgroup.id", LULL_RL_WORKGROUP_ID, LULL_RL_I32, 1, 1, 0, LULL_LAYOUT_ANY, NULL},
    {"lull.local.id", LULL_RL_LOCAL_ID, LULL_RL_I32, 1, 1, 0, LULL_LAYOUT_ANY, NULL},
    {"lull.num.workgroups", LULL_RL_NUM_WORKGROUPS, LULL_RL_I32, 1, 1, 0, LULL_LAYOUT_ANY, NULL},
    {"lull.device.index", LULL_RL_NUMBER, LULL_RL_I32, 0, 0, 0, LULL_LAYOUT_ANY, "$deviceIdx"},
    {"lull.num.samples", LULL_RL_NUMBER, LULL_RL_I32, 0, 0, 0, LULL_LAYOUT_ANY, "$numsamples"},
    {"lull.sample.pattern", LULL_RL_NUMBER, LULL_RL_I32, 0, 0, 0, LULL_LAYOUT_ANY,
     "$samplePatternIdx"},
    {"lull.patch.vertices", LULL_RL_NUMBER, LULL_RL_I32, 0, 0, 0, LULL_LAYOUT_ANY,
     "$patchControlPoints"},
    {"lull.global.desc", LULL_RL_GLOBAL_DESC, LULL_RL_V4I32, 1, 1, 0, LULL_LAYOUT_ANY, NULL},
    {"lull.vertex.desc", LULL_RL_VERTEX_BUFFER, LULL_RL_V4I32, 1, 1, 0, LULL_LAYOUT_ANY, NULL},
    {"lull.attribute.ring", LULL_RL_ATTRIBUTE_RING, LULL_RL_V4I32, 1, 1, 0, LULL_LAYOUT_ANY, NULL},
    {"lull.vertex.input", LULL_RL_VERTEX_INPUT, LULL_RL_ANY, 2, 2, 0, LULL_LAYOUT_ANY, NULL},
    {"lull.color.export", LULL_RL_COLOR_EXPORT, LULL_RL_ANY, 2, 2, 0, LULL_LAYOUT_ANY, NULL},
};

enum { NROWS = sizeof rows / sizeof rows[0] };

static const char prefix[] = "lull.", divergent[] = ".nonuniform";

static const struct {
    unsigned convention;
    const char *stage;
} stages[] = {
    {LLVMAMDGPUCSCallConv, "cs"}, {LLVMAMDGPUVSCallConv, "vs"}, {LLVMAMDGPUPSCallConv, "ps"},
    {LLVMAMDGPUGSCallConv, "gs"}, {LLVMAMDGPUHSCallConv, "hs"}, {LLVMAMDGPULSCallConv, "ls"},
    {LLVMAMDGPUESCallConv, "es"},
};

/** The row of @p name; whether ".nonuniform" stands behind it. */
static const struct lull_rl_row *row_of(const char *name, bool *ret_divergent)
{
    for (size_t i = 0; i < NROWS; i++) {
        const size_t n = strlen(rows[i].name);
        if (strncmp(name, rows[i].name, n) != 0) {
            continue;
        }
        *ret_divergent = strcmp(name + n, divergent) == 0;
        if ((name[n] == '\0' && rows[i].type != LULL_RL_ANY) ||
            (name[n] == '.' && rows[i].type == LULL_RL_ANY) ||
            (*ret_divergent && rows[i].op == LULL_RL_DESC)) {
            return &rows[i];
        }
    }
    return NULL;
}

static LLVMTypeRef type_of(LLVMContextRef c, enum lull_rl_type type)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(c);
    switch (type) {
    case LULL_RL_V4I32:
        return LLVMVectorType(i32, 4);
    case LULL_RL_V8I32:
        return LLVMVectorType(i32, 8);
    case LULL_RL_POINTER:
        return LLVMPointerTypeInContext(c, 4);
    case LULL_RL_I32:
    case LULL_RL_ANY:
    default:
        return i32;
    }
}

unsigned lull_rl_components(LLVMTypeRef type, LLVMTypeRef *ret_one)
{
    const bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    *ret_one = vector ? LLVMGetElementType(type) : type;
    return vector ? LLVMGetVectorSize(type) : 1;
}

LLVMTypeRef lull_rl_value_type(LLVMValueRef fn, const struct lull_rl_row *row)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(fn), params[3] = {0};
    if (row->op == LULL_RL_VERTEX_INPUT) {
        return LLVMGetReturnType(type);
    }
    if (LLVMCountParamTypes(type) != 3) {
        return LLVMVoidTypeInContext(LLVMGetTypeContext(type));
    }
    LLVMGetParamTypes(type, params);
    return params[2];
}

void lull_rl_type_name(LLVMTypeRef type, char name[16])
{
    enum { ROOM = 16 };
    LLVMTypeRef one = NULL;
    char vector[8] = "";
    const unsigned n = lull_rl_components(type, &one);
    const LLVMTypeKind kind = LLVMGetTypeKind(one);
    const unsigned bits = kind == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(one) : 0;
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        (void)snprintf(vector, sizeof vector, "v%u", n < 100 ? n : 100);
    }
    (void)snprintf(name, ROOM, "%s%s", vector,
                   kind == LLVMFloatTypeKind  ? "f32"
                   : kind == LLVMHalfTypeKind ? "f16"
                   : bits == 32               ? "i32"
                   : bits == 16               ? "i16"
                                              : "?");
}

/** Is @p suffix the name of @p type, as ".v4f32", and the type one of those that there are? */
static bool suffix_fits(const char *suffix, LLVMTypeRef type, unsigned most)
{
    LLVMTypeRef one = NULL;
    char want[16] = "";
    const unsigned n = lull_rl_components(type, &one);
    lull_rl_type_name(type, want);
    const bool integer = LLVMGetTypeKind(one) == LLVMIntegerTypeKind;
    return n <= (integer && LLVMGetIntTypeWidth(one) == 32 ? most : LULL_RL_COMPONENTS) &&
           suffix[0] == '.' && strcmp(suffix + 1, want) == 0;
}

/** The same for intrinsics of any type. */
static LLVMTypeRef any_signature(const struct lull_rl *rl, const struct lull_rl_row *row,
                                 LLVMTypeRef value)
{
    LLVMContextRef c = rl->cc->context;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(c), params[3] = {i32, i32, value};
    return row->op == LULL_RL_VERTEX_INPUT
               ? LLVMFunctionType(value, params, 2, false)
               : LLVMFunctionType(LLVMVoidTypeInContext(c), params, 3, false);
}

LULL_MUST_USE static struct lull_error *check_any(const struct lull_rl *rl, LLVMValueRef fn,
                                                  const struct lull_rl_row *row)
{
    const char *name = lull_ir_name(fn);
    LLVMTypeRef value = lull_rl_value_type(fn, row);
    const unsigned most =
        row->op == LULL_RL_VERTEX_INPUT ? 2 * LULL_RL_COMPONENTS : LULL_RL_COMPONENTS;
    if (LLVMGetTypeKind(value) != LLVMVoidTypeKind &&
        suffix_fits(name + strlen(row->name), value, most) &&
        any_signature(rl, row, value) == LLVMGlobalGetValueType(fn)) {
        return NULL;
    }
    char *got = LLVMPrintTypeToString(LLVMGlobalGetValueType(fn));
    struct lull_error *err = lull_error_new(
        LULL_ERR_BAD_DATA,
        "%s: '%s' is declared as '%s'; it is '%s' with a value of one to four float, half, i32 or "
        "i16 that its name ends in (.f32, .v4i32)",
        rl->cc->options->input, name, got,
        row->op == LULL_RL_VERTEX_INPUT ? "VALUE (i32, i32)" : "void (i32, i32, VALUE)");
    LLVMDisposeMessage(got);
    return err;
}

/** What the front end must declare. */
static LLVMTypeRef signature(const struct lull_rl *rl, const struct lull_rl_row *row)
{
    LLVMTypeRef params[3] = {0};
    for (unsigned i = 0; i < row->nparams; i++) {
        params[i] = LLVMInt32TypeInContext(rl->cc->context);
    }
    return LLVMFunctionType(type_of(rl->cc->context, row->type), params, row->nparams, false);
}

LULL_MUST_USE static struct lull_error *check_declaration(const struct lull_rl *rl, LLVMValueRef fn,
                                                          const struct lull_rl_row **ret_row,
                                                          bool *ret_divergent)
{
    const char *name = lull_ir_name(fn);
    *ret_row = row_of(name, ret_divergent);
    if (*ret_row == NULL) {
        return lull_error_new(LULL_ERR_BAD_DATA, "%s: there is no intrinsic '%s'",
                              rl->cc->options->input, name);
    }
    if (LLVMCountBasicBlocks(fn) != 0) {
        return lull_error_new(LULL_ERR_BAD_DATA, "%s: '%s' is an intrinsic and cannot be defined",
                              rl->cc->options->input, name);
    }
    if ((*ret_row)->type == LULL_RL_ANY) {
        return check_any(rl, fn, *ret_row);
    }
    LLVMTypeRef want = signature(rl, *ret_row);
    if (LLVMGlobalGetValueType(fn) != want) {
        char *got_text = LLVMPrintTypeToString(LLVMGlobalGetValueType(fn));
        char *want_text = LLVMPrintTypeToString(want);
        struct lull_error *err =
            lull_error_new(LULL_ERR_BAD_DATA, "%s: '%s' is declared as '%s'; it is '%s'",
                           rl->cc->options->input, name, got_text, want_text);
        LLVMDisposeMessage(got_text);
        LLVMDisposeMessage(want_text);
        return err;
    }
    return NULL;
}

/** Constant operands of a call, and their ranges. */
LULL_MUST_USE static struct lull_error *check_operands(const struct lull_rl *rl,
                                                       struct lull_rl_call *c)
{
    static const char *const descriptor[] = {"set", "binding"};
    static const char *const vertex[] = {"location", "component"};
    static const char *const color[] = {"location", "index"};
    const char *const *names = c->row->op == LULL_RL_VERTEX_INPUT   ? vertex
                               : c->row->op == LULL_RL_COLOR_EXPORT ? color
                                                                    : descriptor;
    for (unsigned i = 0; i < c->row->nconstant; i++) {
        LLVMValueRef v = LLVMGetOperand(c->inst, i);
        const bool is_desc = c->row->op == LULL_RL_DESC || c->row->op == LULL_RL_TABLE ||
                             c->row->type == LULL_RL_ANY;
        if (!LLVMIsAConstantInt(v)) {
            return lull_ir_error(rl->cc, c->inst, "%s: %s must be a constant", c->row->name,
                                 is_desc ? names[i] : "its operand");
        }
        c->value[i] = (uint32_t)LLVMConstIntGetZExtValue(v);
    }
    const bool dimension = c->row->op == LULL_RL_WORKGROUP_ID || c->row->op == LULL_RL_LOCAL_ID ||
                           c->row->op == LULL_RL_NUM_WORKGROUPS;
    if (dimension && c->value[0] > 2) {
        return lull_ir_error(rl->cc, c->inst, "%s: dimension %u: 0, 1 and 2 are x, y and z",
                             c->row->name, c->value[0]);
    }
    if ((c->row->op == LULL_RL_VERTEX_BUFFER && c->value[0] >= LULL_RL_VERTEX_BUFFERS) ||
        (c->row->op == LULL_RL_ATTRIBUTE_RING && c->value[0] - 1 >= LULL_RL_ATTRIBUTES)) {
        return lull_ir_error(rl->cc, c->inst, "%s: %u: there are %d", c->row->name, c->value[0],
                             c->row->op == LULL_RL_VERTEX_BUFFER ? LULL_RL_VERTEX_BUFFERS
                                                                 : LULL_RL_ATTRIBUTES);
    }
    if (c->row->op == LULL_RL_GLOBAL_DESC && c->value[0] >= LULL_RL_GLOBAL_DESCS) {
        return lull_ir_error(rl->cc, c->inst, "%s: %u: there are %d", c->row->name, c->value[0],
                             LULL_RL_GLOBAL_DESCS);
    }
    if (c->row->op == LULL_RL_PUSH && LLVMIsAConstantInt(LLVMGetOperand(c->inst, 0))) {
        c->value[0] = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(c->inst, 0));
        if (c->value[0] % 4 != 0) {
            return lull_ir_error(rl->cc, c->inst, "%s: offset %u is not a multiple of 4",
                                 c->row->name, c->value[0]);
        }
    }
    return NULL;
}

static struct lull_rl_entry *entry_of(struct lull_rl *rl, LLVMValueRef fn)
{
    for (size_t i = 0; i < rl->nentries; i++) {
        if (rl->entries[i].fn == fn) {
            return &rl->entries[i];
        }
    }
    return NULL;
}

/** Take up one use of an intrinsic. */
LULL_MUST_USE static struct lull_error *add_use(struct lull_rl *rl, LLVMValueRef callee,
                                                LLVMUseRef use, struct lull_rl_call c)
{
    c.inst = LLVMGetUser(use);
    if (!LLVMIsACallInst(c.inst) || LLVMGetCalledValue(c.inst) != callee) {
        return lull_error_new(LULL_ERR_BAD_DATA, "%s: '%s' can only be called",
                              rl->cc->options->input, c.row->name);
    }
    if (LLVMGetCalledFunctionType(c.inst) != LLVMGlobalGetValueType(callee)) {
        return lull_ir_error(rl->cc, c.inst, "%s: called with other types than declared",
                             c.row->name);
    }
    struct lull_error *err = check_operands(rl, &c);
    if (err != NULL) {
        return err;
    }
    struct lull_rl_entry *e =
        entry_of(rl, LLVMGetBasicBlockParent(LLVMGetInstructionParent(c.inst)));
    if (e == NULL) {
        return lull_ir_error(
            rl->cc, c.inst,
            "%s: the function is not a shader, and cannot be put into the one that calls it",
            c.row->name);
    }
    const bool mesh = lull_ir_attribute(e->fn, "lull-mesh") != NULL;
    const bool compute_only = c.row->op == LULL_RL_WORKGROUP_ID || c.row->op == LULL_RL_LOCAL_ID ||
                              (c.row->op == LULL_RL_NUM_WORKGROUPS && !mesh);
    if (compute_only && !e->compute) {
        return lull_ir_error(rl->cc, c.inst, "%s: in compute shaders only", c.row->name);
    }
    const bool gs = strcmp(e->stage, "gs") == 0, hs = strcmp(e->stage, "hs") == 0;
    const bool vertex = c.row->op == LULL_RL_VERTEX_BUFFER || c.row->op == LULL_RL_VERTEX_INPUT;
    if (c.row->op == LULL_RL_ATTRIBUTE_RING && (!gs || e->gfx < 11)) {
        return lull_ir_error(rl->cc, c.inst,
                             "%s: in primitive shaders (amdgpu_gs) of gfx11 and gfx12 only",
                             c.row->name);
    }
    if (vertex && ((!gs && !hs && strcmp(e->stage, "vs") != 0) || e->gfx < 9)) {
        return lull_ir_error(rl->cc, c.inst,
                             "%s: in primitive, hull and vertex shaders (amdgpu_gs, amdgpu_hs, "
                             "amdgpu_vs) of gfx9 to gfx12 only",
                             c.row->name);
    }
    if (c.row->op == LULL_RL_COLOR_EXPORT && (strcmp(e->stage, "ps") != 0 || e->gfx < 9)) {
        return lull_ir_error(rl->cc, c.inst,
                             "%s: in pixel shaders (amdgpu_ps) of gfx9 to gfx12 only", c.row->name);
    }
    e->calls[e->ncalls++] = c;
    return NULL;
}

static size_t count_uses(LLVMValueRef fn)
{
    size_t n = 0;
    for (LLVMUseRef u = LLVMGetFirstUse(fn); u != NULL; u = LLVMGetNextUse(u)) {
        n++;
    }
    return n;
}

static LLVMValueRef next_intrinsic(LLVMValueRef fn)
{
    for (; fn != NULL; fn = LLVMGetNextFunction(fn)) {
        if (strncmp(lull_ir_name(fn), prefix, sizeof prefix - 1) == 0) {
            return fn;
        }
    }
    return NULL;
}

bool lull_rl_wanted(LLVMModuleRef module)
{
    LLVMValueRef fn = next_intrinsic(LLVMGetFirstFunction(module));
    for (; fn != NULL; fn = next_intrinsic(LLVMGetNextFunction(fn))) {
        if (LLVMGetFirstUse(fn) != NULL) {
            return true;
        }
    }
    return false;
}

LULL_MUST_USE static struct lull_error *scan_calls(struct lull_rl *rl)
{
    size_t total = 0;
    LLVMValueRef fn = next_intrinsic(LLVMGetFirstFunction(rl->cc->module));
    for (LLVMValueRef f = fn; f != NULL; f = next_intrinsic(LLVMGetNextFunction(f))) {
        total += count_uses(f);
    }
    for (size_t i = 0; i < rl->nentries; i++) {
        rl->entries[i].calls = lull_arena_calloc(&rl->arena, total + 1, sizeof *rl->entries->calls);
        if (rl->entries[i].calls == NULL) {
            return &lull_enomem;
        }
    }
    for (; fn != NULL; fn = next_intrinsic(LLVMGetNextFunction(fn))) {
        struct lull_rl_call c = {0};
        struct lull_error *err = check_declaration(rl, fn, &c.row, &c.divergent);
        for (LLVMUseRef u = LLVMGetFirstUse(fn); err == NULL && u != NULL; u = LLVMGetNextUse(u)) {
            err = add_use(rl, fn, u, c);
        }
        if (err != NULL) {
            return err;
        }
    }
    return NULL;
}

static const char *stage_of(LLVMValueRef fn)
{
    const unsigned convention = LLVMGetFunctionCallConv(fn);
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        if (stages[i].convention == convention && LLVMCountBasicBlocks(fn) != 0) {
            return stages[i].stage;
        }
    }
    return NULL;
}

/** Check all declarations. Is there a call outside of shaders? */
LULL_MUST_USE static struct lull_error *look(const struct lull_rl *rl, bool *ret_outside)
{
    LLVMValueRef fn = next_intrinsic(LLVMGetFirstFunction(rl->cc->module));
    for (; fn != NULL; fn = next_intrinsic(LLVMGetNextFunction(fn))) {
        const struct lull_rl_row *row = NULL;
        bool any = false;
        struct lull_error *err = check_declaration(rl, fn, &row, &any);
        if (err != NULL) {
            return err;
        }
        for (LLVMUseRef u = LLVMGetFirstUse(fn); u != NULL; u = LLVMGetNextUse(u)) {
            LLVMValueRef user = LLVMGetUser(u);
            *ret_outside |=
                LLVMIsAInstruction(user) != NULL && stage_of(lull_ir_function(user)) == NULL;
        }
    }
    return NULL;
}

/** Put the functions that are not shaders into those that call them, if intrinsics are called
 * there.
 */
LULL_MUST_USE static struct lull_error *inline_all(const struct lull_rl *rl)
{
    bool outside = false;
    struct lull_error *err = look(rl, &outside);
    if (err != NULL || !outside) {
        return err;
    }
    LLVMAttributeRef always = LLVMCreateEnumAttribute(
        rl->cc->context, LLVMGetEnumAttributeKindForName("alwaysinline", 12), 0);
    const unsigned noinline = LLVMGetEnumAttributeKindForName("noinline", 8);
    const unsigned optnone = LLVMGetEnumAttributeKindForName("optnone", 7);
    for (LLVMValueRef f = LLVMGetFirstFunction(rl->cc->module); f != NULL;
         f = LLVMGetNextFunction(f)) {
        if (LLVMCountBasicBlocks(f) != 0 && stage_of(f) == NULL) {
            LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, noinline);
            LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, optnone);
            LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, always);
            LLVMSetLinkage(f, LLVMInternalLinkage);
        }
    }
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef bad =
        LLVMRunPasses(rl->cc->module, "always-inline,globaldce", rl->cc->machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (bad != NULL) {
        char *text = LLVMGetErrorMessage(bad);
        err = lull_error_new(LULL_ERR_BAD_DATA, "%s: %s", rl->cc->options->input, text);
        LLVMDisposeErrorMessage(text);
    }
    return err;
}

/** Is @p want in the function's target features? */
static bool feature(LLVMValueRef fn, const char *want)
{
    const char *text = lull_ir_attribute(fn, "target-features");
    return text != NULL && strstr(text, want) != NULL;
}

/** !reqd_work_group_size, or 64 work-items in a row. */
LULL_MUST_USE static struct lull_error *block_of(struct lull_rl *rl, struct lull_rl_entry *e)
{
    e->block[0] = 64;
    e->block[1] = e->block[2] = 1;
    size_t n = 0;
    const unsigned kind = LLVMGetMDKindIDInContext(rl->cc->context, "reqd_work_group_size",
                                                   strlen("reqd_work_group_size"));
    LLVMValueMetadataEntry *all = LLVMGlobalCopyAllMetadata(e->fn, &n);
    LLVMMetadataRef found = NULL;
    for (unsigned i = 0; i < n; i++) {
        found = LLVMValueMetadataEntriesGetKind(all, i) == kind
                    ? LLVMValueMetadataEntriesGetMetadata(all, i)
                    : found;
    }
    LLVMDisposeValueMetadataEntries(all);
    if (found == NULL) {
        return NULL;
    }
    LLVMValueRef node = LLVMMetadataAsValue(rl->cc->context, found), values[3] = {0};
    bool ok = LLVMGetMDNodeNumOperands(node) == 3;
    uint64_t product = 1;
    if (ok) {
        LLVMGetMDNodeOperands(node, values);
    }
    for (unsigned i = 0; ok && i < 3; i++) {
        ok = values[i] != NULL && LLVMIsAConstantInt(values[i]) &&
             LLVMConstIntGetZExtValue(values[i]) - 1 < 1024;
        if (ok) {
            e->block[i] = (uint32_t)LLVMConstIntGetZExtValue(values[i]);
            product *= e->block[i];
        }
    }
    return ok && product <= 1024
               ? NULL
               : lull_error_new(LULL_ERR_BAD_DATA,
                                "%s: function '%s': !reqd_work_group_size is not three "
                                "numbers with a product of 1 to 1024",
                                rl->cc->options->input, e->name);
}

/** The GPU has the stage, and the shader ends. */
LULL_MUST_USE static struct lull_error *check_entry(const struct lull_rl *rl,
                                                    const struct lull_rl_entry *e, const char *cpu)
{
    const char *in = rl->cc->options->input;
    const char *instead = lull_stage_instead(lull_ir_generation(cpu), e->stage);
    if (instead != NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "%s: function '%s' is amdgpu_%s, and %s has no such stage: write %s",
                              in, e->name, e->stage, cpu, instead);
    }
    LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(e->fn));
    if (LLVMGetTypeKind(type) != LLVMVoidTypeKind && e->glue == LULL_RL_SHADER) {
        return lull_error_new(
            LULL_ERR_UNSUPPORTED,
            "%s: function '%s' returns values: export them with llvm.amdgcn.exp or "
            "lull.color.export, and return void",
            in, e->name);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *add_entry(struct lull_rl *rl, LLVMValueRef fn,
                                                  const char *stage)
{
    for (size_t i = 0; i < rl->nentries; i++) {
        if (strcmp(rl->entries[i].stage, stage) == 0) {
            return lull_error_new(LULL_ERR_BAD_DATA, "%s: '%s' and '%s' are both amdgpu_%s",
                                  rl->cc->options->input, rl->entries[i].name, lull_ir_name(fn),
                                  stage);
        }
    }
    struct lull_rl_entry *e = &rl->entries[rl->nentries++];
    const char *name = lull_ir_name(fn);
    const size_t size = strlen(name);
    char *copy = lull_arena_calloc(&rl->arena, 1, size + 1);
    if (copy == NULL) {
        return &lull_enomem;
    }
    memcpy(copy, name, size);
    *e = (struct lull_rl_entry){
        .fn = fn, .stage = stage, .name = copy, .spill_threshold = LULL_RL_NO_SPILL};
    e->compute = strcmp(stage, "cs") == 0;
    const char *cpu = lull_ir_attribute(fn, "target-cpu");
    const char *glue = lull_ir_attribute(fn, "lull-glue");
    e->glue = glue == NULL                 ? LULL_RL_SHADER
              : strcmp(glue, "fetch") == 0 ? LULL_RL_FETCH
                                           : LULL_RL_EXPORT;
    struct lull_error *err = check_entry(rl, e, cpu);
    if (err != NULL) {
        return err;
    }
    const char *all = rl->cc->options->attrs != NULL ? rl->cc->options->attrs : "";
    e->gfx = lull_ir_generation(cpu);
    e->packed_ids = e->gfx >= 11 || strcmp(cpu, "gfx90a") == 0 || strncmp(cpu, "gfx94", 5) == 0;
    e->wave_size = e->gfx < 10 || feature(fn, "+wavefrontsize64") ? 64
                   : feature(fn, "+wavefrontsize32")              ? 32
                   : strstr(all, "+wavefrontsize64") != NULL      ? 64
                                                                  : 32;
    return e->compute ? block_of(rl, e) : NULL;
}

/** FNV-1a over the text of the functions: not the same as any driver's hash, and need not be. */
static uint64_t hash_of(LLVMModuleRef m)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f != NULL; f = LLVMGetNextFunction(f)) {
        char *text = LLVMPrintValueToString(f);
        for (const char *c = text; *c != '\0'; c++) {
            hash = (hash ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
        }
        LLVMDisposeMessage(text);
    }
    return hash;
}

struct lull_error *lull_rl_scan(struct lull_rl *rl)
{
    rl->hash = hash_of(rl->cc->module);
    rl->entries =
        lull_arena_calloc(&rl->arena, sizeof stages / sizeof stages[0], sizeof *rl->entries);
    if (rl->entries == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = inline_all(rl);
    LLVMValueRef f = LLVMGetFirstFunction(rl->cc->module);
    for (; err == NULL && f != NULL; f = LLVMGetNextFunction(f)) {
        const char *stage = stage_of(f);
        if (stage != NULL) {
            err = add_entry(rl, f, stage);
        }
    }
    if (err == NULL && rl->nentries == 0) {
        err = lull_error_new(LULL_ERR_BAD_DATA,
                             "%s: no shader: no function is amdgpu_cs, amdgpu_vs, amdgpu_ps, "
                             "amdgpu_gs, amdgpu_hs, amdgpu_ls or amdgpu_es",
                             rl->cc->options->input);
    }
    return err != NULL ? err : scan_calls(rl);
}
