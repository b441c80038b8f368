// SPDX-License-Identifier: MIT
/* lull explain: what a register, packet, event or acronym is. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/explain/explain.h"
#include "cli/opt/command.h"
#include "hw/terms.h"

struct args {
    unsigned of;
    uint64_t gen;
    struct lull_opt_words words;
};

static const struct lull_opt opts[] = {
    {"--adreno", NULL, NULL, "only words of Adreno", LULL_OPT_SET, LULL_OPT_AT(struct args, of),
     .min = LULL_TERM_ADRENO},
    {"--amd", NULL, NULL, "only words of AMD", LULL_OPT_SET, LULL_OPT_AT(struct args, of),
     .min = LULL_TERM_AMD},
    {"--gen", NULL, "N", "generation of Adreno, 2 (a2xx) to 7; all if not given", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct args, gen), .min = 2, .max = 7},
    {"WORD[=VALUE]", .kind = LULL_OPT_PASS, LULL_OPT_AT(struct args, words),
     .flags = LULL_OPT_NEEDED | LULL_OPT_MANY},
    {0},
};

static const struct lull_opt_group groups[] = {{NULL, opts, 0}, {0}};

static void terms(struct lull_explain *e)
{
    for (const struct lull_term *t = lull_terms; t->word != NULL && !e->is_number; t++) {
        if ((t->of & e->of) != 0 && lull_explain_is(e, t->word)) {
            e->found++;
            lull_str_addf(&e->out, "%s%s: %s\n", t->word,
                          t->of == LULL_TERM_AMD      ? " (AMD)"
                          : t->of == LULL_TERM_ADRENO ? " (Adreno)"
                                                      : "",
                          t->text);
        }
    }
}

// "WORD=VALUE" and "0x8865=1"; @p text is changed.
LULL_MUST_USE static struct lull_error *take_apart(char *text, struct lull_explain *ret)
{
    char *value = strchr(text, '=');
    struct lull_error *err = NULL;
    if (value != NULL) {
        *value++ = '\0';
        ret->has_value = true;
        err = lull_opt_number(text, value, 0, UINT64_MAX, &ret->value);
    }
    ret->word = text;
    ret->is_number = isdigit((unsigned char)*text) != 0;
    if (err == NULL && *text == '\0') {
        err = lull_error_new(LULL_ERR_INVALID, "WORD is empty");
    }
    if (err == NULL && ret->is_number) {
        err = lull_opt_number("WORD", text, 0, UINT32_MAX, &ret->number);
    }
    return err;
}

static void say_near(const struct lull_explain *e)
{
    fprintf(stderr, "lull explain: %s: lull does not know it", e->word);
    for (unsigned i = 0; i < e->nnear; i++) {
        fprintf(stderr, "%s%s", i == 0 ? "; names with it: " : ", ", e->near[i]);
    }
    fprintf(stderr, "%s\n", e->nnear == LULL_EXPLAIN_NEAR ? ", and more" : "");
}

LULL_MUST_USE static struct lull_error *explain(const struct args *a, char *text, int *status)
{
    struct lull_explain e = {.of = a->of, .gen = (unsigned)a->gen};
    struct lull_error *err = take_apart(text, &e);
    if (err != NULL) {
        return err;
    }
    terms(&e);
    if ((e.of & LULL_TERM_ADRENO) != 0) {
        lull_explain_adreno(&e);
    }
    if ((e.of & LULL_TERM_AMD) != 0) {
        lull_explain_amd(&e);
    }
    err = e.out.err;
    e.out.err = NULL;
    if (err == NULL && e.found == 0) {
        say_near(&e);
        *status = LULL_EXIT_FINDINGS;
    } else if (err == NULL) {
        fputs(lull_str_text(&e.out), stdout);
    }
    lull_str_free(&e.out);
    return err;
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct args a = {.of = LULL_TERM_ADRENO | LULL_TERM_AMD};
    struct lull_opts o = {.form = form, .base = &a};
    struct lull_error *err = lull_opts_parse(&o, argc, argv);
    if (err == NULL && lull_opts_given(&o, "--gen")) {
        a.of = LULL_TERM_ADRENO;
    }
    for (size_t i = 0; err == NULL && i < a.words.n; i++) {
        err = explain(&a, a.words.at[i], status);
    }
    return err;
}

static const struct lull_form form = {.groups = groups, .run = run};

const struct lull_command lull_cli_explain = {
    .name = "explain",
    .help = "say what a register, packet, event or acronym of a GPU is",
    .about = "WORD is a name in any case of letters, or the number of a register: of Adreno in "
             "dwords, as captures have it, of AMD in bytes. With VALUE a register is taken apart.",
    .after = "Exit status: 1, a word is not known; names that have it in them are shown.\n\n"
             "Example: lull explain UCHE RB_BLEND_CNTL=0x101 CP_WAIT_REG_MEM\n",
    .forms = (const struct lull_form *const[]){&form, NULL},
};
