// SPDX-License-Identifier: MIT
// The ring, and what the kernel writes into it around a submit.
//
// Source: a6xx_gpu.c: a6xx_submit(), a7xx_submit(), a6xx_set_pagetable(), get_stats_counter(). Left
// out: what waits for counters of performance to be zeroed.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hw/adreno_doms.h"
#include "vdrm/msm/msm.h"

#define KERNEL ((uint64_t)1 << LULL_AGPU_KERNEL_BIT)
#define RING_AT (KERNEL + 0x1000000)
#define PTRS_AT (KERNEL + 0x2000000)
#define GARBAGE_AT (KERNEL + 0x3000000)

enum op {
    OP_SET_PROTECTED_MODE,
    OP_SMMU_TABLE_UPDATE,
    OP_MEM_WRITE,
    OP_EVENT_WRITE,
    OP_REG_TO_MEM,
    OP_INDIRECT_BUFFER,
    OP_WHERE_AM_I,
    OP_THREAD_CONTROL,
    OP_RESET_CONTEXT_STATE,
    OP_NOTHING,
    NOPS,
};

enum event {
    EV_CACHE_INVALIDATE,
    EV_INVALIDATE_DEPTH,
    EV_INVALIDATE_COLOR,
    EV_FENCE, // Write memory, when all is done and visible.
    NEVENTS,
};

enum {
    OPCODES = 128,
    EVENTS = 256,
    ROOM = 512, // dwords that a submit may take beside its command buffers
    PER_CMD = 4,
    CMD_DWORDS = 0xfffff,
    STATS = 64,
};

// Fields of packets, as bits. Source: data/adreno/pm4.dom.
enum {
    REG_TO_MEM_CNT_2 = 2 << 18,
    REG_TO_MEM_64B = 1 << 30,
    THREAD_BR = 1,
    THREAD_BOTH = 3,
    EVENT7_WRITE_ENABLED = 1 << 27,
    RESET_ALL = 0xf,
};
static const uint32_t event_irq = 1u << 31, thread_sync = 1u << 31;

struct lull_vdm_words {
    uint8_t ops[NOPS], events[NEVENTS];
    uint32_t scratch, cp_cycles, always_on; // Registers.
};

// The number of that name among @p n of an enumeration.
static uint8_t number(unsigned which, unsigned gen, const char *name, unsigned n)
{
    const struct lull_dom_state dom = {.chip = gen};
    for (unsigned i = 0; i < n; i++) {
        const char *s = lull_dom_enum_name(&lull_dom_adreno, &dom, which, i);
        if (s != NULL && strcmp(s, name) == 0) {
            return (uint8_t)i;
        }
    }
    return 0;
}

static void learn(struct lull_vdm_words *w, unsigned gen)
{
    static const char *const ops[NOPS] = {
        [OP_SET_PROTECTED_MODE] = "CP_SET_PROTECTED_MODE",
        [OP_SMMU_TABLE_UPDATE] = "CP_SMMU_TABLE_UPDATE",
        [OP_MEM_WRITE] = "CP_MEM_WRITE",
        [OP_EVENT_WRITE] = "CP_EVENT_WRITE",
        [OP_REG_TO_MEM] = "CP_REG_TO_MEM",
        [OP_INDIRECT_BUFFER] = "CP_INDIRECT_BUFFER",
        [OP_WHERE_AM_I] = "CP_WHERE_AM_I",
        [OP_THREAD_CONTROL] = "CP_THREAD_CONTROL",
        [OP_RESET_CONTEXT_STATE] = "CP_RESET_CONTEXT_STATE",
        [OP_NOTHING] = "CP_NOP",
    };
    static const char *const events[2][NEVENTS] = {
        {"CACHE_INVALIDATE", "PC_CCU_INVALIDATE_DEPTH", "PC_CCU_INVALIDATE_COLOR",
         "CACHE_FLUSH_TS"},
        {"CACHE_INVALIDATE7", "CCU_INVALIDATE_DEPTH", "CCU_INVALIDATE_COLOR", "CACHE_CLEAN"},
    };
    for (unsigned i = 0; i < NOPS; i++) {
        const bool seven = i == OP_EVENT_WRITE && gen >= 7;
        w->ops[i] = number(LULL_ADRENO_ENUM_adreno_pm4_type3_packets, gen,
                           seven ? "CP_EVENT_WRITE7" : ops[i], OPCODES);
    }
    for (unsigned i = 0; i < NEVENTS; i++) {
        w->events[i] = number(LULL_ADRENO_ENUM_vgt_event_type, gen, events[gen >= 7][i], EVENTS);
    }
    w->scratch = LULL_A6XX_CP_SCRATCH_REG;
    w->cp_cycles = LULL_A6XX_RBBM_PERFCTR_CP;
    w->always_on = LULL_A6XX_CP_ALWAYS_ON_COUNTER;
}

static uint32_t parity(uint32_t v)
{
    return (uint32_t)__builtin_popcount(v) % 2 == 0;
}

// Of a write of @p n registers: type 4.
static uint32_t write_header(uint32_t at, uint32_t n)
{
    return 4u << 28 | parity(at) << 27 | at << 8 | parity(n) << 7 | n;
}

// Of a packet of type 7 with @p n dwords.
static uint32_t op_header(const struct lull_vdm *d, enum op what, uint32_t n)
{
    const uint32_t o = d->words->ops[what];
    return 7u << 28 | parity(o) << 23 | o << 16 | parity(n) << 15 | n;
}

// Pages that the GPU and the kernel share.
static void *pages(struct lull_vdm *d, uint64_t at, size_t size)
{
    void *p = aligned_alloc(LULL_AGPU_PAGE, size);
    const struct lull_agpu_page page = {
        .mem = p, .access = LULL_AGPU_READ | LULL_AGPU_WRITE | LULL_AGPU_PRIVILEGED};
    if (p == NULL || !d->ops->map(d->gpu, NULL, at, size, &page)) {
        free(p);
        return NULL;
    }
    memset(p, 0, size);
    return p;
}

int lull_vdm_ring_init(struct lull_vdm *d)
{
    d->words = calloc(1, sizeof *d->words);
    d->ring = pages(d, RING_AT, LULL_VDM_RING_DWORDS * sizeof *d->ring);
    d->ptrs = pages(d, PTRS_AT, LULL_AGPU_PAGE);
    if (d->words == NULL || d->ring == NULL || d->ptrs == NULL) {
        return -ENOMEM;
    }
    learn(d->words, d->chip->gen);
    lull_vdm_ring_reset(d);
    return 0;
}

int lull_vdm_ring_stomp(struct lull_vdm *d, const uint32_t *regs, unsigned n, unsigned packets)
{
    enum { DWORDS = 2 };
    const unsigned all = n > packets ? n : packets;
    const size_t bytes = (size_t)all * DWORDS * sizeof *d->garbage;
    if (all == 0) {
        return 0;
    }
    d->garbage = pages(d, GARBAGE_AT, (bytes + LULL_AGPU_PAGE - 1) & ~(size_t)(LULL_AGPU_PAGE - 1));
    for (unsigned i = 0; d->garbage != NULL && i < n; i++) {
        d->garbage[d->ngarbage++] = write_header(regs[i], 1);
        d->garbage[d->ngarbage++] = UINT32_MAX;
    }
    for (unsigned i = n; d->garbage != NULL && i < all; i++) {
        d->garbage[d->ngarbage++] = op_header(d, OP_NOTHING, 0);
    }
    return d->garbage != NULL ? 0 : -ENOMEM;
}

uint64_t lull_vdm_ring_iova(void)
{
    return RING_AT;
}

void lull_vdm_ring_done(struct lull_vdm *d)
{
    free(d->words);
    free(d->ring);
    free(d->garbage);
    free(d->ptrs);
}

void lull_vdm_ring_reset(struct lull_vdm *d)
{
    const struct lull_agpu_ring ring = {.base = RING_AT,
                                        .dwords = LULL_VDM_RING_DWORDS,
                                        .rptr = PTRS_AT + offsetof(struct lull_vdm_memptrs, rptr)};
    d->wptr = 0;
    d->context = 0;
    d->ptrs->rptr = 0;
    d->ops->ring_set(d->gpu, 0, &ring);
}

static void out(struct lull_vdm *d, uint32_t word)
{
    d->ring[d->wptr] = word;
    d->wptr = (d->wptr + 1) % LULL_VDM_RING_DWORDS;
}

// A packet of type 7.
static void op(struct lull_vdm *d, enum op what, uint32_t n)
{
    out(d, op_header(d, what, n));
}

// A write of registers.
static void reg(struct lull_vdm *d, uint32_t at, uint32_t n)
{
    out(d, write_header(at, n));
}

static void address(struct lull_vdm *d, uint64_t a)
{
    out(d, (uint32_t)a);
    out(d, (uint32_t)(a >> 32));
}

static void event(struct lull_vdm *d, enum event e)
{
    op(d, OP_EVENT_WRITE, 1);
    out(d, d->words->events[e]);
}

static void thread(struct lull_vdm *d, uint32_t which)
{
    if (d->chip->gen >= 7) {
        op(d, OP_THREAD_CONTROL, 1);
        out(d, which);
    }
}

// a6xx_set_pagetable()
static void set_pagetable(struct lull_vdm *d, const struct lull_vdm_job *job)
{
    const uint64_t ttbr0 = d->ops->ttbr0(lull_vdm_file(job->file)->space);
    if (d->context == job->file->id) {
        return;
    }
    thread(d, thread_sync | THREAD_BR);
    op(d, OP_SET_PROTECTED_MODE, 1);
    out(d, 0);
    op(d, OP_SMMU_TABLE_UPDATE, 4);
    address(d, ttbr0);
    out(d, 0);
    out(d, 0);
    op(d, OP_MEM_WRITE, 5);
    address(d, PTRS_AT + offsetof(struct lull_vdm_memptrs, ttbr0));
    address(d, ttbr0);
    out(d, job->file->id);
    event(d, EV_CACHE_INVALIDATE);
    op(d, OP_SET_PROTECTED_MODE, 1);
    out(d, 1);
    if (d->chip->gen >= 7) {
        op(d, OP_RESET_CONTEXT_STATE, 1);
        out(d, RESET_ALL);
    }
    d->context = job->file->id;
}

// get_stats_counter(): 64 bits of a counter into memory.
static void stamp(struct lull_vdm *d, uint32_t counter, uint64_t to)
{
    op(d, OP_REG_TO_MEM, 3);
    out(d, counter | REG_TO_MEM_CNT_2 | REG_TO_MEM_64B);
    address(d, to);
}

static void stamps(struct lull_vdm *d, uint32_t seqno, unsigned end)
{
    const uint64_t at = PTRS_AT + offsetof(struct lull_vdm_memptrs, stats) +
                        seqno % STATS * sizeof d->ptrs->stats[0];
    stamp(d, d->words->cp_cycles, at + end * sizeof(uint64_t));
    stamp(d, d->words->always_on, at + (2 + end) * sizeof(uint64_t));
}

static void command_buffers(struct lull_vdm *d, const struct lull_vdm_job *job, bool switched)
{
    if (d->ngarbage != 0 && job->ncmds != 0) {
        op(d, OP_INDIRECT_BUFFER, 3);
        address(d, GARBAGE_AT);
        out(d, d->ngarbage);
    }
    for (uint32_t i = 0; i < job->ncmds; i++) {
        const struct lull_vdm_cmd *c = &job->cmds[i];
        if (c->type == MSM_SUBMIT_CMD_BUF ||
            (c->type == MSM_SUBMIT_CMD_CTX_RESTORE_BUF && switched)) {
            op(d, OP_INDIRECT_BUFFER, 3);
            address(d, c->iova);
            out(d, c->ndwords & CMD_DWORDS);
        }
    }
}

static void fence(struct lull_vdm *d, uint32_t seqno)
{
    const uint32_t more = d->chip->gen >= 7 ? EVENT7_WRITE_ENABLED : 0;
    reg(d, d->words->scratch + 2, 1);
    out(d, seqno);
    op(d, OP_EVENT_WRITE, 4);
    out(d, d->words->events[EV_FENCE] | more | event_irq);
    address(d, PTRS_AT + offsetof(struct lull_vdm_memptrs, fence));
    out(d, seqno);
}

bool lull_vdm_ring_write(struct lull_vdm *d, struct lull_vdm_job *job)
{
    const uint32_t used =
        (d->wptr - d->ops->rptr(d->gpu, 0) + LULL_VDM_RING_DWORDS) % LULL_VDM_RING_DWORDS;
    const bool switched = d->context != job->file->id;
    if (used + ROOM + job->ncmds * PER_CMD >= LULL_VDM_RING_DWORDS) {
        return false;
    }
    job->seqno = ++d->seqno;
    set_pagetable(d, job);
    stamps(d, job->seqno, 0);
    thread(d, THREAD_BOTH);
    event(d, EV_INVALIDATE_DEPTH);
    event(d, EV_INVALIDATE_COLOR);
    command_buffers(d, job, switched);
    thread(d, thread_sync | THREAD_BR);
    stamps(d, job->seqno, 1);
    fence(d, job->seqno);
    if (d->chip->apriv == 0) {
        op(d, OP_WHERE_AM_I, 2);
        address(d, PTRS_AT + offsetof(struct lull_vdm_memptrs, rptr));
    }
    d->ops->kick(d->gpu, 0, d->wptr);
    return true;
}
