// SPDX-License-Identifier: MIT
/** @file
 * Inside of a session: waves, resuming, places. For src/debug/ only.
 */
#ifndef LULL_DEBUG_SESSION_ENGINE_H
#define LULL_DEBUG_SESSION_ENGINE_H

#include <string.h>

#include "debug/session/debug.h"

/** Number of a breakpoint for the time of one resume: until, finish, next. */
#define LULL_PASSING_BREAKPOINT UINT32_MAX

enum { LULL_SETTLE_MS = 5 };

/** Read the list of standing waves again; new ones get numbers by workgroup and place in it. */
struct lull_error *lull_debug_refresh(struct lull_debug *d) LULL_MUST_USE;

/** Where the user looks, while something is asked of another wave. */
struct lull_debug_look {
    bool has_focus;
    unsigned focus, lane, frame;
};
/** @p w has the focus until lull_debug_look_back(): expressions are of it. Nothing else may be done
 * meanwhile, and the user is not told of it. */
void lull_debug_look_at(struct lull_debug *d, const struct lull_debug_wave *w,
                        struct lull_debug_look *was);
void lull_debug_look_back(struct lull_debug *d, const struct lull_debug_look *was);

/** @p value was printed: $ is it from now on, and $1, $2 ... as it comes. */
struct lull_error *lull_debug_printed(struct lull_debug *d,
                                      const struct lull_value *value) LULL_MUST_USE;

/** $NAME is a whole number from now on: $_exitcode, $bpnum. */
struct lull_error *lull_debug_set_convenience(struct lull_debug *d, const char *name,
                                              uint64_t v) LULL_MUST_USE;

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
/** Is wave @p number, which was let go, in no slot of the hardware any more? */
struct lull_error *lull_debug_has_ended(struct lull_debug *d, unsigned number,
                                        bool *ret) LULL_MUST_USE;
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
/** Let waves go on by themselves: no software watchpoint is looked at. lull_debug_begin_resume() is
 * before. */
struct lull_error *lull_debug_run_on(struct lull_debug *d, enum lull_resume how) LULL_MUST_USE;
/** Stop all that run and forget nothing. */
struct lull_error *lull_debug_interrupt(struct lull_debug *d) LULL_MUST_USE;
/** What the last resume came to; NULL: no breakpoint, or one that is gone. */
const struct lull_breakpoint *lull_debug_came_to(struct lull_debug *d);
/** Does that say `silent` first in its commands? */
bool lull_debug_stops_silently(struct lull_debug *d);
/** Give the enabled breakpoints to the target. */
struct lull_error *lull_debug_sync_breakpoints(struct lull_debug *d) LULL_MUST_USE;
/** Give the target what waves at these breakpoints can check by themselves. */
struct lull_error *lull_debug_sync_tests(struct lull_debug *d, const uint64_t *vas,
                                         size_t n) LULL_MUST_USE;
/** Where a wave finds what @p ref of an expression is, into @p s, whose number may change: the test
 * may then hold where the relation does not. False: nowhere. */
bool lull_debug_test_place(const struct lull_debug *d, const void *ref, struct lull_test_step *s);
/** Which register, by the number of an arch that counts them (LULL_REG_ARCH), @p ref is. False: it
 * is none of those. */
bool lull_debug_arch_reg(const void *ref, unsigned *ret);
/** Whether breakpoints may stand in code, as an instruction that traps; at first they may. */
struct lull_error *lull_debug_break_in_code(struct lull_debug *d, bool on) LULL_MUST_USE;
/** Is it an enabled breakpoint in code, one of whose places is @p va? */
bool lull_debug_is_at(const struct lull_breakpoint *b, uint64_t va);
/** The same, also while it is disabled. */
bool lull_debug_has_place(const struct lull_breakpoint *b, uint64_t va);
/** Its condition there, and what it prints; NULL: none. */
const struct lull_expr *lull_debug_test_at(const struct lull_breakpoint *b, uint64_t va);
const struct lull_dprintf *lull_debug_print_at(const struct lull_breakpoint *b, uint64_t va);
/** Place @p i, from 0; false: it has fewer. @p ret_on: it stops there. */
bool lull_debug_break_place(const struct lull_breakpoint *b, size_t i, uint64_t *ret_va,
                            bool *ret_on);
/** A breakpoint at @p va, or NULL. */
struct lull_breakpoint *lull_debug_breakpoint_at(struct lull_debug *d, uint64_t va);
/** The one that stopped @p w, the first if there are several; NULL: none did. */
const struct lull_breakpoint *lull_debug_stopped_at(struct lull_debug *d,
                                                    const struct lull_debug_wave *w);
/** @p w stands at its start: is it the one of lull_debug_go_to()? Then its lane is known. */
struct lull_error *lull_debug_arrived(struct lull_debug *d, struct lull_debug_wave *w,
                                      bool *ret) LULL_MUST_USE;
/** @p w came to @p b: count it. @p ret: its condition and ignore count let it stop for the user. */
struct lull_error *lull_debug_hit(struct lull_debug *d, struct lull_debug_wave *w,
                                  struct lull_breakpoint *b, bool *ret) LULL_MUST_USE;
/** lull_debug_break() where there is code already. */
struct lull_error *lull_debug_break_now(struct lull_debug *d, const char *place,
                                        const char *condition, bool temporary,
                                        unsigned *ret_number) LULL_MUST_USE;
/** @p text: NULL for none. Nothing is changed by an error: what cannot be read or has a wrong name
 * in it is one. */
struct lull_error *lull_debug_set_condition(struct lull_debug *d, struct lull_breakpoint *b,
                                            const char *text) LULL_MUST_USE;
void lull_debug_delete_breakpoint(struct lull_breakpoint *b);
/** @p b has stopped something: a temporary one is gone, and one that was enabled for so many times
 * may be disabled now. @return Whether it stops no more. */
bool lull_debug_used(struct lull_breakpoint *b);
/** The same of those that stopped @p w. */
struct lull_error *lull_debug_drop_used(struct lull_debug *d,
                                        const struct lull_debug_wave *w) LULL_MUST_USE;
/** An unused entry, or LULL_ERR_INVALID. */
struct lull_error *lull_debug_free_breakpoint(struct lull_debug *d,
                                              struct lull_breakpoint **ret) LULL_MUST_USE;
/** Does the stop of @p w count for the user: conditions, ignore counts. Hits are counted. */
struct lull_error *lull_debug_counts(struct lull_debug *d, struct lull_debug_wave *w,
                                     bool *ret) LULL_MUST_USE;
/** Let one wave go; nothing is waited for. */
struct lull_error *lull_debug_let_go(struct lull_debug *d, struct lull_debug_wave *w,
                                     enum lull_resume how) LULL_MUST_USE;
bool lull_debug_any_stands(const struct lull_debug *d);
/** The focused wave has ended: another that stands gets the focus, if there is one. */
void lull_debug_focus_any(struct lull_debug *d);
/** Nothing runs any more. */
void lull_debug_ended(struct lull_debug *d, enum lull_outcome outcome);
void lull_debug_set_focus(struct lull_debug *d, struct lull_debug_wave *w);
/** The same for a stop that the user has not been told of yet: the focus goes to the lane that it
 * is about, too. */
void lull_debug_focus_stop(struct lull_debug *d, struct lull_debug_wave *w);
/** Lanes that the stop of @p w is about; 0: no lane more than another. */
uint64_t lull_debug_lanes_hit(struct lull_debug *d, const struct lull_debug_wave *w);
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
/** Is it an enabled watchpoint, in software or not? */
bool lull_debug_is_watch(const struct lull_breakpoint *b, bool software);
struct lull_error *lull_debug_watched_value(struct lull_debug *d, const struct lull_breakpoint *b,
                                            uint64_t *ret) LULL_MUST_USE;
/** Address and size that @p text says: "{u32}ADDRESS", or an address of four bytes. */
struct lull_error *lull_debug_watched_place(struct lull_debug *d, const char *text,
                                            struct lull_breakpoint *b) LULL_MUST_USE;
/** Lanes of the instruction at @p va that touch what @p b watches. */
struct lull_error *lull_debug_touching(struct lull_debug *d, const struct lull_debug_wave *wave,
                                       uint64_t va, const struct lull_breakpoint *b,
                                       uint64_t *ret) LULL_MUST_USE;
/** Has the GPU any? */
bool lull_debug_has_watchpoints(const struct lull_debug *d);
/** Are all of the GPU's watchpoints in use? */
bool lull_debug_watches_full(const struct lull_debug *d);
bool lull_debug_watches_in_software(const struct lull_debug *d);
/** Step all waves in turn until a software watchpoint's value changes or something else stops. */
struct lull_error *lull_debug_resume_watching(struct lull_debug *d) LULL_MUST_USE;
/** Give the exceptions that enabled catchpoints name to the target. */
struct lull_error *lull_debug_sync_exceptions(struct lull_debug *d) LULL_MUST_USE;
/** Is it an enabled catchpoint for one of @p excp? */
bool lull_debug_wants_exception(const struct lull_breakpoint *b, uint32_t excp);
/** A dispatch is held: let it go, or keep it for the user if a catchpoint wants it. */
struct lull_error *lull_debug_look_at_held(struct lull_debug *d, bool *ret_user) LULL_MUST_USE;
/** It came through time to where something is held that was told of before. */
struct lull_error *lull_debug_hold_again(struct lull_debug *d) LULL_MUST_USE;
/** It went back in time: the dispatch that comes last is the one that runs. */
struct lull_error *lull_debug_look_at_running(struct lull_debug *d) LULL_MUST_USE;
/** The same where the command processor stands (packets.c). */
struct lull_error *lull_debug_look_at_packet(struct lull_debug *d, bool *ret_user) LULL_MUST_USE;
/** Give the packets that breakpoints, or this resume, stop at to the target. */
struct lull_error *lull_debug_sync_packets(struct lull_debug *d) LULL_MUST_USE;
/** What is held, or the command processor, goes. */
struct lull_error *lull_debug_release(struct lull_debug *d) LULL_MUST_USE;
/** What stops for the user in front of a dispatch or a draw. */
struct lull_held {
    bool draw;
    uint32_t pid;
    uint64_t number, frame;
    const struct lull_pipeline *code[LULL_STAGES]; ///< NULL: no such stage.
    const struct lull_dispatch_info *dispatch;     ///< Whose names may be asked for; NULL: none.
    const struct lull_draw_info *drawn;            ///< The same of a draw.
};
/** Does a catchpoint match? Counts its hits; those that were for once are gone. */
struct lull_error *lull_debug_caught(struct lull_debug *d, const struct lull_held *h,
                                     bool *ret) LULL_MUST_USE;
/** The same for draw @p number, which is held (draws.c). */
struct lull_error *lull_debug_look_at_draw(struct lull_debug *d, uint64_t number,
                                           bool *ret_user) LULL_MUST_USE;
/** Let the held dispatch launch its waves, which stop in front of their first instruction. */
struct lull_error *lull_debug_enter(struct lull_debug *d) LULL_MUST_USE;
/** Let @p w execute its s_endpgm; another wave that stands gets the focus. */
struct lull_error *lull_debug_step_out(struct lull_debug *d,
                                       struct lull_debug_wave *w) LULL_MUST_USE;
/** "out+0x10" of a data address: the buffer or binding that holds it; nothing if none does. */
void lull_debug_show_place(struct lull_debug *d, uint64_t va, struct lull_str *out);
/** Kernel, code symbol or buffer by name. */
bool lull_debug_find_symbol(struct lull_debug *d, const char *name, uint64_t *ret_va);
/** Memory, or LDS of the focused wave's workgroup, as expressions read it. @p ctx: the debugger. */
struct lull_error *lull_debug_read_memory(void *ctx, bool lds, uint64_t address, void *buf,
                                          size_t size) LULL_MUST_USE;
struct lull_error *lull_debug_write_memory(void *ctx, bool lds, uint64_t address, const void *buf,
                                           size_t size) LULL_MUST_USE;
/** An address, or with "lds:" an offset in LDS. */
struct lull_error *lull_debug_place_of(struct lull_debug *d, const char *text, bool *ret_lds,
                                       uint64_t *ret) LULL_MUST_USE;
/** Is @p text a line, "12" or "FILE:12"? And which. */
bool lull_debug_is_line(const char *text);
struct lull_error *lull_debug_line_number(const char *text, uint32_t *ret) LULL_MUST_USE;
/** Can @p text be the name of a function? */
bool lull_debug_is_function(const struct lull_debug *d, const char *text);
/** No breakpoint has stopped it. */
static inline void lull_debug_forget_hits(struct lull_debug_wave *w)
{
    w->any_hit = false;
    w->nhits = 0;
}
/** Where the first line of a function with the code @p low to @p high - 1 begins, behind its
 * prologue (DWARF's prologue_end); @p low if that is not known. Image offsets. */
uint64_t lull_debug_behind_prologue(const struct lull_debug *d, uint64_t low, uint64_t high);
/** All places that a breakpoint at @p text stops at, the first of them as
 * lull_debug_stop_location() has it: where functions and lines were inlined, and, in optimised
 * code, where a line's code was copied. At least one. The caller frees @p ret. */
/** @p text without the quotes of "'FILE':LINE", and of "FILE:FUNCTION" the function. *@p ret is the
 * caller's. */
struct lull_error *lull_debug_plain_place(struct lull_debug *d, const char *text,
                                          char **ret) LULL_MUST_USE;
struct lull_error *lull_debug_stop_places(struct lull_debug *d, const char *text, uint64_t **ret,
                                          size_t *ret_n) LULL_MUST_USE;
/** One of the breakpoints that stopped @p w. */
bool lull_debug_did_hit(const struct lull_debug_wave *w,
                        const struct lull_breakpoint *b) LULL_MUST_USE;
/** As lull_debug_location(), but a function alone means the place behind its prologue, if the line
 * table says where that is: DWARF's prologue_end. */
struct lull_error *lull_debug_stop_location(struct lull_debug *d, const char *text,
                                            uint64_t *ret) LULL_MUST_USE;
/** Is @p text a place in memory, "{u32}ADDRESS" or "*POINTER"? Then @p ret is where. */
struct lull_error *lull_debug_memory_at(struct lull_debug *d, const char *text, bool *ret_is,
                                        struct lull_location *ret) LULL_MUST_USE;
/** Symbols and lines are those of @p image, at @p va, from now on; it must outlive the session. */
struct lull_error *lull_debug_set_image(struct lull_debug *d, const struct lull_image *image,
                                        uint64_t va) LULL_MUST_USE;
/** Line of the code at @p va; false if it is not known. */
bool lull_debug_line_at(const struct lull_debug *d, uint64_t va, struct lull_line *ret);
/** A register of 32 bits (64: PC, FLAT_SCRATCH) of @p wave. */
struct lull_error *lull_debug_read_reg(struct lull_debug *d, const struct lull_debug_wave *wave,
                                       enum lull_reg_class cls, unsigned index, unsigned lane,
                                       uint64_t *ret) LULL_MUST_USE;

/** What kind of target it is: "amdgpu". */
const char *lull_debug_kind(const struct lull_debug *d);
/** How its waves are stopped: a sentence. */
const char *lull_debug_path(const struct lull_debug *d);
/** Is it an Adreno, whose registers and descriptors are those of ir3? */
bool lull_debug_is_ir3(const struct lull_debug *d);
struct lull_ir3_desc;
/** Descriptors that the code of @p dispatch, or of a stage of a draw, names, at most
 * LULL_IR3_MAX_DESCS into @p ret; an error if it is over. */
struct lull_error *lull_debug_ir3_descs(struct lull_debug *d,
                                        const struct lull_dispatch_info *dispatch,
                                        struct lull_ir3_desc *ret, unsigned *ret_n) LULL_MUST_USE;
/** Fields of what @p desc holds, in words. */
void lull_debug_ir3_desc_show(const struct lull_debug *d, const struct lull_ir3_desc *desc,
                              struct lull_str *out);
/** Which invocation @p lane of @p wave, which stands and is of a draw, is; false: not known. */
bool lull_debug_invocation(const struct lull_debug *d, const struct lull_wave_info *wave,
                           unsigned lane, struct lull_invocation *ret);
/** Does it have dispatches that are somebody else's? */
bool lull_debug_is_program(const struct lull_debug *d);
/** As the target's calls of these names; what it cannot do is LULL_ERR_UNSUPPORTED, or no wave. */
struct lull_error *lull_debug_bos(struct lull_debug *d, struct lull_bo_info *infos, size_t room,
                                  size_t *ret) LULL_MUST_USE;
struct lull_error *lull_debug_running(struct lull_debug *d, struct lull_wave_info *infos,
                                      size_t room, size_t *ret) LULL_MUST_USE;
struct lull_error *lull_debug_draws(struct lull_debug *d, uint64_t first,
                                    struct lull_draw_info *infos, size_t room,
                                    size_t *ret) LULL_MUST_USE;
/** Keep what becomes of a pixel of draws; @p on false: no more. */
struct lull_error *lull_debug_watch_pixel(struct lull_debug *d, bool on, uint32_t x,
                                          uint32_t y) LULL_MUST_USE;
/** What became of it so far, from record @p first on. */
struct lull_error *lull_debug_fragments(struct lull_debug *d, uint64_t first,
                                        struct lull_fragment *ret, size_t room,
                                        size_t *ret_n) LULL_MUST_USE;
/** Registers at draw @p number. Large: allocate them. */
struct lull_error *lull_debug_draw_regs(struct lull_debug *d, uint64_t number,
                                        struct lull_draw_regs *ret) LULL_MUST_USE;
struct lull_error *lull_debug_dispatches(struct lull_debug *d, uint64_t first,
                                         struct lull_dispatch_info *infos, size_t room,
                                         size_t *ret) LULL_MUST_USE;

/** Assembly text of the instruction at @p va, ".long" if it is none. @p ret_size: its bytes. */
struct lull_error *lull_debug_insn_text(struct lull_debug *d, uint64_t va, unsigned lanes,
                                        struct lull_str *out, unsigned *ret_size) LULL_MUST_USE;
/** Does it wait at a barrier for others? */
bool lull_debug_in_barrier(const struct lull_debug_wave *w);
struct lull_error *lull_debug_need_started(const struct lull_debug *d) LULL_MUST_USE;
void lull_debug_free_display(struct lull_display *display);

#endif
