// SPDX-License-Identifier: MIT
// Operands of DebugInfo.100, which may be anything: what is not there is 0, "", or the module's
// file.
#include <string.h>

#include "front/llvm/debug_priv.h"

enum { FIRST = 5 }; // word of the first operand

LLVMMetadataRef lull_fl_debug_path(const struct lull_fl *f, const char *path)
{
    const char *slash = strrchr(path, '/');
    return path[0] == '/' ? LLVMDIBuilderCreateFile(f->debug->di, slash + 1, strlen(slash + 1),
                                                    path, (size_t)(slash - path))
                          : LLVMDIBuilderCreateFile(f->debug->di, path, strlen(path), f->debug->dir,
                                                    strlen(f->debug->dir));
}

/** The text of an OpString. */
static const char *string_of(const struct lull_fl *f, uint32_t id)
{
    const struct lull_spv_insn in = lull_spv_def(&f->m->spv, id);
    return in.op == SpvOpString ? lull_spv_string(&in, 2) : NULL;
}

bool lull_fl_debug_is(const struct lull_fl *f, const struct lull_spv_insn *in, uint32_t op)
{
    return in->op == SpvOpExtInst && in->n >= FIRST && f->m->debug_info != 0 &&
           in->w[3] == f->m->debug_info && in->w[4] == op;
}

struct lull_spv_insn lull_fl_debug_def(const struct lull_fl *f, uint32_t id, uint32_t *ret_op)
{
    const struct lull_spv_insn in = lull_spv_def(&f->m->spv, id);
    *ret_op = in.n >= FIRST && lull_fl_debug_is(f, &in, in.w[4])
                  ? in.w[4]
                  : (uint32_t)NonSemanticShaderDebugInfo100DebugInfoNone;
    return in;
}

uint32_t lull_fl_debug_operand(const struct lull_spv_insn *in, const char *name)
{
    const uint32_t at = lull_spv_debug_operand(in, name);
    return at != 0 ? lull_spv_word(in, at) : 0;
}

const char *lull_fl_debug_text(const struct lull_fl *f, const struct lull_spv_insn *in,
                               const char *name)
{
    const char *text = string_of(f, lull_fl_debug_operand(in, name));
    return text != NULL ? text : "";
}

uint32_t lull_fl_debug_number(const struct lull_fl *f, const struct lull_spv_insn *in,
                              const char *name)
{
    const struct lull_fr_constant *c = lull_fr_constant_of(f->m, lull_fl_debug_operand(in, name));
    return c != NULL && c->type->kind == LULL_FR_INT ? (uint32_t)c->bits : 0;
}

/** The path that the operand Source of @p in says; "": none. */
static const char *source_of(const struct lull_fl *f, const struct lull_spv_insn *in)
{
    uint32_t op = 0;
    const struct lull_spv_insn source =
        lull_fl_debug_def(f, lull_fl_debug_operand(in, "Source"), &op);
    return op == NonSemanticShaderDebugInfo100DebugSource ? lull_fl_debug_text(f, &source, "File")
                                                          : "";
}

LLVMMetadataRef lull_fl_debug_file(const struct lull_fl *f, const struct lull_spv_insn *in)
{
    const char *path = source_of(f, in);
    return path[0] != '\0' ? lull_fl_debug_path(f, path) : f->debug->file;
}

bool lull_fl_debug_line_at(const struct lull_fl *f, const struct lull_spv_insn *in,
                           const char **ret_path, uint32_t *ret_line, uint32_t *ret_column)
{
    *ret_path = NULL;
    if (in->op == SpvOpLine) {
        *ret_path = string_of(f, lull_spv_word(in, 1));
        *ret_line = lull_spv_word(in, 2);
        *ret_column = lull_spv_word(in, 3);
    } else if (lull_fl_debug_is(f, in, NonSemanticShaderDebugInfo100DebugLine)) {
        const char *path = source_of(f, in);
        *ret_path = path[0] != '\0' ? path : NULL;
        *ret_line = lull_fl_debug_number(f, in, "Line Start");
        *ret_column = lull_fl_debug_number(f, in, "Column Start");
    }
    return *ret_path != NULL;
}
