// SPDX-License-Identifier: MIT
/** @file
 * One run of a program in a given order, asked for and answered in bytes, as a pool passes them on.
 */
#ifndef LULL_EXPLORE_TRIAL_H
#define LULL_EXPLORE_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "explore/schedule.h"

enum lull_trial_kind {
    LULL_TRIAL_HOLDS = 'h',  ///< By the holds of the schedule.
    LULL_TRIAL_DRAW = 'd',   ///< An order drawn by `seed`.
    LULL_TRIAL_RECORD = 'r', ///< The same; the answer has the holds that give it.
    LULL_TRIAL_PAIRS = 'p',  ///< As the GPU has it; the answer has holds, each of which turns round
                             ///< the order of two accesses that race.
    LULL_TRIAL_PLACES = 'w', ///< By the holds; the answer says where in the program they are.
};

/** Zero-initialise; lull_schedule_done(&t->schedule) at the end. */
struct lull_trial {
    enum lull_trial_kind kind;
    uint64_t seed; ///< Of DRAW and RECORD.
    struct lull_schedule schedule;
};

void lull_trial_text(const struct lull_trial *t, struct lull_str *out);
/** LULL_ERR_BAD_DATA: it is none. */
struct lull_error *lull_trial_parse(const char *bytes, size_t size,
                                    struct lull_trial *ret) LULL_MUST_USE;

enum lull_outcome_how {
    LULL_OUTCOME_RIGHT = 'p',
    LULL_OUTCOME_WRONG = 'f',
    LULL_OUTCOME_UNFAIR = 'u', ///< It did not end, and a wave still waited by the order.
    LULL_OUTCOME_ERROR = 'e',  ///< It could not run.
};

/** Zero-initialise; lull_outcome_done() at the end. */
struct lull_outcome {
    enum lull_outcome_how how;
    char *text; ///< What is wrong, or of PLACES where the holds are; owned.
    struct lull_schedule schedule;
};

void lull_outcome_text(const struct lull_outcome *o, struct lull_str *out);
/** LULL_ERR_BAD_DATA: it is none. */
struct lull_error *lull_outcome_parse(const char *bytes, size_t size,
                                      struct lull_outcome *ret) LULL_MUST_USE;
void lull_outcome_done(struct lull_outcome *o);

#endif
