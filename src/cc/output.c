// SPDX-License-Identifier: MIT
// From the module to a file. A file appears whole or not at all.
#include <errno.h>
#include <llvm-c/BitWriter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/path.h"
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
    if (cc->options->emit == LULL_CC_LL) {
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
    if (strcmp(o->input, "-") == 0) {
        return strdup("-");
    }
    const char *slash = strrchr(o->input, '/');
    const char *dot = strrchr(o->input, '.');
    const bool has = dot != NULL && (slash == NULL || dot > slash + 1);
    const size_t n = has ? (size_t)(dot - o->input) : strlen(o->input);
    char *name = NULL;
    return asprintf(&name, "%.*s.%s", (int)n, o->input, endings[o->emit]) < 0 ? NULL : name;
}

LULL_MUST_USE static struct lull_error *put(int fd, const char *path, const char *bytes,
                                            size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t n = write(fd, bytes + done, size - done);
        if (n < 0 && errno != EINTR) {
            return lull_error_os(errno, "%s", path);
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return NULL;
}

// Into a file beside it first, which then takes its name.
LULL_MUST_USE static struct lull_error *put_file(const char *path, const char *bytes, size_t size)
{
    struct stat st = {0};
    lull_cleanup(lull_freep) char *temp = NULL;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) { // a device, a pipe
        lull_cleanup(lull_fclosep) FILE *f = fopen(path, "wb");
        return f == NULL ? lull_error_os(errno, "%s", path) : put(fileno(f), path, bytes, size);
    }
    if (asprintf(&temp, "%s.XXXXXX", path) < 0) {
        temp = NULL;
        return &lull_enomem;
    }
    const int fd = mkstemp(temp);
    if (fd < 0) {
        return lull_error_os(errno, "%s", path);
    }
    const mode_t mask = umask(0);
    umask(mask);
    struct lull_error *err = put(fd, path, bytes, size);
    if (err == NULL && (fchmod(fd, 0666 & ~mask) != 0 || rename(temp, path) != 0)) {
        err = lull_error_os(errno, "%s", path);
    }
    close(fd);
    if (err != NULL) {
        unlink(temp);
    }
    return err;
}

struct lull_error *lull_cc_write(struct lull_cc *cc)
{
    lull_cleanup(lull_freep) char *own = default_name(cc->options);
    const char *path = cc->options->output != NULL ? cc->options->output : own;
    if (path == NULL) {
        return &lull_enomem;
    }
    const char *in = cc->options->input, *strings = cc->options->printf_strings;
    if (lull_path_same_file(in, path) || (strings != NULL && lull_path_same_file(in, strings))) {
        return lull_error_new(LULL_ERR_INVALID, "'%s' is input and output", in);
    }
    LLVMMemoryBufferRef bytes = NULL;
    struct lull_error *err = contents(cc, &bytes);
    if (err != NULL) {
        return err;
    }
    const char *data = LLVMGetBufferStart(bytes);
    const size_t size = LLVMGetBufferSize(bytes);
    err = strings != NULL ? put_file(strings, lull_str_text(&cc->strings), cc->strings.size) : NULL;
    if (err == NULL) {
        err = strcmp(path, "-") == 0 ? put(STDOUT_FILENO, "standard output", data, size)
                                     : put_file(path, data, size);
        if (err != NULL && strings != NULL) {
            (void)unlink(strings);
        }
    }
    LLVMDisposeMemoryBuffer(bytes);
    return err;
}
