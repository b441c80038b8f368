// SPDX-License-Identifier: MIT
/** @file
 * Are two buffers equal? Exactly, or number by number within a tolerance.
 */
#ifndef LULL_CLI_VK_CHECK_H
#define LULL_CLI_VK_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "cli/opt/series.h"

enum lull_tolerance_kind {
    LULL_TOLERANCE_EXACT,
    LULL_TOLERANCE_ULP,
    LULL_TOLERANCE_ABS,
    LULL_TOLERANCE_REL
};

/** [PLACE=][TYPE:](ulp|abs|rel):X, or [PLACE=][TYPE:]exact. */
struct lull_tolerance {
    char place[32];               ///< "": all.
    const struct lull_type *type; ///< NULL: the shader's.
    enum lull_tolerance_kind kind;
    double limit;
};

struct lull_error *lull_tolerance_parse(const char *text, struct lull_tolerance *ret) LULL_MUST_USE;

/** Are two numbers of type @p t within the tolerance (NULL: exact)? *@p error: how far apart. */
bool lull_within(const struct lull_type *t, const struct lull_tolerance *tolerance,
                 const uint8_t *got, const uint8_t *want, double *error);

/** What a comparison found. */
struct lull_difference {
    size_t elements, count; ///< Compared; different.
    size_t first;           ///< Index of the first.
    char got[32], want[32]; ///< Of the first, in decimal.
    double max_error;       ///< Greatest distance of two finite numbers that are different.
    const struct lull_type *type;
};

/**
 * Compare as many whole elements of @p t as both have; bytes behind them count as one element. Any
 * NaN is equal to any other unless the tolerance is exact.
 */
void lull_compare(const struct lull_type *t, const struct lull_tolerance *tolerance,
                  const uint8_t *got, const uint8_t *want, size_t size,
                  struct lull_difference *ret);

/** One line of text; or members of an open JSON object. */
void lull_difference_text(struct lull_str *out, const char *place, const struct lull_difference *d);
void lull_difference_json(struct lull_json *j, const char *place, const struct lull_difference *d);

/** SHA-256 of @p bytes as 64 hex digits. Source: FIPS 180-4. */
void lull_sha256_text(const uint8_t *bytes, size_t size, char text[65]);

#endif
