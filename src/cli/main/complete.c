// SPDX-License-Identifier: MIT
#include "cli/main/complete.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "cli/opt/command.h"

enum { WORDS = 256, WORD = 48 };

/** Options and actions of a command. */
struct words {
    unsigned n;
    char word[WORDS][WORD];
};

static void add(struct words *w, const char *text, size_t n)
{
    if (n == 0 || n >= WORD || w->n == WORDS) {
        return;
    }
    for (unsigned i = 0; i < w->n; i++) {
        if (strlen(w->word[i]) == n && memcmp(w->word[i], text, n) == 0) {
            return;
        }
    }
    memcpy(w->word[w->n], text, n);
    w->word[w->n++][n] = '\0';
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '-' || c == '_';
}

/** "--emit=elf|asm": one word for each value that is meant literally; else "--emit=". */
static void add_values(struct words *w, const char *option, size_t n)
{
    const char *at = option + n + 1;
    char word[2 * WORD] = "";
    if (!islower((unsigned char)*at)) {
        add(w, option, n + 1);
        return;
    }
    do {
        const size_t size = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789-");
        if (n + 1 + size >= WORD) {
            return;
        }
        memcpy(word, option, n + 1);
        memcpy(word + n + 1, at, size);
        add(w, word, n + 1 + size);
        at += size;
    } while (*at++ == '|');
}

/** Options in a text of help. Those of one dash are looked for where options are listed only: at
 * the beginning of lines, and in the usage line. */
static void options(struct words *w, const char *text, bool usage)
{
    bool column = usage;
    for (const char *at = text; at != NULL && *at != '\0'; at++) {
        const bool start = at == text || at[-1] == '\n';
        column = start ? usage || strncmp(at, "  -", 3) == 0 : column;
        const char before = start ? ' ' : at[-1];
        if (*at != '-' || strchr(" [(|'\"", before) == NULL) {
            continue;
        }
        const bool two = at[1] == '-';
        if (!isalpha((unsigned char)at[1 + two]) || (!two && (!column || before == '|'))) {
            continue;
        }
        size_t n = 1;
        while (in_word(at[n])) {
            n++;
        }
        while (n > 2 && at[n - 1] == '-') { // of "--query-..."
            n--;
        }
        if (at[n] == '=') {
            add_values(w, at, n);
        } else {
            add(w, at, n);
        }
    }
}

/** Words that begin the usage line or a part of it after '|', outside brackets: actions. */
static void actions(struct words *w, const char *args)
{
    int depth = 0;
    bool first = true;
    for (const char *at = args; *at != '\0'; at++) {
        depth += (*at == '[') - (*at == ']');
        if (first && islower((unsigned char)*at)) {
            const size_t n = strcspn(at, " |[");
            add(w, at, n);
            at += n - 1;
            first = at[1] == '|';
            at += first;
        } else if (*at != ' ') {
            first = *at == '|' && depth == 0;
        }
    }
}

static void options_of(const struct lull_command *c, struct words *w)
{
    options(w, c->args, true);
    options(w, c->more, false);
    options(w, c->more2, false);
    add(w, "--help", 6);
}

static void list(const struct words *w, struct lull_str *out)
{
    for (unsigned i = 0; i < w->n; i++) {
        lull_str_addf(out, "%s%s", i != 0 ? " " : "", w->word[i]);
    }
}

static void commands(struct lull_str *out)
{
    for (size_t i = 0; lull_commands[i] != NULL; i++) {
        lull_str_addf(out, "%s ", lull_commands[i]->name);
    }
    lull_str_addf(out, "help --help --version --completion");
}

/** Each command as a case of a shell's `case`: variables actions and options. */
static void cases(struct lull_str *out)
{
    for (size_t i = 0; lull_commands[i] != NULL; i++) {
        struct words acts = {0}, opts = {0};
        actions(&acts, lull_commands[i]->args);
        options_of(lull_commands[i], &opts);
        lull_str_addf(out, "    %s)\n        actions='", lull_commands[i]->name);
        list(&acts, out);
        lull_str_addf(out, "'\n        options='");
        list(&opts, out);
        lull_str_addf(out, "'\n        ;;\n");
    }
}

static void bash(struct lull_str *out)
{
    lull_str_addf(out, "# Completion of lull for bash, written by lull --completion bash.\n"
                       "_lull()\n{\n"
                       "    local line=${COMP_LINE:0:COMP_POINT} actions= options= word\n"
                       "    local current=${line##*[[:space:]]}\n"
                       "    COMPREPLY=()\n"
                       "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                       "        COMPREPLY=($(compgen -W '");
    commands(out);
    lull_str_addf(out, "' -- \"$current\"))\n        return\n    fi\n"
                       "    case ${COMP_WORDS[1]} in\n");
    cases(out);
    lull_str_addf(out, "    esac\n"
                       "    [ \"$COMP_CWORD\" -eq 2 ] && options=\"$actions $options\"\n"
                       "    COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
                       "    case $current in\n"
                       "    '') [ \"$COMP_CWORD\" -eq 2 ] && [ -n \"$actions\" ] &&\n"
                       "            COMPREPLY=($(compgen -W \"$actions\")) || COMPREPLY=() ;;\n"
                       "    *=*) # readline completes what follows the sign\n"
                       "        COMPREPLY=(\"${COMPREPLY[@]#\"${current%%%%=*}=\"}\") ;;\n"
                       "    esac\n"
                       "    case ${COMPREPLY[0]} in *=) compopt -o nospace 2>/dev/null ;; esac\n"
                       "}\n"
                       "complete -o default -F _lull lull\n");
}

/** Text in single quotes of zsh or fish. */
static void quoted(struct lull_str *out, const char *text, const char *quote, bool colon)
{
    lull_str_addf(out, "'");
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            lull_str_addf(out, "%s", quote);
        } else {
            lull_str_addf(out, colon && *text == ':' ? "\\%c" : "%c", *text);
        }
    }
    lull_str_addf(out, "'");
}

static void zsh(struct lull_str *out)
{
    lull_str_addf(out, "#compdef lull\n"
                       "# Completion of lull for zsh, written by lull --completion zsh.\n"
                       "local actions= options=\n"
                       "local -a commands\n"
                       "commands=(\n");
    for (size_t i = 0; lull_commands[i] != NULL; i++) {
        lull_str_addf(out, "    '%s':", lull_commands[i]->name);
        quoted(out, lull_commands[i]->help, "'\\''", true);
        lull_str_addf(out, "\n");
    }
    lull_str_addf(out, ")\n"
                       "if (( CURRENT == 2 )); then\n"
                       "    _describe command commands\n"
                       "    compadd -- --help --version --completion\n"
                       "    return\n"
                       "fi\n"
                       "case ${words[2]} in\n");
    cases(out);
    lull_str_addf(out, "esac\n"
                       "(( CURRENT == 3 )) && [[ -n $actions ]] && compadd -- ${=actions}\n"
                       "if [[ ${words[CURRENT]} == -* ]]; then\n"
                       "    compadd -- ${=options}\n"
                       "else\n"
                       "    _files\n"
                       "fi\n");
}

static void fish_options(struct lull_str *out, const struct lull_command *c)
{
    struct words acts = {0}, opts = {0};
    actions(&acts, c->args);
    options_of(c, &opts);
    for (unsigned i = 0; i < acts.n; i++) {
        lull_str_addf(out, "complete -c lull -n '__fish_seen_subcommand_from %s' -a %s\n", c->name,
                      acts.word[i]);
    }
    for (unsigned i = 0; i < opts.n; i++) {
        const char *o = opts.word[i];
        const bool two = o[1] == '-';
        lull_str_addf(out, "complete -c lull -n '__fish_seen_subcommand_from %s' ", c->name);
        if (strchr(o, '=') != NULL) {
            lull_str_addf(out, "-a '%s'\n", o);
        } else {
            lull_str_addf(out, "%s %s\n", two ? "-l" : o[2] == '\0' ? "-s" : "-o", o + 1 + two);
        }
    }
}

static void fish(struct lull_str *out)
{
    lull_str_addf(out, "# Completion of lull for fish, written by lull --completion fish.\n");
    for (size_t i = 0; lull_commands[i] != NULL; i++) {
        lull_str_addf(out, "complete -c lull -n __fish_use_subcommand -a %s -d ",
                      lull_commands[i]->name);
        quoted(out, lull_commands[i]->help, "\\'", false);
        lull_str_addf(out, "\n");
    }
    for (size_t i = 0; lull_commands[i] != NULL; i++) {
        fish_options(out, lull_commands[i]);
    }
}

struct lull_error *lull_complete(const char *shell, struct lull_str *out)
{
    if (strcmp(shell, "bash") == 0) {
        bash(out);
    } else if (strcmp(shell, "zsh") == 0) {
        zsh(out);
    } else if (strcmp(shell, "fish") == 0) {
        fish(out);
    } else {
        return lull_error_new(LULL_ERR_INVALID, "--completion: bash, zsh or fish, not '%s'", shell);
    }
    return out->err;
}
