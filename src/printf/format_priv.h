// SPDX-License-Identifier: MIT
/** @file
 * Shared by the files that read formats.
 */
#ifndef LULL_PRINTF_FORMAT_PRIV_H
#define LULL_PRINTF_FORMAT_PRIV_H

#include "printf/format.h"

/** Add a diagnosis. */
void lull_printf_complain(struct lull_printf_diags *ret, bool error, size_t offset, const char *fmt,
                          ...) LULL_PRINTF(4, 5);

/** The float, or with @p wide the double, of these bits. */
double lull_printf_real(uint64_t bits, bool wide);

/** Is it one of "fFeEgGaA"? */
bool lull_printf_is_float(char conversion);

#endif
