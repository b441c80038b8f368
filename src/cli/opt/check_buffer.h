// SPDX-License-Identifier: MIT
/** @file
 * Buffers and images of a Vulkan program by address, for --check.
 */
#ifndef LULL_CLI_CHECK_BUFFER_H
#define LULL_CLI_CHECK_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "image/names.h"

/** The buffer, or the image, that has the address; NULL: none. One that lives, if there are
 * several. */
const struct lull_names_object *lull_check_object_at(const struct lull_names *names,
                                                     uint64_t address, bool image);

/** `byte 256 of buffer "out", which has 4096`. */
void lull_check_buffer_add(const struct lull_names_object *o, int64_t byte, struct lull_str *to);

#endif
