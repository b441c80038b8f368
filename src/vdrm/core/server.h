// SPDX-License-Identifier: MIT
/** @file
 * The driver for other processes: a Unix socket, and the kernel behind it.
 *
 * One thread for each connection. Device files belong to whoever holds their descriptor; they are
 * closed when nobody has one any more, nor a mapping. Pointers are the client's, and are read and
 * written as process_vm_readv() does: a client can spoil only itself. A connection is the process's
 * that made it; a message of any other ends it. Protocol: vdrm/wire.h.
 */
#ifndef LULL_VDRM_CORE_SERVER_H
#define LULL_VDRM_CORE_SERVER_H

#include <stdbool.h>

#include "base/error.h"
#include "drm/core/kernel.h"

struct lull_server;

/**
 * Serve @p k, of lull_vdrm_new() with options.isolate, on a new socket at @p path. Borrows @p k.
 * Blocks SIGIO in the calling thread, which the kernel may send where files are leased.
 *
 * @param debugfs Clients may open debugfs files and the kernel log: what takes root elsewhere.
 */
struct lull_error *lull_server_new(struct lull_kernel *k, const char *path, bool debugfs,
                                   struct lull_server **ret) LULL_MUST_USE;
/**
 * A second socket, whose clients may open debugfs files and the same device files. Others than this
 * process's user cannot open it (mode 0600, whatever the umask), and are not answered.
 */
struct lull_error *lull_server_debuggers(struct lull_server *s, const char *path) LULL_MUST_USE;
/** Close all connections and files. */
void lull_server_free(struct lull_server *s);

#endif
