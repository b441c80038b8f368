// SPDX-License-Identifier: MIT
/** @file
 * A session in a browser: one page, and what it asks for, over HTTP on this machine alone.
 *
 * The page is src/debug/web/page.html. It asks in the debugger's own commands, and gets the JSON
 * that they print with --json; of bytes and pictures as they are.
 */
#ifndef LULL_DEBUG_WEB_WEB_H
#define LULL_DEBUG_WEB_WEB_H

#include "debug/session/debug.h"

/** Whoever has the socket. */
struct lull_web_host {
    int listener;      ///< Listens on a loopback address; does not block. Not closed.
    unsigned port;     ///< Of it.
    const char *token; ///< The first part of each path.
    /** Instead of a session: the page, complete in itself, made anew for each who asks. NULL: there
     * is a session. */
    void (*page)(void *ctx, struct lull_str *out);
    /** Commands are done: print what shaders have printed. */
    void (*after)(void *ctx);
    /** Has the user asked in the terminal for the end? */
    bool (*ends)(void *ctx);
    void *ctx;
};

/**
 * Serve browsers until @p host says that it ends.
 *
 * What a client does wrong is answered to it (docs/man/lull-debug.1 lists the states) and changes
 * nothing for others.
 *
 * @return LULL_ERR_OS if the socket fails.
 */
struct lull_error *lull_web_serve(struct lull_debug *d,
                                  const struct lull_web_host *host) LULL_MUST_USE;

struct lull_web;

/** Serve host->page, in turns. @p host must live as long; lull_web_close() at the end. */
struct lull_error *lull_web_open(const struct lull_web_host *host,
                                 struct lull_web **ret) LULL_MUST_USE;
/** Answer who is there; wait for somebody at most @p ms. */
struct lull_error *lull_web_turn(struct lull_web *w, int ms) LULL_MUST_USE;
void lull_web_close(struct lull_web *w);

#endif
