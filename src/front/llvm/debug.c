// SPDX-License-Identifier: MIT
// Debug information: where it begins and ends, and where code is from. OpLine and DebugLine become
// debug locations. A function that was lowered at its call is one that was inlined.
//
// Source: Khronos, SPIR-V 1.6, OpLine: it ends with the block; NonSemantic.Shader.DebugInfo.100,
// DebugLine, DebugSource.
#include <stdio.h>
#include <string.h>

#include "front/llvm/debug_priv.h"

enum { DWARF_VERSION = 5 };

/** Where each variable is used first, and which DebugGlobalVariable it has. */
static void survey(struct lull_fl *f)
{
    const struct lull_spv *spv = &f->m->spv;
    struct lull_spv_insn in = {0};
    uint32_t line = 0, column = 0;
    const char *path = NULL;
    for (size_t pos = LULL_SPV_HEADER_WORDS; pos < spv->nwords && lull_spv_next(spv, &pos, &in);) {
        if (lull_fl_debug_is(f, &in, NonSemanticShaderDebugInfo100DebugGlobalVariable)) {
            f->debug->ids[lull_fl_debug_operand(&in, "Variable")].global = in.w[2];
        }
        if (lull_fl_debug_line_at(f, &in, &path, &line, &column)) {
            continue;
        }
        line = in.op == SpvOpLabel || in.op == SpvOpFunction ? 0 : line;
        const uint32_t pointer = in.op == SpvOpStore          ? in.w[1]
                                 : in.op == SpvOpLoad         ? in.w[3]
                                 : in.op == SpvOpAccessChain  ? in.w[3]
                                 : in.op == SpvOpFunctionCall ? lull_spv_word(&in, 4)
                                                              : 0;
        if (pointer != 0 && f->debug->ids[pointer].line == 0) {
            f->debug->ids[pointer].line = line;
        }
    }
}

/** A number that describes the module. */
static void module_flag(const struct lull_fl *f, const char *name, uint64_t v)
{
    if (LLVMGetModuleFlag(f->module, name, strlen(name)) != NULL) {
        return; // by a shader that is a part of this one
    }
    LLVMAddModuleFlag(f->module, LLVMModuleFlagBehaviorWarning, name, strlen(name),
                      LLVMValueAsMetadata(lull_fl_int(f, v)));
}

struct lull_error *lull_fl_debug_begin(struct lull_fl *f, const struct lull_fl_options *o)
{
    static const char producer[] = "lull cc";
    struct lull_fl_debug *d = lull_arena_calloc(&f->arena, 1, sizeof *d);
    if (d != NULL) {
        d->ids = lull_arena_calloc(&f->arena, (size_t)f->m->spv.bound + 1, sizeof *d->ids);
        d->functions = lull_arena_calloc(&f->arena, f->m->nfunctions + 1, sizeof *d->functions);
    }
    if (d == NULL || d->ids == NULL || d->functions == NULL) {
        return &lull_enomem;
    }
    f->debug = d;
    module_flag(f, "Debug Info Version", LLVMDebugMetadataVersion());
    module_flag(f, "Dwarf Version", DWARF_VERSION);
    d->keep = o->keep;
    d->dir = o->dir;
    d->target = LLVMGetModuleDataLayout(f->module);
    d->di = LLVMCreateDIBuilder(f->module);
    d->file = lull_fl_debug_path(f, o->path);
    LLVMDIBuilderCreateCompileUnit(d->di, LLVMDWARFSourceLanguageC99, d->file, producer,
                                   sizeof producer - 1, false, "", 0, 0, "", 0,
                                   LLVMDWARFEmissionFull, 0, false, false, "", 0, "", 0);
    survey(f);
    const struct lull_fr_function *fn = &f->m->functions[f->m->entry];
    d->now.function = lull_fl_debug_function(f, fn);
    d->now.id = d->functions[f->m->entry].id;
    d->now.scope = d->now.function;
    LLVMSetSubprogram(f->fn, d->now.function);
    // LLVM says what locations of variables are relative to only if there is such a register.
    LLVMAddTargetDependentFunctionAttr(f->fn, "frame-pointer", "all");
    return NULL;
}

void lull_fl_debug_end(struct lull_fl *f)
{
    char size[16] = "";
    if (f->debug == NULL || f->debug->di == NULL) {
        return;
    }
    if (f->debug->shared_bytes != 0) {
        snprintf(size, sizeof size, "%u", f->debug->shared_bytes);
        LLVMAddTargetDependentFunctionAttr(f->fn, "amdgpu-lds-size", size);
    }
    LLVMDIBuilderFinalize(f->debug->di);
    LLVMDisposeDIBuilder(f->debug->di);
    f->debug = NULL;
}

/** Code is from here on of a line of the scope; 0: of none. */
static void set_place(struct lull_fl *f, const char *path, uint32_t line, uint32_t column)
{
    struct lull_fl_scope *now = &f->debug->now;
    LLVMMetadataRef scope = now->scope;
    now->path = path;
    now->line = line;
    now->column = column;
    if (path != NULL) {
        scope = LLVMDIBuilderCreateLexicalBlockFile(f->debug->di, scope,
                                                    lull_fl_debug_path(f, path), 0);
    }
    LLVMSetCurrentDebugLocation2(
        f->b, LLVMDIBuilderCreateDebugLocation(
                  f->c, line, column, scope, now->scope_in != NULL ? now->scope_in : now->inlined));
}

void lull_fl_debug_line(struct lull_fl *f)
{
    const char *path = NULL;
    uint32_t line = 0, column = 0;
    const struct lull_spv_insn *in = f->in;
    if (f->debug == NULL || (in->op != SpvOpLine && in->op != SpvOpNoLine &&
                             (in->op != SpvOpExtInst || in->w[3] != f->m->debug_info))) {
        return;
    }
    if (lull_fl_debug_line_at(f, in, &path, &line, &column)) {
        set_place(f, path, line, column);
    } else if (in->op == SpvOpNoLine ||
               lull_fl_debug_is(f, in, NonSemanticShaderDebugInfo100DebugNoLine)) {
        set_place(f, NULL, 0, 0);
    } else if (lull_fl_debug_is(f, in, NonSemanticShaderDebugInfo100DebugScope) ||
               lull_fl_debug_is(f, in, NonSemanticShaderDebugInfo100DebugNoScope)) {
        lull_fl_debug_scope(f);
        set_place(f, f->debug->now.path, f->debug->now.line, f->debug->now.column);
    } else {
        lull_fl_debug_declare(f);
    }
}

void lull_fl_debug_block(struct lull_fl *f)
{
    if (f->debug != NULL) {
        f->debug->now.scope = f->debug->now.function;
        f->debug->now.scope_in = NULL;
        set_place(f, NULL, 0, 0);
    }
}

struct lull_fl_scope lull_fl_debug_enter(struct lull_fl *f, const struct lull_fr_function *fn)
{
    struct lull_fl_scope saved = {0};
    if (f->debug == NULL) {
        return saved;
    }
    struct lull_fl_scope *now = &f->debug->now;
    saved = *now;
    saved.at = LLVMGetCurrentDebugLocation2(f->b);
    // Two calls of one line are two: a number of the scope keeps them apart.
    LLVMMetadataRef scope = LLVMDIBuilderCreateLexicalBlockFile(
        f->debug->di, now->scope,
        now->path != NULL ? lull_fl_debug_path(f, now->path) : f->debug->file, ++f->debug->ncalls);
    LLVMMetadataRef call = LLVMDIBuilderCreateDebugLocation(
        f->c, now->line, now->column, scope, now->scope_in != NULL ? now->scope_in : now->inlined);
    *now = (struct lull_fl_scope){.function = lull_fl_debug_function(f, fn), .inlined = call};
    now->scope = now->function;
    now->id = f->debug->functions[fn - f->m->functions].id;
    return saved;
}

void lull_fl_debug_leave(struct lull_fl *f, const struct lull_fl_scope *saved)
{
    if (f->debug != NULL) {
        f->debug->now = *saved;
        LLVMSetCurrentDebugLocation2(f->b, saved->at);
    }
}
