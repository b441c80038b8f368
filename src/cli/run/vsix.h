// SPDX-License-Identifier: MIT
/** @file
 * The extension of VS Code that starts `lull dap`, as a file that VS Code installs.
 */
#ifndef LULL_CLI_RUN_VSIX_H
#define LULL_CLI_RUN_VSIX_H

#include "base/error.h"

/** Write it to @p path; it starts this program. LULL_ERR_OS with the path. */
struct lull_error *lull_vsix_write(const char *path) LULL_MUST_USE;

#endif
