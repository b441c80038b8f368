// SPDX-License-Identifier: MIT
/** @file
 * Indices outside of arrays, vectors and matrices in Vulkan shaders whose modules say so
 * (spirv/marks.h): a store of 16 bytes that is not the program's.
 */
#ifndef LULL_CHECK_UNDEFINED_MARKED_H
#define LULL_CHECK_UNDEFINED_MARKED_H

#include "check/checks.h"

/** Their configuration is struct lull_check_objects: mark. Of gfx11, and of ir3. */
extern const struct lull_check_module lull_check_index_marked, lull_check_index_marked_ir3;

/** As in spirv/marks.h, which says what the 16 bytes are. */
enum { LULL_CHECK_MARK_MAGIC = 0x6d000000, LULL_CHECK_MARK_PROCESSES = 1 << 22 };

#endif
