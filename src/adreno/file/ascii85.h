// SPDX-License-Identifier: MIT
/** @file
 * Dwords as text, the way that the kernel's msm driver writes them into crash dumps.
 *
 * A dword is "z" if it is 0, or five digits of base 85, most significant first, from '!' on.
 * Source: Linux 6.12 include/linux/ascii85.h, drivers/gpu/drm/msm/adreno/adreno_gpu.c.
 */
#ifndef LULL_ADRENO_FILE_ASCII85_H
#define LULL_ADRENO_FILE_ASCII85_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/**
 * Up to @p n dwords of the @p size characters at @p text.
 *
 * @param[out] ret Has room for @p n; those that the text does not have are not written.
 * @param[out] ret_n Dwords written.
 * @return Characters used: less than @p size if there is a character or a number that no dword can
 * have, half a dword at the end, or more than @p n dwords.
 */
size_t lull_ascii85_decode(const char *text, size_t size, uint32_t *ret, size_t n, size_t *ret_n);

/** Append @p n dwords. */
void lull_ascii85_encode(const uint32_t *words, size_t n, struct lull_str *out);

#endif
