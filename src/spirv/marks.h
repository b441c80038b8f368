// SPDX-License-Identifier: MIT
/** @file
 * Modules that say of themselves what their code does not show, for --check.
 *
 * Divisions of integers of 64 bits: drivers make long sequences of them, in which nobody sees the
 * divisor. To what one gives the result of a division of 32 bits is added, that of half of d by d,
 * where d has the bits of both halves of the divisor: it is 0, but where the divisor is 0, too. So
 * who sees divisions of 32 bits by 0, and what becomes of them, sees these.
 *
 * Indices of arrays that have a length, of vectors and of matrices, in compute shaders: where a
 * shader accesses memory with one that is too large, it stores 16 bytes in front, by an address:
 * LULL_SPV_MARK_MAGIC plus the process, the number of the place, the index, the length. A load that
 * is for nothing but OpSelect counts where that chooses it, as front ends load both sides.
 *
 * Source: Khronos, "SPIR-V Specification" 1.6, sections 3.52.13 and 3.52.14 (what of OpUDiv and the
 * like is not defined, and of which types they are), 3.52.8 (OpAccessChain); SPIR-V registry,
 * SPV_KHR_physical_storage_buffer.
 */
#ifndef LULL_SPIRV_MARKS_H
#define LULL_SPIRV_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** What is put in. */
enum { LULL_SPV_MARK_DIVISIONS = 1, LULL_SPV_MARK_INDICES = 2 };

enum {
    LULL_SPV_MARK_MAGIC = 0x6d000000,
    LULL_SPV_MARK_PROCESSES = 1 << 22, ///< Numbers of processes are smaller.
    LULL_SPV_MARK_BYTES = 16,
};

/** What has the index: elements, components, columns. */
enum lull_spv_mark_of {
    LULL_SPV_MARK_ARRAY,
    LULL_SPV_MARK_BUFFER, ///< Elements, in a block: robustBufferAccess may define it.
    LULL_SPV_MARK_VECTOR,
    LULL_SPV_MARK_MATRIX,
};

/** A place with an index. Valid during the call. */
struct lull_spv_mark_site {
    enum lull_spv_mark_of of;
    bool is_signed;   ///< The index.
    const char *name; ///< Of what has it: "tile", "b.rows[2]", "b.rows[]"; "": not known.
    const char *file; ///< NULL: not known.
    uint32_t line;    ///< 0: not known.
};
typedef void lull_spv_mark_fn(void *arg, const struct lull_spv_mark_site *site);

struct lull_spv_marks {
    unsigned what; ///< LULL_SPV_MARK_*.
    /** @{ Of indices: where the 16 bytes go, a multiple of that; the process; the number of the
     * first place, whose numbers follow each other. */
    uint64_t address;
    uint32_t process, first_site;
    /** @} */
    lull_spv_mark_fn *site; ///< Called for each place, in order.
    void *arg;
};

/**
 * A module with marks.
 *
 * @param[out] ret Words, for free(); NULL: there is nothing to be marked.
 * @return LULL_ERR_UNSUPPORTED: no SPIR-V. LULL_ERR_BAD_DATA: a broken module; the message names
 *         the word. LULL_ERR_NO_MEMORY.
 */
struct lull_error *lull_spv_mark(const void *data, size_t size, const struct lull_spv_marks *how,
                                 uint32_t **ret, size_t *ret_words) LULL_MUST_USE;

#endif
