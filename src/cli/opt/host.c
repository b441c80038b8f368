// SPDX-License-Identifier: MIT
#include "cli/opt/host.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "cli/opt/engine.h"
#include "cli/opt/gpu.h"
#include "cli/opt/windows.h"
#include "model/order.h"
#include "vdrm/amdgpu/vdrm.h"
#include "vdrm/core/session.h"

void lull_host_interruptible(bool on)
{
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(on ? SIG_UNBLOCK : SIG_BLOCK, &interrupt, NULL);
}

struct lull_error *lull_host_open(struct lull_host *h)
{
    struct lull_vdrm_options vdrm = {.seed = h->seed,
                                     .order = h->order,
                                     .lockup_cycles = UINT64_MAX,
                                     .threaded = true,
                                     .isolate = true};
    const bool adreno = lull_gpu_is_adreno(h->gpu);
    sigset_t mask;
    sigemptyset(&mask);
    lull_host_interruptible(false);
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    struct lull_error *err = lull_windows_set();
    if (err == NULL && h->engine != NULL) {
        err = lull_engine_choose(h->engine, &vdrm.engine);
    }
    if (err == NULL && adreno) {
        const struct lull_gpu_how how = {.name = h->gpu,
                                         .seed = h->seed,
                                         .order = h->order,
                                         .hang_ms = UINT32_MAX,
                                         .assume = &h->assume};
        err = lull_gpu_kernel(&how, &h->kernel);
    } else if (err == NULL) {
        err = lull_vdrm_new(&vdrm, &h->kernel);
    }
    if (err == NULL) {
        err = lull_session_new(h->kernel, &mask, &h->session);
    }
    if (err == NULL && adreno) {
        lull_session_arm64(h->session); // no amd64 Debian has a driver for it
    }
    if (err == NULL && (err = lull_session_names(h->session, NULL)) != NULL) {
        lull_error_free(err); // Numbers instead of names.
        err = NULL;
    }
    return err;
}

const char *lull_host_folder(const struct lull_host *h)
{
    return lull_session_folder(h->session);
}

struct lull_error *lull_host_start(struct lull_host *h)
{
    h->note[0] = '\0';
    if (h->order != NULL) {
        lull_order_again(h->order);
    }
    return lull_session_spawn(h->session, h->argv, &h->pid);
}

bool lull_host_alive(struct lull_host *h)
{
    int status = 0;
    if (h->pid == 0) {
        return false;
    }
    if (waitpid(h->pid, &status, WNOHANG) != h->pid) {
        return true;
    }
    h->pid = 0;
    h->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (WIFSIGNALED(status)) {
        snprintf(h->note, sizeof h->note, "was killed by signal %d, %s", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    } else {
        snprintf(h->note, sizeof h->note, "exited with status %d", WEXITSTATUS(status));
    }
    return false;
}

bool lull_host_interrupted(void)
{
    sigset_t interrupt;
    struct timespec now = {0};
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    return sigtimedwait(&interrupt, NULL, &now) == SIGINT;
}

static void stop_signals(sigset_t *ret)
{
    sigemptyset(ret);
    sigaddset(ret, SIGUSR1);
    sigaddset(ret, SIGQUIT);
}

void lull_host_stop_key(void)
{
    const struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t set;
    stop_signals(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    // What a shell's background job ignores would not even wait to be looked for.
    sigaction(SIGUSR1, &plain, NULL);
    sigaction(SIGQUIT, &plain, NULL);
}

bool lull_host_stop_wanted(void)
{
    sigset_t set;
    struct timespec now = {0};
    stop_signals(&set);
    return sigtimedwait(&set, NULL, &now) > 0;
}

bool lull_host_names(uint32_t pid, char *dir, size_t room)
{
    static const char name[] = "LULL_NAMES=";
    char path[64] = "";
    snprintf(path, sizeof path, "/proc/%u/environ", (unsigned)pid);
    lull_cleanup(lull_fclosep) FILE *f = fopen(path, "r");
    lull_cleanup(lull_freep) char *entry = NULL;
    size_t size = 0;
    while (f != NULL && getdelim(&entry, &size, '\0', f) > 0) {
        if (strncmp(entry, name, sizeof name - 1) == 0) {
            const char *value = entry + sizeof name - 1;
            return value[0] != '\0' && (size_t)snprintf(dir, room, "%s", value) < room;
        }
    }
    return false;
}

void lull_host_kill(struct lull_host *h)
{
    if (h->pid != 0) {
        kill(h->pid, SIGKILL);
        waitpid(h->pid, NULL, 0);
        h->pid = 0;
    }
}

void lull_host_close(struct lull_host *h)
{
    lull_host_kill(h);
    lull_session_free(h->session);
    if (h->kernel != NULL) {
        h->kernel->destroy(h->kernel);
    }
}
