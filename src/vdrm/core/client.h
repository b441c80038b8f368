// SPDX-License-Identifier: MIT
/** @file
 * The kernel of another process, over a socket that it serves: for a debugger that attaches.
 *
 * Protocol: vdrm/wire.h. One thread at a time.
 */
#ifndef LULL_VDRM_CORE_CLIENT_H
#define LULL_VDRM_CORE_CLIENT_H

#include <stdbool.h>

#include "base/error.h"
#include "drm/core/kernel.h"

/** Connect to the socket at @p path, of `lull exec --socket PATH`. */
struct lull_error *lull_client_new(const char *path, struct lull_kernel **ret) LULL_MUST_USE;
/** False once the other side has gone. */
bool lull_client_alive(const struct lull_kernel *k);

#endif
