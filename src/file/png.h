// SPDX-License-Identifier: MIT
/** @file
 * Pictures for people to look at.
 */
#ifndef LULL_FILE_PNG_H
#define LULL_FILE_PNG_H

#include <stdint.h>

#include "base/error.h"

/** Rows of red, green, blue, alpha, 8 bits each, without padding. The file is whole or not there.
 */
struct lull_error *lull_png_write(const char *path, uint32_t width, uint32_t height,
                                  const uint8_t *rgba) LULL_MUST_USE;

/** The same of grey values, each a uint8_t if @p bits is 8, a uint16_t if it is 16. */
struct lull_error *lull_png_write_grey(const char *path, uint32_t width, uint32_t height,
                                       unsigned bits, const void *grey) LULL_MUST_USE;

#endif
