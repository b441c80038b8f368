// SPDX-License-Identifier: MIT
/** @file
 * Inside the model GPU: what its parts know of each other.
 *
 *   gpu.c        memory, rings' queues, life and death
 *   gpu_mmio.c   registers by byte offset, banks, GPUVM fault registers
 *   gpu_sq.c     SQ_IND, SQ_CMD: waves seen and commanded from outside
 *   cp.c         command processor: packets, indirect buffers, jobs
 *   cp_dispatch.c  dispatch packets
 *   cp_event.c   events and counters
 *   gfx*.c       draws, whose waves are work (struct lull_work) like a dispatch's
 *   sdma*.c      SDMA engines: packets of their own, on rings like the others
 *   cp_state.c   packets that set registers
 *   cp_mem.c     packets that move data and wait for it
 *   gpu_slots.c  places of waves
 *   gpu_place.c  dispatcher (gpu_spi.h): where there is room
 *   gpu_launch.c dispatcher: which workgroups come onto the GPU, and when
 *   gpu_range.c  which of a dispatch's workgroups are not launched yet
 *   gpu_spi.c    dispatcher: workgroups and waves come into being and go
 *   gpu_pool.c   the host's memory for them
 *   gpu_state.c  all of it saved and restored
 *   gpu_watch.c  watchpoints
 *   gpu_order.c  orders of waves that are given from outside
 *   gpu_sched.c  scheduler: whose turn it is, barriers, sleep
 *   gpu_run.c    time that passes: command processors, launches, waves in turn
 *   gpu_share.c  workgroups shared by threads
 *   gpu_team.c   the threads
 *   gpu_trace.c  instructions that are kept
 *   gpu_trap.c   waves in their trap handlers, which hold up all else
 */
#ifndef LULL_MODEL_AMD_GPU_IMPL_H
#define LULL_MODEL_AMD_GPU_IMPL_H

#include <pthread.h>

#include "hw/gc11_regs.h"
#include "hw/hwreg_regs.h"
#include "model/amd/gpu/gpu.h"
#include "model/amd/gpu/gpu_range.h"
#include "model/amd/mem/kept.h"
#include "model/amd/wave/wave.h"
#include "model/observer.h"
#include "model/pages.h"
#include "model/written.h"

/** Sizes of gfx11; those of one chip are in struct lull_chip. Source: AMD RDNA3 ISA guide, 2 and 3;
 * LLVM AMDGPUBaseInfo.cpp (gfx1100). */
enum {
    LULL_NVMID = 16,
    LULL_NSIMD = 4,            ///< In a WGP; 0 and 1 are the first CU's.
    LULL_SIMD_SLOTS = 16,      ///< Waves a SIMD holds.
    LULL_WAVE_VGPRS = 256,     ///< Registers a wave can name.
    LULL_WAVE_LANES = 64,      ///< Lanes it can have.
    LULL_CU_LDS_BYTES = 65536, ///< A workgroup in WGP mode may use both CUs'.
    LULL_GROUP_ITEMS = 1024,   ///< Work-items in a workgroup, at most.
    LULL_GROUP_WAVES = 32,     ///< The same in waves of 32.
    LULL_MAX_SE = 8,
    LULL_MMIO_BYTES = 1 << 20, ///< Registers beyond read 0 and forget.
    LULL_SH_BASE = 0xb000,     ///< First SH register; Linux soc15d.h PACKET3_SET_SH_REG_START.
    LULL_SH_BYTES = 0x1000,
    LULL_CONTEXT_BASE = 0x28000, ///< PACKET3_SET_CONTEXT_REG_START.
    LULL_CONTEXT_BYTES = 0x1000,
    LULL_UCONFIG_BASE = 0x30000, ///< PACKET3_SET_UCONFIG_REG_START.
    LULL_UCONFIG_BYTES = 0x10000,
    LULL_VGPR_CLASSES = 8, ///< Sizes of VGPR buffers kept: 1 KiB << class.
    LULL_BODY_DWORDS = 0x4000,
    LULL_IB_DEPTH = 2,    ///< IB1 from the ring, IB2 from IB1.
    LULL_CACHE_LINE = 64, ///< Of the host.
};

struct lull_gfx;
struct lull_gfx_output;
struct lull_gfx_patch;
struct lull_gpu;
struct lull_work;
struct lull_gpu_group;
struct lull_gpu_ring;
struct lull_gpu_runner;
struct lull_gpu_team;

/*
 * What follows is in two parts: state, which decides what the GPU does next, has no pointers and no
 * gaps, and is saved as it is (gpu_state.c); then wiring, which is laid anew.
 */

/** A SIMD, as HW_ID1 numbers it. */
struct lull_gpu_unit {
    uint8_t se, sa, wgp, simd;
};

/** A wave's place on a SIMD, and the wave in it. Free while group is NULL. */
struct lull_gpu_slot {
    struct lull_wave w; ///< w.owner points at this slot. Has a state and wiring of its own.
    uint64_t wake_at;   ///< Time at which s_sleep of the program ends.
    uint64_t look_at;   ///< Cycle at which s_sleep of its trap handler ends.
    uint32_t steps;     ///< SINGLE_STEP commands not carried out yet.
    int scratch;        ///< Scratch slot in its SE, or -1.
    /** What SQ_CMD took it away from into its trap handler: a barrier, sleep; RUNNING: nothing. */
    enum lull_wave_state was;
    bool trapped; ///< Is in lull_gpu.trapped.
    /* Wiring: where it is, since lull_gpu_number_slot(). */
    struct lull_gpu_unit unit;
    uint8_t wave;
    struct lull_gpu *gpu;
    struct lull_gpu_group *group;
    const struct lull_gpu_runner *runner; ///< Who runs it just now, of several threads.
    unsigned dirty; ///< VGPRs from this one on are 0, but for what w.code has written.
};

/** What a WGP has left: all state. */
struct lull_gpu_wgp {
    uint8_t slots[LULL_NSIMD];
    uint16_t vgprs[LULL_NSIMD];
    uint32_t lds[2];
};

/** A workgroup on the GPU. */
struct lull_gpu_group {
    struct lull_workgroup wg; ///< First: lull_wave.wg points at it. Has wiring of its own.
    uint32_t lds_taken[2];    ///< Bytes, as the hardware allocates.
    uint32_t nslots, next;    ///< next: wave whose turn it is.
    /* Wiring. */
    uint32_t lds_room; ///< Of wg.lds, bytes.
    struct lull_work *work;
    struct lull_gpu_wgp *wgp;
    struct lull_gpu_group *free_next;
    struct lull_gpu_slot *slots[LULL_GROUP_WAVES]; ///< NULL once the wave has ended.
    bool fresh;                                    ///< Placed, but its waves are not started yet.
    /* While groups are shared by threads (gpu_share.c). */
    bool taken; ///< By a thread.
    unsigned ngone;
    struct lull_gpu_slot *gone[LULL_GROUP_WAVES]; ///< Have ended, but have their places still.
};

/** Where waves come from. */
enum lull_work_kind {
    LULL_WORK_COMPUTE,
    LULL_WORK_HULL,     ///< LS and HS.
    LULL_WORK_GEOMETRY, ///< ES and GS: vertices, tessellated points, primitives, meshlets.
    LULL_WORK_PIXELS,
    LULL_WORK_KINDS,
};

/** What is a source's own; placing, starting, running, ending waves is the same for all. */
struct lull_work_source {
    const struct lull_wave_host *host;
    bool undefined; ///< Registers and LDS start as what was there, else as 0.
    /**
     * The registers of wave @p index of @p group that are not those of all waves. @p items: of the
     * group, in its directions.
     */
    void (*start)(struct lull_gpu *g, const struct lull_gpu_group *group, unsigned index,
                  const uint32_t items[3], struct lull_wave *w);
    /** All groups have ended, or were @p killed; NULL: nobody is told. */
    void (*over)(struct lull_gpu *g, const struct lull_work *work, bool killed);
};

/** Work from its packet to its last wave: a dispatch, or vertices or pixels of a draw. */
struct lull_work {
    uint64_t pgm, scratch_base;                 ///< GPU virtual addresses, in bytes.
    uint64_t id;                                ///< The watcher's.
    uint32_t vmid, index;                       ///< index: counts the ring's dispatches.
    uint32_t rsrc1, rsrc2, rsrc3;               ///< As COMPUTE_PGM_RSRC1 to 3, whatever the source.
    uint32_t user[16];                          ///< Of dispatches.
    uint32_t scratch_wave_bytes, scratch_waves; ///< scratch_waves: in each SE.
    uint32_t start[3], end[3];                  ///< Workgroup ids: first, one past the last.
    uint32_t full[3], last[3];         ///< Items of a workgroup, and of the last in each dimension.
    uint32_t lanes, nvgprs, vgpr_cost; ///< vgpr_cost: 32-lane registers.
    uint32_t lds_bytes;
    uint32_t cus[LULL_MAX_SE]; ///< Enabled, as COMPUTE_STATIC_THREAD_MGMT_SEn.
    uint32_t kind;             ///< enum lull_work_kind.
    uint32_t limited;          ///< 0 or 1: only `left` more workgroups may be launched.
    uint64_t first_entry;      ///< Of task shaders: the first workgroup's, in the ring of draws.
    /* What changes with each workgroup, while threads start waves by what is above. */
    uint8_t apart[LULL_CACHE_LINE];
    uint64_t live, ended;                           ///< Workgroups on the GPU; that ended.
    uint64_t reserved;                              ///< Of live: in reserve (gpu_launch.c).
    struct lull_work_range range[LULL_WORK_RANGES]; ///< Workgroups that are not launched.
    uint32_t ranges; ///< Bit for each that is not empty; 0: all workgroups have been launched.
    uint32_t left;   ///< See limited.
    /* Wiring. */
    uint32_t held;                         ///< Bit for each range that a thread is launching from.
    const struct lull_work_source *source; ///< Of its kind.
    struct lull_gpu_ring *ring;
    struct lull_work *next; ///< In its ring's list.
};

struct lull_gpu_ib {
    uint64_t va;
    uint32_t ndwords, at;
};

/** A job in a ring's queue, then its result in the queue of results. */
struct lull_gpu_job_node {
    struct lull_gpu_job job;
    struct lull_gpu_done done;
    /* Wiring. */
    struct lull_gpu_job_node *next;
};

/** The crumb that a ring is at. */
struct lull_gpu_crumb {
    struct lull_crumb_packet at; ///< at.after: it is done, but for the waves that it started.
    uint64_t stream;             ///< Of the job.
    bool told, waits;            ///< told: of the packet that is being done; waits: was refused.
};

struct lull_gpu_ring {
    uint64_t started_at;              ///< Cycle.
    uint64_t progress;                ///< See lull_gpu_progressed().
    uint64_t packets, groups, chains; ///< Of the job: done, ended, jumped to.
    uint64_t atomic_return;           ///< What the last ATOMIC_MEM found.
    uint64_t invocations;             ///< Work-items launched, ever.
    uint64_t indirect_base;           ///< SET_BASE 1.
    uint64_t launch_id;               ///< The watcher's, of the dispatch it was last asked about.
    uint64_t task_control;            ///< DISPATCH_TASK_STATE_INIT: where the buffer is.
    struct lull_gpu_ib ib[LULL_IB_DEPTH];
    uint32_t next_ib, depth;
    uint32_t part;      ///< LULL_CP_MORE: bytes of the packet that are done.
    uint32_t last_vmid; ///< Of the job before.
    uint32_t ndispatches;
    uint32_t sh[LULL_SH_BYTES / 4];
    bool started;   ///< The job at the head.
    bool held;      ///< By the watcher, in front of a dispatch.
    bool stays;     ///< The watcher let it start and is asked about it again;
    bool under_way; ///< when it has ended.
    bool predicated, predicate_skip;
    /* Wiring. */
    enum lull_ring id;
    struct lull_gpu_job_node *head, **tail;
    struct lull_work *works; ///< Oldest first; at most the newest is launching.
    struct lull_gpu_crumb crumb;
};

enum { LULL_TCP_WATCHES = 4 };

/** A TCP_WATCH register set. */
struct lull_gpu_tcp_watch {
    bool valid;
    uint32_t vmid, mode;
    uint64_t block, mask; ///< Address and the bits of it that count, in 128 bytes.
};

/** Watchpoints, as an observer in front of the others. */
struct lull_gpu_tcp {
    struct lull_observer o; ///< First.
    bool any;               ///< One is valid.
    struct lull_gpu_tcp_watch watch[LULL_TCP_WATCHES];
};

/** What lull_gpu_trace() keeps. While it is there waves execute one instruction at a time, so that
 * the time of each is known. */
struct lull_gpu_trace {
    struct lull_observer o; ///< First.
    struct lull_gpu_trace_want want;
    uint64_t n;
    uint32_t hits;                ///< Of the instruction under way: ranges,
    uint64_t lanes;               ///< and who touched them.
    const struct lull_wave *wave; ///< Whose registers are compared; NULL: not those of this one.
    uint32_t before[LULL_TRACE_RANGES][LULL_TRACE_REGS * 64]; ///< What they were.
    struct lull_gpu_traced kept[LULL_TRACE_KEPT];             ///< A ring.
};

/** Host memory for VGPRs that nobody uses just now. */
struct lull_gpu_vgprs {
    void *free[LULL_VGPR_CLASSES];
};

/** How the waves of a workgroup began that a thread launched. */
struct lull_gpu_image {
    const struct lull_gpu_group *group; ///< Which; NULL: there is none.
    uint32_t items[3];
    unsigned sgpr[3]; ///< As lull_spi_id_sgprs() gives them.
    struct lull_wave w[LULL_GROUP_WAVES];
    uint32_t ids[LULL_GROUP_WAVES][LULL_WAVE_LANES]; ///< v0.
};

/** A thread that runs waves, and what it shares with no other. */
struct lull_gpu_runner {
    uint64_t used;                ///< Cycles in this turn.
    struct lull_vm *vm;           ///< [LULL_NVMID], each up to date when a group of it is taken.
    uint64_t flushes[LULL_NVMID]; ///< Of the GPU's when it was.
    struct lull_code_cache *code[LULL_NVMID];
    uint64_t epochs[LULL_NVMID]; ///< The same of code.
    struct lull_gpu_vgprs vgprs;
    struct lull_kept kept;
    struct lull_gpu_image image;     ///< Of the stretch under way.
    uint8_t behind[LULL_CACHE_LINE]; ///< Nothing of the next one's is in the same line.
};

/** A turn that threads share. What all look at all the time is in another line of the host's cache
 * than what changes with each batch of groups. */
struct lull_gpu_share {
    struct lull_gpu_team *team;     ///< NULL: there never was such a turn.
    struct lull_gpu_runner *runner; ///< One for each thread; the first uses what the GPU has.
    bool stop;                      ///< Something else comes first.
    uint8_t apart[LULL_CACHE_LINE];
    pthread_mutex_t lock;        ///< Of all that groups come from and go back to.
    bool held;                   ///< It is, most likely: looked at without it.
    uint64_t left;               ///< Cycles.
    uint64_t turn_end;           ///< The time when that of one thread is over.
    bool cut;                    ///< It was not when there were no cycles left: it goes on.
    uint64_t nfresh;             ///< Groups that were launched in this turn;
    uint64_t average;            ///< cycles that each took in those before. 0: not known.
    uint64_t locked;             ///< How often somebody had the lock, ever.
    unsigned nworking, nthreads; ///< Threads that run a group; that are called.
    uint8_t behind[LULL_CACHE_LINE];
};

/** The engine: lull_wave_run() or another with the same contract. */
typedef uint32_t lull_gpu_engine_fn(struct lull_wave *w, uint32_t budget);

/**
 * Where lull_gpu_run() is. It goes round: each command processor has its turn, workgroups are
 * launched, one group's waves have theirs. A run that ends within a round goes on there in the
 * next, so how often and for how long the GPU is run changes nothing.
 */
struct lull_gpu_round {
    unsigned ring;    ///< Whose turn it is,
    unsigned packets; ///< and how many packets it has done.
    bool waves;       ///< The command processors have had their turn.
    bool over;        ///< The waves, too.
    bool moved;       ///< Something did in this round.
};

/**
 * What draws count, since the GPU came up: all state. Who counts just adds, whether or not a query
 * is open; cp_event.c leaves out what came between PIPELINESTAT_STOP and _START.
 *
 * The first 13 stand as SAMPLE_PIPELINESTAT of the gfx ring writes them; of task shaders that of
 * their compute ring says. Source: Mesa 25.0.7 radv_query.c, pipeline_statistics_indices, with the
 * bits of VkQueryPipelineStatisticFlagBits.
 */
struct lull_gfx_counters {
    uint64_t ps_invocations;   ///< gfx_pixel.c: lanes that start covered, no helpers.
    uint64_t clip_primitives;  ///< lull_gfx_count_prims(): that are not all outside one plane.
    uint64_t clip_invocations; ///< lull_gfx_count_prims(): that go into clipping.
    uint64_t vs_invocations;   ///< gfx_geom.c: vertex shader lanes.
    uint64_t gs_invocations;   ///< gfx_geom.c: geometry shader lanes, each instance of them.
    uint64_t gs_primitives;    ///< lull_gfx_count_prims(): that geometry shaders put out.
    uint64_t ia_primitives;    ///< gfx_fetch.c: of the draw's topology, patches too.
    uint64_t ia_vertices;      ///< gfx_fetch.c: indices read, without those that restart.
    uint64_t hs_invocations;   ///< gfx_hs.c: patches.
    uint64_t ds_invocations;   ///< gfx_geom.c: evaluation shader lanes.
    uint64_t cs_invocations;   ///< Nobody: the ring's (lull_gpu_ring.invocations) are put here.
    uint64_t ms_invocations;   ///< gfx_geom.c: mesh shader lanes.
    uint64_t ms_primitives;    ///< gfx_geom.c: primitives that mesh shaders put out.
    uint64_t samples_passed;   ///< lull_gfx_count_samples(), at the commit of pixels.
};

enum { LULL_GFX_STATS = 13 };

/** What SAMPLE_PIPELINESTAT leaves out of the counters. */
struct lull_gfx_stats {
    uint64_t at_stop[LULL_GFX_STATS]; ///< The counters at PIPELINESTAT_STOP.
    uint64_t omitted[LULL_GFX_STATS]; ///< What came while stopped, all together.
    uint64_t stopped;                 ///< 0 or 1.
};

struct lull_gpu {
    uint64_t cycles, rng;
    uint64_t launch_rng;  ///< Of what registers and LDS start with: drawn in order of launch.
    uint64_t time;        ///< Cycles without those of trap handlers: the program's time.
    uint64_t slept, idle; ///< Cycles with all asleep; clock ticks that were no cycles.
    uint64_t ndone;
    uint64_t trap_wake; ///< Cycle at which the first handler that sleeps looks again.
    uint64_t scratch_used[LULL_MAX_SE][64]; ///< Bit per scratch slot of the SE.
    uint8_t gds[LULL_GDS_BYTES];
    struct lull_gfx_counters counters;
    struct lull_gfx_stats stats;
    /** Registers banked by VMID. */
    struct {
        uint32_t tba_lo, tba_hi, tma_lo, tma_hi, sh_mem_bases, sh_mem_config, gdbg;
    } per_vmid[LULL_NVMID];
    uint32_t interrupts;           ///< s_sendmsg MSG_INTERRUPT so far.
    uint32_t wgp_next;             ///< Where the search for room begins.
    uint32_t launch_next;          ///< Ring that may launch first.
    uint32_t ngroups, group_at;    ///< group_at: whose turn it is.
    uint32_t nopen, trap_next;     ///< Groups before those in reserve; of trapped, the next.
    uint32_t turn_left, wave_left; ///< Instructions left of the group's and the wave's turn.
    uint32_t nwaves, ntrapped;
    uint64_t draw_id;   ///< The watcher's, of the draw it was last asked about.
    uint32_t gfx_bytes; ///< Of `gfx`; 0: there has been no draw.
    uint32_t draw_open; ///< 0 or 1: the watcher is to be told of the end of draw_id.
    struct lull_gpu_round round;
    bool paused; ///< lull_gpu_pause().
    bool fault_latched;
    bool trap_due;     ///< A wave in its handler can run, or holds up all else.
    bool trap_stopped; ///< One that holds up all else has waited.
    bool want_more;    ///< A turn ran out: launch beyond the target, or waves could wait for ever.
    bool reserving;    ///< Groups come into the reserve.
    bool order_stuck;  ///< All that could move waits by the order, and more were launched.
    /* Wiring, and parts with a state of their own. */
    struct lull_gpu_config config;
    int memfd;
    uint8_t *map;
    struct lull_phys phys;
    struct lull_pages memory, registers; ///< All of map, all of mmio.
    lull_gpu_engine_fn *engine;
    struct lull_gfx *gfx;           ///< The draw under way: gfx_bytes of state without pointers.
    struct lull_gfx_output *output; ///< Of the draw, made of its registers (gfx_output.h).
    struct lull_gfx_patch *patch;   ///< The last one that was tessellated (gfx_hs.c).
    struct lull_observer *observer;
    struct lull_written *written; ///< Who wrote memory last; NULL: nobody asks.
    struct lull_gpu_watcher watcher;
    struct lull_crumb_watcher crumbs;
    uint64_t crumb_streams; ///< Jobs that rings have begun.
    bool still;             ///< lull_gpu_still().
    bool commanded;         ///< SQ_CMD has done something to waves since all rings stood.
    bool pixel_watched;     ///< lull_gpu_watch_pixel().
    uint32_t pixel_x, pixel_y;
    uint32_t stop_vmid;         ///< lull_gpu_stop_at().
    struct lull_gfx_seen *seen; ///< Of the batch under way, nseen of them (gfx_watch.c).
    uint32_t nseen, seen_room;
    bool drawn_watched;            ///< lull_gpu_watch_drawn().
    struct lull_gpu_aim aim;       ///< lull_gpu_aim().
    struct lull_gpu_tcp tcp;       ///< Follows its registers.
    uint64_t began;                ///< lull_gpu_began().
    uint64_t stop_at;              ///< lull_gpu_stop_at().
    struct lull_gpu_trace *trace;  ///< NULL: nothing is kept.
    struct lull_vm vm[LULL_NVMID]; ///< The same.
    struct lull_code_cache *code[LULL_NVMID];
    uint32_t *mmio; ///< LULL_MMIO_BYTES.
    struct lull_gpu_ring rings[LULL_RING_COUNT];
    struct lull_gpu_job_node *done, **done_tail;
    unsigned nwgps, nslots;
    struct lull_gpu_wgp *wgps;
    struct lull_gpu_slot *slots;    ///< [((se * sas + sa) * wgps + wgp) * 4 + simd) * 16 + wave]
    struct lull_gpu_group **groups; ///< On the GPU, in order of launch; nopen, then the reserve.
    struct lull_gpu_slot **trapped; ///< Waves in their trap handlers, or on the way there.
    struct lull_gpu_group *free_groups;
    struct lull_gpu_vgprs vgprs;
    struct lull_gpu_share share;
    bool killing;    ///< Waves that go now do not end by themselves.
    bool no_memory;  ///< The host could not give memory for a wave.
    unsigned nfresh; ///< Groups that lull_spi_start_all() has to start.
    /** Bit for each ring that may have jobs, and works; noted so that rings without, which are far
     * apart in memory, are not looked at in each round. */
    uint32_t with_jobs, with_works;
    bool may_halt;                   ///< Some wave may be halted; false: none is.
    uint32_t body[LULL_BODY_DWORDS]; ///< Of the packet being executed.
    struct {
        bool known;
        uint32_t context[LULL_CONTEXT_BYTES / 4];
    } clear; ///< What CLEAR_STATE sets, once it has.
};

/** Value of the field whose bits are @p mask in @p word. */
static inline uint32_t lull_field(uint32_t word, uint32_t mask)
{
    return (word & mask) >> __builtin_ctz(mask);
}

/** Let @p n cycles pass that the program sees. */
static inline void lull_gpu_tick(struct lull_gpu *g, uint64_t n)
{
    g->cycles += n;
    g->time += n;
}

/** Waves to keep in flight that are not halted. */
enum { LULL_TARGET_WAVES = 64 };

/** Instructions of a group's turn, and of the part of it that one of its waves has. */
enum { LULL_GROUP_TURN = 16384, LULL_WAVE_TURN = 256 };

/** A wave that is alone has all of its group's turn. */
static inline uint32_t lull_sched_wave_turn(const struct lull_gpu_group *group)
{
    return group->nslots == 1 ? LULL_GROUP_TURN : LULL_WAVE_TURN;
}

/** The wave behind the one whose turn it is. */
static inline uint32_t lull_sched_behind(const struct lull_gpu_group *group)
{
    return group->next + 1 < group->nslots ? group->next + 1 : 0;
}

/** A wave is halted. By several threads at once. */
static inline void lull_gpu_note_halt(struct lull_gpu *g)
{
    __atomic_store_n(&g->may_halt, true, __ATOMIC_RELAXED);
}

/** @p value in the field whose bits are @p mask. */
static inline uint32_t lull_field_put(uint32_t value, uint32_t mask)
{
    return value << __builtin_ctz(mask) & mask;
}

/**
 * Packets were done, or workgroups ended, @p n of them. That counts as progress of the job only as
 * long as it could come to an end: command buffers that jump in a circle, or that hold more work
 * than can ever be done, are hangs.
 */
static inline void lull_gpu_progressed(struct lull_gpu_ring *r, uint64_t n)
{
    const bool endless =
        r->chains > UINT32_C(1) << 16 || r->packets > UINT32_C(1) << 28 || r->groups > UINT32_MAX;
    r->progress += endless ? 0 : n;
}

static inline uint32_t lull_sh(const struct lull_gpu_ring *r, uint32_t reg)
{
    return r->sh[(reg % LULL_SH_BYTES) / 4];
}

// gpu.c
/* Of struct lull_wave_host, for waves of any source. */
void lull_host_sendmsg(struct lull_wave *w, uint32_t msg);
uint64_t lull_host_sendmsg_rtn(struct lull_wave *w, uint32_t msg);
void lull_host_fault(struct lull_wave *w);
uint64_t lull_host_clock(struct lull_wave *w);
void lull_host_gds(struct lull_wave *w, struct lull_gds *ret);
extern const struct lull_wave_host lull_host_compute;
static inline struct lull_gpu *lull_gpu_of(const struct lull_wave *w)
{
    const struct lull_gpu_slot *s = w->owner;
    return s->gpu;
}
/** The GDS of @p vmid, by its registers. */
void lull_gpu_gds(struct lull_gpu *g, unsigned vmid, struct lull_gds *ret);
/** End the job at the head of ring @p r. */
void lull_gpu_end_job(struct lull_gpu *g, struct lull_gpu_ring *r, enum lull_job_result result,
                      const char *message);
/** Have decoded code of @p vmid, before the first job of it. */
struct lull_error *lull_gpu_have_code(struct lull_gpu *g, unsigned vmid) LULL_MUST_USE;
uint64_t lull_gpu_random(struct lull_gpu *g);
/** The same, of another sequence. */
uint64_t lull_gpu_draw(uint64_t *rng);
void lull_gpu_free_jobs(struct lull_gpu_job_node **head, struct lull_gpu_job_node ***tail);
void lull_gpu_set_engine(struct lull_gpu *g, lull_gpu_engine_fn *engine);

// gpu_mmio.c
void lull_gpu_latch_fault(struct lull_gpu *g, const struct lull_vm *vm, uint32_t client);
/** SH and context registers, @p n from byte @p offset of theirs on, which do nothing when written.
 */
void lull_gpu_set_sh(struct lull_gpu_ring *r, uint32_t offset, const uint32_t *values, unsigned n);
void lull_gpu_set_context(struct lull_gpu *g, uint32_t offset, const uint32_t *values, unsigned n);
/** Make vm[vmid] follow its context and aperture registers. */
void lull_gpu_sync_vm(struct lull_gpu *g, unsigned vmid);

// gpu_written.c
/** Packets of @p r wrote @p bytes at @p to, from @p from or with values of their own: for the log,
 * if there is one. */
void lull_gpu_wrote(struct lull_gpu *g, const struct lull_gpu_ring *r, uint32_t vmid, uint64_t to,
                    uint64_t bytes, const uint64_t *from, bool fills);

/** The same of the back end: @p bytes of a texel that @p lane exported. */
static inline bool lull_gpu_logs(const struct lull_gpu *g)
{
    return g->written != NULL;
}
void lull_gpu_wrote_pixel(struct lull_gpu *g, uint32_t vmid, uint64_t to, unsigned bytes,
                          unsigned lane, const struct lull_writer *by);

// gpu_watch.c
/** The log of writes, and who watches besides. */
static inline struct lull_observer *lull_gpu_watching(struct lull_gpu *g)
{
    return g->written != NULL ? lull_written_observer(g->written) : g->observer;
}

/** Who watches a wave that starts now. */
static inline struct lull_observer *lull_gpu_observer(struct lull_gpu *g)
{
    return g->trace != NULL && g->trace->want.nranges != 0 ? &g->trace->o
           : g->tcp.any                                    ? &g->tcp.o
                                                           : lull_gpu_watching(g);
}

/** Tell the observers, of whom there are some, that the wave in @p s, number @p index of its group,
 * starts or ends. */
void lull_gpu_tell_all(struct lull_gpu *g, const struct lull_gpu_slot *s, unsigned index,
                       bool starts);
/** The same if there are any. */
static inline void lull_gpu_tell(struct lull_gpu *g, const struct lull_gpu_slot *s, unsigned index,
                                 bool starts)
{
    if (lull_gpu_observer(g) != NULL) {
        lull_gpu_tell_all(g, s, index, starts);
    }
}
/** Nobody asks for an order of waves, or sees when one starts? */
bool lull_gpu_unseen(const struct lull_gpu *g);
/** The observers changed: tell all waves. */
void lull_gpu_reobserve(struct lull_gpu *g);
/** A TCP_WATCH register was written. */
void lull_gpu_tcp_written(struct lull_gpu *g);

// gpu_sq.c
uint32_t lull_gpu_sq_read(struct lull_gpu *g, uint32_t grbm);
void lull_gpu_sq_write(struct lull_gpu *g, uint32_t grbm, uint32_t value);
void lull_gpu_sq_cmd(struct lull_gpu *g, uint32_t grbm, uint32_t value);
/** STATUS.HALT and FATAL_HALT changed: make the state follow. */
void lull_gpu_follow_halt(struct lull_gpu_slot *s);

// gpu_slots.c
/** Where slot number @p slot is. */
struct lull_gpu_unit lull_gpu_unit_of(const struct lull_gpu *g, unsigned slot);
/** Before the first wave comes to @p s. Slots are thousands of pages of the host, and most programs
 * use few of them. */
void lull_gpu_number_slot(struct lull_gpu *g, struct lull_gpu_slot *s);
/** The first slot from number @p slot on that holds a wave; g->nslots: none. */
unsigned lull_gpu_next_wave(const struct lull_gpu *g, unsigned slot);
/** No wave is anywhere, and each WGP has all that it can have. */
void lull_gpu_empty_units(struct lull_gpu *g);

// gpu_order.c: of a GPU with config.order
/** How many instructions @p s may execute by the order; UINT64_MAX: any number. */
uint64_t lull_gpu_order_may(const struct lull_gpu *g, const struct lull_gpu_slot *s);
/** @p s has executed instructions; @p from: what it had before. */
void lull_gpu_order_ran(struct lull_gpu *g, const struct lull_gpu_slot *s, uint64_t from);
/** @p s goes. */
void lull_gpu_order_ended(struct lull_gpu *g, const struct lull_gpu_slot *s);
/** No wave could run: let those that wait by the order go on if nobody else ever will. False: it is
 * not that. */
bool lull_gpu_order_free(struct lull_gpu *g);
/** The wave whose turn it is in an order that is drawn; NULL: none can run. Those that @p can says
 * no of cannot. */
struct lull_gpu_slot *lull_gpu_order_pick(struct lull_gpu *g, bool (*can)(const struct lull_gpu *g,
                                                                          struct lull_gpu_slot *s));

// gpu_sched.c
/**
 * Run one group's turn, at most @p budget instructions; g->round.over: it has ended.
 *
 * @return Cycles used.
 */
uint64_t lull_sched_turn(struct lull_gpu *g, uint64_t budget);
/** Let time pass to the first wave that wakes, but not beyond cycle @p end. False: nobody sleeps.
 */
bool lull_sched_sleep(struct lull_gpu *g, uint64_t end);
/** Order and place of what comes are those of @p stream of the seed. */
void lull_sched_begin(struct lull_gpu *g, uint64_t stream);
/** Release the barrier of @p group if all of its waves are there; a wave came to it, and next is
 * behind that. */
void lull_sched_barrier(struct lull_gpu_group *group);
static inline void lull_sched_come(struct lull_gpu_group *group)
{
    const struct lull_gpu_slot *next = group->slots[group->next];
    if (next != NULL && next->w.state == LULL_WAVE_RUNNING && next->was == LULL_WAVE_RUNNING) {
        group->wg.nbarrier++; // Most often: waves come in turn.
        return;
    }
    lull_sched_barrier(group);
}

/** A wave of @p group that can run at @p now, from wave @p first on in a circle; NULL: none. */
struct lull_gpu_slot *lull_sched_find_wave(struct lull_gpu_group *group, unsigned first,
                                           uint64_t now);

// gpu_share.c
/** May workgroups be shared by threads now? What is there may ask for the order of one thread. */
bool lull_share_can(const struct lull_gpu *g);
/**
 * A turn in which threads take workgroups, of @p budget cycles together, beyond which each may end
 * the turn of a group. Sets round.over: a turn of one thread that was cut goes on in the next.
 *
 * @return Cycles used.
 */
uint64_t lull_share_turn(struct lull_gpu *g, uint64_t budget);

// gpu_team.c
/** Threads that wait for work, at most @p n at once with the caller; NULL: no memory. */
struct lull_gpu_team *lull_team_new(unsigned n);
void lull_team_free(struct lull_gpu_team *t);
/** Something to do while nothing is there: the other hardware thread of the core has it. */
void lull_team_relax(void);
/** Call @p work on @p n threads, with the numbers 0 (the caller's) to @p n - 1, and wait for all.
 * Numbers whose threads cannot be made, or come after the caller's part is over, are left out. */
void lull_team_run(struct lull_gpu_team *t, unsigned n, void (*work)(void *arg, unsigned number),
                   void *arg);

// gpu_trap.c
/** In its trap handler. Waves launched with RSRC1.PRIV are not. */
static inline bool lull_trap_inside(const struct lull_gpu_slot *s)
{
    return (s->w.status & LULL_HWREG_STATUS__PRIV_MASK) != 0 &&
           (s->group->work->rsrc1 & LULL_GC11_COMPUTE_PGM_RSRC1__PRIV_MASK) == 0;
}
/** @p s has entered its handler, or has a reason to. */
void lull_trap_add(struct lull_gpu *g, struct lull_gpu_slot *s);
/** @p s has just entered its handler: if it is alone there and soon out again, as from a breakpoint
 * whose condition does not hold, it goes on as if nothing had been. */
void lull_trap_pass(struct lull_gpu *g, struct lull_gpu_slot *s);
/** @p s is gone. */
void lull_trap_forget(struct lull_gpu *g, struct lull_gpu_slot *s);
/** Out of its handler: where it was taken away from. */
void lull_trap_back(struct lull_gpu_slot *s);
/** Handlers come first: nothing else may move. */
static inline bool lull_trap_due(const struct lull_gpu *g)
{
    return g->trap_due || g->cycles >= g->trap_wake;
}
/** Let handlers run to cycle @p end. False: none could. */
bool lull_trap_run(struct lull_gpu *g, uint64_t end);
/** Let cycles pass to the first handler that wakes, at most to @p end. False: none sleeps. */
bool lull_trap_sleep(struct lull_gpu *g, uint64_t end);

// gpu_trace.c
/** @p s executes an instruction of its program next: @p ret what is known in front of it. */
void lull_trace_before(struct lull_gpu *g, const struct lull_gpu_slot *s,
                       struct lull_gpu_traced *ret);
/** It has: keep it if it is wanted. */
void lull_trace_after(struct lull_gpu *g, const struct lull_gpu_traced *t);

// cp_dispatch.c
/** Tell the watcher that the draw it knows of is over, if there is one. */
void lull_gpu_draw_ended(struct lull_gpu *g, bool killed);
/** Tell the watcher. */
void lull_gpu_dispatch_ended(struct lull_gpu *g, uint64_t id, uint64_t groups, bool killed);

// cp.c
enum lull_cp_turn {
    LULL_CP_TURN_OVER,
    LULL_CP_TURN_HELD, ///< By the watcher, in front of a dispatch.
    LULL_CP_TURN_OUT,  ///< Cycle @p end came, or a job ended.
};

/** Let each ring's command processor do packets until cycle @p end. */
enum lull_cp_turn lull_cp_run(struct lull_gpu *g, uint64_t end);

#endif
