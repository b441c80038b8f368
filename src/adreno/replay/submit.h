// SPDX-License-Identifier: MIT
/** @file
 * Submits of an rd capture, one after the other, with all that was captured of them: what has to be
 * put back to submit them again.
 *
 *   submit.c  sections to submits, and submits to sections
 *   walk.c    the engine of adreno/stream over a submit
 *   device.c  buffers and submits behind msm's interface
 */
#ifndef LULL_ADRENO_REPLAY_SUBMIT_H
#define LULL_ADRENO_REPLAY_SUBMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "file/stream.h"

enum { LULL_RP_TEXT = 256 };

/** A range that the capture names. One may lie in another; what was written last counts. */
struct lull_rp_buffer {
    uint64_t address;
    uint32_t size, held; ///< Bytes; held: from the start, that the capture has.
    uint8_t *data;       ///< `held` bytes; NULL: none. Owned.
};

struct lull_rp_stream {
    uint64_t number; ///< From 0, in the capture.
    uint64_t address;
    uint32_t dwords;
};

/** Memory that is shown after the submit. */
struct lull_rp_log {
    enum lull_rp_log_kind {
        LULL_RP_LOG_CP,     ///< A u64 address of the end, a u64 8, entries of a u64 size and data.
        LULL_RP_LOG_SHADER, ///< A u64 address of the end, dwords.
        LULL_RP_LOG_FILE,   ///< Bytes for a file.
    } kind;
    uint64_t address, size; ///< In bytes.
    bool clear;             ///< FILE: it is filled before.
    char name[64];          ///< FILE: what can be printed of its name.
};

/** All zero: an empty one. Owns its lists. */
struct lull_rp_submit {
    uint64_t number; ///< From 0, in the capture.
    uint64_t gpu_id, chip_id;
    char process[LULL_RP_TEXT];
    size_t nbuffers, nstreams, nlogs;
    struct lull_rp_buffer *buffers; ///< As they came.
    struct lull_rp_stream *streams;
    struct lull_rp_log *logs;
};

void lull_rp_submit_done(struct lull_rp_submit *s);
/** Add a range; its `data`, NULL or `held` bytes, are copied. */
struct lull_error *lull_rp_submit_add(struct lull_rp_submit *s,
                                      const struct lull_rp_buffer *b) LULL_MUST_USE;
struct lull_error *lull_rp_submit_add_stream(struct lull_rp_submit *s,
                                             const struct lull_rp_stream *stream) LULL_MUST_USE;

struct lull_error *lull_rp_submit_add_log(struct lull_rp_submit *s,
                                          const struct lull_rp_log *log) LULL_MUST_USE;

/** The buffer that @p address is in: the last one that has it in its contents, else the last one
 * that names it; NULL: none. */
const struct lull_rp_buffer *lull_rp_buffer_at(const struct lull_rp_submit *s, uint64_t address);

/** Put @p size bytes at @p address into all contents that have them. */
void lull_rp_submit_patch(struct lull_rp_submit *s, uint64_t address, const void *data,
                          uint32_t size);

/** Append it as sections of a capture; GPU_ID and CHIP_ID are not among them. */
void lull_rp_submit_put(const struct lull_rp_submit *s, struct lull_str *to);
/** The sections that name its GPU. */
void lull_rp_submit_put_gpu(const struct lull_rp_submit *s, struct lull_str *to);

struct lull_rp_reader;

/** @p s is borrowed. @p most: bytes of contents that a submit may have; 0: 4 GiB. */
struct lull_error *lull_rp_reader_new(struct lull_stream *s, uint64_t most,
                                      struct lull_rp_reader **ret) LULL_MUST_USE;
/** The next submit, to be undone with lull_rp_submit_done(). @p ret_more false: there is none.
 * LULL_ERR_BAD_DATA names the offset. */
struct lull_error *lull_rp_reader_next(struct lull_rp_reader *r, struct lull_rp_submit *ret,
                                       bool *ret_more) LULL_MUST_USE;
void lull_rp_reader_free(struct lull_rp_reader *r);

#endif
