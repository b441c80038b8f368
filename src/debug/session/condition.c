// SPDX-License-Identifier: MIT
/* Conditions that waves can check by themselves: relations of registers to numbers. A target lets a
 * wave stop only if its test holds; then the whole condition is computed here, as ever. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/session/variables.h"

/** A test that grows: postfix, and of each operand on its stack where it begins. */
struct maker {
    struct lull_break_test *t;
    bool good;
    unsigned depth;
    struct {
        unsigned begin;
        bool any; ///< It may hold: it has no steps.
    } stack[LULL_EXPR_TERMS];
};

static void add_step(struct maker *m, const struct lull_test_step *s)
{
    m->good = m->good && m->t->n < LULL_TEST_STEPS;
    if (m->good) {
        m->t->steps[m->t->n++] = *s;
    }
}

static void push(struct maker *m, const struct lull_test_step *s)
{
    m->stack[m->depth].begin = m->t->n;
    m->stack[m->depth++].any = s == NULL;
    if (s != NULL) {
        add_step(m, s);
    }
}

/** What may hold does not matter behind &&, and all that matters behind ||. */
static void join(struct maker *m, enum lull_test_kind kind)
{
    const bool any[] = {m->stack[m->depth - 2].any, m->stack[m->depth - 1].any};
    m->depth--;
    bool *now = &m->stack[m->depth - 1].any;
    if (!any[0] && !any[1]) {
        add_step(m, &(struct lull_test_step){.kind = kind});
    } else if (kind == LULL_TEST_AND) {
        *now = any[0] && any[1];
    } else {
        *now = true;
        m->t->n = m->stack[m->depth - 1].begin;
    }
}

static void add_terms(struct lull_debug *d, struct maker *m, const struct lull_expr_term *all,
                      size_t n)
{
    static const enum lull_test_kind kinds[] = {
        [LULL_TERM_EQUAL] = LULL_TEST_EQUAL,     [LULL_TERM_DIFFERENT] = LULL_TEST_DIFFERENT,
        [LULL_TERM_LESS] = LULL_TEST_LESS,       [LULL_TERM_GREATER] = LULL_TEST_GREATER,
        [LULL_TERM_AT_MOST] = LULL_TEST_AT_MOST, [LULL_TERM_AT_LEAST] = LULL_TEST_AT_LEAST,
        [LULL_TERM_AND] = LULL_TEST_AND,         [LULL_TERM_OR] = LULL_TEST_OR,
    };
    for (size_t i = 0; i < n; i++) {
        const struct lull_expr_term *x = &all[i];
        struct lull_test_step s = {.is_signed = x->is_signed,
                                   .one_lane = x->one_lane,
                                   .reg.lane = (uint8_t)x->lane,
                                   .number = x->number};
        if (x->kind == LULL_TERM_AND || x->kind == LULL_TERM_OR) {
            join(m, kinds[x->kind]);
            continue;
        }
        s.kind = x->kind != LULL_TERM_ANY ? kinds[x->kind] : LULL_TEST_EQUAL;
        push(m, x->kind != LULL_TERM_ANY && lull_debug_test_place(d, x->ref, &s) ? &s : NULL);
    }
}

/** Behind what @p t has, @p test of a breakpoint; NULL: it has none. @return False: it always
 * stops. */
static bool add_breakpoint(struct lull_debug *d, const struct lull_expr *test,
                           struct lull_break_test *t)
{
    struct lull_expr_term terms[LULL_EXPR_TERMS];
    const struct lull_expr_scope scope = lull_debug_expr_scope(d);
    const bool first = t->n == 0;
    struct maker m = {.t = t, .good = true};
    const size_t n = test != NULL ? lull_expr_terms(&scope, test, terms) : 0;
    if (n == 0) {
        return false;
    }
    add_terms(d, &m, terms, n);
    if (m.good && !m.stack[0].any && !first) {
        add_step(&m, &(struct lull_test_step){.kind = LULL_TEST_OR});
    }
    return m.good && !m.stack[0].any;
}

/** Of all breakpoints at @p t->va. */
static bool make_test(struct lull_debug *d, struct lull_break_test *t)
{
    for (size_t i = 0; i < d->nbreakpoints; i++) {
        const struct lull_breakpoint *b = d->breakpoints[i];
        if (lull_debug_is_at(b, t->va) && !add_breakpoint(d, lull_debug_test_at(b, t->va), t)) {
            return false;
        }
    }
    return t->n != 0;
}

struct lull_error *lull_debug_sync_tests(struct lull_debug *d, const uint64_t *vas, size_t n)
{
    size_t ntests = 0;
    if (d->target->ops->set_tests == NULL) {
        return NULL;
    }
    struct lull_break_test *tests = calloc(n + 1, sizeof *tests);
    for (size_t i = 0; tests != NULL && i < n; i++) {
        tests[ntests] = (struct lull_break_test){.va = vas[i]};
        ntests += make_test(d, &tests[ntests]);
    }
    struct lull_error *err =
        tests == NULL ? &lull_enomem : d->target->ops->set_tests(d->target, tests, ntests);
    free(tests);
    return err;
}
