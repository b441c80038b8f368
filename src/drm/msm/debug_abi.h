// SPDX-License-Identifier: MIT
/** @file
 * Files in debugfs by which a model Adreno is stopped and looked at: the virtual msm's own. No real
 * kernel has them, because no real GPU of this family can stop a wave in front of an instruction.
 * docs/formats/debugfs.md says what each does.
 */
#ifndef LULL_DRM_MSM_DEBUG_ABI_H
#define LULL_DRM_MSM_DEBUG_ABI_H

#include <stdint.h>

#include "drm/core/time_abi.h"

#define LULL_MSM_CONTROL "lull_control"         ///< Write struct lull_msm_control; read _state.
#define LULL_MSM_WAVES "lull_waves"             ///< struct lull_msm_wave, all there are.
#define LULL_MSM_WAVE_REGS "lull_wave_regs"     ///< Dwords at lull_msm_reg_at().
#define LULL_MSM_DISPATCHES "lull_dispatches"   ///< struct lull_msm_dispatch, by number.
#define LULL_MSM_DRAWS "lull_draws"             ///< struct lull_msm_draw, by number.
#define LULL_MSM_INVOCATIONS "lull_invocations" ///< struct lull_msm_invocation, by fiber.
#define LULL_MSM_MEMORY "lull_memory"           ///< By address, as what began last sees it.
#define LULL_MSM_LOCAL "lull_local"             ///< Shared memory of the group under way.
#define LULL_MSM_REGISTERS "lull_registers"     ///< The GPU's registers, 4 bytes each.
#define LULL_MSM_MAPS "lull_maps"               ///< struct lull_msm_map of that address space.
#define LULL_MSM_PACKETS "lull_packets" ///< Write struct lull_msm_packet_watch; read _state.
#define LULL_MSM_REGISTER_STATES "lull_register_states" ///< enum lull_msm_reg_state, a byte each.
#define LULL_MSM_TIME "lull_time" ///< Back in time: see struct lull_msm_time_op.

enum lull_msm_op {
    LULL_MSM_WATCH = 1, ///< flags, n, at: what stops from now on, until the file is closed.
    LULL_MSM_RELEASE,   ///< Let the held dispatch or draw, or the command processor, go.
    LULL_MSM_GO,        ///< go, step: waves by their number in the group, a bit each, all at once.
    LULL_MSM_INTERRUPT,
};

enum { LULL_MSM_BREAKPOINTS = 64, LULL_MSM_MAX_WAVES = 64 };
enum lull_msm_watch {
    LULL_MSM_WATCH_DISPATCHES = 1,
    LULL_MSM_WATCH_STARTS = 2,
    LULL_MSM_WATCH_DRAWS = 4
};

struct lull_msm_control {
    uint32_t op, flags;
    uint64_t go;   ///< These go on.
    uint64_t step; ///< Of these, these for one instruction.
    uint64_t n, at[LULL_MSM_BREAKPOINTS];
};

struct lull_msm_control_state {
    uint64_t dispatches, draws; ///< How many there have been.
    uint32_t held;   ///< 1: the newest dispatch is; 2: the newest draw; 3: the command processor.
    uint32_t stands; ///< 1: it is, or waves stand.
};

enum lull_msm_packet_by {
    LULL_MSM_PACKET_AT,     ///< Its address.
    LULL_MSM_PACKET_OP,     ///< Its opcode.
    LULL_MSM_PACKET_REG,    ///< It writes this register.
    LULL_MSM_PACKET_NUMBER, ///< Its number, in `stream`.
};

enum { LULL_MSM_PACKET_STOPS = 64, LULL_MSM_FRAMES = 16 };

/** In front of which packets the command processor stops, until the file is closed. Command buffers
 * of submits are streams, counted from 0 since the GPU was there; their packets are, too, in the
 * order in which they run, with those of what they call. */
struct lull_msm_packet_watch {
    uint32_t on;       ///< 0: nowhere.
    uint32_t troubles; ///< 1: also at what goes wrong; a wait that the GPU cannot end is that.
    uint32_t deepest;  ///< Not 0: the next one in a buffer of at most that level, 1 is the stream.
    uint32_t n;
    struct {
        uint64_t by, value, stream; ///< by: enum lull_msm_packet_by; stream: UINT64_MAX is any.
    } at[LULL_MSM_PACKET_STOPS];
};

enum lull_msm_packet_stop {
    LULL_MSM_PACKET_NOT,
    LULL_MSM_PACKET_ARRIVED, ///< In front of it.
    LULL_MSM_PACKET_FAULT,   ///< Behind it: memory refused it something.
    LULL_MSM_PACKET_WAITS,   ///< In it: it waits, and nobody will write that.
    LULL_MSM_PACKET_WRONG,   ///< At it: the command processor cannot take it.
};

struct lull_msm_packet_state {
    uint32_t stop, dead; ///< dead: its condition did not hold.
    uint64_t streams;    ///< Begun so far; the packet is of the last.
    uint64_t number, address;
    uint64_t met;  ///< Packets of that stream that have begun.
    uint64_t hits; ///< ARRIVED: a bit for each of `at` that it is.
    uint64_t fault_address, wait_address;
    uint32_t fault_write, wait_memory; ///< wait_memory 0: wait_address is a register.
    uint32_t function, ref, mask;
    uint32_t next, pad; ///< next 1: ARRIVED as the next one.
    uint32_t nframes;   ///< Buffers that are run, the stream first.
    struct {
        uint64_t address;
        uint32_t dwords, next; ///< next: dword of the packet.
        uint32_t kind, number; ///< enum lull_as_frame_kind; of a group, bin or entry.
    } frames[LULL_MSM_FRAMES];
    char block[16];
    char wrong[160];
};

enum lull_msm_reg_state { LULL_MSM_REG_NEVER, LULL_MSM_REG_KNOWN, LULL_MSM_REG_UNKNOWN };

enum lull_msm_stop {
    LULL_MSM_STOP_NOT,
    LULL_MSM_STOP_START,
    LULL_MSM_STOP_STEP,
    LULL_MSM_STOP_BREAKPOINT,
    LULL_MSM_STOP_HOST,
    LULL_MSM_STOP_MEMORY,
    LULL_MSM_STOP_ILLEGAL,
};

enum lull_msm_stage { LULL_MSM_VS, LULL_MSM_FS, LULL_MSM_CS };

struct lull_msm_wave {
    uint64_t group; ///< Number of its group, of all that the GPU has run.
    uint32_t id[3]; ///< The same as the shader knows it.
    uint32_t number, fibers, stop, barrier;
    uint32_t fault_fiber, fault_write, stage;
    uint64_t pc, exec[2], ninsns, fault_address, fault_pc;
    uint64_t work;       ///< Number of its dispatch or draw.
    uint64_t helpers[2]; ///< Of pixels: they are there for the derivatives of others.
    char wrong[128];
};

enum lull_msm_phase {
    LULL_MSM_HELD,
    LULL_MSM_RUNNING,
    LULL_MSM_DONE,
    LULL_MSM_KILLED,
    LULL_MSM_LOST
};

struct lull_msm_dispatch {
    uint64_t number, code, began, ended; ///< began, ended: cycles.
    uint32_t phase, pid, client;         ///< client: the open file.
    uint32_t ninsns, groups[3], local[3], fibers;
    uint32_t full, half; ///< Registers of a fiber.
    uint32_t local_bytes;
};

/** A draw, or a draw in one tile of a picture. */
struct lull_msm_draw {
    uint64_t number, began, ended, index; ///< index: address of the first.
    uint64_t packet;                      ///< Address of the packet that draws.
    uint32_t phase, pid, client;
    uint32_t prim;         ///< enum pc_di_primtype.
    uint32_t part, unused; ///< part: which of the packet's draws it is.
    uint32_t vertices, instances, index_bytes;
    uint32_t tiled;     ///< 1: to GMEM.
    uint32_t window[4]; ///< Where it may draw, x0 y0 x1 y1.
    struct {
        uint64_t code;
        uint32_t ninsns, fibers, full, half;
    } stage[2]; ///< VS, FS.
};

/** Which invocation of its shader a fiber of a draw is, at byte (wave * 128 + fiber) * 40. */
struct lull_msm_invocation {
    uint32_t stage, vertex, instance, x, y, sample, primitive, layer;
    uint32_t per_sample, helper;
};

/** Of a dispatch or draw under way; times are instructions of its waves. Written to lull_time at 0.
 * All that is remembered goes when the file is closed. */
enum lull_msm_time {
    LULL_MSM_REMEMBER = 1, ///< From the next one on, in `value` bytes; 0: nothing.
    LULL_MSM_TRAVEL,       ///< All is as it was at time `value`, or will be, and waves stand.
    LULL_MSM_TRAVEL_AGAIN, ///< The same; all is executed again for that.
};

struct lull_msm_time_op {
    uint32_t op, pad;
    uint64_t value;
};

/** Read from lull_time at 0. */
struct lull_msm_time_state {
    uint32_t on, ended;        ///< ended: the dispatch has, and nothing is held yet.
    uint32_t held, pad;        ///< held: the next one is.
    uint64_t first, now, last; ///< The earliest that can be gone to; now; the latest so far.
    uint64_t marks, bytes;     ///< Snapshots, and what all costs.
    uint64_t found, from;      ///< Of the last search: how many, and how far back it looked.
};

enum { LULL_MSM_CODES = 4096, LULL_MSM_RANGES = 8 };
enum lull_msm_memory {
    LULL_MSM_IN_GLOBAL,
    LULL_MSM_IN_LOCAL,
    LULL_MSM_IN_REGISTERS,
    LULL_MSM_IN_PRIVATE, ///< Bytes of what each fiber of half `half` of `wave` has.
};

/** Written to lull_time at 0: look for instructions that were executed before `until`. */
struct lull_msm_search {
    uint64_t until;
    uint32_t all;                      ///< 1: all of half `half` of wave `wave` of that group.
    uint32_t wave, half, workgroup[3]; ///< wave: its number in the group; UINT32_MAX: all waves.
    uint32_t ncodes, nranges;
    uint64_t codes[LULL_MSM_CODES]; ///< Addresses of instructions.
    struct {
        uint64_t address, size;      ///< Bytes; of registers a number of `bank`, and how many.
        uint32_t memory, loads;      ///< enum lull_msm_memory; loads 1: who reads, too.
        uint32_t bank, workgroup[3]; ///< workgroup: of shared memory.
    } ranges[LULL_MSM_RANGES];
};

/** What the last search found: struct lull_time_record, at LULL_TIME_TRACE_AT, the oldest first.
 * place is this. */
static inline uint32_t lull_msm_place(uint32_t wave, uint32_t half)
{
    return wave | half << 8;
}

struct lull_msm_map {
    uint64_t iova, size;
    uint32_t writable, pad;
    char name[32];
};

enum lull_msm_bank {
    LULL_MSM_FULL,
    LULL_MSM_HALF,
    LULL_MSM_CONST,
    LULL_MSM_ADDRESS,
    LULL_MSM_PREDICATE,
    LULL_MSM_PC,  ///< Number 0: the low half, 1: the high one.
    LULL_MSM_UBO, ///< Descriptors that are not bindless, two dwords each; instead of a fiber, the
                  ///< stage of what is under way, enum lull_msm_stage.
};

/** Bit positions in the offset of lull_wave_regs; registers' numbers are 4 times the register and 0
 * to 3, as instructions have them. */
enum {
    LULL_MSM_REG_FIBER = 2,
    LULL_MSM_REG_NUMBER = 9,
    LULL_MSM_REG_BANK = 24,
    LULL_MSM_REG_WAVE = 28
};

static inline uint64_t lull_msm_reg_at(uint32_t wave, enum lull_msm_bank bank, uint32_t number,
                                       uint32_t fiber)
{
    return (uint64_t)wave << LULL_MSM_REG_WAVE | (uint64_t)bank << LULL_MSM_REG_BANK |
           (uint64_t)number << LULL_MSM_REG_NUMBER | (uint64_t)fiber << LULL_MSM_REG_FIBER;
}

#endif
