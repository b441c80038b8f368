// SPDX-License-Identifier: MIT
/** @file
 * What MUBUF and MTBUF instructions do with a buffer descriptor.
 */
#ifndef LULL_MODEL_AMD_MEM_BUFFER_H
#define LULL_MODEL_AMD_MEM_BUFFER_H

#include "model/amd/mem.h"

/** A buffer descriptor taken apart. */
struct lull_buffer {
    uint64_t base; ///< With soffset.
    uint32_t stride, records;
    uint32_t element;      ///< Of a swizzled buffer, in bytes; 0: linear.
    uint32_t index_stride; ///< Lanes that are interleaved.
    uint32_t oob;
    bool add_tid;
    uint8_t format;
    uint8_t dst_sel[4];
};

/** The descriptor that @p in names. */
struct lull_buffer lull_buffer_open(const struct lull_wave *w, const struct lull_rdna_insn *in);

/**
 * Whether @p bytes at @p offset of record @p index are in bounds. soffset does not count.
 * Source: RDNA3 ISA guide 9.1.5, "range checking".
 */
bool lull_buffer_in_range(const struct lull_buffer *b, uint64_t index, uint64_t offset,
                          unsigned bytes);

/** Put where @p offset of record @p index lies into the lane's row of @p p. */
void lull_buffer_place(const struct lull_buffer *b, struct lull_places *p, unsigned lane,
                       uint64_t index, uint64_t offset);

#endif
