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
#include <stdio.h>
#include <string.h>

#include "cmd/sdma6_pkts.h"
#include "hw/draw11_regs.h"
#include "model/amd/gpu/gpu_spi.h"

enum {
    PACKETS_A_TURN = 64, // of one ring before the others and the waves get theirs
};

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

/** NULL: there is none. */
static const struct lull_cp_handler *find_handler(unsigned opcode)
{
    static const struct lull_cp_handler *const tables[] = {
        lull_cp_state_handlers, handlers, lull_cp_mem_handlers, lull_cp_event_handlers};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        if (tables[i][opcode].fn != NULL) {
            return &tables[i][opcode];
        }
    }
    return NULL;
}

static enum lull_cp_result execute(struct lull_cp *cp)
{
    if (cp->p.type == 2) {
        return LULL_CP_NEXT;
    }
    if (cp->p.type != 3) {
        return lull_cp_bad(cp, "type 0 packets are not for gfx11");
    }
    const struct lull_cp_handler *h = find_handler(cp->p.opcode);
    if (h == NULL) {
        return lull_cp_bad(cp, "the model does not know this packet");
    }
    if (cp->p.nbody < h->min_body) {
        return lull_cp_bad(cp, "%u dwords, needs %u", cp->p.nbody, h->min_body);
    }
    if (cp->p.predicate && cp->r->predicate_skip) {
        return LULL_CP_NEXT;
    }
    return lull_cp_crumb_before(cp) ? h->fn(cp) : LULL_CP_AGAIN;
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
    cp->header = header;
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
    const bool skip = cp->p.opcode == LULL_PM4_NOP;
    if (!skip && !lull_vm_read(cp->vm, va + 4, cp->g->body, cp->p.nbody * sizeof cp->g->body[0])) {
        return lull_cp_fault(cp);
    }
    ib->at = at + 1 + cp->p.nbody;
    const enum lull_cp_result result = execute(cp);
    if (result == LULL_CP_AGAIN || result == LULL_CP_MORE) {
        ib->at = at;
    } else {
        cp->r->part = 0;
        cp->r->crumb.at.after = cp->r->crumb.told;
        cp->r->crumb.told = false;
    }
    return result;
}

/** Dwords like the one that was done, which was a filler, behind it in its page; @p most: more do
 * not count. */
static uint32_t more_fillers(const struct lull_cp *cp, uint64_t most)
{
    const struct lull_gpu_ib *ib = cp->ib;
    uint32_t n = 0;
    if (lull_cp_is_sdma(cp->r) || cp->p.opcode != LULL_PM4_NOP || cp->p.nbody != 0 ||
        ib->at >= ib->ndwords) {
        return 0;
    }
    const uint64_t va = ib->va + UINT64_C(4) * ib->at;
    const uint64_t left = (LULL_PAGE_SIZE - va % LULL_PAGE_SIZE) / 4, here = ib->ndwords - ib->at;
    const uint8_t *host = lull_vm_host(cp->vm, va, LULL_ACCESS_READ);
    most = host == NULL ? 0 : most < left ? most : left;
    most = most < here ? most : here;
    while (n < most && memcmp(host + 4 * (size_t)n, &cp->header, sizeof cp->header) == 0) {
        n++;
    }
    return n;
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
    r->crumb = (struct lull_gpu_crumb){.stream = ++g->crumb_streams};
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
        const enum lull_cp_turn crumb = lull_cp_crumb_after(g, r);
        if (crumb != LULL_CP_TURN_OUT) {
            return crumb;
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
            return r->held || r->crumb.waits ? LULL_CP_TURN_HELD : LULL_CP_TURN_OVER;
        }
        lull_gpu_tick(g, 1);
        const uint64_t most = PACKETS_A_TURN - 1 - round->packets, cycles = end - g->cycles;
        const uint32_t fillers = more_fillers(&cp, most < cycles ? most : cycles);
        cp.ib->at += fillers;
        round->packets += fillers;
        lull_gpu_tick(g, fillers);
        r->packets += 1 + fillers;
        lull_gpu_progressed(r, 1 + fillers);
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
        turn = (g->with_jobs >> round->ring & 1) != 0 ? run_ring(g, &g->rings[round->ring], end)
                                                      : LULL_CP_TURN_OVER;
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
