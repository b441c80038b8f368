// SPDX-License-Identifier: MIT
/** @file
 * Firmware of an Adreno's command processor from a file.
 */
#ifndef LULL_CLI_FIRMWARE_H
#define LULL_CLI_FIRMWARE_H

#include <stdint.h>

#include "base/error.h"
#include "isa/afuc/afuc.h"

/** A dword 0, and instructions. @param[out] ret_words free() it, after the last use of @p ret; also
 * after an error. */
struct lull_error *lull_firmware_read(const char *path, uint32_t **ret_words,
                                      struct lull_afuc *ret) LULL_MUST_USE;

#endif
