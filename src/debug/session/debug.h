// SPDX-License-Identifier: MIT
/** @file
 * A debugging session: waves with numbers, focus, breakpoints, stepping, expressions.
 *
 * Knows a target (target/target.h) and, if there is one, the image that runs on it. Verbs change
 * its state and say nothing; what came of them is in the struct. Commands (debug/shell) and
 * protocols stand above it.
 */
#ifndef LULL_DEBUG_SESSION_DEBUG_H
#define LULL_DEBUG_SESSION_DEBUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lull/debug.h>

#include "base/files.h"
#include "base/json.h"
#include "base/str.h"
#include "expr/expr.h"
#include "image/image.h"
#include "target/target.h"

enum {
    LULL_MAX_LANES = LULL_VALUE_LANES,
    LULL_MAX_DISPLAYS = 16,
};

#define LULL_DEBUG_RECORD_BYTES (UINT64_C(1) << 30) ///< lull_debug.record_bytes at first.

enum lull_break_kind {
    LULL_BREAK_CODE,
    LULL_BREAK_WATCH,     ///< An access to memory.
    LULL_BREAK_CATCH,     ///< A dispatch.
    LULL_BREAK_EXCEPTION, ///< Exceptions of the ALU: by_value, enum lull_exception.
    LULL_BREAK_PACKET,    ///< A packet of an Adreno: where.
    LULL_BREAK_PENDING,   ///< A line that no code has yet (pending.h); CODE when some has.
};

struct lull_dprintf;
struct lull_watched;
struct lull_kept;
struct lull_agent;

/** Another place of a breakpoint in code: a line that was inlined or unrolled has several. */
struct lull_break_place {
    uint64_t va;
    bool off;                   ///< It does not stop here.
    struct lull_expr *test;     ///< The condition, read for the names that are known here. Owned.
    struct lull_dprintf *print; ///< The same. Owned.
};

struct lull_breakpoint {
    unsigned number; ///< As the user sees it, from 1; 0: free.
    enum lull_break_kind kind;
    uint64_t va; ///< CODE, WATCH.
    bool enabled, temporary;
    bool first_off;                ///< CODE: it does not stop at va, but at more.
    size_t nmore;                  ///< CODE: places besides va.
    struct lull_break_place *more; ///< Owned.
    unsigned hits, ignore;
    unsigned left;          ///< It is disabled when it has stopped so often; 0: it is not.
    char *condition;        ///< Owned; NULL: none.
    struct lull_expr *test; ///< The same, read. Owned.
    char *what;             ///< As the user wrote it. Owned.
    bool agent;             ///< It prints without stopping (agent.h): waves do not trap there.
    char *commands;         ///< Done when it has stopped something, each line with its end. Owned.
    /** CODE, WATCH, EXCEPTION: has the last word on whether it stops; NULL: nobody has. The wave is
     * in focus meanwhile, and nothing may let waves run or change breakpoints. */
    struct lull_error *(*decide)(void *ctx, unsigned number, bool *ret_stop);
    void *decide_ctx;
    struct lull_dprintf *print; ///< CODE: it prints and does not stop. Owned; NULL: it stops.
    // WATCH
    enum lull_watch_kind watch;
    bool software;              ///< By stepping all waves and looking.
    unsigned size;              ///< Bytes, 1 to 8.
    struct lull_ctype type;     ///< But for what it is called in the source; void: not known.
    uint64_t old_value;         ///< When last looked at.
    struct lull_watched *value; ///< A value that is not in memory is watched, not va. Owned.
    bool fell_back;             ///< The GPU has no watchpoint left for it.
    bool draw;                  ///< CATCH: draws, not dispatches.
    // CATCH, EXCEPTION
    enum lull_catchpoint by;
    uint64_t by_value;
    struct lull_packet_where where; ///< PACKET.
    uint32_t
        frame_pid; ///< FRAME: the process whose frames are counted, or that came to it; 0: none.
};

/** Who did the other half of what a check has found, and where. */
struct lull_debug_other {
    uint32_t workgroup[3], wave, lane; ///< The wave's number in its workgroup.
    uint64_t pc;
};

/** A wave that was seen: one that comes back in time has its number again. */
struct lull_debug_known {
    lull_wave_key key;
    unsigned number;
};

/** Shown at every stop. */
struct lull_display {
    char format;            ///< As of `print`; 0: by type.
    char *text;             ///< As the user wrote it; NULL: not in use.
    struct lull_expr *expr; ///< The same, read.
};

/** A wave that was seen standing. Numbers are never reused. */
struct lull_debug_wave {
    unsigned number;
    struct lull_wave_info info;
    bool stopped;
    bool unreported; ///< It stopped by itself and the user has not been told.
    bool any_hit;    ///< A breakpoint stopped it for the user: those of hit, by number.
    unsigned nhits, hit_room, *hit; ///< Owned; the room stays for the next wave in this place.
    uint64_t lanes; ///< Those for which the condition there holds; 0: it is not about lanes.
};

/** What the last resume ended with. */
enum lull_outcome {
    LULL_OUT_NOTHING, ///< Not started.
    LULL_OUT_STOPPED, ///< The focused wave stands; others may.
    LULL_OUT_DONE,
    LULL_OUT_LOST,
    LULL_OUT_TIMEOUT, ///< Nothing stopped in time; waves run on.
    LULL_OUT_HELD,    ///< A dispatch that was to be caught stands in front of its first wave.
    LULL_OUT_ENDED,   ///< The only wave that ran has ended; others stand.
    LULL_OUT_PACKET,  ///< The command processor stands at a packet.
};

enum lull_debug_ask {
    LULL_ASK_GO,
    LULL_ASK_STOP,
    LULL_ASK_NO_MORE, ///< Go on, and do not ask again.
};

struct lull_pipelines;
struct lull_symbols;
struct lull_symvar;
struct lull_debug_names;

/** What happened and was not asked for yet. */
struct lull_debug_events {
    bool kept; ///< Else they go to told, or nowhere.
    void (*told)(void *ctx, const struct lull_debug_event *event);
    void *ctx;
    size_t first, n, room;        ///< all[first] to all[n - 1] wait.
    struct lull_debug_event *all; ///< Owned, with the texts of those that wait.
    char *text;                   ///< Of the one that was taken last. Owned.
    uint64_t next_ended; ///< Dispatches of a program in front of it are told to have ended.
};

/** Where the command processor of an Adreno is (packets.h). */
struct lull_debug_packets {
    bool stands;  ///< It does, and the user knows; lull_debug.held is set, too.
    bool pending; ///< It does, and nobody has looked yet.
    struct lull_packet_info at;
    unsigned hit;     ///< Breakpoint that it came to; 0: none.
    unsigned deepest; ///< For the time of one resume: as of struct lull_packet_stops;
    bool passing;     ///< and this place.
    struct lull_packet_where place;
    unsigned slots[LULL_PACKET_STOPS]; ///< Of the target's stops: which breakpoint it is.
    unsigned nslots;
    /** Number of a stream for the user, less that for the target, which may be negative. */
    int64_t shift;
    bool rewinding; ///< Breakpoints, catchpoints and faults do not stop.
    bool again;     ///< What lull_debug.run starts goes the same way as before.
    /** What `info submits` says, as a list of JSON if @p json; NULL: there are none to be told. */
    void (*submits)(void *ctx, struct lull_str *out, struct lull_json *json);
    void *words; ///< Of the shell, which gives free_words with it.
    void (*free_words)(void *words);
    struct lull_dom_index *registers; ///< By name, once one was asked for.
};

/** What a crash dump that goes on says; text in lines. */
struct lull_debug_dumped {
    const char *page, *firmware, *missing; ///< NULL: nothing of that kind is debugged.
    /** Append why nothing is at @p va, if the dump says that something was. NULL: nobody knows. */
    void (*absent)(void *ctx, uint64_t va, struct lull_str *out);
    /** Where the command buffer begins whose rest, from @p address on, runs. */
    uint64_t (*whole)(void *ctx, uint64_t address);
    void *ctx;
};
/** Variables that are known without debug information. A handle is a lull_symvar with `beside`,
 * good until the session ends. */
struct lull_beside_ops {
    /** NULL: there is no such variable at the focused wave, or at lull_debug.place. */
    const struct lull_symvar *(*find)(struct lull_debug *d, const char *name);
    /** Its values at the focused wave, and which lanes have one. */
    struct lull_error *(*enter)(struct lull_debug *d, const struct lull_symvar *v,
                                uint64_t *ret_lanes);
    struct lull_error *(*read)(struct lull_debug *d, const struct lull_symvar *v, unsigned lane,
                               uint64_t offset, void *buf, size_t size);
    struct lull_error *(*write)(struct lull_debug *d, const struct lull_symvar *v, unsigned lane,
                                uint64_t offset, const void *buf, size_t size);
    /** Is line @p line of the dispatch's shader of a function that the one of line @p from calls,
     * or that such a one calls? */
    bool (*is_called)(struct lull_debug *d, uint32_t from, uint32_t line);
    /** A dispatch stands in front of its first wave: keep what its memory is. */
    void (*keep)(struct lull_debug *d);
};

enum lull_debug_launch {
    LULL_LAUNCH_GO,
    LULL_LAUNCH_STOP, ///< They stop in front of their first instruction, as by `start`;
    LULL_LAUNCH_ONCE, ///< ... the next time.
};

/** May a breakpoint wait for code that has its line? */
enum lull_debug_pending {
    LULL_PENDING_AUTO, ///< While no dispatch is in hand.
    LULL_PENDING_ON,
    LULL_PENDING_OFF,
};

struct lull_debug {
    enum lull_debug_pending pending;
    struct lull_target *target;     ///< Borrowed.
    const struct lull_image *image; ///< Borrowed; NULL: no symbols.
    uint64_t image_va;
    struct lull_symbols *symbols; ///< Of the image, once they were asked for. Owned.
    bool symbols_read;
    struct lull_symbols **older; ///< Of images before: expressions may have types of them. Owned.
    size_t nolder;
    char *symbols_wrong;          ///< What is wrong with them; NULL: nothing. Owned.
    const struct lull_symvar *it; ///< For the time of one call.
    const uint64_t *place;        ///< Whose variables names are; NULL: where the focused wave is.
    size_t nwaves, room;
    struct lull_debug_wave *waves; ///< Sorted by number.
    unsigned next_wave;
    unsigned next_breakpoint;
    struct lull_breakpoint **breakpoints; ///< Each stays where it is; number 0: free. Owned.
    size_t nbreakpoints, breakpoints_room;
    struct lull_display displays[LULL_MAX_DISPLAYS]; ///< Owned.
    unsigned focus;                                  ///< Wave number.
    bool has_focus;
    unsigned lane;
    uint32_t block[3]; ///< Work-items of a workgroup, of a kernel; 0: not known.
    unsigned frame;    ///< That the user looks at, from 0 for where the wave is.
    enum lull_locking locking;
    bool break_by_step; ///< lull_debug_break_in_code().
    enum lull_outcome outcome;
    unsigned timeout_ms; ///< How long a resume may take before it counts as a hang; 0: for ever.
    // Programs: targets that have dispatches().
    struct lull_pipelines *pipelines; ///< Code seen so far. Owned.
    struct lull_debug_names *names;   ///< What the names layer told. Owned.
    struct lull_debug_blocks *blocks; ///< Buffers as variables that were asked for. Owned.
    struct lull_debug_lines *lines;   ///< Lines of the driver's code, where they were found. Owned.
    void *source; ///< Code that lull compiled (debug/source), which gives free_source with it.
    void (*free_source)(void *source);
    uint64_t source_dispatch; ///< The dispatch that is to run it: 1 + its number; 0: none.
    void *beside; ///< Interpreted beside a dispatch (debug/source), which gives free_beside.
    void (*free_beside)(void *beside);
    const struct lull_beside_ops *beside_ops; ///< Its variables; NULL: none are known.
    /** Directory of the names of process @p pid into @p dir; false if it has none. May be NULL. */
    bool (*names_dir)(void *ctx, uint32_t pid, char *dir, size_t room);
    struct lull_dispatch_info dispatch; ///< Held now, or the last that was.
    bool has_dispatch;                  ///< dispatch is one.
    struct lull_draw_info draw;         ///< The same of draws.
    bool has_draw;
    bool at_draw;            ///< What came last is the draw, not the dispatch.
    bool going;              ///< lull_debug_go_to() lets waves run.
    struct lull_aimed aimed; ///< What it came to, if it did at the last stop.
    bool pixel_watched;      ///< lull_debug_watch_pixel(): pixel_x, pixel_y.
    uint32_t pixel_x, pixel_y;
    bool held;         ///< It is held, and the user knows.
    bool catches_all;  ///< lull_debug_count_drawn(): everything that comes stops.
    bool hold_pending; ///< One is held that nobody has looked at yet.
    struct lull_debug_packets packets;
    struct lull_debug_dumped dumped;
    char end_note[96];                    ///< How the program ended: "exited with status 3".
    struct lull_kept *kept;               ///< Convenience variables and printed values. Owned.
    unsigned resumes;                     ///< How often waves were let go on.
    const struct lull_step_range *within; ///< For the time of one resume: the step goes on there.
    unsigned caught;     ///< Catchpoint that holds what is held, the last that matched.
    unsigned watch_hit;  ///< Watchpoint that ended the last resume; 0: none did.
    unsigned watch_wave; ///< The wave, the instruction and the lanes of it that did.
    uint64_t watch_pc;
    uint64_t watch_lanes;
    struct lull_wrote watch_pixel; ///< It is the export of this pixel; how NOBODY: it is not.
    uint64_t watch_set;            ///< Tells one set of watchpoints from another.
    uint32_t exceptions;           ///< Those that catchpoints name, as the target knows.
    /** Shall it stop in front of what d->dispatch, or with d->at_draw d->draw, is? NULL: it does.
     */
    enum lull_debug_ask (*ask)(void *ctx);
    void *ask_ctx;
    /** Has the user asked for a stop in front of the next dispatch or draw? May be NULL. */
    bool (*next_wanted)(void *ctx);
    /** lull_debug_set_interrupt(). */
    bool (*interrupted)(void *ctx);
    void *interrupt_ctx;
    bool was_interrupted; ///< The last resume ended so.
    bool json;
    unsigned listsize; ///< Lines that `list` shows at once; 0: ten.
    bool no_pages;     ///< Long text is shown at once, on a terminal, too.
    bool quit;
    int status;              ///< Exit status so far: 1 after a fault or hang.
    uint64_t next_x;         ///< Where `x` without an address goes on.
    const char *listed_file; ///< `list` showed it last; NULL: none. Of the image.
    uint32_t listed_first, listed_last;
    unsigned listed_resumes, listed_focus, listed_frame; ///< As resumes, focus, frame were.
    /** Start the program; set by whoever made the engine. */
    struct lull_error *(*run)(void *ctx);
    /** Kill the program, for targets that have one; NULL: `kill` kills the waves. */
    void (*kill)(void *ctx);
    /** What `info printf` says; may be NULL. */
    void (*printf_info)(void *ctx, struct lull_str *out);
    /** Write a record of what is debugged; @p time NULL: it is not known. NULL: there is none. */
    struct lull_error *(*record)(void *ctx, const uint64_t *time, const char *path);
    bool dprintf_agent;       ///< dprintfs do not stop where that can be done.
    struct lull_agent *agent; ///< Does it. Owned.
    /** A dprintf prints: who (workgroup and thread ...) and what. NULL: nobody listens. */
    void (*printed)(void *ctx, unsigned number, const char *where, const char *text);
    /** Has a check stopped that wave (LULL_STOP_HOST)? @return Lanes that did what was found; 0:
     * no. NULL: there are no checks. */
    uint64_t (*checked)(void *ctx, const struct lull_wave_info *w);
    /** What checks have found, and as JSON if @p json is not NULL; @p w not NULL: what stopped that
     * wave. */
    void (*findings)(void *ctx, const struct lull_wave_info *w, struct lull_str *out,
                     struct lull_json *json);
    /** The other of the two places of what was found of that wave. False: it has none. NULL: there
     * are no checks. */
    bool (*other)(void *ctx, const struct lull_wave_info *w, struct lull_debug_other *ret);
    /** A page for a browser on @p port (0: a free one), in place of the prompt, when commands are
     * done. NULL: there is no prompt. */
    struct lull_error *(*web)(void *ctx, unsigned port);
    /** All is gone through again from the start, up to a time: what checks know then is what they
     * knew. NULL: there are none. */
    void (*check_again)(void *ctx, bool begins);
    /** @p n: what was found when a wave stopped at the time that is come to, the last for it; 0: it
     * is another time. @return How many findings there are. */
    size_t (*check_stands)(void *ctx, size_t n);
    /** Run a command of the host's shell, with what it prints; NULL: whoever types may not. */
    struct lull_error *(*shell)(void *ctx, const char *command, struct lull_str *out);
    /** Of the checks @p those, a list with commas, only @p stops stop waves. */
    void (*check_only)(void *ctx, const char *those, const char *stops);
    /** Tell what was printed since the last time; @p live: more may come. May be NULL. */
    struct lull_error *(*drain)(void *ctx, bool live);
    /** Ends what the session stands on, after lull_debug_free(), if it was opened; else NULL. */
    void (*close)(void *ctx);
    void *run_ctx; ///< For run, kill, printf_info, printed, checks, drain and close.
    struct lull_debug_events events;
    bool record_writers;   ///< A quarter of record_bytes is for who writes memory.
    uint64_t record_bytes; ///< Memory for what waves did, so that it can be gone back (travel.h).
    struct lull_debug_known *known; ///< Waves that have had numbers in this run, nknown. Owned.
    size_t nknown, known_room;
    struct lull_debug_found *found; ///< Stops by checks, nfound, in order of time. Owned.
    size_t nfound;
    bool started;
    enum lull_debug_launch launch; ///< What `run` does with waves that begin.
    bool at_first;                 ///< The last step back came to the first that is remembered.
    /** Files that no command may write over, those that the program is made of; may be NULL. */
    const struct lull_files *files;
};

/** @p target and @p image must outlive the engine; @p image may be NULL. */
struct lull_error *lull_debug_new(struct lull_target *target, const struct lull_image *image,
                                  uint64_t image_va, struct lull_debug **ret) LULL_MUST_USE;
void lull_debug_free(struct lull_debug *d);

/** @return NULL if none has that number. */
struct lull_breakpoint *lull_debug_breakpoint(struct lull_debug *d, unsigned number);

/** A breakpoint at @p place that prints @p what, `"FORMAT",EXPR,...`, for each lane that comes
 * there, and does not stop. */
struct lull_error *lull_debug_dprintf(struct lull_debug *d, const char *place, const char *what,
                                      unsigned *ret_number) LULL_MUST_USE;

/** Focused wave, or LULL_ERR_NOT_FOUND "no wave stands". */
struct lull_error *lull_debug_focused(struct lull_debug *d,
                                      struct lull_debug_wave **ret) LULL_MUST_USE;

/** Has a check stopped that wave? */
bool lull_debug_is_checked(const struct lull_debug *d, const struct lull_debug_wave *w);

/** @return NULL if no wave has that number. */
struct lull_debug_wave *lull_debug_wave_by_number(struct lull_debug *d, unsigned number);

/** Read an expression: its names, registers and types are right. Grammar:
 * docs/formats/expressions.md. */
struct lull_error *lull_debug_parse(struct lull_debug *d, const char *text,
                                    struct lull_expr **ret) LULL_MUST_USE;
/** The same of a text that goes on behind it: @p ret_end. */
struct lull_error *lull_debug_parse_part(struct lull_debug *d, const char *text,
                                         const char **ret_end,
                                         struct lull_expr **ret) LULL_MUST_USE;
/** Its value for the focused wave. */
struct lull_error *lull_debug_value(struct lull_debug *d, const struct lull_expr *e,
                                    struct lull_value *ret) LULL_MUST_USE;
/** Both at once. */
struct lull_error *lull_debug_eval(struct lull_debug *d, const char *text,
                                   struct lull_value *ret) LULL_MUST_USE;
/** The same for one address. */
struct lull_error *lull_debug_address(struct lull_debug *d, const char *text,
                                      uint64_t *ret) LULL_MUST_USE;
/** "symbol+0x12" of a code address, or nothing if no symbol is near. */
void lull_debug_show_symbol(const struct lull_debug *d, uint64_t va, struct lull_str *out);

/** The word for the exception @p excp, one bit of enum lull_exception: "divzero". */
const char *lull_debug_exception_word(uint32_t excp);
/** The catchpoint that the exceptions of @p w belong to, the first; NULL: the program's own. */
const struct lull_breakpoint *lull_debug_catchpoint_of(const struct lull_debug *d,
                                                       const struct lull_debug_wave *w);
/** The instruction behind which @p w stands; false: not known. */
bool lull_debug_raised_at(struct lull_debug *d, const struct lull_debug_wave *w, uint64_t *ret_va);
/** Lanes that show what @p w raised (debug/rdna/raised.h); 0: not known. */
uint64_t lull_debug_raised_lanes(struct lull_debug *d, const struct lull_debug_wave *w);

#endif
