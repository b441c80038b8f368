// SPDX-License-Identifier: MIT
#include "check/ir3/ir3.h"

#include "check/ir3/state.h"

static void before(const struct lull_hazard_now *now)
{
    const struct lull_arch_ir3_insn *insn = lull_arch_ir3_of(now->at->insn);
    struct lull_ir3h_now n = {
        .now = now, .at = now->at, .s = now->state, .insn = insn, .in = &insn->in};
    if (now->at->joins && !n.in->m.jp) {
        (void)lull_hazard_found(now, LULL_HAZARD_JOIN, LULL_HAZARD_NO_REG, 0);
    }
    lull_arch_ir3_uses(n.in, insn->gen, n.at->lanes, &n.s->aliases, &n.u);
    lull_ir3h_rules(&n);
}

static const char *const sentences[LULL_HAZARD_KINDS] = {
    [LULL_HAZARD_WAIT_READ] = "reads %R, which %C has yet to write: %M is missing",
    [LULL_HAZARD_WAIT_WRITE] = "writes %R, which %C may write later: %M is missing",
    [LULL_HAZARD_EARLY] = "reads %R of %C too early: %M more, by (nop), (rpt) or other work",
    [LULL_HAZARD_LATE_READ] = "writes %R, which %C may read later: %M is missing",
    [LULL_HAZARD_JOIN] = "fibers that waited here go on with those that come: (jp) is missing",
    [LULL_HAZARD_LDS_RANGE] = "outside of the group's shared memory: reads give 0, writes do "
                              "nothing",
};

const struct lull_hazard_rules lull_hazard_rules_ir3 = {
    .arch = &lull_arch_ir3,
    .by_lane = true,
    .state_bytes = sizeof(struct lull_ir3h_wave),
    .before = before,
    .sentences = sentences,
    .numbered = true,
};
