// SPDX-License-Identifier: MIT
// Variables for debuggers. What has no memory of its own gets some: a buffer the 64-bit address
// that its descriptor says, push constants and values copies.
//
// Variables of the module are the entry point's, since they lie in its frame: all functions are
// inlined in it. Of a block without a name its members are variables, as GLSL has them.
#include <stdio.h>
#include <string.h>

#include "front/llvm/debug_priv.h"

enum {
    // DWARF 5, 7.7.1: operations.
    OP_DEREF = 0x06,
    OP_CONSTU = 0x10,
    OP_SWAP = 0x16,
    OP_XDEREF = 0x18,
    OP_PLUS_UCONST = 0x23,
    SHARED_SPACE = 3, // of addresses, as LLVM numbers them
    SHARED_ALIGNMENT = 16,
    VA_SHIFT = 64 - 48, // addresses in descriptors have 48 bits, and a sign
    MAX_PUSH = 4096,    // bytes that are copied
    MAX_TABLE = 64,     // descriptors of an array
    MAX_EXPRESSION = 32,
};

/** A variable as its module describes it. */
struct about {
    const char *name;
    LLVMMetadataRef file;
    uint32_t line;
    uint32_t with; ///< Its type in DebugInfo.100; 0: none.
    uint32_t arg;  ///< Number of a parameter, from 1; 0: it is none.
    bool global;   ///< The module's, in the entry point's frame: artificial there.
};

/** Where a variable lives. */
struct place {
    LLVMMetadataRef scope, inlined;
    LLVMValueRef storage;
    const uint64_t *ops;
    size_t nops;
};

static void declare(struct lull_fl *f, const struct about *a, LLVMMetadataRef type,
                    const struct place *where, LLVMMetadataRef *cached)
{
    LLVMDIBuilderRef di = f->debug->di;
    uint64_t ops[MAX_EXPRESSION] = {0};
    LLVMMetadataRef variable = cached != NULL ? *cached : NULL;
    if (type == NULL) {
        return; // a pointer: LLVM takes no variable without a type
    }
    if (variable == NULL) {
        variable = a->arg != 0 && where->inlined != NULL
                       ? LLVMDIBuilderCreateParameterVariable(di, where->scope, a->name,
                                                              strlen(a->name), a->arg, a->file,
                                                              a->line, type, true, LLVMDIFlagZero)
                       : LLVMDIBuilderCreateAutoVariable(
                             di, where->scope, a->name, strlen(a->name), a->file, a->line, type,
                             true, a->global ? LLVMDIFlagArtificial : LLVMDIFlagZero, 0);
    }
    if (cached != NULL) {
        *cached = variable;
    }
    if (where->nops != 0) {
        memcpy(ops, where->ops, where->nops * sizeof ops[0]);
    }
    LLVMDIBuilderInsertDeclareRecordAtEnd(
        di, where->storage, variable, LLVMDIBuilderCreateExpression(di, ops, where->nops),
        LLVMDIBuilderCreateDebugLocation(f->c, a->line, 0, where->scope, where->inlined),
        LLVMGetInsertBlock(f->top));
}

/** What is known of a variable of the module. */
static struct about about_global(const struct lull_fl *f, uint32_t id)
{
    uint32_t op = 0;
    const struct lull_spv_insn in = lull_fl_debug_def(f, f->debug->ids[id].global, &op);
    const uint32_t storage = f->in->w[3];
    struct about a = {.name = f->m->ids[id].name, .file = f->debug->file, .global = true};
    if (op == NonSemanticShaderDebugInfo100DebugGlobalVariable) {
        a.name = lull_fl_debug_text(f, &in, "Name");
        a.file = lull_fl_debug_file(f, &in);
        // glslang says the line of the first use, behind which a debugger would not look for it.
        a.line = storage == SpvStorageClassPrivate ? lull_fl_debug_number(f, &in, "Line") : 0;
        a.with = lull_fl_debug_operand(&in, "Type");
    }
    a.name = a.name != NULL ? a.name : "";
    return a;
}

/** The entry point's frame. */
static struct place in_entry(const struct lull_fl *f, LLVMValueRef storage, const uint64_t *ops,
                             size_t nops)
{
    return (struct place){.scope = f->debug->functions[f->m->entry].scope,
                          .storage = storage,
                          .ops = ops,
                          .nops = nops};
}

/** A structured buffer of HLSL: the block holds one array, which in the source has its name. */
static bool is_structured(const struct lull_fr_type *t, const char *member)
{
    return t->count == 1 && t->members[0]->kind == LULL_FR_RUNTIME_ARRAY &&
           (member[0] == '\0' || strcmp(member, "@data") == 0);
}

/** A struct that decorations lay out; without a name its members. @p ops: nops, room for two. */
static void declare_block(struct lull_fl *f, const struct about *a, const struct lull_fr_type *t,
                          LLVMValueRef storage, uint64_t *ops, size_t nops)
{
    const struct place whole = in_entry(f, storage, ops, nops);
    const bool members_known = t->kind == LULL_FR_STRUCT;
    const uint32_t *members = members_known ? lull_fl_debug_members(f, t, a->with) : NULL;
    const bool structured = members_known && t->count == 1 && a->name[0] != '\0' &&
                            is_structured(t, lull_fl_debug_member_name(f, t, members, 0));
    if ((a->name[0] != '\0' && !structured) || !members_known) {
        declare(f, a, lull_fl_debug_type(f, t, a->with, false), &whole, NULL);
        return;
    }
    for (uint32_t i = 0; i < t->count; i++) {
        struct about part = *a;
        part.name = structured ? a->name : lull_fl_debug_member_name(f, t, members, i);
        ops[nops] = OP_PLUS_UCONST;
        ops[nops + 1] = t->decor[i].offset != LULL_FR_NONE ? t->decor[i].offset : 0;
        const struct place where = in_entry(f, storage, ops, ops[nops + 1] != 0 ? nops + 2 : nops);
        if (part.name[0] != '\0') {
            declare(f, &part, lull_fl_debug_member_type(f, t, members, i), &where, NULL);
        }
    }
}

/** The address that a descriptor says. */
static LLVMValueRef address_of(const struct lull_fl *f, LLVMValueRef descriptor)
{
    LLVMTypeRef wide = LLVMIntTypeInContext(f->c, 128);
    LLVMValueRef v = LLVMBuildPtrToInt(f->b, descriptor, wide, "");
    LLVMValueRef shift = LLVMConstInt(f->i64, VA_SHIFT, false);
    v = LLVMBuildTrunc(f->b, v, f->i64, "");
    return LLVMBuildAShr(f->b, LLVMBuildShl(f->b, v, shift, ""), shift, "");
}

static void buffer(struct lull_fl *f, uint32_t id, const struct lull_fl_pointer *p)
{
    uint64_t ops[3] = {OP_DEREF};
    const struct about a = about_global(f, id);
    LLVMValueRef at = LLVMBuildAlloca(f->top, f->i64, "");
    LLVMBuildStore(f->b, address_of(f, p->base), at);
    declare_block(f, &a, p->type, at, ops, 1);
}

/** An array of descriptors: an array of pointers. */
LULL_MUST_USE static struct lull_error *table(struct lull_fl *f, uint32_t id,
                                              const struct lull_fl_pointer *p)
{
    const struct about a = about_global(f, id);
    const struct lull_fr_type *t = p->type;
    if (!f->debug->keep || t->kind != LULL_FR_ARRAY || t->element->kind != LULL_FR_STRUCT ||
        t->count > MAX_TABLE || a.name[0] == '\0') {
        return NULL;
    }
    LLVMTypeRef type = LLVMArrayType2(f->i64, t->count);
    LLVMValueRef all = LLVMBuildAlloca(f->top, type, "");
    for (uint32_t i = 0; i < t->count; i++) {
        struct lull_fl_pointer one = *p;
        LLVMValueRef at[2] = {lull_fl_int(f, 0), lull_fl_int(f, i)};
        struct lull_error *err = lull_fl_step(f, &one, at[1]);
        if (err != NULL) {
            return err;
        }
        LLVMBuildStore(f->b, address_of(f, one.base), LLVMBuildGEP2(f->b, type, all, at, 2, ""));
    }
    LLVMMetadataRef made = lull_fl_debug_pointers(f, t, a.with);
    const struct place where = in_entry(f, all, NULL, 0);
    declare(f, &a, made, &where, NULL);
    return NULL;
}

/** Push constants: a copy of their words. */
LULL_MUST_USE static struct lull_error *push(struct lull_fl *f, uint32_t id,
                                             const struct lull_fl_pointer *p)
{
    static const struct lull_fr_type word = {.kind = LULL_FR_INT, .bits = 32, .scalars = 1};
    const struct about a = about_global(f, id);
    const uint64_t bytes = lull_fl_explicit_size(p->type, 0, false);
    uint64_t ops[2] = {0};
    struct lull_error *err = NULL;
    if (!f->debug->keep || bytes == 0 || bytes > MAX_PUSH) {
        return NULL;
    }
    LLVMTypeRef type = LLVMArrayType2(f->i32, (bytes + 3) / 4);
    LLVMValueRef all = LLVMBuildAlloca(f->top, type, "");
    for (uint64_t i = 0; i < bytes && err == NULL; i += 4) {
        struct lull_fl_pointer from = *p;
        LLVMValueRef v = NULL, at[2] = {lull_fl_int(f, 0), lull_fl_int(f, i / 4)};
        from.type = &word;
        from.offset = lull_fl_int(f, i);
        err = lull_fl_load_leaf(f, &from, &v);
        if (err == NULL) {
            LLVMBuildStore(f->b, v, LLVMBuildGEP2(f->b, type, all, at, 2, ""));
        }
    }
    if (err == NULL) {
        declare_block(f, &a, p->type, all, ops, 0);
    }
    return err;
}

/** A symbol of the module's assembly tells .debug_addr where a variable in shared memory is. */
static void place_shared(const struct lull_fl *f, LLVMValueRef global, uint32_t at)
{
    static const char kind[] = "absolute_symbol";
    char text[128] = "";
    size_t size = 0;
    LLVMMetadataRef range[2] = {LLVMValueAsMetadata(lull_fl_int(f, at)),
                                LLVMValueAsMetadata(lull_fl_int(f, at + 1))};
    LLVMGlobalSetMetadata(global, LLVMGetMDKindIDInContext(f->c, kind, sizeof kind - 1),
                          LLVMMDNodeInContext2(f->c, range, 2));
    const char *symbol = LLVMGetValueName2(global, &size);
    const int n = snprintf(text, sizeof text, ".set %s, %u\n", symbol, at);
    LLVMAppendModuleInlineAsm(f->module, text, (size_t)n);
}

static void name_shared(const struct lull_fl *f, LLVMValueRef global, const struct about *a,
                        LLVMMetadataRef type)
{
    static const char kind[] = "dbg";
    uint64_t ops[] = {OP_CONSTU, SHARED_SPACE, OP_SWAP, OP_XDEREF};
    LLVMDIBuilderRef di = f->debug->di;
    LLVMMetadataRef of = LLVMDIBuilderCreateGlobalVariableExpression(
        di, a->file, a->name, strlen(a->name), "", 0, a->file, a->line, type, true,
        LLVMDIBuilderCreateExpression(di, ops, sizeof ops / sizeof ops[0]), NULL, 0);
    LLVMGlobalSetMetadata(global, LLVMGetMDKindIDInContext(f->c, kind, sizeof kind - 1), of);
}

/** A name for a part of shared memory that LLVM knows as another variable, or as a part of one. */
static void name_part(const struct lull_fl *f, const struct about *a, LLVMMetadataRef type,
                      uint32_t at)
{
    LLVMValueRef global =
        LLVMAddGlobalInAddressSpace(f->module, f->i8, "shared.part", SHARED_SPACE);
    LLVMSetInitializer(global, LLVMGetPoison(f->i8));
    LLVMSetLinkage(global, LLVMInternalLinkage);
    place_shared(f, global, at);
    name_shared(f, global, a, type);
}

/** A block in shared memory: all blocks lie at one place. */
static void name_block(struct lull_fl *f, const struct about *a, const struct lull_fr_type *t)
{
    const uint32_t at = f->debug->shared_blocks;
    if (a->name[0] != '\0' || t->kind != LULL_FR_STRUCT) {
        name_part(f, a, lull_fl_debug_type(f, t, a->with, false), at);
        return;
    }
    const uint32_t *members = lull_fl_debug_members(f, t, a->with);
    for (uint32_t i = 0; i < t->count; i++) {
        struct about part = *a;
        part.name = lull_fl_debug_member_name(f, t, members, i);
        if (part.name[0] != '\0' && t->decor[i].offset != LULL_FR_NONE) {
            name_part(f, &part, lull_fl_debug_member_type(f, t, members, i),
                      at + t->decor[i].offset);
        }
    }
}

/**
 * Shared memory gets its addresses here and not in LLVM's code generator, which would leave them
 * out of DWARF.
 */
static void shared(struct lull_fl *f, uint32_t id, const struct lull_fl_pointer *p)
{
    struct lull_fl_debug *d = f->debug;
    const struct about a = about_global(f, id);
    const bool block = p->where == LULL_FL_BYTES;
    const uint64_t bytes = LLVMABISizeOfType(d->target, LLVMGlobalGetValueType(p->base));
    const uint32_t at = (d->shared_bytes + SHARED_ALIGNMENT - 1) & ~(SHARED_ALIGNMENT - 1u);
    if (bytes > UINT32_MAX / 2 - at) {
        return; // LLVM refuses it
    }
    if (!block || !d->has_shared_blocks) {
        d->shared_bytes = at + (uint32_t)bytes;
        d->shared_blocks = block ? at : d->shared_blocks;
        d->has_shared_blocks |= block;
        place_shared(f, p->base, at);
    }
    if (block) {
        name_block(f, &a, p->type);
    } else if (a.name[0] != '\0') {
        name_shared(f, p->base, &a, lull_fl_debug_type(f, p->type, a.with, true));
    }
}

/** The frame of the function that is lowered. */
static struct place here(const struct lull_fl *f, LLVMValueRef storage)
{
    return (struct place){
        .scope = f->debug->now.function, .inlined = f->debug->now.inlined, .storage = storage};
}

/** What lies in LLVM's stack frame and has a name by OpName, if anything. */
static void named(struct lull_fl *f, uint32_t id, const struct lull_fl_pointer *p, uint32_t arg)
{
    const char *name = f->m->ids[id].name;
    const struct about a = {
        .name = name, .file = f->debug->file, .line = f->debug->ids[id].line, .arg = arg};
    const struct place where = here(f, p->base);
    if (name != NULL && name[0] != '\0' && p->where == LULL_FL_NATURAL && p->base != NULL &&
        LLVMIsAAllocaInst(p->base) != NULL) {
        declare(f, &a, lull_fl_debug_type(f, p->type, 0, true), &where,
                &f->debug->ids[id].variable);
    }
}

struct lull_error *lull_fl_debug_variable(struct lull_fl *f)
{
    const uint32_t id = f->in->w[2];
    const struct lull_fl_pointer *p = f->values[id].p;
    if (f->debug == NULL || p == NULL) {
        return NULL;
    }
    if (f->in->w[3] == SpvStorageClassFunction) {
        if (f->debug->now.id == 0) { // else a DebugDeclare names it
            named(f, id, p, 0);
        }
        return NULL;
    }
    switch ((unsigned)p->where) {
    case LULL_FL_TABLE:
        return table(f, id, p);
    case LULL_FL_PUSH:
        return push(f, id, p);
    case LULL_FL_BUFFER:
        buffer(f, id, p);
        return NULL;
    default:
        break;
    }
    if (f->in->w[3] == SpvStorageClassWorkgroup) {
        shared(f, id, p);
    } else if (p->where == LULL_FL_NATURAL && p->base != NULL &&
               LLVMIsAAllocaInst(p->base) != NULL) {
        const struct about a = about_global(f, id);
        const struct place where = in_entry(f, p->base, NULL, 0);
        if (a.name[0] != '\0') {
            declare(f, &a, lull_fl_debug_type(f, p->type, a.with, true), &where, NULL);
        }
    }
    return NULL;
}

/** A value goes to where the variable @p copy is, which is made when it is needed first. */
LULL_MUST_USE static struct lull_error *store_copy(struct lull_fl *f, uint32_t value,
                                                   LLVMValueRef *copy, const struct lull_fr_type *t)
{
    LLVMTypeRef type = NULL;
    LLVMValueRef v = NULL;
    struct lull_error *err = lull_fl_memory_type(f, t, &type);
    err = err != NULL ? err : lull_fl_get(f, value, &v);
    if (err != NULL || (*copy != NULL && LLVMGetAllocatedType(*copy) != type)) {
        return err;
    }
    *copy = *copy != NULL ? *copy : LLVMBuildAlloca(f->top, type, "");
    const struct lull_fl_pointer p = {.type = t, .where = LULL_FL_NATURAL, .base = *copy};
    return lull_fl_store(f, &p, v);
}

struct lull_error *lull_fl_debug_parameters(struct lull_fl *f, const struct lull_fr_function *fn)
{
    struct lull_error *err = NULL;
    if (f->debug == NULL || f->debug->now.id != 0) {
        return NULL;
    }
    for (uint32_t i = 0; i < fn->type->count && err == NULL; i++) {
        const uint32_t id = fn->params[i];
        const struct lull_fl_value *value = &f->values[id];
        const char *name = f->m->ids[id].name;
        if (value->p != NULL) {
            named(f, id, value->p, i + 1);
        } else if (value->v != NULL && name != NULL && name[0] != '\0') {
            struct lull_fl_pointer p = {.type = value->type, .where = LULL_FL_NATURAL};
            err = store_copy(f, id, &p.base, value->type);
            if (err == NULL && p.base != NULL) {
                named(f, id, &p, i + 1);
            }
        }
    }
    return err;
}

/** Operations of a DebugExpression; false: some are not known. */
static bool expression(const struct lull_fl *f, uint32_t id, uint64_t *ops, size_t *ret_n)
{
    enum { DEREF = 0, PLUS_UCONST = 3 }; // DebugInfo.100, DebugOperation
    uint32_t op = 0;
    const struct lull_spv_insn in = lull_fl_debug_def(f, id, &op);
    *ret_n = 0;
    if (op != NonSemanticShaderDebugInfo100DebugExpression) {
        return false;
    }
    for (uint32_t i = lull_spv_debug_operand(&in, "Operands ..."); i < in.n; i++) {
        const struct lull_spv_insn one = lull_fl_debug_def(f, in.w[i], &op);
        const uint32_t code = lull_fl_debug_number(f, &one, "OpCode");
        if (op != NonSemanticShaderDebugInfo100DebugOperation || *ret_n + 2 > MAX_EXPRESSION ||
            (code != DEREF && code != PLUS_UCONST)) {
            return false;
        }
        ops[(*ret_n)++] = code == DEREF ? OP_DEREF : OP_PLUS_UCONST;
        if (code == PLUS_UCONST) {
            ops[(*ret_n)++] = lull_fl_debug_number(f, &one, "Operands ...");
        }
    }
    return true;
}

/** DebugDeclare of a pointer, or a DebugValue that says the same: the variable is behind it. */
static void at_pointer(struct lull_fl *f, const struct lull_fl_pointer *p, const struct about *a,
                       struct place *where, uint32_t id)
{
    if (p->where == LULL_FL_NATURAL && p->base != NULL && LLVMIsAAllocaInst(p->base) != NULL) {
        where->storage = p->base;
        declare(f, a, lull_fl_debug_type(f, p->type, a->with, true), where,
                &f->debug->ids[id].variable);
    }
}

/** DebugValue: what the variable is from here on. */
static void at_value(struct lull_fl *f, uint32_t value, const struct about *a, struct place *where,
                     uint32_t id)
{
    struct lull_fl_debug_id *of = &f->debug->ids[id];
    const struct lull_fr_type *t = NULL;
    struct lull_error *err = lull_fl_type_of(f, value, &t);
    const bool first = of->copy == NULL || of->copied_in != where->inlined;
    of->copy = first ? NULL : of->copy;
    err = err != NULL ? err : store_copy(f, value, &of->copy, t);
    if (err == NULL && first && of->copy != NULL) {
        of->copied_in = where->inlined;
        where->storage = of->copy;
        declare(f, a, lull_fl_debug_type(f, t, a->with, true), where, &of->variable);
    }
    lull_error_free(err); // a wrong value of a variable is no fault of the shader
}

void lull_fl_debug_declare(struct lull_fl *f)
{
    const struct lull_spv_insn *in = f->in;
    const struct lull_fl_scope *now = &f->debug->now;
    uint32_t op = 0;
    uint64_t ops[MAX_EXPRESSION] = {0};
    const bool is_value = lull_fl_debug_is(f, in, NonSemanticShaderDebugInfo100DebugValue);
    const uint32_t id = lull_fl_debug_operand(in, "Local Variable");
    const struct lull_spv_insn v = lull_fl_debug_def(f, id, &op);
    struct place where = {.ops = ops};
    if ((!is_value && !lull_fl_debug_is(f, in, NonSemanticShaderDebugInfo100DebugDeclare)) ||
        op != NonSemanticShaderDebugInfo100DebugLocalVariable ||
        in->n > lull_spv_debug_operand(in, "Indexes") || // a part of it
        !expression(f, lull_fl_debug_operand(in, "Expression"), ops, &where.nops)) {
        return;
    }
    const struct about a = {.name = lull_fl_debug_text(f, &v, "Name"),
                            .file = lull_fl_debug_file(f, &v),
                            .line = lull_fl_debug_number(f, &v, "Line"),
                            .with = lull_fl_debug_operand(&v, "Type"),
                            .arg = lull_fl_debug_number(f, &v, "Arg Number")};
    where.scope = lull_fl_debug_parent(f, &v);
    where.inlined = now->scope_in != NULL ? now->scope_in : now->inlined;
    const uint32_t value = lull_fl_debug_operand(in, is_value ? "Value" : "Variable");
    if (where.scope == NULL) {
        return;
    }
    const struct lull_fl_pointer *p = f->values[value].p;
    if (p == NULL && where.nops == 0) {
        at_value(f, value, &a, &where, id);
    } else if (p != NULL && !is_value) {
        at_pointer(f, p, &a, &where, id);
    } else if (p != NULL && where.nops == 1 && ops[0] == OP_DEREF) {
        where.nops = 0; // DebugValue of an address, and Deref: as DebugDeclare
        at_pointer(f, p, &a, &where, id);
    }
}
