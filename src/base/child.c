// SPDX-License-Identifier: MIT
#include "base/child.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct start {
    int (*begin)(void *arg);
    void *arg;
    int failed;
};

// Handlers would run in the parent's memory. By the system call itself: what stands around it, as
// ThreadSanitizer does, keeps what it knows of handlers in that memory, too.
static void no_handlers(void)
{
    enum { SIGNALS = 32, MASK_BYTES = 8 }; // what comes behind, nobody handles
    for (int i = 1; i < SIGNALS; i++) {
        uint64_t now[4] = {0}, by_default[4] = {0}; // the kernel's struct: its handler comes first
        if (syscall(SYS_rt_sigaction, i, NULL, now, MASK_BYTES) == 0 &&
            now[0] != (uintptr_t)SIG_DFL && now[0] != (uintptr_t)SIG_IGN) {
            syscall(SYS_rt_sigaction, i, by_default, NULL, MASK_BYTES);
        }
    }
}

static int child(void *arg)
{
    struct start *s = arg;
    no_handlers();
    s->failed = s->begin(s->arg);
    return 1;
}

int lull_child_start(int (*begin)(void *arg), void *arg, pid_t *ret)
{
    enum { STACK_BYTES = 256 << 10 }; // execvpe() has paths on it
    struct start s = {.begin = begin, .arg = arg};
    uint8_t *stack = malloc(STACK_BYTES); // of AddressSanitizer's, which then knows its end
    if (stack == NULL) {
        return ENOMEM;
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const pid_t pid = clone(child, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD, &s);
    const int r = pid < 0 ? errno : s.failed;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(stack);
    if (pid > 0 && r != 0) {
        waitpid(pid, NULL, 0);
    }
    *ret = r == 0 ? pid : 0;
    return r;
}
