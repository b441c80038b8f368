// SPDX-License-Identifier: MIT
/** @file
 * `lull explore --web`: the report as a page that follows the search, served on this machine.
 */
#ifndef LULL_CLI_RUN_EXPLORE_WEB_H
#define LULL_CLI_RUN_EXPLORE_WEB_H

#include "base/error.h"
#include "base/str.h"

struct lull_explore_web;

/** Listen on @p port, 0: one that is free, and say on stderr where. @p page makes the page, when
 * somebody asks. */
struct lull_error *lull_explore_web_open(unsigned port,
                                         void (*page)(void *ctx, struct lull_str *out), void *ctx,
                                         struct lull_explore_web **ret) LULL_MUST_USE;
/** Answer who is there. What goes wrong comes again at the end. */
void lull_explore_web_look(struct lull_explore_web *w);
/** Answer until Ctrl-C. */
struct lull_error *lull_explore_web_stay(struct lull_explore_web *w) LULL_MUST_USE;
void lull_explore_web_close(struct lull_explore_web *w);

#endif
