// SPDX-License-Identifier: MIT
/** @file
 * The model GPU, gfx1100: what stands on the other side of the kernel driver.
 *
 * A driver can do three things with it, as with hardware: read and write
 * memory (struct lull_phys), read and write MMIO registers, and put command
 * buffers on a ring. lull_gpu_run() lets time pass; nothing happens between
 * two calls, so with the same calls every run is the same.
 *
 * One thread at a time; no globals, any number of GPUs.
 */
#ifndef LULL_MODEL_AMD_GPU_H
#define LULL_MODEL_AMD_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "model/amd/wave/vm.h"
#include "model/crumb.h"

struct lull_chip;
struct lull_engine;
struct lull_gpu;
struct lull_gpu_state;
struct lull_fresh;
struct lull_observer;
struct lull_order;
struct lull_written;
struct lull_written_host;

struct lull_gpu_config {
    uint64_t vram_size, gtt_size;     ///< Bytes, multiples of 2 MiB.
    uint64_t gtt_base;                ///< Bus address of the first GTT byte.
    uint64_t seed;                    ///< Of the wave scheduler; 0: round robin.
    const struct lull_engine *engine; ///< Executes what runs often; NULL: the interpreter does.
    /**
     * Threads that run workgroups of dispatches, with the caller of lull_gpu_run(); 1: none but it,
     * one group after the other as far as they let it; 0: none but it, several groups in turn. With
     * more than one the order of workgroups is not the same in each run; with a seed, or while
     * something watches waves or has stopped them, all is as with 0.
     */
    unsigned threads;
    const struct lull_chip *chip; ///< NULL: lull_chip_navi31.
    /** Who waits for whom, or NULL; outlives the GPU. Draws' waves are not in it. */
    struct lull_order *order;
    unsigned se, sa_per_se, wgp_per_sa; ///< 0: as the chip has.
};

/** The GPU and its memory: one memfd, VRAM first, then the GTT window. */
struct lull_error *lull_gpu_new(const struct lull_gpu_config *config,
                                struct lull_gpu **ret) LULL_MUST_USE;
void lull_gpu_free(struct lull_gpu *g);

/** The memfd behind all memory: VRAM at offset 0, GTT at vram_size. Owned by the GPU. */
int lull_gpu_memfd(const struct lull_gpu *g);
struct lull_phys *lull_gpu_phys(struct lull_gpu *g);

/** Which copy of a banked register an access means: GRBM_GFX_INDEX and GRBM_GFX_CNTL. */
struct lull_bank {
    uint32_t grbm; ///< GRBM_GFX_INDEX as written.
    uint32_t srbm; ///< GRBM_GFX_CNTL as written: pipe, me, vmid, queue.
};

/** MMIO by byte offset (data/reg/). Unknown registers read 0 and keep what is written. */
uint32_t lull_gpu_read_reg(struct lull_gpu *g, struct lull_bank bank, uint32_t byte_offset);
void lull_gpu_write_reg(struct lull_gpu *g, struct lull_bank bank, uint32_t byte_offset,
                        uint32_t value);

enum lull_ring {
    LULL_RING_GFX,
    LULL_RING_COMPUTE0,                       ///< COMPUTE0..3
    LULL_RING_SDMA0 = LULL_RING_COMPUTE0 + 4, ///< Engines that copy.
    LULL_RING_SDMA1,
    LULL_RING_COUNT,
};

/** Of the GPU; each VMID has a part (GDS_VMIDn_BASE). Source: Linux gfx_v11_0_set_gds_init(). */
enum { LULL_GDS_BYTES = 4096 };

/** One job for a ring: command buffers, then a fence. */
struct lull_gpu_job {
    uint32_t vmid;
    uint64_t cookie; ///< The driver's; comes back in struct lull_gpu_done.
    uint64_t stream; ///< Which of the seed's orders: the same job in the same one runs the same.
    unsigned nibs;   ///< 1 to 8.
    struct {
        uint64_t va;
        uint32_t ndwords;
    } ib[8];
};

/** Queue a job. LULL_ERR_INVALID: bad ring, vmid or count. */
struct lull_error *lull_gpu_submit(struct lull_gpu *g, enum lull_ring ring,
                                   const struct lull_gpu_job *job) LULL_MUST_USE;

enum lull_job_result {
    LULL_JOB_DONE,
    LULL_JOB_BAD_PACKET, ///< The command processor stopped at a packet it does not know.
    LULL_JOB_FAULT,      ///< The command processor itself, or a draw at its targets, touched an
                         ///< unmapped address.
    LULL_JOB_KILLED,     ///< lull_gpu_reset_ring().
};

/** A job that left its ring; collect with lull_gpu_next_done(). */
struct lull_gpu_done {
    uint64_t cookie;
    enum lull_ring ring;
    enum lull_job_result result;
    char message[160]; ///< Why, if not DONE.
};

/**
 * Let the GPU work for up to @p cycles (one cycle: one instruction of one wave, or one packet).
 *
 * What happens in which order follows from the seed, the jobs and their streams, and counts of
 * packets and instructions; not from how the cycles are given out. A wave in its trap handler
 * holds up everything but handlers, and what handlers do counts for nothing, so that traps that
 * change nothing change nothing. A handler that waits for long sets STATUS.HALT (ignored inside):
 * others then go on. So does a dispatch that the watcher holds, until it is let go.
 *
 * Returns early when a job ends or nothing can move (idle, all halted, held).
 * @return Cycles that passed; 0 if nothing could move.
 */
uint64_t lull_gpu_run(struct lull_gpu *g, uint64_t cycles);

/** While on, lull_gpu_run() moves nothing but trap handlers. */
void lull_gpu_pause(struct lull_gpu *g, bool on);

/** Oldest job that ended and was not collected yet; false if there is none. */
bool lull_gpu_next_done(struct lull_gpu *g, struct lull_gpu_done *ret);

/** Cycles that the job now at the head of @p ring has been running; 0 if the ring is empty. */
uint64_t lull_gpu_job_cycles(const struct lull_gpu *g, enum lull_ring ring);

/** Kill the waves of the job at the head of @p ring and drop it; it is reported KILLED. */
void lull_gpu_reset_ring(struct lull_gpu *g, enum lull_ring ring);

/** Counts packets and ends of workgroups on @p ring: what does not change it may be a hang. */
uint64_t lull_gpu_progress(const struct lull_gpu *g, enum lull_ring ring);
/** Cycles so far in which all that could move was asleep (s_sleep): of lull_gpu_run()'s. */
uint64_t lull_gpu_slept(const struct lull_gpu *g);
/** Let @p ticks of the clock pass in which nothing moves. */
void lull_gpu_idle(struct lull_gpu *g, uint64_t ticks);
/** A dispatch of @p ring is launching or running. */
bool lull_gpu_dispatching(const struct lull_gpu *g, enum lull_ring ring);
/** Drop the jobs with @p cookie that @p ring has not begun; they are not reported. @return How
 * many. */
unsigned lull_gpu_unqueue(struct lull_gpu *g, enum lull_ring ring, uint64_t cookie);

/** Forget translations of @p vmid; the driver calls this after it changed page tables. */
void lull_gpu_flush_tlb(struct lull_gpu *g, uint32_t vmid);

/** GPU time as programs see it, 100 MHz ticks: of cycles without those of trap handlers and of
 * lull_gpu_idle(), never of the host's clock. */
uint64_t lull_gpu_clock(const struct lull_gpu *g);

enum { LULL_GPU_USER_DATA = 16, LULL_GPU_SES = 8 };

/** A draw as its command processor sees it. Addresses are GPU virtual, in bytes. */
struct lull_gpu_draw_launch {
    uint64_t cookie; ///< Of its job.
    uint32_t vmid;
    uint32_t part; ///< Which draw of a packet with several.
    uint64_t packet;
    uint64_t code[3]; ///< HS, GS, PS; 0: the stage is off.
    uint64_t index_va;
    uint32_t index_bytes, count, instances, grid[3];
    /** Registers at the packet, from bytes 0x28000, 0xb000, 0x30900 on; good during the call. */
    const uint32_t *context, *sh, *uconfig;
};

/** A dispatch as its command processor sees it. Addresses are GPU virtual, in bytes. */
struct lull_gpu_launch {
    uint64_t cookie; ///< Of its job.
    enum lull_ring ring;
    uint32_t vmid;
    uint64_t packet, code, scratch;
    uint32_t rsrc[3], initiator, tmpring; ///< Registers, as written.
    uint32_t grid[3], block[3], start[3]; ///< grid: of the packet; the others registers.
    uint32_t cus[LULL_GPU_SES];           ///< COMPUTE_STATIC_THREAD_MGMT_SE0 to 7.
    uint32_t user_data[LULL_GPU_USER_DATA];
};

/** What a watcher lets a dispatch start with, instead of what the registers say. */
struct lull_gpu_relaunch {
    bool other; ///< The rest, but `stay`, counts; the registers themselves stay as they are.
    bool stay;  ///< The packet is not done with it: the watcher is asked again, as if it were held.
    uint64_t code, scratch; ///< Bytes, multiples of 256.
    uint32_t rsrc[3], tmpring;
    uint32_t user_data[LULL_GPU_USER_DATA];
};

/** What became of a sample of the pixel that is watched. */
enum lull_gpu_fate {
    LULL_FATE_WRITTEN,   ///< Behind all tests: what is on is written.
    LULL_FATE_DISCARDED, ///< By the shader.
    LULL_FATE_MASKED,    ///< By the sample mask, of registers or the shader, or alpha to coverage.
    LULL_FATE_BOUNDS,    ///< Depth bounds.
    LULL_FATE_STENCIL,
    LULL_FATE_DEPTH,
};

enum { LULL_GPU_TARGETS = 8 };

/** R G B A of a sample in a colour target; integers as their bits. */
struct lull_gpu_color {
    float shader[4], before[4], after[4]; ///< What the shader gave, and what was and is there.
};

/** A sample of it that a primitive covered, in the order of primitives. */
struct lull_gpu_fragment {
    uint64_t draw;                ///< The watcher's id of the draw.
    uint32_t x, y, layer, sample; ///< Pixel, slice of the target's view, sample.
    uint32_t prim, instance;      ///< Exported primitive of the subgroup; its id if known.
    uint32_t fate;                ///< enum lull_gpu_fate.
    uint32_t early;    ///< 0 or 1: tested in front of the shader, which saw only what passed.
    uint32_t stages;   ///< Bits of LULL_FRAGMENT_*: which of the following are there.
    float z, z_before; ///< Of the fragment; what depth was.
    uint32_t stencil_before;
    uint32_t targets; ///< A bit each: color[] says what was written.
    struct lull_gpu_color color[LULL_GPU_TARGETS];
};

enum { LULL_FRAGMENT_DEPTH = 1, LULL_FRAGMENT_STENCIL = 2 };

/** What lull_gpu_aim() looks for. */
enum lull_gpu_aim_kind {
    LULL_GPU_AIM_OFF,
    LULL_GPU_AIM_PIXEL,     ///< The lane that shades pixel x, y.
    LULL_GPU_AIM_VERTEX,    ///< The lane of vertex `index`, as its place in the draw.
    LULL_GPU_AIM_PRIMITIVE, ///< The lane of primitive `index`; of a mesh draw thread `index`.
};

/** A lane of a draw's waves. */
struct lull_gpu_aim {
    uint64_t draw; ///< The watcher's id; UINT64_MAX: any.
    uint32_t kind; ///< enum lull_gpu_aim_kind.
    uint32_t x, y;
    uint32_t sample, prim; ///< Of a pixel, or UINT32_MAX for any.
    uint32_t index;
    uint32_t instance; ///< Of a mesh draw: the workgroup, counted in x, then y, then z.
};

/** Where it is: the wave stands in its trap handler, or goes there. */
struct lull_gpu_aimed {
    uint64_t draw; ///< The watcher's id.
    uint32_t hw_id1, vmid, lane;
    uint32_t prim, sample; ///< Of a pixel: what it is shaded for, sample: the first of them.
    uint32_t index;        ///< Of a vertex: as vertex shaders start with it.
    uint32_t instance;
};

/** A pixel of a primitive whose shader has run (helper lanes are not told), behind all tests. */
struct lull_gpu_shaded {
    uint64_t draw; ///< The watcher's id of the draw.
    uint32_t x, y, layer, prim, instance;
    uint32_t written; ///< Samples that passed.
};

/** A primitive as the last geometry stage exports it. */
struct lull_gpu_primitive {
    uint64_t draw;
    uint32_t prim, instance, corners; ///< 1 point, 2 line, 3 triangle.
    float pos[3][4];                  ///< x y z w of each corner, in clip space.
};

/** Who watches dispatches come and go, and may hold them. Calls must not call the GPU back. */
struct lull_gpu_watcher {
    void *ctx;
    /**
     * A command processor stands in front of @p l.
     *
     * @param again It has been asked before: the answer was false, or `stay` was set.
     * @param id Given to ended(); kept from one asking to the next.
     * @param how All zeros; what it is set to counts if the answer is true.
     * @return False: it shall wait, and all else with it. It is asked again whenever the GPU runs.
     */
    bool (*launch)(void *ctx, const struct lull_gpu_launch *l, bool again, uint64_t *id,
                   struct lull_gpu_relaunch *how);
    /** All waves are gone. @p groups that ended; @p killed before all had, or while held. */
    void (*ended)(void *ctx, uint64_t id, uint64_t groups, bool killed);
    /* The same of draws, which have ids of their own. NULL: nobody watches them. */
    bool (*draw)(void *ctx, const struct lull_gpu_draw_launch *l, bool again, uint64_t *id);
    void (*draw_ended)(void *ctx, uint64_t id, bool killed);
    /** A sample of the pixel of lull_gpu_watch_pixel(). NULL: nobody watches. */
    void (*fragment)(void *ctx, const struct lull_gpu_fragment *f);
    /** Of lull_gpu_watch_drawn(); NULL: nobody watches. */
    void (*shaded)(void *ctx, const struct lull_gpu_shaded *s);
    void (*primitive)(void *ctx, const struct lull_gpu_primitive *p);
    /** The wave of lull_gpu_aim() starts. NULL: nobody looks. */
    void (*aimed)(void *ctx, const struct lull_gpu_aimed *a);
};

/** Have the first wave that has this lane trap in front of its first instruction, as if
 * SPI_GDBG_PER_VMID_CNTL.TRAP_ON_START were set for it alone, and tell the watcher. Then, and with
 * kind OFF: no more. A wave without a trap handler is passed. */
void lull_gpu_aim(struct lull_gpu *g, const struct lull_gpu_aim *a);

/** Tell the watcher what becomes of pixel @p x, @p y of draws; @p on false: of none. */
void lull_gpu_watch_pixel(struct lull_gpu *g, bool on, uint32_t x, uint32_t y);

/** Tell the watcher of each primitive and each pixel that draws draw, or no more. */
void lull_gpu_watch_drawn(struct lull_gpu *g, bool on);

void lull_gpu_watch(struct lull_gpu *g, const struct lull_gpu_watcher *watcher);

/** Tell @p to of the packets of all rings but SDMA's; `packets` leaves INDIRECT_BUFFER out, too. */
void lull_gpu_crumbs(struct lull_gpu *g, const struct lull_crumb_watcher *to);

/** Watch the waves (checks, traces). NULL stops watching. */
void lull_gpu_observe(struct lull_gpu *g, struct lull_observer *observer);

/** Note who writes memory, in at most @p bytes; of @p host, ctx, space and job are given. NULL: no
 * more. @return NULL also without memory. Free with the GPU, or by the next call. */
struct lull_written *lull_gpu_log_writes(struct lull_gpu *g, const struct lull_written_host *host,
                                         uint64_t bytes);

/** Before there is work: note in @p fresh, which lives as long as @p g, what is read before anybody
 * has written it. */
void lull_gpu_note_fresh(struct lull_gpu *g, struct lull_fresh *fresh);

/** The program's time: instructions of all waves and packets so far, without those of trap
 * handlers. It is the same whether somebody stops waves or not. */
uint64_t lull_gpu_time(const struct lull_gpu *g);
/** Time of the first instruction of a wave since this was asked with @p again; UINT64_MAX: none has
 * executed one. */
uint64_t lull_gpu_began(struct lull_gpu *g, bool again);
/** When it is @p time, all waves of @p vmid go into their trap handlers, as if SQ_CMD had asked
 * them, and nothing of programs moves until lull_gpu_still(). UINT64_MAX: never. */
void lull_gpu_stop_at(struct lull_gpu *g, uint64_t time, uint32_t vmid);
/** Only trap handlers move; false: all does. */
void lull_gpu_still(struct lull_gpu *g, bool on);
/** Is there a job that has ended and was not taken with lull_gpu_next_done()? */
bool lull_gpu_any_done(const struct lull_gpu *g);
/** Does a trap handler run, or is a wave on the way into it? Not one that waits. */
bool lull_gpu_handlers_busy(const struct lull_gpu *g);
/** Instructions of its program that the wave at @p place, HW_ID1, has executed; 0: none is there.
 */
uint64_t lull_gpu_executed(const struct lull_gpu *g, uint32_t place);

/** Memory whose accesses are kept. */
struct lull_gpu_trace_range {
    uint64_t address, bytes; ///< GPU virtual address, or byte of LDS.
    bool local, loads;       ///< loads: those, too, not stores alone.
    /** Registers of the wave of `place` instead, whenever a value changes: address is an operand
     * number (isa/rdna/rdna.h), bytes how many, at most LULL_TRACE_REGS. */
    bool registers;
    bool scratch;          ///< Scratch of that wave: bytes of each lane's.
    uint32_t workgroup[3]; ///< Of LDS: whose.
};

enum {
    LULL_TRACE_CODES = 4096,
    LULL_TRACE_RANGES = 8,
    LULL_TRACE_KEPT = 1 << 16,
    LULL_TRACE_REGS = 2
};

/** Which instructions are kept: any that one of these names. */
struct lull_gpu_trace_want {
    uint32_t vmid;
    bool wave; ///< All of the wave at place, of that workgroup; place UINT32_MAX: of all.
    uint32_t place, workgroup[3];
    uint32_t hidden; ///< LULL_TRACED_WAVE: place is for registers alone.
    unsigned ncodes, nranges;
    uint64_t codes[LULL_TRACE_CODES]; ///< Addresses.
    struct lull_gpu_trace_range ranges[LULL_TRACE_RANGES];
};

/** Bits of struct lull_gpu_traced.hits; of range n: LULL_TRACED_RANGE << n. */
enum { LULL_TRACED_WAVE = 1, LULL_TRACED_CODE = 2, LULL_TRACED_RANGE = 4 };

/** An instruction that was executed. */
struct lull_gpu_traced {
    uint64_t time, pc, exec;                   ///< In front of it.
    uint64_t lanes;                            ///< That touched a range.
    uint64_t executed;                         ///< By its wave before.
    uint32_t place, hits, workgroup[3], index; ///< index: of the wave in its workgroup.
};

/** Keep instructions from now on, the last LULL_TRACE_KEPT; what was kept before is gone. NULL: no
 * more, and nothing. LULL_ERR_NOMEM. */
struct lull_error *lull_gpu_trace(struct lull_gpu *g,
                                  const struct lull_gpu_trace_want *want) LULL_MUST_USE;
/** How many there were since. */
uint64_t lull_gpu_traced(const struct lull_gpu *g);
/** Number @p n, from 0; NULL: not kept. Good until the GPU runs again. */
const struct lull_gpu_traced *lull_gpu_traced_at(const struct lull_gpu *g, uint64_t n);

/**
 * All of the GPU as it is now, between two calls of lull_gpu_run(): see model/state.h.
 *
 * @param outside False: nobody but the GPU itself has written its memory since the last state was
 * saved or restored. Then it costs the pages that the GPU has written; else a look at all.
 * @param ret The caller frees it with lull_gpu_state_done().
 */
struct lull_error *lull_gpu_save(struct lull_gpu *g, bool outside,
                                 struct lull_gpu_state *ret) LULL_MUST_USE;
/**
 * Make the GPU what it was, or what another with the same configuration was. Nobody is told of jobs
 * and dispatches that are gone with it. Refused, with LULL_ERR_INVALID, for a state of another
 * configuration; without memory of the host it may be left without any work.
 */
struct lull_error *lull_gpu_restore(struct lull_gpu *g, bool outside,
                                    const struct lull_gpu_state *s) LULL_MUST_USE;

/**
 * What a driver may do with a GPU, as functions of the same names and contracts above: the model's
 * are lull_gpu_model_ops; a test has its own GPU behind them.
 */
struct lull_gpu_ops {
    void (*destroy)(struct lull_gpu *g);
    struct lull_error *(*submit)(struct lull_gpu *g, enum lull_ring ring,
                                 const struct lull_gpu_job *job);
    uint64_t (*run)(struct lull_gpu *g, uint64_t cycles);
    bool (*next_done)(struct lull_gpu *g, struct lull_gpu_done *ret);
    uint64_t (*job_cycles)(const struct lull_gpu *g, enum lull_ring ring);
    void (*reset_ring)(struct lull_gpu *g, enum lull_ring ring);
    uint32_t (*read_reg)(struct lull_gpu *g, struct lull_bank bank, uint32_t byte_offset);
    void (*write_reg)(struct lull_gpu *g, struct lull_bank bank, uint32_t byte_offset,
                      uint32_t value);
    void (*flush_tlb)(struct lull_gpu *g, uint32_t vmid);
    uint64_t (*clock)(const struct lull_gpu *g);
    /* May be NULL. */
    uint64_t (*progress)(const struct lull_gpu *g, enum lull_ring ring);
    bool (*dispatching)(const struct lull_gpu *g, enum lull_ring ring);
    unsigned (*unqueue)(struct lull_gpu *g, enum lull_ring ring, uint64_t cookie);
    uint64_t (*slept)(const struct lull_gpu *g);
    void (*idle)(struct lull_gpu *g, uint64_t ticks);
    void (*watch)(struct lull_gpu *g, const struct lull_gpu_watcher *watcher);
    struct lull_written *(*log_writes)(struct lull_gpu *g, const struct lull_written_host *host,
                                       uint64_t bytes);
    void (*pause)(struct lull_gpu *g, bool on);
    void (*watch_pixel)(struct lull_gpu *g, bool on, uint32_t x, uint32_t y);
    void (*watch_drawn)(struct lull_gpu *g, bool on);
    void (*aim)(struct lull_gpu *g, const struct lull_gpu_aim *a);
    void (*crumbs)(struct lull_gpu *g, const struct lull_crumb_watcher *to);
    struct lull_error *(*save)(struct lull_gpu *g, bool outside, struct lull_gpu_state *ret);
    struct lull_error *(*restore)(struct lull_gpu *g, bool outside, const struct lull_gpu_state *s);
    uint64_t (*time)(const struct lull_gpu *g);
    uint64_t (*began)(struct lull_gpu *g, bool again);
    void (*stop_at)(struct lull_gpu *g, uint64_t time, uint32_t vmid);
    void (*still)(struct lull_gpu *g, bool on);
    bool (*any_done)(const struct lull_gpu *g);
    bool (*handlers_busy)(const struct lull_gpu *g);
    uint64_t (*executed)(const struct lull_gpu *g, uint32_t place);
    struct lull_error *(*trace)(struct lull_gpu *g, const struct lull_gpu_trace_want *want);
    uint64_t (*traced)(const struct lull_gpu *g);
    const struct lull_gpu_traced *(*traced_at)(const struct lull_gpu *g, uint64_t n);
};

extern const struct lull_gpu_ops lull_gpu_model_ops;

#endif
