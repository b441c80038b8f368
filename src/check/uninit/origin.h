// SPDX-License-Identifier: MIT
/** @file
 * Where values come from that nothing wrote: a number for each place at which one was read first,
 * and by register, byte of local and of scratch memory that number.
 */
#ifndef LULL_CHECK_UNINIT_ORIGIN_H
#define LULL_CHECK_UNINIT_ORIGIN_H

#include <stdint.h>

#include "check/checks.h"

enum lull_origin_kind { LULL_ORIGIN_REGISTER, LULL_ORIGIN_LOCAL, LULL_ORIGIN_SCRATCH };

struct lull_origin {
    enum lull_origin_kind kind;
    uint64_t pc;
    uint32_t place; ///< Register by operand number; byte.
    struct lull_check_site site;
};

/** All of a run; by number from 1. Zero: none. */
struct lull_origins {
    struct lull_origin *at;
    uint32_t n, room;
};

/** The origin at the instruction at hand, which is new or was there. 0: no memory. */
uint32_t lull_origin(struct lull_origins *all, const struct lull_check_now *n,
                     enum lull_origin_kind kind, uint32_t place, unsigned lane);
void lull_origins_free(struct lull_origins *all);

/** The first site of a finding: memory of the caller's. */
struct lull_check_site lull_origin_site(const struct lull_origins *all, uint32_t number);

#endif
