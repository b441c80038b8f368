// SPDX-License-Identifier: MIT
// Functions, lexical blocks, and functions that SPIR-V says were inlined before.
//
// A location of LLVM has a scope in a function, and the call that it was inlined at; the last call
// of that chain has to lie in the function that the code is in. What a module says otherwise does
// not count.
#include <string.h>

#include "front/llvm/debug_priv.h"

enum { MAX_DEPTH = 64 };

/** A function that has a DebugFunction. */
static LLVMMetadataRef described(struct lull_fl *f, uint32_t id)
{
    uint32_t op = 0;
    const struct lull_spv_insn in = lull_fl_debug_def(f, id, &op);
    LLVMDIBuilderRef di = f->debug->di;
    if (op != NonSemanticShaderDebugInfo100DebugFunction) {
        return NULL;
    }
    LLVMMetadataRef *made = &f->debug->ids[id].scope;
    if (*made == NULL) {
        const char *name = lull_fl_debug_text(f, &in, "Name");
        const uint32_t line = lull_fl_debug_number(f, &in, "Line");
        const uint32_t begin = lull_fl_debug_number(f, &in, "Scope Line");
        LLVMMetadataRef file = lull_fl_debug_file(f, &in);
        LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(di, file, NULL, 0, LLVMDIFlagZero);
        *made = LLVMDIBuilderCreateFunction(di, file, name, strlen(name), name, strlen(name), file,
                                            line, type, true, true, begin != 0 ? begin : line,
                                            LLVMDIFlagZero, false);
    }
    return *made;
}

/** What a function is called, and the first line in it. */
static LLVMMetadataRef from_name(const struct lull_fl *f, const struct lull_fr_function *fn,
                                 const char *path, uint32_t line)
{
    LLVMDIBuilderRef di = f->debug->di;
    const char *name = f->m->ids[fn->id].name;
    name = fn == &f->m->functions[f->m->entry] ? f->m->entry_name : name != NULL ? name : "";
    const size_t size = strcspn(name, "("); // glslang: "f(u1;"
    LLVMMetadataRef file = path != NULL ? lull_fl_debug_path(f, path) : f->debug->file;
    LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(di, file, NULL, 0, LLVMDIFlagZero);
    return LLVMDIBuilderCreateFunction(di, file, name, size, name, size, file, line, type, true,
                                       true, line, LLVMDIFlagZero, false);
}

LLVMMetadataRef lull_fl_debug_function(struct lull_fl *f, const struct lull_fr_function *fn)
{
    struct lull_fl_debug_function *made = &f->debug->functions[fn - f->m->functions];
    struct lull_spv_insn in = {0};
    const char *path = NULL, *first_path = NULL;
    uint32_t line = 0, column = 0, first_line = 0;
    if (made->scope != NULL) {
        return made->scope;
    }
    for (size_t pos = fn->first; pos < fn->end && lull_spv_next(&f->m->spv, &pos, &in);) {
        if (lull_fl_debug_is(f, &in, NonSemanticShaderDebugInfo100DebugFunctionDefinition) &&
            lull_fl_debug_operand(&in, "Definition") == fn->id) {
            made->id = lull_fl_debug_operand(&in, "Function");
        }
        if (first_path == NULL && lull_fl_debug_line_at(f, &in, &path, &line, &column)) {
            first_path = path;
            first_line = line;
        }
    }
    made->scope = described(f, made->id);
    if (made->scope == NULL) {
        made->id = 0;
        made->scope = from_name(f, fn, first_path, first_line);
    }
    return made->scope;
}

/** A scope, and the DebugFunction that it lies in; NULL: it lies in none. */
static LLVMMetadataRef scope_of(struct lull_fl *f, uint32_t id, uint32_t *ret_function,
                                unsigned depth)
{
    uint32_t op = 0;
    const struct lull_spv_insn in = lull_fl_debug_def(f, id, &op);
    *ret_function = id;
    if (op == NonSemanticShaderDebugInfo100DebugFunction) {
        return described(f, id);
    }
    if (depth == MAX_DEPTH || (op != NonSemanticShaderDebugInfo100DebugLexicalBlock &&
                               op != NonSemanticShaderDebugInfo100DebugLexicalBlockDiscriminator)) {
        return NULL;
    }
    LLVMMetadataRef parent =
        scope_of(f, lull_fl_debug_operand(&in, "Parent"), ret_function, depth + 1);
    LLVMMetadataRef *made = &f->debug->ids[id].scope;
    if (op == NonSemanticShaderDebugInfo100DebugLexicalBlockDiscriminator) {
        return parent;
    }
    if (parent != NULL && *made == NULL) {
        *made = LLVMDIBuilderCreateLexicalBlock(f->debug->di, parent, lull_fl_debug_file(f, &in),
                                                lull_fl_debug_number(f, &in, "Line"),
                                                lull_fl_debug_number(f, &in, "Column"));
    }
    return parent != NULL ? *made : NULL;
}

/** The call that a DebugInlinedAt says; NULL: it does not lead to the function that is lowered. */
static LLVMMetadataRef call_of(struct lull_fl *f, uint32_t id, unsigned depth)
{
    uint32_t op = 0, function = 0;
    const struct lull_spv_insn in = lull_fl_debug_def(f, id, &op);
    if (op != NonSemanticShaderDebugInfo100DebugInlinedAt || depth == MAX_DEPTH) {
        return NULL;
    }
    LLVMMetadataRef scope = scope_of(f, lull_fl_debug_operand(&in, "Scope"), &function, 0);
    const uint32_t next = lull_fl_debug_operand(&in, "Inlined");
    LLVMMetadataRef outer = next != 0 ? call_of(f, next, depth + 1) : f->debug->now.inlined;
    if (scope == NULL ||
        (next != 0 ? outer == NULL : function != f->debug->now.id || function == 0)) {
        return NULL;
    }
    return LLVMDIBuilderCreateDebugLocation(f->c, lull_fl_debug_number(f, &in, "Line"), 0, scope,
                                            outer);
}

void lull_fl_debug_scope(struct lull_fl *f)
{
    struct lull_fl_scope *now = &f->debug->now;
    uint32_t function = 0;
    const uint32_t scope_id = lull_fl_debug_operand(f->in, "Scope");
    const uint32_t call_id = lull_fl_debug_operand(f->in, "Inlined At");
    LLVMMetadataRef scope = scope_of(f, scope_id, &function, 0);
    LLVMMetadataRef call = call_id != 0 ? call_of(f, call_id, 0) : NULL;
    const bool good = scope != NULL && (call_id != 0 ? call != NULL : function == now->id);
    now->scope = good ? scope : now->function;
    now->scope_in = good ? call : NULL;
    now->scope_function = good ? function : now->id;
}

LLVMMetadataRef lull_fl_debug_parent(struct lull_fl *f, const struct lull_spv_insn *in)
{
    const struct lull_fl_scope *now = &f->debug->now;
    uint32_t function = 0;
    LLVMMetadataRef scope = scope_of(f, lull_fl_debug_operand(in, "Parent"), &function, 0);
    return scope != NULL && function == (now->scope_in != NULL ? now->scope_function : now->id)
               ? scope
               : NULL;
}
