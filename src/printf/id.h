// SPDX-License-Identifier: MIT
/** @file
 * Ids of format strings: SipHash-2-4, 48 bits of it.
 */
#ifndef LULL_PRINTF_ID_H
#define LULL_PRINTF_ID_H

#include <stddef.h>
#include <stdint.h>

/** SipHash-2-4 of @p size bytes. Source: Aumasson and Bernstein, "SipHash: a fast short-input
 * PRF", 2012. */
uint64_t lull_siphash(uint64_t k0, uint64_t k1, const void *data, size_t size);

/**
 * Id of a format string: the low 48 bits of SipHash-2-4 with k0 = "lull.fmt" (little-endian
 * 0x746d662e6c6c756c) and k1 = @p salt; 1 in place of 0.
 *
 * The same in every process and build.
 *
 * @param size Bytes, without a NUL at the end.
 * @param salt 0; another if that id is taken (table.h).
 */
uint64_t lull_printf_id(const char *text, size_t size, uint64_t salt);

#endif
