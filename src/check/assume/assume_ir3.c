// SPDX-License-Identifier: MIT
#include "check/assume/assume_ir3.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "check/checks.h"
#include "isa/ir3/assume.h"

static void tell(struct lull_assume_ir3 *a, const struct lull_observed *at, unsigned row)
{
    const struct lull_ir3_assume_row *r = &lull_ir3_assume_rows[row];
    struct lull_check_site sites[2] = {
        {.there = true, .whole = true, .pc = at->pc, .wave = at->place, .lanes = at->lanes}};
    memcpy(sites[0].workgroup, at->workgroup, sizeof sites[0].workgroup);
    struct lull_finding *f = lull_checks_late(a->checks, "assumptions", r->name, 0, sites, 1);
    if (f != NULL && f->count == 1) {
        f->fact = true;
        f->sites[0].insn = lull_check_insn_text(at);
        f->sites[0].does = lull_check_text("takes for granted: %s: %s", r->values[0], r->decides);
        f->note = lull_check_text("%s (%s)", r->why, r->source);
    }
}

static void before(struct lull_observer *o, const struct lull_observed *at)
{
    (void)at;
    ((struct lull_assume_ir3 *)o)->sums->executed++;
}

static void rests(struct lull_observer *o, const struct lull_observed *at, uint32_t rows)
{
    struct lull_assume_ir3 *a = (struct lull_assume_ir3 *)o;
    a->sums->rest++;
    a->sums->rows |= rows;
    for (; rows != 0; rows &= rows - 1) {
        tell(a, at, (unsigned)__builtin_ctz(rows));
    }
}

void lull_assume_ir3_init(struct lull_assume_ir3 *a, struct lull_checks *checks,
                          struct lull_assumed *sums)
{
    *a = (struct lull_assume_ir3){
        .o = {.before = before, .rests = rests}, .checks = checks, .sums = sums};
}
