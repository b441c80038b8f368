// SPDX-License-Identifier: MIT
/* lull exec: a program that sees the virtual GPU. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "cli/opt/args.h"
#include "cli/opt/check.h"
#include "cli/opt/command.h"
#include "cli/opt/driver_log.h"
#include "drm/core/kernel.h"
#include "vdrm/amdgpu/vdrm.h"
#include "vdrm/core/session.h"

enum { EXIT_CANNOT = 126, EXIT_NOT_FOUND = 127, EXIT_SIGNAL = 128 }; // as env(1) and sh(1)
enum { LOG_POLL_NS = 100000000 };

struct exec_options {
    uint64_t seed, lockup_ms;
    const char *socket; // For debuggers.
    const char *names;  // Directory for the names layer; NULL: no layer.
    struct lull_check check;
    bool json;   // Of the check's report.
    char **argv; // Of the program.
};

LULL_MUST_USE static struct lull_error *parse(struct exec_options *o, int argc, char **argv)
{
    int i = 0;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0 && argv[i][2] != '\0'; i++) {
        struct lull_error *err = NULL;
        if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
            err = lull_args_number("--seed", argv[++i], UINT64_MAX, &o->seed);
        } else if (strcmp(argv[i], "--timeout") == 0 && i + 1 < argc) {
            err = lull_args_number("--timeout", argv[++i], UINT32_MAX, &o->lockup_ms);
        } else if (strcmp(argv[i], "--socket") == 0 && i + 1 < argc) {
            o->socket = argv[++i];
        } else if (strcmp(argv[i], "--check") == 0 && i + 1 < argc) {
            err = lull_check_option(&o->check, argv[++i]);
        } else if (strcmp(argv[i], "--json") == 0) {
            o->json = true;
        } else if (strcmp(argv[i], "--names") == 0 && i + 1 < argc) {
            o->names = argv[++i];
        } else {
            err = lull_error_new(LULL_ERR_INVALID, "no option '%s', or no value after it", argv[i]);
        }
        if (err != NULL) {
            return err;
        }
    }
    i += i < argc && strcmp(argv[i], "--") == 0;
    if (i >= argc) {
        return lull_error_new(LULL_ERR_INVALID, "no program given");
    }
    o->argv = argv + i;
    return NULL;
}

// What the driver has to say: errors, as the kernel's log would have them.
static void print_log(struct lull_driver_log *log)
{
    for (const char *text; (text = lull_driver_log_next(log)) != NULL;) {
        fprintf(stderr, "lull exec: %s", text);
    }
}

// Wait for the program, and pass on to it what somebody sends to us. What the terminal sends it has
// got itself. The log is printed as it comes: a program may wait for ever for what was lost.
static int wait_for(pid_t pid, const sigset_t *signals, struct lull_driver_log *log)
{
    const struct timespec poll = {.tv_nsec = LOG_POLL_NS};
    int status = 0;
    while (waitpid(pid, &status, WNOHANG) != pid) {
        siginfo_t info = {0};
        const int sig = sigtimedwait(signals, &info, &poll);
        if (sig > 0 && sig != SIGCHLD && info.si_code <= 0) {
            kill(pid, sig);
        }
        print_log(log);
    }
    return WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

static int exec_in(struct lull_session *s, const struct exec_options *o, const sigset_t *signals,
                   struct lull_driver_log *log)
{
    pid_t pid = 0;
    const char *obstacle = lull_session_obstacle(o->argv[0]);
    if (obstacle != NULL) {
        fprintf(stderr, "lull exec: %s %s: LD_PRELOAD does not reach it, and it will see no GPU\n",
                o->argv[0], obstacle);
    }
    struct lull_error *err = lull_session_spawn(s, o->argv, &pid);
    if (err == NULL) {
        return wait_for(pid, signals, log);
    }
    fprintf(stderr, "lull exec: %s\n", lull_error_message(err));
    const int status = lull_error_code(err) == LULL_ERR_NOT_FOUND ? EXIT_NOT_FOUND : EXIT_CANNOT;
    lull_error_free(err);
    return status;
}

LULL_MUST_USE static struct lull_error *run(int argc, char **argv, int *status)
{
    struct exec_options o = {0};
    struct lull_error *err = parse(&o, argc, argv);
    if (err != NULL) {
        return err;
    }
    // Before there are threads: one that has them unblocked would take them, SIGCHLD too.
    sigset_t signals, before;
    sigemptyset(&signals);
    const int which[] = {SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < sizeof which / sizeof which[0]; i++) {
        sigaddset(&signals, which[i]);
    }
    sigset_t blocked = signals;
    sigaddset(&blocked, SIGPIPE); // Nobody may read the log; the program goes on.
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    const struct lull_vdrm_options vdrm = {
        .seed = o.seed, .lockup_ms = (uint32_t)o.lockup_ms, .threaded = true, .isolate = true};
    struct lull_kernel *k = NULL;
    err = lull_vdrm_new(&vdrm, &k);
    if (err != NULL) {
        return err;
    }
    struct lull_driver_log log = lull_driver_log_open(k);
    err = lull_check_start(&o.check, k);
    struct lull_session *s = NULL;
    if (err == NULL) {
        err = lull_session_new(k, &before, &s);
    }
    if (err == NULL && o.socket != NULL) {
        err = lull_session_debuggers(s, o.socket);
    }
    if (err == NULL && (o.names != NULL || o.socket != NULL)) {
        err = lull_session_names(s, o.names);
        if (err != NULL && o.names == NULL) {
            lull_error_free(err); // A debugger will show numbers.
            err = NULL;
        }
    }
    if (err == NULL) {
        *status = exec_in(s, &o, &signals, &log);
    }
    lull_session_free(s);
    print_log(&log);
    lull_driver_log_close(&log);
    k->destroy(k);
    const struct lull_check_code nowhere = {0};
    if (err == NULL && lull_check_report(&o.check, &nowhere, o.json, stderr) && *status == 0) {
        *status = LULL_EXIT_FINDINGS;
    }
    lull_check_done(&o.check);
    return err;
}

const struct lull_command lull_cli_exec = {
    .name = "exec",
    .args = "[--seed N] [--timeout MS] [--socket PATH] [--names DIR] [--check hazards [--json]] "
            "[--] PROGRAM [ARGUMENTS]",
    .help = "Run a program that sees the virtual GPU",
    .more =
        "\nThe program finds /dev/dri/renderD128, and its Vulkan driver (RADV) computes on the "
        "model.\n"
        "  --seed N        order of waves on the model; 0: round robin\n"
        "  --timeout MS    time without progress after which a job is a hang (10 s, 60 s on "
        "compute rings)\n"
        "  --names DIR     what the program calls its shaders, buffers and dispatches is written\n"
        "                  there, by the layer VK_LAYER_LULL_names\n"
        "  --check hazards tell on standard error where shaders break rules that hardware leaves "
        "to\n"
        "                  them: missing waits, gfx11's hazards, LDS out of range; --json: as "
        "JSON\n"
        "  --socket PATH   listen for `lull debug --attach PATH`\n\n"
        "Exit status: the program's; 128 + N after signal N; 126, 127: not started.\n\n"
        "Example:\n  lull exec vulkaninfo --summary\n",
    .run = run,
};
