// SPDX-License-Identifier: MIT
// A call that crashes is left; one that does not is not; who had the signal before has it again,
// and has another thread's meanwhile.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer/lines/guard.h"
#include "test.h"

static sigjmp_buf outside;
static volatile sig_atomic_t told;

static void own(int sig)
{
    told = sig;
    siglongjmp(outside, 1);
}

static void stay(void *arg)
{
    *(int *)arg = 1;
}

static void send(void *arg)
{
    const int *sig = arg;
    if (*sig == SIGABRT) {
        abort();
    }
    pthread_kill(pthread_self(), *sig);
}

static void *other(void *arg)
{
    (void)arg;
    if (sigsetjmp(outside, 1) == 0) {
        pthread_kill(pthread_self(), SIGFPE);
        pthread_kill(pthread_self(), SIGFPE); // The first put the handler back.
    }
    return NULL;
}

static void with_other(void *arg)
{
    pthread_t t;
    if (pthread_create(&t, NULL, other, NULL) == 0) {
        pthread_join(t, NULL);
        *(int *)arg = told;
    }
}

int main(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction mine = {.sa_handler = own, .sa_flags = SA_NODEFER};
    int done = 0;
    sigaction(SIGFPE, &mine, NULL);
    test_case(lull_ll_guard(stay, &done) && done == 1, "a call that stays", "%d", done);
    for (unsigned i = 0; i < TEST_ROWS(signals); i++) {
        int sig = signals[i];
        test_case(!lull_ll_guard(send, &sig), strsignal(sig), "the call came back");
    }
    done = 0;
    test_case(lull_ll_guard(with_other, &done) && done == SIGFPE, "another thread's", "%d", done);
    told = 0;
    if (sigsetjmp(outside, 1) == 0) {
        pthread_kill(pthread_self(), SIGFPE);
    }
    test_case(told == SIGFPE, "the handler that was there is there again", "%d", (int)told);
    return test_end();
}
