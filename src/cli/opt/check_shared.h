// SPDX-License-Identifier: MIT
/** @file
 * How much of local memory a Vulkan shader has, by its SPIR-V, for --check bounds: hardware gives
 * it out in larger pieces.
 */
#ifndef LULL_CLI_CHECK_SHARED_H
#define LULL_CLI_CHECK_SHARED_H

#include "check/bounds/reach.h"
#include "check/checks.h"
#include "image/names.h"

/** A store of dispatch @p d: is it behind all variables that its workgroups share? */
void lull_check_shared_judge(struct lull_checks *c, struct lull_names *names,
                             const struct lull_names_dispatch *d, const struct lull_reach_local *l);

#endif
