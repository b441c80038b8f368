// SPDX-License-Identifier: MIT
/** @file
 * Launching machine code without an ELF file around it, as test suites do.
 *
 * s[0:1] is the address of a table of 64-bit buffer addresses; the workgroup's ids follow the
 * user SGPRs as RSRC2 enables them; v0 holds the work-item's ids, 10 bits each. Scratch is set up
 * as amdhsa does on gfx11: through FLAT_SCRATCH, by hardware.
 */
#ifndef LULL_TARGET_AMD_RAW_H
#define LULL_TARGET_AMD_RAW_H

#include "target/amd/device.h"

struct lull_raw {
    uint64_t code_va, table_va;
    uint32_t groups[3]; ///< Workgroups, not work-items.
    uint32_t block[3];  ///< Work-items in a workgroup, at most 1024 in all.
    unsigned wave_size; ///< 32 or 64.
    uint32_t rsrc1; ///< COMPUTE_PGM_RSRC1; 0: as many VGPRs as fit, else as .amdhsa_*: IEEE mode,
                    ///< denormals of f32 flushed, those of f16 and f64 kept.
    uint32_t rsrc2; ///< COMPUTE_PGM_RSRC2; 0: 2 user SGPRs, 3 workgroup ids, 3 work-item ids.
    uint32_t lds_bytes;     ///< Per workgroup; RSRC2.LDS_SIZE counts if it is more.
    uint32_t scratch_bytes; ///< Per lane.
};

/** LULL_ERR_INVALID if a number does not fit the hardware. */
struct lull_error *lull_raw_dispatch(const struct lull_raw *raw,
                                     struct lull_amd_dispatch *ret) LULL_MUST_USE;

#endif
