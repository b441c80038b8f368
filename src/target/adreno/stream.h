// SPDX-License-Identifier: MIT
/** @file
 * The command buffer of a dispatch. For src/target/adreno/ only.
 */
#ifndef LULL_TARGET_ADRENO_STREAM_H
#define LULL_TARGET_ADRENO_STREAM_H

#include "cmd/adreno_build.h"
#include "target/adreno/device.h"

/** A dispatch whose things have addresses. */
struct lull_adreno_dispatch {
    const struct lull_achip *chip;
    const struct lull_adreno_launch *launch;
    uint64_t code;        ///< Address of the code.
    uint32_t code_units;  ///< 16 instructions each.
    uint64_t descriptors; ///< Of storage buffers, one after the other.
    uint64_t bindless;    ///< Of all buffers, one after the other: each heap's.
    uint64_t priv;        ///< Private memory; 0: none.
};

enum { LULL_ADRENO_DESCRIPTOR = 16, LULL_ADRENO_CODE_UNIT = 16 };

/** Bytes of private memory of the whole GPU. */
uint64_t lull_adreno_private_bytes(const struct lull_adreno_kernel *k,
                                   const struct lull_achip *chip);

/** The descriptor of @p b at @p address. */
struct lull_error *lull_adreno_descriptor(unsigned gen, uint64_t address,
                                          const struct lull_adreno_buffer *b,
                                          uint32_t ret[LULL_ADRENO_DESCRIPTOR]) LULL_MUST_USE;

/** Write the packets to @p b. */
void lull_adreno_stream(struct lull_abuild *b, const struct lull_adreno_dispatch *d);

#endif
