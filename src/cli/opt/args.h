// SPDX-License-Identifier: MIT
/** @file
 * Kernel arguments on the command line: --arg and --buffer, for `lull run` and `lull debug`.
 *
 *   buffer:FILE  zeros:BYTES  iota:N:TYPE  rand:SEED:N:TYPE   a buffer and what is in it
 *   i32:5  u32:0x10  i64:-1  u64:7  f32:2.5  f64:1e-3         a value
 *   local:BYTES                                               local memory
 *
 * TYPE: i8 u8 i16 u16 f16 i32 u32 i64 u64 f32 f64. Buffers take ":out=FILE" (written when the
 * kernel is done) and ":name=NAME" at their end.
 */
#ifndef LULL_CLI_ARGS_H
#define LULL_CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/files.h"
#include "target/amd/launch.h"

struct lull_args_item;

/** Zero-initialise; lull_args_done() at the end. */
struct lull_args {
    struct lull_args_item *items;
    struct lull_launch_arg *launch; ///< One for each item, after lull_args_make().
    size_t n, room;
    struct lull_arena arena;
};

/** Add what one --arg says. LULL_ERR_INVALID quotes it. */
struct lull_error *lull_args_add(struct lull_args *a, const char *text) LULL_MUST_USE;

/** Add what one --buffer says: SIZE[@FILE][:out=FILE][:name=NAME]; after the file's end, zeros. */
struct lull_error *lull_args_add_buffer(struct lull_args *a, const char *text) LULL_MUST_USE;

/** Make and fill the buffers on @p d, and a->launch. */
struct lull_error *lull_args_make(struct lull_args *a, struct lull_amd_device *d) LULL_MUST_USE;

/** Fill the buffers again, for another run: files are read anew. */
struct lull_error *lull_args_again(const struct lull_args *a) LULL_MUST_USE;

/** Argument @p i as --arg says it, a buffer with its :name= and without :out=. */
const char *lull_args_text(const struct lull_args *a, size_t i);

/** The file that argument @p i is filled from; NULL: none. */
const char *lull_args_file(const struct lull_args *a, size_t i);

/** What argument @p i is called: its :name=, or "arg" and its number. */
const char *lull_args_name(const struct lull_args *a, size_t i);

/** The files that are read and written. */
void lull_args_files(const struct lull_args *a, struct lull_files *files);

/** Write all out= files, each as a whole or not at all. */
struct lull_error *lull_args_write(const struct lull_args *a) LULL_MUST_USE;

void lull_args_done(struct lull_args *a);

/** Number in decimal or 0x..., at most @p max. @p what: the option or part, for the error. */
struct lull_error *lull_args_number(const char *what, const char *text, uint64_t max,
                                    uint64_t *ret) LULL_MUST_USE;

#endif
