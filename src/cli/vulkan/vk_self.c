// SPDX-License-Identifier: MIT
// `lull run` of a Vulkan shader on lull's own GPU: the same program again, as a client of the
// virtual driver in this process, and what the driver's log says of it.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/opt/check.h"
#include "cli/opt/command.h"
#include "cli/opt/driver_log.h"
#include "cli/opt/gpu.h"
#include "cli/vulkan/vk_options.h"
#include "compile/run.h"
#include "drm/core/kernel.h"
#include "vdrm/core/launch.h"
#include "vdrm/core/session.h"

enum {
    POLL_NS = 100000000,
    FAULT_GRACE_POLLS = 5, ///< After a page fault; a wave that faulted does not go on.
    LAST_WORDS_POLLS = 50, ///< For what a program has to say after SIGTERM.
    EXIT_SIGNAL = 128,
    SPARE_ARGUMENTS = 12,
    NS_PER_MS = 1000000,
};

/** Errors in the driver's log. */
struct log {
    struct lull_str text;
    bool fault, timeout, any;
    bool goes_on; ///< What faulted goes on: on an Adreno.
    struct lull_driver_log from;
};

static void read_log(struct log *log)
{
    for (const char *text; (text = lull_driver_log_next(&log->from)) != NULL;) {
        lull_str_addf(&log->text, "  %s", text);
        log->fault |= strstr(text, "page fault") != NULL || strstr(text, "gpu fault") != NULL;
        log->timeout |= strstr(text, "timeout") != NULL || strstr(text, "lockup rb 0!\n") != NULL ||
                        strstr(text, "lockup rb 0! (it ran for too long)") != NULL;
        log->any = true;
    }
}

/**
 * Wait for the program; SIGINT and the like are passed on. Ends it soon after a page fault, with
 * SIGTERM first if it is @p gentle.
 */
static int wait_for(pid_t pid, struct log *log, const sigset_t *signals, bool gentle)
{
    const struct timespec poll = {.tv_nsec = POLL_NS};
    int status = 0;
    unsigned after_fault = 0;
    while (waitpid(pid, &status, WNOHANG) != pid) {
        siginfo_t info = {0};
        const int sig = sigtimedwait(signals, &info, &poll);
        if (sig > 0 && sig != SIGCHLD) {
            kill(pid, sig);
        }
        read_log(log);
        after_fault += log->fault && !log->goes_on;
        if (after_fault == FAULT_GRACE_POLLS) {
            kill(pid, gentle ? SIGTERM : SIGKILL);
        } else if (after_fault == FAULT_GRACE_POLLS + LAST_WORDS_POLLS) {
            kill(pid, SIGKILL);
        }
    }
    return WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

/** Names of what the program has, for checks: without the layer there are none. */
static void with_names(struct lull_session *s, struct lull_check *check)
{
    if (lull_check_wants_names(check)) {
        lull_error_free(lull_session_names(s, NULL));
        check->modules.dir = lull_session_folder(s);
    }
}

LULL_MUST_USE static struct lull_error *serve(struct lull_kernel *k, char *const argv[],
                                              const struct lull_vk_options *o,
                                              struct lull_check *check, struct log *log,
                                              int *status)
{
    sigset_t signals, before;
    sigemptyset(&signals);
    const int which[] = {SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT};
    for (size_t i = 0; i < sizeof which / sizeof which[0]; i++) {
        sigaddset(&signals, which[i]);
    }
    pthread_sigmask(SIG_BLOCK, &signals, &before); // before there are threads
    struct lull_session *s = NULL;
    pid_t pid = 0;
    log->from = lull_driver_log_open(k);
    struct lull_error *err = lull_session_new(k, &before, &s);
    if (err == NULL) {
        with_names(s, check);
        err = lull_session_spawn(s, argv, &pid);
    }
    if (err == NULL) {
        *status = wait_for(pid, log, &signals, o->command[0] != NULL);
        lull_check_judge(check, k, lull_session_folder(s));
        if (o->watcher != NULL && o->watcher->ran != NULL) {
            o->watcher->ran(o->watcher->ctx, check, lull_session_folder(s));
        }
    }
    lull_session_free(s);
    read_log(log);
    lull_driver_log_close(&log->from);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err;
}

/** What the program wrote. */
static void read_report(FILE *report, struct lull_str *ret)
{
    char buffer[4096] = "";
    size_t n = 0;
    rewind(report);
    while ((n = fread(buffer, 1, sizeof buffer, report)) > 0) {
        lull_str_add(ret, buffer, n);
    }
}

/** What the driver's log makes of it, as JSON, and what the program wrote if @p text is not NULL.
 */
static void failure_json(const char *result, const struct log *log, const struct lull_str *text,
                         struct lull_str *out)
{
    struct lull_json j = {.out = out};
    lull_json_open(&j, '{');
    lull_json_put_str(&j, "result", result);
    lull_json_put_str(&j, "log", lull_str_text(&log->text));
    if (text != NULL && text->size > 1 && text->text[0] == '{') {
        lull_json_key(&j, "report");
        lull_str_add(out, text->text, text->size - 1); // without its newline
        j.after_key = false;
    }
    lull_json_close(&j, '}');
    lull_str_addf(out, "\n");
}

/** The program's report, or what the driver's log makes of it; with what was printed till then. */
LULL_MUST_USE static struct lull_error *tell(FILE *report, struct log *log,
                                             const struct lull_vk_options *o, int *status)
{
    struct lull_str text = {0}, out = {0};
    const bool printing = o->command[0] != NULL;
    const bool hang = log->timeout && !log->fault;
    const char *result = log->fault ? "page-fault" : hang ? "hang" : "device-lost";
    read_report(report, &text);
    if (log->any) {
        *status = hang ? LULL_EXIT_TIMEOUT : LULL_EXIT_FINDINGS;
    }
    if (log->any && o->json && log->text.err == NULL) {
        failure_json(result, log, printing ? &text : NULL, &out);
    } else {
        if (!log->any || printing) {
            lull_str_add(&out, lull_str_text(&text), text.size);
        }
        if (log->any) {
            lull_str_addf(&out, "%s; the driver's log:\n%s%s", result, lull_str_text(&log->text),
                          hang ? "where its waves are: lull hang -- lull run ...\n" : "");
        }
    }
    struct lull_error *err = text.err != NULL ? text.err : out.err;
    text.err = out.err = NULL;
    if (err == NULL) {
        fwrite(lull_str_text(&out), 1, out.size, stdout);
    }
    lull_str_free(&text);
    lull_str_free(&out);
    return err;
}

/** Not for the program: the driver's side knows the GPU and checks, the compiler has run already.
 */
static bool is_dropped(const struct lull_opt *o, const struct lull_vk_watcher *w)
{
    for (const struct lull_opt *own = w != NULL ? w->own : NULL; own != NULL && own->name != NULL;
         own++) {
        if (o == own) {
            return true;
        }
    }
    if (o != NULL && w != NULL && strcmp(o->name, "--json") == 0) {
        return true;
    }
    return o != NULL && (strcmp(o->name, "--gpu") == 0 || strcmp(o->name, "--schedule") == 0 ||
                         strncmp(o->name, "--check", strlen("--check")) == 0 ||
                         strcmp(o->name, "--assume") == 0 || strcmp(o->name, "--engine") == 0 ||
                         strcmp(o->name, "--threads") == 0 || strcmp(o->name, "-D") == 0 ||
                         strcmp(o->name, "-I") == 0);
}

/** Words of ARGV that the program gets: all but those, and @p spirv (if not NULL) for the shader.
 */
static int pass_on(struct lull_opt_scan words, const struct lull_vk_options *o, char *spirv,
                   char **to)
{
    struct lull_opt_item item = {0};
    int n = 0;
    while (lull_opt_next(&words, &item)) {
        for (int i = item.first; i <= item.last && !is_dropped(item.opt, o->watcher); i++) {
            to[n++] = spirv != NULL && words.argv[i] == o->path ? spirv : words.argv[i];
        }
    }
    return n;
}

struct lull_error *lull_vk_cli_program(const char *gpu, char **ret)
{
    static const char *const places[] = {"lull-run-arm64", "src/cli/lull-run-arm64",
                                         "../lib/lull/lull-run-arm64"};
    if (!lull_gpu_is_adreno(gpu)) {
        *ret = realpath("/proc/self/exe", NULL);
        return *ret != NULL ? NULL : lull_error_os(errno, "/proc/self/exe");
    }
    lull_cleanup(lull_freep) char *root = NULL;
    struct lull_error *err = lull_arm64_root(&root);
    if (err == NULL) {
        *ret = lull_launch_beside(places, sizeof places / sizeof places[0]);
        err = *ret != NULL
                  ? NULL
                  : lull_error_new(LULL_ERR_NOT_FOUND,
                                   "lull-run-arm64 is not next to lull: with a folder of arm64 "
                                   "programs (tools/arm64-root.sh) ninja builds it");
    }
    return lull_error_in(err, "--gpu %s", gpu);
}

/**
 * argv of the program @p self: run ARGV... on the device that it will find, with the shader that
 * lies compiled at @p spirv; NULL: it is not a shader.
 */
LULL_MUST_USE static struct lull_error *arguments(const struct lull_opt_scan *words,
                                                  const struct lull_vk_options *o, char *spirv,
                                                  char *self, char ***ret)
{
    char **args = calloc((size_t)words->argc + SPARE_ARGUMENTS, sizeof *args);
    if (args == NULL) {
        return &lull_enomem;
    }
    // execv() does not write into them.
    char *const run = (char *)(uintptr_t) "run";
    char *const device = (char *)(uintptr_t) "--vulkan-device";
    char *const name = (char *)(uintptr_t) "--shader-name"; // not the one of the copy
    char *const own = (char *)(uintptr_t)LULL_VK_OWN;
    int k = 0;
    args[k++] = self;
    if (o->command[0] == NULL) {
        args[k++] = run;
    }
    for (size_t i = 0; i < 2 && o->command[i] != NULL; i++) {
        args[k++] = (char *)(uintptr_t)o->command[i];
    }
    k += pass_on(*words, o, spirv, args + k);
    args[k++] = device;
    args[k++] = own;
    if (o->watcher != NULL && o->watcher->out_dir != NULL) {
        args[k++] = (char *)(uintptr_t) "--out-dir";
        args[k++] = (char *)(uintptr_t)o->watcher->out_dir;
    }
    if (spirv != NULL) {
        args[k++] = name;
        args[k++] = (char *)(uintptr_t)o->name;
    }
    *ret = args;
    return NULL;
}

/** The program needs one Vulkan driver: to load all others of the machine takes longer than what
 * lull does in most runs. A choice of the user's stays. */
static void choose_driver(const char *gpu)
{
    static const char *const choices[] = {"VK_DRIVER_FILES", "VK_ADD_DRIVER_FILES",
                                          "VK_ICD_FILENAMES", "VK_LOADER_DRIVERS_SELECT",
                                          "VK_LOADER_DRIVERS_DISABLE"};
    bool chosen = lull_gpu_is_adreno(gpu);
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        chosen = chosen || getenv(choices[i]) != NULL;
    }
    if (!chosen) {
        setenv("VK_LOADER_DRIVERS_SELECT", "*radeon*,*amd*", 1);
    }
}

/** What needs the order of one thread; NULL: nothing. */
static const char *one_thread(const struct lull_vk_options *o)
{
    return o->engine.seeded        ? "--seed"
           : o->order != NULL      ? "an order of waves"
           : o->check.wanted != 0  ? "--check"
           : o->command[0] != NULL ? "printf"
                                   : NULL;
}

/** What it was, to who watches instead of the user. */
LULL_MUST_USE static struct lull_error *hand_over(FILE *report, const struct log *log,
                                                  const struct lull_vk_watcher *w,
                                                  const struct lull_check *check, int status)
{
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    read_report(report, &text);
    struct lull_error *err = text.err != NULL ? text.err : log->text.err;
    text.err = NULL;
    const struct lull_vk_ended end = {.status = status,
                                      .report = lull_str_text(&text),
                                      .log = lull_str_text(&log->text),
                                      .hang = log->timeout && !log->fault,
                                      .check = check};
    return err != NULL ? err : w->ended(w->ctx, &end);
}

/** What checks found, and the end of them. */
LULL_MUST_USE static struct lull_error *tell_checks(struct lull_check *check,
                                                    const struct lull_vk_options *o, int *status)
{
    const struct lull_check_code nowhere = {.api = check->api, .lines = check->lines};
    if (lull_check_report(check, &nowhere, o->json, stdout) && *status == LULL_EXIT_CLEAN) {
        *status = LULL_EXIT_FINDINGS;
    }
    struct lull_error *err = lull_check_traced(check, &nowhere);
    return err != NULL ? err : lull_check_write(check, &nowhere, o->path);
}

/** The program runs by @p k, its report kept until the log is read. */
LULL_MUST_USE static struct lull_error *run_on(struct lull_kernel *k, char **args,
                                               const struct lull_vk_options *o,
                                               struct lull_check *check, int *status)
{
    struct log log = {.from.fd = -1, .goes_on = lull_gpu_is_adreno(o->gpu)};
    struct lull_error *err = NULL;
    lull_cleanup(lull_fclosep) FILE *report = tmpfile();
    const int before = dup(STDOUT_FILENO);
    fflush(stdout);
    if (report == NULL || before < 0 || dup2(fileno(report), STDOUT_FILENO) < 0) {
        err = lull_error_os(errno, "temporary file");
    } else {
        choose_driver(o->gpu);
        err = serve(k, args, o, check, &log, status);
        dup2(before, STDOUT_FILENO);
    }
    if (err == NULL) {
        err = o->watcher != NULL ? hand_over(report, &log, o->watcher, check, *status)
                                 : tell(report, &log, o, status);
    }
    if (before >= 0) {
        close(before);
    }
    lull_error_free(log.text.err);
    log.text.err = NULL;
    lull_str_free(&log.text);
    return err;
}

/** The program on a virtual driver of this process. */
LULL_MUST_USE static struct lull_error *run_self(char **args, const struct lull_vk_options *o,
                                                 int *status)
{
    const uint32_t ms = (uint32_t)(o->c.timeout_ns / NS_PER_MS);
    struct lull_kernel *k = NULL;
    struct lull_engine_option engine = o->engine;
    const char *command = o->command[0] != NULL ? o->command[0] : "run";
    struct lull_error *err = lull_engine_threads(&engine, command, one_thread(o));
    const struct lull_gpu_how how = {.name = o->gpu,
                                     .seed = o->seed,
                                     .order = o->order,
                                     .hang_ms = ms,
                                     .longest_ms = ms,
                                     .assume = &o->assume.a,
                                     .engine = &engine};
    err = err != NULL ? err : lull_check_lines_set(&o->check, o->gpu);
    err = err != NULL ? err : lull_gpu_kernel(&how, &k);
    if (err != NULL) {
        return err;
    }
    struct lull_check check = o->check;
    check.adreno = lull_gpu_is_adreno(o->gpu);
    check.vulkan = true;
    err = lull_check_start(&check, k);
    if (err == NULL && o->watcher != NULL) {
        o->watcher->ready(o->watcher->ctx, k, &check);
    }
    err = err != NULL ? err : run_on(k, args, o, &check, status);
    k->destroy(k);
    if (err == NULL && o->watcher == NULL) {
        err = tell_checks(&check, o, status);
    }
    lull_check_done(&check);
    return err;
}

struct lull_error *lull_vk_cli_self(const struct lull_form *form, int argc, char **argv,
                                    const struct lull_vk_options *o, int *status)
{
    const struct lull_opt_scan words = {.form = form, .argc = argc, .argv = argv};
    char *dir = NULL;
    lull_cleanup(lull_freep) char *self = NULL;
    struct lull_str spirv = {0};
    lull_cleanup(lull_freep) char **args = NULL;
    struct lull_error *err = lull_vk_cli_program(o->gpu, &self);
    if (err == NULL && o->spirv != NULL) {
        err = lull_run_make_dir(&dir);
    }
    if (err == NULL && o->spirv != NULL) {
        lull_str_addf(&spirv, "%s/shader.spv", dir);
        err = spirv.err != NULL ? spirv.err : lull_run_write(spirv.text, o->spirv, o->spirv_bytes);
    }
    if (err == NULL) {
        err = arguments(&words, o, o->spirv != NULL ? spirv.text : NULL, self, &args);
    }
    if (err == NULL) {
        err = run_self(args, o, status);
    }
    if (dir != NULL) {
        lull_run_remove_dir(dir);
    }
    free(dir);
    lull_str_free(&spirv);
    return err;
}
