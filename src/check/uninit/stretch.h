// SPDX-License-Identifier: MIT
/** @file
 * Of uninit.c, instructions that are executed as a whole: those that read nothing that differs.
 */
#ifndef LULL_CHECK_UNINIT_STRETCH_H
#define LULL_CHECK_UNINIT_STRETCH_H

#include "check/uninit/wave.h"

/** What is known of a stretch. */
struct lull_uninit_sum {
    struct lull_uninit_regs reads;       ///< That no instruction of it wrote before.
    struct lull_uninit_regs writes;      ///< All.
    struct lull_uninit_regs parts;       ///< Of those, registers that may keep something of before.
    uint64_t sets[LULL_TWIN_VGPRS / 64]; ///< As in struct lull_uninit_plan.
};

/** Of struct lull_check_module. */
bool lull_uninit_stands(const void *plan);
void lull_uninit_sum(const struct lull_check_now *n, struct lull_check_stretch *s, unsigned count,
                     void *ret);

/** Does none of what @p s reads or keeps differ, in @p w before it? */
bool lull_uninit_is_calm(const struct lull_uninit_wave *w, const struct lull_uninit_sum *s,
                         uint64_t active);

/** What it writes does not differ any more. */
void lull_uninit_pass(struct lull_uninit_wave *w, const struct lull_uninit_sum *s, uint64_t active);

#endif
