// SPDX-License-Identifier: MIT
/** @file
 * Small helpers over LLVM's C API, for the passes.
 */
#ifndef LULL_CC_IR_H
#define LULL_CC_IR_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

#include "cc/cc.h"

/** Name of a value, NUL-terminated, "" if it has none; the module's. */
const char *lull_ir_name(LLVMValueRef value);

/** String attribute @p key of a function; NULL if it has none. */
const char *lull_ir_attribute(LLVMValueRef function, const char *key);

/** Generation of a processor: 11 of gfx1100, 9 of gfx90a; 0 of NULL. */
unsigned lull_ir_generation(const char *cpu);

/** LLVM's @p passes over the module, as opt has them. */
struct lull_error *lull_ir_passes(struct lull_cc *cc, const char *passes) LULL_MUST_USE;

/** Keep a global that nothing in the module uses. */
void lull_ir_keep(const struct lull_cc *cc, LLVMValueRef global);

/** The function that an instruction is in. */
LLVMValueRef lull_ir_function(LLVMValueRef instruction);

/**
 * An error about an instruction: "file.cl:12:3: in function 'f': message" if it has a debug
 * location, else "file.ll: in function 'f': message".
 */
struct lull_error *lull_ir_error(const struct lull_cc *cc, LLVMValueRef instruction,
                                 const char *fmt, ...) LULL_PRINTF(3, 4) LULL_NEW_ERROR;

/** The place of an instruction as lull_ir_error() writes it, without message; for free(). */
char *lull_ir_place(const struct lull_cc *cc, LLVMValueRef instruction);

/**
 * Call intrinsic @p name, which is overloaded on @p ntypes types.
 *
 * @p args are its arguments, @p nargs of them.
 */
LLVMValueRef lull_ir_intrinsic(const struct lull_cc *cc, LLVMBuilderRef b, const char *name,
                               LLVMTypeRef *types, unsigned ntypes, LLVMValueRef *args,
                               unsigned nargs);

#endif
