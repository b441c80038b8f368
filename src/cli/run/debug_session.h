// SPDX-License-Identifier: MIT
/** @file
 * A session of `lull debug` or `lull dap`: what is debugged, and what the command line says.
 * Between cmd_debug.c, which has options, scripts and the prompt, and debug_prepare.c, which opens
 * it.
 */
#ifndef LULL_CLI_RUN_DEBUG_SESSION_H
#define LULL_CLI_RUN_DEBUG_SESSION_H

#include "cli/opt/assume.h"
#include "cli/opt/check.h"
#include "cli/opt/host.h"
#include "cli/opt/options.h"
#include "cli/run/debug_capture.h"
#include "cli/run/debug_dump.h"
#include "cli/run/display.h"
#include "cli/run/pal_run.h"
#include "cli/run/record.h"
#include "cli/run/terminal.h"
#include "debug/lua/lua_session.h"
#include "debug/session/debug.h"
#include "debug/session/reverse.h"
#include "debug/shell/script.h"

enum { LULL_DS_MAX_SCRIPTS = 64 };

struct lull_ds_script {
    const char *file;    ///< -x, or
    const char *lua;     ///< --lua, or
    const char *command; ///< -ex
};

struct lull_ds {
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
    struct lull_host host;             ///< If a program is debugged: argv is set.
    struct lull_check check;           ///< Of a kernel or a program.
    size_t check_first, check_count;   ///< Findings since waves went on last; all, as seen last.
    size_t hazard_first, hazard_count; ///< The same of hazards.
    char *check_those, *check_stops;   ///< lull_debug.check_only; NULL: all stop. Owned.
    size_t check_lined;                ///< Findings when lines were looked for.
    bool check_judged;                 ///< What the program called has been looked at.
    unsigned check_resumes;            ///< lull_debug.resumes then.
    struct lull_assume assume;         ///< Of the GPU that PROGRAM sees.
    const char *attach;                ///< Socket of a lull exec.
    struct lull_xserver display;       ///< Of a program, where there is none.
    struct lull_ds_script scripts[LULL_DS_MAX_SCRIPTS];
    unsigned nscripts;
    bool batch, echo, wrote;
    bool interrupted;         ///< Ctrl-C has stopped something.
    bool interrupted_between; ///< ... and no wave: the scripts end.
    struct lull_pal_run pal;  ///< A pipeline, with device and kernel of its own:
    bool is_pal;              ///< ... it is debugged.
    struct lull_image *image; ///< Lines and symbols of that.
    const char *replay;       ///< A record; NULL: none.
    bool replay_capture;      ///< ... of a dispatch on an Adreno;
    bool replay_program;      ///< ... of a program's dispatch; host.argv runs it again:
    char *replay_argv[8];     ///< Owned, but for the constant words.
    bool replay_stood;        ///< A wave stood there:
    struct lull_debug_place replay_place;
    struct lull_replayed replayed; ///< What was in it.
    bool no_init;                  ///< ~/.lullinit is not read.
    bool lines, noopt;             ///< Of a program: VK_LAYER_LULL_lines, and how it compiles.
    bool web;                      ///< Served to browsers instead of a prompt,
    unsigned web_port;             ///< on this port; 0: one that is free.
    bool shown;                    ///< The message of the last line that failed.
    struct lull_terminal terminal; ///< Where commands are shown.
    struct lull_script_host script_host;
    struct lull_script *script;
    struct lull_lua *lua; ///< Once a script wanted it. Owned.
    bool ran;             ///< The kernel has run: buffers are not as they were made.
};

/** --replay: a record is the kernel or program, with its options; a schedule goes with either. */
struct lull_error *lull_ds_replay(struct lull_ds *s, const struct lull_opts *o) LULL_MUST_USE;
/** Open what is debugged, by kind: a program or a socket; a capture, whose bytes are @p bytes,
 * NULL: in its file; a linked pipeline; a kernel. */
struct lull_error *lull_ds_program(struct lull_ds *s) LULL_MUST_USE;
struct lull_error *lull_ds_capture(struct lull_ds *s, const struct lull_str *bytes) LULL_MUST_USE;
struct lull_error *lull_ds_pipeline(struct lull_ds *s) LULL_MUST_USE;
struct lull_error *lull_ds_kernel(struct lull_ds *s) LULL_MUST_USE;
/** All of it ends; what runs is stopped, if it is ours. */
void lull_ds_finish(struct lull_ds *s);

/** Lines of printf that came since the last time. */
struct lull_error *lull_ds_show_printf(struct lull_ds *s) LULL_MUST_USE;
/** Has the user asked to stop? @p ctx: the session. */
bool lull_ds_asked_to_stop(void *ctx);

#endif
