// SPDX-License-Identifier: MIT
/** @file
 * What commands share: their arguments, what they say of stops, code and values. For
 * src/debug/shell/ only.
 */
#ifndef LULL_DEBUG_SHELL_SHELL_H
#define LULL_DEBUG_SHELL_SHELL_H

#include "base/json.h"
#include "debug/session/bindings.h"
#include "debug/session/engine.h"
#include "debug/session/pipeline.h"
#include "tex/descriptor.h"

/** What a command gets. Text goes to out; JSON members into json, which is open as an object. */
struct lull_cmd {
    struct lull_debug *d;
    const char *args; ///< After the command's name, without leading space.
    char format;      ///< From "print/x": 'x', or 0.
    unsigned count;   ///< From "x/8": 8, or 0.
    char size;        ///< From "x/8wx": 'b' 'h' 'w' 'g', or 0.
    struct lull_str *out;
    struct lull_json *json; ///< NULL: text is wanted.
    /** Another command line, for those that do one for each wave. */
    struct lull_error *(*command)(struct lull_debug *d, const char *line, struct lull_str *out);
};

typedef struct lull_error *lull_cmd_fn(struct lull_cmd *c);

/** Tell the user what the last resume ended with. */
struct lull_error *lull_debug_report(struct lull_cmd *c) LULL_MUST_USE;
/** Where and why the focused wave stands, its next instruction, the displays. */
struct lull_error *lull_debug_show_stop(struct lull_cmd *c) LULL_MUST_USE;
/** Old and new value of the watchpoint that was hit, if one was. */
struct lull_error *lull_debug_show_watch(struct lull_cmd *c) LULL_MUST_USE;
/** ", lane 7", ", lanes 1 3-5", or nothing. */
void lull_debug_show_lanes(uint64_t lanes, struct lull_str *out);
/** "float exception: division by zero": @p excp is of enum lull_exception. */
void lull_debug_show_exceptions(uint32_t excp, struct lull_str *out);
/** The instruction that raised what @p wave stands for, and the lanes that show it. */
struct lull_error *lull_debug_show_raised(struct lull_cmd *c,
                                          const struct lull_debug_wave *wave) LULL_MUST_USE;
/** New catchpoint: the words that follow "catch fp". */
struct lull_error *lull_cmd_catch_fp(struct lull_cmd *c, const char *what) LULL_MUST_USE;
/** Which lanes a memory violation hit and what refused them. */
struct lull_error *lull_debug_show_fault(struct lull_cmd *c,
                                         const struct lull_debug_wave *wave) LULL_MUST_USE;
/** Where and why the command processor stands, and the packet. */
struct lull_error *lull_debug_show_packet(struct lull_cmd *c) LULL_MUST_USE;
/** New breakpoint: the words that follow "break packet". */
struct lull_error *lull_cmd_break_packet(struct lull_cmd *c, const char *what,
                                         bool temporary) LULL_MUST_USE;
/** Does the focused wave stand in the driver's code, with lines that are known? */
bool lull_debug_is_beside(struct lull_debug *d);
/** Variables there: those of the function, what it was called with, or the one that c->args names,
 * or a part of it. *@p ret_done: there is such a one, and it was shown. */
struct lull_error *lull_debug_locals_beside(struct lull_cmd *c) LULL_MUST_USE;
struct lull_error *lull_debug_args_beside(struct lull_cmd *c) LULL_MUST_USE;
struct lull_error *lull_debug_print_beside(struct lull_cmd *c, bool *ret_done) LULL_MUST_USE;
/** How sure those are that expressions have read since the last call. */
void lull_debug_show_used_beside(struct lull_cmd *c);
/** One line about the held dispatch. */
void lull_debug_show_held(struct lull_cmd *c);
/** The same about the held draw. */
void lull_debug_show_held_draw(struct lull_cmd *c);
/** Level and layer of an image that a draw draws to. */
struct lull_draw_view {
    struct lull_image_desc image;
    unsigned level, slice;
};
/** @p what: "target", of which @p n; "depth", "stencil": of the draw that is held, or was last. */
struct lull_error *lull_debug_draw_image(struct lull_debug *d, const char *what, unsigned n,
                                         struct lull_draw_view *ret) LULL_MUST_USE;
/** The stage @p what ("hs", "gs", "ps"; "vs", "fs") of the draw that is held, or was last, as
 * lull_debug_bindings() takes it; on an Adreno "" is that of the wave, or of what came last. False:
 * @p what is not a stage. */
bool lull_debug_draw_stage(struct lull_debug *d, const char *what, struct lull_dispatch_info *ret,
                           struct lull_error **ret_err);
/** "cs_12345678, 4x1x1 workgroups of 64x1x1, wave64, gfx, process 12" */
void lull_dispatch_line(struct lull_debug *d, const struct lull_dispatch_info *i,
                        struct lull_str *out);
/** "36 indices, 1 instance, gs_12345678 ps_9abcdef0 of "glass" [scene], frame 3, process 12" */
void lull_draw_line(struct lull_debug *d, const struct lull_draw_info *i, struct lull_str *out);
/** Who wrote @p size bytes at @p va, which are @p text, last; before what can be gone back to, or
 * ever. LULL_ERR_UNSUPPORTED: nothing is noted. */
struct lull_error *lull_debug_show_writers(struct lull_cmd *c, const char *text, uint64_t va,
                                           uint64_t size, bool before) LULL_MUST_USE;
/** A line: which pixel, and who exported it. */
void lull_debug_show_pixel(struct lull_cmd *c, const struct lull_wrote *by);
/** The same in a few words, of a place that has @p value and was not written since; false: nothing
 * is known, and said. */
bool lull_debug_show_before(struct lull_cmd *c, uint64_t va, unsigned size, uint64_t value);
/** Member "before" of an object. */
void lull_debug_json_before(struct lull_cmd *c, uint64_t va, unsigned size);
struct lull_dispatch_names;
/** "recorded by f() at main.c:8, submitted by ...", a line, if the record says it; members of JSON.
 */
void lull_debug_show_calls(struct lull_cmd *c, const struct lull_dispatch_names *n);
/** The same as backtraces. */
void lull_debug_show_stacks(struct lull_cmd *c, const struct lull_dispatch_names *n);
/** New catchpoint: the words that follow "catch dispatch". */
struct lull_error *lull_cmd_catch_dispatch(struct lull_cmd *c, const char *what,
                                           bool temporary) LULL_MUST_USE;
/** "=> address <symbol>: text" of one instruction, and an object for JSON if @p json is there. @p
 * ret_size: its bytes. */
struct lull_error *lull_debug_show_insn(struct lull_cmd *c, uint64_t va, bool here, unsigned lanes,
                                        unsigned *ret_size, struct lull_json *json) LULL_MUST_USE;
enum { LULL_LINE_ROOM = 512 };
/** Text of line @p line of @p file without its newline; false if there is none. */
bool lull_debug_source_text(const char *file, uint32_t line, char text[LULL_LINE_ROOM]);
const char *lull_stop_name(enum lull_stop stop);
/** "vertex". */
const char *lull_draw_stage_name(enum lull_draw_stage stage);
/** "vertex 5, instance 0", "pixel 12,7, primitive 3". */
void lull_debug_show_invocation(const struct lull_invocation *i, struct lull_str *out);
/** Member "invocation". @p json may be NULL. */
void lull_debug_json_invocation(const struct lull_invocation *i, struct lull_json *json);
/** Members "draw" and "stage" of a wave of a draw. @p json may be NULL. */
void lull_debug_json_work(const struct lull_wave_info *i, struct lull_json *json);
/** "PDB2" ... "PTB". */
const char *lull_walk_level_name(unsigned level);
/** Page-table walk in words: every level, every bit. @p json may be NULL. */
void lull_walk_show(const struct lull_walk *walk, struct lull_str *out, struct lull_json *json);

// Commands, by file.
/** Back in time to breakpoint @p number, which is deleted; no other stops meanwhile. */
struct lull_error *lull_cmd_back_to(struct lull_cmd *c, unsigned number) LULL_MUST_USE;

lull_cmd_fn lull_cmd_break, lull_cmd_dprintf, lull_cmd_tbreak, lull_cmd_delete, lull_cmd_enable,
    lull_cmd_disable, lull_cmd_condition, lull_cmd_ignore, lull_cmd_info_breakpoints,
    lull_cmd_info_watchpoints, lull_cmd_shell;
lull_cmd_fn lull_cmd_catch, lull_cmd_info_dispatch, lull_cmd_info_dispatches,
    lull_cmd_info_pipeline, lull_cmd_info_descriptors, lull_cmd_info_push_constants,
    lull_cmd_info_packets, lull_cmd_info_regs, lull_cmd_info_submits;
lull_cmd_fn lull_cmd_info_draws, lull_cmd_info_draw, lull_cmd_pixel;
lull_cmd_fn lull_cmd_debug, lull_cmd_vertex, lull_cmd_primitive;
lull_cmd_fn lull_cmd_watch, lull_cmd_rwatch, lull_cmd_awatch, lull_cmd_source;
lull_cmd_fn lull_cmd_frame, lull_cmd_up, lull_cmd_down, lull_cmd_other, lull_cmd_web;
lull_cmd_fn lull_cmd_finish, lull_cmd_backtrace, lull_cmd_info_source, lull_cmd_info_access;
lull_cmd_fn lull_cmd_run, lull_cmd_start, lull_cmd_continue, lull_cmd_stepi, lull_cmd_nexti,
    lull_cmd_stepp, lull_cmd_nextp, lull_cmd_reverse, lull_cmd_step, lull_cmd_next, lull_cmd_until,
    lull_cmd_interrupt, lull_cmd_kill;
lull_cmd_fn lull_cmd_info_scope, lull_cmd_info_locals, lull_cmd_info_args, lull_cmd_ptype,
    lull_cmd_whatis;
lull_cmd_fn lull_cmd_record;
lull_cmd_fn lull_cmd_why, lull_cmd_info_writer;
lull_cmd_fn lull_cmd_rc, lull_cmd_rsi, lull_cmd_rni, lull_cmd_rs, lull_cmd_rn, lull_cmd_goto,
    lull_cmd_when;
/** @p args of `set record-memory`. */
struct lull_error *lull_cmd_set_record_memory(struct lull_cmd *c, const char *args) LULL_MUST_USE;
/** @p args of `set record-writers`. */
struct lull_error *lull_cmd_set_record_writers(struct lull_cmd *c, const char *args) LULL_MUST_USE;
lull_cmd_fn lull_cmd_info, lull_cmd_focus, lull_cmd_wave, lull_cmd_lane, lull_cmd_workgroup;
lull_cmd_fn lull_cmd_print, lull_cmd_set, lull_cmd_x, lull_cmd_disassemble, lull_cmd_list,
    lull_cmd_display, lull_cmd_undisplay, lull_cmd_dump, lull_cmd_vm, lull_cmd_echo, lull_cmd_show;

lull_cmd_fn lull_cmd_info_address, lull_cmd_info_frame, lull_cmd_info_functions,
    lull_cmd_info_types, lull_cmd_info_variables;
/** Of `frame apply` and `thread apply`. */
struct lull_cmd_flags {
    bool quiet;   ///< -q: no line in front.
    bool goes_on; ///< -c: an error is shown, and the next comes.
    bool silent;  ///< -s: where there is an error, nothing is shown.
};
void lull_cmd_take_flags(const char **at, struct lull_cmd_flags *ret);
/** Run @p command, and show @p header and what it says. */
struct lull_error *lull_cmd_apply_one(struct lull_cmd *c, const char *command,
                                      const struct lull_cmd_flags *flags,
                                      struct lull_str *header) LULL_MUST_USE;
lull_cmd_fn lull_cmd_thread, lull_cmd_clear;
/** A command of gdb's about signals and files of a process, which are not here. */
bool lull_cmd_is_gdbs(const char *line);
/** @p line with a word of gdb's in front, said in lull's words; false: it has none. */
bool lull_cmd_said_here(const char *line, struct lull_str *ret);
/** For a command of gdb's that lull has not: an error that says what it has; NULL: it is none. */
/** "-source FILE -line N", "-function NAME", in front of a command's arguments: the place as
 * FILE:N, FILE:NAME, NAME, and what stands behind. False: it is not said so. */
bool lull_cmd_explicit(const char *args, struct lull_str *ret);
struct lull_error *lull_cmd_not_here(const char *line) LULL_MUST_USE;
/** A setting of gdb that means nothing here, or is always so: scripts begin with them. */
bool lull_cmd_gdb_setting(const char *args);

lull_cmd_fn lull_cmd_output, lull_cmd_printf, lull_cmd_save;

lull_cmd_fn lull_cmd_lanes, lull_cmd_table;
struct lull_lines;
/** `info lines`; `info line PLACE`, which means @p va, in code from @p start on whose lines are @p
 * l.
 */
struct lull_error *lull_cmd_info_lines(struct lull_cmd *c, const char *args) LULL_MUST_USE;
struct lull_error *lull_debug_show_lines(struct lull_cmd *c, const struct lull_lines *l,
                                         uint64_t start, uint64_t va,
                                         const char *place) LULL_MUST_USE;
/** Where the held dispatch begins that has waves no more than to come: the first code of it whose
 * line is known. False: none is held, or no line is known. */
bool lull_debug_held_begin(const struct lull_debug *d, uint64_t *ret_va);
/** As of `info waves`. */
struct lull_error *lull_cmd_info_waves(struct lull_cmd *c, const char *args) LULL_MUST_USE;
/** Waves in which the expression @p text is true in some active lane. */
struct lull_error *lull_cmd_wave_where(struct lull_cmd *c, const char *text) LULL_MUST_USE;
/** A row of `info lanes`. */
void lull_debug_show_lane(struct lull_cmd *c, const struct lull_wave_info *w, unsigned lane);

/** Name of command @p i, of word @p i of `info`; NULL: there are no more. */
const char *lull_cmd_name(size_t i);
const char *lull_cmd_info_word(size_t i);
/** Is it a command's name or short form? */
bool lull_debug_is_command(const char *name);

/** Decimal or hexadecimal number at @p at, which is moved behind it and following space. */
bool lull_cmd_number(const char **at, uint64_t *ret);
/** All of @p text as a number from @p least to @p most; else an error that says so. */
struct lull_error *lull_cmd_count(const char *text, uint64_t least, uint64_t most,
                                  uint64_t *ret) LULL_MUST_USE;
/** True, and @p at moved behind it and following space, if the word @p word stands there. */
bool lull_cmd_word(const char **at, const char *word);
/** "sample S" and the like. */
struct lull_cmd_option {
    const char *word;
    uint64_t most;
    uint64_t *to;
};
/** All of @p at are such options, in any order. */
bool lull_cmd_options(const char *at, const struct lull_cmd_option *options, size_t n);
/** The value of @p e and a newline; members of JSON. */
struct lull_error *lull_debug_show_expr(struct lull_cmd *c,
                                        const struct lull_expr *e) LULL_MUST_USE;
/** Member "value" of a value of one number, "lanes" and "active" of one of many. */
void lull_cmd_json_value(struct lull_json *json, const struct lull_value *v);

/* Of an Adreno, instead of those of the same command (ir3.c). */
/** @p args: as of `info registers`. Inside of the list "registers". */
struct lull_error *lull_ir3_info_registers(struct lull_cmd *c, const char *args) LULL_MUST_USE;
/** "0.1 bins": set, binding and variable; nothing if they are not known. */
void lull_cmd_desc_name(const struct lull_binding_name *name, struct lull_str *out);
struct lull_error *lull_ir3_info_descriptors(struct lull_cmd *c,
                                             const struct lull_dispatch_info *i) LULL_MUST_USE;
struct lull_error *lull_ir3_info_pipeline(struct lull_cmd *c, const struct lull_dispatch_info *i,
                                          const struct lull_pipeline *p) LULL_MUST_USE;
/** What `info draw` says behind its first line. */
void lull_ir3_info_draw(struct lull_cmd *c, const struct lull_draw_info *i);
/** "$name" with its value on a line, and a JSON object. */
struct lull_error *lull_cmd_show_named(struct lull_cmd *c, const char *name) LULL_MUST_USE;

/** Show the values of all displays. */
struct lull_error *lull_debug_show_displays(struct lull_cmd *c) LULL_MUST_USE;

#endif
