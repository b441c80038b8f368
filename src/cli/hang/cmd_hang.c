// SPDX-License-Identifier: MIT
// lull hang: one page about a GPU that hangs now, of this machine or one that lull brings.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/hang/hang.h"
#include "cli/opt/command.h"
#include "cli/opt/driver_log.h"
#include "cli/opt/gpu.h"
#include "cli/opt/host.h"
#include "cli/opt/machine.h"
#include "drm/core/faultlog.h"
#include "drm/msm/debugfs.h"
#include "target/adreno/program.h"
#include "target/amd/live.h"
#include "vdrm/core/client.h"
#include "vdrm/core/crumbs.h"

enum { TICK_NS = 50000000, LONGEST_MS = 10000, STOP_MS = 2000, MS = 1000, MOST_CARDS = 64 };

struct args {
    const char *gpu, *attach;
    uint64_t longest_ms, dri;
    bool json, crumbs;
    char **argv;
};

struct hang {
    const struct args *a;
    struct lull_kernel *k;
    struct lull_host host; ///< Of a program: argv is set.
    struct lull_driver_log kmsg;
    struct lull_str log; ///< What the kernel said.
    bool adreno, dumped; ///< dumped: the driver has seen a fault or a hang by itself.
};

static int64_t now_ms(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * MS + t.tv_nsec / 1000000;
}

static void read_log(struct hang *h)
{
    for (const char *line; (line = lull_driver_log_next(&h->kmsg)) != NULL;) {
        lull_str_addf(&h->log, "%s", line);
    }
}

static bool alive(void *ctx)
{
    (void)ctx;
    return true;
}

/** What shows the GPU: AMD's by debugfs, an Adreno's by the virtual driver's files. */
LULL_MUST_USE static struct lull_error *open_target(struct hang *h, struct lull_target **ret)
{
    const struct lull_adreno_watch watch = {.alive = alive};
    return h->adreno ? lull_adreno_program_new(h->k, (unsigned)h->a->dri, &watch, ret)
                     : lull_amd_live_new(h->k, (unsigned)h->a->dri, ret);
}

/** Waves of an Adreno are shown where they stand. */
LULL_MUST_USE static struct lull_error *stop_waves(struct lull_target *t)
{
    enum lull_event event = LULL_EVENT_TIMEOUT;
    struct lull_error *err = t->ops->interrupt(t);
    return err != NULL ? err : t->ops->wait(t, STOP_MS, &event);
}

/** The GPU as it is now. */
LULL_MUST_USE static struct lull_error *look(struct hang *h, struct lull_hang_page *p)
{
    struct lull_error *err = open_target(h, &p->t);
    if (err == NULL && h->adreno) {
        err = stop_waves(p->t);
    }
    err = err != NULL ? err : lull_hang_page(p);
    if (p->t != NULL) {
        p->t->ops->destroy(p->t);
        p->t = NULL;
    }
    return err;
}

/** The dump of an Adreno; of a virtual one it is asked for, or looked for (--attach). */
LULL_MUST_USE static struct lull_error *dump(struct hang *h, struct lull_hang_page *p)
{
    struct lull_str text = {0};
    struct lull_error *err = NULL;
    if (h->a->attach != NULL) {
        lull_hang_made(h->k, &text);
    } else {
        err = h->host.argv != NULL ? lull_hang_give_up(h->k, &text) : lull_hang_newest(&text);
    }
    if (err == NULL && text.size != 0) {
        err = lull_hang_dump(p, &text);
    }
    lull_str_free(&text);
    return err;
}

LULL_MUST_USE static struct lull_error *page(struct hang *h, bool live)
{
    struct lull_str out = {0};
    struct lull_json j = {.out = &out};
    read_log(h);
    struct lull_hang_page p = {.adreno = h->adreno,
                               .k = h->k,
                               .dri = (unsigned)h->a->dri,
                               .log = lull_str_text(&h->log),
                               .j = h->a->json ? &j : NULL,
                               .out = &out};
    if (p.j != NULL) {
        lull_json_open(p.j, '{');
        lull_json_put_str(p.j, "result", h->dumped ? "dump" : "hang");
    }
    struct lull_error *err = live ? look(h, &p) : NULL;
    lull_hang_rings(&p);
    if (err == NULL && p.j != NULL) { // the dump is an object as it is, the last member
        lull_hang_next_steps(&p);
    }
    if (err == NULL && h->adreno) {
        err = dump(h, &p);
    }
    if (err == NULL && p.j == NULL) {
        lull_hang_next_steps(&p);
    }
    if (p.j != NULL) {
        lull_json_close(p.j, '}');
        lull_str_addf(&out, "\n");
    }
    err = err != NULL ? err : out.err;
    out.err = NULL;
    if (err == NULL) {
        fputs(lull_str_text(&out), stdout);
    }
    lull_str_free(&out);
    return err;
}

/* A program on a virtual GPU */

/** A number that changes when work begins or ends. */
LULL_MUST_USE static struct lull_error *progress(struct hang *h, struct lull_target *t,
                                                 uint64_t *ret)
{
    struct lull_msm_debugfs files = {0};
    struct lull_msm_control_state state = {0};
    struct lull_dispatch_info d = {0};
    size_t n = 0, rest = 0;
    if (h->adreno) {
        lull_msm_debugfs_init(&files, h->k, 0);
        struct lull_error *err = lull_msm_debugfs_state(&files, &state);
        lull_msm_debugfs_done(&files);
        *ret = state.dispatches + state.draws;
        return err;
    }
    struct lull_error *err = t->ops->dispatches(t, 0, NULL, 0, &n);
    if (err == NULL && n != 0) {
        err = t->ops->dispatches(t, n - 1, &d, 1, &rest);
    }
    *ret = 2 * n + (d.phase == LULL_PHASE_RUNNING);
    return err;
}

/** Does the GPU work on something? */
LULL_MUST_USE static struct lull_error *works(struct hang *h, struct lull_target *t, bool *ret)
{
    size_t n = 0;
    struct lull_error *err = h->adreno ? NULL : t->ops->running(t, NULL, 0, &n);
    *ret = h->adreno || n != 0; // of an Adreno its driver says, when it is to give up
    return err;
}

/** Has the kernel told of a page fault? Its waves stand now, and not for long. */
static bool faulted(const struct hang *h)
{
    struct lull_faultlog f = {0};
    struct lull_cur text = lull_cur_of(lull_str_text(&h->log), h->log.size);
    return !h->adreno && lull_faultlog_next(&text, &f);
}

/** Until the program ends, or nothing has begun or ended for too long. @p ret: it hangs. */
LULL_MUST_USE static struct lull_error *watch(struct hang *h, bool *ret)
{
    const struct timespec tick = {.tv_nsec = TICK_NS};
    struct lull_target *t = NULL;
    struct lull_error *err = h->adreno ? NULL : open_target(h, &t);
    uint64_t last = UINT64_MAX;
    int64_t since = now_ms();
    while (err == NULL && !*ret && !h->dumped && lull_host_alive(&h->host)) {
        uint64_t number = 0;
        bool asked = lull_host_interrupted();
        (void)nanosleep(&tick, NULL);
        read_log(h);
        err = progress(h, t, &number);
        h->dumped = h->adreno && lull_hang_has_dump(h->k);
        since = number != last ? now_ms() : since;
        last = number;
        if (asked || faulted(h) || now_ms() - since >= (int64_t)h->a->longest_ms) {
            err = err != NULL ? err : works(h, t, ret);
            since = now_ms();
        }
    }
    if (t != NULL) {
        t->ops->destroy(t);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *program(struct hang *h, int *status)
{
    bool hangs = false;
    h->host.argv = h->a->argv;
    h->host.gpu = h->a->gpu;
    struct lull_error *err = lull_host_open(&h->host);
    if (err == NULL) {
        h->k = h->host.kernel;
        h->adreno = lull_gpu_is_adreno(h->a->gpu);
        h->kmsg = lull_driver_log_open(h->k);
        err = h->a->crumbs ? lull_vd_crumbs_on(h->k, &(const struct lull_vd_crumbs_to){0}) : NULL;
        err = err != NULL ? err : lull_host_start(&h->host);
    }
    err = err != NULL ? err : watch(h, &hangs);
    h->dumped = h->dumped || (err == NULL && h->adreno && lull_hang_has_dump(h->k));
    if (err == NULL && (hangs || h->dumped)) {
        err = page(h, !h->dumped);
        *status = LULL_EXIT_FINDINGS;
    } else if (err == NULL) {
        fprintf(stderr, "lull hang: nothing hangs: the program %s\n", h->host.note);
    }
    lull_host_kill(&h->host);
    lull_driver_log_close(&h->kmsg);
    lull_host_close(&h->host);
    return err;
}

/* A GPU that is there */

/** The first card of amdgpu or msm. */
LULL_MUST_USE static struct lull_error *find_card(struct hang *h, struct args *a)
{
    for (unsigned i = 0; i < MOST_CARDS; i++) {
        char path[64] = "", name[64] = "";
        (void)snprintf(path, sizeof path, "/sys/kernel/debug/dri/%u/name", i);
        lull_machine_line("", path, name, sizeof name);
        h->adreno = strncmp(name, "msm", 3) == 0;
        if (h->adreno || strncmp(name, "amdgpu", strlen("amdgpu")) == 0) {
            a->dri = i;
            return NULL;
        }
    }
    return lull_error_new(LULL_ERR_NOT_FOUND,
                          "no GPU of amdgpu or msm in /sys/kernel/debug/dri (debugfs is for root): "
                          "lull doctor says what is missing; -- PROGRAM runs one on a virtual GPU");
}

LULL_MUST_USE static struct lull_error *machine(struct hang *h, struct args *a, int *status)
{
    struct lull_error *err = NULL;
    if (a->attach != NULL) {
        err = lull_client_new(a->attach, &h->k);
        h->adreno = err == NULL && lull_adreno_is(h->k);
    } else {
        err = find_card(h, a);
        err = err != NULL ? err : lull_kernel_real(&h->k);
    }
    if (err == NULL) {
        h->kmsg = lull_driver_log_open(h->k);
        err = page(h, a->attach != NULL || !h->adreno);
        lull_driver_log_close(&h->kmsg);
        *status = LULL_EXIT_FINDINGS;
    }
    if (h->k != NULL) {
        h->k->destroy(h->k);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *check(const struct args *a)
{
    if (a->gpu != NULL && !lull_gpu_is_own(a->gpu)) {
        return lull_error_new(LULL_ERR_INVALID, "--gpu %s: there are gfx1100, a630, a660 and a740",
                              a->gpu);
    }
    if (a->gpu != NULL && a->argv == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "--gpu is for a program, which stands behind --");
    }
    if (a->crumbs && a->argv == NULL) {
        return lull_error_new(LULL_ERR_INVALID,
                              "--crumbs is for a program, which stands behind --");
    }
    if (a->attach != NULL && a->argv != NULL) {
        return lull_error_new(LULL_ERR_INVALID, "a program or --attach, not both");
    }
    return NULL;
}

static const struct lull_opt opts[] = {
    {"--gpu", NULL, "NAME",
     "the GPU that PROGRAM sees: gfx1100, as if not given, or an Adreno, a630, a660 or a740",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, gpu)},
    {"--longest", NULL, "MS",
     "with PROGRAM: time in which no work begins or ends until that is a hang; 10 s if not given",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct args, longest_ms), .min = 1, .max = INT32_MAX},
    {"--crumbs", NULL, NULL,
     "with PROGRAM: the GPU does one draw or dispatch of a ring at a time, and the page shows the "
     "last ones",
     LULL_OPT_FLAG, LULL_OPT_AT(struct args, crumbs)},
    {"--attach", NULL, "SOCKET", "look at the GPU of a running 'lull exec --socket SOCKET'",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, attach)},
    {"--json", NULL, NULL, "one object", LULL_OPT_FLAG, LULL_OPT_AT(struct args, json)},
    {"PROGRAM", .kind = LULL_OPT_REST, LULL_OPT_AT(struct args, argv)},
    {0},
};

static const struct lull_opt_group groups[] = {{NULL, opts, 0}, {0}};

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct args a = {.longest_ms = LONGEST_MS};
    struct hang h = {.a = &a, .kmsg = {.fd = -1}};
    struct lull_error *err = lull_opt_parse(form, &a, argc, argv);
    err = err != NULL ? err : check(&a);
    if (err == NULL) {
        err = a.argv != NULL ? program(&h, status) : machine(&h, &a, status);
    }
    lull_str_free(&h.log);
    return err;
}

static const struct lull_form form = {
    .usage = "[OPTIONS] [[--] PROGRAM [ARGUMENTS]]",
    .groups = groups,
    .flags = LULL_FORM_PROGRAM,
    .run = run,
};

const struct lull_command lull_cli_hang = {
    .name = "hang",
    .help = "one page about a GPU that hangs now: waves, fault, and what to run next",
    .about = "Of this machine: an AMD GPU by amdgpu's debugfs, an Adreno by the newest crash dump. "
             "With PROGRAM: runs it on a virtual GPU and writes the page when it hangs.",
    .forms = (const struct lull_form *const[]){&form, NULL},
    .after = "Exit status: 1, a page was written; 0, PROGRAM ended.\n\n"
             "  sudo lull hang\n"
             "  lull hang --gpu a660 --longest 2000 -- ./program",
};
