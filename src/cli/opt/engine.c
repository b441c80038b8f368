// SPDX-License-Identifier: MIT
#include "cli/opt/engine.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opt/args.h"
#include "jit/ir3/jit.h"
#include "jit/jit.h"

enum { MOST_THREADS = 256 };

const struct lull_opt lull_engine_opts[] = {
    {"--engine", NULL, "auto|interp|jit",
     "what executes waves: an interpreter, or (jit) machine code that is compiled of what runs "
     "often, with the same results, which needs a CPU with AVX2. auto, as if not given: "
     "compiled where this CPU can and nothing asks for an order or watches",
     LULL_OPT_CHOICE, LULL_OPT_AT(struct lull_engine_option, kind)},
    {"--threads", NULL, "N",
     "on how many threads workgroups of gfx1100 run, each on one; if not given LULL_THREADS of "
     "the environment, or as many as there are processors for lull. With 1, and whenever order "
     "matters (--seed, --check, printf, a debugger), it is the same order in each run",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct lull_engine_option, threads), .min = 1,
     .max = MOST_THREADS},
    {0},
};

const struct lull_opt lull_engine_debug_opts[] = {
    {"--engine", NULL, "interp|jit",
     "what executes waves of gfx1100: an interpreter, as if not given, or (jit), while nothing is "
     "recorded ('set record-memory 0'), machine code that is compiled of what runs often. Then "
     "waves may come in another order than in a run that nobody looks at",
     LULL_OPT_CHOICE, LULL_OPT_AT(struct lull_engine_option, kind), .min = LULL_ENGINE_INTERP},
    {0},
};

static bool compiles(const struct lull_engine_option *o, bool watched)
{
    return o->kind == LULL_ENGINE_JIT ||
           (o->kind == LULL_ENGINE_AUTO && (o->free || (watched && o->watched)));
}

/** The kind of host to compile for, by the environment; NULL: the best that this machine is. */
static const char *target(void)
{
    const char *text = getenv("LULL_JIT");
    return text != NULL && *text != '\0' ? text : NULL;
}

/** What is wrong with an engine that cannot be had: nothing, if nobody asked for it. */
LULL_MUST_USE static struct lull_error *refused(const struct lull_engine_option *o,
                                                struct lull_error *err)
{
    if (err != NULL && o->kind == LULL_ENGINE_AUTO &&
        lull_error_code(err) == LULL_ERR_UNSUPPORTED) {
        lull_error_free(err);
        return NULL;
    }
    return lull_error_in(err, o->kind == LULL_ENGINE_JIT ? "--engine jit" : "LULL_JIT");
}

struct lull_error *lull_engine_choose(const struct lull_engine_option *o,
                                      const struct lull_engine **ret)
{
    *ret = NULL;
    return compiles(o, true) ? refused(o, lull_jit_engine(target(), ret)) : NULL;
}

struct lull_error *lull_engine_choose_ir3(const struct lull_engine_option *o, const char *gpu,
                                          const struct lull_ir3_engine **ret)
{
    *ret = NULL;
    if (o->threads > 1) {
        return lull_error_new(LULL_ERR_INVALID, "--threads is for gfx1100, not for %s", gpu);
    }
    return compiles(o, false) ? refused(o, lull_jit_ir3_engine(target(), ret)) : NULL;
}

/** Threads if nothing else is said: those that the environment wants, or one a processor. */
LULL_MUST_USE static struct lull_error *usual_threads(unsigned *ret)
{
    const char *name = "LULL_THREADS", *text = getenv(name);
    cpu_set_t mine;
    *ret = 1;
    if (text != NULL && *text != '\0') {
        uint64_t n = 0;
        struct lull_error *err = lull_args_number(name, text, MOST_THREADS, &n);
        if (err == NULL && n == 0) {
            err = lull_error_new(LULL_ERR_INVALID, "%s: 0 threads", name);
        }
        *ret = (unsigned)n;
        return err;
    }
    if (sched_getaffinity(0, sizeof mine, &mine) == 0) {
        const int n = CPU_COUNT(&mine);
        *ret = n < 1 ? 1 : n < MOST_THREADS ? (unsigned)n : MOST_THREADS;
    }
    return NULL;
}

struct lull_error *lull_engine_threads(struct lull_engine_option *o, const char *command,
                                       const char *order)
{
    unsigned usual = 1;
    if (order != NULL && o->threads > 1) {
        fprintf(stderr, "lull %s: --threads %u: one thread runs all, in the order that %s needs\n",
                command, o->threads, order);
    }
    struct lull_error *err = order == NULL && o->threads == 0 ? usual_threads(&usual) : NULL;
    o->chosen = order != NULL ? 0 : o->threads != 0 ? o->threads : usual;
    o->free = order == NULL;
    o->watched = order != NULL && strcmp(order, "--check") == 0;
    return err;
}
