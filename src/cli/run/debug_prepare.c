// SPDX-License-Identifier: MIT
// What lull debug debugs, opened: a program, a capture, a pipeline, a kernel.
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/files.h"
#include "base/json.h"
#include "cli/opt/assume.h"
#include "cli/opt/command.h"
#include "cli/opt/gpu.h"
#include "cli/opt/host.h"
#include "cli/opt/layers.h"
#include "cli/opt/options.h"
#include "cli/opt/order.h"
#include "cli/run/check_kernel.h"
#include "cli/run/debug_capture.h"
#include "cli/run/debug_check.h"
#include "cli/run/debug_dump.h"
#include "cli/run/debug_open.h"
#include "cli/run/display.h"
#include "cli/run/pal_run.h"
#include "cli/run/prompt.h"
#include "cli/run/record.h"
#include "cli/run/record_adreno.h"
#include "cli/run/record_program.h"
#include "compile/run.h"
#include "debug/session/agent.h"
#include "debug/session/packets.h"
#include "debug/shell/debugger.h"
#include "debug/shell/script.h"
#include "debug/shell/shell.h"
#include "model/order.h"
#include "target/adreno/program.h"
#include "target/amd/debug.h"
#include "target/amd/program.h"
#include "vdrm/core/client.h"

#include "cli/run/debug_session.h"

enum { NS_PER_MS = 1000000 };

LULL_MUST_USE static struct lull_error *start_program(void *ctx)
{
    struct lull_ds *s = ctx;
    s->debug->end_note[0] = '\0';
    return lull_host_start(&s->host);
}

static bool program_lives(void *ctx)
{
    struct lull_ds *s = ctx;
    bool alive = lull_host_alive(&s->host);
    lull_xserver_serve(&s->display);
    if (!alive) {
        memcpy(s->debug->end_note, s->host.note, sizeof s->debug->end_note);
    }
    return alive;
}

static void kill_program(void *ctx)
{
    struct lull_ds *s = ctx;
    lull_host_kill(&s->host);
}

/* Lines of dprintf that a process has left. */
static void process_leaves(void *ctx, uint32_t pid, uint32_t client)
{
    struct lull_ds *s = ctx;
    lull_agent_leaves(s->debug, pid, client);
}

static bool socket_lives(void *ctx)
{
    struct lull_ds *s = ctx;
    bool alive = lull_client_alive(s->kernel);
    if (!alive) {
        snprintf(s->debug->end_note, sizeof s->debug->end_note, "and its GPU are gone");
    }
    return alive;
}

static bool names_dir(void *ctx, uint32_t pid, char *dir, size_t room)
{
    (void)ctx;
    return lull_host_names(pid, dir, room);
}

bool lull_ds_asked_to_stop(void *ctx)
{
    struct lull_ds *s = ctx;
    bool asked = lull_host_interrupted();
    s->interrupted = s->interrupted || asked;
    return asked;
}

static bool next_wanted(void *ctx)
{
    (void)ctx;
    return lull_host_stop_wanted();
}

/* What is held: shall it stop? Without a terminal it does. */
static enum lull_debug_ask ask(void *ctx)
{
    struct lull_ds *s = ctx;
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    struct lull_cmd c = {.d = s->debug, .args = "", .out = &text};
    char answer[64] = "";
    if (isatty(STDIN_FILENO) == 0 || s->options.json) {
        return LULL_ASK_STOP;
    }
    lull_debug_show_held(&c);
    printf("%sStop here? (y or n; q: do not ask again) ", lull_str_text(&text));
    fflush(stdout);
    const char *line = fgets(answer, sizeof answer, stdin);
    const char first = line != NULL ? line[strspn(line, " \t")] : 'y';
    return first == 'q' ? LULL_ASK_NO_MORE : first == 'n' ? LULL_ASK_GO : LULL_ASK_STOP;
}

/* A line of dprintf, as it comes. */
static void printed(void *ctx, unsigned number, const char *where, const char *text)
{
    const struct lull_ds *s = ctx;
    const size_t size = strlen(text);
    if (!s->options.json) {
        printf("%s: %s%s", where, text, size > 0 && text[size - 1] == '\n' ? "" : "\n");
        fflush(stdout); // Whole lines, between those of the program.
        return;
    }
    lull_cleanup(lull_str_free) struct lull_str out = {0};
    struct lull_json json = {.out = &out};
    lull_json_open(&json, '{');
    lull_json_put_u64(&json, "dprintf", number);
    lull_json_put_str(&json, "where", where);
    lull_json_put_str(&json, "text", text);
    lull_json_close(&json, '}');
    printf("%s\n", lull_str_text(&out));
    fflush(stdout);
}

/* What debugs programs on @p k, and a word on how, where it is not as the kernel would do it. */
LULL_MUST_USE static struct lull_error *open_target(struct lull_ds *s, struct lull_kernel *k)
{
    bool (*alive)(void *ctx) = s->attach != NULL ? socket_lives : program_lives;
    const struct lull_program_watch amd = {.alive = alive, .leaves = process_leaves, .ctx = s};
    const struct lull_adreno_watch adreno = {.alive = alive, .ctx = s};
    if (!lull_adreno_is(k)) {
        return lull_amd_program_new(k, 0, &amd, &s->target);
    }
    struct lull_error *err = lull_adreno_program_new(k, 0, &adreno, &s->target);
    if (err == NULL && !s->options.json) {
        printf("%s\n", s->target->ops->path);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *record_held(void *ctx, const uint64_t *time,
                                                    const char *path)
{
    struct lull_ds *s = ctx;
    struct lull_error *err =
        s->options.schedule != NULL
            ? lull_error_new(LULL_ERR_UNSUPPORTED,
                             "record save: the record of a program's dispatch holds no schedule: "
                             "replay it by --schedule %s",
                             s->options.schedule)
            : lull_files_may_write(&s->options.files, path);
    struct lull_kernel *k = s->attach != NULL ? s->kernel : s->host.kernel;
    return err != NULL ? err
           : s->target->ops->arch == &lull_arch_ir3
               ? lull_record_adreno_save(s->debug, k, s->options.seed, time, path)
               : lull_record_program_save(s->debug, s->options.seed, time, path);
}

/* A program with a driver of its own: the virtual GPU is here, all processes on it are debugged. */
struct lull_error *lull_ds_program(struct lull_ds *s)
{
    s->host.seed = s->options.seed;
    s->host.assume = s->assume.a;
    s->host.engine = &s->options.engine;
    struct lull_error *err = NULL;
    if (s->options.schedule != NULL) {
        err = lull_schedule_read(s->options.schedule, &s->host.seed, &s->options.order);
        s->host.order = s->options.order;
    }
    lull_host_stop_key();
    if (s->attach != NULL) {
        lull_host_interruptible(false);
        err = err != NULL ? err : lull_client_new(s->attach, &s->kernel);
    } else if (err == NULL) {
        s->display = lull_xserver_open();
        err = lull_host_open(&s->host);
    }
    err = err != NULL ? err : lull_ds_check(s, s->attach != NULL ? NULL : s->host.kernel);
    if (err == NULL) {
        err = open_target(s, s->attach != NULL ? s->kernel : s->host.kernel);
    }
    if (err == NULL) {
        err = lull_debug_new(s->target, NULL, 0, &s->debug);
    }
    if (err == NULL) {
        lull_ds_check_hooks(s);
        s->debug->json = s->options.json;
        s->debug->run = s->attach != NULL ? NULL : start_program;
        s->debug->kill = s->attach != NULL ? NULL : kill_program;
        s->debug->started = s->attach != NULL;
        s->debug->run_ctx = s;
        s->debug->timeout_ms = (unsigned)s->options.timeout_ms;
        lull_debug_set_interrupt(s->debug, lull_ds_asked_to_stop, s);
        s->debug->names_dir = names_dir;
        s->debug->record = record_held;
        s->debug->ask = ask;
        s->debug->ask_ctx = s;
        s->debug->next_wanted = next_wanted;
        s->debug->printed = printed;
    }
    return err;
}

/* Lines of printf that came since the last time. */
struct lull_error *lull_ds_show_printf(struct lull_ds *s)
{
    lull_cleanup(lull_str_free) struct lull_str out = {0};
    struct lull_printf_host *p = &s->options.printf;
    const bool done = s->debug->outcome == LULL_OUT_DONE;
    struct lull_error *err = lull_printf_host_drain(p, !done, s->options.json, &out);
    fwrite(lull_str_text(&out), 1, out.size, stdout);
    return err;
}

/* Asked while waves run: also a time to show what they printed. */
static bool show_while_running(void *ctx)
{
    struct lull_ds *s = ctx;
    if (s->options.printf.wanted) {
        lull_error_free(lull_ds_show_printf(s)); // it comes again when they stop
        fflush(stdout);
    }
    return lull_ds_asked_to_stop(s);
}

static void printf_info(void *ctx, struct lull_str *out)
{
    struct lull_ds *s = ctx;
    lull_printf_host_info(&s->options.printf, out);
}

LULL_MUST_USE static struct lull_error *record(void *ctx, const uint64_t *time, const char *path)
{
    struct lull_ds *s = ctx;
    struct lull_error *err = lull_files_may_write(&s->options.files, path);
    return err != NULL ? err : lull_record_save(&s->options, &s->program, time, path);
}

LULL_MUST_USE static struct lull_error *start(void *ctx)
{
    struct lull_ds *s = ctx;
    s->wrote = false;
    lull_printf_host_restart(&s->options.printf);
    struct lull_error *err = s->ran ? lull_args_again(&s->options.args) : NULL;
    if (err == NULL && s->ran) {
        err = lull_launch_again(&s->launch, &s->launched);
    }
    s->ran = true;
    if (s->options.order != NULL) {
        lull_order_again(s->options.order); // the debugger has dispatches of its own
    }
    return err != NULL ? err : lull_amd_debug_submit(s->target, &s->launched.dispatch);
}

/* A capture of an Adreno: its submits are what runs. @p bytes: as of lull_debug_capture_open(). */
struct lull_error *lull_ds_capture(struct lull_ds *s, const struct lull_str *bytes)
{
    const struct lull_replay_how how = {.gpu = s->host.gpu, .seed = s->options.seed};
    lull_host_interruptible(false);
    struct lull_error *err = lull_debug_capture_open(s->options.path, bytes, &how, &s->capture);
    if (err == NULL) {
        s->target = lull_debug_capture_target(s->capture);
        err = lull_debug_new(s->target, NULL, 0, &s->debug);
    }
    if (err == NULL) {
        lull_debug_capture_attach(s->capture, s->debug);
        s->debug->json = s->options.json;
        s->debug->timeout_ms = (unsigned)s->options.timeout_ms;
        lull_debug_set_interrupt(s->debug, lull_ds_asked_to_stop, s);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *start_pipeline(void *ctx)
{
    struct lull_ds *s = ctx;
    if (s->ran) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "a pipeline runs once in a session; start lull debug again");
    }
    s->ran = true;
    return lull_amd_debug_submit(s->target, &s->pal.dispatch);
}

/* A compute pipeline of lull link or lull cc --layout. */
struct lull_error *lull_ds_pipeline(struct lull_ds *s)
{
    lull_cleanup(lull_freep) uint8_t *bytes = NULL;
    size_t size = 0;
    lull_host_interruptible(false);
    struct lull_error *err = lull_pal_run_open(&s->pal);
    err = err != NULL ? err : lull_amd_debug_new(s->pal.device, s->pal.dri, &s->target);
    err = err != NULL ? err : lull_pal_run_prepare(&s->pal);
    err = err != NULL ? err : lull_run_read(s->pal.o.path, &bytes, &size);
    if (err == NULL) {
        err = lull_error_in(lull_image_of_pal(bytes, size, &s->image), "%s", s->pal.o.path);
    }
    if (err == NULL) {
        err = lull_debug_new(s->target, s->image, s->pal.placed.code->va, &s->debug);
    }
    if (err == NULL) {
        s->options.json = s->pal.o.json;
        s->debug->json = s->options.json;
        s->debug->run = start_pipeline;
        s->debug->run_ctx = s;
        s->debug->printed = printed;
        lull_debug_set_interrupt(s->debug, lull_ds_asked_to_stop, s);
        s->debug->timeout_ms = s->pal.o.c.timeout_ns != 0
                                   ? (unsigned)(s->pal.o.c.timeout_ns / NS_PER_MS)
                                   : s->debug->timeout_ms;
    }
    return err;
}

/** What the debugger asks this command for, of a kernel. */
static void answer_debugger(struct lull_ds *s)
{
    lull_ds_check_hooks(s);
    s->debug->json = s->options.json;
    memcpy(s->debug->block, s->launch.block, sizeof s->debug->block);
    s->debug->run = start;
    s->debug->run_ctx = s;
    s->debug->printf_info = printf_info;
    s->debug->record = record;
    s->debug->printed = printed;
    lull_debug_set_interrupt(s->debug, show_while_running, s);
    s->debug->timeout_ms =
        s->options.timeout_ms != 0 ? (unsigned)s->options.timeout_ms : s->debug->timeout_ms;
}

struct lull_error *lull_ds_kernel(struct lull_ds *s)
{
    const char *path = NULL;
    unsigned dri = 0;
    s->options.marks = lull_check_source(&s->check, s->options.path, s->options.opt_level);
    struct lull_error *err = lull_program_load(&s->options, &s->program);
    lull_host_interruptible(false); // from here on: a compiler that runs too long can be stopped
    if (err == NULL) {
        err = lull_options_connect(&s->options, &s->kernel, &path, &dri);
    }
    err = err != NULL ? err : lull_ds_check(s, path == NULL ? s->kernel : NULL);
    if (err == NULL) {
        err = lull_amd_device_open(s->kernel, path, &s->device);
    }
    if (err == NULL) {
        err = lull_amd_debug_new(s->device, dri, &s->target);
    }
    if (err == NULL) {
        lull_amd_device_apart(s->device, (s->check.wanted & LULL_CHECK_BOUNDS) != 0);
        err = lull_args_make(&s->options.args, s->device);
        lull_amd_device_apart(s->device, false);
    }
    if (err == NULL) {
        err = lull_printf_host_make(&s->options.printf, s->program.compiled.bytes,
                                    s->program.compiled.size, s->options.path, s->device);
    }
    if (err != NULL) {
        return err;
    }
    const struct lull_amd_bo *descriptor = s->options.printf.at.descriptor;
    s->launch = (struct lull_launch){.image = s->program.image,
                                     .kernel = s->program.kernel,
                                     .args = s->options.args.launch,
                                     .nargs = s->options.args.n,
                                     .printf_va = descriptor != NULL ? descriptor->va : 0};
    memcpy(s->launch.grid, s->options.grid, sizeof s->launch.grid);
    memcpy(s->launch.block, s->options.block, sizeof s->launch.block);
    uint32_t local_at[LULL_CHECK_OBJECTS] = {0};
    const bool checks = s->check.checks != NULL && s->launch.nargs <= LULL_CHECK_OBJECTS;
    if (checks) {
        s->launch.local_gap = LULL_CHECK_LOCAL_GAP;
        s->launch.local_at = local_at;
    }
    err = lull_launch_prepare(s->device, &s->launch, &s->launched);
    s->launch.local_at = NULL;
    if (err == NULL && checks) {
        lull_check_kernel(&s->check.objects, s->device, s->program.image, s->program.kernel,
                          &s->options.args, local_at);
    }
    if (err == NULL) {
        err = lull_debug_new(s->target, s->program.image, s->launched.code->va, &s->debug);
    }
    if (err == NULL) {
        answer_debugger(s);
    }
    return err;
}

void lull_ds_finish(struct lull_ds *s)
{
    lull_host_kill(&s->host);
    bool ours = s->attach == NULL; // else the processes go on without us
    if (ours && s->debug != NULL && s->debug->started && s->target->ops->kill != NULL) {
        lull_error_free(s->target->ops->kill(s->target));
    }
    if (s->debug != NULL) {
        lull_error_free(lull_agent_print(s->debug));
    }
    lull_script_free(s->script);
    lull_lua_free(s->lua);
    lull_debug_free(s->debug);
    s->debug = NULL;
    if (s->capture != NULL) {
        lull_debug_capture_free(s->capture);
        lull_debug_dump_done(&s->dump);
    } else if (s->target != NULL) {
        s->target->ops->destroy(s->target);
    }
    lull_pal_run_done(&s->pal);
    lull_image_free(s->image);
    lull_amd_device_close(s->device);
    if (s->kernel != NULL) {
        s->kernel->destroy(s->kernel);
    }
    lull_replayed_done(&s->replayed);
    if (s->replay_program) {
        free(s->replay_argv[0]);
        free(s->replay_argv[5]);
    }
    lull_host_close(&s->host);
    lull_options_done(&s->options); // its order of waves outlives the GPU
    lull_program_done(&s->program);
    lull_check_done(&s->check);
    free(s->check_those);
    free(s->check_stops);
    lull_xserver_close(&s->display);
}
