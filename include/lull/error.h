// SPDX-License-Identifier: MIT
/** @file
 * Errors: what went wrong, in words for a person and in a code for a program.
 *
 * Every function of lull that can fail in more than one way returns a
 * `struct lull_error *`: NULL on success, otherwise an error which the caller
 * owns and either returns to its own caller or passes to lull_error_free().
 */
#ifndef LULL_ERROR_H
#define LULL_ERROR_H

#include <stdint.h>

#define LULL_API __attribute__((visibility("default")))
#define LULL_MUST_USE __attribute__((warn_unused_result))
#define LULL_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))

enum lull_error_code {
    LULL_ERR_NO_MEMORY = 1, ///< An allocation failed.
    LULL_ERR_INVALID,       ///< The caller broke the function's contract.
    LULL_ERR_BAD_DATA,      ///< The input is truncated or contradicts its format.
    LULL_ERR_UNSUPPORTED,   ///< The input is well formed; lull does not know its kind.
    LULL_ERR_NOT_FOUND,     ///< The thing asked for is not there.
    LULL_ERR_FAULT,         ///< A GPU address is not mapped; see lull_error_address().
    LULL_ERR_OS,            ///< A system call failed; see lull_error_errno().
    LULL_ERR_DAMAGED,       ///< The input is damaged; what could be read of it was given.
};

struct lull_error;

LULL_API enum lull_error_code lull_error_code(const struct lull_error *err);

/** Message without a final newline or period. Valid until @p err is freed. */
LULL_API const char *lull_error_message(const struct lull_error *err);

/** `errno` of the failed system call, or 0 if the code is not LULL_ERR_OS. */
LULL_API int lull_error_errno(const struct lull_error *err);

/** GPU virtual address, in bytes, or 0 if the code is not LULL_ERR_FAULT. */
LULL_API uint64_t lull_error_address(const struct lull_error *err);

/** Free an error. NULL is allowed and does nothing. */
LULL_API void lull_error_free(struct lull_error *err);

#endif
