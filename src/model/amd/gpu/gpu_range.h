// SPDX-License-Identifier: MIT
/** @file
 * Which of a dispatch's workgroups are not launched yet.
 */
#ifndef LULL_MODEL_AMD_GPU_RANGE_H
#define LULL_MODEL_AMD_GPU_RANGE_H

#include <stdint.h>

struct lull_work;

/** Workgroups by their numbers: first x, then y, then z. Empty where next is end. */
struct lull_work_range {
    uint64_t next, end;
};

/** The last range is what nobody has begun; those before it are cut off from its start by threads
 * (gpu_share.c), so all that has a lower number comes first. */
enum { LULL_WORK_RANGES = 32, LULL_WORK_REST = LULL_WORK_RANGES - 1 };

/** All workgroups of @p d are in its last range. */
void lull_range_all(struct lull_work *d);
/** The ids of workgroup @p number of @p d. */
void lull_range_ids(const struct lull_work *d, uint64_t number, uint32_t ret[3]);
/** The first range that is not empty, nor held; LULL_WORK_RANGES: there is none. */
unsigned lull_range_first(const struct lull_work *d);
/** Workgroup range[range].next of @p d has been launched. */
void lull_range_took(struct lull_work *d, unsigned range);
/** Hold a range of at most @p n workgroups that are the next of @p range. @return Which;
 * LULL_WORK_RANGES: there is none. */
unsigned lull_range_hold(struct lull_work *d, unsigned range, uint64_t n);
/** It is held no more, and goes on at number @p next. */
void lull_range_give(struct lull_work *d, unsigned range, uint64_t next);

#endif
