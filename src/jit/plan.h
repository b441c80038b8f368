// SPDX-License-Identifier: MIT
/** @file
 * A template before it is put into registers: which of its values are known because operands are
 * constants, which are others under another name, and how often each is used by what is left.
 */
#ifndef LULL_JIT_PLAN_H
#define LULL_JIT_PLAN_H

#include <stdbool.h>

#include "jit/template.h"

struct lull_jit_value {
    uint8_t uses; ///< By operations that are left, and as a result.
    uint8_t same; ///< The value that this is: itself, or an earlier one.
    bool known;   ///< It is @c constant in all lanes.
    uint32_t constant;
};

/** Of the values of a template: only as many as it has are filled. */
struct lull_jit_plan {
    struct lull_jit_value v[LULL_JIT_MAX_VALUES];
};

/** Values of @p t; the caller has filled those of the parameters. */
void lull_jit_plan(struct lull_jit_plan *p, const struct lull_jit_target *target,
                   const struct lull_jit_template *t);

/** Whether @p o of a template is left: its result is used, not known, and no other value. */
static inline bool lull_jit_is_left(const struct lull_jit_plan *p, const struct lull_jit_op *o)
{
    const struct lull_jit_value *d = &p->v[o->d];
    return d->uses != 0 && !d->known && d->same == o->d;
}

#endif
