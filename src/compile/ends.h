// SPDX-License-Identifier: MIT
/** @file
 * Ends behind functions that have none.
 */
#ifndef LULL_COMPILE_ENDS_H
#define LULL_COMPILE_ENDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/**
 * Let waves end that run over the end of a function: where none of its ways returns, as each ends
 * at a mark, LLVM puts nothing behind the last instruction, and the next function would be
 * executed. The word there is filling, which becomes s_endpgm; where a function follows at once
 * nothing is done.
 *
 * @param bytes A linked code object of gfx11, which is changed.
 * @return LULL_ERR_BAD_DATA if it is damaged; LULL_ERR_NO_MEMORY.
 */
struct lull_error *lull_compile_end_functions(uint8_t *bytes, size_t size) LULL_MUST_USE;

#endif
