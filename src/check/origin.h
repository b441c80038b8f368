// SPDX-License-Identifier: MIT
/** @file
 * Where marked values come from: a number for each place, which goes with the mark.
 */
#ifndef LULL_CHECK_ORIGIN_H
#define LULL_CHECK_ORIGIN_H

#include <stdint.h>

#include "check/checks.h"

/** All of a run; by number from 1. Zero: none. What a module keeps: lull_check_module.own_bytes. */
struct lull_origins {
    struct lull_origin *at;
    uint32_t n, room;
};

/** The one at @p pc of kind @p kind, the caller's; 0: there is none. */
uint32_t lull_origin_find(const struct lull_origins *all, uint64_t pc, unsigned kind);

/** One that is not there yet. @p does: its site's, memory of lull_check_text(), is taken. 0: no
 * memory, which is told as lost. */
uint32_t lull_origin_add(struct lull_origins *all, const struct lull_check_now *n, uint64_t pc,
                         unsigned kind, unsigned lane, char *does);

/** lull_check_module.done. */
void lull_origins_done(void *origins);

unsigned lull_origin_kind(const struct lull_origins *all, uint32_t number);
uint64_t lull_origin_pc(const struct lull_origins *all, uint32_t number);

/** The site for a finding, which owns it; @p number 0: none. */
struct lull_check_site lull_origin_site(const struct lull_origins *all, uint32_t number);

#endif
