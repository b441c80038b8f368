// SPDX-License-Identifier: MIT
/** @file
 * `lull cc` of a SPIR-V module: lull's own lowering, without LLVM.
 */
#ifndef LULL_CLI_CC_SPIRV_H
#define LULL_CLI_CC_SPIRV_H

#include <stdbool.h>

#include "base/error.h"
#include "cli/opt/opt.h"
#include "spirv/printf.h"

/** `lull cc` of one. */
extern const struct lull_form lull_cc_spirv_form;

/** Does the command line of `lull cc` ask for a SPIR-V module without printf? @p form knows all its
 * options. */
bool lull_cc_spirv_is(const struct lull_form *form, int argc, char **argv);

/** Rows for struct lull_spirv_printf_options: where and how printf is lowered. */
extern const struct lull_opt lull_printf_spirv_opts[];

/** The buffer that is used if none is asked for. */
struct lull_spirv_printf_options lull_printf_option_default(void);

/** lull_spirv_printf() with its messages on stderr, @p path where the module names no file. */
struct lull_error *lull_printf_lower(const char *path, const void *data, size_t size,
                                     const struct lull_spirv_printf_options *o,
                                     struct lull_printf_table *table,
                                     struct lull_spirv_printf_result *ret) LULL_MUST_USE;

#endif
