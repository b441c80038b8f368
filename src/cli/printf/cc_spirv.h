// SPDX-License-Identifier: MIT
/** @file
 * `lull cc` of a SPIR-V module: lull's own lowering, without LLVM.
 */
#ifndef LULL_CLI_CC_SPIRV_H
#define LULL_CLI_CC_SPIRV_H

#include <stdbool.h>

#include "base/error.h"
#include "spirv/printf.h"

/** Does the command line of `lull cc` name a SPIR-V module? */
bool lull_cc_spirv_is(int argc, char **argv);

/** Lower the module. *@p status is LULL_EXIT_FAILED if a call of printf is in error. */
struct lull_error *lull_cc_spirv(int argc, char **argv, int *status) LULL_MUST_USE;

/**
 * Take one option of printf lowering, argv[*i], and its value; *@p i moves to the last word used.
 *
 * Both "--printf-set 2" and "--printf-set=2".
 */
struct lull_error *lull_printf_option(struct lull_spirv_printf_options *o, int argc, char **argv,
                                      int *i, bool *ret_used) LULL_MUST_USE;

/** The buffer that is used if none is asked for. */
struct lull_spirv_printf_options lull_printf_option_default(void);

/** lull_spirv_printf() with its messages on stderr, @p path where the module names no file. */
struct lull_error *lull_printf_lower(const char *path, const void *data, size_t size,
                                     const struct lull_spirv_printf_options *o,
                                     struct lull_printf_table *table,
                                     struct lull_spirv_printf_result *ret) LULL_MUST_USE;

#define LULL_PRINTF_OPTION_HELP                                                                    \
    "  --printf-set N --printf-binding N   the buffer's descriptor (set 3, binding 0)\n"           \
    "  --printf-address push:BYTE | spec:ID   instead: its address (64 bits) and size in bytes\n"  \
    "      (32 bits) in push constants from BYTE on, or in specialization constants ID (low\n"     \
    "      half), ID+1 (high half), ID+2 (size)\n"                                                 \
    "  --printf-atomic lane|wave   an atomic for each lane (any device), or one for a subgroup,\n" \
    "      which needs SPIR-V 1.3 and ballots and keeps the lanes' order\n"                        \
    "  --printf-counter 32|64   atomics of 32 bits (any device) or 64 (Int64Atomics)\n"            \
    "  --printf-record LIST   each entry says where it is from: dispatch, workgroup, wave, lane\n"

#endif
