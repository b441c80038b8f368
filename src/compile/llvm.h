// SPDX-License-Identifier: MIT
/** @file
 * The program lull-cc, which holds LLVM (src/cc): where it is, and running it.
 */
#ifndef LULL_COMPILE_LLVM_H
#define LULL_COMPILE_LLVM_H

#include <stddef.h>

#include "base/error.h"
#include "base/str.h"

/**
 * Path of lull-cc, for free(): what the environment's LULL_CC says, or beside the running program,
 * or where it is installed.
 *
 * @return LULL_ERR_NOT_FOUND if it is nowhere.
 */
struct lull_error *lull_llvm_find(char **ret) LULL_MUST_USE;

/**
 * Run lull-cc with this process's input and outputs, and wait.
 *
 * @param argv Its arguments; argv[0] is replaced by its path. Ended by NULL.
 * @param[out] ret_status Its exit status.
 * @return LULL_ERR_UNSUPPORTED if LLVM ended it by a signal; LULL_ERR_NOT_FOUND, also of one of its
 * libraries; LULL_ERR_OS.
 */
struct lull_error *lull_llvm_run(const char **argv, int *ret_status) LULL_MUST_USE;

/**
 * Code of any AMD GPU as text: a line for each instruction, "OFFSET SIZE TEXT", both hexadecimal;
 * without text where a word is no instruction.
 *
 * @param cpu "gfx1030".
 * @param features As LLVM has them, "+wavefrontsize64"; "": none.
 * @param[out] ret Lines are added.
 * @return As lull_llvm_run(); LULL_ERR_UNSUPPORTED if lull-cc did not list it.
 */
struct lull_error *lull_llvm_list(const char *cpu, const char *features, const void *code,
                                  size_t size, struct lull_str *ret) LULL_MUST_USE;

#endif
