// SPDX-License-Identifier: MIT
/** @file
 * Registers of a kernel from outside: code before the kernel loads what they begin with, code
 * behind it stores what they end with. So shaders of stages other than compute run by hand-set
 * inputs, on whatever runs compute shaders.
 *
 * The table in between lies in a buffer, a row for each invocation of a group. The code needs a
 * register above those of the kernel.
 */
#ifndef LULL_TARGET_ADRENO_WRAP_H
#define LULL_TARGET_ADRENO_WRAP_H

#include "target/adreno/device.h"

enum { LULL_ADRENO_SETS = 1024, LULL_ADRENO_OUTS = 128 };

/** A component of a register: 4 times its number, and 0 to 3. */
struct lull_adreno_reg {
    unsigned reg;
    bool half;
};

/** What one begins with. The last one for it counts. */
struct lull_adreno_set {
    struct lull_adreno_reg reg;
    int invocation; ///< In its group; negative: all.
    uint32_t value;
};

/** Zero-initialise, fill sets and outs; lull_adreno_wrap_done() at the end. */
struct lull_adreno_wrap {
    struct lull_adreno_set sets[LULL_ADRENO_SETS];
    size_t nsets;
    struct lull_adreno_reg outs[LULL_ADRENO_OUTS];
    size_t nouts;
    /* After lull_adreno_wrap_make(): */
    uint64_t *words; ///< Owned.
    size_t nwords;
    size_t before; ///< Instructions before the kernel's first.
    const struct lull_msm_bo *table;
    uint32_t row; ///< Dwords.
};

/** One more of sets; false: there are too many. */
bool lull_adreno_wrap_set(struct lull_adreno_wrap *w, struct lull_adreno_reg reg, int invocation,
                          uint32_t value);

/** The code, and the table; @p k gets what the code needs, too. */
struct lull_error *lull_adreno_wrap_make(struct lull_adreno_wrap *w, struct lull_adreno_device *d,
                                         const struct lull_ir3_shader *shader, unsigned gpu_id,
                                         struct lull_adreno_kernel *k) LULL_MUST_USE;
void lull_adreno_wrap_done(struct lull_adreno_wrap *w);

/** What outs[@p out] of @p invocation has in the end. False: it was killed before. */
bool lull_adreno_wrap_out(const struct lull_adreno_wrap *w, unsigned invocation, size_t out,
                          uint32_t *ret);

#endif
