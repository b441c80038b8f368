// SPDX-License-Identifier: MIT
/** @file
 * The buffer that an instrumented shader has filled: docs/formats/ir3-records.md.
 */
#ifndef LULL_INSTRUMENT_RECORDS_H
#define LULL_INSTRUMENT_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "instrument/manifest.h"

struct lull_dump_record {
    uint32_t invocation, insn; ///< insn: in the manifest.
    uint32_t at;               ///< Byte in the buffer.
};

/** Owns its records; the bytes and the manifest are borrowed. */
struct lull_dump {
    const struct lull_manifest *m;
    const uint8_t *data;
    uint64_t size;
    uint64_t written;             ///< Dwords that there were to write, with the first two.
    uint32_t invocations;         ///< That have begun.
    uint64_t missing;             ///< Bytes of records for which there was no room.
    uint32_t sliceless;           ///< Invocations for which there was no slice.
    struct lull_dump_record *all; ///< In the order of time; with slices, of the buffer.
    size_t n;
};

/** LULL_ERR_BAD_DATA with an offset. */
struct lull_error *lull_dump_of(const struct lull_manifest *m, const void *data, uint64_t size,
                                struct lull_dump *ret) LULL_MUST_USE;
void lull_dump_done(struct lull_dump *d);

/** Records one invocation after the other, each in the order of time. */
void lull_dump_sort(struct lull_dump *d);

/** Value @p k of a record, destinations first. */
uint32_t lull_dump_value(const struct lull_dump *d, const struct lull_dump_record *r, uint32_t k);

/** The first record after which a float instruction has written what is not a number. @p ret_value:
 * which of its values. False: none. */
bool lull_dump_nan(const struct lull_dump *d, size_t *ret, uint32_t *ret_value);

/**
 * The first record, in the order that they have, in which two dumps differ: another invocation,
 * text or value, or one of them has no more.
 *
 * @param[out] ret_value Which value; UINT32_MAX: something else. False: none.
 */
bool lull_dump_differ(const struct lull_dump *a, const struct lull_dump *b, size_t *ret,
                      uint32_t *ret_value);

/** "[0/1]: mov.u32u32 r0.w, r1.x", and a line of values, as Mesa merge request 8961 prints them. */
void lull_dump_print(const struct lull_dump *d, const struct lull_dump_record *r,
                     struct lull_str *out);

#endif
