// SPDX-License-Identifier: MIT
// Category 0: who goes where. The rule is in wave.h.
#include "model/adreno/exec/wave.h"

static struct lull_ir3_mask both(struct lull_ir3_mask a, struct lull_ir3_mask b)
{
    return (struct lull_ir3_mask){{a.w[0] & b.w[0], a.w[1] & b.w[1]}};
}

static struct lull_ir3_mask either(struct lull_ir3_mask a, struct lull_ir3_mask b)
{
    return (struct lull_ir3_mask){{a.w[0] | b.w[0], a.w[1] | b.w[1]}};
}

static struct lull_ir3_mask without(struct lull_ir3_mask a, struct lull_ir3_mask b)
{
    return (struct lull_ir3_mask){{a.w[0] & ~b.w[0], a.w[1] & ~b.w[1]}};
}

static void park(struct lull_ir3_wave *w, uint32_t pc, struct lull_ir3_mask mask)
{
    if (lull_ir3_none(&mask)) {
        return;
    }
    for (unsigned i = 0; i < w->nparked; i++) {
        if (w->parked[i].pc == pc) {
            w->parked[i].mask = either(w->parked[i].mask, mask);
            return;
        }
    }
    if (w->nparked == LULL_IR3_PARKED) {
        lull_ir3_wrong(w, "fibers wait at more than %u places", LULL_IR3_PARKED);
        return;
    }
    w->parked[w->nparked++] = (struct lull_ir3_parked){pc, mask};
}

/** Those at the lowest address go on. */
void lull_ir3_settle(struct lull_ir3_wave *w, const struct lull_ir3_env *env)
{
    unsigned best = w->nparked;
    for (unsigned i = 0; i < w->nparked; i++) {
        if (best == w->nparked || w->parked[i].pc < w->parked[best].pc) {
            best = i;
        }
    }
    if (best == w->nparked) {
        if (lull_ir3_none(&w->exec)) {
            w->status = LULL_IR3_ENDED;
        }
        return;
    }
    const struct lull_ir3_parked p = w->parked[best];
    const bool idle = lull_ir3_none(&w->exec);
    if (!idle && p.pc > w->pc) {
        return;
    }
    w->parked[best] = w->parked[--w->nparked];
    if (!idle && p.pc == w->pc) {
        w->bad_joins += p.pc < env->program->n && !env->program->steps[p.pc].in.m.jp;
        w->joined = true;
        w->exec = either(w->exec, p.mask);
        return;
    }
    if (!idle) {
        park(w, w->pc, w->exec);
    }
    w->pc = p.pc;
    w->exec = p.mask;
}

/** The fibers of @p taken go to @p target, the others on. */
static void split(struct lull_ir3_wave *w, struct lull_ir3_mask taken, uint32_t target)
{
    const struct lull_ir3_mask stay = without(w->exec, taken);
    taken = both(taken, w->exec);
    const uint32_t next = w->pc + 1;
    if (lull_ir3_none(&stay)) {
        w->pc = target;
    } else if (lull_ir3_none(&taken)) {
        w->pc = next;
    } else {
        const bool forward = target > next;
        park(w, forward ? target : next, forward ? taken : stay);
        w->exec = forward ? stay : taken;
        w->pc = forward ? next : target;
    }
}

static struct lull_ir3_mask condition(const struct lull_ir3_wave *w,
                                      const struct lull_ir3_operand *o)
{
    const struct lull_ir3_mask p = w->p[o->value & 3];
    return o->inv ? (struct lull_ir3_mask){{~p.w[0], ~p.w[1]}} : p;
}

/** The active fibers of the first group of 8 that has any, but the last of them. */
static struct lull_ir3_mask first_eight_but_last(const struct lull_ir3_wave *w)
{
    const struct lull_ir3_mask on = lull_ir3_active(w);
    const unsigned first = lull_ir3_first(&on) & ~7u;
    struct lull_ir3_mask m = {{0, 0}};
    if (first < LULL_IR3_FIBERS) {
        const uint64_t eight = on.w[first / 64] >> (first & 63) & 0xff;
        const unsigned last = 63 - (unsigned)__builtin_clzll(eight);
        m.w[first / 64] = (eight & ~(UINT64_C(1) << last)) << (first & 63);
    }
    return m;
}

static struct lull_ir3_mask all_but_one(const struct lull_ir3_wave *w,
                                        const struct lull_ir3_env *env)
{
    struct lull_ir3_mask m = w->exec;
    unsigned one = lull_ir3_first(&m);
    if (__builtin_popcountll(m.w[0]) + __builtin_popcountll(m.w[1]) > 1) {
        lull_ir3_rests(env, LULL_IR3_ASSUME_GETONE);
    }
    if (lull_ir3_assumes(&env->assume, LULL_IR3_ASSUME_GETONE, LULL_IR3_ASSUME_GETONE_LAST)) {
        one = m.w[1] != 0   ? 127 - (unsigned)__builtin_clzll(m.w[1])
              : m.w[0] != 0 ? 63 - (unsigned)__builtin_clzll(m.w[0])
                            : LULL_IR3_FIBERS;
    }
    if (one < LULL_IR3_FIBERS) {
        m.w[one / 64] &= ~(UINT64_C(1) << (one & 63));
    }
    return m;
}

static bool branch(struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                   const struct lull_ir3_insn *in, uint32_t target)
{
    const struct lull_ir3_mask none = {{0, 0}};
    const struct lull_ir3_mask a = in->nsrc > 0 ? condition(w, &in->src[0]) : none;
    const struct lull_ir3_mask on = both(w->exec, a);
    bool all = false;
    switch ((unsigned)in->op) {
    case LULL_IR3_OP_BR:
        split(w, a, target);
        return true;
    case LULL_IR3_OP_BRAO:
        split(w, either(a, condition(w, &in->src[1])), target);
        return true;
    case LULL_IR3_OP_BRAA:
        split(w, both(a, condition(w, &in->src[1])), target);
        return true;
    case LULL_IR3_OP_BANY:
        all = !lull_ir3_none(&on);
        break;
    case LULL_IR3_OP_BALL:
        all = on.w[0] == w->exec.w[0] && on.w[1] == w->exec.w[1];
        break;
    case LULL_IR3_OP_JUMP:
        all = true;
        break;
    case LULL_IR3_OP_GETONE:
        split(w, all_but_one(w, env), target);
        return true;
    case LULL_IR3_OP_GETLAST:
        split(w, first_eight_but_last(w), target);
        return true;
    default:
        return false;
    }
    split(w, all ? w->exec : none, target);
    return true;
}

static bool call(struct lull_ir3_wave *w, const struct lull_ir3_insn *in, uint32_t target)
{
    if (in->op == LULL_IR3_OP_CALL) {
        if (w->ncalls == LULL_IR3_CALLS) {
            lull_ir3_wrong(w, "more than %u calls in each other", LULL_IR3_CALLS);
            return true;
        }
        w->calls[w->ncalls++] = w->pc + 1;
        w->pc = target;
        return true;
    }
    if (w->ncalls == 0) {
        lull_ir3_wrong(w, "ret without a call");
        return true;
    }
    w->pc = w->calls[--w->ncalls];
    return true;
}

static void end(struct lull_ir3_wave *w)
{
    w->exec = (struct lull_ir3_mask){{0, 0}};
    w->pred = LULL_IR3_PRED_NONE;
}

/** What does not branch. */
static bool plain(struct lull_ir3_wave *w, struct lull_ir3_env *env, const struct lull_ir3_insn *in)
{
    switch ((unsigned)in->op) {
    case LULL_IR3_OP_PREDT:
    case LULL_IR3_OP_PREDF:
        // p0.x of all fibers, whether they are on or not.
        w->pred_mask = w->p[0];
        w->pred = in->op == LULL_IR3_OP_PREDT ? LULL_IR3_PRED_TRUE : LULL_IR3_PRED_FALSE;
        break;
    case LULL_IR3_OP_PREDE:
        w->pred = LULL_IR3_PRED_NONE;
        break;
    case LULL_IR3_OP_SHPE:
        *env->preamble_done = true;
        break;
    case LULL_IR3_OP_BAR:
        w->status = LULL_IR3_BARRIER;
        break;
    case LULL_IR3_OP_NOP:
    case LULL_IR3_OP_FENCE:
    case LULL_IR3_OP_SLEEP:
    case LULL_IR3_OP_ICINV:
    case LULL_IR3_OP_DCCLN:
    case LULL_IR3_OP_DCINV:
    case LULL_IR3_OP_DCFLU:
    case LULL_IR3_OP_CCINV:
    case LULL_IR3_OP_TCINV:
    case LULL_IR3_OP_LOCK:
    case LULL_IR3_OP_UNLOCK:
        break;
    default:
        return false;
    }
    w->pc++;
    return true;
}

bool lull_ir3_do_flow(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                      const struct lull_ir3_insn *in)
{
    const uint32_t target = w->pc + (uint32_t)in->target;
    bool done = true;
    if (in->op == LULL_IR3_OP_END) {
        end(w);
    } else if (in->op == LULL_IR3_OP_CALL || in->op == LULL_IR3_OP_RET) {
        (void)call(w, in, target);
    } else if (in->op == LULL_IR3_OP_SHPS) {
        split(w, *env->preamble_done ? w->exec : (struct lull_ir3_mask){{0, 0}}, target);
    } else {
        done = branch(w, env, in, target) || plain(w, env, in);
    }
    if (done && w->status != LULL_IR3_FAULT) {
        lull_ir3_settle(w, env);
    }
    return done;
}
