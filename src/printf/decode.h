// SPDX-License-Identifier: MIT
/** @file
 * Printf buffers: what shaders wrote, entry by entry. docs/formats/printf-buffer.md.
 */
#ifndef LULL_PRINTF_DECODE_H
#define LULL_PRINTF_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "printf/table.h"

enum {
    LULL_PRINTF_HEADER_BYTES = 16, ///< u64 dwords asked for; u32 entries lost; u32 dispatch.
    LULL_PRINTF_ENTRY_HEADER_DWORDS = 2,
};
/** Dwords that the offset is clamped to before it is used: 2 GiB. */
#define LULL_PRINTF_CLAMP_DWORDS (1u << 29)

/** What an event says of a place in the buffer. */
enum lull_printf_event_kind {
    LULL_PRINTF_TEXT,      ///< An entry.
    LULL_PRINTF_AMBIGUOUS, ///< An entry that several strings fit: the first; candidates follow.
    LULL_PRINTF_CANDIDATE, ///< Another reading of the entry before.
    // From here on: something is wrong.
    LULL_PRINTF_SHORT,      ///< The payload has less than its string needs; text is what there is.
    LULL_PRINTF_LONG,       ///< It has more; text is right as far as it goes.
    LULL_PRINTF_CUT,        ///< The entry goes beyond the buffer's end.
    LULL_PRINTF_BAD_FORMAT, ///< Something in the format cannot be printed and stands as it is.
    LULL_PRINTF_UNKNOWN_ID, ///< No string has this id.
    LULL_PRINTF_SIZE_ZERO,  ///< Size of 0: no entry was written here.
    LULL_PRINTF_GARBAGE,    ///< A header that makes no sense.
    LULL_PRINTF_LOST,       ///< Entries did not fit: lost and lost_max say how many.
    LULL_PRINTF_NO_HEADER,  ///< The buffer is shorter than its header.
};
enum { LULL_PRINTF_KINDS = LULL_PRINTF_NO_HEADER + 1 };

struct lull_printf_event {
    enum lull_printf_event_kind kind;
    uint64_t offset; ///< Bytes from the start of the buffer.
    uint64_t id;
    uint64_t dwords;                         ///< Of the entry, or skipped.
    const struct lull_printf_string *string; ///< NULL if none is known.
    const char *text;                        ///< Of an entry; not NULL. May hold NULs.
    size_t text_size;                        ///< Bytes.
    const char *problem;                     ///< In words; "" for TEXT.
    unsigned candidate, candidates; ///< Of AMBIGUOUS and CANDIDATE: number from 1, and how many.
    bool more;        ///< There are more than so many candidates: the table has left strings out.
    unsigned records; ///< Which of the next six are known: enum lull_printf_record.
    uint32_t dispatch, workgroup[3], wave, lane, site, pipeline;
    uint64_t lost, lost_max; ///< Of LOST: entries lost since the last call, at least and at most.
};

/** @return An error to stop. Everything in @p e is valid until it returns. */
typedef struct lull_error *lull_printf_fn(void *arg, const struct lull_printf_event *e);

/** Where decoding of a buffer stands. Zero-initialise; zero it again when the buffer's header is
 * zeroed (an offset that went back is taken for that). */
struct lull_printf_decoder {
    uint64_t next;     ///< Dword behind the header to go on at.
    uint64_t reported; ///< Lost entries (at least) told of.
    uint64_t asked;    ///< Offset at the last call.
    uint64_t until;    ///< Of a live buffer: entries from this dword on wait; 0: none do.
    unsigned source;   ///< Use strings of this document where several fit; 0: of any.
    uint64_t entries;  ///< Sum of TEXT and AMBIGUOUS.
    uint64_t problems; ///< Sum of everything from AMBIGUOUS on, without CANDIDATE.
};

/**
 * Tell of all entries that are new since the last call with @p d.
 *
 * @param live Entries may still be on their way: stop in front of one that is not there yet,
 *             silently. Else there is an event for every place.
 */
struct lull_error *lull_printf_decode(struct lull_printf_decoder *d,
                                      const struct lull_printf_table *t, const void *buffer,
                                      size_t size, bool live, lull_printf_fn *fn,
                                      void *arg) LULL_MUST_USE;

#endif
