// SPDX-License-Identifier: MIT
/** @file
 * Which instructions sample images and gather from them. Source: SPIR-V 1.6, "Image Instructions".
 */
#ifndef LULL_FRONT_SAMPLE_OP_H
#define LULL_FRONT_SAMPLE_OP_H

#include <stdbool.h>
#include <stdint.h>

struct lull_fr_sample_op {
    uint32_t op;
    bool gather, dref, proj, is_explicit;
};

/** NULL: @p op does neither. */
const struct lull_fr_sample_op *lull_fr_sample_op(uint32_t op);

#endif
