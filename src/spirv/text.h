// SPDX-License-Identifier: MIT
/** @file
 * A module as text, and as a module whose lines are those of that text: for debugging shaders that
 * were compiled without debug information.
 */
#ifndef LULL_SPIRV_TEXT_H
#define LULL_SPIRV_TEXT_H

#include "base/str.h"
#include "spirv/module.h"

/** Does it say the line of any instruction, by OpLine or DebugLine? */
bool lull_spv_has_lines(const struct lull_spv *m);

/**
 * One instruction a line, from line 1 on, with names where the module has them.
 *
 * The new module is @p m with OpLine in front of the instructions of functions: lines of the file
 * @p path. If @p m names no members of structs, variables without a name get one: "v12" is %12.
 *
 * @param m Each instruction was checked by lull_spv_check().
 * @param[in,out] text Appended to.
 * @param[out] ret For free(). Words.
 * @return LULL_ERR_NO_MEMORY; LULL_ERR_UNSUPPORTED: it has no id left.
 */
struct lull_error *lull_spv_text(const struct lull_spv *m, const char *path, struct lull_str *text,
                                 uint32_t **ret, size_t *ret_words) LULL_MUST_USE;

#endif
