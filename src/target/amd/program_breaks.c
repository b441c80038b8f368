// SPDX-License-Identifier: MIT
// Conditions of breakpoints, and watchpoints, of a program: kept for dispatches to come.
#include <stdlib.h>
#include <string.h>

#include "target/amd/debug_priv.h"
#include "target/amd/program_priv.h"

struct lull_error *lull_program_set_tests(struct lull_target *base,
                                          const struct lull_break_test *tests, size_t n)
{
    struct program *p = lull_program(base);
    struct lull_break_test *copy = calloc(n + 1, sizeof *copy);
    if (copy == NULL) {
        return &lull_enomem;
    }
    if (n != 0) {
        memcpy(copy, tests, n * sizeof *copy);
    }
    free(p->tests);
    p->tests = copy;
    p->ntests = n;
    for (size_t i = 0; i < LULL_PROGRAM_CLIENTS; i++) {
        if (p->clients[i].used) {
            lull_amd_breaks_test(p->clients[i].t, p->tests, p->ntests);
        }
    }
    return NULL;
}

struct lull_error *lull_program_set_watchpoints(struct lull_target *base,
                                                const struct lull_watchpoint *w, size_t n)
{
    struct program *p = lull_program(base);
    struct lull_target *t = NULL;
    if (n == 0 && p->nwatches == 0) {
        return NULL;
    }
    struct lull_error *err = NULL;
    if (p->current != NULL) { // else with the first dispatch
        t = &p->current->t->base;
        err = t->ops->set_watchpoints(t, w, n);
    }
    if (err == NULL) {
        memcpy(p->watches, w, n * sizeof *w);
        p->nwatches = n;
    }
    return err;
}
