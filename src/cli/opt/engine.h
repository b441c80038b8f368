// SPDX-License-Identifier: MIT
/** @file
 * --engine: what executes waves on the model.
 */
#ifndef LULL_CLI_ENGINE_H
#define LULL_CLI_ENGINE_H

#include "cli/opt/opt.h"

struct lull_engine;

/** Zero-initialise. */
struct lull_engine_option {
    unsigned kind; ///< 0: the interpreter; 1: code that is compiled of what it executes often.
};

/** Rows of a struct lull_engine_option. */
extern const struct lull_opt lull_engine_opts[];

/**
 * The engine of @p o for the GPU @p gpu (NULL: gfx1100); NULL is the interpreter.
 *
 * @return LULL_ERR_INVALID: for another GPU; LULL_ERR_UNSUPPORTED: not on this machine.
 */
struct lull_error *lull_engine_choose(const struct lull_engine_option *o, const char *gpu,
                                      const struct lull_engine **ret) LULL_MUST_USE;

#endif
