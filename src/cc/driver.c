// SPDX-License-Identifier: MIT
#include <llvm-c/IRReader.h>
#include <llvm-c/Support.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "cc/cc.h"
#include "cc/ir.h"
#include "compile/compile.h"
#include "compile/glsl.h"
#include "file/spirv.h"

// The input's bytes, whatever they are.
LULL_MUST_USE static struct lull_error *load(const char *path, LLVMMemoryBufferRef *ret)
{
    char *why = NULL;
    const bool is_stdin = strcmp(path, "-") == 0;
    lull_cleanup(lull_closep) int fd = -1; // while LLVM reads the file
    struct lull_error *err = is_stdin ? NULL : lull_files_open(path, &fd);
    if (err == NULL && (is_stdin ? LLVMCreateMemoryBufferWithSTDIN(ret, &why)
                                 : LLVMCreateMemoryBufferWithContentsOfFile(path, ret, &why))) {
        err = lull_error_new(LULL_ERR_NOT_FOUND, "%s: %s", path, why);
    }
    LLVMDisposeMessage(why);
    return err;
}

struct lull_error *lull_cc_read(struct lull_cc *cc)
{
    LLVMMemoryBufferRef bytes = NULL;
    char *why = NULL;
    const char *path = cc->options->input;
    if (lull_compile_is_glsl(path)) {
        return lull_cc_read_glsl(cc);
    }
    struct lull_error *err = load(path, &bytes);
    if (err != NULL) {
        return err;
    }
    if (lull_spirv_is(LLVMGetBufferStart(bytes), LLVMGetBufferSize(bytes))) {
        err = lull_cc_read_spirv(cc, LLVMGetBufferStart(bytes), LLVMGetBufferSize(bytes));
        LLVMDisposeMemoryBuffer(bytes);
        return err;
    }
    if (cc->options->nbefore != 0) {
        LLVMDisposeMemoryBuffer(bytes);
        return lull_error_new(LULL_ERR_INVALID, "one file of LLVM IR at a time: '%s' and '%s'",
                              cc->options->before[0], path);
    }
    if (cc->options->emit == LULL_CC_IR) {
        LLVMDisposeMemoryBuffer(bytes);
        return lull_error_new(LULL_ERR_INVALID, "--emit-ir is for SPIR-V and GLSL; %s is neither",
                              path);
    }
    if (cc->options->nspecs != 0 || cc->options->entry != NULL || cc->options->debug ||
        cc->options->primitive_id || cc->options->multiview) {
        LLVMDisposeMemoryBuffer(bytes);
        return lull_error_new(
            LULL_ERR_INVALID,
            "--spec, --entry, --primitive-id, --multiview and -g are for SPIR-V; %s "
            "is not",
            path);
    }
    if (LLVMParseIRInContext(cc->context, bytes, &cc->module, &why) != 0) { // takes bytes
        // "file:line:column: error: what", then the line itself; or what alone, for bitcode.
        const size_t n = strlen(path);
        const bool named = strncmp(why, path, n) == 0 && why[n] == ':';
        err = lull_error_new(LULL_ERR_BAD_DATA, "%s%s%.*s", named ? "" : path, named ? "" : ": ",
                             (int)strcspn(why, "\n"), why);
    }
    LLVMDisposeMessage(why);
    return err;
}

// LLVM 19's code generator ends the process on graphics' calling conventions for amdhsa.
LULL_MUST_USE static struct lull_error *check_conventions(struct lull_cc *cc)
{
    static const unsigned graphics[] = {
        LLVMAMDGPUCSCallConv, LLVMAMDGPUVSCallConv, LLVMAMDGPUPSCallConv, LLVMAMDGPUGSCallConv,
        LLVMAMDGPUHSCallConv, LLVMAMDGPULSCallConv, LLVMAMDGPUESCallConv};
    LLVMValueRef f = cc->amdhsa ? LLVMGetFirstFunction(cc->module) : NULL;
    for (; f != NULL; f = LLVMGetNextFunction(f)) {
        for (size_t i = 0; i < sizeof graphics / sizeof graphics[0]; i++) {
            if (!LLVMIsDeclaration(f) && LLVMGetFunctionCallConv(f) == graphics[i]) {
                return lull_error_new(LULL_ERR_UNSUPPORTED,
                                      "%s: function '%s': LLVM has no shaders for amdhsa, only "
                                      "amdgpu_kernel; they are for amdpal",
                                      cc->options->input, lull_ir_name(f));
            }
        }
    }
    return NULL;
}

/*
 * LLVM's passes for the level.
 *
 * -Og has none of the passes that copy a loop's header, put it elsewhere or unroll it: of a
 * variable that changes in a loop LLVM 19 loses the place then, or says one where it no longer is.
 */
LULL_MUST_USE static struct lull_error *optimise(struct lull_cc *cc)
{
    static const char *const levels[] = {"default<O0>", "default<O1>", "default<O2>", "default<O3>",
                                         "default<O0>,function(early-cse<memssa>,simplifycfg,"
                                         "instcombine<no-verify-fixpoint>,early-cse<memssa>,dse,"
                                         "adce,simplifycfg)"};
    struct lull_error *err = NULL;
    if (cc->options->opt_level == LULL_COMPILE_OG) {
        lull_cc_plain_places(cc);
        err = lull_ir_passes(cc, "always-inline,cgscc(inline),function(sroa)");
        err = err != NULL ? err : lull_cc_keep(cc);
        err = err != NULL ? err : lull_cc_verify(cc, "what the pass of -Og made");
    }
    if (err == NULL && cc->options->opt_level != 0) {
        lull_cc_own_index(cc);
    }
    return err != NULL ? err : lull_ir_passes(cc, levels[cc->options->opt_level]);
}

LULL_MUST_USE static struct lull_error *own_passes(struct lull_cc *cc)
{
    struct lull_error *err = NULL;
    if (cc->options->printf) {
        err = lull_cc_printf(cc);
        err = err != NULL ? err : lull_cc_verify(cc, "what the printf pass made");
    }
    if (err == NULL && (cc->options->relocatable || cc->options->layout != NULL)) {
        err = lull_cc_reloc(cc);
        err = err != NULL ? err : lull_cc_verify(cc, "what the relocation pass made");
    }
    return err;
}

// From the verified input to what is written.
LULL_MUST_USE static struct lull_error *passes(struct lull_cc *cc)
{
    if (cc->options->emit == LULL_CC_IR) {
        return NULL; // what the front end made, as it is
    }
    if (cc->options->bounds) {
        return lull_cc_bounds(cc);
    }
    struct lull_error *err = check_conventions(cc);
    err = err != NULL ? err : own_passes(cc);
    err = err != NULL ? err : optimise(cc);
    if (err == NULL) {
        lull_cc_divide(cc);
    }
    return err;
}

/*
 * -Og keeps the order of the source. LLVM 19's schedulers, too, may put the place of a variable in
 * front of the instruction that makes its value, where the register holds something else.
 */
static void keep_order(const struct lull_cc_options *options)
{
    static const char *const flags[] = {"lull cc", "-enable-misched=false",
                                        "-enable-post-misched=false"};
    if (options->opt_level == LULL_COMPILE_OG) {
        LLVMParseCommandLineOptions(sizeof flags / sizeof flags[0], flags, "");
    }
}

struct lull_error *lull_cc_run(const struct lull_cc_options *options)
{
    struct lull_cc cc = {.options = options, .context = LLVMContextCreate()};
    keep_order(options);
    lull_cc_watch(&cc);
    struct lull_error *err = lull_cc_read(&cc);
    err = err != NULL ? err : lull_cc_target(&cc);
    err = err != NULL ? err : lull_cc_verify(&cc, "the input");
    err = err != NULL ? err : passes(&cc);
    err = err != NULL ? err : lull_cc_write(&cc);
    if (cc.machine != NULL) {
        LLVMDisposeTargetMachine(cc.machine);
    }
    if (cc.module != NULL) {
        LLVMDisposeModule(cc.module);
    }
    LLVMContextDispose(cc.context);
    lull_str_free(&cc.strings);
    lull_error_free(err != cc.err ? cc.err : NULL);
    return err;
}
