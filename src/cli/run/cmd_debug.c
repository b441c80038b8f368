// SPDX-License-Identifier: MIT
/* lull debug: the debugger's prompt, scripts and batch mode over src/debug/. */
#include <editline/readline.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/json.h"
#include "cli/opt/assume.h"
#include "cli/opt/command.h"
#include "cli/opt/gpu.h"
#include "cli/opt/host.h"
#include "cli/opt/options.h"
#include "cli/run/debug_capture.h"
#include "cli/run/debug_dump.h"
#include "cli/run/debug_open.h"
#include "cli/run/display.h"
#include "cli/run/layers.h"
#include "cli/run/pal_run.h"
#include "compile/run.h"
#include "debug/session/agent.h"
#include "debug/session/packets.h"
#include "debug/shell/debugger.h"
#include "target/adreno/program.h"
#include "target/amd/debug.h"
#include "target/amd/program.h"
#include "vdrm/core/client.h"

enum { MAX_SCRIPTS = 64, DUMP_TIMEOUT_MS = 5000, NS_PER_MS = 1000000 };

struct script {
    const char *file;    ///< -x, or
    const char *command; ///< -ex
};

struct session {
    struct lull_options options;
    struct lull_program program;
    struct lull_kernel *kernel;
    struct lull_amd_device *device;
    struct lull_debug_capture *capture; ///< Instead of a kernel or a program.
    struct lull_debug_dump dump;        ///< That it was made of.
    struct lull_debug_dump_how dump_how;
    struct lull_target *target;
    struct lull_launch launch;
    struct lull_launched launched;
    struct lull_debug *debug;
    struct lull_host host;       ///< If a program is debugged: argv is set.
    struct lull_assume assume;   ///< Of the GPU that PROGRAM sees.
    const char *attach;          ///< Socket of a lull exec.
    struct lull_xserver display; ///< Of a program, where there is none.
    struct script scripts[MAX_SCRIPTS];
    unsigned nscripts;
    bool batch, echo, wrote;
    bool interrupted;         ///< Ctrl-C has stopped something.
    bool interrupted_between; ///< ... and no wave: the scripts end.
    bool ran;                 ///< The kernel has run: buffers are not as they were made.
    struct lull_pal_run pal;  ///< A pipeline, with device and kernel of its own:
    bool is_pal;              ///< ... it is debugged.
    struct lull_image *image; ///< Lines and symbols of that.
};

LULL_MUST_USE static struct lull_error *add_script(void *base, const struct lull_opt *o,
                                                   const char *value)
{
    struct session *s = base;
    if (s->nscripts == MAX_SCRIPTS) {
        return lull_error_new(LULL_ERR_INVALID, "%s: more than %d", o->name, MAX_SCRIPTS);
    }
    s->scripts[s->nscripts++] = strcmp(o->name, "-x") == 0 ? (struct script){.file = value}
                                                           : (struct script){.command = value};
    return NULL;
}

static const struct lull_opt opts[] = {
    {"--gpu", NULL, "NAME",
     "the GPU that PROGRAM sees: gfx1100, as if not given, or an Adreno, a630, a660 or a740;\n"
     "the Adreno that replays CAPTURE, if not its own",
     LULL_OPT_TEXT, LULL_OPT_AT(struct session, host.gpu)},
    {"--attach", NULL, "SOCKET", "debug the programs of a running 'lull exec --socket SOCKET'",
     LULL_OPT_TEXT, LULL_OPT_AT(struct session, attach)},
    {"-x", NULL, "FILE", "run debugger commands from FILE first", LULL_OPT_CALL, .call = add_script,
     .flags = LULL_OPT_MANY},
    {"-ex", NULL, "COMMAND", "run one command", LULL_OPT_CALL, .call = add_script,
     .flags = LULL_OPT_MANY},
    {"-batch", "--batch", NULL, "no prompt: leave after the scripts", LULL_OPT_FLAG,
     LULL_OPT_AT(struct session, batch)},
    {"--firmware", NULL, "FILE", "of a crash dump: firmware of the SQE, to show what is at its PC",
     LULL_OPT_IN, LULL_OPT_AT(struct session, dump_how.firmware)},
    {"--zeros", NULL, NULL, "of a crash dump: buffers without contents are zeros", LULL_OPT_FLAG,
     LULL_OPT_AT(struct session, dump_how.zeros)},
    {"--echo", NULL, NULL, "print commands of scripts before their output", LULL_OPT_FLAG,
     LULL_OPT_AT(struct session, echo)},
    {"KERNEL", .kind = LULL_OPT_IN, LULL_OPT_AT(struct session, options.path)},
    {"PROGRAM", .kind = LULL_OPT_REST, LULL_OPT_AT(struct session, host.argv)},
    {0},
};

// Of those above what pipelines have.
static const struct lull_opt pal_opts[] = {
    {"-x", NULL, "FILE", "run debugger commands from FILE first", LULL_OPT_CALL, .call = add_script,
     .flags = LULL_OPT_MANY},
    {"-ex", NULL, "COMMAND", "run one command", LULL_OPT_CALL, .call = add_script,
     .flags = LULL_OPT_MANY},
    {"-batch", "--batch", NULL, "no prompt: leave after the scripts", LULL_OPT_FLAG,
     LULL_OPT_AT(struct session, batch)},
    {"--echo", NULL, NULL, "print commands of scripts before their output", LULL_OPT_FLAG,
     LULL_OPT_AT(struct session, echo)},
    {0},
};

static const struct lull_opt pal_out_opts[] = {
    {"--out", NULL, "PLACE=FILE", "write a resource (S.B, or a name) when the pipeline has ended",
     LULL_OPT_CALL, .call = lull_vk_options_out, .flags = LULL_OPT_MANY},
    {0},
};

static const struct lull_opt_group groups[] = {
    {NULL, opts, 0},
    {NULL, lull_assume_opts, offsetof(struct session, assume)},
    {NULL, lull_options_opts, offsetof(struct session, options)},
    {"For kernels:", lull_options_kernel_opts, offsetof(struct session, options)},
    {NULL, lull_printf_host_opts, offsetof(struct session, options.printf)},
    {0},
};

static const struct lull_opt_group pal_groups[] = {
    {NULL, pal_opts, 0},
    {NULL, lull_vk_work_opts, offsetof(struct session, pal.o)},
    {NULL, lull_vk_any_opts, offsetof(struct session, pal.o)},
    {NULL, pal_out_opts, offsetof(struct session, pal.o)},
    {NULL, lull_pal_file_opts, offsetof(struct session, pal)},
    {0},
};

/** Options of printf for a program: the layer knows two of those that kernels have. */
LULL_MUST_USE static struct lull_error *check_printf(const struct session *s, const char *given)
{
    const struct lull_printf_host *p = &s->options.printf;
    if (s->host.argv != NULL && p->nflags == 0 && p->save == NULL) {
        const struct lull_printf_layer layer = {.wanted = p->wanted, .bytes = p->bytes};
        return lull_printf_layer_set(&layer, s->host.gpu, s->host.argv);
    }
    return lull_error_new(LULL_ERR_INVALID,
                          "%s: with a program there are --printf and --printf-size", given);
}

/** One thing to debug, and options that mean something for it. */
LULL_MUST_USE static struct lull_error *check_options(const struct session *s,
                                                      const struct lull_opts *o)
{
    const bool host = s->host.argv != NULL;
    const char *kernel = lull_opts_given_of(o, lull_options_kernel_opts);
    const char *printf = lull_opts_given_of(o, lull_printf_host_opts);
    if (host + (s->options.path != NULL) + (s->attach != NULL) > 1) {
        return lull_error_new(LULL_ERR_INVALID, "a kernel, a program or a socket, not two of them");
    }
    if (s->options.path == NULL && (host || s->attach != NULL) && kernel != NULL) {
        return lull_error_new(LULL_ERR_INVALID, "%s is for a kernel, not for a program", kernel);
    }
    if (s->options.path == NULL && printf != NULL) {
        struct lull_error *err = check_printf(s, printf);
        if (err != NULL) {
            return err;
        }
    }
    if (s->host.gpu != NULL && !host && !lull_debug_file_is(s->options.path, LULL_KIND_RD) &&
        !lull_debug_file_is(s->options.path, LULL_KIND_DEVCORE)) {
        return lull_error_new(LULL_ERR_INVALID,
                              "--gpu is for a program, which stands behind --, a capture, or a "
                              "crash dump");
    }
    if (s->host.gpu != NULL && !lull_gpu_is_own(s->host.gpu)) {
        return lull_error_new(LULL_ERR_INVALID, "--gpu %s: there are gfx1100, a630, a660 and a740",
                              s->host.gpu);
    }
    return host || s->options.path != NULL || s->attach != NULL
               ? lull_assume_check(&s->assume, s->host.gpu)
               : lull_error_new(LULL_ERR_INVALID, "no KERNEL given, and no PROGRAM behind --");
}

LULL_MUST_USE static struct lull_error *parse(const struct lull_form *form, struct session *s,
                                              int argc, char **argv)
{
    struct lull_opts o = {.form = form, .base = s};
    struct lull_error *err = lull_opts_parse(&o, argc, argv);
    return err != NULL ? err : check_options(s, &o);
}

LULL_MUST_USE static struct lull_error *start_program(void *ctx)
{
    struct session *s = ctx;
    s->debug->end_note[0] = '\0';
    return lull_host_start(&s->host);
}

static bool program_lives(void *ctx)
{
    struct session *s = ctx;
    bool alive = lull_host_alive(&s->host);
    lull_xserver_serve(&s->display);
    if (!alive) {
        memcpy(s->debug->end_note, s->host.note, sizeof s->debug->end_note);
    }
    return alive;
}

static void kill_program(void *ctx)
{
    struct session *s = ctx;
    lull_host_kill(&s->host);
}

/* Lines of dprintf that a process has left. */
static void process_leaves(void *ctx, uint32_t pid, uint32_t client)
{
    struct session *s = ctx;
    lull_agent_leaves(s->debug, pid, client);
}

static bool socket_lives(void *ctx)
{
    struct session *s = ctx;
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

static bool asked_to_stop(void *ctx)
{
    struct session *s = ctx;
    bool asked = lull_host_interrupted();
    s->interrupted = s->interrupted || asked;
    return asked;
}

/* A line of dprintf, as it comes. */
static void printed(void *ctx, unsigned number, const char *where, const char *text)
{
    const struct session *s = ctx;
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
LULL_MUST_USE static struct lull_error *open_target(struct session *s, struct lull_kernel *k)
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

/* A program with a driver of its own: the virtual GPU is here, all processes on it are debugged. */
LULL_MUST_USE static struct lull_error *prepare_program(struct session *s)
{
    s->host.seed = s->options.seed;
    s->host.assume = s->assume.a;
    struct lull_error *err = NULL;
    if (s->attach != NULL) {
        lull_host_interruptible(false);
        err = lull_client_new(s->attach, &s->kernel);
    } else {
        s->display = lull_xserver_open();
        err = lull_host_open(&s->host);
    }
    if (err == NULL) {
        err = open_target(s, s->attach != NULL ? s->kernel : s->host.kernel);
    }
    if (err == NULL) {
        err = lull_debug_new(s->target, NULL, 0, &s->debug);
    }
    if (err == NULL) {
        s->debug->json = s->options.json;
        s->debug->run = s->attach != NULL ? NULL : start_program;
        s->debug->kill = s->attach != NULL ? NULL : kill_program;
        s->debug->started = s->attach != NULL;
        s->debug->run_ctx = s;
        s->debug->timeout_ms = (unsigned)s->options.timeout_ms;
        lull_debug_set_interrupt(s->debug, asked_to_stop, s);
        s->debug->names_dir = names_dir;
        s->debug->printed = printed;
    }
    return err;
}

/* Lines of printf that came since the last time. */
LULL_MUST_USE static struct lull_error *show_printf(struct session *s)
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
    struct session *s = ctx;
    if (s->options.printf.wanted) {
        lull_error_free(show_printf(s)); // it comes again when they stop
        fflush(stdout);
    }
    return asked_to_stop(s);
}

static void printf_info(void *ctx, struct lull_str *out)
{
    struct session *s = ctx;
    lull_printf_host_info(&s->options.printf, out);
}

LULL_MUST_USE static struct lull_error *start(void *ctx)
{
    struct session *s = ctx;
    s->wrote = false;
    lull_printf_host_restart(&s->options.printf);
    struct lull_error *err = s->ran ? lull_args_again(&s->options.args) : NULL;
    if (err == NULL && s->ran) {
        err = lull_launch_again(&s->launch, &s->launched);
    }
    s->ran = true;
    return err != NULL ? err : lull_amd_debug_submit(s->target, &s->launched.dispatch);
}

/* A capture of an Adreno: its submits are what runs. @p bytes: as of lull_debug_capture_open(). */
LULL_MUST_USE static struct lull_error *prepare_capture(struct session *s,
                                                        const struct lull_str *bytes)
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
        lull_debug_set_interrupt(s->debug, asked_to_stop, s);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *start_pipeline(void *ctx)
{
    struct session *s = ctx;
    if (s->ran) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "a pipeline runs once in a session; start lull debug again");
    }
    s->ran = true;
    return lull_amd_debug_submit(s->target, &s->pal.dispatch);
}

/* A compute pipeline of lull link or lull cc --layout. */
LULL_MUST_USE static struct lull_error *prepare_pipeline(struct session *s)
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
        lull_debug_set_interrupt(s->debug, asked_to_stop, s);
        s->debug->timeout_ms = s->pal.o.c.timeout_ns != 0
                                   ? (unsigned)(s->pal.o.c.timeout_ns / NS_PER_MS)
                                   : s->debug->timeout_ms;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *prepare(struct session *s)
{
    const char *path = NULL;
    unsigned dri = 0;
    struct lull_error *err = lull_program_load(&s->options, &s->program);
    lull_host_interruptible(false); // from here on: a compiler that runs too long can be stopped
    if (err == NULL) {
        err = lull_options_connect(&s->options, &s->kernel, &path, &dri);
    }
    if (err == NULL) {
        err = lull_amd_device_open(s->kernel, path, &s->device);
    }
    if (err == NULL) {
        err = lull_amd_debug_new(s->device, dri, &s->target);
    }
    if (err == NULL) {
        err = lull_args_make(&s->options.args, s->device);
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
    err = lull_launch_prepare(s->device, &s->launch, &s->launched);
    if (err == NULL) {
        err = lull_debug_new(s->target, s->program.image, s->launched.code->va, &s->debug);
    }
    if (err == NULL) {
        s->debug->json = s->options.json;
        memcpy(s->debug->block, s->launch.block, sizeof s->debug->block);
        s->debug->run = start;
        s->debug->run_ctx = s;
        s->debug->printf_info = printf_info;
        s->debug->printed = printed;
        lull_debug_set_interrupt(s->debug, show_while_running, s);
        s->debug->timeout_ms =
            s->options.timeout_ms != 0 ? (unsigned)s->options.timeout_ms : s->debug->timeout_ms;
    }
    return err;
}

/* A failed command is an object too. */
static void print_error(const char *line, const char *message)
{
    lull_cleanup(lull_str_free) struct lull_str out = {0};
    struct lull_json json = {.out = &out};
    lull_json_open(&json, '{');
    lull_json_put_str(&json, "command", line);
    lull_json_put_str(&json, "error", message);
    lull_json_close(&json, '}');
    printf("%s\n", lull_str_text(&out));
    fflush(stdout);
}

/* The kernel is done: its buffers. */
LULL_MUST_USE static struct lull_error *write_out(struct session *s)
{
    bool bad = false;
    if (s->debug->outcome != LULL_OUT_DONE || s->wrote || s->host.argv != NULL ||
        s->capture != NULL) {
        return NULL;
    }
    s->wrote = true;
    if (s->is_pal) {
        return lull_pal_run_outs(&s->pal);
    }
    struct lull_error *err = lull_args_write(&s->options.args);
    return err != NULL ? err : lull_printf_host_end(&s->options.printf, &bad);
}

/* One command; its output. False if it failed: the message is on stderr. */
static bool execute(struct session *s, const char *line)
{
    lull_cleanup(lull_str_free) struct lull_str out = {0}, shown = {0};
    if (s->echo) {
        printf("(lull) %s\n", line);
        fflush(stdout); // in front of what the program prints
    }
    struct lull_error *err = lull_debug_command(s->debug, line, &out);
    lull_error_free(lull_agent_print(s->debug)); // It comes again.
    struct lull_error *late = show_printf(s);
    if (s->options.printf.middle) { // the debugger's own lines begin on their own
        putchar('\n');
        s->options.printf.middle = false;
    }
    if (err == NULL) {
        err = late;
    } else {
        lull_error_free(late);
    }
    lull_str_printable(&shown, lull_str_text(&out), out.size); // names are the program's
    fputs(lull_str_text(&shown), stdout);
    err = err != NULL ? err : write_out(s);
    fflush(stdout);
    if (err != NULL) {
        if (s->options.json) {
            print_error(line, lull_error_message(err));
        }
        fprintf(stderr, "%s\n", lull_error_message(err));
        lull_error_free(err);
        return false;
    }
    return true;
}

/* A crash dump goes on as a capture: from the packet on that the GPU was in. */
LULL_MUST_USE static struct lull_error *prepare_dump(struct session *s)
{
    struct lull_error *err = lull_debug_dump_open(s->options.path, &s->dump_how, &s->dump);
    err = err != NULL ? err : prepare_capture(s, &s->dump.capture);
    if (err != NULL) {
        return err;
    }
    const struct lull_packet_where at = {
        .by = LULL_PACKET_AT, .value = s->dump.r.at, .stream = LULL_PACKET_ANY_STREAM};
    lull_debug_dump_attach(&s->dump, s->debug);
    if (s->options.timeout_ms == 0) { // what hung is likely to hang again
        s->debug->timeout_ms = DUMP_TIMEOUT_MS;
    }
    if (s->dump.damage != NULL) {
        fprintf(stderr, "lull debug: %s; what could be read goes on\n",
                lull_error_message(s->dump.damage));
    }
    if (s->options.json) {
        return lull_debug_until_packet(s->debug, &at);
    }
    char go[64] = "";
    (void)snprintf(go, sizeof go, "until packet 0x%" PRIx64, at.value);
    printf("%s: the GPU was in the packet at 0x%" PRIx64 ", %s\n'info missing' says what the dump "
           "does not hold, 'info crash' what it does\n",
           s->options.path, at.value, s->dump.r.sure);
    return execute(s, go) ? NULL
                          : lull_error_new(LULL_ERR_BAD_DATA, "%s: it does not come to that packet",
                                           s->options.path);
}

/* Ctrl-C while no wave ran: what is left of the scripts is not run. */
static bool between_commands(struct session *s)
{
    s->interrupted_between = s->interrupted_between || asked_to_stop(s);
    return s->interrupted_between;
}

LULL_MUST_USE static struct lull_error *run_file(struct session *s, const char *path)
{
    lull_cleanup(lull_fclosep) FILE *f = NULL;
    struct lull_error *err = lull_files_fopen(path, &f);
    if (err != NULL) {
        return lull_error_in(err, "script");
    }
    lull_cleanup(lull_freep) char *line = NULL;
    size_t room = 0;
    unsigned number = 0;
    while (!s->debug->quit && !between_commands(s) && getline(&line, &room, f) > 0) {
        number++;
        line[strcspn(line, "\n")] = '\0';
        if (!execute(s, line)) {
            return lull_error_new(LULL_ERR_BAD_DATA,
                                  "%s:%u: '%s' failed; the rest of the script is not run", path,
                                  number, line);
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *run_scripts(struct session *s)
{
    struct lull_error *err = NULL;
    for (unsigned i = 0; err == NULL && i < s->nscripts && !s->debug->quit && !between_commands(s);
         i++) {
        if (s->scripts[i].file != NULL) {
            err = run_file(s, s->scripts[i].file);
        } else if (!execute(s, s->scripts[i].command)) {
            err = lull_error_new(LULL_ERR_BAD_DATA, "-ex '%s' failed", s->scripts[i].command);
        }
    }
    return err;
}

/* A signal that only ends what waits. */
static void nothing(int sig)
{
    (void)sig;
}

/* A line from the terminal or a pipe; NULL: the end, or Ctrl-C, which @p ret_interrupted tells. */
static char *read_line(bool terminal, bool *ret_interrupted)
{
    const struct sigaction end_the_read = {.sa_handler = nothing};
    struct sigaction before;
    char *line = NULL;
    size_t room = 0;
    *ret_interrupted = lull_host_interrupted(); // typed while the last command ran to its end
    if (*ret_interrupted) {
        return NULL;
    }
    sigaction(SIGINT, &end_the_read, &before);
    lull_host_interruptible(true);
    errno = 0;
    if (terminal) {
        line = readline("(lull) ");
    } else if (getline(&line, &room, stdin) < 0) {
        free(line);
        line = NULL;
    }
    *ret_interrupted = line == NULL && errno == EINTR;
    lull_host_interruptible(false);
    sigaction(SIGINT, &before, NULL);
    return line;
}

static void prompt(struct session *s)
{
    bool terminal = isatty(STDIN_FILENO) != 0;
    char last[1024] = "";
    while (!s->debug->quit) {
        bool interrupted = false;
        lull_cleanup(lull_freep) char *line = read_line(terminal, &interrupted);
        s->interrupted = !terminal && (s->interrupted || interrupted);
        if (line == NULL && terminal) {
            printf(interrupted ? "Quit\n" : "\n"); // gdb's word for a line that is given up
        }
        if (line == NULL && interrupted && terminal) {
            continue;
        }
        if (line == NULL) {
            return;
        }
        line[strcspn(line, "\n")] = '\0';
        if (terminal && line[0] != '\0') {
            add_history(line);
        }
        // As in gdb, an empty line does the last command again.
        const char *command = line[0] == '\0' && terminal ? last : line;
        (void)execute(s, command);
        if (command == line) {
            snprintf(last, sizeof last, "%s", line);
        }
    }
}

static void finish(struct session *s)
{
    lull_host_kill(&s->host);
    bool ours = s->attach == NULL; // else the processes go on without us
    if (ours && s->debug != NULL && s->debug->started && s->target->ops->kill != NULL) {
        lull_error_free(s->target->ops->kill(s->target));
    }
    if (s->debug != NULL) {
        lull_error_free(lull_agent_print(s->debug));
    }
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
    lull_options_done(&s->options);
    lull_amd_device_close(s->device);
    if (s->kernel != NULL) {
        s->kernel->destroy(s->kernel);
    }
    lull_program_done(&s->program);
    lull_host_close(&s->host);
    lull_xserver_close(&s->display);
}

LULL_MUST_USE static struct lull_error *check_files(struct session *s)
{
    for (unsigned i = 0; i < s->nscripts; i++) {
        lull_files_in(&s->options.files, s->scripts[i].file);
    }
    lull_files_in(&s->options.files, s->host.argv != NULL ? s->host.argv[0] : NULL);
    return lull_options_files(&s->options);
}

extern const struct lull_form lull_debug_form, lull_debug_pal_form;

/* What the command line says that it is for. */
static const struct lull_form *choose_form(int argc, char **argv)
{
    static const struct lull_opt_group any_groups[] = {
        {NULL, opts, 0},
        {NULL, lull_assume_opts, 0},
        {NULL, lull_options_opts, 0},
        {NULL, lull_options_kernel_opts, 0},
        {NULL, lull_printf_host_opts, 0},
        {NULL, lull_vk_work_opts, 0},
        {NULL, lull_vk_any_opts, 0},
        {NULL, pal_out_opts, 0},
        {NULL, lull_pal_file_opts, 0},
        {0},
    };
    static const struct lull_form any = {.groups = any_groups};
    return lull_pal_cli_is(&any, argc, argv) ? &lull_debug_pal_form : &lull_debug_form;
}

LULL_MUST_USE static struct lull_error *parse_pipeline(const struct lull_form *form,
                                                       struct session *s, int argc, char **argv)
{
    struct lull_opts o = {.form = form, .base = s};
    struct lull_error *err = lull_opts_parse(&o, argc, argv);
    return err != NULL ? err : lull_pal_run_check(&s->pal, &o);
}

LULL_MUST_USE static struct lull_error *open_session(struct session *s,
                                                     const struct lull_form *form, int argc,
                                                     char **argv)
{
    s->is_pal = form == &lull_debug_pal_form;
    struct lull_error *err =
        s->is_pal ? parse_pipeline(form, s, argc, argv) : parse(form, s, argc, argv);
    err = err != NULL ? err : check_files(s);
    if (err == NULL) {
        err = s->is_pal                                                ? prepare_pipeline(s)
              : s->host.argv != NULL || s->attach != NULL              ? prepare_program(s)
              : lull_debug_file_is(s->options.path, LULL_KIND_RD)      ? prepare_capture(s, NULL)
              : lull_debug_file_is(s->options.path, LULL_KIND_DEVCORE) ? prepare_dump(s)
                                                                       : prepare(s);
    }
    if (err == NULL) {
        s->debug->files = &s->options.files;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct session s = {.display.listener = -1};
    if (lull_assume_list(argc, argv)) {
        return NULL;
    }
    struct lull_error *err = open_session(&s, form, argc, argv);
    err = err != NULL ? err : run_scripts(&s);
    if (err == NULL && !s.batch && !s.debug->quit) {
        prompt(&s);
    }
    if (err == NULL) {
        *status = s.interrupted          ? LULL_EXIT_INTERRUPTED
                  : s.debug->status != 0 ? LULL_EXIT_FINDINGS
                                         : LULL_EXIT_CLEAN;
    }
    finish(&s);
    return err;
}

struct lull_debug_opened {
    struct session s;
    char **argv;
};

struct lull_error *lull_debug_opened_new(int argc, char **argv, struct lull_debug_opened **ret,
                                         struct lull_debug **ret_debug)
{
    struct lull_debug_opened *o = calloc(1, sizeof *o);
    if (o == NULL) {
        return &lull_enomem;
    }
    o->argv = argv;
    o->s.display.listener = -1;
    struct lull_error *err = open_session(&o->s, choose_form(argc, argv), argc, argv);
    if (err == NULL && o->s.nscripts != 0) {
        err = lull_error_new(LULL_ERR_INVALID, "-x and -ex are for a prompt");
    }
    if (err != NULL) {
        lull_debug_opened_free(o);
        return err;
    }
    *ret = o;
    *ret_debug = o->s.debug;
    return NULL;
}

void lull_debug_opened_after(struct lull_debug_opened *o)
{
    struct lull_error *err = lull_agent_print(o->s.debug);
    err = err != NULL ? err : show_printf(&o->s);
    err = err != NULL ? err : write_out(&o->s);
    if (err != NULL) {
        printf("%s\n", lull_error_message(err));
        lull_error_free(err);
    }
    fflush(stdout);
}

void lull_debug_opened_free(struct lull_debug_opened *o)
{
    if (o == NULL) {
        return;
    }
    finish(&o->s);
    for (char **at = o->argv; *at != NULL; at++) {
        free(*at);
    }
    free(o->argv);
    free(o);
}

const struct lull_form lull_debug_form = {
    .usage = "[OPTIONS] KERNEL | [OPTIONS] CAPTURE | [OPTIONS] DUMP | "
             "[OPTIONS] -- PROGRAM [ARGUMENTS] | "
             "[OPTIONS] --attach SOCKET",
    .groups = groups,
    .run = run,
};

const struct lull_form lull_debug_pal_form = {
    .about = "A compute pipeline (ELF for amdpal), of lull link or lull cc --layout: with -g its "
             "lines and variables are there.",
    .groups = pal_groups,
    .after = "  lull debug pipeline.elf --layout layout.json --groups 1 --bind 0.0=zeros:256 \\\n"
             "      -ex 'break shader.comp:12' -ex run -ex 'info locals'",
    .run = run,
};

LULL_MUST_USE static struct lull_error *run_any(int argc, char **argv, int *status)
{
    const struct lull_form *form = choose_form(argc, argv);
    return form->run(form, argc, argv, status);
}

const struct lull_command lull_cli_debug = {
    .name = "debug",
    .help = "run a kernel, a Vulkan program, an Adreno capture or crash dump under the debugger",
    .about =
        "KERNEL: OpenCL C (.cl), assembly (.s), LLVM IR (.ll), or a gfx1100 code object.\n"
        "PROGRAM: any program; it sees the virtual GPU, and all its dispatches and "
        "draws can be caught.\n"
        "CAPTURE: an rd capture with its contents, as of lull replay; its packets are stepped, "
        "too.\n"
        "DUMP: a crash dump (devcoredump) of an Adreno, which goes on where the GPU was.",
    .forms = (const struct lull_form *const[]){&lull_debug_form, &lull_debug_pal_form, NULL},
    .run = run_any,
    .after = "If not given: -O0, --timeout 1000; for a program no time-out.\n"
             "Commands are gdb's: break, run, start, stepi, continue, info waves, print $v3, "
             "x/8wx ADDR, disassemble, focus wave 3 lane 5, set $v2[5] = 7; 'help' lists them.\n\n"
             "  lull debug examples/loop.s --grid 256 --block 256 --arg zeros:1024:out=out.bin\n"
             "  lull debug -ex 'catch dispatch' -ex run -ex 'info descriptors' -- "
             "./my_vulkan_program\n"
             "  lull debug -ex 'break packet CP_BLIT' -ex run -ex 'info packets' capture.rd.gz\n"
             "  lull debug -ex 'info missing' -ex 'info packets' -ex continue crash.devcore",
};
