// SPDX-License-Identifier: MIT
/** @file
 * What the hooks of dispatches and draws (work.c) call.
 */
#ifndef LULL_LAYER_PRINTF_COMMAND_H
#define LULL_LAYER_PRINTF_COMMAND_H

#include "layer/printf/printf.h"

/** A dispatch comes: count it; if it prints, its number goes into the buffer's header. */
struct lull_lp_device *lull_lp_dispatch(VkCommandBuffer handle);

/** A draw comes: count it. */
struct lull_lp_device *lull_lp_draw(VkCommandBuffer handle);

#endif
