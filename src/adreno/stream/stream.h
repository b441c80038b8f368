// SPDX-License-Identifier: MIT
/** @file
 * Adreno's command processor, packet by packet: lull_astream_step() does one packet and tells a
 * sink what it did.
 *
 * The state is a struct: registers with three values (never written, known, unknown) for each
 * pipe, scratch registers, predicates, mode of rendering, groups of draw state, and an explicit
 * stack of buffers that are run. So to stop before a packet, to step, to find where a GPU hung and
 * to run for real are one loop. Memory is two functions. What a packet does is a row of
 * data/adreno/pm4.sem; nothing is printed here.
 *
 *   step.c    headers, the stack, loops over bins, groups and tables
 *   verbs.c   what rows call: state, memory, calls, draws
 *
 * Assumptions: memory is as the capture or dump has it, with what the CP itself wrote since; a
 * store whose address is not known changes nothing that is known.
 */
#ifndef LULL_ADRENO_STREAM_STREAM_H
#define LULL_ADRENO_STREAM_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "adreno/stream/values.h"
#include "cmd/adreno_pm4.h"
#include "hw/apkt.h"
#include "hw/dom.h"

enum {
    LULL_AS_REGS = 0x40000,
    LULL_AS_GROUPS = 32,
    LULL_AS_OPCODES = 256,
    LULL_AS_FRAMES = 48,
    LULL_AS_DEEPEST = 16, ///< Buffers in buffers.
    LULL_AS_CHIP = 64,    ///< Dwords of memory on the chip.
    LULL_AS_PREDICATES = 32,
    LULL_AS_CALLS = 256,
    LULL_AS_STORES = 4096, ///< Dwords that the CP wrote and that are remembered.
    LULL_AS_RUN = 64,
};

/** Bits of modes of rendering. */
enum lull_as_mode {
    LULL_AS_BINNING = 1,
    LULL_AS_GMEM = 2,
    LULL_AS_SYSMEM = 4,
    LULL_AS_ANY_MODE = 7, ///< Not known yet.
};

/** Bits of pipes: only a7xx has a BV. */
enum lull_as_pipe { LULL_AS_BR = 1, LULL_AS_BV = 2 };

enum lull_as_outcome { LULL_AS_UNKNOWN, LULL_AS_TAKEN, LULL_AS_NOT_TAKEN };

/** Dwords of GPU memory. */
struct lull_as_words {
    const uint32_t *words;
    uint64_t address;
    uint32_t n;
    bool nowhere; ///< A copy: the address means nothing.
};

struct lull_as_memory {
    void *ctx;
    /** Up to @p n dwords at @p address, as far as they are there. */
    struct lull_as_words (*read)(void *ctx, uint64_t address, uint32_t n);
    /** NULL: what the CP writes is remembered, and that is all. */
    void (*write)(void *ctx, uint64_t address, uint32_t value);
};

/** Policies are data. */
struct lull_as_policy {
    enum { LULL_AS_EVALUATE, LULL_AS_ALL, LULL_AS_NONE } conditions; ///< What runs.
    /** Hardware keeps groups and runs them once in each mode; cffdump runs them at a draw and
     * forgets them. */
    enum { LULL_AS_GROUPS_KEPT, LULL_AS_GROUPS_FORGOTTEN } groups;
    bool mesa;        ///< The rows of cffdump, registers that were not written are 0, no problems.
    bool any_header;  ///< Headers of all generations count.
    unsigned deepest; ///< Buffers in buffers; 0: LULL_AS_DEEPEST.
};

struct lull_as_packet {
    uint64_t address;
    const uint32_t *words; ///< With the header.
    uint32_t n;            ///< Dwords that are there.
    uint32_t said;         ///< Dwords that the header promises, itself included.
    enum lull_apkt_type type;
    uint32_t what;    ///< Opcode, or the first register of a write.
    const char *name; ///< Of the opcode; NULL: not known.
    bool dead;        ///< In a part whose condition does not hold: it does nothing.
    bool nowhere;
};

/** The dwords after the header. */
struct lull_apkt_args lull_as_args(unsigned gen, const struct lull_as_packet *p);

enum lull_as_frame_kind {
    LULL_AS_IB,
    LULL_AS_GROUP,  ///< A group of draw state.
    LULL_AS_PREFIX, ///< What runs before a bin.
    LULL_AS_BODY,   ///< The body of a bin, in place.
    LULL_AS_TABLE,  ///< An entry of a table of buffers.
    LULL_AS_DATA,   ///< Dwords of a packet that look like packets.
    LULL_AS_STREAM,
    LULL_AS_LOOP_CALLS, ///< Not buffers, but what is to be run next.
    LULL_AS_LOOP_GROUPS,
    LULL_AS_LOOP_BINS,
    LULL_AS_LOOP_TABLE,
};

/** A buffer that is run, or a loop over some. */
struct lull_as_frame {
    enum lull_as_frame_kind kind;
    unsigned number; ///< Group, bin or entry.
    uint64_t address;
    const uint32_t *words;
    uint32_t dwords, n; ///< As was said; that are there.
    uint32_t next;      ///< Dword of the packet that is next.
    uint32_t dead_to;   ///< Up to there nothing is executed.
    bool nowhere;
    bool left_out;       ///< A group that does not count in this mode: it is only asked about.
    uint8_t flags, mask; ///< Of a group.
    bool waits; ///< The packet was met, and is done when the groups have run; or is being done.
    bool open;  ///< The packet before `next` still runs buffers.
    struct lull_as_packet packet;
    uint32_t i, end; ///< Loops: times, or places in calls.
    uint32_t stride; ///< Of a table, in dwords.
    uint64_t body;   ///< Of bins: its address.
};

struct lull_as_group {
    uint64_t address;
    uint32_t count;  ///< Dwords; 0: there is none.
    uint8_t flags;   ///< 1 dirty, 2 off, 4 all off, 8 at once.
    uint8_t mask;    ///< Modes in which it counts.
    uint8_t pending; ///< Modes in which it was not run yet since it was set.
};

/* What rows of the table tell. */

struct lull_as_group_of {
    uint32_t id, count, modes;
    uint64_t address;
    bool dirty, off, all_off, at_once;
};

struct lull_as_load {
    uint32_t block, type, source, first, units;
    uint64_t address;
    uint32_t set, offset; ///< Source 1: of descriptors, in dwords.
};

enum lull_as_draw_kind { LULL_AS_DRAW, LULL_AS_DISPATCH, LULL_AS_BLIT, LULL_AS_PIXELS };

struct lull_as_draw {
    enum lull_as_draw_kind kind;
    uint32_t prim, op; ///< Primitive; operation of a blit, number of an event.
    uint32_t vertices, instances, first;
    uint32_t draws, stride;          ///< Indirect: how many at most, bytes apart.
    uint64_t index, indirect, count; ///< Addresses; 0: none.
    uint32_t index_bytes;            ///< 0: no indices.
    bool counted;                    ///< The packet says how many vertices.
    uint32_t x, y, z, local_x, local_y, local_z;
    enum lull_as_outcome predicate; ///< Of conditional rendering: TAKEN if it is drawn.
};

enum lull_as_wait {
    LULL_AS_WAIT_IDLE,
    LULL_AS_WAIT_ME,
    LULL_AS_WAIT_WRITES,
    LULL_AS_WAIT_POLL,
    LULL_AS_WAIT_OTHER
};

enum lull_as_problem {
    LULL_AS_BAD_HEADER,   ///< n dwords were skipped.
    LULL_AS_CUT_PACKET,   ///< The buffer ends in it.
    LULL_AS_SHORT_PACKET, ///< It has not all that it needs.
    LULL_AS_NO_BUFFER,    ///< n of dwords are there.
    LULL_AS_CALLS_ITSELF,
    LULL_AS_TOO_DEEP,
    LULL_AS_DRAW_IN_GROUP,
    LULL_AS_TOO_MUCH,
};

enum lull_as_group_what {
    LULL_AS_GROUP_SET,
    LULL_AS_GROUP_AT_ONCE,
    LULL_AS_GROUP_OFF,
    LULL_AS_GROUP_ALL_OFF,
    LULL_AS_GROUP_LEFT_OUT, ///< Of a draw in this mode.
};

/** What happened; of the union the part of `what`. */
struct lull_as_event {
    enum lull_as_what {
        LULL_AS_MET,    ///< A packet, before it does anything.
        LULL_AS_DONE,   ///< It and all that it ran are done.
        LULL_AS_WRITES, ///< Registers, before they change.
        LULL_AS_READ,   ///< The CP reads memory.
        LULL_AS_STORE,  ///< The CP writes memory.
        LULL_AS_ASKS,   ///< A buffer is about to be run; lull_astream.refuse: not.
        LULL_AS_CALL,   ///< It runs: it is on top of the stack.
        LULL_AS_RETURN, ///< It was on top of the stack.
        LULL_AS_GROUPS_TOLD,
        LULL_AS_CONDITION,
        LULL_AS_MARKER,
        LULL_AS_THREAD,
        LULL_AS_TEXT, ///< The payload is text of a driver, maybe.
        LULL_AS_LOADS,
        LULL_AS_DRAWS,
        LULL_AS_EVENT,
        LULL_AS_WAITS,
        LULL_AS_NO_ROW, ///< Nobody knows what the packet does.
        LULL_AS_WRONG,
        LULL_AS_WHATS,
    } what;
    const struct lull_as_packet *packet; ///< NULL: none.
    union {
        struct {
            uint32_t reg, n;
            const uint32_t *values;
            bool known;
        } write;
        struct {
            uint64_t address;
            uint32_t n;
            const uint32_t *values;
            bool known, known_address;
        } memory;
        const struct lull_as_frame *frame;
        struct {
            unsigned id;
            enum lull_as_group_what what;
            const struct lull_as_group *of;
        } group;
        struct {
            enum lull_as_outcome outcome;
            uint32_t dwords;
        } condition;
        const struct lull_as_load *load;
        const struct lull_as_draw *draw;
        uint32_t event;
        struct {
            enum lull_as_wait kind;
            uint32_t space, function, ref, mask; ///< Of a poll. space: 0 register, 1 memory.
            uint64_t address;
        } wait;
        struct {
            enum lull_as_problem kind;
            uint64_t address;
            uint32_t dwords, n;
        } problem;
    } u;
};

struct lull_astream;

/** Who is told. */
struct lull_as_sink {
    void *ctx;
    void (*did)(void *ctx, struct lull_astream *s, const struct lull_as_event *e);
    uint32_t deaf; ///< A bit for each enum lull_as_what that is not told.
};

struct lull_as_row;

struct lull_as_regs {
    uint32_t v[LULL_AS_REGS];
    uint64_t known[LULL_AS_REGS / 64], unknown[LULL_AS_REGS / 64]; ///< Neither: never written.
    uint64_t fresh[LULL_AS_REGS / 64]; ///< Written since lull_astream_forget().
    uint64_t in_written[LULL_AS_REGS / 4096], in_fresh[LULL_AS_REGS / 4096]; ///< Words not 0.
    uint32_t nlist, list[LULL_AS_REGS]; ///< The fresh ones, as they came.
};

/** The state. Owned by the caller, who may look at all of it; large. */
struct lull_astream {
    struct lull_as_policy policy;
    struct lull_as_memory memory;
    struct lull_as_sink sink;
    unsigned gen; ///< 2 to 7; 0: not known yet.
    const char *op_names[LULL_AS_OPCODES];
    const struct lull_dom *op_doms[LULL_AS_OPCODES];
    const struct lull_as_row *op_rows[LULL_AS_OPCODES];
    uint32_t scratch; ///< The first scratch register.
    bool keep_groups; ///< Do not forget groups that have run, whatever the policy says.

    struct lull_as_regs regs[2]; ///< BR, BV.
    unsigned pipes;              ///< enum lull_as_pipe: whose registers are written now.
    uint32_t chip[LULL_AS_CHIP];
    uint64_t chip_known;
    uint32_t predicates, predicates_known;
    struct lull_av draw_predicates[3]; ///< Global, local, result.
    struct lull_as_group groups[LULL_AS_GROUPS];
    uint32_t has_group;   ///< A bit for each that there is.
    unsigned mode;        ///< enum lull_as_mode of draw state.
    bool mode_sure;       ///< The mode is what conditions see.
    uint32_t marker;      ///< Of CP_SET_MARKER.
    uint32_t render_mode; ///< Of CP_SET_RENDER_MODE.
    uint32_t thread;      ///< Of CP_THREAD_CONTROL.

    unsigned nframes; ///< The stack, the stream first.
    struct lull_as_frame frames[LULL_AS_FRAMES];
    unsigned here;  ///< The frame of the packet that is being done.
    unsigned level; ///< Buffers below the stream that are run.
    bool in_groups;
    unsigned ncalls; ///< That the packet asked for, and those of packets below.
    struct lull_as_call {
        enum lull_as_frame_kind kind;
        unsigned number;
        uint32_t dwords;
        uint64_t address;
        bool left_out;
        uint8_t flags, mask;
    } calls[LULL_AS_CALLS];
    uint64_t work;                       ///< Dwords that may still be gone through.
    bool idle;                           ///< That was too much.
    bool stop;                           ///< A sink has seen enough.
    bool refuse;                         ///< A sink does not want this buffer run.
    unsigned unsure;                     ///< In what may not happen.
    const struct lull_as_packet *packet; ///< That is being done.

    struct { ///< Registers or memory that are being written one after the other.
        enum { LULL_AS_NO_RUN, LULL_AS_RUN_REGS, LULL_AS_RUN_MEMORY } kind;
        uint64_t at;
        uint32_t n;
        bool known;
        uint32_t values[LULL_AS_RUN];
    } run;
    unsigned nstores;
    bool forgets; ///< More was written than is remembered.
    struct lull_as_store {
        uint64_t address; ///< 0: none.
        uint32_t value;
        bool known;
    } stores[LULL_AS_STORES];
};

/** Forget everything but policy, memory, sink and generation. Zeroes with a mode are as good. */
void lull_astream_reset(struct lull_astream *s);
/** The generation is known: names and rows of opcodes. */
void lull_astream_set_gpu(struct lull_astream *s, unsigned gen);
/** Run @p w next, with no more than @p work dwords. State stays. @return False: it is empty. */
bool lull_astream_start(struct lull_astream *s, struct lull_as_words w, uint64_t work);
/** Do one packet, and go to the next. @return False: there is none. */
bool lull_astream_step(struct lull_astream *s);
/** Run the groups of draw state now, within what a sink is told. */
void lull_astream_run_groups(struct lull_astream *s);
/** There are no groups of draw state any more. */
void lull_astream_drop_groups(struct lull_astream *s);
/** The work of @p n dwords; false: there may be no more in this stream. */
bool lull_astream_work(struct lull_astream *s, uint64_t n);

/** Address of the packet that is next; 0: there is none. */
uint64_t lull_astream_at(const struct lull_astream *s);
/** No register is fresh any more, in the pipes that read now. */
void lull_astream_forget(struct lull_astream *s);
/** The first register from @p from on that is fresh, or was ever written (@p all); LULL_AS_REGS:
 * none. */
uint32_t lull_astream_next_reg(const struct lull_astream *s, bool all, uint32_t from);
/** The registers of the pipe that reads now. */
const struct lull_as_regs *lull_astream_regs(const struct lull_astream *s);

#endif
