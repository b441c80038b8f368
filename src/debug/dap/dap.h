// SPDX-License-Identifier: MIT
/** @file
 * The debug adapter protocol over a session: what VS Code and other editors talk to a debugger.
 *
 * Waves are threads, registers and descriptors are scopes. Source: Debug Adapter Protocol 1.65,
 * its specification.
 */
#ifndef LULL_DEBUG_DAP_DAP_H
#define LULL_DEBUG_DAP_DAP_H

#include "debug/session/debug.h"

/** Whoever has the channel, and can open what is debugged. */
struct lull_dap_host {
    int in, out;       ///< Messages come and go here. Not closed.
    int printed;       ///< What the program and lull print is read here; -1: nowhere.
    const char *token; ///< That a client has to say with `launch` or `attach`; NULL: none.
    /** Open what the arguments of `lull debug`, ended by NULL, say. Takes @p argv and its
     * strings, from malloc(). Called until it succeeds. */
    struct lull_error *(*open)(void *ctx, int argc, char **argv, struct lull_debug **ret);
    /** Close it, so that it can be opened anew; NULL: that cannot be. */
    void (*close)(void *ctx);
    /** A verb is done: print what shaders have printed. */
    void (*after)(void *ctx);
    void *ctx;
};

/**
 * Serve one client to its end.
 *
 * @return LULL_ERR_BAD_DATA if what comes is not the protocol, with the offset in the stream;
 * LULL_ERR_OS if the channel fails. @p ret_status: exit status of the session, 0 or 1.
 */
struct lull_error *lull_dap_serve(const struct lull_dap_host *host, int *ret_status) LULL_MUST_USE;

#endif
