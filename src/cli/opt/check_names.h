// SPDX-License-Identifier: MIT
/** @file
 * What a Vulkan program calls the memory that a finding is of, for --check: set and binding, the
 * variable of the shader, the buffer.
 */
#ifndef LULL_CLI_CHECK_NAMES_H
#define LULL_CLI_CHECK_NAMES_H

#include "base/json.h"
#include "base/str.h"
#include "check/checks.h"
#include "cli/opt/check_api.h"

/** `set 0 binding 1: Out.data[64], byte 256 of buffer "out", which has 256`; nothing if it is not
 * known. */
void lull_check_names_add(const struct lull_check_api *a, const struct lull_check_site *s,
                          struct lull_str *to);

/** `set 0 binding 1 element 2`, or what is known of it; nothing if that is nothing. */
void lull_check_names_bound(const struct lull_check_api *a, const struct lull_check_site *s,
                            struct lull_str *to);

/** Member "resource": docs/formats/findings.md; nothing if it is not known. */
void lull_check_names_json(const struct lull_check_api *a, const struct lull_check_site *s,
                           struct lull_json *j);

#endif
