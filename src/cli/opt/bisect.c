// SPDX-License-Identifier: MIT
// Runs of a program with sets of flags; the search itself is base/ddmin.
#include "cli/opt/bisect.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/ddmin.h"
#include "base/str.h"

enum { STATUS_SKIP = 125, WORDS = 64 };

// One run: what is said of it, and what counts.
struct end {
    enum lull_bisect_end how;
    char words[WORDS]; // "exit status 1"
};

static void wanted_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
}

/** Flags have no variable. */
static bool listed(const struct lull_bisect *b)
{
    return b->place != 0 || b->child != NULL;
}

// "A,B" of a set, or "none".
static void join(const struct lull_bisect *b, const size_t *which, size_t n, struct lull_str *ret)
{
    for (size_t i = 0; i < n; i++) {
        lull_str_addf(ret, "%s%s", i == 0 ? "" : ",", b->flags[which[i]].flag);
    }
    if (n == 0) {
        lull_str_addf(ret, "none");
    }
}

// VARIABLE=own,flags of every variable that @p which has flags of; else nothing changes.
static void set_environment(const struct lull_bisect *b, const size_t *which, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct lull_bisect_flag *f = &b->flags[which[i]];
        const char *own = getenv(f->variable);
        struct lull_str value = {0};
        lull_str_addf(&value, "%s%s%s", own != NULL ? own : "",
                      own != NULL && *own != '\0' ? "," : "", f->flag);
        if (value.err != NULL || setenv(f->variable, lull_str_text(&value), 1) != 0) {
            _exit(STATUS_SKIP); // no memory: it cannot be told
        }
        lull_str_free(&value);
    }
}

// In the child: a group of its own, so that all of it can be ended.
static void become(const struct lull_bisect *b, const size_t *which, size_t n, const sigset_t *mask,
                   int tell)
{
    setpgid(0, 0);
    struct lull_str list = {0};
    if (listed(b)) {
        join(b, which, n, &list);
    } else {
        set_environment(b, which, n);
    }
    if (b->place != 0) {
        b->argv[b->place] = list.text;
    }
    if (list.err != NULL) {
        _exit(STATUS_SKIP); // no memory: it cannot be told
    }
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(null, STDIN_FILENO);
    dup2(b->output ? STDERR_FILENO : null, STDOUT_FILENO);
    if (!b->output) {
        dup2(null, STDERR_FILENO);
    }
    sigprocmask(SIG_SETMASK, mask, NULL);
    if (b->child != NULL) {
        _exit(b->child(b->ctx, list.text));
    }
    execvp(b->argv[0], b->argv);
    const int errnum = errno;
    const ssize_t told = write(tell, &errnum, sizeof errnum);
    (void)told; // if not, the status must do
    _exit(STATUS_SKIP);
}

// Until it ends, is out of time, or somebody ends us.
static int wait_for(struct lull_bisect *b, pid_t pid, bool *late)
{
    sigset_t signals;
    wanted_signals(&signals);
    struct timespec now, end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += (time_t)b->timeout_s;
    int status = 0;
    *late = false;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        const bool over =
            now.tv_sec > end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec >= end.tv_nsec);
        if (b->interrupted || (b->timeout_s != 0 && over)) {
            *late = !b->interrupted;
            kill(-pid, SIGKILL);
            waitpid(pid, &status, 0);
            return status;
        }
        const struct timespec poll = {.tv_nsec = 100000000};
        siginfo_t info = {0};
        const int sig = sigtimedwait(&signals, &info, &poll);
        b->interrupted |= sig > 0 && sig != SIGCHLD;
    }
    kill(-pid, SIGKILL); // what it left behind would disturb the next run
    return status;
}

static struct end end_of(const struct lull_bisect *b, int status, bool late)
{
    struct end e = {.how = LULL_BISECT_FAILS};
    if (late) {
        snprintf(e.words, sizeof e.words, "after %llu s", (unsigned long long)b->timeout_s);
    } else if (WIFSIGNALED(status)) {
        snprintf(e.words, sizeof e.words, "signal %d", WTERMSIG(status));
    } else if (WEXITSTATUS(status) == STATUS_SKIP) {
        e.how = LULL_BISECT_SKIPS;
    } else if (WEXITSTATUS(status) == 0) {
        e.how = LULL_BISECT_PASSES;
    } else if (b->child == NULL) {
        snprintf(e.words, sizeof e.words, "exit status %d", WEXITSTATUS(status));
    }
    return e;
}

LULL_MUST_USE static struct lull_error *run_once(struct lull_bisect *b, const size_t *which,
                                                 size_t n, struct end *ret)
{
    int tell[2];
    sigset_t signals, before;
    if (pipe2(tell, O_CLOEXEC) != 0) {
        return lull_error_os(errno, "pipe");
    }
    wanted_signals(&signals);
    sigprocmask(SIG_BLOCK, &signals, &before);
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        become(b, which, n, &before, tell[1]);
    }
    const int errnum = errno;
    close(tell[1]);
    struct lull_error *err = pid < 0 ? lull_error_os(errnum, "fork") : NULL;
    int wrong = 0;
    if (err == NULL) {
        setpgid(pid, pid); // whoever comes first
        const ssize_t got = read(tell[0], &wrong, sizeof wrong);
        bool late = false;
        const int status = wait_for(b, pid, &late);
        *ret = end_of(b, status, late);
        err = got != sizeof wrong ? NULL
              : wrong == ENOENT
                  ? lull_error_new(LULL_ERR_NOT_FOUND, "%s: program not found", b->argv[0])
                  : lull_error_os(wrong, "%s", b->argv[0]);
        b->nruns++;
    }
    close(tell[0]);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return err;
}

// "TU_DEBUG=nolrz,sysmem IR3_SHADER_DEBUG=fullnop"
static void put_set(const struct lull_bisect *b, const size_t *which, size_t n)
{
    const char *last = "";
    if (listed(b) && n == 1) {
        printf("%s", b->flags[which[0]].flag);
        return;
    }
    if (listed(b) && n > 0) {
        printf("%zu %s, %s to %s", n, b->things, b->flags[which[0]].flag,
               b->flags[which[n - 1]].flag);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const struct lull_bisect_flag *f = &b->flags[which[i]];
        const bool same = strcmp(f->variable, last) == 0;
        printf("%s%s%s%s",
               same     ? ","
               : i != 0 ? " "
                        : "",
               same ? "" : f->variable, same ? "" : "=", f->flag);
        last = f->variable;
    }
}

// Runs until one of them does not pass.
LULL_MUST_USE static struct lull_error *try_runs(struct lull_bisect *b, const size_t *which,
                                                 size_t n, struct end *e)
{
    struct lull_error *err = NULL;
    *e = (struct end){0};
    for (uint64_t i = 0; err == NULL && i < b->runs && e->how == LULL_BISECT_PASSES; i++) {
        err = run_once(b, which, n, e);
        if (b->interrupted) {
            return err;
        }
    }
    if (err == NULL && !b->json) {
        const char *const words[] = {"passes", "fails", "cannot be told (exit status 125)"};
        printf("%s%s%s%s  ", words[e->how], e->words[0] != '\0' ? " (" : "", e->words,
               e->words[0] != '\0' ? ")" : "");
    }
    return err;
}

static void put_line(const struct lull_bisect *b, const char *text)
{
    if (!b->json && !b->interrupted) {
        printf("%s\n", text);
        fflush(stdout);
    }
}

LULL_MUST_USE static struct lull_error *try_set(struct lull_bisect *b, const size_t *which,
                                                size_t n, enum lull_bisect_end *how)
{
    struct end e = {0};
    *how = LULL_BISECT_SKIPS;
    struct lull_error *err = try_runs(b, which, n, &e);
    if (err != NULL || b->interrupted) {
        return err;
    }
    *how = e.how;
    if (!b->json) {
        put_set(b, which, n);
    }
    put_line(b, n > 0 ? "" : listed(b) ? "with no garbage" : "with no flag added");
    return NULL;
}

struct lull_error *lull_bisect_try(struct lull_bisect *b, const char *text,
                                   enum lull_bisect_end *ret)
{
    struct end e = {0};
    struct lull_error *err = try_runs(b, NULL, 0, &e);
    *ret = b->interrupted ? LULL_BISECT_SKIPS : e.how;
    if (err == NULL) {
        put_line(b, text);
    }
    return err;
}

// For lull_ddmin(): the set turns the end round.
LULL_MUST_USE static struct lull_error *turns(void *ctx, const size_t *which, size_t n, bool *ret)
{
    struct lull_bisect *b = ctx;
    enum lull_bisect_end how = LULL_BISECT_SKIPS;
    *ret = false;
    struct lull_error *err = b->interrupted ? NULL : try_set(b, which, n, &how);
    *ret = how != LULL_BISECT_SKIPS && how != b->base;
    return err;
}

LULL_MUST_USE static struct lull_error *each_alone(struct lull_bisect *b)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && !b->interrupted && i < b->nflags; i++) {
        err = turns(b, &i, 1, &b->alone[i]);
        if (err == NULL && b->alone[i] && b->nset == 0) {
            b->set[b->nset++] = i;
        }
    }
    return err;
}

LULL_MUST_USE static struct lull_error *by_halves(struct lull_bisect *b)
{
    for (size_t i = 0; i < b->nflags; i++) {
        b->set[i] = i;
    }
    bool all = false;
    struct lull_error *err = turns(b, b->set, b->nflags, &all);
    if (err != NULL || !all) {
        return err;
    }
    b->nset = b->nflags;
    return lull_ddmin(b->set, &b->nset, turns, b);
}

struct lull_error *lull_bisect(struct lull_bisect *b)
{
    b->alone = calloc(b->nflags + 1, sizeof *b->alone);
    b->set = calloc(b->nflags + 1, sizeof *b->set);
    if (b->alone == NULL || b->set == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = try_set(b, NULL, 0, &b->base);
    if (err == NULL && !b->interrupted && b->base == LULL_BISECT_SKIPS) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED,
                             "%s ends with status 125 (cannot be told) with no flag added",
                             b->subject != NULL ? b->subject : b->argv[0]);
    }
    if (err == NULL && !b->interrupted && b->must_pass && b->base == LULL_BISECT_FAILS) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "%s fails with no garbage, too",
                             b->subject != NULL ? b->subject : "the program");
    }
    if (err == NULL && !b->interrupted && !b->first) {
        err = each_alone(b);
    }
    if (err == NULL && !b->interrupted && b->nset == 0 && (b->first || b->nflags > 1)) {
        err = by_halves(b);
    }
    return err;
}

struct lull_error *lull_bisect_print(struct lull_str *out)
{
    struct lull_error *err = out->err;
    out->err = NULL;
    if (err == NULL) {
        puts(lull_str_text(out));
    }
    lull_str_free(out);
    return err;
}

void lull_bisect_done(struct lull_bisect *b)
{
    free(b->alone);
    free(b->set);
    free(b->flags);
}
