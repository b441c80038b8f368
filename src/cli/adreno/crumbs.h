// SPDX-License-Identifier: MIT
/** @file
 * `lull crumbs listen`: crumbs.h of adreno/crumbs over UDP. `lull crumbs add`: add.h.
 */
#ifndef LULL_CLI_ADRENO_CRUMBS_H
#define LULL_CLI_ADRENO_CRUMBS_H

#include "cli/opt/command.h"

extern const struct lull_form lull_cli_crumbs_listen, lull_cli_crumbs_add;

#endif
