// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/main/complete.h"
#include "cli/opt/command.h"
#include "cli/opt/help.h"

static const char version[] = "lull 0.1.0\n";
static const char untried[] =
    "Ran on the model GPU only: nothing here has been run on AMD or Adreno hardware yet.\n";

/** Write @p out and free it. */
static void print(FILE *to, struct lull_str *out)
{
    fputs(lull_str_text(out), to);
    lull_str_free(out);
}

static int usage(FILE *to)
{
    struct lull_str out = {0};
    lull_help_commands(&out);
    print(to, &out);
    fprintf(to,
            "\n'lull COMMAND --help' says more; 'lull --version --verbose' what has been tried;\n"
            "'lull --completion bash|zsh|fish' completes commands and options in a shell.\n");
    return to == stderr ? LULL_EXIT_USAGE : LULL_EXIT_CLEAN;
}

/** Is --help one of the options? */
static bool asks_for_help(const struct lull_form *form, int argc, char **argv)
{
    struct lull_opt_scan scan = {.form = form, .argc = argc, .argv = argv};
    struct lull_opt_item item = {0};
    while (lull_opt_next(&scan, &item)) {
        if (!item.operand && item.opt == NULL && strcmp(item.word, "--help") == 0) {
            return true;
        }
    }
    return false;
}

/** The script that completes words in @p shell. */
static int completion(const char *shell)
{
    struct lull_str out = {0};
    struct lull_error *err = lull_complete_script(shell, &out);
    if (err != NULL) {
        fprintf(stderr, "lull: %s\n", lull_error_message(err));
    }
    print(stdout, &out);
    const int status = err == NULL ? LULL_EXIT_CLEAN : LULL_EXIT_USAGE;
    lull_error_free(err);
    return status;
}

/** The form that the arguments choose; LULL_ERR_INVALID: their first word is not a sub-command. */
LULL_MUST_USE static struct lull_error *choose(const struct lull_command *c, int argc, char **argv,
                                               const struct lull_form **ret)
{
    struct lull_str words = {0};
    if (c->forms[0]->word == NULL) {
        *ret = c->forms[0];
        return NULL;
    }
    *ret = argc > 0 ? lull_command_form(c, argv[0]) : NULL;
    for (size_t i = 0; *ret == NULL && c->forms[i] != NULL; i++) {
        lull_str_addf(&words, "%s%s", i != 0 ? " or " : "", c->forms[i]->word);
    }
    struct lull_error *err =
        *ret != NULL ? NULL
        : argc > 0
            ? lull_error_new(LULL_ERR_INVALID, "no action '%s': %s", argv[0], lull_str_text(&words))
            : lull_error_new(LULL_ERR_INVALID, "no action given: %s", lull_str_text(&words));
    lull_str_free(&words);
    return err;
}

static int help(const struct lull_command *c, const struct lull_form *form)
{
    struct lull_str out = {0};
    lull_help(c, form, &out);
    print(stdout, &out);
    return LULL_EXIT_CLEAN;
}

static int run(const struct lull_command *c, int argc, char **argv)
{
    const struct lull_form *form = NULL;
    int status = LULL_EXIT_CLEAN;
    if (argc > 0 && strcmp(argv[0], "--help") == 0) {
        return help(c, NULL);
    }
    struct lull_error *err = choose(c, argc, argv, &form);
    const int word = form != NULL && form->word != NULL;
    if (err == NULL && asks_for_help(form, argc - word, argv + word)) {
        return help(c, word ? form : NULL);
    }
    if (err == NULL) {
        err = c->run != NULL ? c->run(argc, argv, &status)
                             : form->run(form, argc - word, argv + word, &status);
    }
    if (err == NULL) {
        return status;
    }
    fprintf(stderr, "lull %s: %s\n", c->name, lull_error_message(err));
    status = lull_error_code(err) == LULL_ERR_DAMAGED ? LULL_EXIT_FINDINGS : LULL_EXIT_FAILED;
    if (lull_error_code(err) == LULL_ERR_INVALID) {
        fprintf(stderr, "'lull %s%s%s --help' says more\n", c->name, word ? " " : "",
                word ? form->word : "");
        status = LULL_EXIT_USAGE;
    }
    lull_error_free(err);
    return status;
}

/** What completion scripts and tests ask for. */
static int rows(int argc, char **argv)
{
    struct lull_str out = {0};
    if (strcmp(argv[1], "--complete") == 0) {
        lull_complete(argc - 2, argv + 2, &out);
    } else {
        lull_complete_rows(&out);
    }
    print(stdout, &out);
    return LULL_EXIT_CLEAN;
}

static int dispatch(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--version") == 0) {
        printf("%s%s", version, argc > 2 && strcmp(argv[2], "--verbose") == 0 ? untried : "");
        return LULL_EXIT_CLEAN;
    }
    const struct lull_command *command =
        lull_command_find(strcmp(name, "help") == 0 && argc > 2 ? argv[2] : name);
    if (command != NULL && strcmp(name, "help") == 0) {
        return help(command, NULL);
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "help") == 0) {
        return usage(stdout);
    }
    if (strcmp(name, "--completion") == 0) {
        return completion(argc > 2 ? argv[2] : "");
    }
    if (strcmp(name, "--complete") == 0 || strcmp(name, "--options") == 0) {
        return rows(argc, argv);
    }
    if (command != NULL) {
        return run(command, argc - 2, argv + 2);
    }
    if (name[0] != '\0') {
        fprintf(stderr, "lull: no command '%s'\n", name);
    }
    return usage(stderr);
}

/** The limit of a file's size: writing fails, and lull says so. Programs started here end by it. */
static void no_more_room(int sig)
{
    (void)sig;
}

/**
 * A standard stream that is closed becomes one that fails: a file opened later would get its
 * number, and what is printed.
 */
static void fill_closed(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
            (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

/** @p status, or LULL_EXIT_FAILED if not all of standard output was written, even long ago. */
static int finish(const char *command, int status)
{
    const bool before = ferror(stdout) != 0;
    const bool now = fclose(stdout) == 0;
    if ((now && !before) || status == LULL_EXIT_FAILED) { // which has said why
        return status;
    }
    fprintf(stderr, "lull%s%s: standard output cannot be written%s%s\n",
            command[0] != '\0' ? " " : "", command, now ? "" : ": ", now ? "" : strerror(errno));
    return LULL_EXIT_FAILED;
}

int main(int argc, char **argv)
{
    const struct sigaction fail = {.sa_handler = no_more_room, .sa_flags = SA_RESTART};
    fill_closed();
    (void)sigaction(SIGXFSZ, &fail, NULL);
    return finish(argc > 1 ? argv[1] : "", dispatch(argc, argv));
}
