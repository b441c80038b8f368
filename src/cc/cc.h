// SPDX-License-Identifier: MIT
/** @file
 * `lull cc`: LLVM IR in, object file out, with lull's own passes in between.
 *
 * The order of one compilation (driver.c): read, verify, printf pass, relocation pass, verify,
 * LLVM's passes for the level, code. Each pass may rely on a module that is valid, has a triple
 * and the target's data layout, and belongs to one target machine.
 */
#ifndef LULL_CC_CC_H
#define LULL_CC_CC_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "cc/options.h"

struct lull_layout;

/** One compilation. */
struct lull_cc {
    const struct lull_cc_options *options; ///< Borrowed.
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMTargetMachineRef machine;
    bool amdpal;             ///< The triple's system is amdpal.
    bool amdhsa;             ///< ... or amdhsa.
    bool printf_in_layout;   ///< The printf pass asked for the buffer of --printf-set and -binding.
    struct lull_str strings; ///< The table of printf's strings as a document; empty: none.
    unsigned errors;         ///< LLVM's own diagnostics of severity error.
    struct lull_error *err;  ///< The first of them; owned.
};

/** Read options->input into cc->module; the file's line is in the error. */
struct lull_error *lull_cc_read(struct lull_cc *cc) LULL_MUST_USE;

/** The processor without -mcpu. */
extern const char lull_cc_default_cpu[];

/** The same of a SPIR-V module, and of GLSL for a compute shader. */
struct lull_error *lull_cc_read_spirv(struct lull_cc *cc, const void *data,
                                      size_t size) LULL_MUST_USE;
struct lull_error *lull_cc_read_glsl(struct lull_cc *cc) LULL_MUST_USE;

/** Choose triple and processor, make cc->machine, set the module's data layout. */
struct lull_error *lull_cc_target(struct lull_cc *cc) LULL_MUST_USE;

/** LLVM's verifier, as one error that names @p when ("the input", "after the printf pass"). */
struct lull_error *lull_cc_verify(struct lull_cc *cc, const char *when) LULL_MUST_USE;

/** Messages of LLVM go to cc->err (errors) and stderr (warnings) from now on. */
void lull_cc_watch(struct lull_cc *cc);

/** The module in the form that options->emit says, into options->output. */
struct lull_error *lull_cc_write(struct lull_cc *cc) LULL_MUST_USE;

/** An object file of amdpal, with RELA sections for its debug information instead of REL. */
struct lull_error *lull_cc_debug_relocs(const void *object, size_t size,
                                        struct lull_str *ret) LULL_MUST_USE;

/** Words behind --list-code: processor, features or "", file of code, file for the lines. */
enum { LULL_CC_LIST_WORDS = 4 };

/** Not a compilation: code as lines of text (list.c), which lull asks for (compile/llvm.h). */
struct lull_error *lull_cc_list(const char *const argv[LULL_CC_LIST_WORDS]) LULL_MUST_USE;

/** All of it. */
struct lull_error *lull_cc_run(const struct lull_cc_options *options) LULL_MUST_USE;

/** Pass: calls of lgc.debug.printf and printf become writes into the printf buffer. */
struct lull_error *lull_cc_printf(struct lull_cc *cc) LULL_MUST_USE;

/** Pass: lull.* intrinsics become loads whose offsets are relocations. */
struct lull_error *lull_cc_reloc(struct lull_cc *cc) LULL_MUST_USE;
/** A layout's file; lull_layout_done() frees @p ret. */
struct lull_error *lull_cc_read_layout(const char *path, struct lull_layout *ret) LULL_MUST_USE;

/** Instead of all passes, in front of LLVM's: accesses through pointers that leave their variable
 * are marked, in OpenCL C whose indices are. */
struct lull_error *lull_cc_bounds(struct lull_cc *cc) LULL_MUST_USE;

/** Pass, behind LLVM's: unsigned divisions that its code generator would make of too few bits. */
void lull_cc_divide(struct lull_cc *cc);

/** Pass, before LLVM's: indices of arrays of functions are values of their own (table[table[i]]).
 */
void lull_cc_own_index(struct lull_cc *cc);

/**
 * First of -Og: variables are no longer said to be in private memory, as clang 19 says of all for
 * AMD's GPUs. Where a value is in several registers, or in parts, DWARF has no place with that, and
 * LLVM drops it.
 */
void lull_cc_plain_places(struct lull_cc *cc);

/**
 * Pass of -Og, over code with variables in registers (after sroa): each value of a variable is
 * held up to the place where the variable changes, or its scope ends, by empty assembly that
 * takes it; so no later pass may drop it, or use its register before.
 */
struct lull_error *lull_cc_keep(struct lull_cc *cc) LULL_MUST_USE;

#endif
