// SPDX-License-Identifier: MIT
/** @file
 * A debugging session: waves of a GPU stopped, stepped, read and changed, from C.
 *
 * The session is what `lull debug` stands on. Verbs change its state and return; verbs that let
 * waves run return when there is something to see. What happened comes as events, values come as
 * struct lull_typed_value; text is only what is text: names, expressions, assembly.
 *
 * Words: a wave has a number, from 0 in the order of appearance; it is never used again in a run.
 * A wave *stands* when the session stopped it; only then its registers can be read. One wave that
 * stands, and one of its lanes, have the *focus*: expressions, registers, LDS and steps are theirs.
 *
 * A session is used by one thread at a time; different sessions are independent. Pointers in what
 * is returned live until the next verb. Errors of all functions: LULL_ERR_INVALID for wrong
 * arguments, among them text that cannot be read; LULL_ERR_NOT_FOUND if no wave stands, or it has
 * no such register, line or number; LULL_ERR_FAULT for an address that is not mapped;
 * LULL_ERR_UNSUPPORTED for what this target cannot do; LULL_ERR_NO_MEMORY. An error leaves
 * breakpoints, registers and memory as they were, but for what is said at the function.
 */
#ifndef LULL_DEBUG_H
#define LULL_DEBUG_H

#include <stddef.h>

#include <lull/error.h>
#include <lull/value.h>

struct lull_debug;

// Opening.

enum lull_debug_arg_kind {
    LULL_DEBUG_BUFFER, ///< A buffer of size bytes; data is what is in it, NULL: zeros.
    LULL_DEBUG_VALUE,  ///< size bytes, 1 to 64, by value.
    LULL_DEBUG_LOCAL,  ///< size bytes of local memory; data is not used.
};

/** One parameter of a kernel, in the kernel's order. */
struct lull_debug_arg {
    enum lull_debug_arg_kind kind;
    const char *name; ///< BUFFER: its name in expressions; NULL: the kernel's name of it.
    const void *data; ///< Copied.
    size_t size;
};

/** A kernel to debug. Zero-initialise, then set path or code, grid, block, args and nargs. */
struct lull_debug_kernel {
    const char *path;  ///< .cl, .s, .ll (compiled by clang-19, with -g), or a gfx1100 code object.
    const void *code;  ///< Or a code object in memory. Copied.
    size_t code_size;  ///< Bytes.
    const char *name;  ///< NULL: the only kernel in it.
    uint32_t grid[3];  ///< Work-items; 0 in y and z: 1.
    uint32_t block[3]; ///< Work-items in a workgroup, at most 1024 in all; 0 in y and z: 1.
    const struct lull_debug_arg *args;
    size_t nargs;
    unsigned opt_level; ///< 0 to 3, of a path that is compiled.
    bool printf;        ///< Compile printf in, by lull-cc; tell OUTPUT.
    uint64_t seed;      ///< Order of waves; 0: round robin.
};

/**
 * A kernel on a model GPU of its own. It does not run yet: lull_debug_start() does that, as often
 * as wanted; buffers are then as they were given.
 *
 * @return LULL_ERR_BAD_DATA for code that cannot be read, with the compiler's messages;
 * LULL_ERR_UNSUPPORTED for a file of another kind or GPU.
 */
LULL_API struct lull_error *lull_debug_open_kernel(const struct lull_debug_kernel *kernel,
                                                   struct lull_debug **ret) LULL_MUST_USE;

/**
 * All programs on the GPU of a `lull exec --socket PATH` that runs. Their dispatches are held, one
 * after the other, for catchpoints to match; the session is started already.
 *
 * @return LULL_ERR_OS if nothing listens at @p socket.
 */
LULL_API struct lull_error *lull_debug_open_socket(const char *socket,
                                                   struct lull_debug **ret) LULL_MUST_USE;

/** End the session. Waves of a kernel that stand are killed; programs go on. NULL is allowed. */
LULL_API void lull_debug_close(struct lull_debug *d);

/** How long a verb lets waves run before it counts as a hang, in ms; 0: for ever. From 1000 (a
 * socket: 0). */
LULL_API void lull_debug_set_timeout(struct lull_debug *d, unsigned ms);

/** Which waves run with the one in focus. */
enum lull_locking {
    LULL_LOCK_OFF,  ///< Everything runs whenever anything runs.
    LULL_LOCK_STEP, ///< Others stand while one wave steps.
    LULL_LOCK_ON,   ///< Only the wave in focus ever runs.
};

/** From LULL_LOCK_STEP. */
LULL_API void lull_debug_set_locking(struct lull_debug *d, enum lull_locking locking);

/** Asked again and again while waves run: true stops them, and the verb returns. */
LULL_API void lull_debug_set_interrupt(struct lull_debug *d, bool (*asked)(void *ctx), void *ctx);

// Events.

/** Why a wave stands. */
enum lull_stop {
    LULL_STOP_NOT,        ///< It runs (or nobody can tell).
    LULL_STOP_START,      ///< In front of its first instruction.
    LULL_STOP_STEP,       ///< A single step is done.
    LULL_STOP_BREAKPOINT, ///< In front of the instruction at a breakpoint.
    LULL_STOP_HOST,       ///< Stopped because the debugger asked.
    LULL_STOP_TRAP,       ///< s_trap of the program; trap_id says which.
    LULL_STOP_MEMORY,     ///< Memory violation, at or after the instruction that did it.
    LULL_STOP_ILLEGAL,    ///< Illegal instruction, at it.
    LULL_STOP_EXCEPTION,  ///< An exception of the ALU, or a watchpoint.
};

/** Exceptions of the ALU, as bits. Source: RDNA3 ISA guide 3.4.9, MODE.EXCP_EN. */
enum lull_exception {
    LULL_EXCEPTION_INVALID = 1,
    LULL_EXCEPTION_DENORMAL = 2, ///< An operand was denormal.
    LULL_EXCEPTION_DIVZERO = 4,
    LULL_EXCEPTION_OVERFLOW = 8,
    LULL_EXCEPTION_UNDERFLOW = 16,
    LULL_EXCEPTION_INEXACT = 32,
    LULL_EXCEPTION_INT_DIVZERO = 64,
    LULL_EXCEPTION_ANY = 127,
};

enum lull_debug_event_kind {
    LULL_DEBUG_DISPATCH_BEGAN, ///< dispatch.
    LULL_DEBUG_OUTPUT,         ///< A call of printf: text. It comes when the verb ends.
    LULL_DEBUG_DISPATCH_HELD,  ///< A catchpoint holds it in front of its first wave: dispatch.
    LULL_DEBUG_STOPPED,        ///< The wave in focus stands: wave, lane, stop, pc, and the others.
                               ///< If interrupted, stop may be LULL_STOP_NOT: no wave was there.
    LULL_DEBUG_FAULT,          ///< The same for a memory violation or an illegal instruction.
    LULL_DEBUG_WAVE_ENDED,     ///< The only wave that ran has ended; others stand.
    LULL_DEBUG_TIMED_OUT,      ///< Nothing stopped in time; what runs was stopped where it is.
    LULL_DEBUG_DISPATCH_ENDED, ///< dispatch; of several, in the order of their numbers.
    LULL_DEBUG_ENDED,          ///< The kernel is done, or the last program is gone.
    LULL_DEBUG_LOST,           ///< The kernel driver reset the context.
    LULL_DEBUG_DRAW_HELD,      ///< A catchpoint holds it in front of its first wave: draw.
    LULL_DEBUG_PACKET,         ///< An Adreno's command processor stands at a packet: address.
};

struct lull_debug_event {
    enum lull_debug_event_kind kind;
    enum lull_stop stop;
    bool interrupted;    ///< lull_debug_set_interrupt()'s function asked for it.
    unsigned wave, lane; ///< In focus; lane: the first that the stop is about.
    uint64_t pc;         ///< GPU virtual address, in bytes.
    uint64_t lanes;      ///< Bit n: the stop is about lane n; 0: about the wave.
    unsigned breakpoint; ///< Breakpoint or watchpoint that was hit; 0: none, or a temporary one.
    uint32_t exceptions; ///< LULL_STOP_EXCEPTION: what the ALU raised, of enum lull_exception.
    uint64_t address;    ///< FAULT: of the first lane that the page tables refuse; 0: not known.
    uint64_t dispatch;   ///< From 0; a kernel has the one.
    uint64_t draw;       ///< DRAW_HELD, STOPPED by lull_debug_go_to(): from 0, by themselves.
    const char *text;    ///< OUTPUT: until the next event is taken. Bytes, and a NUL behind them.
    size_t text_size;    ///< Bytes, without that NUL.
};

/** The oldest event that was not taken yet; false: there is none. */
LULL_API bool lull_debug_next_event(struct lull_debug *d, struct lull_debug_event *ret);

/** From now on call @p told for each event, from inside of the verb that it comes from, instead of
 * keeping it for lull_debug_next_event(). @p told must not call verbs that let waves run. */
LULL_API void lull_debug_on_event(struct lull_debug *d,
                                  void (*told)(void *ctx, const struct lull_debug_event *event),
                                  void *ctx);

// Letting waves run. Each returns with at least one event.

/** Start the program; @p stop_at_start: every wave stops in front of its first instruction. */
LULL_API struct lull_error *lull_debug_start(struct lull_debug *d,
                                             bool stop_at_start) LULL_MUST_USE;
LULL_API struct lull_error *lull_debug_continue(struct lull_debug *d) LULL_MUST_USE;

/** What a step is. */
enum lull_debug_step {
    LULL_STEP_INSN,
    LULL_STEP_INSN_OVER, ///< Over calls.
    LULL_STEP_LINE,
    LULL_STEP_LINE_OVER,
};

/** @p n steps of the wave in focus, fewer if something else stops it. */
LULL_API struct lull_error *lull_debug_step(struct lull_debug *d, enum lull_debug_step how,
                                            uint64_t n) LULL_MUST_USE;
/** Run the wave in focus to a place, as lull_debug_break() takes it. */
LULL_API struct lull_error *lull_debug_until(struct lull_debug *d, const char *place) LULL_MUST_USE;
/** Run to the end of the function, or of the kernel. */
LULL_API struct lull_error *lull_debug_finish(struct lull_debug *d) LULL_MUST_USE;
/** What lull_debug_go_to() goes to. */
enum lull_debug_goal_kind {
    LULL_DEBUG_PIXEL,     ///< The lane of a pixel shader that shades it.
    LULL_DEBUG_VERTEX,    ///< Of the vertex shader for one vertex of a draw.
    LULL_DEBUG_PRIMITIVE, ///< Of the geometry, mesh or tessellation control shader.
};

/** A lane of a draw's waves. What is UINT32_MAX or UINT64_MAX may be any. */
struct lull_debug_goal {
    enum lull_debug_goal_kind kind;
    uint64_t draw;      ///< Number. Any: the one under way, or the next that has it.
    uint32_t x, y;      ///< PIXEL, below 65536.
    uint32_t sample;    ///< PIXEL. Any, or 0 to 7.
    uint32_t primitive; ///< PIXEL. Any: the first that is shaded there.
    /** VERTEX: its place in the draw, from 0; of an indexed draw the vertex whose index stands
     * there. PRIMITIVE: its number in the draw, or patch; of a mesh draw, thread of a workgroup. */
    uint32_t index;
    uint32_t instance; ///< VERTEX, PRIMITIVE, from 0; of a mesh draw the workgroup's number.
};

/**
 * Go on until the wave that has the lane stands in front of its first instruction. That has then
 * the focus, with the lane, which is the event's lanes. What else stops waves or ends the program
 * ends this, too.
 *
 * @return LULL_ERR_UNSUPPORTED for what does not draw on the model: no real kernel tells;
 * LULL_ERR_NOT_FOUND for a draw that is over.
 */
LULL_API struct lull_error *lull_debug_go_to(struct lull_debug *d,
                                             const struct lull_debug_goal *goal) LULL_MUST_USE;
/** Stop all waves that run. */
LULL_API struct lull_error *lull_debug_stop(struct lull_debug *d) LULL_MUST_USE;
/** Kill the waves, or the program. No event comes of it. */
LULL_API struct lull_error *lull_debug_kill(struct lull_debug *d) LULL_MUST_USE;

// Breakpoints of all kinds. Numbers are from 1 and never used again.

/** Which accesses a watchpoint stops at. */
enum lull_watch_kind {
    LULL_WATCH_WRITE, ///< Stores and atomics.
    LULL_WATCH_READ,
    LULL_WATCH_ACCESS,
};

/** Which dispatches a catchpoint holds. */
enum lull_catchpoint {
    LULL_CATCHPOINT_ALL,
    LULL_CATCHPOINT_NUMBER,
    LULL_CATCHPOINT_PIPELINE, ///< Hash of its code.
    LULL_CATCHPOINT_NAME,     ///< Regular expression over its names and labels.
    LULL_CATCHPOINT_FRAME,    ///< The first draw or dispatch behind so many presents; "": of each
                              ///< frame.
    LULL_CATCHPOINT_ASK,      ///< The user is asked each time, where there is a terminal; else all.
};

/** @p place: "symbol", "symbol+0x10", "FILE:LINE", "LINE", "*ADDRESS", "$pc+8". A symbol whose
 * line table says where its prologue ends means that place, "*symbol" its first instruction.
 * A line of a program, while no dispatch is in hand, waits for code that has it.
 * @p condition: an expression that has to be true in an active lane; NULL: none. */
LULL_API struct lull_error *lull_debug_break(struct lull_debug *d, const char *place,
                                             const char *condition, bool temporary,
                                             unsigned *ret_number) LULL_MUST_USE;
/** @p place: "{u32}ADDRESS", or an address of four bytes. @p software: by stepping all waves and
 * looking, for writes that change the value, or for instructions that read or access the place. */
LULL_API struct lull_error *lull_debug_watch(struct lull_debug *d, const char *place,
                                             enum lull_watch_kind kind, bool software,
                                             const char *condition,
                                             unsigned *ret_number) LULL_MUST_USE;
/** Stop in front of dispatches. @p what: "" for ALL, a number, leading hex digits of a hash, or the
 * regular expression. */
LULL_API struct lull_error *lull_debug_catch(struct lull_debug *d, enum lull_catchpoint by,
                                             const char *what, bool temporary,
                                             unsigned *ret_number) LULL_MUST_USE;
/** Stop in front of draws: as lull_debug_catch(), and a hash is that of any of its stages. */
LULL_API struct lull_error *lull_debug_catch_draw(struct lull_debug *d, enum lull_catchpoint by,
                                                  const char *what, bool temporary,
                                                  unsigned *ret_number) LULL_MUST_USE;
/**
 * Stop waves behind an instruction that raises one of @p exceptions, bits of enum lull_exception.
 * The event's lanes are those in which the result shows it; 0: it does not.
 *
 * @return LULL_ERR_INVALID for 0 and other bits, LULL_ERR_UNSUPPORTED if the target has none.
 */
LULL_API struct lull_error *lull_debug_catch_exceptions(struct lull_debug *d, uint32_t exceptions,
                                                        unsigned *ret_number) LULL_MUST_USE;
LULL_API struct lull_error *lull_debug_delete(struct lull_debug *d, unsigned number) LULL_MUST_USE;
LULL_API struct lull_error *lull_debug_enable(struct lull_debug *d, unsigned number,
                                              bool on) LULL_MUST_USE;
/** @p condition: NULL for none. */
LULL_API struct lull_error *lull_debug_condition(struct lull_debug *d, unsigned number,
                                                 const char *condition) LULL_MUST_USE;
/** Pass it @p count times. */
LULL_API struct lull_error *lull_debug_ignore(struct lull_debug *d, unsigned number,
                                              unsigned count) LULL_MUST_USE;

// Waves that stand.

struct lull_debug_wave_state {
    unsigned number;
    bool in_focus;
    enum lull_stop stop;
    uint32_t workgroup[3];
    uint32_t wave_in_group;
    unsigned lanes; ///< 32 or 64.
    uint64_t exec;  ///< Bit n: lane n is active.
    uint64_t pc;    ///< GPU virtual address, in bytes.
};

/** By number. Writes at most @p room, sets @p ret to how many there are. */
LULL_API void lull_debug_waves(struct lull_debug *d, struct lull_debug_wave_state *states,
                               size_t room, size_t *ret);
/** Put the focus on a wave that stands, and on a lane of it. */
LULL_API struct lull_error *lull_debug_select(struct lull_debug *d, unsigned wave,
                                              unsigned lane) LULL_MUST_USE;

// Values. Grammar of expressions: docs/formats/expressions.md.

/** Type, lanes, bits and place of an expression, for the wave in focus. */
LULL_API struct lull_error *lull_debug_evaluate(struct lull_debug *d, const char *expression,
                                                struct lull_typed_value *ret) LULL_MUST_USE;
/** "PLACE = EXPRESSION": a register, a lane of one ("$v2[5]"), all active lanes ("$v2[*]"), or
 * memory ("{u32}out"). */
LULL_API struct lull_error *lull_debug_assign(struct lull_debug *d, const char *text) LULL_MUST_USE;
/** A register by name: "v3", "s[4:5]", "exec", "pc", "mode". */
LULL_API struct lull_error *lull_debug_read_register(struct lull_debug *d, const char *name,
                                                     struct lull_typed_value *ret) LULL_MUST_USE;
/**
 * Write a register by name.
 *
 * @p value has one number or as many as the wave has lanes; its type is not looked at. Of a vector
 * register the lanes whose bit is set in value->valid are written, active or not, each with its own
 * number or with the one. A scalar register takes one number.
 */
LULL_API struct lull_error *lull_debug_write_register(struct lull_debug *d, const char *name,
                                                      const struct lull_value *value) LULL_MUST_USE;

/** GPU memory, as the wave in focus (or, if none stands, the kernel) addresses it. LULL_ERR_FAULT
 * names the first address that is not mapped; a write may have been done up to there. */
LULL_API struct lull_error *lull_debug_read(struct lull_debug *d, uint64_t va, void *buf,
                                            size_t size) LULL_MUST_USE;
LULL_API struct lull_error *lull_debug_write(struct lull_debug *d, uint64_t va, const void *buf,
                                             size_t size) LULL_MUST_USE;
/** LDS of the workgroup of the wave in focus; @p offset in bytes. */
LULL_API struct lull_error *lull_debug_read_lds(struct lull_debug *d, uint32_t offset, void *buf,
                                                size_t size) LULL_MUST_USE;
LULL_API struct lull_error *lull_debug_write_lds(struct lull_debug *d, uint32_t offset,
                                                 const void *buf, size_t size) LULL_MUST_USE;

// Code.

/** The address of a place in code, as lull_debug_break() takes it; of a symbol its first
 * instruction. */
LULL_API struct lull_error *lull_debug_location(struct lull_debug *d, const char *place,
                                                uint64_t *ret) LULL_MUST_USE;

struct lull_debug_insn {
    uint64_t va;
    unsigned size;   ///< Bytes.
    char text[120];  ///< Assembly, as LLVM writes it; cut where it is longer.
    char symbol[64]; ///< Of the code that it is in; "": not known.
    uint64_t offset; ///< From symbol, bytes.
};

/** The instruction at @p va; the next is at ret->va + ret->size. */
LULL_API struct lull_error *lull_debug_disassemble(struct lull_debug *d, uint64_t va,
                                                   struct lull_debug_insn *ret) LULL_MUST_USE;

struct lull_debug_source {
    const char *file;
    uint32_t line, column; ///< From 1; column 0: not known.
    uint64_t va;           ///< Where the code of that line begins.
};

/** The line of source that the code at @p va was made from. */
LULL_API struct lull_error *lull_debug_source(struct lull_debug *d, uint64_t va,
                                              struct lull_debug_source *ret) LULL_MUST_USE;

#endif
