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

static const char version[] = "lull 0.1.0\n";
static const char untried[] =
    "Ran on the model GPU only: nothing here has been run on AMD or Adreno hardware yet.\n";

static int usage(FILE *to)
{
    fprintf(to, "usage: lull COMMAND [ARGUMENTS]\n\n");
    for (size_t i = 0; lull_commands[i] != NULL; i++) {
        fprintf(to, "  %-10s %s\n", lull_commands[i]->name, lull_commands[i]->help);
    }
    fprintf(to,
            "\n'lull COMMAND --help' says more; 'lull --version --verbose' what has been tried;\n"
            "'lull --completion bash|zsh|fish' completes commands and options in a shell.\n");
    return to == stderr ? LULL_EXIT_USAGE : LULL_EXIT_CLEAN;
}

static int help(const struct lull_command *command)
{
    printf("usage: lull %s %s\n\n%s.\n%s%s", command->name, command->args, command->help,
           command->more != NULL ? command->more : "",
           command->more2 != NULL ? command->more2 : "");
    return LULL_EXIT_CLEAN;
}

/** Is @p word a sub-command: one of the words in the usage of @p command? */
static bool is_sub_command(const struct lull_command *command, const char *word)
{
    const size_t size = strlen(word);
    for (const char *at = command->args; size > 0 && (at = strstr(at, word)) != NULL; at++) {
        const bool starts = at == command->args || at[-1] == ' ' || at[-1] == '|';
        if (starts && (at[size] == '\0' || at[size] == ' ' || at[size] == '|')) {
            return true;
        }
    }
    return false;
}

static bool wants_help(const struct lull_command *command, int argc, char **argv)
{
    const int at = argc > 3 && is_sub_command(command, argv[2]) ? 3 : 2;
    return argc > at && strcmp(argv[at], "--help") == 0;
}

/** The script that completes words in @p shell. */
static int completion(const char *shell)
{
    struct lull_str out = {0};
    struct lull_error *err = lull_complete(shell, &out);
    if (err == NULL) {
        fputs(lull_str_text(&out), stdout);
    } else {
        fprintf(stderr, "lull: %s\n", lull_error_message(err));
    }
    lull_str_free(&out);
    const int status = err == NULL ? LULL_EXIT_CLEAN : LULL_EXIT_USAGE;
    lull_error_free(err);
    return status;
}

static int run(const struct lull_command *command, int argc, char **argv)
{
    int status = LULL_EXIT_CLEAN;
    struct lull_error *err = command->run(argc, argv, &status);
    if (err == NULL) {
        return status;
    }
    fprintf(stderr, "lull %s: %s\n", command->name, lull_error_message(err));
    status = lull_error_code(err) == LULL_ERR_DAMAGED ? LULL_EXIT_FINDINGS : LULL_EXIT_FAILED;
    if (lull_error_code(err) == LULL_ERR_INVALID) {
        fprintf(stderr, "usage: lull %s %s\n", command->name, command->args);
        status = LULL_EXIT_USAGE;
    }
    lull_error_free(err);
    return status;
}

static int dispatch(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--version") == 0) {
        printf("%s%s", version, argc > 2 && strcmp(argv[2], "--verbose") == 0 ? untried : "");
        return LULL_EXIT_CLEAN;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "help") == 0) {
        return usage(stdout);
    }
    if (strcmp(name, "--completion") == 0) {
        return completion(argc > 2 ? argv[2] : "");
    }
    for (size_t i = 0; lull_commands[i] != NULL; i++) {
        if (strcmp(name, lull_commands[i]->name) == 0) {
            if (wants_help(lull_commands[i], argc, argv)) {
                return help(lull_commands[i]);
            }
            return run(lull_commands[i], argc - 2, argv + 2);
        }
    }
    if (name[0] != '\0') {
        fprintf(stderr, "lull: no command '%s'\n", name);
    }
    return usage(stderr);
}

/** The limit of a file's size: writing fails, and that is told. Programs started here end by it. */
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
