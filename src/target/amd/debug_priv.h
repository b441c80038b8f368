// SPDX-License-Identifier: MIT
/** @file
 * Inside of an AMD debug target. For src/target/ only.
 */
#ifndef LULL_TARGET_AMD_DEBUG_PRIV_H
#define LULL_TARGET_AMD_DEBUG_PRIV_H

#include "drm/amdgpu/debugfs.h"
#include "target/amd/breaks.h"
#include "target/amd/device_priv.h"
#include "target/target.h"

/** From one letting go to the next: who stood. */
struct lull_amd_stretch {
    uint64_t from; ///< Time.
    bool at_start; ///< New waves stop in front of their first instruction.
    size_t n;
    uint32_t *standing; ///< Slots. Owned.
};

/** The GPU as it was, and what the target knew of it. */
struct lull_amd_mark {
    uint64_t number, time, bytes;
    bool kept;      ///< Somebody else than the GPU had written something: it is needed.
    size_t stretch; ///< Which begins there, or is under way.
    uint32_t seen, flags, excp, enabled;
    size_t nwatches, nstopped;
    uint32_t *stopped;             ///< Owned.
    struct lull_amd_breaks breaks; ///< Its list is owned.
};

/** Time travel (travel.c). */
struct lull_amd_travel {
    uint64_t most;     ///< Bytes; 0: off.
    bool on;           ///< Of the dispatch under way.
    bool busy;         ///< It goes through time itself.
    bool touched;      ///< Memory or registers were written since the last mark.
    bool marked;       ///< A mark was made for the stretch that begins.
    bool alone;        ///< The GPU runs by itself, while nobody waits: a program's.
    bool quiet;        ///< interrupt() asked, and what comes of it is waited for.
    bool ended;        ///< The job has ended.
    uint64_t last;     ///< The latest time that was come to.
    uint64_t interval; ///< Of marks, in instructions.
    size_t nstretches, stretches_room, nmarks, marks_room;
    struct lull_amd_stretch *stretches; ///< Owned.
    struct lull_amd_mark *marks;        ///< Owned.
};

struct lull_amd_target {
    struct lull_target base;
    struct lull_amd_device *d; ///< Borrowed.
    struct lull_debugfs debugfs;
    /** Let the GPU run for some time; whether the job is done, if there is one job. */
    struct lull_error *(*pass)(struct lull_amd_target *t, uint64_t ns, enum lull_amd_wait *ret);
    uint8_t client;      ///< Goes into keys: which address space of several.
    unsigned vmid, wgps; ///< wgps: of a shader array, for slot numbers.
    struct lull_amd_bo *handler, *control, *slots;
    uint32_t nslots, flags;
    uint32_t seen;  ///< Stops taken from the handler's queue so far.
    bool resumed;   ///< Waves have commands that do not count before lull_amd_go().
    bool submitted; ///< Dispatches of our own have run: lull_amd_debug_submit().
    size_t nstopped;
    uint32_t *stopped; ///< Slots of waves that stand, oldest first; room for all.
    size_t nwatches;   ///< Hardware watchpoints in use.
    uint32_t excp;     ///< Exceptions of the ALU that are wanted.
    uint32_t enabled;  ///< Bits of MODE.EXCP_EN that waves have because of both.
    struct lull_amd_breaks breaks;
    bool arms; ///< It says itself which new waves trap; else program.c does.
    bool installed;
    bool live; ///< Of live.h: d is NULL, and waves are those of all VMIDs.
    struct lull_amd_travel travel;
};

/**
 * Put handler, control block and slots into the address space of @p d.
 *
 * @p ret is free of the registers still: lull_amd_install().
 */
struct lull_error *lull_amd_target_make(struct lull_amd_device *d, unsigned dri,
                                        struct lull_amd_target **ret) LULL_MUST_USE;
/** Make @p vmid use the handler, and the VMID before no more. */
struct lull_error *lull_amd_install(struct lull_amd_target *t, unsigned vmid) LULL_MUST_USE;
/** Let the waves go on that were resumed, all at once; the others stand. */
void lull_amd_go(struct lull_amd_target *t);
/** Take new stops from the handler's queue. @return There were some. */
bool lull_amd_collect(struct lull_amd_target *t);
/** The bits of a wave's key that say which client's it is. */
static inline uint8_t lull_amd_key_client(lull_wave_key key)
{
    return (uint8_t)(key >> 20);
}

/** A one-wave dispatch that reads HW_ID2: which VMID the kernel gave us. */
struct lull_error *lull_amd_probe_vmid(struct lull_amd_device *d, unsigned *ret) LULL_MUST_USE;

/** Set or clear a bit of the handler's flags. */
struct lull_error *lull_amd_set_flag(struct lull_amd_target *t, unsigned bit,
                                     bool on) LULL_MUST_USE;

/** Memory with the breakpoints that stand in it. */
struct lull_error *lull_amd_read_as_is(struct lull_amd_target *t, uint64_t va, void *buf,
                                       size_t size) LULL_MUST_USE;
struct lull_error *lull_amd_write_as_is(struct lull_amd_target *t, uint64_t va, const void *buf,
                                        size_t size) LULL_MUST_USE;

// Ops in debug.c.
struct lull_error *lull_amd_interrupt(struct lull_target *t) LULL_MUST_USE;
struct lull_error *lull_amd_kill(struct lull_target *t) LULL_MUST_USE;
struct lull_error *lull_amd_stand(struct lull_target *t) LULL_MUST_USE;

// Ops in breaks.c.
struct lull_error *lull_amd_set_breakpoints(struct lull_target *t, const uint64_t *vas,
                                            size_t n) LULL_MUST_USE;
struct lull_error *lull_amd_set_tests(struct lull_target *t, const struct lull_break_test *tests,
                                      size_t n) LULL_MUST_USE; // tests.c
struct lull_error *lull_amd_break_in_code(struct lull_target *t, bool on) LULL_MUST_USE;
/** @{ Memory as the program has it, without breakpoints. */
struct lull_error *lull_amd_read(struct lull_target *t, uint64_t va, void *buf,
                                 size_t size) LULL_MUST_USE;
struct lull_error *lull_amd_write(struct lull_target *t, uint64_t va, const void *buf,
                                  size_t size) LULL_MUST_USE;
/** @} */

// Ops in memory.c.
struct lull_error *lull_amd_running(struct lull_target *t, struct lull_wave_info *infos,
                                    size_t room, size_t *ret) LULL_MUST_USE;
/** @p ret: a wave is in the handler or in the block of a breakpoint. As slow. */
struct lull_error *lull_amd_inside(struct lull_amd_target *t, bool *ret) LULL_MUST_USE;
struct lull_error *lull_amd_bos(struct lull_target *t, struct lull_bo_info *infos, size_t room,
                                size_t *ret) LULL_MUST_USE;
struct lull_error *lull_amd_walk(struct lull_target *t, uint64_t va,
                                 struct lull_walk *ret) LULL_MUST_USE;

/** Page-table base of our VMID, and where VRAM begins in the addresses of entries. */
struct lull_error *lull_amd_root(struct lull_amd_target *t, uint64_t *ret_root,
                                 uint64_t *ret_vram) LULL_MUST_USE;
/** All that is mapped for the target's VMID, by rising address. As lull_target_ops.bos. */
struct lull_error *lull_amd_mappings(struct lull_amd_target *t, struct lull_bo_info *infos,
                                     size_t room, size_t *ret) LULL_MUST_USE;
// travel.c, travel_search.c
/** A dispatch begins; of @p alone: that of a program, whose job is on its ring. */
struct lull_error *lull_amd_travel_begin(struct lull_amd_target *t, bool alone) LULL_MUST_USE;
/** The first wave is let go again after a stop; it stands still. */
struct lull_error *lull_amd_travel_leave(struct lull_amd_target *t) LULL_MUST_USE;
/** All that are let go have their commands. */
struct lull_error *lull_amd_travel_go(struct lull_amd_target *t) LULL_MUST_USE;
/** A wait begins; @p went: waves were let go. */
struct lull_error *lull_amd_travel_wait(struct lull_amd_target *t, bool went) LULL_MUST_USE;
/** One look of a wait: whether the job has ended. */
struct lull_error *lull_amd_travel_look(struct lull_amd_target *t, bool *ret_ended) LULL_MUST_USE;
/** A wait ends: with waves that stand, or without. */
struct lull_error *lull_amd_travel_waited(struct lull_amd_target *t, bool stopped) LULL_MUST_USE;
/** The job is over, whatever was remembered. */
void lull_amd_travel_end(struct lull_amd_target *t);
void lull_amd_travel_done(struct lull_amd_target *t);
/** The last mark at @p time or before; NULL: there is none. */
const struct lull_amd_mark *lull_amd_mark_before(const struct lull_amd_target *t, uint64_t time);
/** To @p time from @p m. @p trace: kept on the way; NULL: nothing is. */
struct lull_error *lull_amd_travel_from(struct lull_amd_target *t, const struct lull_amd_mark *m,
                                        uint64_t time,
                                        const struct lull_time_trace *trace) LULL_MUST_USE;
// Ops in travel.c, travel_search.c.
struct lull_error *lull_amd_remember(struct lull_target *base, uint64_t bytes,
                                     bool writers) LULL_MUST_USE;
struct lull_error *lull_amd_travelled(struct lull_target *base,
                                      struct lull_travel *ret) LULL_MUST_USE;
struct lull_error *lull_amd_travel(struct lull_target *base, uint64_t time) LULL_MUST_USE;
struct lull_error *lull_amd_travel_again(struct lull_target *base, uint64_t time) LULL_MUST_USE;
struct lull_error *lull_amd_search(struct lull_target *base, const struct lull_search *what,
                                   uint64_t until, struct lull_found_list *ret) LULL_MUST_USE;
struct lull_error *lull_amd_executed(struct lull_target *base, lull_wave_key wave,
                                     uint64_t *ret) LULL_MUST_USE;

/** No wave stops any more, and those that stand go on. */
void lull_amd_let_all_go(struct lull_amd_target *t);

/** Behind that: wait until no wave is in the handler or in the block of a breakpoint, two seconds
 * at most. @return False: one is; their memory must stay. */
bool lull_amd_wait_outside(struct lull_amd_target *t);

#endif
