// SPDX-License-Identifier: MIT
/** @file
 * Text of ir3 for commands: a file with shaders, and which of them is meant.
 */
#ifndef LULL_CLI_IR3_TEXT_H
#define LULL_CLI_IR3_TEXT_H

#include <stdio.h>

#include "base/error.h"
#include "instrument/manifest.h"
#include "isa/ir3/ir3.h"

/**
 * The shaders of @p file.
 *
 * @param shader Its number, or the start of its sha1 or of the hash of its code; NULL: all.
 * @param[out] ret_chosen Those that are meant; borrowed from @p ret_all, which is for
 * lull_ir3_shaders_done(), also on errors.
 */
struct lull_error *lull_ir3_text_read(const char *file, unsigned gen, const char *shader,
                                      struct lull_ir3_shaders *ret_all,
                                      struct lull_ir3_shaders *ret_chosen) LULL_MUST_USE;

/** The hash of its code, as `lull rd show` names the same shader in a capture; 0: no
 * memory. */
uint64_t lull_ir3_text_hash(const struct lull_ir3_shader *s, unsigned gen);

/** How many invocations have a slice of the buffer, if there are slices, as a line to @p to. */
void lull_ir3_text_slices(const struct lull_manifest *m, FILE *to);

/** What was taken for granted, to standard error. */
void lull_ir3_text_notes(const char *file, const struct lull_ir3_shader *s);

#endif
