// SPDX-License-Identifier: MIT
/** @file
 * The debugger's commands: a line of text in, text or JSON out.
 */
#ifndef LULL_DEBUG_SHELL_DEBUGGER_H
#define LULL_DEBUG_SHELL_DEBUGGER_H

#include "debug/session/debug.h"

/**
 * Execute one command line, its output appended to @p out (a line of JSON each if d->json).
 *
 * @return LULL_ERR_INVALID for a wrong command; the state is then unchanged. Errors of the
 *         target are returned as they are.
 */
struct lull_error *lull_debug_command(struct lull_debug *d, const char *line,
                                      struct lull_str *out) LULL_MUST_USE;

struct lull_pixels;
/** A picture, 4 bytes a texel: "target" or "targetN", "depth", "stencil" of what the last draw
 * draws to; else level @p level and slice @p slice of the image that `info descriptors` names so.
 * @p ret: lull_pixels_done() also after an error. */
struct lull_error *lull_debug_picture(struct lull_debug *d, const char *what, uint64_t level,
                                      uint64_t slice, struct lull_pixels *ret) LULL_MUST_USE;

/** How a command line could go on: @p found is called with each word that the last word of @p line
 * could be, in order. */
void lull_debug_complete(struct lull_debug *d, const char *line,
                         void (*found)(void *ctx, const char *word), void *ctx);

#endif
