// SPDX-License-Identifier: MIT
// lull_child_start(): what a child gets, and what stays as it is here.
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "test.h"

enum { HANDLED = SIGUSR1, IGNORED = SIGUSR2 };

static volatile sig_atomic_t handled;

static void handle(int sig)
{
    handled += sig != 0;
}

/** What a child sees; its memory is this process's. */
struct child {
    const char *path, *script;
    bool blocked, by_default, ignored;
    pid_t pid, parent;
};

static int begin(void *arg)
{
    struct child *c = arg;
    struct sigaction a = {0}, b = {0};
    sigset_t now, none;
    sigprocmask(SIG_SETMASK, NULL, &now);
    c->blocked = sigismember(&now, HANDLED) == 1 && sigismember(&now, SIGTERM) == 1;
    sigaction(HANDLED, NULL, &a);
    sigaction(IGNORED, NULL, &b);
    c->by_default = a.sa_handler == SIG_DFL;
    c->ignored = b.sa_handler == SIG_IGN;
    c->pid = getpid();
    c->parent = getppid();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execl(c->path, "sh", "-c", c->script, (char *)NULL);
    return errno;
}

int main(void)
{
    struct sigaction a = {.sa_handler = handle}, after = {0};
    sigset_t before = {0}, now = {0}; // the kernel writes a part
    int status = -1;
    pid_t pid = -1;
    sigaction(HANDLED, &a, NULL);
    signal(IGNORED, SIG_IGN);
    sigprocmask(SIG_SETMASK, NULL, &before);
    struct child c = {.path = "/bin/sh", .script = "exit 7"};
    int r = lull_child_start(begin, &c, &pid);
    test_case(r == 0 && pid == c.pid && pid != getpid() && c.parent == getpid(),
              "a child of this process", "%d: %d, %d of %d", r, (int)pid, (int)c.pid,
              (int)c.parent);
    test_case(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7,
              "is the program that it executes", "0x%x", (unsigned)status);
    test_case(c.blocked && c.by_default && c.ignored,
              "until then no handler can run in it, and what is ignored stays so", "%d %d %d",
              c.blocked, c.by_default, c.ignored);
    sigaction(HANDLED, NULL, &after);
    sigprocmask(SIG_SETMASK, NULL, &now);
    test_case(after.sa_handler == handle && memcmp(&before, &now, sizeof now) == 0,
              "handlers and mask here are as before", "%d", after.sa_handler == handle);
    c = (struct child){.path = "/nowhere/sh", .script = ""};
    pid = -1;
    r = lull_child_start(begin, &c, &pid);
    test_case(r == ENOENT && pid == 0, "one that cannot execute gives its errno", "%d, %d", r,
              (int)pid);
    test_case(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "and leaves no process", "%d",
              errno);
    c = (struct child){.path = "/bin/sh", .script = "kill -USR1 $$; exit 1"};
    r = lull_child_start(begin, &c, &pid);
    test_case(r == 0 && waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) &&
                  WTERMSIG(status) == HANDLED && handled == 0,
              "its signals are its own", "%d, 0x%x, %d handled", r, (unsigned)status, (int)handled);
    return test_end();
}
