// SPDX-License-Identifier: MIT
/** @file
 * printf of kernels that `lull run` and `lull debug` launch: options, buffer, lines.
 */
#ifndef LULL_CLI_PRINTF_HOST_H
#define LULL_CLI_PRINTF_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "cli/opt/opt.h"
#include "compile/compile.h"
#include "printf/decode.h"
#include "target/amd/printf.h"

/** Zero-initialise; lull_printf_host_done() at the end. */
struct lull_printf_host {
    bool wanted;
    uint64_t bytes;       ///< Of the buffer; 0: the default.
    const char *save;     ///< Write the buffer to this file at the end; NULL: no.
    const char *flags[4]; ///< For lull-cc, ended by NULL.
    unsigned nflags;
    struct lull_printf_table *table;
    struct lull_amd_printf at;
    struct lull_printf_decoder decoder;
    bool middle;   ///< The last line has no end yet.
    uint64_t lost; ///< Entries, at least.
    // While decoding:
    bool json;
    struct lull_str *out;
};

/** Its options: rows for struct lull_printf_host. Any of them says that printf is wanted. */
extern const struct lull_opt lull_printf_host_opts[];

/** What lull_compile_file() is to do. */
void lull_printf_host_compile(const struct lull_printf_host *p, struct lull_compile *how);

/** The strings of code object @p data, and the buffer on @p d. Nothing if not wanted. */
struct lull_error *lull_printf_host_make(struct lull_printf_host *p, const void *data, size_t size,
                                         const char *name, struct lull_amd_device *d) LULL_MUST_USE;

/** Empty the buffer, for another run. */
void lull_printf_host_restart(struct lull_printf_host *p);

/**
 * Append what was printed since the last call to @p out: text, or an object a line if @p json.
 *
 * @param live The kernel may still run: entries on their way are left for later.
 */
struct lull_error *lull_printf_host_drain(struct lull_printf_host *p, bool live, bool json,
                                          struct lull_str *out) LULL_MUST_USE;

/** The kernel is done: write the buffer if asked; say on stderr what was lost. True if something
 * was lost or is wrong. */
struct lull_error *lull_printf_host_end(struct lull_printf_host *p, bool *ret_bad) LULL_MUST_USE;

/** After a run: drain and end, with the lines to stdout. */
struct lull_error *lull_printf_host_show(struct lull_printf_host *p, bool json,
                                         bool *ret_bad) LULL_MUST_USE;

/** State of the buffer, for `info printf`. */
void lull_printf_host_info(const struct lull_printf_host *p, struct lull_str *out);

void lull_printf_host_done(struct lull_printf_host *p);

#endif
