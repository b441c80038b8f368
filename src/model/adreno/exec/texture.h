// SPDX-License-Identifier: MIT
/** @file
 * Samples that no instruction asks for.
 */
#ifndef LULL_MODEL_ADRENO_EXEC_TEXTURE_H
#define LULL_MODEL_ADRENO_EXEC_TEXTURE_H

#include "model/adreno/exec/resource.h"

/** A texture prefetch of a fragment shader: SP_FS_PREFETCH_CMD. If it is bindless, that has the
 * heaps where else it has the numbers, and SP_FS_BINDLESS_PREFETCH_CMD has the numbers. Source:
 * Mesa ir3_compiler_nir.c, collect_tex_prefetches(). */
struct lull_ir3_prefetch {
    struct lull_ir3_tables tables;
    uint32_t texture, sampler;
    enum lull_ir3_op op; ///< SAM, or GATHER4R to GATHER4A.
    uint8_t wrmask;      ///< Components that are written: x is 1.
    bool half;           ///< To registers of 16 bits,
    unsigned dst;        ///< from this one on, as in struct lull_ir3_operand.
};

/** Sample for all active fibers of @p w. @p coord: u and v of all fibers, active or not, as floats:
 * the level of detail is made of those of the quad. @return False: @p w has stopped. */
bool lull_ir3_prefetch(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                       const struct lull_ir3_prefetch *p, uint32_t coord[2][LULL_IR3_FIBERS]);

#endif
