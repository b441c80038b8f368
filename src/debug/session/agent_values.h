// SPDX-License-Identifier: MIT
/** @file
 * Values of a dprintf by registers that were written down, and which registers these are.
 */
#ifndef LULL_DEBUG_SESSION_AGENT_VALUES_H
#define LULL_DEBUG_SESSION_AGENT_VALUES_H

#include "debug/session/dprintf.h"
#include "instrument/records.h"

enum { LULL_AGENT_REGS = 32 };

/** What an expression's registers are: those of a record, or (no dump) any, which are noted. */
struct lull_agent_scope {
    const struct lull_dump *dump;
    const struct lull_dump_record *record;
    unsigned lanes;
    uint16_t regs[LULL_AGENT_REGS]; ///< Of struct lull_arch.
    unsigned nregs;
};

/** The values of @p p into @p ret, one lane each. */
struct lull_error *lull_agent_values(struct lull_agent_scope *s, const struct lull_dprintf *p,
                                     struct lull_value *ret) LULL_MUST_USE;
/** The registers that @p b needs, as numbers of struct lull_arch. False: there is more to it. */
bool lull_agent_needs(const struct lull_breakpoint *b, unsigned lanes,
                      struct lull_agent_scope *ret);
/** Can @p b be done without stopping: registers of a wave alone, no condition, a target that has
 * memory, somebody who listens? */
bool lull_agent_can(const struct lull_debug *d, const struct lull_breakpoint *b);

#endif
