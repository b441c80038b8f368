// SPDX-License-Identifier: MIT
#include "cli/opt/help.h"

#include <stdbool.h>
#include <string.h>

enum { WIDTH = 100, MOST_LEFT = 26, GAP = 2 };

/**
 * Append @p text, whose first line begins at column @p at and all others at @p indent. Words go to
 * the next line where it is full; lines that begin with a blank stay as they are.
 */
static void wrap(struct lull_str *out, const char *text, size_t at, size_t indent)
{
    while (*text != '\0') {
        const size_t n = strcspn(text, " \n");
        const bool line = at == indent;
        if (line && text[0] == ' ') { // as it stands
            const size_t whole = strcspn(text, "\n");
            lull_str_addf(out, "%.*s", (int)whole, text);
            text += whole;
        } else if (n != 0 && !line && at + 1 + n > WIDTH) {
            lull_str_addf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else {
            lull_str_addf(out, "%s%.*s", line || n == 0 ? "" : " ", (int)n, text);
            at += n + !line;
            text += n;
            text += *text == ' ';
        }
        if (*text == '\n') {
            text++;
            lull_str_addf(out, *text == '\n' || *text == '\0' ? "\n" : "\n%*s", (int)indent, "");
            at = indent;
        }
    }
}

/** "-o, --output FILE" */
static void add_names(const struct lull_opt *o, struct lull_str *out)
{
    const bool swap = o->other != NULL && strlen(o->other) < strlen(o->name);
    const char *first = swap ? o->other : o->name;
    const char *second = swap ? o->name : o->other;
    lull_str_addf(out, "%s%s%s%s%s", first, second != NULL ? ", " : "",
                  second != NULL ? second : "", o->value != NULL ? " " : "",
                  o->value != NULL ? o->value : "");
}

static bool is_shown(const struct lull_opt *o)
{
    return (o->flags & LULL_OPT_HIDDEN) == 0 && o->help != NULL;
}

/** Column of the texts of @p f: what fits most names. */
static size_t column_of(const struct lull_form *f)
{
    size_t most = 0;
    for (const struct lull_opt_group *g = f->groups; g->opts != NULL; g++) {
        for (const struct lull_opt *o = g->opts; o->name != NULL; o++) {
            struct lull_str names = {0};
            add_names(o, &names);
            if (is_shown(o) && names.size > most && names.size <= MOST_LEFT - 2 * GAP) {
                most = names.size;
            }
            lull_str_free(&names);
        }
    }
    return most + 2 * (size_t)GAP;
}

static void add_option(const struct lull_opt *o, size_t column, struct lull_str *out)
{
    struct lull_str names = {0};
    add_names(o, &names);
    lull_str_addf(out, "%*s%s", GAP, "", lull_str_text(&names));
    if (names.size + 2 * (size_t)GAP > column) {
        lull_str_addf(out, "\n%*s", (int)column, "");
    } else {
        lull_str_addf(out, "%*s", (int)(column - GAP - names.size), "");
    }
    wrap(out, o->help, column, column);
    lull_str_addf(out, "\n");
    lull_str_free(&names);
}

static void add_paragraphs(const char *text, struct lull_str *out)
{
    if (text != NULL) {
        lull_str_addf(out, "\n");
        wrap(out, text, 0, 0);
        lull_str_addf(out, "\n");
    }
}

static void add_group(const struct lull_opt_group *g, size_t column, bool *begun,
                      struct lull_str *out)
{
    bool first = true;
    for (const struct lull_opt *o = g->opts; o->name != NULL; o++) {
        if (!is_shown(o)) {
            continue;
        }
        if (first && g->title != NULL) {
            add_paragraphs(g->title, out);
        } else if (!*begun) {
            lull_str_addf(out, "\n");
        }
        add_option(o, column, out);
        first = false;
        *begun = true;
    }
}

/** Was the group in one of the forms of @p c in front of @p f? @p c NULL: @p f stands alone. */
static bool is_above(const struct lull_command *c, const struct lull_form *f,
                     const struct lull_opt *opts)
{
    for (size_t i = 0; c != NULL && c->forms[i] != NULL && c->forms[i] != f; i++) {
        for (const struct lull_opt_group *g = c->forms[i]->groups; g->opts != NULL; g++) {
            if (g->opts == opts) {
                return true;
            }
        }
    }
    return false;
}

/** Options that stand above in the help of @p c, by their names only. */
static void add_above(const struct lull_command *c, const struct lull_form *f, struct lull_str *out)
{
    struct lull_str line = {0};
    for (const struct lull_opt_group *g = f->groups; g->opts != NULL; g++) {
        for (const struct lull_opt *o = g->opts; o->name != NULL && is_above(c, f, g->opts); o++) {
            if (o->name[0] == '-' && is_shown(o)) {
                lull_str_addf(&line, "%s%s", line.size == 0 ? "Of the options above: " : ", ",
                              o->name);
            }
        }
    }
    if (line.size != 0) {
        lull_str_addf(&line, ".");
        add_paragraphs(lull_str_text(&line), out);
    }
    lull_str_free(&line);
}

static void add_form(const struct lull_command *c, const struct lull_form *f, struct lull_str *out)
{
    const size_t column = column_of(f);
    bool begun = false;
    add_paragraphs(f->about, out);
    add_above(c, f, out);
    for (const struct lull_opt_group *g = f->groups; g->opts != NULL; g++) {
        if (!is_above(c, f, g->opts)) {
            add_group(g, column, &begun, out);
        }
    }
    add_paragraphs(f->after, out);
}

/** Operands, or options that must be given, as usage has them; true: there are other options. */
static bool add_rows(const struct lull_form *f, bool operands, struct lull_str *out)
{
    bool others = false;
    for (const struct lull_opt_group *g = f->groups; g->opts != NULL; g++) {
        for (const struct lull_opt *o = g->opts; o->name != NULL; o++) {
            const bool needed = (o->flags & LULL_OPT_NEEDED) != 0;
            if (o->name[0] != '-' && operands) {
                lull_str_addf(out, needed ? " %s%s" : " [%s%s]", o->name,
                              (o->flags & LULL_OPT_MANY) != 0 ? "..." : "");
            } else if (o->name[0] == '-' && needed && !operands) {
                lull_str_addf(out, " ");
                lull_str_addf(out, "%s %s", o->name, o->value);
            } else if (o->name[0] == '-') {
                others = others || is_shown(o);
            }
        }
    }
    return others;
}

static void add_usage(const struct lull_command *c, const struct lull_form *f, bool first,
                      struct lull_str *out)
{
    struct lull_str line = {0}, needed = {0};
    const bool others = add_rows(f, false, &needed);
    lull_str_addf(&line, "lull %s%s%s", c->name, f->word != NULL ? " " : "",
                  f->word != NULL ? f->word : "");
    if (f->usage != NULL) {
        lull_str_addf(&line, " %s", f->usage);
    } else {
        lull_str_addf(&line, "%s%s", others ? " [OPTIONS]" : "", lull_str_text(&needed));
        (void)add_rows(f, true, &line);
    }
    lull_str_addf(out, first ? "usage: " : "       ");
    wrap(out, lull_str_text(&line), strlen("usage: "), strlen("usage: "));
    lull_str_addf(out, "\n");
    lull_str_free(&line);
    lull_str_free(&needed);
}

void lull_help(const struct lull_command *c, const struct lull_form *form, struct lull_str *out)
{
    bool first = true;
    for (size_t i = 0; c->forms[i] != NULL; i++) {
        if (form == NULL || form == c->forms[i]) {
            add_usage(c, c->forms[i], first, out);
            first = false;
        }
    }
    lull_str_addf(out, "\n%c%s.\n", c->help[0] & ~0x20, c->help + 1);
    add_paragraphs(c->about, out);
    for (size_t i = 0; c->forms[i] != NULL; i++) {
        if (form == NULL || form == c->forms[i]) {
            add_form(form == NULL ? c : NULL, c->forms[i], out);
        }
    }
    add_paragraphs(c->after, out);
}

void lull_help_commands(struct lull_str *out)
{
    lull_str_addf(out, "usage: lull COMMAND [ARGUMENTS]\n");
    for (const struct lull_command_group *g = lull_command_groups; g->title != NULL; g++) {
        lull_str_addf(out, "\n%s\n", g->title);
        for (size_t i = 0; g->commands[i] != NULL; i++) {
            const struct lull_command *c = g->commands[i];
            lull_str_addf(out, "  %-10s %s\n", c->name, c->help);
        }
    }
}
