// SPDX-License-Identifier: MIT
// Command processor: jobs, indirect buffers, packets that set state or start work.
//
// Packets that the model may ignore, because what they do has no meaning without a graphics
// pipeline or caches, are listed as such in the table; every other packet acts or ends the job.
//
// SH registers belong to the ring and outlive jobs, as on hardware. RELEASE_MEM holds up its ring
// until the waves before it are done, where hardware would go on.
#include "model/amd/cp/cp.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "cmd/sdma6_pkts.h"
#include "hw/draw11_regs.h"

enum {
    PACKETS_A_TURN = 64, // of one ring before the others and the waves get theirs
};

static const uint32_t all_broadcast = LULL_GC11_GRBM_GFX_INDEX__SE_BROADCAST_WRITES_MASK |
                                      LULL_GC11_GRBM_GFX_INDEX__SA_BROADCAST_WRITES_MASK |
                                      LULL_GC11_GRBM_GFX_INDEX__INSTANCE_BROADCAST_WRITES_MASK;

static const char *const ring_names[LULL_RING_COUNT] = {
    "gfx", "compute 0", "compute 1", "compute 2", "compute 3", "sdma 0", "sdma 1"};

/** The packet's name; NULL: it has none. */
static const char *packet_name(const struct lull_cp *cp)
{
    const struct lull_pkt_db *db = lull_cp_is_sdma(cp->r) ? &lull_pkts_sdma6 : &lull_pkts_pm4_amd;
    const struct lull_pkt *pkt = cp->p.type == 3 ? lull_pkt_by_opcode(db, 0, cp->p.opcode) : NULL;
    return pkt != NULL ? pkt->name : NULL;
}

static enum lull_cp_result stop(struct lull_cp *cp, enum lull_job_result result, const char *why)
{
    char message[sizeof((struct lull_gpu_done *)NULL)->message] = {0};
    const char *name = packet_name(cp);
    char number[32] = {0};
    if (lull_cp_is_sdma(cp->r)) {
        snprintf(number, sizeof number, "packet 0x%04x", cp->p.opcode);
    } else {
        snprintf(number, sizeof number, "type %u packet 0x%02x", cp->p.type, cp->p.opcode);
    }
    snprintf(message, sizeof message, "%s: %s at dword %zu of IB 0x%" PRIx64 ": %s",
             ring_names[cp->r->id], name != NULL ? name : number, cp->p.offset, cp->ib->va, why);
    lull_gpu_end_job(cp->g, cp->r, result, message);
    return LULL_CP_STOP;
}

enum lull_cp_result lull_cp_bad(struct lull_cp *cp, const char *fmt, ...)
{
    char why[128] = {0};
    va_list args;
    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    return stop(cp, LULL_JOB_BAD_PACKET, why);
}

enum lull_cp_result lull_cp_fault(struct lull_cp *cp)
{
    char why[96] = {0};
    snprintf(why, sizeof why, "%s 0x%" PRIx64 ": %s",
             (cp->vm->fault.access & LULL_ACCESS_WRITE) != 0 ? "write to" : "read of",
             cp->vm->fault.va, cp->vm->fault.walker_error != 0 ? "not mapped" : "not permitted");
    const uint32_t client =
        !lull_cp_is_sdma(cp->r)        ? LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__CID__CPF
        : cp->r->id == LULL_RING_SDMA0 ? LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__CID__SDMA0
                                       : LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__CID__SDMA1;
    lull_gpu_latch_fault(cp->g, cp->vm, client);
    return stop(cp, LULL_JOB_FAULT, why);
}

/** Bank that a ring's register accesses go to. */
static struct lull_bank ring_bank(const struct lull_gpu_ring *r)
{
    const unsigned me = r->id == LULL_RING_GFX ? 0 : 1;
    const unsigned pipe = me == 0 ? 0 : (unsigned)r->id - LULL_RING_COMPUTE0;
    return (struct lull_bank){
        .grbm = all_broadcast,
        .srbm = lull_field_put(me, LULL_GC11_GRBM_GFX_CNTL__MEID_MASK) |
                lull_field_put(pipe, LULL_GC11_GRBM_GFX_CNTL__PIPEID_MASK) |
                lull_field_put(r->head->job.vmid, LULL_GC11_GRBM_GFX_CNTL__VMID_MASK),
    };
}

static bool in_range(uint32_t offset, uint32_t base, uint32_t size)
{
    return offset >= base && offset - base < size;
}

bool lull_cp_write_reg(struct lull_cp *cp, uint32_t byte_offset, uint32_t value)
{
    if (!in_range(byte_offset, LULL_SH_BASE, LULL_SH_BYTES) &&
        !in_range(byte_offset, LULL_CONTEXT_BASE, LULL_CONTEXT_BYTES) &&
        !in_range(byte_offset, LULL_UCONFIG_BASE, LULL_UCONFIG_BYTES)) {
        return false;
    }
    lull_gpu_write_reg(cp->g, ring_bank(cp->r), byte_offset, value);
    return true;
}

// Waves of other clients are not for command buffers: what SQ_IND_DATA shows of them reads as 0.
uint32_t lull_cp_read_reg(struct lull_cp *cp, uint32_t byte_offset)
{
    return byte_offset == LULL_GC11_SQ_IND_DATA
               ? 0
               : lull_gpu_read_reg(cp->g, ring_bank(cp->r), byte_offset);
}

void lull_cp_write_user(struct lull_cp *cp, uint32_t reg, uint32_t value)
{
    if (reg != 0) {
        lull_cp_write_reg(cp, LULL_SH_BASE + 4 * reg, value);
    }
}

static enum lull_cp_result ignore(struct lull_cp *cp)
{
    (void)cp;
    return LULL_CP_NEXT;
}

static enum lull_cp_result acquire_mem(struct lull_cp *cp)
{
    lull_code_cache_epoch(cp->g->code[cp->r->head->job.vmid]);
    return LULL_CP_NEXT;
}

static enum lull_cp_result set_base(struct lull_cp *cp)
{
    const uint32_t index = lull_field(cp->p.body[LULL_PM4_SET_BASE_CONTROL],
                                      LULL_PM4_SET_BASE_CONTROL__BASE_INDEX_MASK);
    if (index != LULL_PM4_SET_BASE_CONTROL__BASE_INDEX__DRAW_INDIRECT) {
        return lull_cp_bad(cp, "base %u", index);
    }
    cp->r->indirect_base = cp->p.body[LULL_PM4_SET_BASE_ADDR_LO] |
                           (uint64_t)cp->p.body[LULL_PM4_SET_BASE_ADDR_HI] << 32;
    return LULL_CP_NEXT;
}

static enum lull_cp_result indirect_buffer(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    const uint32_t control = body[LULL_PM4_INDIRECT_BUFFER_CONTROL];
    const struct lull_gpu_ib next = {
        .va = (body[LULL_PM4_INDIRECT_BUFFER_ADDR_LO] & ~UINT32_C(3)) |
              (uint64_t)body[LULL_PM4_INDIRECT_BUFFER_ADDR_HI] << 32,
        .ndwords = lull_field(control, LULL_PM4_INDIRECT_BUFFER_CONTROL__IB_SIZE_MASK),
    };
    if ((control & LULL_PM4_INDIRECT_BUFFER_CONTROL__CHAIN_MASK) != 0) {
        cp->r->chains++;
        *cp->ib = next;
        return LULL_CP_NEXT;
    }
    if (cp->r->depth == LULL_IB_DEPTH) {
        return lull_cp_bad(cp, "indirect buffers nested more than %d deep", LULL_IB_DEPTH);
    }
    cp->r->ib[cp->r->depth++] = next;
    return LULL_CP_NEXT;
}

/**
 * Packets that change nothing the model has: its front end is not ahead of its back end, contexts
 * are not switched, caches and translations are coherent or need no warming, and what CLEAR_STATE
 * resets is the state of draws.
 */
static const struct lull_cp_handler handlers[256] = {
    [LULL_PM4_NOP] = {ignore, 0},
    [LULL_PM4_SET_BASE] = {set_base, 3},
    [LULL_PM4_DISPATCH_DIRECT] = {lull_cp_dispatch_direct, 4},
    [LULL_PM4_DISPATCH_INDIRECT] = {lull_cp_dispatch_indirect, 2},
    [LULL_PM4_INDIRECT_BUFFER] = {indirect_buffer, 3},
    [LULL_PM4_DISPATCH_TASK_STATE_INIT] = {lull_cp_task_init, 2},
    [LULL_PM4_DISPATCH_TASKMESH_DIRECT_ACE] = {lull_cp_task_direct, 5},
    [LULL_PM4_DISPATCH_TASKMESH_INDIRECT_MULTI_ACE] = {lull_cp_task_indirect, 10},
    [LULL_PM4_ACQUIRE_MEM] = {acquire_mem, 1},
    [LULL_PM4_PFP_SYNC_ME] = {ignore, 1},
    [LULL_PM4_CONTEXT_CONTROL] = {ignore, 1},
    [LULL_PM4_CLEAR_STATE] = {lull_gfx_clear_state, 1},
    [LULL_PM4_PREAMBLE_CNTL] = {ignore, 1},
    [LULL_PM4_FRAME_CONTROL] = {ignore, 1},
    [LULL_PM4_PRIME_UTCL2] = {ignore, 1},
    [LULL_PM4_SWITCH_BUFFER] = {ignore, 1},
    [LULL_PM4_COND_PREEMPT] = {ignore, 1},
    [LULL_PM4_SET_Q_PREEMPTION_MODE] = {ignore, 1},
    [LULL_PM4_HDP_FLUSH] = {ignore, 1},
    [LULL_PM4_NUM_INSTANCES] = {lull_gfx_num_instances, 1},
    [LULL_PM4_INDEX_TYPE] = {lull_gfx_index_type, 1},
    [LULL_PM4_INDEX_BASE] = {lull_gfx_index_base, 2},
    [LULL_PM4_INDEX_BUFFER_SIZE] = {lull_gfx_index_size, 1},
    [LULL_PM4_DRAW_PREAMBLE] = {ignore, 1},
};

static struct lull_cp_handler find_handler(unsigned opcode)
{
    const struct lull_cp_handler *const tables[] = {handlers, lull_cp_state_handlers,
                                                    lull_cp_mem_handlers, lull_cp_event_handlers};
    struct lull_cp_handler h = {0};
    for (size_t i = 0; h.fn == NULL && i < sizeof tables / sizeof tables[0]; i++) {
        h = tables[i][opcode];
    }
    return h;
}

static enum lull_cp_result execute(struct lull_cp *cp)
{
    if (cp->p.type == 2) {
        return LULL_CP_NEXT;
    }
    if (cp->p.type != 3) {
        return lull_cp_bad(cp, "type 0 packets are not for gfx11");
    }
    const struct lull_cp_handler h = find_handler(cp->p.opcode);
    if (h.fn == NULL) {
        return lull_cp_bad(cp, "the model does not know this packet");
    }
    if (cp->p.nbody < h.min_body) {
        return lull_cp_bad(cp, "%u dwords, needs %u", cp->p.nbody, h.min_body);
    }
    return cp->p.predicate && cp->r->predicate_skip ? LULL_CP_NEXT : h.fn(cp);
}

/** Read the packet at @p cp->ib and execute it. */
static enum lull_cp_result packet(struct lull_cp *cp)
{
    struct lull_gpu_ib *ib = cp->ib;
    const uint32_t at = ib->at;
    const uint64_t va = ib->va + UINT64_C(4) * at;
    uint32_t header = 0;
    cp->p = (struct lull_pm4_packet){.offset = at, .type = 3, .opcode = LULL_PM4_INDIRECT_BUFFER};
    if (!lull_vm_read(cp->vm, va, &header, sizeof header)) {
        return lull_cp_fault(cp);
    }
    if (!lull_pm4_header(header, &cp->p)) {
        return lull_cp_bad(cp, "header 0x%08x of type 1", header);
    }
    cp->p.offset = at;
    cp->p.body = cp->g->body;
    if (cp->p.nbody > ib->ndwords - at - 1) {
        return lull_cp_bad(cp, "packet of %u dwords, %u left in the IB", cp->p.nbody,
                           ib->ndwords - at - 1);
    }
    // what is not looked at need not be read, and may be big
    const bool skip = cp->p.type == 3 && cp->p.opcode == LULL_PM4_NOP;
    if (!skip && !lull_vm_read(cp->vm, va + 4, cp->g->body, cp->p.nbody * sizeof cp->g->body[0])) {
        return lull_cp_fault(cp);
    }
    ib->at = at + 1 + cp->p.nbody;
    const enum lull_cp_result result = execute(cp);
    if (result == LULL_CP_AGAIN || result == LULL_CP_MORE) {
        ib->at = at;
    } else {
        cp->r->part = 0;
    }
    return result;
}

// A client finds all CUs enabled, whatever the client before it left.
static void enable_cus(struct lull_gpu_ring *r)
{
    if (r->last_vmid != r->head->job.vmid) {
        r->last_vmid = r->head->job.vmid;
        for (unsigned i = 0; i < LULL_MAX_SE; i++) {
            r->sh[lull_spi_thread_mgmt[i] % LULL_SH_BYTES / 4] = UINT32_MAX;
        }
    }
}

static void start_job(struct lull_gpu *g, struct lull_gpu_ring *r)
{
    enable_cus(r);
    lull_sched_begin(g, r->head->job.stream);
    r->started = true;
    r->started_at = g->cycles;
    r->next_ib = r->depth = 0;
    r->predicate_skip = false;
    if (r->id == LULL_RING_GFX) {
        lull_gfx_reset(g); // what was under way ended with its job
    }
    r->packets = r->groups = r->chains = 0;
    r->part = 0;
    lull_code_cache_epoch(g->code[r->head->job.vmid]);
    lull_gpu_tick(g, 1);
}

/** Make ib[depth - 1] the indirect buffer to go on with. False: the job has none left. */
static bool enter_ib(struct lull_gpu_ring *r)
{
    const struct lull_gpu_job *job = &r->head->job;
    while (r->depth != 0 && r->ib[r->depth - 1].at >= r->ib[r->depth - 1].ndwords) {
        r->depth--;
    }
    while (r->depth == 0 && r->next_ib < job->nibs) {
        r->ib[0] = (struct lull_gpu_ib){.va = job->ib[r->next_ib].va,
                                        .ndwords = job->ib[r->next_ib].ndwords};
        r->next_ib++;
        r->depth = r->ib[0].ndwords != 0 ? 1 : 0;
    }
    return r->depth != 0;
}

/** The turn of one ring, from where it was interrupted. A job that ends on it ends it, too. */
static enum lull_cp_turn run_ring(struct lull_gpu *g, struct lull_gpu_ring *r, uint64_t end)
{
    struct lull_gpu_round *round = &g->round;
    if (r->head == NULL) {
        return LULL_CP_TURN_OVER;
    }
    if (!r->started) {
        start_job(g, r);
        round->moved = true;
    }
    for (; round->packets < PACKETS_A_TURN; round->packets++) {
        if (g->cycles >= end) {
            return LULL_CP_TURN_OUT;
        }
        if (!enter_ib(r)) {
            if (!lull_spi_idle(r)) {
                return LULL_CP_TURN_OVER;
            }
            lull_gpu_tick(g, 1);
            lull_gpu_end_job(g, r, LULL_JOB_DONE, "");
            return LULL_CP_TURN_OUT;
        }
        struct lull_cp cp = {
            .g = g, .r = r, .vm = &g->vm[r->head->job.vmid], .ib = &r->ib[r->depth - 1]};
        const enum lull_cp_result result = lull_cp_is_sdma(r) ? lull_sdma_packet(&cp) : packet(&cp);
        if (result == LULL_CP_AGAIN) {
            return r->held ? LULL_CP_TURN_HELD : LULL_CP_TURN_OVER;
        }
        lull_gpu_tick(g, 1);
        r->packets++;
        lull_gpu_progressed(r);
        round->moved = true;
        if (result == LULL_CP_STOP) {
            return LULL_CP_TURN_OUT;
        }
        if (result == LULL_CP_MORE) {
            return LULL_CP_TURN_OVER;
        }
    }
    return LULL_CP_TURN_OVER;
}

enum lull_cp_turn lull_cp_run(struct lull_gpu *g, uint64_t end)
{
    struct lull_gpu_round *round = &g->round;
    const uint64_t ndone = g->ndone;
    enum lull_cp_turn turn = LULL_CP_TURN_OVER;
    while (turn == LULL_CP_TURN_OVER && round->ring < LULL_RING_COUNT) {
        turn = run_ring(g, &g->rings[round->ring], end);
        if (turn == LULL_CP_TURN_OVER) {
            round->ring++;
            round->packets = 0;
        }
    }
    if (g->ndone != ndone) { // the driver looks, and the round begins again
        *round = (struct lull_gpu_round){0};
    }
    return turn;
}
