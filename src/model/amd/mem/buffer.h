// SPDX-License-Identifier: MIT
/** @file
 * Buffers by descriptor: what MUBUF and MTBUF instructions address.
 */
#ifndef LULL_MODEL_AMD_BUFFER_H
#define LULL_MODEL_AMD_BUFFER_H

#include "model/amd/mem/mem.h"

/** A buffer descriptor (V#) taken apart. Source: RDNA3 ISA guide 9.1.5. */
struct lull_buffer {
    uint64_t base;         ///< With soffset; 48 bits and more, see lull_buffer_va().
    uint32_t stride;       ///< Bytes of a record.
    uint32_t records;      ///< Raw and linear: bytes behind soffset.
    uint32_t element;      ///< Of a swizzled buffer, in bytes; 0: linear.
    uint32_t index_stride; ///< Records that are interleaved.
    uint32_t oob;          ///< OOB_SELECT.
    bool add_tid;          ///< The lane's number is added to the index.
    uint8_t format;        ///< For instructions that convert.
    uint8_t dst_sel[4];
};

/**
 * The descriptor in @p in's resource SGPRs, with its soffset.
 *
 * It is linear if there is no index (IDXEN 0, ADD_TID_ENABLE 0), whatever SWIZZLE_ENABLE says.
 * Source: LLVM, IntrinsicsAMDGPU.td: bounds and swizzling depend on IDXEN, also for index 0. ACO
 * makes descriptors of constant tables of a PC as it is, with its sign in STRIDE and SWIZZLE_ENABLE
 * (Mesa, aco visit_load_constant()).
 *
 * FORMAT 0 is an unbound resource, in which nothing is in bounds, also where the instruction does
 * not convert. With OOB_SELECT RAW soffset counts. Source: RDNA3 ISA guide 9.3, RDNA4's 9.4.1.
 */
struct lull_buffer lull_buffer_of(const struct lull_wave *w, const struct lull_rdna_insn *in);

/**
 * Whether @p bytes at @p offset of record @p index are in bounds.
 * Source: RDNA3 ISA guide 9.4.1, "Range Checking"; Mesa, OOB_SELECT of gfx11.
 */
bool lull_buffer_in_range(const struct lull_buffer *b, uint64_t index, uint64_t offset,
                          unsigned bytes);

/** Bytes from the base on, for people: what bounds are, if they count in bytes or records. */
static inline uint64_t lull_buffer_bytes(const struct lull_buffer *b)
{
    return b->stride == 0 ? b->records : (uint64_t)b->stride * b->records;
}

/**
 * Where the active lanes of @p in go. The lanes' address registers must exist.
 *
 * @param bytes What a lane moves.
 * @param whole Bounds are those of all bytes together, not of each dword by itself.
 */
void lull_buffer_places(const struct lull_wave *w, const struct lull_rdna_insn *in,
                        const struct lull_buffer *b, unsigned bytes, bool whole,
                        struct lull_places *p);

/** @p va as the page tables want it: 48 bits, sign-extended. */
static inline uint64_t lull_buffer_va(uint64_t va)
{
    const uint64_t sign = UINT64_C(1) << 47;
    va &= (sign << 1) - 1;
    return (va ^ sign) - sign;
}

/** Registers of MUBUF @p in. False: the wave does not have them. */
bool lull_buffer_regs(const struct lull_wave *w, const struct lull_rdna_insn *in,
                      const struct lull_mem_op *op, struct lull_mem_regs *r);

#endif
