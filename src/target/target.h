// SPDX-License-Identifier: MIT
/** @file
 * Target: a GPU with state to look at, wherever that state is.
 *
 * The debugger engine (src/debug/) knows only this file, so it is tested
 * against a scripted target and used against the virtual driver and hardware.
 * Calls a target cannot do are NULL in its ops.
 */
#ifndef LULL_TARGET_TARGET_H
#define LULL_TARGET_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lull/debug.h> // enum lull_stop, lull_watch_kind, lull_exception

#include "base/error.h"

struct lull_arch;
struct lull_target;

/** GPU time, in ms, after which work is a hang if nobody says another: run, debug, the library. */
enum { LULL_TARGET_HANG_MS = 1000 };

/** Names a wave while it lives: hardware slot and how often that slot was used. Never reused. */
typedef uint64_t lull_wave_key;

/** As many as a GPU of AMD's has: TCP_WATCH0 to 3. */
enum { LULL_WATCHPOINTS = 4 };
/** Hardware watches whole lines (128 bytes on gfx11) around what is asked for. */
struct lull_watchpoint {
    uint64_t va, size;
    enum lull_watch_kind kind;
};

/** Where a dispatch is in its life. */
enum lull_dispatch_phase {
    LULL_PHASE_HELD, ///< In front of its first wave, because it was caught.
    LULL_PHASE_RUNNING,
    LULL_PHASE_DONE,
    LULL_PHASE_KILLED, ///< Its job was ended before it.
};

/** Programs of a draw, in the order in which they run: AMD's, then an Adreno's. */
enum lull_draw_stage {
    LULL_STAGE_HULL,
    LULL_STAGE_GEOMETRY,
    LULL_STAGE_PIXEL,
    LULL_STAGE_VERTEX,
    LULL_STAGE_FRAGMENT,
    LULL_STAGES
};

/** What a dispatch on an Adreno has besides. All 0: it is not one. */
struct lull_adreno_dispatch {
    uint32_t fibers;      ///< Of a wave: 64 or 128.
    uint32_t full, half;  ///< Registers of a fiber.
    uint32_t local_bytes; ///< Shared memory of a group.
    uint32_t ninsns;      ///< SP_CS_INSTRLEN, in instructions.
    bool of_draw;         ///< It is the `stage` of a draw.
    enum lull_draw_stage stage;
};

/** A dispatch of a debugged program, as the GPU was told it. */
struct lull_dispatch_info {
    uint64_t number; ///< From 0, over all processes.
    uint32_t pid;
    uint32_t client;      ///< Address space: the open DRM file.
    unsigned ring_number; ///< 0 gfx, 1 and up compute rings.
    const char *ring;     ///< "gfx", "comp_1.0.0" ... Owned by the target.
    unsigned vmid;
    enum lull_dispatch_phase phase;
    uint64_t job;   ///< Sequence number of its submission.
    uint64_t frame; ///< What its process had presented when it was submitted.
    uint64_t code_va;
    uint32_t rsrc1, rsrc2, rsrc3, initiator, tmpring;
    uint64_t scratch_va;
    uint32_t grid[3];  ///< Workgroups.
    uint32_t block[3]; ///< Work-items of a workgroup.
    uint32_t start[3]; ///< First workgroup.
    /** Of the packet, and COMPUTE_START_X, COMPUTE_NUM_THREAD_X to Z, as they are. */
    uint32_t raw_grid[3], raw_start[3], raw_block[3];
    uint32_t cus[8]; ///< COMPUTE_STATIC_THREAD_MGMT_SE0 to 7.
    uint32_t user_data[16];
    uint32_t first_user; ///< SGPR that user_data[0] is in; not 0 for stages of draws alone.
    uint64_t start_cycle, end_cycle;
    struct lull_adreno_dispatch adreno; ///< Instead of rsrc1 and the like.
};

/** What a draw on an Adreno has besides. */
struct lull_adreno_draw {
    unsigned prim;      ///< enum pc_di_primtype.
    bool tiled;         ///< It draws to GMEM: this is the draw in one tile.
    uint32_t window[4]; ///< Where it may draw, x0 y0 x1 y1: the tile, if there are tiles.
    struct lull_adreno_dispatch stage[LULL_STAGES]; ///< Of VERTEX, FRAGMENT; no local_bytes.
};

/** A draw of a debugged program, as the GPU was told it. Draws have numbers of their own. */
struct lull_draw_info {
    uint64_t number; ///< From 0, over all processes.
    uint32_t pid;
    uint32_t client; ///< Address space: the open DRM file.
    unsigned vmid;
    enum lull_dispatch_phase phase;
    uint64_t job;                  ///< Sequence number of its submission.
    uint64_t frame;                ///< What its process had presented when it was submitted.
    uint64_t packet;               ///< Address of the packet.
    uint32_t part;                 ///< Which draw of a packet with several.
    uint64_t code_va[LULL_STAGES]; ///< 0: the stage is off.
    uint32_t count, instances;     ///< Vertices or indices.
    uint64_t index_va;             ///< Of the first index.
    uint32_t index_bytes;          ///< 0: vertices are numbered.
    bool rectangles;               ///< No program's, but the driver's own: clears and copies.
    uint32_t grid[3];              ///< Of mesh workgroups; all 0: not a mesh draw.
    uint64_t start_cycle, end_cycle;
    struct lull_adreno_draw adreno;
};

/** Which invocation of its shader a lane of a draw is. */
struct lull_invocation {
    enum lull_draw_stage stage;
    uint32_t vertex, instance;               ///< As gl_VertexIndex and gl_InstanceIndex.
    uint32_t x, y, sample, primitive, layer; ///< Of pixels.
    bool per_sample;                         ///< The shader runs for that sample alone.
    bool helper;                             ///< It is there for the derivatives of others.
};

/** What became of a sample of the pixel that is watched. */
enum lull_fate {
    LULL_FRAGMENT_KEPT, ///< Behind all tests.
    LULL_FRAGMENT_DISCARD,
    LULL_FRAGMENT_MASK,
    LULL_FRAGMENT_BOUNDS,
    LULL_FRAGMENT_STENCIL_TEST,
    LULL_FRAGMENT_DEPTH_TEST,
};

enum { LULL_TARGETS = 8 };

/** R G B A of a sample in a colour target; integers as their bits. */
struct lull_texel_change {
    float shader[4], before[4], after[4]; ///< What the shader gave, what was and is there.
};

/** A sample of it that a primitive covered. */
struct lull_fragment {
    uint64_t draw; ///< Number of the draw.
    uint32_t x, y, layer, sample, prim, instance;
    enum lull_fate fate;
    bool early; ///< Tested in front of the shader.
    bool has_depth, has_stencil;
    float z, z_before; ///< Of the fragment; what depth was.
    uint32_t stencil_before;
    uint32_t targets; ///< A bit each: color[] says what was written.
    struct lull_texel_change color[LULL_TARGETS];
};

/** The lane that aim() looked for. */
struct lull_aimed {
    bool found; ///< Its wave has come; else the rest says nothing.
    uint64_t draw;
    uint32_t hw_id1, vmid; ///< Of the wave.
    uint32_t lane;
    uint32_t prim, sample; ///< Of a pixel: which, of those that were asked for.
    uint32_t index;        ///< Of a vertex, as the shader starts with it.
    uint32_t instance;
};

/** What counted draws did to a pixel, four dwords. */
struct lull_shaded_pixel {
    uint32_t shaded;               ///< How often a pixel shader has run for it.
    uint32_t draw, prim, instance; ///< Who was the last to write it; draw UINT32_MAX: none.
};

/** A primitive of counted draws, as the last geometry stage exports it. */
struct lull_exported_primitive {
    uint64_t draw;
    uint32_t prim, instance, corners; ///< 1 point, 2 line, 3 triangle.
    float pos[3][4];                  ///< x y z w of each, in clip space.
};

/** Which draws are counted: lull_target_ops.count_drawn. */
struct lull_drawn_range {
    uint64_t draw;          ///< This one;
    bool surface;           ///< or all that draw to what it draws to, but the driver's own.
    uint32_t width, height; ///< Of the picture.
};

/** Registers at a draw's packet. */
struct lull_draw_regs {
    uint32_t context[1024]; ///< From byte 0x28000 on.
    uint32_t sh[1024];      ///< From 0xb000 on.
    uint32_t uconfig[64];   ///< From 0x30900 on.
};

struct lull_wave_info {
    lull_wave_key key;
    uint8_t se, sa, wgp, simd, slot; ///< Where it is, from HW_ID1.
    uint8_t vmid;
    enum lull_stop stop;
    uint8_t trap_id;
    uint8_t watch; ///< With LULL_STOP_EXCEPTION: bit n, watchpoint n of set_watchpoints was hit.
    uint8_t excp;  ///< With LULL_STOP_EXCEPTION: enum lull_exception, raised and enabled.
    uint8_t lanes; ///< 32 or 64.
    uint16_t nsgprs, nvgprs;
    uint32_t workgroup[3];
    uint32_t wave_in_group;
    uint32_t lds_bytes;
    uint32_t steps;    ///< Instructions since step_within(), if that let it go last.
    uint64_t pc, exec; ///< If stopped; pc also else, where the kernel shows it.
    uint32_t status, mode, trapsts, hw_id1, hw_id2;
    bool barrier;     ///< It waits for others at one; pc is behind it.
    bool second_half; ///< Fibers 64 to 127 of an Adreno\'s wave.
    bool of_draw;     ///< Draw `draw` has it, for `stage`; else a dispatch, or it is not known.
    uint64_t draw;
    enum lull_draw_stage stage;
    uint64_t helpers; ///< Lanes of pixels that are there for the derivatives of others.
    bool fault_known; ///< With LULL_STOP_MEMORY: the rest says what was refused.
    bool fault_write;
    uint8_t fault_lane;
    uint64_t fault_va, fault_pc; ///< fault_pc: the instruction's.
    char note[128];              ///< With LULL_STOP_ILLEGAL: what is wrong; "": not known.
};

/** Of an Adreno, whose waves of 128 fibers are shown as two: which fiber @p lane is. */
static inline unsigned lull_wave_fiber(const struct lull_wave_info *i, unsigned lane)
{
    return lane + (i->second_half ? 64 : 0);
}

enum lull_reg_class {
    LULL_REG_SGPR, ///< index: operand number 0..127 of isa/rdna/rdna.h (SGPR, VCC, TTMP, M0, EXEC).
    LULL_REG_VGPR, ///< index 0..255, and a lane.
    LULL_REG_HW,   ///< index: hwreg id of s_getreg_b32 (STATUS, MODE, TRAPSTS ...).
    LULL_REG_PC,   ///< 64 bits.
    LULL_REG_FLAT_SCRATCH, ///< 64 bits.
    LULL_REG_ARCH,         ///< index: number of the target's struct lull_arch, and a lane.
};

struct lull_wave_reg {
    enum lull_reg_class cls;
    uint16_t index;
    uint8_t lane;
};

enum lull_test_kind {
    LULL_TEST_EQUAL,
    LULL_TEST_DIFFERENT,
    LULL_TEST_LESS,
    LULL_TEST_GREATER,
    LULL_TEST_AT_MOST,
    LULL_TEST_AT_LEAST,
    LULL_TEST_AND, ///< Of the two in front of it.
    LULL_TEST_OR,
};

enum { LULL_TEST_STEPS = 32 };

/** Part of a test: a register's relation to a number, or what is made of two parts. */
struct lull_test_step {
    enum lull_test_kind kind;
    bool is_signed;
    bool one_lane;            ///< Of a VGPR, reg.lane; else of each active lane.
    bool is_workgroup;        ///< Not a register: the number of the workgroup on axis reg.index.
    bool is_lane;             ///< Nor this: the number of the lane.
    struct lull_wave_reg reg; ///< SGPR or VGPR.
    uint32_t number;
};

/** Where a target stands in what it remembers. Times are instructions of programs; see
 * lull_target_ops.travel. */
struct lull_travel {
    bool on;               ///< It remembers.
    bool ended;            ///< The dispatch has ended, and can be taken back.
    bool held;             ///< Another one is held behind it.
    uint64_t first, now;   ///< The earliest time that can be gone back to; the time.
    uint64_t last;         ///< The latest that was come to.
    uint64_t start;        ///< When the dispatch began: times are shown from there.
    uint64_t marks, bytes; ///< What is kept, and what it costs.
};

/** How memory came to have what it has. */
enum lull_wrote_how {
    LULL_BY_NOBODY, ///< That is remembered.
    LULL_BY_WAVE,   ///< An instruction of a wave of a dispatch,
    LULL_BY_DRAW,   ///< or of a draw.
    LULL_BY_COLOR,  ///< The back end of a draw: a colour target,
    LULL_BY_DEPTH,
    LULL_BY_STENCIL,
    LULL_BY_PACKET, ///< A packet, with a value of its own,
    LULL_BY_FILL,   ///< or a pattern,
    LULL_BY_COPY,   ///< or what stood elsewhere.
};

enum { LULL_WROTE_VALUES = 16 };

/** Who wrote some bytes last. */
struct lull_wrote {
    enum lull_wrote_how how;
    uint64_t number;  ///< Of the write: lower ones came before.
    uint64_t address; ///< The byte that was written last.
    uint64_t launch;  ///< Number of the dispatch or draw; of packets: of the next dispatch of ring.
    uint64_t job;     ///< Of packets: sequence number of the submission.
    uint64_t pc;      ///< Of waves: the instruction; of pixels the export, or 0: there was none.
    uint64_t from;    ///< COPY: where that byte was.
    uint64_t time;    ///< Of pixels and packets, as in struct lull_travel; of waves 0.
    uint32_t workgroup[3], wave_in_group, hw_id1, lane;
    uint32_t pixel[3], target; ///< Of pixels: x, y, slice; number of the colour target.
    bool blended;
    bool before_run;  ///< launch was in front of this run: nothing more is known of it.
    const char *ring; ///< Of packets.
    uint32_t known;   ///< Of the first bytes, a bit each: values[] is
    uint8_t values[LULL_WROTE_VALUES]; ///< what their last writer wrote.
};

enum { LULL_SEARCH_CODES = 4096, LULL_SEARCH_RANGES = 8 };

/** Memory, or registers, that are looked at. */
struct lull_search_range {
    bool registers;        ///< Of the wave of the search, when a value changes: va is an operand
                           ///< number (isa/rdna/rdna.h), size how many, 1 or 2; of
                           ///< LULL_REG_ARCH the arch's number.
    bool scratch;          ///< Bytes of each lane's scratch of that wave.
    bool lds, loads;       ///< loads: who reads it, too.
    uint64_t va, size;     ///< Byte of LDS with `lds`.
    uint32_t workgroup[3]; ///< Of LDS.
};

/** Instructions that are looked for. */
struct lull_search {
    bool wave;     ///< All of this one; hw_id1 UINT32_MAX: of all waves.
    bool has_wave; ///< Ranges are registers or scratch of this one.
    uint32_t hw_id1, workgroup[3];
    unsigned ncodes, nranges;
    uint64_t codes[LULL_SEARCH_CODES]; ///< Addresses.
    struct lull_search_range ranges[LULL_SEARCH_RANGES];
};

/** One that was executed, and what was so in front of it. */
struct lull_found {
    uint64_t time, pc, exec;
    uint64_t lanes;    ///< That touched a range.
    uint64_t executed; ///< By its wave.
    bool wave, code;   ///< Why it is here;
    uint32_t ranges;   ///< of ranges a bit each.
    uint32_t hw_id1, workgroup[3], wave_in_group;
};

/** The last of what was found, oldest first. */
struct lull_found_list {
    struct lull_found *all; ///< Of the caller, for room of them.
    size_t room, n;
    /** What was before that has not been looked at; nothing, if it is `first`. If there were more
     * than room it is the time of the oldest. */
    uint64_t from;
};

/** What a wave at a breakpoint finds out by itself: whether it holds, in any lane. */
struct lull_break_test {
    uint64_t va;
    unsigned n; ///< Operators stand behind their operands. 0: it holds.
    struct lull_test_step steps[LULL_TEST_STEPS];
};

/** What ended a wait. */
enum lull_event {
    LULL_EVENT_TIMEOUT, ///< Time is up; the waves run on.
    LULL_EVENT_STOPPED, ///< At least one wave stands that ran before.
    LULL_EVENT_DONE,    ///< The job is finished.
    LULL_EVENT_LOST,    ///< The kernel reset the context: a hang or a fault.
    LULL_EVENT_HELD,    ///< A dispatch or a draw is held: dispatches(), draws() say which.
    LULL_EVENT_PACKET,  ///< The command processor stands: packet() says where.
};

enum lull_resume {
    LULL_RESUME_CONTINUE,
    LULL_RESUME_STEP, ///< One instruction.
};

/** Addresses in which a wave may step on by itself. */
struct lull_step_range {
    uint64_t va;
    uint32_t size;  ///< Bytes.
    uint64_t steps; ///< At least 1.
};

/** A buffer object as the client knows it. */
struct lull_bo_info {
    const char *name; ///< "code", "kernarg", argument name ... Owned by the target.
    uint64_t va, size;
    uint32_t handle;
    bool vram, writable, executable;
};

/** Memory that the debugger has put into an address space. */
struct lull_own_memory {
    uint64_t va;
    void *map; ///< What the host sees of it.
};

/** Code that a held dispatch starts instead of its own; grid and wave size stay. */
struct lull_other_code {
    uint64_t code_va;             ///< A multiple of 256.
    uint32_t rsrc1, rsrc2, rsrc3; ///< COMPUTE_PGM_RSRC*, without scratch and LDS.
    uint32_t scratch_bytes;       ///< Of a lane.
    uint32_t lds_bytes;           ///< Of a workgroup.
    uint32_t user_data[16];
};

/** One step of a page-table walk, root first. */
struct lull_walk_step {
    unsigned level;         ///< 3 PDB2, 2 PDB1, 1 PDB0, 0 PTB.
    uint64_t entry_address; ///< Physical VRAM address of the entry.
    uint64_t entry;
    bool valid, leaf;
};

struct lull_walk {
    uint64_t va, root; ///< root: CONTEXTn_PAGE_TABLE_BASE_ADDR as read.
    unsigned vmid, nsteps;
    struct lull_walk_step steps[4];
    bool mapped;
    bool system;        ///< Bus address rather than VRAM.
    uint64_t address;   ///< Physical or bus address of va itself.
    uint64_t page_size; ///< Bytes the leaf covers.
};

/** In front of which packets an Adreno's command processor stops. Command buffers of submits are
 * streams, numbered as they come; packets have numbers in theirs, in the order in which they run,
 * with those of the buffers that it calls. */
enum lull_packet_by {
    LULL_PACKET_AT,     ///< Its address.
    LULL_PACKET_OP,     ///< Its opcode.
    LULL_PACKET_REG,    ///< It writes that register.
    LULL_PACKET_NUMBER, ///< Its number, in `stream`.
};

struct lull_packet_where {
    enum lull_packet_by by;
    uint64_t value, stream; ///< stream: LULL_PACKET_ANY_STREAM, but of NUMBER.
};

#define LULL_PACKET_ANY_STREAM UINT64_MAX

enum { LULL_PACKET_STOPS = 64, LULL_PACKET_BUFFERS = 16 };

struct lull_packet_stops {
    unsigned deepest; ///< Not 0: the next in a buffer of at most that level, 1 is the stream.
    size_t n;
    struct lull_packet_where at[LULL_PACKET_STOPS];
};

/** Why it stands. */
enum lull_packet_stop {
    LULL_PACKET_NOT,     ///< It does not.
    LULL_PACKET_ARRIVED, ///< In front of the packet.
    LULL_PACKET_FAULT,   ///< Behind it: memory refused it something.
    LULL_PACKET_WAITS,   ///< In it: it waits for what nobody writes.
    LULL_PACKET_WRONG,   ///< At it: the command processor cannot take it.
};

enum lull_packet_buffer_kind {
    LULL_PACKET_IB,
    LULL_PACKET_GROUP,  ///< Of draw state, by number.
    LULL_PACKET_PREFIX, ///< What runs before a bin, by number.
    LULL_PACKET_BIN,
    LULL_PACKET_ENTRY, ///< Of a table of buffers, by number.
};

struct lull_packet_info {
    enum lull_packet_stop stop;
    uint64_t streams; ///< That have begun; it is in the last.
    uint64_t number, address;
    uint64_t met;      ///< Packets of that stream that have begun.
    bool next;         ///< ARRIVED: as the next one;
    uint64_t hits;     ///< and as those of lull_packet_stops.at, a bit each.
    bool dead;         ///< It does nothing: a condition does not hold.
    unsigned nbuffers; ///< That are run, the stream first.
    struct {
        enum lull_packet_buffer_kind kind;
        uint32_t number;
        uint64_t address;
        uint32_t dwords, next; ///< next: dword of the packet.
    } buffers[LULL_PACKET_BUFFERS];
    // FAULT
    uint64_t fault_va;
    bool fault_write;
    char block[16]; ///< Who: "CP", "UCHE: SP".
    // WAITS
    bool wait_memory; ///< Else wait_va is a register.
    uint64_t wait_va;
    uint32_t function, ref, mask; ///< function: enum cp_cond_function.
    // WRONG
    char wrong[160];
};

enum lull_gpu_reg_state { LULL_GPU_REG_NEVER, LULL_GPU_REG_KNOWN, LULL_GPU_REG_UNKNOWN };

struct lull_target_ops {
    const char *kind;             ///< "amdgpu", "dump", "script".
    const char *path;             ///< How waves are stopped: a sentence. NULL: by the kernel.
    const struct lull_arch *arch; ///< Of its code and its registers.
    unsigned gen;                 ///< Its chip, as lull_arch_mode.gen has it.
    void (*destroy)(struct lull_target *t);
    /** Waves that stand, by slot; writes at most @p room, sets @p ret to how many there are. */
    struct lull_error *(*waves)(struct lull_target *t, struct lull_wave_info *infos, size_t room,
                                size_t *ret);
    /** Waves that run, found by looking into every hardware slot: slow, and time passes for them.
     */
    struct lull_error *(*running)(struct lull_target *t, struct lull_wave_info *infos, size_t room,
                                  size_t *ret);
    /** GPU memory by virtual address of the debugged VMID. LULL_ERR_FAULT names the first bad
     * address. */
    struct lull_error *(*read)(struct lull_target *t, uint64_t va, void *buf, size_t size);
    struct lull_error *(*write)(struct lull_target *t, uint64_t va, const void *buf, size_t size);
    /** LDS of a stopped wave's workgroup. */
    struct lull_error *(*read_lds)(struct lull_target *t, lull_wave_key wave, uint32_t offset,
                                   void *buf, size_t size);
    struct lull_error *(*write_lds)(struct lull_target *t, lull_wave_key wave, uint32_t offset,
                                    const void *buf, size_t size);
    /** Registers of a stopped wave. LULL_ERR_NOT_FOUND: it has no such register. */
    struct lull_error *(*read_reg)(struct lull_target *t, lull_wave_key wave,
                                   struct lull_wave_reg reg, uint64_t *ret);
    struct lull_error *(*write_reg)(struct lull_target *t, lull_wave_key wave,
                                    struct lull_wave_reg reg, uint64_t value);
    /** Breakpoint addresses, all at once; replaces the earlier set. LULL_ERR_INVALID: too many. */
    struct lull_error *(*set_breakpoints)(struct lull_target *t, const uint64_t *vas, size_t n);
    /** What is asked first at the breakpoints of set_breakpoints(), which forgets it: at those with
     * a test that does not hold, waves go on. A target may let them stop nevertheless. NULL: they
     * do. */
    struct lull_error *(*set_tests)(struct lull_target *t, const struct lull_break_test *tests,
                                    size_t n);
    /** Whether breakpoints may be put into code, which costs nothing until a wave comes there, or
     * waves are to look for them behind every instruction. At first they may. NULL: no choice. */
    struct lull_error *(*break_in_code)(struct lull_target *t, bool on);
    /** Watchpoints, all at once; replaces the earlier set. LULL_ERR_INVALID: too many. */
    struct lull_error *(*set_watchpoints)(struct lull_target *t, const struct lull_watchpoint *w,
                                          size_t n);
    /** Which exceptions stop a wave, enum lull_exception: new ones, and those that stand now. The
     * wave stops behind the instruction. */
    struct lull_error *(*set_exceptions)(struct lull_target *t, uint32_t excp);
    /** Stop every new wave before its first instruction, or not. */
    struct lull_error *(*stop_new_waves)(struct lull_target *t, bool on);
    /** Let one stopped wave go on. Takes effect at the next wait(). */
    struct lull_error *(*resume)(struct lull_target *t, lull_wave_key wave, enum lull_resume how);
    /** As resume() for steps, at most range->steps (a target may do fewer): the wave stops behind
     * the first after which its pc is not in the range, or at what stops it besides. Breakpoints
     * are not looked for. NULL: it can do one only. */
    struct lull_error *(*step_within)(struct lull_target *t, lull_wave_key wave,
                                      const struct lull_step_range *range);
    /** What has stopped meanwhile and was not resumed stands, and the others go on: at the next
     * wait(). Without it the GPU may wait for what is said to them. NULL: it never does. */
    struct lull_error *(*stand)(struct lull_target *t);
    /** Ask all running waves to stop; they arrive as LULL_STOP_HOST in later waits. */
    struct lull_error *(*interrupt)(struct lull_target *t);
    /** Let the GPU run until something happens. */
    struct lull_error *(*wait)(struct lull_target *t, unsigned timeout_ms, enum lull_event *ret);
    struct lull_error *(*bos)(struct lull_target *t, struct lull_bo_info *infos, size_t room,
                              size_t *ret);
    /** Walk the page tables as hardware would. An unmapped address is not an error: ret->mapped is
     * false. */
    struct lull_error *(*walk)(struct lull_target *t, uint64_t va, struct lull_walk *ret);
    /** Dispatches from number @p first on; writes at most @p room, sets @p ret to how many there
     * are from there. */
    struct lull_error *(*dispatches)(struct lull_target *t, uint64_t first,
                                     struct lull_dispatch_info *infos, size_t room, size_t *ret);
    /** A register of the GPU, by its dword offset, as the newest dispatch finds it. NULL: not
     * readable. */
    struct lull_error *(*gpu_register)(struct lull_target *t, uint32_t number, uint32_t *ret);
    /** Dword @p n of the descriptors that the GPU has been given one by one: UBOs of an Adreno, for
     * a dispatch or a stage of a draw. */
    struct lull_error *(*loaded_descriptor)(struct lull_target *t,
                                            const struct lull_adreno_dispatch *of, uint32_t n,
                                            uint32_t *ret);
    /** The same of draws. NULL: the target knows none. */
    struct lull_error *(*draws)(struct lull_target *t, uint64_t first, struct lull_draw_info *infos,
                                size_t room, size_t *ret);
    /** Which invocation @p lane of a standing wave of a draw is; false: none. NULL: not known. */
    bool (*invocation)(struct lull_target *t, lull_wave_key wave, unsigned lane,
                       struct lull_invocation *ret);
    /** Registers of draw @p number. LULL_ERR_NOT_FOUND: it has not come, or is too long ago. */
    struct lull_error *(*draw_regs)(struct lull_target *t, uint64_t number,
                                    struct lull_draw_regs *ret);
    /** The number of the draw that is held; false: none is. NULL: as false. */
    bool (*held_draw)(struct lull_target *t, uint64_t *ret);
    /** Keep records of what draws do to a pixel, from now on; @p on false: no more. */
    struct lull_error *(*watch_pixel)(struct lull_target *t, bool on, uint32_t x, uint32_t y);
    /** Those records from @p first on; writes at most @p room, says in @p ret_n how many. */
    struct lull_error *(*fragments)(struct lull_target *t, uint64_t first,
                                    struct lull_fragment *ret, size_t room, size_t *ret_n);
    /** Count what draws draw, from the next one that begins on; NULL: no more. As of aim(). */
    struct lull_error *(*count_drawn)(struct lull_target *t, const struct lull_drawn_range *range);
    /** What was counted so far: pixels row after row; primitives in order, at most @p room. */
    struct lull_error *(*drawn_pixels)(struct lull_target *t, struct lull_shaded_pixel *ret,
                                       size_t room, size_t *ret_n);
    struct lull_error *(*drawn_primitives)(struct lull_target *t,
                                           struct lull_exported_primitive *ret, size_t room,
                                           size_t *ret_n);
    /**
     * The first wave of draws that has a lane stops in front of its first instruction; other new
     * waves may stop there, too. NULL: no more. This is the model's draw control: no real kernel
     * has it.
     */
    struct lull_error *(*aim)(struct lull_target *t, const struct lull_debug_goal *goal);
    struct lull_error *(*aimed)(struct lull_target *t, struct lull_aimed *ret);
    /** Memory of the debugger's own in the address space that is meant, code or data, all zeros; it
     * goes when its process does. NULL: there is none. */
    struct lull_error *(*allocate)(struct lull_target *t, uint64_t size, bool code,
                                   struct lull_own_memory *ret);
    /** Where the command processor stops from now on; NULL: nowhere. NULL as op: it cannot. */
    struct lull_error *(*stop_packets)(struct lull_target *t, const struct lull_packet_stops *s);
    struct lull_error *(*packet)(struct lull_target *t, struct lull_packet_info *ret);
    /** Of @p n registers from @p first on, enum lull_gpu_reg_state each. */
    struct lull_error *(*register_states)(struct lull_target *t, uint32_t first, uint8_t *ret,
                                          size_t n);
    /** A program starts: its dispatches and draws are counted from 0. */
    struct lull_error *(*begin)(struct lull_target *t);
    /** Let the held dispatch or draw launch its waves, or the command processor go. Takes effect at
     * once. */
    struct lull_error *(*release)(struct lull_target *t);
    /**
     * How the held dispatch is to start, when it is released.
     *
     * @param code NULL: with its own code, as if nobody had asked.
     * @param stay When it has ended it is held again, in front of the same packet. As of aim().
     */
    struct lull_error *(*redirect)(struct lull_target *t, const struct lull_other_code *code,
                                   bool stay);
    /** Memory and buffers are those of this wave's address space from now on. */
    struct lull_error *(*select)(struct lull_target *t, lull_wave_key wave);
    /** Kill all waves of the job. */
    struct lull_error *(*kill)(struct lull_target *t);
    /** Remember what dispatches that begin from now on do, in at most @p bytes of memory; 0: no
     * more. @p writers: with a part of it for who writes memory (wrote). NULL: the target cannot.
     */
    struct lull_error *(*remember)(struct lull_target *t, uint64_t bytes, bool writers);
    struct lull_error *(*travelled)(struct lull_target *t, struct lull_travel *ret);
    /** Make everything what it was at @p time, at most `last`. All waves stand then; there are no
     * breakpoints, watchpoints and exceptions: they are to be set again. */
    struct lull_error *(*travel)(struct lull_target *t, uint64_t time);
    /** The same, but all is executed again from the first time that is remembered. NULL: cannot. */
    struct lull_error *(*travel_again)(struct lull_target *t, uint64_t time);
    /** What was executed before @p until, as far back as it is cheap to look. */
    struct lull_error *(*search)(struct lull_target *t, const struct lull_search *what,
                                 uint64_t until, struct lull_found_list *ret);
    /**
     * Who wrote one of @p size bytes at @p va last, in any submission.
     *
     * @param before Only before what travelled() remembers.
     * @param below Only writes with a lower number; UINT64_MAX: any.
     * LULL_ERR_UNSUPPORTED: nothing is noted. NULL: the target cannot.
     */
    struct lull_error *(*wrote)(struct lull_target *t, uint64_t va, uint64_t size, bool before,
                                uint64_t below, struct lull_wrote *ret);
    /** Instructions of its program that a standing wave has executed. */
    struct lull_error *(*executed)(struct lull_target *t, lull_wave_key wave, uint64_t *ret);
};

/** First member of every target. */
struct lull_target {
    const struct lull_target_ops *ops;
};

#endif
