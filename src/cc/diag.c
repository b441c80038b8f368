// SPDX-License-Identifier: MIT
// What LLVM has to say, as lull's errors.
#include <llvm-c/Analysis.h>
#include <stdio.h>
#include <string.h>

#include "cc/cc.h"

// Bytes of the first line of text, at most INT_MAX.
static int first_line(const char *text)
{
    return (int)strcspn(text, "\n");
}

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *arg)
{
    struct lull_cc *cc = arg;
    const LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(info);
    char *text = LLVMGetDiagInfoDescription(info);
    if (severity == LLVMDSError) {
        cc->errors++;
        if (cc->err == NULL) {
            cc->err = lull_error_new(LULL_ERR_BAD_DATA, "%s: %.*s", cc->options->input,
                                     first_line(text), text);
        }
    } else if (severity == LLVMDSWarning) {
        fprintf(stderr, "lull cc: warning: %.*s\n", first_line(text), text);
    }
    LLVMDisposeMessage(text);
}

void lull_cc_watch(struct lull_cc *cc)
{
    LLVMContextSetDiagnosticHandler(cc->context, on_diagnostic, cc);
}

struct lull_error *lull_cc_verify(struct lull_cc *cc, const char *when)
{
    char *text = NULL;
    const bool broken = LLVMVerifyModule(cc->module, LLVMReturnStatusAction, &text) != 0;
    struct lull_error *err = NULL;
    if (broken) {
        // First line: the rule; second: the instruction that breaks it.
        const int n = first_line(text);
        const char *rest = text[n] == '\n' ? text + n + 1 : text + n;
        rest += strspn(rest, " ");
        err = lull_error_new(LULL_ERR_BAD_DATA, "%s: %s is not valid IR: %.*s%s%.*s",
                             cc->options->input, when, n, text, rest[0] != '\0' ? ": " : "",
                             first_line(rest), rest);
    }
    LLVMDisposeMessage(text);
    return err;
}
