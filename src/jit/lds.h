// SPDX-License-Identifier: MIT
/** @file
 * Loads from LDS inside of regions: eight lanes by one move where they stand together, else by a
 * gather that leaves out lanes beyond the workgroup's part. A gather of less than dwords reads
 * whole ones: up to three bytes behind that part must be the process's memory.
 */
#ifndef LULL_JIT_LDS_H
#define LULL_JIT_LDS_H

#include "jit/window.h"
#include "model/amd/exec/uop.h"

enum {
    LULL_JIT_LDS_KINDS = 3, ///< Addresses of a strip that are looked at once: rcx, rdx, rsi.
    LULL_JIT_LDS_MOST = 4,  ///< Dwords of a lane.
};

/** A load as the compiler wants it. */
struct lull_jit_lds {
    uint16_t address, dst; ///< VGPR numbers.
    uint8_t n;             ///< Elements: 1 or 2.
    uint8_t bytes;         ///< Of an element: 1, 2, 4, 8, 12 or 16.
    uint8_t nregs;         ///< VGPRs of an element.
    bool sign;             ///< Of 1 or 2 bytes: with their sign.
    bool wide;             ///< 2 bytes at the bottom of dst, read next as f16 that stands in f32.
    bool high;             ///< They go to the upper half of dst.
    bool equal;            ///< All lanes of all strips have one address.
    uint32_t keep;         ///< Bits of dst that stay.
    uint32_t offset[2];    ///< Of the elements, in bytes.
    uint32_t end; ///< Greatest end of what is read at this address, from here on, in bytes.
};

/** Which VGPRs' addresses are in general registers, while a strip is made, and how many bytes a
 * lane of a run is behind the one before. */
struct lull_jit_lds_known {
    bool used[LULL_JIT_LDS_KINDS];
    uint16_t vgpr[LULL_JIT_LDS_KINDS];
    uint8_t step[LULL_JIT_LDS_KINDS];
    unsigned next;
    bool few;   ///< No more loads than registers: each strip begins with those of the one before.
    bool equal; ///< Some load is of one address for all strips; lull_jit_lds_unknown() is done.
};

/** What @p u is. False: no load from LDS. */
bool lull_jit_lds(const struct lull_uop *u, struct lull_jit_lds *ret);
/** VGPRs that a wave must have for @p l. */
unsigned lull_jit_lds_nvgprs(const struct lull_jit_lds *l);

/** Number of the size of an element, for lull_jit_lds_begin(). */
unsigned lull_jit_lds_size(unsigned bytes);
/** Before the strips of a region: base and limits, of elements of the sizes whose numbers' bits are
 * in @p sizes. */
void lull_jit_lds_begin(struct lull_jit_window *q, unsigned sizes);
/** r8 is the base again, behind a call. */
void lull_jit_lds_base(struct lull_x86 *x);
/** Before the strips, and behind a call: nothing is known of where lanes stand. */
void lull_jit_lds_unknown(struct lull_x86 *x);
void lull_jit_emit_lds(struct lull_jit_window *q, const struct lull_jit_lds *l,
                       struct lull_jit_lds_known *known);
/** VGPR @p vgpr has another value now. */
void lull_jit_lds_forget(struct lull_jit_lds_known *known, uint32_t vgpr);

#endif
