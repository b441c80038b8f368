// SPDX-License-Identifier: MIT
/* lull debug: the debugger's prompt, scripts and batch mode over src/debug/. */
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
#include "cli/opt/check_lines.h"
#include "cli/opt/command.h"
#include "cli/opt/gpu.h"
#include "cli/opt/host.h"
#include "cli/opt/layers.h"
#include "cli/opt/options.h"
#include "cli/run/debug_capture.h"
#include "cli/run/debug_dump.h"
#include "cli/run/debug_open.h"
#include "cli/run/debug_session.h"
#include "cli/run/debug_web.h"
#include "cli/run/display.h"
#include "cli/run/pal_run.h"
#include "cli/run/prompt.h"
#include "cli/run/record_program.h"
#include "compile/run.h"
#include "debug/session/agent.h"
#include "debug/session/packets.h"
#include "debug/shell/debugger.h"
#include "debug/shell/script.h"
#include "target/adreno/program.h"
#include "target/amd/debug.h"
#include "target/amd/program.h"
#include "vdrm/core/client.h"

enum { DUMP_TIMEOUT_MS = 5000 };

LULL_MUST_USE static struct lull_error *add_script(void *base, const struct lull_opt *o,
                                                   const char *value)
{
    struct lull_ds *s = base;
    if (s->nscripts == LULL_DS_MAX_SCRIPTS) {
        return lull_error_new(LULL_ERR_INVALID, "%s: more than %d", o->name, LULL_DS_MAX_SCRIPTS);
    }
    s->scripts[s->nscripts++] = strcmp(o->name, "-x") == 0 ? (struct lull_ds_script){.file = value}
                                : strcmp(o->name, "--lua") == 0
                                    ? (struct lull_ds_script){.lua = value}
                                    : (struct lull_ds_script){.command = value};
    return NULL;
}

static const struct lull_opt opts[] = {
    {"--gpu", NULL, "NAME",
     "the GPU that PROGRAM sees: gfx1100, as if not given, or an Adreno, a630, a660 or a740;\n"
     "the Adreno that replays CAPTURE, if not its own",
     LULL_OPT_TEXT, LULL_OPT_AT(struct lull_ds, host.gpu)},
    {"--attach", NULL, "SOCKET", "debug the programs of a running 'lull exec --socket SOCKET'",
     LULL_OPT_TEXT, LULL_OPT_AT(struct lull_ds, attach)},
    {"-x", NULL, "FILE", "run debugger commands from FILE first", LULL_OPT_CALL, .call = add_script,
     .flags = LULL_OPT_MANY},
    {"-ex", NULL, "COMMAND", "run one command", LULL_OPT_CALL, .call = add_script,
     .flags = LULL_OPT_MANY},
    {"--lua", NULL, "FILE", "run a Lua script over the session", LULL_OPT_CALL, .call = add_script,
     .flags = LULL_OPT_MANY},
    {"-nx", "--nx", NULL, "do not run the commands of ~/.lullinit first", LULL_OPT_FLAG,
     LULL_OPT_AT(struct lull_ds, no_init)},
    {"--lines", NULL, NULL,
     "of a program: the driver compiles each shader again, with one change at a time, "
     "which "
     "shows what line each instruction of its code is of",
     LULL_OPT_FLAG, LULL_OPT_AT(struct lull_ds, lines)},
    {"--noopt", NULL, NULL, "with --lines: RADV does not optimise compute shaders", LULL_OPT_FLAG,
     LULL_OPT_AT(struct lull_ds, noopt)},
    {"-batch", "--batch", NULL, "no prompt: leave after the scripts", LULL_OPT_FLAG,
     LULL_OPT_AT(struct lull_ds, batch)},
    {"--web", NULL, NULL,
     "no prompt: a page for a browser on this machine, whose address standard error says; Ctrl-C "
     "ends it",
     LULL_OPT_FLAG, LULL_OPT_AT(struct lull_ds, web)},
    {"--port", NULL, "N", "with --web: the port on 127.0.0.1; if not given, or 0, one that is free",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct lull_ds, web_port), .max = 65535},
    {"--firmware", NULL, "FILE", "of a crash dump: firmware of the SQE, to show what is at its PC",
     LULL_OPT_IN, LULL_OPT_AT(struct lull_ds, dump_how.firmware)},
    {"--zeros", NULL, NULL, "of a crash dump: buffers without contents are zeros", LULL_OPT_FLAG,
     LULL_OPT_AT(struct lull_ds, dump_how.zeros)},
    {"--echo", NULL, NULL, "print commands of scripts before their output", LULL_OPT_FLAG,
     LULL_OPT_AT(struct lull_ds, echo)},
    {"--replay", NULL, "FILE",
     "a kernel's dispatch as `record save` wrote it, instead of a kernel; it runs, and stands "
     "where it stood; before a kernel a schedule, as --schedule",
     LULL_OPT_IN, LULL_OPT_AT(struct lull_ds, replay)},
    {"KERNEL", .kind = LULL_OPT_IN, LULL_OPT_AT(struct lull_ds, options.path)},
    {"PROGRAM", .kind = LULL_OPT_REST, LULL_OPT_AT(struct lull_ds, host.argv)},
    {0},
};

// Of those above what pipelines have.
static const struct lull_opt pal_opts[] = {
    {"-x", NULL, "FILE", "run debugger commands from FILE first", LULL_OPT_CALL, .call = add_script,
     .flags = LULL_OPT_MANY},
    {"-ex", NULL, "COMMAND", "run one command", LULL_OPT_CALL, .call = add_script,
     .flags = LULL_OPT_MANY},
    {"--lua", NULL, "FILE", "run a Lua script over the session", LULL_OPT_CALL, .call = add_script,
     .flags = LULL_OPT_MANY},
    {"-batch", "--batch", NULL, "no prompt: leave after the scripts", LULL_OPT_FLAG,
     LULL_OPT_AT(struct lull_ds, batch)},
    {"--echo", NULL, NULL, "print commands of scripts before their output", LULL_OPT_FLAG,
     LULL_OPT_AT(struct lull_ds, echo)},
    {"--web", NULL, NULL, "no prompt: a page for a browser", LULL_OPT_FLAG,
     LULL_OPT_AT(struct lull_ds, web)},
    {"--port", NULL, "N", "with --web: the port on 127.0.0.1; if not given, or 0, one that is free",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct lull_ds, web_port), .max = 65535},
    {0},
};

static const struct lull_opt pal_out_opts[] = {
    {"--out", NULL, "PLACE=FILE", "write a resource (S.B, or a name) when the pipeline has ended",
     LULL_OPT_CALL, .call = lull_vk_options_out, .flags = LULL_OPT_MANY},
    {0},
};

static const struct lull_opt_group groups[] = {
    {NULL, opts, 0},
    {NULL, lull_assume_opts, offsetof(struct lull_ds, assume)},
    {NULL, lull_check_debug_opts, offsetof(struct lull_ds, check)},
    {NULL, lull_options_opts, offsetof(struct lull_ds, options)},
    {NULL, lull_engine_debug_opts, offsetof(struct lull_ds, options.engine)},
    {"For kernels:", lull_options_kernel_opts, offsetof(struct lull_ds, options)},
    {NULL, lull_schedule_opts, offsetof(struct lull_ds, options)},
    {NULL, lull_printf_host_opts, offsetof(struct lull_ds, options.printf)},
    {0},
};

static const struct lull_opt_group pal_groups[] = {
    {NULL, pal_opts, 0},
    {NULL, lull_vk_work_opts, offsetof(struct lull_ds, pal.o)},
    {NULL, lull_vk_any_opts, offsetof(struct lull_ds, pal.o)},
    {NULL, pal_out_opts, offsetof(struct lull_ds, pal.o)},
    {NULL, lull_pal_file_opts, offsetof(struct lull_ds, pal)},
    {0},
};

/** Options of printf for a program: the layer knows two of those that kernels have. */
LULL_MUST_USE static struct lull_error *check_printf(const struct lull_ds *s, const char *given)
{
    const struct lull_printf_host *p = &s->options.printf;
    if (s->host.argv != NULL && p->nflags == 0 && p->save == NULL) {
        const struct lull_printf_layer layer = {.wanted = p->wanted, .bytes = p->bytes};
        return lull_printf_layer_set(&layer, s->host.gpu, s->host.argv);
    }
    return lull_error_new(LULL_ERR_INVALID,
                          "%s: with a program there are --printf and --printf-size", given);
}

/** A gfx1100 of this process runs it. */
static bool is_here(const struct lull_ds *s)
{
    return s->attach == NULL && !lull_gpu_is_adreno(s->host.gpu) &&
           !lull_debug_is_left_behind(s->options.path);
}

/** One thing to debug, and options that mean something for it. */
LULL_MUST_USE static struct lull_error *check_options(const struct lull_ds *s,
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
    if (s->options.schedule != NULL && s->attach != NULL) {
        return lull_error_new(LULL_ERR_INVALID, "--schedule is not for --attach: lull exec has it");
    }
    if (s->options.path == NULL && printf != NULL) {
        struct lull_error *err = check_printf(s, printf);
        if (err != NULL) {
            return err;
        }
    }
    if (s->host.gpu != NULL && !host && !lull_debug_is_left_behind(s->options.path)) {
        return lull_error_new(LULL_ERR_INVALID,
                              "--gpu is for a program, which stands behind --, a capture, or a "
                              "crash dump");
    }
    if (s->host.gpu != NULL && !lull_gpu_is_own(s->host.gpu)) {
        return lull_error_new(LULL_ERR_INVALID, "--gpu %s: there are gfx1100, a630, a660 and a740",
                              s->host.gpu);
    }
    if (s->options.engine.kind != 0 && !is_here(s)) {
        return lull_error_new(LULL_ERR_INVALID,
                              "--engine is for gfx1100 in this process: a kernel or a program");
    }
    struct lull_error *err = s->lines || s->noopt
                                 ? lull_lines_layer_set(s->lines && host, s->noopt, s->host.gpu)
                             : host ? lull_check_lines_set(&s->check, s->host.gpu)
                                    : NULL;
    err = err == NULL && host ? lull_check_marks_set(&s->check) : err;
    if (err == NULL && !host && s->options.path == NULL && s->attach == NULL) {
        err = lull_error_new(LULL_ERR_INVALID, "no KERNEL given, and no PROGRAM behind --");
    }
    return err != NULL ? err : lull_assume_check(&s->assume, s->host.gpu);
}

LULL_MUST_USE static struct lull_error *parse(const struct lull_form *form, struct lull_ds *s,
                                              int argc, char **argv)
{
    struct lull_opts o = {.form = form, .base = s};
    struct lull_error *err = lull_opts_parse(&o, argc, argv);
    err = err != NULL ? err : lull_ds_replay(s, &o);
    return err != NULL ? err : check_options(s, &o);
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
LULL_MUST_USE static struct lull_error *write_out(struct lull_ds *s)
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

/* Behind a command: what printf has printed, the buffers of a kernel that is done. */
LULL_MUST_USE static struct lull_error *behind_command(struct lull_ds *s)
{
    lull_error_free(lull_agent_print(s->debug)); // It comes again.
    struct lull_error *err = lull_ds_show_printf(s);
    if (s->options.printf.middle) { // the debugger's own lines begin on their own
        putchar('\n');
        s->options.printf.middle = false;
    }
    return err;
}

/* One command; its output. False if it failed: the message is on stderr. */
static bool execute(struct lull_ds *s, const char *line)
{
    lull_cleanup(lull_str_free) struct lull_str out = {0}, shown = {0};
    if (s->echo) {
        printf("(lull) %s\n", line);
        fflush(stdout); // in front of what the program prints
    }
    struct lull_error *err = lull_debug_command(s->debug, line, &out);
    struct lull_error *late = behind_command(s);
    if (err == NULL) {
        err = late;
    } else {
        lull_error_free(late);
    }
    lull_str_printable(&shown, lull_str_text(&out), out.size); // names are the program's
    if (s->debug->json) {
        fputs(lull_str_text(&shown), stdout);
    } else {
        struct lull_terminal t = s->terminal;
        t.ask = s->debug->no_pages ? NULL : t.ask;
        lull_terminal_write(&t, lull_str_text(&shown));
    }
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
LULL_MUST_USE static struct lull_error *prepare_dump(struct lull_ds *s)
{
    struct lull_error *err = lull_debug_dump_open(s->options.path, &s->dump_how, &s->dump);
    err = err != NULL ? err : lull_ds_capture(s, &s->dump.capture);
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
static bool between_commands(struct lull_ds *s)
{
    s->interrupted_between = s->interrupted_between || lull_ds_asked_to_stop(s);
    return s->interrupted_between;
}

/* A command of a script; its message is on stderr. */
LULL_MUST_USE static struct lull_error *script_command(void *ctx, const char *line)
{
    struct lull_ds *s = ctx;
    s->shown = !execute(s, line);
    return s->shown ? lull_error_new(LULL_ERR_BAD_DATA,
                                     "'%s' failed; the rest of the script is not run", line)
                    : NULL;
}

static void script_show(void *ctx, const char *text)
{
    (void)ctx;
    fputs(text, stdout);
}

static bool script_ends(void *ctx)
{
    return between_commands(ctx);
}

/* A command of a Lua script: as text, with --json, too. */
LULL_MUST_USE static struct lull_error *lua_command(void *ctx, const char *line,
                                                    struct lull_str *out)
{
    struct lull_ds *s = ctx;
    const bool json = s->debug->json;
    s->debug->json = false;
    struct lull_error *err = lull_debug_command(s->debug, line, out);
    s->debug->json = json;
    struct lull_error *late = behind_command(s);
    late = late != NULL ? late : write_out(s);
    if (err != NULL) {
        lull_error_free(late);
        return err;
    }
    return late;
}

static void lua_show(void *ctx, const char *text, size_t size)
{
    lull_cleanup(lull_str_free) struct lull_str shown = {0};
    const struct lull_ds *s = ctx;
    lull_str_printable(&shown, text, size);
    if (s->debug->json) {
        lull_cleanup(lull_str_free) struct lull_str object = {0};
        struct lull_json json = {.out = &object};
        lull_json_open(&json, '{');
        lull_json_put_str(&json, "command", "lua");
        lull_json_put_str(&json, "text", lull_str_text(&shown));
        lull_json_close(&json, '}');
        puts(lull_str_text(&object));
        fflush(stdout);
        return;
    }
    fputs(lull_str_text(&shown), stdout);
    fflush(stdout);
}

LULL_MUST_USE static struct lull_error *script_lua(void *ctx, const char *path, const char *text)
{
    struct lull_ds *s = ctx;
    const struct lull_lua_host host = {lua_command, lua_show, script_ends, s};
    struct lull_error *err = s->lua == NULL ? lull_lua_new(s->debug, &host, &s->lua) : NULL;
    return err != NULL    ? err
           : path != NULL ? lull_lua_file(s->lua, path)
                          : lull_lua_text(s->lua, text);
}

/* One line of -ex or of the prompt. */
LULL_MUST_USE static struct lull_error *do_line(struct lull_ds *s, const char *line)
{
    s->shown = false;
    struct lull_error *err = lull_script_line(s->script, line);
    if (err != NULL && !s->shown) {
        if (s->options.json) {
            print_error(line, lull_error_message(err));
        }
        fprintf(stderr, "%s\n", lull_error_message(err));
    }
    return err;
}

/* What the user always wants: ~/.lullinit. */
LULL_MUST_USE static struct lull_error *run_init(struct lull_ds *s)
{
    const char *home = getenv("HOME");
    lull_cleanup(lull_str_free) struct lull_str path = {0};
    lull_str_addf(&path, "%s/.lullinit", home != NULL ? home : "");
    return !s->no_init && home != NULL && access(lull_str_text(&path), F_OK) == 0
               ? lull_script_file(s->script, lull_str_text(&path))
               : NULL;
}

/** The dispatch is held; or its first wave stands, and from there it is known what all do. */
static void stand_in_program(struct lull_ds *s)
{
    lull_cleanup(lull_str_free) struct lull_str first = {0};
    lull_error_free(do_line(s, "catch dispatch"));
    lull_error_free(do_line(s, "run"));
    if (!s->replay_stood || s->debug->outcome != LULL_OUT_HELD) {
        return;
    }
    lull_str_addf(&first, "tbreak *0x%" PRIx64, s->debug->dispatch.code_va);
    lull_error_free(do_line(s, lull_str_text(&first)));
    lull_error_free(do_line(s, "continue"));
    struct lull_error *err = lull_debug_travel_to_place(s->debug, &s->replay_place);
    if (err != NULL) {
        fprintf(stderr, "lull debug: %s: %s\n", s->replay, lull_error_message(err));
        lull_error_free(err);
    } else {
        lull_error_free(do_line(s, "frame"));
    }
}

/** A record runs, and goes back to where it was. */
static void stand_as_recorded(struct lull_ds *s)
{
    lull_cleanup(lull_str_free) struct lull_str there = {0};
    if (s->replay_program || s->replay_capture) {
        stand_in_program(s);
        return;
    }
    lull_error_free(do_line(s, "run")); // It may end with a fault: that was recorded, too.
    if (s->replayed.has_time) {
        lull_str_addf(&there, "goto %" PRIu64, s->replayed.time);
        lull_error_free(do_line(s, lull_str_text(&there)));
    }
}

LULL_MUST_USE static struct lull_error *run_scripts(struct lull_ds *s)
{
    struct lull_error *err = lull_script_new(s->debug, &s->script_host, &s->script);
    err = err != NULL ? err : run_init(s);
    if (err == NULL && s->replay != NULL) {
        stand_as_recorded(s);
    }
    for (unsigned i = 0; err == NULL && i < s->nscripts && !s->debug->quit && !between_commands(s);
         i++) {
        if (s->scripts[i].file != NULL) {
            err = lull_script_file(s->script, s->scripts[i].file);
            continue;
        }
        if (s->scripts[i].lua != NULL) {
            err = script_lua(s, s->scripts[i].lua, NULL);
            continue;
        }
        struct lull_error *line = do_line(s, s->scripts[i].command);
        if (line != NULL) {
            err = lull_error_new(LULL_ERR_BAD_DATA, "-ex '%s' failed", s->scripts[i].command);
            lull_error_free(line);
        }
    }
    return err;
}

static void complete(void *ctx, const char *line, void (*found)(void *to, const char *word),
                     void *to)
{
    const struct lull_ds *s = ctx;
    lull_debug_complete(s->debug, line, found, to);
    lull_script_users(s->script, found, to);
}

static void prompt(struct lull_ds *s)
{
    struct lull_prompt p = {.complete = complete, .ctx = s};
    lull_prompt_open(&p);
    s->terminal.ask = p.terminal && isatty(STDOUT_FILENO) != 0 ? lull_prompt_more : NULL;
    while (!s->debug->quit && !s->web) {
        bool interrupted = false;
        const bool waits = lull_script_waits(s->script);
        lull_cleanup(lull_freep) char *line =
            lull_prompt_line(&p, waits ? ">" : "(lull) ", !waits, &interrupted);
        s->interrupted = !p.terminal && (s->interrupted || interrupted);
        if (line == NULL && interrupted && p.terminal) {
            continue;
        }
        if (line == NULL) {
            break;
        }
        lull_error_free(do_line(s, line));
    }
    lull_prompt_close(&p);
}

/* Commands of a browser are done. */
static void after_web(void *ctx)
{
    struct lull_ds *s = ctx;
    struct lull_error *err = behind_command(s);
    err = err != NULL ? err : write_out(s);
    if (err != NULL) {
        fprintf(stderr, "%s\n", lull_error_message(err));
        lull_error_free(err);
    }
    fflush(stdout);
}

/* What the user sees behind the scripts: a page, or a prompt. */
LULL_MUST_USE static struct lull_error *interact(struct lull_ds *s)
{
    if (!s->web) {
        prompt(s);
    }
    if (s->web && !s->debug->quit) {
        struct lull_error *err = lull_ds_web(s, after_web);
        s->interrupted = false; // Ctrl-C is the way to end it.
        return err;
    }
    return NULL;
}

/* A command asks for a page. */
LULL_MUST_USE static struct lull_error *ask_for_web(void *ctx, unsigned port)
{
    struct lull_ds *s = ctx;
    if (s->batch) {
        return lull_error_new(LULL_ERR_INVALID,
                              "web and -batch: a page, or an end behind the commands");
    }
    s->debug->shell = NULL; // Whoever has a page's address does not have this machine.
    s->web = true;
    s->web_port = port;
    return NULL;
}

LULL_MUST_USE static struct lull_error *check_files(struct lull_ds *s)
{
    for (unsigned i = 0; i < s->nscripts; i++) {
        lull_files_in(&s->options.files, s->scripts[i].file);
        lull_files_in(&s->options.files, s->scripts[i].lua);
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
        {NULL, lull_check_debug_opts, 0},
        {NULL, lull_options_opts, 0},
        {NULL, lull_options_kernel_opts, 0},
        {NULL, lull_schedule_opts, 0},
        {NULL, lull_printf_host_opts, 0},
        {NULL, lull_vk_work_opts, 0},
        {NULL, lull_vk_any_opts, 0},
        {NULL, pal_out_opts, 0},
        {NULL, lull_pal_file_opts, 0},
        {0},
    };
    static const struct lull_form any = {.groups = any_groups};
    for (int i = 0; i < argc; i++) { // Behind it stands a program, and what is its own.
        if (strcmp(argv[i], "--") == 0) {
            return &lull_debug_form;
        }
    }
    return lull_pal_cli_is(&any, argc, argv) ? &lull_debug_pal_form : &lull_debug_form;
}

LULL_MUST_USE static struct lull_error *parse_pipeline(const struct lull_form *form,
                                                       struct lull_ds *s, int argc, char **argv)
{
    struct lull_opts o = {.form = form, .base = s};
    struct lull_error *err = lull_opts_parse(&o, argc, argv);
    return err != NULL ? err : lull_pal_run_check(&s->pal, &o);
}

LULL_MUST_USE static struct lull_error *check_web(const struct lull_ds *s)
{
    return s->web_port != 0 && !s->web ? lull_error_new(LULL_ERR_INVALID, "--port is for --web")
           : s->web && s->batch
               ? lull_error_new(LULL_ERR_INVALID, "--web and -batch: a page, or an end behind the "
                                                  "scripts")
               : NULL;
}

LULL_MUST_USE static struct lull_error *open_session(struct lull_ds *s,
                                                     const struct lull_form *form, int argc,
                                                     char **argv)
{
    s->is_pal = form == &lull_debug_pal_form;
    struct lull_error *err =
        s->is_pal ? parse_pipeline(form, s, argc, argv) : parse(form, s, argc, argv);
    err = err != NULL ? err : check_web(s);
    err = err != NULL ? err : check_files(s);
    if (err == NULL) {
        err = s->is_pal                                                ? lull_ds_pipeline(s)
              : s->host.argv != NULL || s->attach != NULL              ? lull_ds_program(s)
              : lull_debug_file_is(s->options.path, LULL_KIND_RD)      ? lull_ds_capture(s, NULL)
              : lull_debug_file_is(s->options.path, LULL_KIND_DEVCORE) ? prepare_dump(s)
                                                                       : lull_ds_kernel(s);
    }
    if (err == NULL) {
        s->debug->files = &s->options.files;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct lull_ds s = {.display.listener = -1};
    s.script_host =
        (struct lull_script_host){script_command, script_lua, script_show, script_ends, &s};
    if (lull_assume_list(argc, argv)) {
        return NULL;
    }
    lull_terminal_open(&s.terminal);
    struct lull_error *err = open_session(&s, form, argc, argv);
    if (err == NULL && !s.web) { // Whoever has a page's address does not have this machine.
        s.debug->shell = lull_prompt_shell;
        s.debug->web = ask_for_web;
    }
    err = err != NULL ? err : run_scripts(&s);
    if (err == NULL && !s.batch && !s.debug->quit) {
        err = interact(&s);
    }
    if (err == NULL) {
        *status = s.interrupted          ? LULL_EXIT_INTERRUPTED
                  : s.debug->status != 0 ? LULL_EXIT_FINDINGS
                                         : LULL_EXIT_CLEAN;
    }
    lull_ds_finish(&s);
    return err;
}

struct lull_debug_opened {
    struct lull_ds s;
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
    if (err == NULL && (o->s.nscripts != 0 || o->s.web)) {
        err = lull_error_new(LULL_ERR_INVALID, "-x, -ex, --lua and --web are for a prompt");
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
    err = err != NULL ? err : lull_ds_show_printf(&o->s);
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
    lull_ds_finish(&o->s);
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
