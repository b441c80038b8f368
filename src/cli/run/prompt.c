// SPDX-License-Identifier: MIT
// Lines for the debugger.
#include <editline/readline.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/str.h"
#include "cli/opt/host.h"
#include "cli/run/prompt.h"

enum { MAX_HISTORY = 1000, MAX_WORDS = 4096 };

/** readline's functions have no argument for it. */
static struct lull_prompt *now;

/** Words that were found. */
struct words {
    char **at; ///< Of malloc(), as readline wants it: [0] what they share, then each, NULL.
    size_t n;
};

static void keep(void *to, const char *word)
{
    struct words *w = to;
    if (w->n < MAX_WORDS) {
        char **more = realloc(w->at, (w->n + 3) * sizeof *more);
        char *copy = more != NULL ? strdup(word) : NULL;
        w->at = more != NULL ? more : w->at;
        if (copy != NULL) {
            w->at[++w->n] = copy;
            w->at[w->n + 1] = NULL;
        }
    }
}

/** What all words begin with. */
static char *shared(const struct words *w)
{
    size_t n = strlen(w->at[1]);
    for (size_t i = 2; i <= w->n; i++) {
        size_t same = 0;
        while (same < n && w->at[1][same] == w->at[i][same]) {
            same++;
        }
        n = same;
    }
    return strndup(w->at[1], n);
}

static char **complete(const char *text, int start, int end)
{
    struct words w = {.n = 0};
    lull_cleanup(lull_freep) char *line = strndup(rl_line_buffer, (size_t)end);
    const char *first = line != NULL ? line + strspn(line, " \t") : "";
    (void)text;
    if (line == NULL || (start != 0 && strncmp(first, "source ", 7) == 0)) {
        return NULL; // Files: readline's own.
    }
    rl_attempted_completion_over = 1;
    now->complete(now->ctx, line, keep, &w);
    if (w.n != 0) {
        w.at[0] = shared(&w);
    }
    return w.n != 0 ? w.at : NULL;
}

void lull_prompt_open(struct lull_prompt *p)
{
    const char *path = getenv("LULL_HISTORY"), *home = getenv("HOME");
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    p->terminal = isatty(STDIN_FILENO) != 0;
    if (!p->terminal) {
        return;
    }
    now = p;
    rl_attempted_completion_function = complete;
    rl_completer_word_break_characters = (char[]){" \t,(+-*=["};
    if (path == NULL && home != NULL) {
        lull_str_addf(&text, "%s/.lull_history", home);
        path = lull_str_text(&text);
    }
    if (path != NULL && *path != '\0') {
        p->history = strdup(path);
        stifle_history(MAX_HISTORY);
        (void)read_history(path); // There may be none yet.
    }
}

/* A signal that only ends what waits. */
static void nothing(int sig)
{
    (void)sig;
}

static char *read_line(const struct lull_prompt *p, const char *text, bool *ret_interrupted)
{
    const struct sigaction end_the_read = {.sa_handler = nothing};
    struct sigaction before;
    char *line = NULL;
    size_t room = 0;
    *ret_interrupted = lull_host_interrupted(); // Typed while the last command ran to its end.
    if (*ret_interrupted) {
        return NULL;
    }
    sigaction(SIGINT, &end_the_read, &before);
    lull_host_interruptible(true);
    errno = 0;
    if (p->terminal) {
        line = readline(text);
    } else if (getline(&line, &room, stdin) < 0) {
        free(line);
        line = NULL;
    }
    *ret_interrupted = line == NULL && errno == EINTR;
    lull_host_interruptible(false);
    sigaction(SIGINT, &before, NULL);
    return line;
}

char *lull_prompt_line(struct lull_prompt *p, const char *text, bool again, bool *ret_interrupted)
{
    char *line = read_line(p, text, ret_interrupted);
    if (line == NULL) {
        if (p->terminal) {
            printf(*ret_interrupted ? "Quit\n" : "\n"); // gdb's word for a line that is given up.
        }
        return NULL;
    }
    line[strcspn(line, "\n")] = '\0';
    if (!p->terminal || !again) {
        return line;
    }
    if (line[0] == '\0' && p->last != NULL) { // As in gdb.
        free(line);
        return strdup(p->last);
    }
    if (line[0] != '\0') {
        add_history(line);
        free(p->last);
        p->last = strdup(line);
    }
    return line;
}

enum lull_terminal_answer lull_prompt_more(void *ctx)
{
    const struct lull_prompt quiet = {.terminal = false};
    bool interrupted = false;
    (void)ctx;
    printf("--Type <RET> for more, q to quit, c to continue without paging--");
    fflush(stdout);
    lull_cleanup(lull_freep) char *line = read_line(&quiet, "", &interrupted);
    if (line == NULL) {
        printf(interrupted ? "Quit\n" : "\n");
    }
    return line == NULL || line[0] == 'q' ? LULL_TERMINAL_QUIT
           : line[0] == 'c'               ? LULL_TERMINAL_ALL
                                          : LULL_TERMINAL_MORE;
}

void lull_prompt_close(struct lull_prompt *p)
{
    if (p->history != NULL) {
        (void)write_history(p->history); // A home that cannot be written has none.
    }
    free(p->history);
    free(p->last);
    p->history = p->last = NULL;
    now = NULL;
}

struct lull_error *lull_prompt_shell(void *ctx, const char *command, struct lull_str *out)
{
    char piece[4096];
    (void)ctx;
    fflush(NULL);
    FILE *f = popen(command, "re");
    if (f == NULL) {
        return lull_error_os(errno, "shell");
    }
    for (size_t n = 0; (n = fread(piece, 1, sizeof piece, f)) != 0;) {
        lull_str_add(out, piece, n);
    }
    const int status = pclose(f);
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0) {
        lull_str_addf(out, "[status %d]\n", WEXITSTATUS(status));
    }
    return NULL;
}
