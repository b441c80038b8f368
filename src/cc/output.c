// SPDX-License-Identifier: MIT
// From the module to a file. A file appears whole or not at all.
#include <llvm-c/BitWriter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/output.h"
#include "base/str.h"
#include "cc/cc.h"

LULL_MUST_USE static struct lull_error *code(struct lull_cc *cc, LLVMMemoryBufferRef *ret)
{
    char *why = NULL;
    const LLVMCodeGenFileType type =
        cc->options->emit == LULL_CC_ASM ? LLVMAssemblyFile : LLVMObjectFile;
    if (LLVMTargetMachineEmitToMemoryBuffer(cc->machine, cc->module, type, &why, ret) != 0) {
        struct lull_error *err =
            lull_error_new(LULL_ERR_BAD_DATA, "%s: %s", cc->options->input, why);
        LLVMDisposeMessage(why);
        return err;
    }
    if (cc->errors != 0) {
        struct lull_error *err = cc->err;
        cc->err = NULL; // the caller's now
        LLVMDisposeMemoryBuffer(*ret);
        return err;
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *contents(struct lull_cc *cc, LLVMMemoryBufferRef *ret)
{
    if (cc->options->emit == LULL_CC_BC) {
        *ret = LLVMWriteBitcodeToMemoryBuffer(cc->module);
        return NULL;
    }
    if (cc->options->emit == LULL_CC_LL || cc->options->emit == LULL_CC_IR) {
        char *text = LLVMPrintModuleToString(cc->module);
        *ret = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "ll");
        LLVMDisposeMessage(text);
        return NULL;
    }
    return code(cc, ret);
}

// Name of the output if none was given: the input's with another ending; for free().
static char *default_name(const struct lull_cc_options *o)
{
    static const char *const endings[] = {"elf", "s", "out.ll", "out.bc"};
    if (strcmp(o->input, "-") == 0 || o->emit == LULL_CC_IR) {
        return strdup("-");
    }
    const char *slash = strrchr(o->input, '/');
    const char *dot = strrchr(o->input, '.');
    const bool has = dot != NULL && (slash == NULL || dot > slash + 1);
    const size_t n = has ? (size_t)(dot - o->input) : strlen(o->input);
    char *name = NULL;
    return asprintf(&name, "%.*s.%s", (int)n, o->input, endings[o->emit]) < 0 ? NULL : name;
}

LULL_MUST_USE static struct lull_error *check_files(const struct lull_cc_options *o,
                                                    const char *output)
{
    struct lull_files files = {0};
    lull_files_in(&files, o->input);
    for (size_t i = 0; i < o->nbefore; i++) {
        lull_files_in(&files, o->before[i]);
    }
    lull_files_in(&files, o->layout);
    lull_files_out(&files, output);
    lull_files_out(&files, o->printf_strings);
    struct lull_error *err = lull_files_check(&files);
    lull_files_done(&files);
    return err;
}

// Both files or none.
LULL_MUST_USE static struct lull_error *put(struct lull_cc *cc, const char *path, const char *data,
                                            size_t size)
{
    const char *strings = cc->options->printf_strings;
    struct lull_output file = {0}, beside = {0};
    struct lull_error *err = lull_output_open(&file, path);
    if (err == NULL && strings != NULL) {
        err = lull_output_open(&beside, strings);
        err = err != NULL ? err
                          : lull_output_put(&beside, lull_str_text(&cc->strings), cc->strings.size);
    }
    err = err != NULL ? err : lull_output_put(&file, data, size);
    err = err == NULL && strings != NULL ? lull_output_keep(&beside) : err;
    err = err != NULL ? err : lull_output_keep(&file);
    lull_output_done(&file);
    lull_output_done(&beside);
    return err;
}

struct lull_error *lull_cc_write(struct lull_cc *cc)
{
    lull_cleanup(lull_freep) char *own = default_name(cc->options);
    const char *path = cc->options->output != NULL ? cc->options->output : own;
    if (path == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = check_files(cc->options, path);
    LLVMMemoryBufferRef bytes = NULL;
    err = err != NULL ? err : contents(cc, &bytes);
    if (err != NULL) {
        return err;
    }
    struct lull_str whole = {0};
    const char *data = LLVMGetBufferStart(bytes);
    size_t size = LLVMGetBufferSize(bytes);
    if (cc->options->emit == LULL_CC_ELF && cc->amdpal) {
        err = lull_cc_debug_relocs(data, size, &whole);
        data = lull_str_text(&whole);
        size = whole.size;
    }
    err = err != NULL ? err : put(cc, path, data, size);
    lull_str_free(&whole);
    LLVMDisposeMemoryBuffer(bytes);
    return err;
}
