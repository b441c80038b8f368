// SPDX-License-Identifier: MIT
// Code as text, for lull's parts that know only gfx1100's instructions: a line for each, "OFFSET
// SIZE TEXT", both hexadecimal. Words that are no instruction are lines without text.
#include <inttypes.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/output.h"
#include "base/str.h"
#include "cc/cc.h"
#include "compile/run.h"

enum { WORD = 4, ROOM = 512 };

/** LLVM prints tabs between a mnemonic and its operands, and around it. */
static const char *plain(char *text)
{
    char *from = text;
    while (*from == '\t' || *from == ' ') {
        from++;
    }
    for (char *p = from; *p != '\0'; p++) {
        *p = *p == '\t' ? ' ' : *p;
    }
    return from;
}

LULL_MUST_USE static struct lull_error *list(const char *cpu, const char *features, uint8_t *code,
                                             size_t size, struct lull_str *ret)
{
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
    LLVMDisasmContextRef c =
        LLVMCreateDisasmCPUFeatures("amdgcn-amd-amdpal", cpu, features, NULL, 0, NULL, NULL);
    if (c == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "LLVM has no disassembler for %s", cpu);
    }
    (void)LLVMSetDisasmOptions(c, LLVMDisassembler_Option_PrintImmHex);
    for (size_t at = 0; at < size;) {
        char text[ROOM] = "";
        const size_t n = LLVMDisasmInstruction(c, code + at, size - at, at, text, sizeof text);
        const size_t step = n != 0 ? n : size - at < WORD ? size - at : WORD;
        lull_str_addf(ret, "%zx %zx%s%s\n", at, step, n != 0 ? " " : "", n != 0 ? plain(text) : "");
        at += step;
    }
    LLVMDisasmDispose(c);
    return ret->err;
}

struct lull_error *lull_cc_list(const char *const argv[LULL_CC_LIST_WORDS])
{
    lull_cleanup(lull_freep) uint8_t *code = NULL;
    size_t size = 0;
    struct lull_str text = {0};
    struct lull_error *err = lull_run_read(argv[2], &code, &size);
    err = err != NULL ? err : list(argv[0], argv[1], code, size, &text);
    err = err != NULL ? err : lull_output_write(argv[3], lull_str_text(&text), text.size);
    text.err = NULL;
    lull_str_free(&text);
    return err;
}
