// SPDX-License-Identifier: MIT
// Findings.
#include "adreno/lint/lint_priv.h"

const char *lull_lint_rule_name(enum lull_lint_rule rule)
{
    static const char *const names[LULL_LINT_RULES] = {
        [LULL_LINT_NEVER_WRITTEN] = "never written", [LULL_LINT_NO_WAIT] = "no wait",
        [LULL_LINT_STALE_GROUP] = "stale group",     [LULL_LINT_NOT_FLUSHED] = "not flushed",
        [LULL_LINT_SAME_DRAW] = "same draw",
    };
    return names[rule];
}

void lull_lint_tell(struct lull_lint *l, struct lull_cap *c, struct lull_lint_finding *f)
{
    uint64_t *told = &l->told[f->rule][f->reg / 64];
    const uint64_t bit = UINT64_C(1) << f->reg % 64;
    const bool memory = f->rule == LULL_LINT_NOT_FLUSHED || f->rule == LULL_LINT_SAME_DRAW;
    if (!memory && (*told & bit) != 0) {
        return;
    }
    *told |= bit;
    l->findings++;
    f->submit = c->submit;
    f->stream = c->streams - 1; // counted already
    f->packet = f->packet != NULL ? f->packet : c->s.packet;
    l->sink->found(l->sink->ctx, c, f);
}
