// SPDX-License-Identifier: MIT
/** @file
 * A model Adreno stopped and looked at: struct lull_agpu_ops.debug. No real GPU of this family can
 * do that; who shows it to a user says so.
 *
 * A dispatch may be held in front of its first group, a draw in front of its first vertices. Waves
 * stop in front of instructions, all that there are at once: those of one group, as the model runs
 * one after the other; a wave of a draw is a group of its own. While anything stands, run() moves
 * nothing.
 *
 * Where a program draws by tiles, a draw counts once for each: it is another draw to the GPU.
 *
 * The command processor stops in front of packets of programs' command buffers; those of the ring
 * are the kernel's and do not count. If that is asked for, it also stands where it would wait for
 * ever, behind a packet whose access memory refused, and at what it cannot take: the driver hears
 * of that only when it is let go.
 */
#ifndef LULL_MODEL_ADRENO_DEBUG_H
#define LULL_MODEL_ADRENO_DEBUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lull_agpu;
struct lull_error;

enum lull_agpu_stop {
    LULL_AGPU_STOP_NOT, ///< It runs.
    LULL_AGPU_STOP_START,
    LULL_AGPU_STOP_STEP,
    LULL_AGPU_STOP_BREAKPOINT,
    LULL_AGPU_STOP_HOST,    ///< Another wave stopped, or somebody asked.
    LULL_AGPU_STOP_MEMORY,  ///< Behind an instruction that memory refused: fault_*.
    LULL_AGPU_STOP_ILLEGAL, ///< At an instruction that it cannot execute: wrong.
};

enum {
    LULL_AGPU_BREAKPOINTS = 64,
    LULL_AGPU_RECORDS = 256,
    LULL_AGPU_FIBERS = 128,
    LULL_AGPU_DISPATCHES = 16384
}; ///< Records of dispatches.

/** What is to stop. */
struct lull_agpu_stops {
    bool dispatches; ///< Each is held in front of its first group.
    bool draws;      ///< The same of draws.
    bool starts;     ///< New waves stop in front of their first instruction.
    unsigned n;
    uint64_t at[LULL_AGPU_BREAKPOINTS]; ///< Breakpoints: addresses of instructions.
};

enum lull_agpu_stage { LULL_AGPU_VS, LULL_AGPU_FS, LULL_AGPU_CS, LULL_AGPU_STAGES };

/** A wave of the group under way. */
struct lull_agpu_wave {
    enum lull_agpu_stage stage;
    uint64_t work;  ///< Number of its dispatch or draw.
    uint64_t group; ///< Number of its group, of all that the GPU has run.
    uint32_t id[3]; ///< The same as the shader knows it.
    uint32_t number, fibers;
    enum lull_agpu_stop stop;
    bool barrier; ///< It waits at one; pc is behind it.
    uint64_t pc, exec[2], ninsns;
    uint64_t helpers[2]; ///< Of pixels: fibers that are there for the derivatives of others.
    uint64_t fault_address, fault_pc;
    uint32_t fault_fiber;
    bool fault_write;
    char wrong[128];
};

enum lull_agpu_phase {
    LULL_AGPU_HELD,
    LULL_AGPU_RUNNING,
    LULL_AGPU_DONE,
    LULL_AGPU_KILLED,
    LULL_AGPU_LOST, ///< Too long ago: nothing else is known.
};

struct lull_agpu_dispatch {
    uint64_t number;
    enum lull_agpu_phase phase;
    uint64_t ttbr0; ///< Of its address space.
    uint64_t code, began, ended;
    uint32_t ninsns, groups[3], local[3], fibers, full, half;
    uint32_t local_bytes; ///< Of a group.
};

/** A draw, or a draw in one of the tiles of a picture. */
struct lull_agpu_draw {
    uint64_t number;
    enum lull_agpu_phase phase;
    uint64_t ttbr0;
    uint64_t began, ended;
    struct {
        uint64_t code;
        uint32_t ninsns, fibers, full, half;
    } stage[2];    ///< VS, FS.
    unsigned prim; ///< enum pc_di_primtype.
    uint32_t vertices, instances, index_bytes;
    uint64_t index;     ///< Of the first index.
    uint64_t packet;    ///< Address of the packet that draws.
    uint32_t part;      ///< Which of its draws it is.
    bool tiled;         ///< It draws to GMEM.
    uint32_t window[4]; ///< Where it may draw, x0 y0 x1 y1: the tile, if there are tiles.
};

/** Which invocation of its shader a fiber of a draw is. */
struct lull_agpu_invocation {
    enum lull_agpu_stage stage;
    uint32_t vertex, instance;               ///< As gl_VertexIndex and gl_InstanceIndex.
    uint32_t x, y, sample, primitive, layer; ///< Of fragments.
    bool per_sample, helper;
};

/** Why the command processor stands. */
enum lull_agpu_packet_stop {
    LULL_AGPU_PACKET_NOT,
    LULL_AGPU_PACKET_ARRIVED, ///< In front of a packet, as asked.
    LULL_AGPU_PACKET_FAULT,   ///< Behind one that memory refused something; it is that one.
    LULL_AGPU_PACKET_WAITS,   ///< In one that waits for what nobody writes.
    LULL_AGPU_PACKET_WRONG,   ///< At one that it cannot take; let go, it is a hang.
};

enum lull_agpu_packet_by {
    LULL_AGPU_PACKET_AT,     ///< Its address.
    LULL_AGPU_PACKET_OP,     ///< Its opcode.
    LULL_AGPU_PACKET_REG,    ///< It writes this register.
    LULL_AGPU_PACKET_NUMBER, ///< Its number, in `stream`.
};

enum { LULL_AGPU_PACKETS = 64, LULL_AGPU_FRAMES = 16 };

/** In front of which packets to stop. A command buffer that the ring calls is a stream; packets of
 * a stream have numbers from 0, in the order in which they run, with what it calls. */
struct lull_agpu_packet_stops {
    bool troubles;    ///< Also at what goes wrong. Nobody but the GPU writes memory.
    uint32_t deepest; ///< Not 0: the next in a buffer of at most that level, 1 is the stream.
    unsigned n;
    struct {
        enum lull_agpu_packet_by by;
        uint64_t value, stream; ///< stream: UINT64_MAX is any.
    } at[LULL_AGPU_PACKETS];
};

/** Where the command processor is, in streams. */
struct lull_agpu_packet {
    enum lull_agpu_packet_stop stop;
    uint64_t streams; ///< Begun so far; the last one is that of `number`.
    uint64_t number;  ///< Of the packet that it stands in front of, or that it is in.
    uint64_t address; ///< Of the same.
    uint64_t met;     ///< Packets of the stream that have begun.
    bool dead;        ///< It does nothing: a condition did not hold.
    bool next;        ///< ARRIVED: as the next one;
    uint64_t hits;    ///< and as those of `at`, a bit each.
    unsigned nframes; ///< Buffers that are run, the stream first.
    struct {
        unsigned kind, number; ///< enum lull_as_frame_kind; of a group, bin or entry.
        uint64_t address;
        uint32_t dwords, next; ///< next: dword of the packet.
    } frames[LULL_AGPU_FRAMES];
    /* FAULT */
    uint64_t fault_address;
    bool fault_write;
    char block[16];
    /* WAITS */
    uint64_t wait_address;
    uint32_t wait_space, function, ref, mask; ///< wait_space: 1 memory, else a register.
    char wrong[160];
};

/** What registers a debugger may see; numbers as instructions have them, 4 times the register and 0
 * to 3. */
enum lull_agpu_bank {
    LULL_AGPU_FULL, ///< r48.x and above are shared: fiber counts for nothing.
    LULL_AGPU_HALF,
    LULL_AGPU_CONST,
    LULL_AGPU_ADDRESS,   ///< a0.x, a1.x
    LULL_AGPU_PREDICATE, ///< p0.x to p0.w
    LULL_AGPU_PC,        ///< 0: the low half of the address, 1: the high one.
    LULL_AGPU_UBO,       ///< Descriptors that are not bindless, by dword; fiber: the stage.
};

struct lull_agpu_reg {
    uint32_t wave; ///< Its number in the group.
    enum lull_agpu_bank bank;
    uint32_t number, fiber;
};

enum lull_agpu_reg_state { LULL_AGPU_REG_NEVER, LULL_AGPU_REG_KNOWN, LULL_AGPU_REG_UNKNOWN };

/** What is remembered of the dispatch under way. Times are instructions of its waves. */
struct lull_agpu_travel {
    bool on;
    bool ended;                ///< The dispatch has, and nothing else is held yet.
    bool held;                 ///< The next one is.
    uint64_t first, now, last; ///< The earliest that can be gone to; now; the latest so far.
    uint64_t marks, bytes;     ///< Snapshots; what all of it costs.
};

enum { LULL_AGPU_CODES = 4096, LULL_AGPU_RANGES = 8, LULL_AGPU_FOUND = 1 << 16 };

enum lull_agpu_memory {
    LULL_AGPU_GLOBAL,
    LULL_AGPU_LOCAL,
    LULL_AGPU_REGISTERS,
    LULL_AGPU_PRIVATE, ///< Bytes of what each fiber of `who` has.
};

/** A half of a wave: 64 fibers. */
struct lull_agpu_half {
    uint32_t wave, half, workgroup[3]; ///< wave: its number in the group; UINT32_MAX: all are.
};

/** Instructions that are looked for. */
struct lull_agpu_search {
    bool all;                  ///< All of `who`.
    struct lull_agpu_half who; ///< Whose registers ranges are of, too.
    unsigned ncodes, nranges;
    uint64_t codes[LULL_AGPU_CODES]; ///< Addresses, in order.
    struct {
        enum lull_agpu_memory memory;
        bool loads;             ///< Who reads it, too.
        uint64_t address, size; ///< Bytes; of registers a number, and how many there are.
        enum lull_agpu_bank bank;
        uint32_t workgroup[3]; ///< Of LOCAL.
    } ranges[LULL_AGPU_RANGES];
};

enum { LULL_AGPU_HIT_ALL = 1, LULL_AGPU_HIT_CODE = 2, LULL_AGPU_HIT_RANGE = 4 };

/** One that was executed. */
struct lull_agpu_found {
    uint64_t time, pc, exec, executed; ///< In front of it; executed: by its wave.
    uint64_t lanes;                    ///< That touched a range.
    struct lull_agpu_half who;
    uint32_t fibers; ///< Of its wave.
    uint32_t hits;   ///< LULL_AGPU_HIT_*; of range n LULL_AGPU_HIT_RANGE << n.
};

struct lull_agpu_debug_ops {
    /** From now on; NULL: nothing stops, and what stands goes on. */
    void (*watch)(struct lull_agpu *g, const struct lull_agpu_stops *s);
    /** Does a dispatch or a wave stand? */
    bool (*stands)(const struct lull_agpu *g);
    /** Dispatches so far. */
    uint64_t (*count)(const struct lull_agpu *g);
    /** False: there is none with that number yet. */
    bool (*dispatch)(const struct lull_agpu *g, uint64_t number, struct lull_agpu_dispatch *ret);
    /** The same of draws. */
    uint64_t (*ndraws)(const struct lull_agpu *g);
    bool (*draw)(const struct lull_agpu *g, uint64_t number, struct lull_agpu_draw *ret);
    /** The address space of what began last, dispatch or draw; 0: nothing has. */
    uint64_t (*space)(const struct lull_agpu *g);
    /** From now on; NULL: the command processor does not stop, and goes on if it stands. */
    void (*watch_packets)(struct lull_agpu *g, const struct lull_agpu_packet_stops *s);
    void (*packet)(const struct lull_agpu *g, struct lull_agpu_packet *ret);
    /** Was register @p reg, by dword offset, ever written, and is its value known? */
    enum lull_agpu_reg_state (*register_state)(const struct lull_agpu *g, uint32_t reg);
    /** Let the held dispatch or draw, or the command processor, go. @return False: none is. */
    bool (*release)(struct lull_agpu *g);
    /** Waves of the group under way that have not ended. @return How many. */
    unsigned (*waves)(const struct lull_agpu *g, struct lull_agpu_wave *ret, unsigned room);
    /** A wave that stands goes on. @return False: there is none. */
    bool (*go)(struct lull_agpu *g, uint32_t wave, bool step);
    /** All waves stop. */
    void (*interrupt)(struct lull_agpu *g);
    /** A dword of a wave. @return False: no such wave or register, or it cannot be written. */
    bool (*read)(const struct lull_agpu *g, const struct lull_agpu_reg *r, uint32_t *ret);
    bool (*write)(struct lull_agpu *g, const struct lull_agpu_reg *r, uint32_t value);
    /** Which invocation fiber @p fiber of the wave of a draw under way is. @return False: none. */
    bool (*invocation)(const struct lull_agpu *g, uint32_t wave, uint32_t fiber,
                       struct lull_agpu_invocation *ret);
    /** Shared memory of the group under way; NULL: none. */
    uint8_t *(*local)(struct lull_agpu *g, uint32_t *ret_bytes);
    /** Remember what dispatches do that begin from now on, in at most @p bytes; 0: nothing is. */
    void (*remember)(struct lull_agpu *g, uint64_t bytes);
    void (*travelled)(const struct lull_agpu *g, struct lull_agpu_travel *ret);
    /** All is as it was at @p time, and waves stand; or as it will be, if the dispatch has not
     * ended and comes there. @p again: by executing all from the first time that is remembered,
     * while observers look. @return LULL_ERR_NOT_FOUND: nothing is remembered of that. */
    struct lull_error *(*travel)(struct lull_agpu *g, uint64_t time, bool again);
    /** Look for what was executed before @p until, from the snapshot before on. What is under way
     * stands at @p until then. @p ret_from: before that it was not looked; @p ret_n: how many. */
    struct lull_error *(*search)(struct lull_agpu *g, const struct lull_agpu_search *what,
                                 uint64_t until, uint64_t *ret_from, size_t *ret_n);
    /** The n-th of the last search; NULL: there is none. */
    const struct lull_agpu_found *(*found)(const struct lull_agpu *g, size_t n);
    /** A debugger is about to write: memory, or with @p bytes 0 what only waves see. */
    void (*touches)(struct lull_agpu *g, uint64_t address, uint64_t bytes);
};

#endif
