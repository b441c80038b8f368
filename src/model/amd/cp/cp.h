// SPDX-License-Identifier: MIT
/** @file
 * Inside the command processor: what a packet's handler sees and says.
 */
#ifndef LULL_MODEL_AMD_CP_H
#define LULL_MODEL_AMD_CP_H

#include "cmd/pm4.h"
#include "cmd/pm4_amd_pkts.h"
#include "model/amd/gpu/gpu_impl.h"

enum lull_cp_result {
    LULL_CP_NEXT,  ///< Done.
    LULL_CP_AGAIN, ///< Cannot be done yet; nothing was changed.
    LULL_CP_MORE,  ///< Done in part: ring.part says how far; call again.
    LULL_CP_STOP,  ///< The job has ended.
};

/** A packet being executed. */
struct lull_cp {
    struct lull_gpu *g;
    struct lull_gpu_ring *r;
    struct lull_vm *vm;       ///< Of the job.
    struct lull_gpu_ib *ib;   ///< It stands in; `at` is already behind it.
    struct lull_pm4_packet p; ///< p.body is good until the handler returns.
    uint32_t header;          ///< Of it, in PM4.
};

typedef enum lull_cp_result lull_cp_fn(struct lull_cp *cp);

struct lull_cp_handler {
    lull_cp_fn *fn;    ///< NULL: none.
    unsigned min_body; ///< Dwords after the header that it looks at without asking.
};

/* By opcode of type 3 packets. */
extern const struct lull_cp_handler lull_cp_state_handlers[256]; ///< cp_state.c: registers.
extern const struct lull_cp_handler lull_cp_mem_handlers[256];   ///< cp_mem.c: memory, waits.
extern const struct lull_cp_handler lull_cp_event_handlers[256]; ///< cp_event.c: events, draws.

// cp_dispatch.c
lull_cp_fn lull_cp_dispatch_direct, lull_cp_dispatch_indirect;
/** Start a dispatch once the watcher lets it; AGAIN: it is held. Nothing else may be launching. */
enum lull_cp_result lull_cp_dispatch(struct lull_cp *cp, const uint32_t dim[3], uint32_t initiator);
/** The work of @p r whose workgroups are being launched; NULL: none. */
struct lull_work *lull_cp_launching(const struct lull_gpu_ring *r);

// cp_crumb.c
/** The packet is about to be done. @return False: it waits, and the handler's answer is AGAIN. */
bool lull_cp_crumb_before(struct lull_cp *cp);
/** Before the next packet of @p r. OUT: go on; OVER: the waves of the last one first; HELD. */
enum lull_cp_turn lull_cp_crumb_after(struct lull_gpu *g, struct lull_gpu_ring *r);

// cp_task.c: task shaders, and the ring through which they ask for meshes.
/** The control buffer in memory, and what follows from it. */
struct lull_cp_task_ring {
    uint64_t control;           ///< Its address.
    uint64_t write, read, free; ///< Entries ever given out, taken up, given back.
    uint64_t draws;             ///< Address of the entries.
    uint32_t entries;           ///< A power of two.
};
/** What a workgroup of a task shader asks for. */
struct lull_cp_task_entry {
    bool ready, end; ///< end: no workgroup's, but behind the last of a packet.
    uint32_t grid[3];
};
/** Read the control buffer of @p cp's ring. NEXT: it is there; else the job has ended. */
enum lull_cp_result lull_cp_task_open(struct lull_cp *cp, struct lull_cp_task_ring *ret);
/** Entry number @p n. False: memory refused. */
bool lull_cp_task_entry(struct lull_cp *cp, const struct lull_cp_task_ring *t, uint64_t n,
                        struct lull_cp_task_entry *ret);
/** All entries before @p n have been taken up, and may be used again. False: memory refused. */
bool lull_cp_task_done(struct lull_cp *cp, const struct lull_cp_task_ring *t, uint64_t n);
lull_cp_fn lull_cp_task_init, lull_cp_task_direct, lull_cp_task_indirect;

/** End the job at this packet as BAD_PACKET. */
enum lull_cp_result lull_cp_bad(struct lull_cp *cp, const char *fmt, ...) LULL_PRINTF(2, 3);
/** End the job at this packet as FAULT: cp->vm->fault says why. */
enum lull_cp_result lull_cp_fault(struct lull_cp *cp);
/** The same, of the colour and depth blocks at the texels of @p target: "colour target 0". */
enum lull_cp_result lull_cp_target_fault(struct lull_cp *cp, const char *target);

/** Registers as command buffers may use them. False: not a register that they may write. */
bool lull_cp_write_reg(struct lull_cp *cp, uint32_t byte_offset, uint32_t value);
uint32_t lull_cp_read_reg(struct lull_cp *cp, uint32_t byte_offset);
/** Give register number @p reg of the shaders, counted in dwords from the first, a value; 0: there
 * is none. */
void lull_cp_write_user(struct lull_cp *cp, uint32_t reg, uint32_t value);

// cp_mem.c
enum { LULL_CP_PART = 1 << 20 }; ///< Bytes that one turn moves at most.
/** Copy between pages; both sides step. False: vm->fault says where. */
bool lull_cp_copy(struct lull_cp *cp, uint64_t dst, uint64_t src, uint32_t nbytes);
bool lull_cp_fill(struct lull_cp *cp, uint64_t dst, uint32_t value, uint32_t nbytes);
/** Write a value of the packet's own. */
bool lull_cp_put(struct lull_cp *cp, uint64_t va, const void *buf, size_t size);
/** A FUNCTION of WAIT_REG_MEM; SDMA's FUNC is the same. */
bool lull_cp_compare(uint32_t function, uint64_t value, uint64_t ref);
/** Go on @p n dwords further in the IB. */
enum lull_cp_result lull_cp_skip(struct lull_cp *cp, uint32_t n);

/** An atomic operation on memory: TC_OP. */
struct lull_cp_atomic {
    uint32_t op;
    uint64_t va, src, cmp;
    bool loop; ///< Until memory is cmp.
};
enum lull_cp_result lull_cp_atomic(struct lull_cp *cp, const struct lull_cp_atomic *a);

/** The ring is one of an SDMA engine, whose packets are others (model/amd/sdma). */
static inline bool lull_cp_is_sdma(const struct lull_gpu_ring *r)
{
    return r->id >= LULL_RING_SDMA0;
}

// SDMA (model/amd/sdma), which stands above this folder.
/** Read the packet at cp->ib and execute it. */
lull_cp_fn lull_sdma_packet;
/** Ask the watcher about a draw: the handler fills what is the packet's own, with indirect
 * arguments read. False: it is held, and the handler returns AGAIN. lull_gpu_draw_ended() comes
 * after. */
bool lull_cp_ask_draw(struct lull_cp *cp, struct lull_gpu_draw_launch *l);

// Draws (model/amd/gfx), which stand above this folder.
/** CLEAR_STATE: context registers as they are at the start, those that draws look at. */
lull_cp_fn lull_gfx_clear_state;
lull_cp_fn lull_gfx_draw_packet;
lull_cp_fn lull_gfx_index_base, lull_gfx_index_size, lull_gfx_index_type, lull_gfx_num_instances;
/** Forget the draw under way. */
void lull_gfx_reset(struct lull_gpu *g);

#endif
