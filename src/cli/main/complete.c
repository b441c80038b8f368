// SPDX-License-Identifier: MIT
#include "cli/main/complete.h"

#include <stdbool.h>
#include <string.h>

#include "cli/opt/command.h"

const struct lull_command *lull_command_find(const char *name)
{
    for (const struct lull_command_group *g = lull_command_groups; g->title != NULL; g++) {
        for (size_t i = 0; g->commands[i] != NULL; i++) {
            if (strcmp(g->commands[i]->name, name) == 0) {
                return g->commands[i];
            }
        }
    }
    return NULL;
}

const struct lull_form *lull_command_form(const struct lull_command *c, const char *word)
{
    for (size_t i = 0; c->forms[i] != NULL; i++) {
        if (c->forms[i]->word != NULL && strcmp(c->forms[i]->word, word) == 0) {
            return c->forms[i];
        }
    }
    return NULL;
}

/** What is being completed. */
struct complete {
    const char *begin; ///< Candidates begin so.
    size_t skip;       ///< Bytes in front of it, which candidates repeat: "--style=".
    const char *front;
    struct lull_str *out;
};

static void offer(struct complete *c, const char *name, size_t n, const char *help)
{
    const size_t size = strlen(c->begin);
    if (name == NULL || n < size || strncmp(name, c->begin, size) != 0) {
        return;
    }
    lull_str_addf(c->out, "%.*s%.*s", (int)c->skip, c->front, (int)n, name);
    if (help != NULL) {
        lull_str_addf(c->out, "\t%.*s", (int)strcspn(help, "\n"), help);
    }
    lull_str_addf(c->out, "\n");
}

static void offer_commands(struct complete *c)
{
    static const char *const others[] = {"help", "--help", "--version", "--completion"};
    for (const struct lull_command_group *g = lull_command_groups; g->title != NULL; g++) {
        for (size_t i = 0; g->commands[i] != NULL; i++) {
            offer(c, g->commands[i]->name, strlen(g->commands[i]->name), g->commands[i]->help);
        }
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        offer(c, others[i], strlen(others[i]), NULL);
    }
}

static void offer_values(struct complete *c, const struct lull_opt *o)
{
    for (const char *at = o->kind == LULL_OPT_CHOICE ? o->value : ""; *at != '\0';) {
        const size_t n = strcspn(at, "|");
        offer(c, at, n, NULL);
        at += n + (at[n] == '|');
    }
}

static void offer_options(struct complete *c, const struct lull_form *f)
{
    for (const struct lull_opt_group *g = f->groups; g->opts != NULL; g++) {
        for (const struct lull_opt *o = g->opts; o->name != NULL; o++) {
            if (o->name[0] == '-' && (o->flags & LULL_OPT_HIDDEN) == 0) {
                offer(c, o->name, strlen(o->name), o->help);
                offer(c, o->other, o->other != NULL ? strlen(o->other) : 0, o->help);
            }
        }
    }
}

/** The last of @p words, by the rows of @p f. */
static void in_form(struct complete *c, const struct lull_form *f, int n, char **words)
{
    struct lull_opt_scan scan = {.form = f, .argc = n - 1, .argv = words};
    struct lull_opt_item item = {0};
    const struct lull_opt *waits = NULL; // for its value
    while (lull_opt_next(&scan, &item)) {
        waits = item.opt != NULL && item.opt->value != NULL && item.value == NULL ? item.opt : NULL;
    }
    if (waits != NULL) {
        offer_values(c, waits);
        return;
    }
    const char *equals = strchr(c->begin, '=');
    if (scan.operands || c->begin[0] != '-') {
        return;
    }
    if (equals == NULL) {
        offer_options(c, f);
        offer(c, "--help", strlen("--help"), NULL);
        return;
    }
    char *word = words[n - 1];
    struct lull_opt_scan last = {.form = f, .argc = 1, .argv = &word};
    if (lull_opt_next(&last, &item) && item.opt != NULL) {
        c->front = c->begin;
        c->skip = (size_t)(equals + 1 - c->begin);
        c->begin = equals + 1;
        offer_values(c, item.opt);
    }
}

void lull_complete(int nwords, char **words, struct lull_str *out)
{
    struct complete c = {.begin = nwords > 0 ? words[nwords - 1] : "", .front = "", .out = out};
    if (nwords < 2) {
        offer_commands(&c);
        return;
    }
    const struct lull_command *command = lull_command_find(words[0]);
    if (command == NULL) {
        return;
    }
    const bool by_word = command->forms[0]->word != NULL;
    for (size_t i = 0; command->forms[i] != NULL; i++) {
        const struct lull_form *f = command->forms[i];
        if (nwords == 2 && by_word) {
            offer(&c, f->word, strlen(f->word), NULL);
        } else if (!by_word) {
            struct complete each = c;
            in_form(&each, f, nwords - 1, words + 1);
        } else if (strcmp(f->word, words[1]) == 0) {
            in_form(&c, f, nwords - 2, words + 2);
        }
    }
    if (nwords == 2 && by_word && c.begin[0] == '-') {
        offer(&c, "--help", strlen("--help"), NULL);
    }
}

void lull_complete_rows(struct lull_str *out)
{
    for (const struct lull_command_group *g = lull_command_groups; g->title != NULL; g++) {
        for (size_t i = 0; g->commands[i] != NULL; i++) {
            const struct lull_command *c = g->commands[i];
            for (size_t k = 0; c->forms[k] != NULL; k++) {
                for (const struct lull_opt_group *r = c->forms[k]->groups; r->opts != NULL; r++) {
                    for (const struct lull_opt *o = r->opts; o->name != NULL; o++) {
                        lull_str_addf(out, "%s\t%s\t%s%s%s\t%s\t%u\t%u\n", c->name,
                                      c->forms[k]->word != NULL ? c->forms[k]->word : "", o->name,
                                      o->other != NULL ? "," : "", o->other != NULL ? o->other : "",
                                      o->value != NULL ? o->value : "", (unsigned)o->kind,
                                      o->flags);
                    }
                }
            }
        }
    }
}

// readline splits words at '=', so the line is split here; of "--style=c" it replaces the "c".
static const char bash[] =
    "# Completion of lull for bash, written by lull --completion bash.\n"
    "_lull()\n"
    "{\n"
    "    local line=${COMP_LINE:0:COMP_POINT} words IFS=$' \\t\\n'\n"
    "    read -r -a words <<< \"$line\"\n"
    "    case $line in *[[:space:]]) words+=('') ;; esac\n"
    "    local current=${words[${#words[@]} - 1]}\n"
    "    IFS=$'\\n'\n"
    "    COMPREPLY=($(\"${words[0]}\" --complete \"${words[@]:1}\" 2>/dev/null | cut -f 1))\n"
    "    case $current in *=*) COMPREPLY=(\"${COMPREPLY[@]#\"${current%%=*}=\"}\") ;; esac\n"
    "}\n"
    "complete -o default -F _lull lull\n";

static const char zsh[] =
    "#compdef lull\n"
    "# Completion of lull for zsh, written by lull --completion zsh.\n"
    "local -a found\n"
    "found=(${(f)\"$($words[1] --complete ${words[2,CURRENT]} 2>/dev/null)\"})\n"
    "if (( ${#found} )); then\n"
    "    found=(\"${(@)found//:/\\\\:}\")\n"
    "    found=(\"${(@)found/$'\\t'/:}\")\n"
    "    _describe lull found\n"
    "else\n"
    "    _files\n"
    "fi\n";

static const char fish[] =
    "# Completion of lull for fish, written by lull --completion fish.\n"
    "complete -c lull -a '(lull --complete (commandline -opc)[2..-1] (commandline -ct) "
    "2>/dev/null)'\n";

struct lull_error *lull_complete_script(const char *shell, struct lull_str *out)
{
    const struct {
        const char *name, *text;
    } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(shell, shells[i].name) == 0) {
            lull_str_addf(out, "%s", shells[i].text);
            return out->err;
        }
    }
    return lull_error_new(LULL_ERR_INVALID, "--completion: bash, zsh or fish, not '%s'", shell);
}
