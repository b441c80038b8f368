// SPDX-License-Identifier: MIT
#include "cli/printf/watched.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BEAT = 'b', WORK = 'w', TOLD = 't', STEP_MS = 50, NS_PER_MS = 1000000, MS_PER_S = 1000 };

/** The parent's side. */
struct watch {
    int from;
    uint64_t wait_ms, deadline; ///< In ms of the clock; 0: none.
    bool told;
    int status;
};

static uint64_t now_ms(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * MS_PER_S + (uint64_t)t.tv_nsec / NS_PER_MS;
}

/** Signs that came. False: the child has none any more. */
static bool take_signs(struct watch *w)
{
    unsigned char signs[64] = "";
    const ssize_t n = read(w->from, signs, sizeof signs);
    for (ssize_t i = 0; i < n; i++) {
        w->deadline = signs[i] == WORK ? 0 : now_ms() + w->wait_ms;
        if (signs[i] == TOLD && i + 1 < n) {
            w->told = true;
            w->status = signs[++i];
        }
    }
    return n > 0 || (n < 0 && errno == EINTR);
}

/** Until the child ends, or gives no sign in time: then it is killed, and not waited for. */
static bool ended(struct watch *w, pid_t pid, const sigset_t *term, int *ret)
{
    struct pollfd p = {.fd = w->from, .events = POLLIN};
    const struct timespec none = {0};
    while (waitpid(pid, ret, WNOHANG) == 0) {
        if (poll(&p, 1, STEP_MS) > 0 && !take_signs(w)) {
            p.fd = -1; // closed: it ends, or does not
        }
        if (sigtimedwait(term, NULL, &none) == SIGTERM) {
            kill(pid, SIGTERM);
        }
        if (w->deadline != 0 && now_ms() > w->deadline) {
            kill(pid, SIGKILL);
            return false;
        }
    }
    return true;
}

LULL_MUST_USE static struct lull_error *watch(struct watch *w, pid_t pid, struct lull_watched *ret)
{
    int how = 0;
    sigset_t term, before;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, &before);
    const bool end = ended(w, pid, &term, &how);
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(w->from);
    *ret = (struct lull_watched){.parent = true, .pid = (int)pid, .sign = -1, .status = w->status};
    if (end && WIFSIGNALED(how)) {
        return lull_error_new(LULL_ERR_OS, "the driver's process ended by signal %d (%s)",
                              WTERMSIG(how), strsignal(WTERMSIG(how)));
    }
    if (end) {
        ret->status = WEXITSTATUS(how);
    } else {
        ret->stuck = !w->told;
    }
    return NULL;
}

struct lull_error *lull_watched_start(uint64_t start_ms, uint64_t wait_ms, struct lull_watched *ret)
{
    int ends[2] = {-1, -1};
    if (pipe(ends) != 0) {
        return lull_error_new(LULL_ERR_OS, "pipe: %s", strerror(errno));
    }
    fflush(NULL);
    const pid_t pid = fork();
    if (pid < 0) {
        const int why = errno;
        close(ends[0]);
        close(ends[1]);
        return lull_error_new(LULL_ERR_OS, "fork: %s", strerror(why));
    }
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(ends[0]);
        *ret = (struct lull_watched){.sign = ends[1]};
        return NULL;
    }
    close(ends[1]);
    struct watch w = {.from = ends[0], .wait_ms = wait_ms, .deadline = now_ms() + start_ms};
    return watch(&w, pid, ret);
}

static void give(const struct lull_watched *w, const unsigned char *sign, size_t n)
{
    if (w->sign >= 0 && write(w->sign, sign, n) < 0) {
        return; // the parent is gone, and so is this process soon
    }
}

void lull_watched_beat(const struct lull_watched *w)
{
    give(w, (const unsigned char[]){BEAT}, 1);
}

void lull_watched_work(const struct lull_watched *w)
{
    give(w, (const unsigned char[]){WORK}, 1);
}

void lull_watched_told(const struct lull_watched *w, int status)
{
    give(w, (const unsigned char[]){TOLD, (unsigned char)status}, 2);
}
