// SPDX-License-Identifier: MIT
/** @file
 * What stands beside an instrumented shader: which instruction a record is of, and what its values
 * are. docs/formats/ir3-records.md.
 */
#ifndef LULL_INSTRUMENT_MANIFEST_H
#define LULL_INSTRUMENT_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

enum {
    LULL_RECORDS_AT = 8,     ///< Bytes before the first record: cursor, invocations.
    LULL_RECORDS_SLICE = 8,  ///< Bytes before the first record of a slice.
    LULL_GPU_GFX1100 = 1100, ///< `gen` of gfx1100, whose instructions are not those of ir3.
};

/** An instruction that makes records. */
struct lull_recorded {
    uint32_t at; ///< Number in the shader as it was.
    char *text;
    char **names;        ///< Of its values, destinations first.
    uint32_t ndst, nsrc; ///< Which are that many.
};

/** Owns all of it. */
struct lull_manifest {
    unsigned gen;
    uint64_t buffer; ///< Its address,
    uint32_t room;   ///< bytes of records in it,
    uint32_t bytes;  ///< and all its bytes.
    uint32_t slice;  ///< Bytes of records in the slice of an invocation; 0: one cursor for all.
    char *shader;    ///< What it was called; NULL: nothing.
    struct lull_recorded *all;
    size_t n, space;
};

/** Slices for invocations: the last one in the room is for those that get none. */
uint32_t lull_manifest_slices(const struct lull_manifest *m);

/** One more instruction, whose values come after it. */
struct lull_error *lull_manifest_add(struct lull_manifest *m, uint32_t at,
                                     const char *text) LULL_MUST_USE;
/** One more value of the last instruction; destinations come first. */
struct lull_error *lull_manifest_value(struct lull_manifest *m, const char *name,
                                       bool dst) LULL_MUST_USE;

void lull_manifest_print(const struct lull_manifest *m, struct lull_str *out);

/** LULL_ERR_BAD_DATA with a line of @p text. */
struct lull_error *lull_manifest_read(const char *text, size_t size,
                                      struct lull_manifest *ret) LULL_MUST_USE;
void lull_manifest_done(struct lull_manifest *m);

#endif
