// SPDX-License-Identifier: MIT
/** @file
 * Layout of the ioctls and offsets of amdgpu's debugfs files; no header of the kernel exports it.
 *
 * Source: Linux 6.12, amdgpu_umr.h (structs, numbers) and amdgpu_debugfs.c (offsets), as facts.
 * lull_dispatches, lull_draws, lull_control and lull_time are the virtual driver's own; no real
 * kernel has them.
 */
#ifndef LULL_DRM_AMDGPU_DEBUGFS_ABI_H
#define LULL_DRM_AMDGPU_DEBUGFS_ABI_H

#include <stdint.h>

#include "drm/core/time_abi.h"
#include <sys/ioctl.h>

/** amdgpu_regs2: which bank later reads and writes of this file mean. */
struct lull_regs2_v1 {
    uint32_t use_srbm, use_grbm, pg_lock;
    struct {
        uint32_t se, sh, instance; ///< UINT32_MAX: broadcast.
    } grbm;
    struct {
        uint32_t me, pipe, queue, vmid;
    } srbm;
};

struct lull_regs2_v2 {
    struct lull_regs2_v1 bank;
    uint32_t xcc_id;
};

/** amdgpu_gprwave: which wave later reads of this file mean. */
struct lull_gprwave {
    uint32_t gpr_or_wave; ///< 0: wave status.
    uint32_t se, sh, cu, wave, simd, xcc_id;
    struct {
        uint32_t thread, vgpr_or_sgpr; ///< 1: VGPR.
    } gpr;
};

#define LULL_REGS2_SET_V1 _IOWR(0x20, 0, struct lull_regs2_v1)
#define LULL_REGS2_SET_V2 _IOWR(0x20, 1, struct lull_regs2_v2)
#define LULL_GPRWAVE_SET _IOWR(0x20, 0, struct lull_gprwave)

enum {
    LULL_DEBUGFS_MAX_BYTES = 4096, ///< Of one read or write of registers.
};

/** Bit positions in the file offset of amdgpu_wave. */
enum {
    LULL_WAVE_POS_SE = 7,
    LULL_WAVE_POS_SH = 15,
    LULL_WAVE_POS_CU = 23,
    LULL_WAVE_POS_WAVE = 31,
    LULL_WAVE_POS_SIMD = 37,
};

/** Bit positions in the file offset of amdgpu_gpr. */
enum {
    LULL_GPR_POS_SE = 12,
    LULL_GPR_POS_SH = 20,
    LULL_GPR_POS_CU = 28,
    LULL_GPR_POS_WAVE = 36,
    LULL_GPR_POS_SIMD = 44,
    LULL_GPR_POS_THREAD = 52,
    LULL_GPR_POS_BANK = 60, ///< 0 VGPR, 1 SGPR.
};

/** Dwords of a wave's status as both files give it, type 3 (gfx11). */
enum {
    LULL_WAVE3_TYPE,
    LULL_WAVE3_STATUS,
    LULL_WAVE3_PC_LO,
    LULL_WAVE3_PC_HI,
    LULL_WAVE3_EXEC_LO,
    LULL_WAVE3_EXEC_HI,
    LULL_WAVE3_HW_ID1,
    LULL_WAVE3_HW_ID2,
    LULL_WAVE3_GPR_ALLOC,
    LULL_WAVE3_LDS_ALLOC,
    LULL_WAVE3_TRAPSTS,
    LULL_WAVE3_IB_STS,
    LULL_WAVE3_IB_STS2,
    LULL_WAVE3_IB_DBG1,
    LULL_WAVE3_M0,
    LULL_WAVE3_MODE,
    LULL_WAVE3_DWORDS,
};

/** Where a dispatch is. */
enum lull_dispatch_state {
    LULL_DISPATCH_LOST,    ///< Too long ago: only the number is known.
    LULL_DISPATCH_HELD,    ///< Its command processor stands in front of it.
    LULL_DISPATCH_RUNNING, ///< Launching, or waves of it are on the GPU.
    LULL_DISPATCH_DONE,    ///< All waves ended.
    LULL_DISPATCH_KILLED,  ///< Its job was ended before they were.
};

enum { LULL_DISPATCH_USER_DATA = 16, LULL_DISPATCH_SES = 8 };

/**
 * lull_dispatches: record n stands at byte n * sizeof(struct lull_dispatch_record).
 *
 * Numbers count all dispatches of the GPU from 0, in the order in which command processors come to
 * them. A read behind the newest gives no bytes. Registers are those of the packet's ring at the
 * packet.
 */
struct lull_dispatch_record {
    uint64_t number;
    uint32_t state;   ///< enum lull_dispatch_state
    uint32_t pid;     ///< Process that opened the DRM file.
    uint32_t file;    ///< DRM file: the PASID of messages.
    uint32_t ctx;     ///< Context id of that file; 0: freed meanwhile.
    uint32_t ring;    ///< 0: gfx, 1 to 4: compute 0 to 3.
    uint32_t vmid;    ///< Of the client at that time.
    uint64_t job;     ///< Sequence number of the submission on its context and ring.
    uint64_t code;    ///< COMPUTE_PGM, as an address in bytes.
    uint64_t packet;  ///< Address of the packet.
    uint32_t rsrc[3]; ///< COMPUTE_PGM_RSRC1 to 3.
    uint32_t initiator;
    uint32_t grid[3];  ///< As the packet or the memory it names gives it.
    uint32_t block[3]; ///< COMPUTE_NUM_THREAD_X to Z, with the partial size in 31:16.
    uint32_t start[3]; ///< COMPUTE_START_X to Z.
    uint32_t tmpring;  ///< COMPUTE_TMPRING_SIZE
    uint64_t scratch;  ///< COMPUTE_DISPATCH_SCRATCH_BASE, as an address in bytes.
    uint64_t began;    ///< GPU clock when it was launched; 0: not yet.
    uint64_t ended;    ///< GPU clock at its last wave's end; 0: not yet.
    uint64_t groups;   ///< Workgroups that have ended.
    uint64_t frame;    ///< What its process had presented when it was submitted (frame_abi.h).
    uint32_t user_data[LULL_DISPATCH_USER_DATA]; ///< COMPUTE_USER_DATA_0 to 15.
    uint32_t cus[LULL_DISPATCH_SES];             ///< COMPUTE_STATIC_THREAD_MGMT_SE0 to 7.
};

enum {
    LULL_DRAW_CONTEXT = 1024, ///< Dwords of context registers, from byte 0x28000 on.
    LULL_DRAW_SH = 1024,      ///< Of SH registers, from 0xb000 on.
    LULL_DRAW_UCONFIG = 64,   ///< Of UCONFIG registers, from LULL_DRAW_UCONFIG_AT on.
    LULL_DRAW_UCONFIG_AT = 0x30900,
};

/** Programs of a draw, in the order in which they run. */
enum { LULL_DRAW_HULL, LULL_DRAW_GEOMETRY, LULL_DRAW_PIXEL, LULL_DRAW_STAGES };

/**
 * lull_draws: record n stands at byte n * sizeof(struct lull_draw_record).
 *
 * Numbers count all draws of the GPU from 0, as those of dispatches do theirs. Registers are those
 * at the packet, indirect arguments read.
 */
struct lull_draw_record {
    uint64_t number;
    uint32_t state;                  ///< enum lull_dispatch_state
    uint32_t pid;                    ///< Process that opened the DRM file.
    uint32_t file;                   ///< DRM file: the PASID of messages.
    uint32_t ctx;                    ///< Context id of that file; 0: freed meanwhile.
    uint32_t vmid;                   ///< Of the client at that time.
    uint32_t count;                  ///< Vertices or indices.
    uint64_t job;                    ///< Sequence number of the submission on its context and ring.
    uint64_t packet;                 ///< Address of the packet.
    uint64_t code[LULL_DRAW_STAGES]; ///< Addresses in bytes; 0: the stage is off.
    uint64_t index_va;               ///< Of the first index.
    uint32_t index_bytes;            ///< 0: vertices are numbered.
    uint32_t instances;
    uint32_t grid[3]; ///< Of mesh workgroups; all 0: not a mesh draw.
    uint32_t part;    ///< Which draw of a packet with several.
    uint64_t began;   ///< GPU clock when it was begun; 0: not yet.
    uint64_t ended;   ///< GPU clock at its end; 0: not yet.
    uint64_t frame;   ///< As of dispatches.
    uint32_t context[LULL_DRAW_CONTEXT], sh[LULL_DRAW_SH], uconfig[LULL_DRAW_UCONFIG];
};

/** What became of a sample: enum lull_gpu_fate has the words. */
enum lull_fragment_fate {
    LULL_FRAGMENT_WRITTEN,
    LULL_FRAGMENT_DISCARDED,
    LULL_FRAGMENT_MASKED,
    LULL_FRAGMENT_BOUNDS_FAILED,
    LULL_FRAGMENT_STENCIL_FAILED,
    LULL_FRAGMENT_DEPTH_FAILED,
};

enum { LULL_FRAGMENT_TARGETS = 8 };

/** R G B A of a sample in a colour target; integers as their bits. */
struct lull_fragment_color {
    float shader[4], before[4], after[4];
};

/** lull_pixels: what draws did to the pixel of LULL_CONTROL_PIXEL, oldest first; record n stands at
 * byte n * sizeof(struct lull_fragment_record). The last LULL_NFRAGMENTS are kept. */
struct lull_fragment_record {
    uint64_t number, draw; ///< draw: its number in lull_draws.
    uint32_t x, y, layer, sample;
    uint32_t prim, instance;
    uint32_t fate;     ///< enum lull_fragment_fate.
    uint32_t early;    ///< 0 or 1: tested in front of the shader.
    uint32_t has;      ///< 1: z, z_before; 2: stencil_before.
    uint32_t targets;  ///< A bit each: color[] says what was written.
    float z, z_before; ///< Of the fragment; what depth was.
    uint32_t stencil_before, reserved;
    struct lull_fragment_color color[LULL_FRAGMENT_TARGETS];
};

enum { LULL_NFRAGMENTS = 4096 };

/** lull_drawn_pixels: the pixels of LULL_CONTROL_DRAWN, row after row; pixel n stands at byte n *
 * sizeof(struct lull_drawn_pixel). */
struct lull_drawn_pixel {
    uint32_t shaded;               ///< How often a pixel shader has run for it.
    uint32_t draw, prim, instance; ///< Who was the last to write a sample; draw UINT32_MAX: none.
};

/** lull_drawn_primitives: the primitives of LULL_CONTROL_DRAWN, in order; number n stands at byte n
 * * sizeof(struct lull_drawn_primitive). The first LULL_NPRIMITIVES are kept. */
struct lull_drawn_primitive {
    uint64_t number, draw;
    uint32_t prim, instance, corners, reserved; ///< corners: 1 point, 2 line, 3 triangle.
    float pos[3][4];                            ///< x y z w of each, in clip space.
};

enum { LULL_NPRIMITIVES = 1 << 18, LULL_DRAWN_MOST = 1 << 24 };

/** What must hold for a dispatch to be caught: all bits given. */
enum {
    LULL_CATCH_NUMBER = 1,  ///< The dispatch with this number.
    LULL_CATCH_ADDRESS = 2, ///< Code at this address.
    LULL_CATCH_PID = 4,     ///< Of a client of this process.
    LULL_CATCH_DRAW = 8,    ///< A draw, not a dispatch: number and address (of any stage) are its.
};

enum {
    LULL_CONTROL_CATCH = 1,  ///< Set catch `slot`: hold dispatches that match.
    LULL_CONTROL_FORGET = 2, ///< Forget catch `slot`.
    /** Let held dispatch `number` go on, or with LULL_CATCH_DRAW draw `number`; UINT64_MAX: all. */
    LULL_CONTROL_RELEASE = 3,
    /**
     * When this file is closed, whoever closes it: the address space of DRM file `file` has no trap
     * handler, traps or watchpoints any more, and `value` is stored at `address` in it. `slot`: 0
     * to LULL_NGUARDS - 1; `address` 0: forget. `number`: 0, or the address of a struct
     * lull_guard_words there: words of code that the debugger has changed.
     */
    LULL_CONTROL_GUARD = 4,
    /** `match` 1: keep records of what draws do to pixel `value`, y in 31:16, x in 15:0; 0: no
     * more. Either way all records so far are forgotten. */
    LULL_CONTROL_PIXEL = 5,
    /**
     * The first wave of draws that has a lane traps in front of its first instruction, as if
     * TRAP_ON_START were set for it alone; lull_aim says which it was. `slot`: enum lull_aim_kind;
     * `number`: of the draw, UINT64_MAX any; `value`: of a pixel y in 31:16, x in 15:0, else the
     * number of the vertex or primitive; `pid`: of a pixel the sample, `file`: of a pixel the
     * primitive, either UINT32_MAX for any, else the instance (of a mesh draw: the workgroup).
     * It is over when the wave has come, and when this file is closed.
     */
    LULL_CONTROL_AIM = 6,
    /**
     * Count what draws draw, from the next one to begin on: of `match` 1 draw `number` alone, of 2
     * all that draw to what draw `number` draws to, but the driver's own rectangles. `value`: size
     * of the picture, height in 31:16, width in 15:0, LULL_DRAWN_MOST pixels at most. `match` 0: no
     * more. Either way what was counted is forgotten. It is over when this file is closed.
     */
    LULL_CONTROL_DRAWN = 7,
    /**
     * Let held dispatch `number` go on, as struct lull_control_launch says, which is written
     * instead. ENOENT: it is not held.
     */
    LULL_CONTROL_LAUNCH = 8,
    LULL_NCATCHES = 32,
    LULL_NGUARDS = 64,
    LULL_NRINGS = 5,
};

/** A vertex is counted by its place in the draw. */
enum lull_aim_kind { LULL_AIM_OFF, LULL_AIM_PIXEL, LULL_AIM_VERTEX, LULL_AIM_PRIMITIVE };

/** lull_aim, at offset 0: the wave of the last LULL_CONTROL_AIM. */
struct lull_aim_record {
    uint64_t draw;  ///< Its number in lull_draws.
    uint32_t found; ///< 0: it has not come; the rest is 0, too.
    uint32_t hw_id1, vmid, lane;
    uint32_t prim, sample; ///< UINT32_MAX: it is not about one.
    uint32_t index;        ///< Of a vertex, as the shader starts with it; else UINT32_MAX.
    uint32_t instance;
};

/** Written to lull_control at offset 0. Catches go, and what they hold, when the file is closed. */
struct lull_control {
    uint32_t op;    ///< LULL_CONTROL_*
    uint32_t slot;  ///< 0 to LULL_NCATCHES - 1, of this open file.
    uint32_t match; ///< LULL_CATCH_*; 0: every dispatch.
    uint32_t pid;
    uint64_t number;
    uint64_t address; ///< Bytes; bits 63:48 sign-extended.
    uint32_t file;    ///< GUARD: DRM file, as records number them.
    uint32_t value;   ///< GUARD
};

enum { LULL_GUARD_WORDS = 65536 };

/** In the address space of a client: each word that is still `is` becomes `was`. */
struct lull_guard_words {
    uint32_t n; ///< Of all, at most LULL_GUARD_WORDS.
    uint32_t none;
    struct {
        uint64_t address;
        uint32_t is, was;
    } all[LULL_GUARD_WORDS];
};

enum {
    LULL_LAUNCH_OTHER = 1, ///< Start it with the registers given; those of the ring stay as they
                           ///< are.
    LULL_LAUNCH_STAY = 2,  ///< When it has ended it is held again, in front of the same packet.
};

/** LULL_CONTROL_LAUNCH: `control.match` is LULL_LAUNCH_*. The grid and the wave size are those of
 * the packet. */
struct lull_control_launch {
    struct lull_control control;
    uint64_t code, scratch;    ///< Bytes, multiples of 256.
    uint32_t rsrc[3], tmpring; ///< COMPUTE_PGM_RSRC1 to 3, COMPUTE_TMPRING_SIZE.
    uint32_t user_data[LULL_DISPATCH_USER_DATA];
};

/** What is done with time: written to lull_time at offset 0. All of it ends when the file is
 * closed, and the marks are gone. */
enum {
    LULL_TIME_MARK = 1,    ///< Keep the GPU as it is now; struct lull_time_state has the number.
    LULL_TIME_RESTORE = 2, ///< Make it what it was at mark `value`.
    LULL_TIME_DROP = 3,    ///< Forget mark `value`; UINT64_MAX: all, and when waves began.
    /** When the time is `value` all waves of `vmid` are asked into their trap handlers, and nothing
     * of programs moves on. UINT64_MAX: never. */
    LULL_TIME_STOP = 4,
    /** `value` 1: only trap handlers move; 0: all moves. */
    LULL_TIME_STILL = 5,
    /** `value` 1: jobs that have ended do not count as done, so what they did can be taken back. */
    /** 2: nor does a job come to a ring that is not on one. */
    LULL_TIME_HOLD_ENDS = 6,
    LULL_TIME_NO_TRACE = 7,
};

enum { LULL_TIME_HOLD_STARTS = 2 };

struct lull_time_op {
    uint32_t op, vmid;
    uint64_t value;
};

/** Read from lull_time at offset 0. Times are instructions of programs and packets so far; those of
 * trap handlers do not count. */
struct lull_time_state {
    uint64_t now;
    uint64_t began;  ///< Of the first instruction of a wave; UINT64_MAX: none has executed one.
    uint64_t mark;   ///< Of the last LULL_TIME_MARK; 0: there was none.
    uint64_t marks;  ///< That are kept,
    uint64_t bytes;  ///< and what they cost.
    uint64_t traced; ///< Instructions that the trace has met.
    uint32_t ended;  ///< 0 or 1: a job has ended that is held.
    uint32_t busy;   ///< 0 or 1: a trap handler runs, and does not wait.
};

enum { LULL_TRACE_NCODES = 4096, LULL_TRACE_NRANGES = 8, LULL_TRACE_RECORDS = 1 << 16 };

/** Written to lull_time at offset 0: keep instructions from now on that one of these names. */
struct lull_time_trace {
    uint32_t vmid, wave;          ///< wave 1: all of the wave at place, of that workgroup;
                                  ///< 2: place is for registers alone.
    uint32_t place, workgroup[3]; ///< place: HW_ID1; UINT32_MAX: of all waves.
    uint32_t ncodes, nranges;
    uint64_t codes[LULL_TRACE_NCODES]; ///< Addresses of instructions.
    struct {
        uint64_t address, bytes; ///< GPU virtual address, or byte of LDS.
        uint32_t local, loads;   ///< 0 or 1; loads: not stores alone.
        uint32_t workgroup[3];   ///< Of LDS.
        /** 1: not memory, but registers of the wave at place, when a value changes: address is an
         * operand number (256 + n: VGPR n), bytes how many, 1 or 2. */
        uint32_t registers;
        uint32_t scratch, reserved; ///< scratch 1: bytes of each lane's scratch of that wave.
    } ranges[LULL_TRACE_NRANGES];
};

/** The last LULL_TRACE_RECORDS are kept; place is HW_ID1. At this + HW_ID1: uint64_t, instructions
 * of its program that the wave there has executed. */
#define LULL_TIME_WAVE_AT (UINT64_C(1) << 56)

/** Read from lull_control at offset 0. */
struct lull_control_state {
    uint64_t count;  ///< Dispatches so far: the next one has this number.
    uint64_t oldest; ///< Lowest number whose record is not lost.
    uint64_t draws;  ///< The same of draws.
    uint64_t oldest_draw;
    uint32_t nheld, reserved;
    struct {
        uint64_t number;
        uint32_t ring;
        uint32_t catches; ///< Slots of this open file that hold it, a bit each; 0: another file's.
        uint32_t draw;    ///< 0 or 1: it is a draw.
        uint32_t reserved;
    } held[LULL_NRINGS]; ///< A ring holds one at most.
};

#endif
