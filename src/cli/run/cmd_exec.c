// SPDX-License-Identifier: MIT
/* lull exec: a program that sees the virtual GPU. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "cli/opt/assume.h"
#include "cli/opt/check.h"
#include "cli/opt/command.h"
#include "cli/opt/driver_log.h"
#include "cli/opt/gpu.h"
#include "cli/opt/layers.h"
#include "cli/opt/order.h"
#include "cli/opt/stomp.h"
#include "cli/opt/windows.h"
#include "cli/run/crumbs.h"
#include "cli/run/display.h"
#include "cli/run/exec_each.h"
#include "cli/run/frames.h"
#include "cli/run/leavings.h"
#include "cli/run/records.h"
#include "drm/core/kernel.h"
#include "vdrm/core/session.h"

extern const struct lull_command lull_cli_debug; // commands.c has all of them

enum { EXIT_CANNOT = 126, EXIT_NOT_FOUND = 127, EXIT_SIGNAL = 128 }; // as env(1) and sh(1)
enum { LOG_POLL_NS = 100000000, ACK_POLL_NS = 1000000 };

struct exec_options {
    uint64_t seed, lockup_ms;
    const char *schedule;     // A file; NULL: not given.
    struct lull_order *order; // What it says.
    const char *gpu;          // NULL: gfx1100.
    const char *socket;       // For debuggers.
    struct lull_frames frames;
    struct lull_printf_layer printf;
    const char *names;   // Directory for the names layer; NULL: no layer.
    const char *records; // Directory of manifests; NULL: none.
    struct lull_leave leave;
    struct lull_check check;
    struct lull_assume assume;
    struct lull_engine_option engine;
    struct lull_stomp stomp;
    struct lull_crumbs_wanted crumbs;
    bool json; // Of the check's report.
    bool compare;
    char *compare_tolerance;
    bool as_is; // The environment.
    struct lull_exec_each each;
    char **argv; // Of the program.
};

static const struct lull_opt opts[] = {
    {"--gpu", NULL, "NAME",
     "the GPU that programs see: gfx1100, as if not given, or an Adreno, a630, a660 or a740, whose "
     "programs are arm64 ones",
     LULL_OPT_TEXT, LULL_OPT_AT(struct exec_options, gpu)},
    {"--seed", NULL, "N", "order of waves on the model; 0: round robin", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct exec_options, seed)},
    {"--schedule", NULL, "FILE", "waves wait for each other as FILE says, which lull explore made",
     LULL_OPT_TEXT, LULL_OPT_AT(struct exec_options, schedule)},
    {"--timeout", NULL, "MS",
     "time without progress after which a job is a hang; 10 s if not given, 60 s on compute rings, "
     "as amdgpu has it",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct exec_options, lockup_ms), .min = 1, .max = UINT32_MAX},
    {"--names", NULL, "DIR",
     "what the program calls its shaders, buffers and dispatches is written there, by the layer "
     "VK_LAYER_LULL_names",
     LULL_OPT_TEXT, LULL_OPT_AT(struct exec_options, names)},
    {"--frames", NULL, "DIR",
     "each image that the program presents is written there, as frame-00001.png and so on",
     LULL_OPT_TEXT, LULL_OPT_AT(struct exec_options, frames.dir)},
    {"--frames-only", NULL, "N", "with --frames: only the Nth of them", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct exec_options, frames.only), .min = 1},
    {"--printf", NULL, NULL,
     "lines of debugPrintfEXT in any shader of the program go to its standard output, by the layer "
     "VK_LAYER_LULL_printf",
     LULL_OPT_FLAG, LULL_OPT_AT(struct exec_options, printf.wanted)},
    {"--printf-record", NULL, "LIST",
     "with --printf: what lines begin with, none or a list of place (shader, line, pipeline, "
     "dispatch or draw), workgroup (pixel, vertex), wave, lane; place,workgroup if not given",
     LULL_OPT_TEXT, LULL_OPT_AT(struct exec_options, printf.records)},
    {"--printf-size", NULL, "BYTES", "with --printf: its buffer; 16 MiB if not given",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct exec_options, printf.bytes), .min = 1024, .max = 1 << 30},
    {"--crash-dir", NULL, "DIR",
     "of an Adreno: the kernel's dump of each hang and fault is written there, as devcd1.devcore "
     "and so on, for `lull crash show`",
     LULL_OPT_TEXT, LULL_OPT_AT(struct exec_options, leave.crash_dir)},
    {"--rd", NULL, "FILE", "of an Adreno: all submits are written there, for `lull rd show`",
     LULL_OPT_TEXT, LULL_OPT_AT(struct exec_options, leave.rd)},
    {"--rd-full", NULL, NULL,
     "dumps and submits hold all buffers, not only those that the program marks", LULL_OPT_FLAG,
     LULL_OPT_AT(struct exec_options, leave.rd_full)},
    {"--records", NULL, "DIR",
     "of an Adreno: buffers for the shaders that `lull ir3 instrument --into DIR` has made; what "
     "they write is written there, as NAME.bin for NAME.records",
     LULL_OPT_TEXT, LULL_OPT_AT(struct exec_options, records)},
    {"--longest", NULL, "MS",
     "of an Adreno: work that runs longer is a hang although it moves, as an endless loop does; as "
     "long as it takes, if not given",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct exec_options, leave.longest_ms), .min = 1,
     .max = UINT32_MAX},
    {"--json", NULL, NULL, "with --check: as JSON", LULL_OPT_FLAG,
     LULL_OPT_AT(struct exec_options, json)},
    {"--socket", NULL, "PATH", "listen for `lull debug --attach PATH`", LULL_OPT_TEXT,
     LULL_OPT_AT(struct exec_options, socket)},
    {"--compare", NULL, NULL,
     "each dispatch of a Vulkan program runs with its driver's code and with code that lull "
     "compiles of its SPIR-V, and what they write is compared",
     LULL_OPT_FLAG, LULL_OPT_AT(struct exec_options, compare)},
    {"--compare-tolerance", NULL, "TOLERANCE",
     "with --compare: floats so near count as equal: ulp:N, units in the last place, or rel:X",
     LULL_OPT_TEXT, LULL_OPT_AT(struct exec_options, compare_tolerance)},
    {"--as-is", NULL, NULL,
     "the program's environment stays as it is: no variables for windows, no Xvfb", LULL_OPT_FLAG,
     LULL_OPT_AT(struct exec_options, as_is)},
    {"PROGRAM", .kind = LULL_OPT_REST, LULL_OPT_AT(struct exec_options, argv)},
    {0},
};

static const struct lull_opt_group groups[] = {
    {NULL, opts, 0},
    {NULL, lull_check_opts, offsetof(struct exec_options, check)},
    {NULL, lull_assume_opts, offsetof(struct exec_options, assume)},
    {NULL, lull_engine_opts, offsetof(struct exec_options, engine)},
    {NULL, lull_stomp_opts, offsetof(struct exec_options, stomp)},
    {NULL, lull_crumbs_opts, offsetof(struct exec_options, crumbs)},
    {NULL, lull_exec_each_opts, offsetof(struct exec_options, each)},
    {0}};

// What the driver has to say: errors, as the kernel's log would have them.
static void print_log(struct lull_driver_log *log)
{
    static bool told;
    for (const char *text; (text = lull_driver_log_next(log)) != NULL;) {
        fprintf(stderr, "lull exec: %s", text);
        if (!told && (strstr(text, " timeout") != NULL || strstr(text, "gpu lockup") != NULL)) {
            told = true;
            fprintf(stderr,
                    "lull exec: where the waves of a hang are says 'lull hang -- PROGRAM'\n");
        }
    }
}

// What is looked after while the program runs.
struct running {
    struct lull_driver_log *log;
    struct lull_xserver *display;
    struct lull_leavings *leavings;    // NULL: not of this GPU.
    struct lull_crumbs_sender *crumbs; // NULL: none are wanted.
};

// Wait for the program, and pass on to it what somebody sends to us. What the terminal sends it has
// got itself. The log is printed as it comes: a program may wait for ever for what was lost.
static int wait_for(pid_t pid, const sigset_t *signals, const struct running *r)
{
    int status = 0;
    bool soon = r->crumbs != NULL;
    while (waitpid(pid, &status, WNOHANG) != pid) {
        siginfo_t info = {0};
        const struct timespec poll = {.tv_nsec = soon ? ACK_POLL_NS : LOG_POLL_NS};
        const int sig = sigtimedwait(signals, &info, &poll);
        if (sig > 0 && sig != SIGCHLD && info.si_code <= 0) {
            kill(pid, sig);
        }
        print_log(r->log);
        lull_leavings_take(r->leavings);
        lull_xserver_serve(r->display);
        soon = lull_crumbs_serve(r->crumbs);
    }
    return WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

static int exec_in(struct lull_session *s, const struct exec_options *o, const sigset_t *signals,
                   const struct running *r)
{
    pid_t pid = 0;
    struct lull_launch program = {0};
    struct lull_error *err = lull_session_launch(s, o->argv, &program);
    if (program.obstacle != NULL) {
        fprintf(stderr, "lull exec: %s %s: LD_PRELOAD does not reach it, and it will see no GPU\n",
                o->argv[0], program.obstacle);
    }
    if (err == NULL && program.arm64 && o->frames.dir != NULL) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED,
                             "%s is an arm64 program: the layer of --frames is not built for it",
                             o->argv[0]);
    }
    lull_launch_done(&program);
    err = err == NULL ? lull_session_spawn(s, o->argv, &pid) : err;
    if (err == NULL) {
        const int status = wait_for(pid, signals, r);
        if (status != 0 && !o->as_is && lull_xserver_missed(r->display, o->argv[0])) {
            fprintf(stderr,
                    "lull exec: neither DISPLAY nor WAYLAND_DISPLAY is set, and Xvfb, which lull "
                    "would start for %s, is not installed\n",
                    o->argv[0]);
        }
        return status;
    }
    fprintf(stderr, "lull exec: %s\n", lull_error_message(err));
    const int status = lull_error_code(err) == LULL_ERR_NOT_FOUND ? EXIT_NOT_FOUND : EXIT_CANNOT;
    lull_error_free(err);
    return status;
}

// Before there are threads: one that has them unblocked would take them, SIGCHLD too.
static void block_signals(sigset_t *signals, sigset_t *before)
{
    const int which[] = {SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2};
    sigemptyset(signals);
    for (size_t i = 0; i < sizeof which / sizeof which[0]; i++) {
        sigaddset(signals, which[i]);
    }
    sigset_t blocked = *signals;
    sigaddset(&blocked, SIGPIPE); // Nobody may read the log; the program goes on.
    pthread_sigmask(SIG_BLOCK, &blocked, before);
}

LULL_MUST_USE static struct lull_error *open_session(const struct exec_options *o,
                                                     struct lull_kernel *k, const sigset_t *before,
                                                     struct lull_session **ret)
{
    struct lull_error *err = lull_session_new(k, before, ret);
    if (err == NULL && lull_gpu_is_adreno(o->gpu)) {
        lull_session_arm64(*ret); // no amd64 Debian has a driver for it
    }
    if (err == NULL && o->socket != NULL) {
        err = lull_session_debuggers(*ret, o->socket);
    }
    const bool checks = lull_check_wants_names(&o->check);
    if (err == NULL && (o->names != NULL || o->socket != NULL || checks)) {
        err = lull_session_names(*ret, o->names);
        if (err != NULL && o->names == NULL) {
            lull_error_free(err); // A debugger will show numbers, and so will checks.
            err = NULL;
        }
    }
    return err;
}

// The GPU that was asked for, and the driver of its kind.
LULL_MUST_USE static struct lull_error *make_kernel(struct exec_options *o,
                                                    struct lull_kernel **ret)
{
    const bool leaves = o->leave.crash_dir != NULL || o->leave.rd != NULL || o->leave.rd_full ||
                        o->leave.longest_ms != 0 || o->records != NULL;
    if (leaves && !lull_gpu_is_adreno(o->gpu)) {
        return lull_error_new(LULL_ERR_INVALID,
                              "--crash-dir, --rd, --rd-full, --records and --longest are of an "
                              "Adreno: --gpu a630, a660 or a740");
    }
    struct lull_error *err = lull_assume_check(&o->assume, o->gpu);
    const char *order = o->engine.seeded       ? "--seed"
                        : o->schedule != NULL  ? "--schedule"
                        : o->printf.wanted     ? "--printf"
                        : o->compare           ? "--compare"
                        : o->socket != NULL    ? "--socket"
                        : o->check.wanted != 0 ? "--check"
                                               : NULL;
    err = err != NULL ? err : lull_engine_threads(&o->engine, "exec", order);
    if (err == NULL && o->schedule != NULL) {
        err = lull_schedule_read(o->schedule, &o->seed, &o->order);
    }
    if (err == NULL) {
        const struct lull_gpu_how how = {.name = o->gpu,
                                         .seed = o->seed,
                                         .order = o->order,
                                         .hang_ms = (uint32_t)o->lockup_ms,
                                         .assume = &o->assume.a,
                                         .engine = &o->engine};
        err = lull_gpu_kernel(&how, ret);
    }
    if (err == NULL) {
        err = lull_stomp_apply(&o->stomp, o->gpu, *ret);
    }
    if (err != NULL && *ret != NULL) {
        (*ret)->destroy(*ret);
        *ret = NULL;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *exec_all(struct exec_options *o, struct lull_xserver *d,
                                                 int *status)
{
    sigset_t signals, before;
    struct lull_kernel *k = NULL;
    struct lull_session *s = NULL;
    struct lull_records *records = NULL;
    block_signals(&signals, &before);
    struct lull_error *err = make_kernel(o, &k);
    if (err != NULL) {
        return err;
    }
    struct lull_driver_log log = lull_driver_log_open(k);
    o->check.adreno = lull_gpu_is_adreno(o->gpu);
    o->check.vulkan = true;
    err = lull_check_start(&o->check, k);
    if (err == NULL && o->records != NULL) {
        err = lull_records_open(k, o->records, &records);
    }
    if (err == NULL) {
        err = open_session(o, k, &before, &s);
    }
    if (err == NULL && lull_check_wants_names(&o->check)) {
        o->check.modules.dir = o->names != NULL ? o->names : lull_session_folder(s);
    }
    struct running r = {.log = &log, .display = d};
    if (err == NULL) {
        err = lull_crumbs_send(k, &o->crumbs, &r.crumbs);
    }
    if (err == NULL && lull_gpu_is_adreno(o->gpu)) {
        err = lull_session_places(s);
        err = err != NULL ? err
                          : lull_leavings_new(k, &o->leave, lull_session_folder(s), &r.leavings);
    }
    if (err == NULL) {
        *status = exec_in(s, o, &signals, &r);
    }
    struct lull_error *left = lull_leavings_free(r.leavings);
    if (s != NULL) {
        lull_check_judge(&o->check, k, o->names != NULL ? o->names : lull_session_folder(s));
    }
    lull_session_free(s);
    print_log(&log);
    lull_crumbs_tell(r.crumbs);
    lull_driver_log_close(&log);
    k->destroy(k);
    lull_crumbs_sender_free(r.crumbs);
    left = left != NULL || err != NULL ? left : lull_records_write(records);
    lull_records_free(records);
    const struct lull_check_code nowhere = {.api = o->check.api, .lines = o->check.lines};
    if (err == NULL && lull_check_report(&o->check, &nowhere, o->json, stderr) && *status == 0) {
        *status = LULL_EXIT_FINDINGS;
    }
    err = err != NULL ? err : lull_check_write(&o->check, &nowhere, o->argv[0]);
    err = err != NULL ? err : lull_check_traced(&o->check, &nowhere);
    lull_check_done(&o->check);
    lull_error_free(err != NULL ? left : NULL);
    return err != NULL ? err : left;
}

/** --compare: a debugger without a prompt does it. */
LULL_MUST_USE static struct lull_error *compare(const struct lull_opts *given,
                                                const struct exec_options *options, int *status)
{
    enum { WORDS = 4 };
    char *const *program = options->argv;
    const char *tolerance = options->compare_tolerance;
    lull_cleanup(lull_str_free) struct lull_str command = {0};
    lull_str_addf(&command, "source compare all%s%s", tolerance != NULL ? " --tolerance " : "",
                  tolerance != NULL ? tolerance : "");
    if (command.err != NULL) {
        return command.err;
    }
    char *const words[WORDS] = {(char *)"-batch", (char *)"-ex", command.text, (char *)"--"};
    for (const struct lull_opt_group *g = groups; g->opts != NULL; g++) {
        for (const struct lull_opt *o = g->opts; o->name != NULL; o++) {
            if (o->name[0] == '-' && strncmp(o->name, "--compare", strlen("--compare")) != 0 &&
                lull_opts_given(given, o->name)) {
                return lull_error_new(LULL_ERR_INVALID, "--compare and %s do not go together",
                                      o->name);
            }
        }
    }
    size_t n = 0;
    while (program[n] != NULL) {
        n++;
    }
    lull_cleanup(lull_freep) char **argv = calloc(n + WORDS + 1, sizeof *argv);
    if (argv == NULL) {
        return &lull_enomem;
    }
    memcpy(argv, words, sizeof words);
    memcpy(argv + WORDS, program, n * sizeof *argv);
    const struct lull_form *debug = lull_cli_debug.forms[0];
    return debug->run(debug, (int)(n + WORDS), argv, status);
}

/** One program, or --each. */
LULL_MUST_USE static struct lull_error *check_program(const struct lull_opts *given,
                                                      const struct exec_options *o)
{
    const char *each = lull_opts_given_of(given, lull_exec_each_opts);
    if (o->argv == NULL && o->each.path == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "no PROGRAM given");
    }
    if (o->each.path == NULL && each != NULL) {
        return lull_error_new(LULL_ERR_INVALID, "%s is for --each", each);
    }
    return o->argv == NULL || o->each.path == NULL
               ? NULL
               : lull_error_new(LULL_ERR_INVALID, "--each FILE or a PROGRAM, not both");
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct exec_options o = {0};
    struct lull_xserver display = {.listener = -1};
    if (lull_assume_list(argc, argv)) {
        return NULL;
    }
    struct lull_opts given = {.form = form, .base = &o};
    struct lull_error *err = lull_opts_parse(&given, argc, argv);
    o.engine.seeded = lull_opts_given(&given, "--seed");
    err = err != NULL ? err : check_program(&given, &o);
    if (err == NULL && o.each.path != NULL) {
        return lull_exec_each(&o.each, form, argc, argv, status);
    }
    if (err == NULL && o.compare) {
        return compare(&given, &o, status);
    }
    if (err == NULL) {
        err = lull_frames_set(&o.frames);
    }
    if (err == NULL) {
        err = lull_printf_layer_set(&o.printf, o.gpu, o.argv);
    }
    if (err == NULL) {
        err = lull_check_lines_set(&o.check, o.gpu);
    }
    if (err == NULL && !o.as_is) {
        err = lull_windows_set();
    }
    if (err == NULL && !o.as_is) {
        display = lull_xserver_open();
    }
    if (err == NULL) {
        err = exec_all(&o, &display, status);
    }
    lull_xserver_close(&display);
    lull_schedule_free(o.order);
    return err != NULL ? err : lull_frames_check(&o.frames);
}

static const struct lull_form form = {
    .usage = "[OPTIONS] [--] PROGRAM [ARGUMENTS] | [OPTIONS] --each FILE",
    .groups = groups,
    .flags = LULL_FORM_PROGRAM,
    .run = run,
};

const struct lull_command lull_cli_exec = {
    .name = "exec",
    .help = "run a program that sees the virtual GPU",
    .about = "The program finds /dev/dri/renderD128, and its Vulkan driver (RADV) computes on the "
             "model.",
    .forms = (const struct lull_form *const[]){&form, NULL},
    .after = "Exit status: the program's, with --compare 1 at a difference, else 0; 128 + N after "
             "signal N; 126, 127: not started; with --each 1 if one is not 0.\n\n"
             "  lull exec vulkaninfo --summary",
};
