// SPDX-License-Identifier: MIT
/** @file
 * A shader of an rd capture, instrumented in the capture: `lull ir3 instrument CAPTURE`.
 */
#ifndef LULL_CLI_IR3_IN_CAPTURE_H
#define LULL_CLI_IR3_IN_CAPTURE_H

#include "base/error.h"
#include "instrument/ir3/instrument.h"

struct lull_ir3_in_capture {
    const char *file, *out; ///< The manifest goes beside `out`.
    const char *shader;     ///< The start of its hash, or its number; NULL: the only one.
    const char *stage;      ///< "VS": shaders of this one alone; NULL: of any.
    /** gen 0: of the capture's chip; buffer 0: where nothing is. The rest is for prepare(). */
    struct lull_ir3_instrument how;
    /** Which instructions and invocations. */
    struct lull_error *(*prepare)(void *ctx, const struct lull_ir3_shader *s,
                                  struct lull_ir3_instrument *how);
    void *ctx;
};

/** Is @p file an rd capture? */
bool lull_ir3_is_capture(const char *file);

/** Write the capture and the manifest, and say what was done. LULL_ERR_INVALID: which shader is
 * meant is not clear, with those that there are. */
struct lull_error *lull_ir3_in_capture(const struct lull_ir3_in_capture *c) LULL_MUST_USE;

#endif
