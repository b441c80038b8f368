// SPDX-License-Identifier: MIT
#include "jit/plan.h"

#include "jit/fold.h"

static struct lull_jit_fact fact(const struct lull_jit_plan *p, int value)
{
    struct lull_jit_fact ret = {0};
    if (value >= 0) {
        ret.known = p->v[value].known;
        ret.v = p->v[value].constant;
    }
    return ret;
}

/** Of the second operand, a value or a constant of the template. */
static struct lull_jit_fact second(const struct lull_jit_plan *p, const struct lull_jit_target *t,
                                   const struct lull_jit_op *o)
{
    if (o->s2 >= 0 || o->konst < 0) {
        return fact(p, o->s2);
    }
    struct lull_jit_fact ret = {0};
    ret.known = lull_jit_fold_const(t, o->konst, &ret.v);
    return ret;
}

/** Whether the result of @p o is known, as all operands are. */
static bool all_known(const struct lull_jit_target *t, const struct lull_jit_op *o,
                      struct lull_jit_fact a, struct lull_jit_fact b, uint32_t *ret)
{
    if (o->kd != 0 || o->k >= 0) {
        return false;
    }
    if (o->form == LULL_JIT_A64) {
        return o->konst >= 0 && lull_jit_fold_const(t, o->konst, ret);
    }
    if (lull_jit_fold_load(t, o, ret) || (a.known && lull_jit_fold_shuffle(t, o, a.v, ret))) {
        return true;
    }
    const bool none = o->s2 < 0 && o->konst < 0;
    return (o->s1 < 0 || a.known) && (none || b.known) && o->s3 < 0 &&
           lull_jit_fold(o, a.v, b.v, ret);
}

static bool is_known(const struct lull_jit_plan *p, int value)
{
    return value >= 0 && p->v[value].known;
}

/** Whether no operand of @p o is known, and its result is not another value, either. */
static bool is_open(const struct lull_jit_plan *p, const struct lull_jit_op *o)
{
    const bool register_form = o->form == LULL_JIT_RVM || o->form == LULL_JIT_RM ||
                               o->form == LULL_JIT_MR || o->form == LULL_JIT_RVMR;
    return register_form && o->konst < 0 && !is_known(p, o->s1) && !is_known(p, o->s2) &&
           !is_known(p, o->s3) && (o->s1 >= 0 || o->s2 >= 0);
}

static void result_of(struct lull_jit_plan *p, const struct lull_jit_target *t,
                      const struct lull_jit_op *o)
{
    struct lull_jit_value d = {.same = (uint8_t)o->d};
    if (is_open(p, o)) {
        p->v[o->d] = d;
        return;
    }
    const struct lull_jit_fact a = fact(p, o->s1), b = second(p, t, o);
    d.known = all_known(t, o, a, b, &d.constant);
    const enum lull_jit_part part =
        d.known ? LULL_JIT_PART_NONE : lull_jit_fold_part(o, a, b, fact(p, o->s3));
    if (part == LULL_JIT_PART_ZERO) {
        d.known = true;
    } else if (part == LULL_JIT_PART_FIRST) {
        d = p->v[o->s1];
    } else if (part == LULL_JIT_PART_SECOND && o->s2 >= 0) {
        d = p->v[o->s2];
    } else if (part == LULL_JIT_PART_SECOND) {
        d.known = b.known;
        d.constant = b.v;
    }
    d.uses = 0;
    p->v[o->d] = d;
}

static void use(struct lull_jit_plan *p, int value)
{
    if (value >= 0) {
        p->v[p->v[value].same].uses++;
    }
}

void lull_jit_plan(struct lull_jit_plan *p, const struct lull_jit_target *target,
                   const struct lull_jit_template *t)
{
    const struct lull_jit_op *ops = &target->ops[t->first];
    for (unsigned i = 0; i < t->n; i++) {
        result_of(p, target, &ops[i]);
    }
    use(p, t->d);
    use(p, t->dh);
    use(p, t->e);
    use(p, t->doubt);
    for (unsigned i = t->n; i-- != 0;) {
        if (lull_jit_is_left(p, &ops[i])) {
            use(p, ops[i].s1);
            use(p, ops[i].s2);
            use(p, ops[i].s3);
            use(p, ops[i].k);
        }
    }
}
