// SPDX-License-Identifier: MIT
/** @file
 * Inside of the engine: waves, resuming, commands. For src/debug/ only.
 */
#ifndef LULL_DEBUG_ENGINE_H
#define LULL_DEBUG_ENGINE_H

#include "base/json.h"
#include "debug/session/debug.h"
#include "isa/rdna/rdna.h"

/** Number of a breakpoint for the time of one resume: until, finish, next. */
#define LULL_PASSING_BREAKPOINT UINT32_MAX

/** What a command gets. Text goes to out; JSON members into json, which is open as an object. */
struct lull_cmd {
    struct lull_debug *d;
    const char *args; ///< After the command's name, without leading space.
    char format;      ///< From "print/x": 'x', or 0.
    unsigned count;   ///< From "x/8": 8, or 0.
    char size;        ///< From "x/8wx": 'b' 'h' 'w' 'g', or 0.
    struct lull_str *out;
    struct lull_json *json; ///< NULL: text is wanted.
};

typedef struct lull_error *lull_cmd_fn(struct lull_cmd *c);

/** Read the list of standing waves again; new ones get numbers by workgroup and place in it. */
struct lull_error *lull_debug_refresh(struct lull_debug *d) LULL_MUST_USE;

/** Let waves go on and wait until the user has something to see. d->outcome says what. */
struct lull_error *lull_debug_resume(struct lull_debug *d, enum lull_resume how) LULL_MUST_USE;
/** The same, but all waves stop in front of their first instruction. The target's stop_new_waves()
 * is on before, and off behind. */
struct lull_error *lull_debug_resume_to_start(struct lull_debug *d) LULL_MUST_USE;
/** A resume begins: what the last one ended with is forgotten. */
struct lull_error *lull_debug_begin_resume(struct lull_debug *d) LULL_MUST_USE;
/** As the target's wait, but for ever if there is no timeout, and until the user interrupts or wave
 * @p only, which runs alone, has ended: then d->outcome says so. NULL: none does. */
struct lull_error *lull_debug_wait(struct lull_debug *d, const unsigned *only,
                                   enum lull_event *ret) LULL_MUST_USE;
/** Interrupt until nothing new arrives: waves at a barrier stay where they are. */
struct lull_error *lull_debug_settle(struct lull_debug *d) LULL_MUST_USE;
/** After wave @p number stopped for the user: stop the rest, unless it ran alone and they stand
 * anyhow, and put the focus on it. */
struct lull_error *lull_debug_arrive(struct lull_debug *d, unsigned number,
                                     bool alone) LULL_MUST_USE;
/** Nothing came in time: stop what runs. */
struct lull_error *lull_debug_timed_out(struct lull_debug *d) LULL_MUST_USE;
/** One step of the focused wave over an s_barrier, or out of one at which it waits: its workgroup
 * runs to just behind the barrier and stops there. Breakpoints on the way count, but do not stop.
 */
struct lull_error *lull_debug_step_over_barrier(struct lull_debug *d) LULL_MUST_USE;
/** Stop all that run and forget nothing. */
struct lull_error *lull_debug_interrupt(struct lull_debug *d) LULL_MUST_USE;
/** Give the enabled breakpoints to the target. */
struct lull_error *lull_debug_sync_breakpoints(struct lull_debug *d) LULL_MUST_USE;
/** A breakpoint at @p va, or NULL. */
struct lull_breakpoint *lull_debug_breakpoint_at(struct lull_debug *d, uint64_t va);
/** The one that stopped @p w, the first if there are several; NULL: none did. */
const struct lull_breakpoint *lull_debug_stopped_at(struct lull_debug *d,
                                                    const struct lull_debug_wave *w);
/** @p w came to @p b: count it. @p ret: its condition and ignore count let it stop for the user. */
struct lull_error *lull_debug_hit(struct lull_debug *d, struct lull_debug_wave *w,
                                  struct lull_breakpoint *b, bool *ret) LULL_MUST_USE;
/** @p text: NULL for none. Nothing is changed by an error: what cannot be read or has a wrong name
 * in it is one. */
struct lull_error *lull_debug_set_condition(struct lull_debug *d, struct lull_breakpoint *b,
                                            const char *text) LULL_MUST_USE;
void lull_debug_delete_breakpoint(struct lull_breakpoint *b);
/** An unused entry, or LULL_ERR_INVALID. */
struct lull_error *lull_debug_free_breakpoint(struct lull_debug *d,
                                              struct lull_breakpoint **ret) LULL_MUST_USE;
/** Does the stop of @p w count for the user: conditions, ignore counts. Hits are counted. */
struct lull_error *lull_debug_counts(struct lull_debug *d, struct lull_debug_wave *w,
                                     bool *ret) LULL_MUST_USE;
/** Let one wave go; nothing is waited for. */
struct lull_error *lull_debug_let_go(struct lull_debug *d, struct lull_debug_wave *w,
                                     enum lull_resume how) LULL_MUST_USE;
/** Nothing runs any more. */
void lull_debug_ended(struct lull_debug *d, enum lull_outcome outcome);
void lull_debug_set_focus(struct lull_debug *d, struct lull_debug_wave *w);
/** The same for a stop that the user has not been told of yet: the focus goes to the lane that it
 * is about, too. */
void lull_debug_focus_stop(struct lull_debug *d, struct lull_debug_wave *w);
/** The lane to look at first in @p w: one that a fault or watchpoint hit, else one that is active.
 */
unsigned lull_debug_first_lane(struct lull_debug *d, const struct lull_debug_wave *w);

/** Give the enabled hardware watchpoints to the target. */
struct lull_error *lull_debug_sync_watchpoints(struct lull_debug *d) LULL_MUST_USE;
/** Which of the user's watchpoints @p w hit; NULL: it touched only something near one. */
struct lull_error *lull_debug_watch_hit(struct lull_debug *d, const struct lull_debug_wave *w,
                                        struct lull_breakpoint **ret) LULL_MUST_USE;
/** Take the values of watched places as the old ones. */
void lull_debug_look_at_watched(struct lull_debug *d);
bool lull_debug_watches_in_software(const struct lull_debug *d);
/** Step all waves in turn until a software watchpoint's value changes or something else stops. */
struct lull_error *lull_debug_resume_watching(struct lull_debug *d) LULL_MUST_USE;
/** Old and new value of the watchpoint that was hit, if one was. */
struct lull_error *lull_debug_show_watch(struct lull_cmd *c) LULL_MUST_USE;

/** Where and why the focused wave stands, its next instruction, the displays. */
struct lull_error *lull_debug_show_stop(struct lull_cmd *c) LULL_MUST_USE;
/** Run the focused wave, and with @p others all, until it comes to one of @p vas (at most 16) or
 * something else stops. */
struct lull_error *lull_debug_run_to(struct lull_debug *d, const uint64_t *vas, size_t n,
                                     bool others) LULL_MUST_USE;
/** A dispatch is held: let it go, or keep it for the user if a catchpoint wants it. */
struct lull_error *lull_debug_look_at_held(struct lull_debug *d, bool *ret_user) LULL_MUST_USE;
/** Let the held dispatch launch its waves, which stop in front of their first instruction. */
struct lull_error *lull_debug_enter(struct lull_debug *d) LULL_MUST_USE;
/** One line about the held dispatch. */
void lull_debug_show_held(struct lull_cmd *c);
/** "cs_12345678, 4x1x1 workgroups of 64x1x1, wave64, gfx, process 12" */
void lull_dispatch_line(struct lull_debug *d, const struct lull_dispatch_info *i,
                        struct lull_str *out);
/** Source of the dispatch's shader, if its module has it. */
struct lull_error *lull_debug_list_shader(struct lull_cmd *c) LULL_MUST_USE;
/** New catchpoint: what follows "catch dispatch". */
struct lull_error *lull_debug_catch(struct lull_cmd *c, const char *what,
                                    bool temporary) LULL_MUST_USE;
/** Let @p w execute its s_endpgm; another wave that stands gets the focus. */
struct lull_error *lull_debug_step_out(struct lull_debug *d,
                                       struct lull_debug_wave *w) LULL_MUST_USE;
/** Tell the user what the last resume ended with. */
struct lull_error *lull_debug_report(struct lull_cmd *c) LULL_MUST_USE;
/** "out+0x10" of a data address: the buffer or binding that holds it; nothing if none does. */
void lull_debug_show_place(struct lull_debug *d, uint64_t va, struct lull_str *out);
/** Which lanes a memory violation hit and what refused them. */
struct lull_error *lull_debug_show_fault(struct lull_cmd *c,
                                         const struct lull_debug_wave *wave) LULL_MUST_USE;
/** Kernel, code symbol or buffer by name. */
bool lull_debug_find_symbol(struct lull_debug *d, const char *name, uint64_t *ret_va);
/** Memory, or LDS of the focused wave's workgroup, as expressions read it. @p ctx: the debugger. */
struct lull_error *lull_debug_read_memory(void *ctx, bool lds, uint64_t address, void *buf,
                                          size_t size) LULL_MUST_USE;
/** An address, or with "lds:" an offset in LDS. */
struct lull_error *lull_debug_place_of(struct lull_debug *d, const char *text, bool *ret_lds,
                                       uint64_t *ret) LULL_MUST_USE;
/** Is @p text a place in memory, "{u32}ADDRESS" or "*POINTER"? Then @p ret is where. */
struct lull_error *lull_debug_memory_at(struct lull_debug *d, const char *text, bool *ret_is,
                                        struct lull_location *ret) LULL_MUST_USE;
/** Lanes that a memory violation hit; 0 if that is not known, or no matter of lanes. */
uint64_t lull_debug_fault_lanes(struct lull_debug *d, const struct lull_debug_wave *wave);
/** "=> address <symbol>: text" of one instruction. @p ret_size: its bytes. */
struct lull_error *lull_debug_show_insn(struct lull_cmd *c, uint64_t va, bool here, unsigned lanes,
                                        unsigned *ret_size) LULL_MUST_USE;
const char *lull_stop_name(enum lull_stop stop);

/** Decode the instruction at @p va; false if it cannot be read or is none. */
bool lull_debug_decode(struct lull_debug *d, uint64_t va, struct lull_rdna_insn *ret);
/** Addresses of up to @p room instructions in front of @p va, rising, found from its symbol's
 * start. */
size_t lull_debug_insns_before(struct lull_debug *d, uint64_t va, uint64_t *ret, size_t room);
/** Line of the code at @p va; false if it is not known. */
bool lull_debug_line_at(const struct lull_debug *d, uint64_t va, struct lull_line *ret);
/** A register of 32 bits (64: PC, FLAT_SCRATCH) of @p wave. */
struct lull_error *lull_debug_read_reg(struct lull_debug *d, const struct lull_debug_wave *wave,
                                       enum lull_reg_class cls, unsigned index, unsigned lane,
                                       uint64_t *ret) LULL_MUST_USE;

/** Walk of one address; an error if the target cannot walk. */
struct lull_error *lull_debug_walk(struct lull_debug *d, uint64_t va,
                                   struct lull_walk *ret) LULL_MUST_USE;
/** "PDB2" ... "PTB". */
const char *lull_walk_level_name(unsigned level);
/** Page-table walk in words: every level, every bit. @p json may be NULL. */
void lull_walk_show(const struct lull_walk *walk, struct lull_str *out, struct lull_json *json);

// Commands, by file.
lull_cmd_fn lull_cmd_break, lull_cmd_tbreak, lull_cmd_delete, lull_cmd_enable, lull_cmd_disable,
    lull_cmd_condition, lull_cmd_ignore, lull_cmd_info_breakpoints;
lull_cmd_fn lull_cmd_catch, lull_cmd_info_dispatches, lull_cmd_info_pipeline,
    lull_cmd_info_descriptors, lull_cmd_info_push_constants;
lull_cmd_fn lull_cmd_watch, lull_cmd_rwatch, lull_cmd_awatch;
lull_cmd_fn lull_cmd_finish, lull_cmd_backtrace, lull_cmd_info_source, lull_cmd_info_access;
lull_cmd_fn lull_cmd_run, lull_cmd_start, lull_cmd_continue, lull_cmd_stepi, lull_cmd_nexti,
    lull_cmd_step, lull_cmd_next, lull_cmd_until, lull_cmd_interrupt, lull_cmd_kill;
lull_cmd_fn lull_cmd_info, lull_cmd_focus, lull_cmd_wave, lull_cmd_lane, lull_cmd_workgroup;
lull_cmd_fn lull_cmd_print, lull_cmd_set, lull_cmd_x, lull_cmd_disassemble, lull_cmd_list,
    lull_cmd_display, lull_cmd_undisplay, lull_cmd_dump, lull_cmd_vm, lull_cmd_echo, lull_cmd_show;

/** Decimal or hexadecimal number at @p at, which is moved behind it and following space. */
bool lull_cmd_number(const char **at, uint64_t *ret);
/** All of @p text as a number from @p least to @p most; else an error that says so. */
struct lull_error *lull_cmd_count(const char *text, uint64_t least, uint64_t most,
                                  uint64_t *ret) LULL_MUST_USE;
/** True, and @p at moved behind it and following space, if the word @p word stands there. */
bool lull_cmd_word(const char **at, const char *word);
/** Member "value" of a value of one number, "lanes" and "active" of one of many. */
void lull_cmd_json_value(struct lull_json *json, const struct lull_value *v);

void lull_debug_free_display(struct lull_display *display);
/** Show the values of all displays. */
struct lull_error *lull_debug_show_displays(struct lull_cmd *c) LULL_MUST_USE;

#endif
