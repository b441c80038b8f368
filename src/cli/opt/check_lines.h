// SPDX-License-Identifier: MIT
/** @file
 * Lines of the source of what a Vulkan program's driver compiled, for --check: by
 * VK_LAYER_LULL_lines, whose files are those of the code that waves executed.
 */
#ifndef LULL_CLI_CHECK_LINES_H
#define LULL_CLI_CHECK_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "check/checks.h"
#include "image/image.h"

struct lull_check;
struct lull_check_lines;

/** What the layer is to put into shaders, for those of --check that need it, into this process's
 * environment. Before there are threads. LULL_ERR_NO_MEMORY. */
struct lull_error *lull_check_marks_set(const struct lull_check *c) LULL_MUST_USE;

/** The layer into this process's environment, if --check of @p c looks at programs on that GPU
 * (NULL: gfx1100). Before there are threads. LULL_ERR_INVALID: --check-lines for nothing. */
struct lull_error *lull_check_lines_set(const struct lull_check *c, const char *gpu) LULL_MUST_USE;

/** What the layer wrote to @p dir, of the shaders in which @p c has found something; NULL: nothing.
 * Behind the run. For lull_check_lines_free(). */
struct lull_check_lines *lull_check_lines_read(const struct lull_checks *c, const char *dir);

/** The same of the shader that has an instruction at @p pc, too; @p l NULL: the first. */
struct lull_check_lines *lull_check_lines_meet(struct lull_check_lines *l,
                                               const struct lull_checks *c, const char *dir,
                                               uint64_t pc);

/** The line of the instruction at @p pc. False: not known. */
bool lull_check_lines_at(const struct lull_check_lines *l, uint64_t pc, struct lull_line *ret);

/** " blur.comp:12", or " blur.comp:12 (also line 14)" if it is part of both; nothing if its line is
 * not known. */
void lull_check_lines_add(const struct lull_check_lines *l, uint64_t pc, struct lull_str *to);

void lull_check_lines_free(struct lull_check_lines *l);

#endif
