// SPDX-License-Identifier: MIT
/** @file
 * `record save FILE` in a held dispatch of a program, and `lull run RECORD`, which is the program
 * that `lull debug --replay RECORD` debugs.
 */
#ifndef LULL_CLI_RUN_RECORD_PROGRAM_H
#define LULL_CLI_RUN_RECORD_PROGRAM_H

#include <stdbool.h>

#include "cli/opt/opt.h"
#include "debug/session/reverse.h"

/** Write the dispatch that @p d holds or is in, as it began; it stands at @p time, or NULL: it is
 * held. @p seed: order of waves. */
struct lull_error *lull_record_program_save(struct lull_debug *d, uint64_t seed,
                                            const uint64_t *time, const char *path) LULL_MUST_USE;

/** The dispatch that @p d holds or is in as it began, for @p write, to which @p place says where
 * the focused wave stands, NULL: it is held; then everything stands where it stood. */
struct lull_error *lull_record_as_begun(
    struct lull_debug *d, const uint64_t *time,
    struct lull_error *(*write)(void *ctx, const struct lull_debug_place *place),
    void *ctx) LULL_MUST_USE;

/** Of a file: is it the record of a program's dispatch? The order of waves, and where it stood, if
 * @p ret_stood, as saved. */
struct lull_error *lull_record_program_look(const char *path, bool *ret_is, uint64_t *ret_seed,
                                            bool *ret_stood,
                                            struct lull_debug_place *ret_place) LULL_MUST_USE;

/** Does the command line name such a file? @p form knows all options. */
bool lull_record_program_is(const struct lull_form *form, int argc, char **argv);

/** `lull run` of one. */
extern const struct lull_form lull_record_program_form;

#endif
