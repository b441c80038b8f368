// SPDX-License-Identifier: MIT
/** @file
 * Code of ir3 in memory: where it ends, and what it is called by.
 */
#ifndef LULL_ISA_IR3_EXTENT_H
#define LULL_ISA_IR3_EXTENT_H

#include <stdint.h>

/**
 * Instructions of the code that begins with the dwords @p words, @p n that are there: up to an
 * `end` or `chsh` that nothing jumps behind, or what is before many zeros or no instruction.
 *
 * @param gen Of the GPU: 630 ...
 */
uint32_t lull_ir3_extent(unsigned gen, const uint32_t *words, uint32_t n);

/** The hash of @p n dwords by which `lull rd` and `lull ir3` name code; never 0. */
uint64_t lull_ir3_hash(const uint32_t *words, uint32_t n);

#endif
