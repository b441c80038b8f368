// SPDX-License-Identifier: MIT
#include "layer/lines/guard.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { N = sizeof signals / sizeof signals[0] };

static struct {
    pthread_mutex_t lock;
    unsigned calls; // Under way.
    struct sigaction before[N];
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local sigjmp_buf *volatile back;

static void caught(int sig)
{
    if (back != NULL) {
        siglongjmp(*back, 1);
    }
    for (size_t i = 0; i < N; i++) { // Another thread's: it happens again, to who was asked before.
        if (signals[i] == sig) {
            sigaction(sig, &all.before[i], NULL);
            if (sig == SIGABRT) {
                raise(sig);
            }
        }
    }
}

static void enter(void)
{
    struct sigaction mine = {.sa_handler = caught, .sa_flags = SA_NODEFER};
    sigemptyset(&mine.sa_mask);
    pthread_mutex_lock(&all.lock);
    for (size_t i = 0; all.calls == 0 && i < N; i++) {
        sigaction(signals[i], &mine, &all.before[i]);
    }
    all.calls++;
    pthread_mutex_unlock(&all.lock);
}

static void leave(void)
{
    pthread_mutex_lock(&all.lock);
    all.calls--;
    for (size_t i = 0; all.calls == 0 && i < N; i++) {
        sigaction(signals[i], &all.before[i], NULL);
    }
    pthread_mutex_unlock(&all.lock);
}

bool lull_ll_guard(void (*call)(void *arg), void *arg)
{
    sigjmp_buf here;
    enter();
    if (sigsetjmp(here, 1) != 0) {
        back = NULL;
        leave();
        return false;
    }
    back = &here;
    call(arg);
    back = NULL;
    leave();
    return true;
}
