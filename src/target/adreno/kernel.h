// SPDX-License-Identifier: MIT
/** @file
 * A kernel of ir3 as its headers describe it: what a dispatch must set up.
 *
 * Headers are those of Mesa's computerator and of its listings (docs/formats/ir3.md). Source: Mesa
 * 25.0.7 src/freedreno/computerator (what they mean), ir3/ir3.c (sizes of waves).
 */
#ifndef LULL_TARGET_ADRENO_KERNEL_H
#define LULL_TARGET_ADRENO_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "hw/achips.h"
#include "isa/ir3/ir3.h"

enum {
    LULL_ADRENO_BUFFERS = 16, ///< Storage and uniform buffers of a kernel.
    LULL_ADRENO_CONSTS = 512 * 4,
    LULL_ADRENO_NO_REG = 63 << 2, ///< r63.x.
};

/** @buf or @ubo. */
struct lull_adreno_buffer {
    bool uniform;
    uint32_t dwords;
    const uint32_t *init; ///< Its first dwords; borrowed from the header.
    size_t ninit;
    int address; ///< Two constants from here on get its address; negative: none.
};

/** Zeros, but no_reg where there is none. */
struct lull_adreno_kernel {
    uint32_t local[3]; ///< Invocations of a group.
    struct lull_adreno_buffer buffers[LULL_ADRENO_BUFFERS];
    unsigned nbuffers;
    uint32_t consts[LULL_ADRENO_CONSTS];
    unsigned nconsts;               ///< Dwords that the code may read, in whole vectors.
    uint8_t local_id, group_id;     ///< Registers, 4 times their number; or LULL_ADRENO_NO_REG.
    uint8_t linear_id;              ///< The same: the invocation's number in its group.
    int groups_const;               ///< Three constants from here on: how many groups; or negative.
    uint32_t branches;              ///< @branchstack
    uint32_t private_bytes, shared; ///< @pvtmem, of a fiber; @localmem, in bytes.
    bool early_preamble;
    unsigned registers; ///< Full registers of four components that it uses.
};

/** What the headers and the code of @p shader say. @p local: invocations of a group, if it does not
 * say. LULL_ERR_INVALID names a line. */
struct lull_error *lull_adreno_kernel_of(const struct lull_ir3_shader *shader, unsigned gpu_id,
                                         unsigned local,
                                         struct lull_adreno_kernel *ret) LULL_MUST_USE;

/** Add headers of another text: those of an option. */
struct lull_error *lull_adreno_kernel_add(struct lull_adreno_kernel *k,
                                          const struct lull_ir3_header *headers,
                                          size_t n) LULL_MUST_USE;

/** @p n constants from dword @p at on. */
struct lull_error *lull_adreno_kernel_const(struct lull_adreno_kernel *k, unsigned at,
                                            const uint32_t *values, size_t n) LULL_MUST_USE;

/** Full registers of four components that @p words use. */
unsigned lull_adreno_footprint(const uint64_t *words, size_t n, unsigned gpu_id);

/** Does a wave have 128 fibers rather than 64? */
bool lull_adreno_is_wide(const struct lull_adreno_kernel *k, const struct lull_achip *chip);

#endif
