// SPDX-License-Identifier: MIT
#include "cli/opt/assume.h"

#include <stdio.h>
#include <string.h>

#include "cli/opt/gpu.h"

static const char list[] = "list";

LULL_MUST_USE static struct lull_error *assume(void *base, const struct lull_opt *o,
                                               const char *value)
{
    struct lull_assume *a = base;
    a->given = true;
    struct lull_error *err = lull_ir3_assume_set(&a->a, value);
    return err != NULL ? lull_error_in(err, "%s", o->name) : NULL;
}

const struct lull_opt lull_assume_opts[] = {
    {"--assume", NULL, "NAME=VALUE",
     "of an Adreno: what is taken for granted where nobody says; 'list' prints what there is",
     LULL_OPT_CALL, .call = assume, .flags = LULL_OPT_MANY},
    {0},
};

struct lull_error *lull_assume_check(const struct lull_assume *a, const char *gpu)
{
    return !a->given || lull_gpu_is_adreno(gpu)
               ? NULL
               : lull_error_new(LULL_ERR_INVALID,
                                "--assume is of Adreno's shaders: --gpu a630, a660 or a740");
}

bool lull_assume_list(int argc, char **argv)
{
    static const char option[] = "--assume";
    bool found = false;
    for (int i = 0; i < argc && !found && strcmp(argv[i], "--") != 0; i++) {
        const bool next = strcmp(argv[i], option) == 0 && i + 1 < argc;
        found = (next && strcmp(argv[i + 1], list) == 0) || strcmp(argv[i], "--assume=list") == 0;
    }
    if (found) {
        const struct lull_ir3_assumptions none = {{0}};
        struct lull_str s = {0};
        lull_ir3_assume_list(&none, &s);
        fputs(lull_str_text(&s), stdout);
        lull_str_free(&s);
    }
    return found;
}
