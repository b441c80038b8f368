// SPDX-License-Identifier: MIT
// Triple, processor and target machine.
#include <errno.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cc/cc.h"
#include "cc/ir.h"

static const char default_triple[] = "amdgcn-amd-amdpal";
const char lull_cc_default_cpu[] = "gfx1100";

// The "target-cpu" that the functions name; NULL if none does.
LULL_MUST_USE static struct lull_error *cpu_of_functions(struct lull_cc *cc, const char **ret)
{
    LLVMValueRef first = NULL;
    *ret = NULL;
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f != NULL; f = LLVMGetNextFunction(f)) {
        const char *cpu = LLVMIsDeclaration(f) ? NULL : lull_ir_attribute(f, "target-cpu");
        if (cpu == NULL || cpu[0] == '\0') {
            continue;
        }
        if (*ret != NULL && strcmp(*ret, cpu) != 0) {
            return lull_error_new(LULL_ERR_BAD_DATA,
                                  "%s: function '%s' is for %s, function '%s' for %s; choose one "
                                  "with -mcpu",
                                  cc->options->input, lull_ir_name(first), *ret, lull_ir_name(f),
                                  cpu);
        }
        *ret = cpu;
        first = f;
    }
    return NULL;
}

// What is in a file that was stderr for a moment; for free().
static char *drain(int fd)
{
    const off_t size = lseek(fd, 0, SEEK_END);
    char *text = calloc(1, (size_t)(size > 0 ? size : 0) + 1);
    if (text != NULL && size > 0 && pread(fd, text, (size_t)size, 0) < 0) {
        text[0] = '\0';
    }
    return text;
}

// Make the target machine; LLVM tells of unknown processors and features on stderr only.
LULL_MUST_USE static struct lull_error *make(struct lull_cc *cc, LLVMTargetRef target,
                                             const char *triple, const char *cpu)
{
    static const LLVMCodeGenOptLevel levels[] = {LLVMCodeGenLevelNone, LLVMCodeGenLevelLess,
                                                 LLVMCodeGenLevelDefault,
                                                 LLVMCodeGenLevelAggressive, LLVMCodeGenLevelLess};
    lull_cleanup(lull_closep) int said = memfd_create("llvm", MFD_CLOEXEC);
    lull_cleanup(lull_closep) int saved = dup(STDERR_FILENO);
    if (said < 0 || saved < 0) {
        return lull_error_os(errno, "stderr");
    }
    dup2(said, STDERR_FILENO);
    cc->machine = LLVMCreateTargetMachine(
        target, triple, cpu, cc->options->attrs != NULL ? cc->options->attrs : "",
        levels[cc->options->opt_level], LLVMRelocPIC, LLVMCodeModelDefault);
    dup2(saved, STDERR_FILENO);
    lull_cleanup(lull_freep) char *text = drain(said);
    if (text == NULL) {
        return &lull_enomem;
    }
    size_t n = strcspn(text, "\n("); // "... (ignoring processor)": not here
    while (n > 0 && text[n - 1] == ' ') {
        n--;
    }
    if (cc->machine == NULL || n != 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "%s for %s: %.*s", triple, cpu,
                              n != 0 ? (int)n : 14, n != 0 ? text : "no such target");
    }
    return NULL;
}

struct lull_error *lull_cc_target(struct lull_cc *cc)
{
    const char *triple = cc->options->triple;
    if (triple == NULL) {
        triple = LLVMGetTarget(cc->module);
        triple = triple[0] != '\0' ? triple : default_triple;
    }
    if (strncmp(triple, "amdgcn-", 7) != 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "%s: target '%s' is not amdgcn",
                              cc->options->input, triple);
    }
    cc->amdpal = strstr(triple, "-amdpal") != NULL;
    cc->amdhsa = strstr(triple, "-amdhsa") != NULL;
    const char *cpu = cc->options->cpu;
    struct lull_error *err = cpu == NULL ? cpu_of_functions(cc, &cpu) : NULL;
    if (err != NULL) {
        return err;
    }
    lull_cleanup(lull_freep) char *own = strdup(triple); // the module's goes when it is set
    lull_cleanup(lull_freep) char *own_cpu = strdup(cpu != NULL ? cpu : lull_cc_default_cpu);
    if (own == NULL || own_cpu == NULL) {
        return &lull_enomem;
    }
    LLVMTargetRef target = NULL;
    char *why = NULL;
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
    if (LLVMGetTargetFromTriple(own, &target, &why) != 0) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "%s", why);
        LLVMDisposeMessage(why);
        return err;
    }
    err = make(cc, target, own, own_cpu);
    if (err != NULL) {
        return err;
    }
    LLVMSetTarget(cc->module, own);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(cc->machine);
    LLVMSetModuleDataLayout(cc->module, layout);
    LLVMDisposeTargetData(layout);
    for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f)) {
            LLVMAddTargetDependentFunctionAttr(f, "target-cpu", own_cpu);
        }
    }
    return NULL;
}
