// SPDX-License-Identifier: MIT
// Where code is from: OpLine and DebugLine become debug locations. A function that was lowered at
// its call is one that was inlined.
//
// Source: Khronos, SPIR-V 1.6, OpLine: it ends with the block; NonSemantic.Shader.DebugInfo.100,
// DebugLine, DebugSource.
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>
#include <spirv/unified1/spirv.h>

#include "front/llvm/lower_priv.h"

enum { DWARF_VERSION = 5, FIRST = 5 };

/** A file by its path; the folder apart. */
static LLVMMetadataRef file_of(const struct lull_fl *f, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    return LLVMDIBuilderCreateFile(f->di, name, strlen(name), path,
                                   slash != NULL ? (size_t)(slash - path) : 0);
}

/** The text of an OpString. */
static const char *string_of(const struct lull_fl *f, uint32_t id)
{
    const struct lull_spv_insn in = lull_spv_def(&f->m->spv, id);
    return in.op == SpvOpString ? lull_spv_string(&in, 2) : NULL;
}

/** The instruction that says a line at word @p pos: file and line. False: it says none. */
static bool line_at(const struct lull_fl *f, const struct lull_spv_insn *in, const char **ret_path,
                    uint32_t *ret_line, uint32_t *ret_column)
{
    *ret_path = NULL;
    if (in->op == SpvOpLine) {
        *ret_path = string_of(f, in->w[1]);
        *ret_line = in->w[2];
        *ret_column = in->w[3];
    } else if (in->op == SpvOpExtInst && in->w[3] == f->m->debug_info &&
               in->w[4] == NonSemanticShaderDebugInfo100DebugLine && in->n > FIRST + 3) {
        const struct lull_spv_insn source = lull_spv_def(&f->m->spv, in->w[FIRST]);
        const struct lull_fr_constant *line = lull_fr_constant_of(f->m, in->w[FIRST + 1]);
        const struct lull_fr_constant *column = lull_fr_constant_of(f->m, in->w[FIRST + 3]);
        *ret_path =
            source.op == SpvOpExtInst && source.n > FIRST ? string_of(f, source.w[FIRST]) : NULL;
        *ret_line = line != NULL ? (uint32_t)line->bits : 0;
        *ret_column = column != NULL ? (uint32_t)column->bits : 0;
    }
    return *ret_path != NULL;
}

/** What a function is called, where it begins: at the first line in it. */
static LLVMMetadataRef subprogram(const struct lull_fl *f, const struct lull_fr_function *fn)
{
    struct lull_spv_insn in = {0};
    const char *path = NULL;
    uint32_t line = 0, column = 0;
    for (size_t pos = fn->first;
         path == NULL && pos < fn->end && lull_spv_next(&f->m->spv, &pos, &in);) {
        (void)line_at(f, &in, &path, &line, &column);
    }
    const char *name = f->m->ids[fn->id].name;
    name = fn == &f->m->functions[f->m->entry] ? f->m->entry_name : name != NULL ? name : "";
    const size_t size = strcspn(name, "("); // glslang: "f(u1;"
    LLVMMetadataRef file = path != NULL ? file_of(f, path) : f->file;
    LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(f->di, file, NULL, 0, LLVMDIFlagZero);
    return LLVMDIBuilderCreateFunction(f->di, file, name, size, name, size, file, line, type, true,
                                       true, line, LLVMDIFlagZero, false);
}

void lull_fl_debug_begin(struct lull_fl *f, const char *path)
{
    static const char producer[] = "lull cc", version[] = "Debug Info Version",
                      dwarf[] = "Dwarf Version";
    LLVMMetadataRef v = LLVMValueAsMetadata(lull_fl_int(f, LLVMDebugMetadataVersion()));
    LLVMAddModuleFlag(f->module, LLVMModuleFlagBehaviorWarning, version, sizeof version - 1, v);
    v = LLVMValueAsMetadata(lull_fl_int(f, DWARF_VERSION));
    LLVMAddModuleFlag(f->module, LLVMModuleFlagBehaviorWarning, dwarf, sizeof dwarf - 1, v);
    f->di = LLVMCreateDIBuilder(f->module);
    f->file = file_of(f, path);
    const struct lull_fr_function *fn = &f->m->functions[f->m->entry];
    LLVMDIBuilderCreateCompileUnit(f->di, LLVMDWARFSourceLanguageC99, f->file, producer,
                                   sizeof producer - 1, false, "", 0, 0, "", 0,
                                   LLVMDWARFEmissionFull, 0, false, false, "", 0, "", 0);
    f->scope = subprogram(f, fn);
    LLVMSetSubprogram(f->fn, f->scope);
}

void lull_fl_debug_end(struct lull_fl *f)
{
    if (f->di != NULL) {
        LLVMDIBuilderFinalize(f->di);
        LLVMDisposeDIBuilder(f->di);
        f->di = NULL;
    }
}

/** A place in the function that is lowered. */
static LLVMMetadataRef place(const struct lull_fl *f, const char *path, uint32_t line,
                             uint32_t column)
{
    LLVMMetadataRef scope = f->scope;
    if (path != NULL) {
        scope = LLVMDIBuilderCreateLexicalBlockFile(f->di, scope, file_of(f, path), 0);
    }
    return LLVMDIBuilderCreateDebugLocation(f->c, line, column, scope, f->inlined_at);
}

void lull_fl_debug_line(struct lull_fl *f)
{
    const char *path = NULL;
    uint32_t line = 0, column = 0;
    const struct lull_spv_insn *in = f->in;
    if (f->di == NULL) {
        return;
    }
    if (line_at(f, in, &path, &line, &column)) {
        LLVMSetCurrentDebugLocation2(f->b, place(f, path, line, column));
    } else if (in->op == SpvOpNoLine || (in->op == SpvOpExtInst && in->w[3] == f->m->debug_info &&
                                         in->w[4] == NonSemanticShaderDebugInfo100DebugNoLine)) {
        LLVMSetCurrentDebugLocation2(f->b, place(f, NULL, 0, 0));
    }
}

void lull_fl_debug_block(struct lull_fl *f)
{
    if (f->di != NULL) {
        LLVMSetCurrentDebugLocation2(f->b, place(f, NULL, 0, 0));
    }
}

struct lull_fl_scope lull_fl_debug_enter(struct lull_fl *f, const struct lull_fr_function *fn)
{
    struct lull_fl_scope saved = {.scope = f->scope, .inlined_at = f->inlined_at};
    if (f->di != NULL) {
        saved.at = LLVMGetCurrentDebugLocation2(f->b);
        f->inlined_at = saved.at != NULL ? saved.at : place(f, NULL, 0, 0);
        f->scope = subprogram(f, fn);
    }
    return saved;
}

void lull_fl_debug_leave(struct lull_fl *f, const struct lull_fl_scope *saved)
{
    if (f->di != NULL) {
        f->scope = saved->scope;
        f->inlined_at = saved->inlined_at;
        LLVMSetCurrentDebugLocation2(f->b, saved->at);
    }
}
