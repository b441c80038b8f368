// SPDX-License-Identifier: MIT
/* lull bisect: which debug flags of a driver make a failing program pass, or a good one fail. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/opt/bisect.h"
#include "cli/opt/command.h"
#include "hw/env.h"

struct args {
    struct lull_bisect b;
    char *texts[16]; // Of --env, taken apart; owned.
    size_t ntexts;
    bool list;
    char **argv;
};

LULL_MUST_USE static struct lull_error *add_flag(struct args *a, const char *variable,
                                                 const char *flag)
{
    for (size_t i = 0; i < a->b.nflags; i++) {
        if (strcmp(a->b.flags[i].variable, variable) == 0 &&
            strcmp(a->b.flags[i].flag, flag) == 0) {
            return lull_error_new(LULL_ERR_INVALID, "--env: %s=%s is named twice", variable, flag);
        }
    }
    struct lull_bisect_flag *grown = realloc(a->b.flags, (a->b.nflags + 1) * sizeof *a->b.flags);
    if (grown == NULL) {
        return &lull_enomem;
    }
    a->b.flags = grown;
    grown[a->b.nflags++] = (struct lull_bisect_flag){variable, flag};
    return NULL;
}

// All flags of a variable that only change how it works.
LULL_MUST_USE static struct lull_error *add_all(struct args *a, const char *variable)
{
    if (lull_env_flag(variable, NULL) == NULL) {
        return lull_error_new(LULL_ERR_INVALID,
                              "--env %s: lull knows no flags of it (see --list); name them: "
                              "--env %s=FLAG,FLAG",
                              variable, variable);
    }
    struct lull_error *err = NULL;
    for (const struct lull_env_flag *f = lull_env_flags; err == NULL && f->variable != NULL; f++) {
        if (f->kind == LULL_ENV_TRY && strcmp(f->variable, variable) == 0) {
            err = add_flag(a, f->variable, f->flag);
        }
    }
    return err;
}

LULL_MUST_USE static struct lull_error *env(void *base, const struct lull_opt *o, const char *value)
{
    struct args *a = base;
    if (a->ntexts == sizeof a->texts / sizeof a->texts[0]) {
        return lull_error_new(LULL_ERR_INVALID, "%s: more than %zu of them", o->name, a->ntexts);
    }
    char *text = strdup(value);
    if (text == NULL) {
        return &lull_enomem;
    }
    a->texts[a->ntexts++] = text;
    char *flags = strchr(text, '=');
    if (flags != NULL) {
        *flags++ = '\0';
    }
    if (*text == '\0' || (flags != NULL && *flags == '\0')) {
        return lull_error_new(LULL_ERR_INVALID, "%s '%s': VARIABLE or VARIABLE=FLAG,FLAG", o->name,
                              value);
    }
    if (flags == NULL) {
        return add_all(a, text);
    }
    struct lull_error *err = NULL;
    char *rest = NULL;
    for (char *f = strtok_r(flags, ",", &rest); err == NULL && f != NULL;
         f = strtok_r(NULL, ",", &rest)) {
        err = add_flag(a, text, f);
    }
    return err;
}

static const struct lull_opt opts[] = {
    {"--env", "-e", "VARIABLE[=FLAG,...]",
     "flags to try; if none is named, all that lull knows to change how the driver works, not what "
     "programs see; may be given many times",
     LULL_OPT_CALL, .call = env, .flags = LULL_OPT_MANY},
    {"--first", NULL, NULL,
     "look for one smallest set, by halves, instead of trying each flag alone first", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, b.first)},
    {"--runs", NULL, "N", "run each set up to N times: it passes if all of them do; 1 if not given",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct args, b.runs), .min = 1},
    {"--timeout", NULL, "SECONDS", "a run that takes longer is ended, and fails", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct args, b.timeout_s), .min = 1, .max = UINT32_MAX},
    {"--output", NULL, NULL, "show what the program prints, on standard error", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, b.output)},
    {"--json", NULL, NULL, "the result as JSON", LULL_OPT_FLAG, LULL_OPT_AT(struct args, b.json)},
    {"--list", NULL, NULL, "print the variables and flags that lull knows, and end", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, list)},
    {"PROGRAM", .kind = LULL_OPT_REST, LULL_OPT_AT(struct args, argv)},
    {0},
};

static const struct lull_opt_group groups[] = {{NULL, opts, 0}, {0}};

static void list(void)
{
    const char *const kinds[] = {"", "", "  (prints only)", "  (only if it is named)"};
    for (const struct lull_env_flag *f = lull_env_flags; f->variable != NULL; f++) {
        if (f->kind == LULL_ENV_VAR) {
            printf("%s: %s\n", f->variable, f->text);
        } else {
            printf("  %-24s %s%s\n", f->flag, f->text, kinds[f->kind]);
        }
    }
}

static void explain(const struct lull_bisect_flag *f)
{
    const struct lull_env_flag *known = lull_env_flag(f->variable, f->flag);
    printf("  %s=%s%s%s\n", f->variable, f->flag, known != NULL ? ": " : "",
           known != NULL ? known->text : "");
}

static void say(const struct lull_bisect *b)
{
    const char *end = b->base == LULL_BISECT_FAILS ? "pass" : "fail";
    size_t alone = 0;
    for (size_t i = 0; i < b->nflags; i++) {
        alone += b->alone[i];
    }
    if (b->nset == 0) {
        printf("\n%s %s, and no flag that was tried changes that.\n", b->argv[0],
               b->base == LULL_BISECT_FAILS ? "fails" : "passes");
        return;
    }
    if (alone > 0) {
        printf("\nEach of these alone makes it %s:\n", end);
    } else {
        printf("\n%s makes it %s:\n",
               b->nset == 1 ? "This" : "These together, and no fewer of them,", end);
    }
    for (size_t i = 0; i < (alone > 0 ? b->nflags : b->nset); i++) {
        if (alone == 0 || b->alone[i]) {
            explain(&b->flags[alone > 0 ? i : b->set[i]]);
        }
    }
}

static void put_flag(struct lull_json *j, const struct lull_bisect_flag *f)
{
    const struct lull_env_flag *known = lull_env_flag(f->variable, f->flag);
    lull_json_open(j, '{');
    lull_json_put_str(j, "variable", f->variable);
    lull_json_put_str(j, "flag", f->flag);
    if (known != NULL) {
        lull_json_put_str(j, "does", known->text);
    }
    lull_json_close(j, '}');
}

LULL_MUST_USE static struct lull_error *say_json(const struct lull_bisect *b)
{
    struct lull_str out = {0};
    struct lull_json j = {.out = &out};
    lull_json_open(&j, '{');
    lull_json_put_str(&j, "without", b->base == LULL_BISECT_FAILS ? "fails" : "passes");
    lull_json_put_u64(&j, "runs", b->nruns);
    lull_json_key(&j, "alone");
    lull_json_open(&j, '[');
    for (size_t i = 0; i < b->nflags; i++) {
        if (b->alone[i]) {
            put_flag(&j, &b->flags[i]);
        }
    }
    lull_json_close(&j, ']');
    lull_json_key(&j, "set");
    lull_json_open(&j, '[');
    for (size_t i = 0; i < b->nset; i++) {
        put_flag(&j, &b->flags[b->set[i]]);
    }
    lull_json_close(&j, ']');
    lull_json_close(&j, '}');
    return lull_bisect_print(&out);
}

LULL_MUST_USE static struct lull_error *bisect(struct args *a, int *status)
{
    a->b.argv = a->argv;
    a->b.runs = a->b.runs == 0 ? 1 : a->b.runs;
    struct lull_error *err = lull_bisect(&a->b);
    if (err != NULL || a->b.interrupted) {
        *status = a->b.interrupted ? LULL_EXIT_INTERRUPTED : *status;
        return err;
    }
    *status = a->b.nset == 0 ? LULL_EXIT_FINDINGS : LULL_EXIT_CLEAN;
    if (a->b.json) {
        return say_json(&a->b);
    }
    say(&a->b);
    return NULL;
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct args a = {0};
    struct lull_error *err = lull_opt_parse(form, &a, argc, argv);
    if (err == NULL && a.list) {
        list();
    } else if (err == NULL && a.argv == NULL) {
        err = lull_error_new(LULL_ERR_INVALID, "PROGRAM is missing");
    } else if (err == NULL && a.b.nflags == 0) {
        err = lull_error_new(LULL_ERR_INVALID, "--env is missing: which flags to try");
    }
    if (err == NULL && !a.list) {
        err = bisect(&a, status);
    }
    lull_bisect_done(&a.b);
    for (size_t i = 0; i < a.ntexts; i++) {
        free(a.texts[i]);
    }
    return err;
}

static const struct lull_form form = {.groups = groups, .flags = LULL_FORM_PROGRAM, .run = run};

const struct lull_command lull_cli_bisect = {
    .name = "bisect",
    .help = "find the debug flags of a driver that make a program pass or fail",
    .about =
        "Runs PROGRAM without and with flags. If it fails without, lull looks for flags that make "
        "it pass; if it passes, for flags that make it fail: first each flag alone, then, if none "
        "does it, the smallest set. A run passes if the exit status is 0; 125 says that it cannot "
        "be told. What the environment has in VARIABLE stays, in front.",
    .after = "Exit status: 0, flags were found; 1, none changes how PROGRAM ends; 3, PROGRAM could "
             "not run.\n\n"
             "Example: lull bisect --env TU_DEBUG --env IR3_SHADER_DEBUG -- ./check.sh\n",
    .forms = (const struct lull_form *const[]){&form, NULL},
};
