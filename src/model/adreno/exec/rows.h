// SPDX-License-Identifier: MIT
/** @file
 * Loops over the fibers of a wave, compiled once per kind of host: the rows of ir3.sem by its
 * floating-point unit, and what stands around them: modifiers, halves, who is on.
 */
#ifndef LULL_MODEL_ADRENO_EXEC_ROWS_H
#define LULL_MODEL_ADRENO_EXEC_ROWS_H

#include <stddef.h>

#include "model/adreno/exec/alu.h"

enum {
    LULL_IR3_ALU_MOST = 128, ///< Fibers of a wave.
    LULL_IR3_ALU_PART = 32,  ///< They come in parts of so many.
};

#ifndef LULL_IR3_HOST_NAME
#define LULL_IR3_HOST_NAME base
#endif
#define LULL_IR3_HOST_JOINED(host, name) lull_ir3_##host##_##name
#define LULL_IR3_HOST_OF(host, name) LULL_IR3_HOST_JOINED(host, name)
#define LULL_IR3_HOST(name) LULL_IR3_HOST_OF(LULL_IR3_HOST_NAME, name)

/** What a row computes of @p x into @p d, which may be one of its sources, with MODE in the host's
 * unit (fp_host.h). @return 0; else the host cannot say it, and @p d is as it was. */
typedef int32_t lull_ir3_host_fn(const struct lull_ir3_alu_in *x, uint32_t *d);

/** @p n fibers, as many as a wave has. @p on: a bit for each. */
struct lull_ir3_host_tools {
    lull_ir3_host_fn *const *rows; ///< As lull_ir3_alu_rows; NULL: none.
    /** The halves at bit @p shift of @p from. */
    void (*halves)(uint32_t *to, const uint32_t *from, unsigned shift, unsigned n);
    /** @p v & @p keep ^ @p flip. */
    void (*bits)(uint32_t *v, uint32_t keep, uint32_t flip, unsigned n);
    void (*fill)(uint32_t *to, uint32_t value, unsigned n);
    /** Bits @p mask of @p to become those of @p from, shifted left by @p shift, of who is on. */
    void (*merge)(uint32_t *to, const uint32_t *from, unsigned shift, uint32_t mask,
                  const uint64_t on[2], unsigned n);
    /** A bit for each that is not 0. */
    void (*nonzero)(const uint32_t *v, uint64_t ret[2], unsigned n);
    /** The least and the greatest. */
    void (*span)(const uint32_t *v, uint32_t ret[2], unsigned n);
    /** Is each 4 more than the one before? */
    bool (*in_a_row)(const uint32_t *v, unsigned n);
    /** Words of memory at @p at, to registers. */
    void (*gather)(uint32_t *to, const uint8_t *from, const uint32_t *at, unsigned n);
};

/** Those of this machine. */
const struct lull_ir3_host_tools *lull_ir3_host(void);

extern const struct lull_ir3_host_tools lull_ir3_base_tools;
#if defined(__x86_64__)
extern const struct lull_ir3_host_tools lull_ir3_v3_tools; ///< x86-64-v3: AVX2, FMA.
#endif
extern lull_ir3_host_fn *const LULL_IR3_HOST(rows)[];

/** The end of a row: its results @p r if there is no @p doubt. */
static inline int32_t lull_ir3_alu_done(int32_t doubt, unsigned n, const uint32_t *r, uint32_t *d)
{
    for (unsigned i = 0; doubt == 0 && i < n; i++) {
        d[i] = r[i];
    }
    return doubt;
}

#endif
