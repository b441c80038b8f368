// SPDX-License-Identifier: MIT
/** @file
 * rd captures of Adreno GPUs: a sequence of sections, each a type, a size and a payload.
 *
 * Written by the kernel (debugfs rd, hangrd), Turnip and freedreno. The types are in
 * data/reg/rd.reg (LULL_RD_CMD ...), the payloads in docs/formats/rd.md. The reader holds one
 * section at a time. Source: Mesa 25.0.7 src/freedreno/common/redump.h; Linux 6.12
 * drivers/gpu/drm/msm/msm_rd.c.
 */
#ifndef LULL_ADRENO_FILE_RD_H
#define LULL_ADRENO_FILE_RD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/str.h"
#include "file/stream.h"

/** One section. */
struct lull_rd_section {
    uint64_t offset;        ///< Of its header, in bytes of the unpacked capture.
    uint64_t number;        ///< From 0, fillers counted.
    uint32_t type;          ///< LULL_RD_*, or a number that nobody knows.
    uint32_t size;          ///< Bytes of payload.
    bool filler;            ///< A header of two words of ones; has no payload.
    const uint8_t *payload; ///< NULL if size is 0.
};

/** A range of GPU memory, as GPUADDR, CMDSTREAM_ADDR and the log buffers name it. */
struct lull_rd_range {
    uint64_t address; ///< GPU virtual address, in bytes.
    uint32_t size;    ///< In bytes; of CMDSTREAM_ADDR: in dwords.
};

struct lull_rd;

enum {
    LULL_RD_LIMIT =
        1 << 30, ///< Largest payload a reader takes if it is not told another, in bytes.
};

/**
 * Reader of the capture that @p s gives. @p s is borrowed.
 *
 * @param limit Bytes of the largest payload to take; 0: LULL_RD_LIMIT. Memory is at most twice the
 *              largest payload that is really there, whatever the headers promise.
 */
struct lull_error *lull_rd_new(struct lull_stream *s, uint32_t limit,
                               struct lull_rd **ret) LULL_MUST_USE;

/**
 * Next section.
 *
 * @param[out] ret      Its payload is valid until the next call.
 * @param[out] ret_more False: the capture has ended, whole; @p ret is not written.
 *
 * LULL_ERR_BAD_DATA: it is damaged or ends early; LULL_ERR_UNSUPPORTED: a payload is over the
 * limit. Both name the offset. After an error, every further call gives an error.
 */
struct lull_error *lull_rd_next(struct lull_rd *rd, struct lull_rd_section *ret,
                                bool *ret_more) LULL_MUST_USE;

void lull_rd_free(struct lull_rd *rd);

/** "CMD", or NULL if no such type is known. */
const char *lull_rd_type_name(uint32_t type);

/** The range that @p section names; false if its payload is too short. The caller knows the type.
 */
bool lull_rd_range(const struct lull_rd_section *section, struct lull_rd_range *ret);

/** The number in GPU_ID (4 bytes) or CHIP_ID (8 bytes); false if the payload is too short. */
bool lull_rd_number(const struct lull_rd_section *section, uint64_t *ret);

/** Append @p section as it stands in a capture. type, size, filler and payload are used. */
void lull_rd_put(struct lull_str *to, const struct lull_rd_section *section);
/** Write @p section as it stands in a capture. type, size, filler and payload are used.
 * LULL_ERR_OS. */
struct lull_error *lull_rd_write(FILE *to, const struct lull_rd_section *section) LULL_MUST_USE;

#endif
