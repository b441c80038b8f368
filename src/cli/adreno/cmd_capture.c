// SPDX-License-Identifier: MIT
// lull capture: copies what the msm driver has of an Adreno GPU: streams, hangs, crash dumps.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/adreno/capture.h"
#include "cli/opt/command.h"

enum { TICK = 100, MS = 1000, IDLE_MS = 1000, SEEN = 256, MOST_SECONDS = 1 << 30 };

static const uint64_t NO_TIMEOUT = UINT64_MAX, NO_COUNT = UINT64_MAX,
                      NO_POKE = UINT64_MAX; ///< Not given.

struct args {
    const char *kind, *root, *out, *dri, *device;
    bool wait, keep, any, json, full;
    uint64_t timeout, streams, count, hangcheck_ms, poke_s;
};

struct capture {
    const struct args *a;
    int64_t deadline;
    uint64_t copied;
    bool stop, timed_out, kept_back; ///< Signal; deadline; something is not as it was.
    ino_t seen[SEEN];                ///< Dumps that need not be looked at again.
    unsigned nseen;
    struct lull_capture_settings settings;
    int64_t poke_at, poked; ///< When it is to be, and was; 0: not.
    struct lull_capture_poke poke;
    struct lull_error *poke_err;
    struct lull_str out;
    struct lull_json j;
};

static void report(struct capture *c, const char *from, const struct lull_capture_result *r,
                   const char *freed)
{
    c->copied++;
    if (!c->a->json) {
        printf("%s: %" PRIu64 " bytes", r->file, r->bytes);
        if (r->sections != 0) {
            printf(", %" PRIu64 " sections", r->sections);
        }
        printf("%s%s\n", r->cut != 0 ? ", the last one was not whole and is left out" : "", freed);
        (void)fflush(stdout);
        return;
    }
    lull_json_open(&c->j, '{');
    lull_json_put_str(&c->j, "from", from);
    lull_json_put_str(&c->j, "file", r->file);
    lull_json_put_u64(&c->j, "bytes", r->bytes);
    lull_json_put_u64(&c->j, "sections", r->sections);
    lull_json_put_bool(&c->j, "cut", r->cut != 0);
    lull_json_put_bool(&c->j, "freed", strcmp(freed, ", freed") == 0);
    lull_json_close(&c->j, '}');
}

/** Say @p err, and go on. */
static void note(struct lull_error *err)
{
    if (err != NULL) {
        fprintf(stderr, "lull capture: %s\n", lull_error_message(err));
    }
    lull_error_free(err);
}

/** The crash on purpose, when its time has come. True: the capture ends. */
static bool poke(void *arg)
{
    struct capture *c = arg;
    const int64_t now = lull_capture_now();
    if (c->poke_at != 0 && c->poked == 0 && now >= c->poke_at) {
        c->poked = now;
        c->poke_err = lull_capture_poke(c->a->device, &c->poke);
    }
    // rd has it as soon as it is submitted; hangrd and dumps come when the kernel sees the hang.
    const bool is_rd = strcmp(c->a->kind, "rd") == 0;
    return c->poke_err != NULL || (is_rd && c->poked != 0 && now - c->poked >= IDLE_MS);
}

/** Where the file is; with --wait, once it is there. NULL and nothing in @p path: it did not come.
 */
LULL_MUST_USE static struct lull_error *find(struct capture *c, struct lull_str *path)
{
    const struct args *a = c->a;
    struct lull_error *err = lull_capture_debugfs(a->root, a->dri, a->kind, path);
    if (!a->wait || err == NULL) {
        return err;
    }
    note(err);
    for (;;) {
        c->timed_out = c->deadline != 0 && lull_capture_now() >= c->deadline;
        c->stop = !c->timed_out && lull_capture_sleep(TICK);
        if (c->timed_out || c->stop) {
            return NULL;
        }
        err = lull_capture_debugfs(a->root, a->dri, a->kind, path);
        if (err == NULL) {
            return NULL;
        }
        lull_error_free(err);
    }
}

LULL_MUST_USE static struct lull_error *stream(struct capture *c)
{
    const struct args *a = c->a;
    const bool hang = strcmp(a->kind, "hangrd") == 0;
    const struct lull_capture_rules rules = {.sections = true,
                                             .streams = a->streams,
                                             .deadline = c->deadline,
                                             .idle = hang ? IDLE_MS : 0,
                                             .tick = poke,
                                             .arg = c};
    struct lull_str path = {0};
    struct lull_capture_result r = {0};
    struct lull_error *err = find(c, &path);
    if (err != NULL || path.size == 0) {
        return err;
    }
    err = lull_capture_why(lull_capture_copy(path.text, a->out, a->kind, ".rd", &rules, &r));
    if (err == NULL && r.file != NULL) {
        report(c, path.text, &r, "");
    } else if (err == NULL && r.end == LULL_CAPTURE_EOF) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "%s: no whole section in it, %" PRIu64 " bytes",
                             path.text, r.cut);
    }
    c->stop = r.end == LULL_CAPTURE_SIGNAL;
    c->timed_out = r.end == LULL_CAPTURE_TIMEOUT;
    free(r.file);
    lull_str_free(&path);
    return err;
}

/** The kernel drops a dump when something is written to it. */
static bool free_dump(const char *path)
{
    // A file of sysfs does not care for O_TRUNC; O_NONBLOCK: a pipe without a reader does not hold
    // lull up.
    const int fd = open(path, O_WRONLY | O_TRUNC | O_NONBLOCK | O_CLOEXEC);
    const bool good = fd >= 0 && write(fd, "1", 1) == 1;
    if (!good) {
        fprintf(stderr, "lull capture: %s: the dump is copied, but cannot be freed: %s\n", path,
                strerror(errno));
    }
    if (fd >= 0) {
        close(fd);
    }
    return good;
}

LULL_MUST_USE static struct lull_error *dump(struct capture *c, const char *name, const char *path)
{
    const struct args *a = c->a;
    const struct lull_capture_rules rules = {.deadline = c->deadline,
                                             .magic = a->any ? NULL : "module: msm\n"};
    struct lull_capture_result r = {0};
    struct lull_error *err = lull_capture_copy(path, a->out, name, ".devcore", &rules, &r);
    if (err != NULL && lull_error_errno(err) == ENOENT) { // gone, or not yet there
        lull_error_free(err);
        return NULL;
    }
    err = lull_capture_why(err);
    c->stop |= r.end == LULL_CAPTURE_SIGNAL;
    c->timed_out |= r.end == LULL_CAPTURE_TIMEOUT;
    if (err == NULL && r.end == LULL_CAPTURE_OTHER) {
        fprintf(stderr, "lull capture: %s: not of the msm driver, left alone (--any takes it)\n",
                path);
    } else if (err == NULL && r.file == NULL && r.end == LULL_CAPTURE_EOF) {
        fprintf(stderr, "lull capture: %s: empty\n", path);
    } else if (err == NULL && r.file != NULL) {
        const bool freed = !a->keep && free_dump(path);
        c->kept_back |= !a->keep && !freed;
        report(c, path, &r, freed ? ", freed" : a->keep ? "" : ", not freed");
    }
    free(r.file);
    return err;
}

static bool is_new(struct capture *c, ino_t number)
{
    for (unsigned i = 0; i < c->nseen; i++) {
        if (c->seen[i] == number) {
            return false;
        }
    }
    if (c->nseen == SEEN) { // forget the older half
        memmove(c->seen, c->seen + SEEN / 2, SEEN / 2 * sizeof c->seen[0]);
        c->nseen = SEEN / 2;
    }
    return true;
}

static int is_dump(const struct dirent *d)
{
    return strncmp(d->d_name, "devcd", strlen("devcd")) == 0;
}

/** All dumps that are there and were not yet looked at. */
LULL_MUST_USE static struct lull_error *scan(struct capture *c)
{
    struct lull_str folder = {0};
    struct dirent **names = NULL;
    lull_str_addf(&folder, "%s/sys/class/devcoredump", c->a->root);
    const int n = scandir(lull_str_text(&folder), &names, is_dump, versionsort);
    struct lull_error *err = NULL;
    for (int i = 0; i < n; i++) {
        struct lull_str path = {0};
        struct stat st = {0};
        lull_str_addf(&path, "%s/%s/data", lull_str_text(&folder), names[i]->d_name);
        const bool more = c->a->count == 0 || c->copied < c->a->count; // NO_COUNT: always
        if (err == NULL && more && !c->stop && !c->timed_out && path.err == NULL &&
            stat(path.text, &st) == 0 && is_new(c, st.st_ino)) {
            c->seen[c->nseen++] = st.st_ino;
            err = dump(c, names[i]->d_name, path.text);
        }
        lull_str_free(&path);
        free(names[i]);
    }
    free(names);
    lull_str_free(&folder);
    return err;
}

LULL_MUST_USE static struct lull_error *dumps(struct capture *c)
{
    const struct args *a = c->a;
    struct lull_error *err = NULL;
    const bool wait = a->wait || a->poke_s != NO_POKE;
    if (wait) {
        note(lull_capture_coredumps(a->root)); // it may come with the driver
    }
    for (bool more = true; err == NULL && more;) {
        err = scan(c);
        more =
            err == NULL && wait && !c->stop && !c->timed_out &&
            (c->copied == 0 || (a->count != NO_COUNT && (a->count == 0 || c->copied < a->count)));
        if (more && c->deadline != 0 && lull_capture_now() >= c->deadline) {
            c->timed_out = true;
            more = false;
        }
        if (more && poke(c)) {
            more = false;
        }
        if (more && lull_capture_sleep(TICK)) {
            c->stop = true;
            more = false;
        }
    }
    const bool none = c->copied == 0 && !wait && !c->stop && !c->timed_out;
    if (err == NULL && none) {
        err = lull_capture_coredumps(a->root);
    }
    if (err == NULL && none) {
        err = lull_error_new(LULL_ERR_NOT_FOUND,
                             "no dump of an Adreno is there: the kernel makes one at a hang or a "
                             "fault and keeps it for five minutes; --wait waits for one");
    }
    return err;
}

/** For the time of the capture. */
LULL_MUST_USE static struct lull_error *set_up(struct capture *c)
{
    const struct args *a = c->a;
    struct lull_str path = {0};
    char ms[32] = "";
    struct lull_error *err = NULL;
    if (a->full) {
        lull_str_addf(&path, "%s/sys/module/msm/parameters/rd_full", a->root);
        err = lull_capture_set(&c->settings, lull_str_text(&path), "Y");
        lull_str_free(&path);
        path = (struct lull_str){0};
    }
    if (err == NULL && a->hangcheck_ms != 0) {
        (void)snprintf(ms, sizeof ms, "%" PRIu64, a->hangcheck_ms);
        err = lull_capture_debugfs(a->root, a->dri, "hangcheck_period_ms", &path);
        err = err != NULL ? err : lull_capture_set(&c->settings, lull_str_text(&path), ms);
    }
    lull_str_free(&path);
    return err;
}

/** Between the settings and their old values: no signal ends the process. */
LULL_MUST_USE static struct lull_error *work(struct capture *c)
{
    const bool is_dumps = strcmp(c->a->kind, "devcoredump") == 0;
    sigset_t set = lull_capture_signals();
    sigset_t old;
    sigaddset(&set, SIGPIPE); // nobody may read what is reported
    (void)sigprocmask(SIG_BLOCK, &set, &old);
    struct lull_error *err = set_up(c);
    if (err == NULL) {
        const uint64_t s = c->a->poke_s;
        c->poke_at = s != NO_POKE ? lull_capture_now() + (int64_t)s * MS + 1 : 0;
        err = is_dumps ? dumps(c) : stream(c);
    }
    struct lull_error *back = lull_capture_put_back(&c->settings);
    c->kept_back |= back != NULL;
    note(back);
    lull_capture_poke_done(&c->poke);
    if (err == NULL) {
        err = c->poke_err;
    } else {
        lull_error_free(c->poke_err);
    }
    (void)sigprocmask(SIG_SETMASK, &old, NULL);
    return err;
}

LULL_MUST_USE static struct lull_error *start(struct capture *c, int *status)
{
    const struct args *a = c->a;
    struct stat st = {0};
    if (stat(a->out, &st) != 0 || !S_ISDIR(st.st_mode)) {
        return lull_error_os(ENOTDIR, "%s", a->out);
    }
    c->deadline = a->timeout != NO_TIMEOUT ? lull_capture_now() + (int64_t)a->timeout * MS + 1 : 0;
    if (a->json) {
        lull_json_open(&c->j, '{');
        lull_json_key(&c->j, "captures");
        lull_json_open(&c->j, '[');
    }
    struct lull_error *err = work(c);
    if (a->json) {
        lull_json_close(&c->j, ']');
        lull_json_close(&c->j, '}');
        puts(lull_str_text(&c->out));
    }
    const bool got = c->copied != 0;
    *status = c->kept_back   ? LULL_EXIT_FINDINGS
              : got          ? LULL_EXIT_CLEAN
              : c->timed_out ? LULL_EXIT_TIMEOUT
              : c->stop      ? LULL_EXIT_INTERRUPTED
                             : LULL_EXIT_CLEAN;
    if (err == NULL && !got && (c->timed_out || c->stop)) {
        fprintf(stderr, "lull capture: nothing came%s\n", c->timed_out ? " in time" : "");
    }
    return err;
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    const char *root = getenv("LULL_CAPTURE_ROOT");
    struct args a = {.kind = form->word,
                     .root = root != NULL ? root : "",
                     .out = ".",
                     .timeout = NO_TIMEOUT,
                     .poke_s = NO_POKE,
                     .count = NO_COUNT};
    struct lull_error *err = lull_opt_parse(form, &a, argc, argv);
    if (err != NULL) {
        return err;
    }
    struct capture *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return &lull_enomem;
    }
    c->a = &a;
    c->poke.fd = -1;
    c->j.out = &c->out;
    if (strcmp(a.kind, "check") == 0) {
        *status = lull_capture_check(a.root, &c->out) ? LULL_EXIT_CLEAN : LULL_EXIT_FINDINGS;
        fputs(lull_str_text(&c->out), stdout);
    } else {
        err = start(c, status);
    }
    lull_str_free(&c->out);
    free(c);
    return err;
}

static const struct lull_opt root_opts[] = {
    {"--root", NULL, "DIR", "take DIR/sys for /sys (also LULL_CAPTURE_ROOT)", LULL_OPT_TEXT,
     LULL_OPT_AT(struct args, root)},
    {0},
};

static const struct lull_opt copy_opts[] = {
    {"--out", NULL, "DIR", "where the copies go, as rd-1.rd, devcd3-1.devcore...; else here",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, out)},
    {"--timeout", NULL, "S", "stop after so many seconds", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct args, timeout), .max = MOST_SECONDS},
    {"--json", NULL, NULL, "what was copied, as one object", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, json)},
    {"--full", NULL, NULL,
     "for its time set rd_full of the module msm: with what is in all buffers", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, full)},
    {"--hangcheck", NULL, "MS",
     "for its time set hangcheck_period_ms: how long the GPU may stand until it is a hang",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct args, hangcheck_ms), .min = 1, .max = UINT32_MAX},
    {"--poke", NULL, "S",
     "end the capture by a crash: after S seconds submit a word that begins no packet, so that the "
     "GPU "
     "hangs and is reset",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct args, poke_s), .max = MOST_SECONDS},
    {"--device", NULL, "PATH",
     "the render node for --poke, as /dev/dri/renderD128; else the first of msm", LULL_OPT_TEXT,
     LULL_OPT_AT(struct args, device)},
    {"--dri", NULL, "N", "the device of /sys/kernel/debug/dri/N", LULL_OPT_TEXT,
     LULL_OPT_AT(struct args, dri)},
    {0},
};

static const struct lull_opt stream_opts[] = {
    {"--wait", NULL, NULL, "wait for the driver", LULL_OPT_FLAG, LULL_OPT_AT(struct args, wait)},
    {"--streams", NULL, "N", "stop after so many command streams", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct args, streams), .max = MOST_SECONDS},
    {0},
};

static const struct lull_opt dump_opts[] = {
    {"--wait", NULL, NULL, "wait for a dump to come", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, wait)},
    {"--count", NULL, "N",
     "at most so many; with --wait, until there are so many (0: until Ctrl-C)", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct args, count), .max = MOST_SECONDS},
    {"--keep", NULL, NULL, "do not free the dump", LULL_OPT_FLAG, LULL_OPT_AT(struct args, keep)},
    {"--any", NULL, NULL, "also dumps of other drivers than msm", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, any)},
    {0},
};

static const struct lull_opt_group stream_groups[] = {
    {NULL, copy_opts, 0}, {NULL, stream_opts, 0}, {NULL, root_opts, 0}, {0}};
static const struct lull_opt_group dump_groups[] = {
    {NULL, copy_opts, 0}, {NULL, dump_opts, 0}, {NULL, root_opts, 0}, {0}};
static const struct lull_opt_group check_groups[] = {{NULL, root_opts, 0}, {0}};

static const struct lull_form form_rd = {
    .word = "rd",
    .about = "rd copies the command streams of all programs, until Ctrl-C.",
    .groups = stream_groups,
    .run = run,
};
static const struct lull_form form_hangrd = {
    .word = "hangrd",
    .about = "hangrd copies the next command stream that hangs the GPU.",
    .groups = stream_groups,
    .run = run,
};
static const struct lull_form form_devcoredump = {
    .word = "devcoredump",
    .about = "devcoredump copies the crash dumps that are there; each is freed when its copy is "
             "whole.",
    .groups = dump_groups,
    .run = run,
};
static const struct lull_form form_check = {
    .word = "check",
    .about = "check says what of that this machine has, and what is missing.",
    .groups = check_groups,
    .run = run,
};

const struct lull_command lull_cli_capture = {
    .name = "capture",
    .help = "copy command streams, hangs and crash dumps of an Adreno GPU from the running kernel",
    .forms = (const struct lull_form *const[]){&form_rd, &form_hangrd, &form_devcoredump,
                                               &form_check, NULL},
    .after = "Copies hold whole sections or whole dumps only; what is unfinished leaves no file. "
             "This has been tried on trees of files and pipes, not on a machine with an Adreno.",
};
