// SPDX-License-Identifier: MIT
/** @file
 * What a dump of an a6xx has besides its registers: those of the context, by cluster, and memories
 * of shader processors. The tables are made from data/adreno/a6xx.dumped
 * (docs/formats/dumped-table.md).
 */
#ifndef LULL_VDRM_MSM_DUMPED_H
#define LULL_VDRM_MSM_DUMPED_H

#include <stdint.h>

#include "base/str.h"

struct lull_vdm;
struct lull_vdm_job;

/** Registers from the first to the last. All zero: the end. */
struct lull_vdm_range {
    uint32_t first, last;
};

struct lull_vdm_cluster {
    const char *name; ///< NULL: the end of the table.
    const char *chip; ///< Whose it is; NULL: of all.
    const struct lull_vdm_range *ranges;
};

struct lull_vdm_block {
    const char *name; ///< NULL: the end of the table.
    uint32_t dwords;
};

extern const struct lull_vdm_cluster lull_vdm_clusters[];
extern const struct lull_vdm_block lull_vdm_blocks[];

/** "shader-blocks:": the instructions that waves of a dispatch run. @p job: whose it is. */
void lull_vdm_show_blocks(struct lull_vdm *d, const struct lull_vdm_job *job, struct lull_str *out);
/** "clusters:": the registers of the context that the model has, the first; of the second none. */
void lull_vdm_show_clusters(struct lull_vdm *d, struct lull_str *out);

#endif
