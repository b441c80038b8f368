// SPDX-License-Identifier: MIT
// SDMA: packets found and executed, and those that are short.
//
// A packet's header does not say how long it is: the table does, and for some packets a count in
// them. So a packet that is not in the table ends its job, as on hardware. Packets of the kernel
// (page tables, registers, indirect buffers) are not for command buffers.
#include "model/amd/sdma/sdma.h"

enum { WRITE_DATA = LULL_SDMA6_WRITE_LINEAR_DATA * sizeof(uint32_t), META_DWORDS = 3 };

static enum lull_cp_result ignore(struct lull_cp *cp)
{
    (void)cp;
    return LULL_CP_NEXT;
}

/** The data goes from the command buffer to where it belongs, in parts. */
static enum lull_cp_result write_linear(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    const uint32_t header = body[LULL_SDMA6_WRITE_LINEAR_HEADER];
    const uint32_t count = body[LULL_SDMA6_WRITE_LINEAR_COUNT];
    const uint32_t at = cp->r->part;
    const uint32_t left =
        (cp->p.nbody - LULL_SDMA6_WRITE_LINEAR_DATA) * (uint32_t)sizeof *body - at;
    const uint32_t n = left < LULL_CP_PART ? left : LULL_CP_PART;
    const uint64_t src = cp->ib->va + cp->p.offset * sizeof *body + WRITE_DATA;
    if ((header & (LULL_SDMA6_WRITE_LINEAR_HEADER__ENCRYPT_MASK |
                   LULL_SDMA6_WRITE_LINEAR_HEADER__TMZ_MASK)) != 0 ||
        (count & LULL_SDMA6_WRITE_LINEAR_COUNT__SW_MASK) != 0) {
        return lull_cp_bad(cp, "header 0x%08x, count 0x%08x: only plain memory", header, count);
    }
    if (!lull_cp_copy(cp, lull_sdma_address(&body[LULL_SDMA6_WRITE_LINEAR_DST_LO]) + at, src + at,
                      n)) {
        return lull_cp_fault(cp);
    }
    cp->r->part = at + n;
    return n < left ? LULL_CP_MORE : LULL_CP_NEXT;
}

/** All before it is done: write the dword. */
static enum lull_cp_result fence(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    const uint64_t va = lull_sdma_address(&body[LULL_SDMA6_FENCE_ADDR_LO]) & ~UINT64_C(3);
    return lull_cp_put(cp, va, &body[LULL_SDMA6_FENCE_DATA], sizeof *body) ? LULL_CP_NEXT
                                                                           : lull_cp_fault(cp);
}

/** Both clocks are one. */
static enum lull_cp_result timestamp(struct lull_cp *cp)
{
    const uint64_t va =
        lull_sdma_address(&cp->p.body[LULL_SDMA6_TIMESTAMP_GET_ADDR_LO]) & ~UINT64_C(7);
    const uint64_t clock = lull_gpu_clock(cp->g);
    return lull_cp_put(cp, va, &clock, sizeof clock) ? LULL_CP_NEXT : lull_cp_fault(cp);
}

static enum lull_cp_result poll_regmem(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    const uint32_t header = body[LULL_SDMA6_POLL_REGMEM_HEADER];
    const uint32_t tries =
        lull_field(body[LULL_SDMA6_POLL_REGMEM_RETRY], LULL_SDMA6_POLL_REGMEM_RETRY__COUNT_MASK);
    const uint32_t mask = body[LULL_SDMA6_POLL_REGMEM_MASK];
    uint32_t value = 0;
    if ((header & LULL_SDMA6_POLL_REGMEM_HEADER__MEM_POLL_MASK) == 0 ||
        (header & LULL_SDMA6_POLL_REGMEM_HEADER__HDP_FLUSH_MASK) != 0) {
        return lull_cp_bad(cp, "header 0x%08x: registers are not for command buffers", header);
    }
    if (tries != LULL_SDMA6_POLL_REGMEM_RETRY__COUNT__FOREVER) {
        return lull_cp_bad(cp, "%u tries: only 0xfff, for ever", tries);
    }
    if (!lull_vm_read(cp->vm,
                      lull_sdma_address(&body[LULL_SDMA6_POLL_REGMEM_ADDR_LO]) & ~UINT64_C(3),
                      &value, sizeof value)) {
        return lull_cp_fault(cp);
    }
    const uint32_t func = lull_field(header, LULL_SDMA6_POLL_REGMEM_HEADER__FUNC_MASK);
    return lull_cp_compare(func, value & mask, body[LULL_SDMA6_POLL_REGMEM_REFERENCE])
               ? LULL_CP_NEXT
               : LULL_CP_AGAIN;
}

static enum lull_cp_result cond_exe(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    const uint64_t va = lull_sdma_address(&body[LULL_SDMA6_COND_EXE_ADDR_LO]) & ~UINT64_C(3);
    uint32_t value = 0;
    if (!lull_vm_read(cp->vm, va, &value, sizeof value)) {
        return lull_cp_fault(cp);
    }
    return value == body[LULL_SDMA6_COND_EXE_REFERENCE]
               ? LULL_CP_NEXT
               : lull_cp_skip(cp, lull_field(body[LULL_SDMA6_COND_EXE_EXEC_COUNT],
                                             LULL_SDMA6_COND_EXE_EXEC_COUNT__DWORDS_MASK));
}

static enum lull_cp_result atomic(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    const uint32_t header = body[LULL_SDMA6_ATOMIC_HEADER];
    const struct lull_cp_atomic a = {
        .op = lull_field(header, LULL_SDMA6_ATOMIC_HEADER__ATOMIC_MASK),
        .va = lull_sdma_address(&body[LULL_SDMA6_ATOMIC_ADDR_LO]),
        .src = lull_sdma_address(&body[LULL_SDMA6_ATOMIC_SRC_DATA_LO]),
        .cmp = lull_sdma_address(&body[LULL_SDMA6_ATOMIC_CMP_DATA_LO]),
        .loop = (header & LULL_SDMA6_ATOMIC_HEADER__LOOP_MASK) != 0,
    };
    return lull_cp_atomic(cp, &a);
}

static enum lull_cp_result constant_fill(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    const uint32_t header = body[LULL_SDMA6_CONSTANT_FILL_HEADER];
    const uint32_t size = lull_field(header, LULL_SDMA6_CONSTANT_FILL_HEADER__FILL_SIZE_MASK);
    const uint32_t nbytes = lull_field(body[LULL_SDMA6_CONSTANT_FILL_COUNT],
                                       LULL_SDMA6_CONSTANT_FILL_COUNT__BYTES_MASK) +
                            1;
    const uint64_t dst = lull_sdma_address(&body[LULL_SDMA6_CONSTANT_FILL_DST_LO]);
    const uint32_t at = cp->r->part;
    if (size != LULL_SDMA6_CONSTANT_FILL_HEADER__FILL_SIZE__DWORD ||
        (header & LULL_SDMA6_CONSTANT_FILL_HEADER__SW_MASK) != 0) {
        return lull_cp_bad(cp, "header 0x%08x: only dwords as they are", header);
    }
    if (dst % sizeof *body != 0 || nbytes % sizeof *body != 0) {
        return lull_cp_bad(cp, "%u bytes at 0x%llx are not dwords", nbytes,
                           (unsigned long long)dst);
    }
    const uint32_t left = nbytes - at, n = left < LULL_CP_PART ? left : LULL_CP_PART;
    if (!lull_cp_fill(cp, dst + at, body[LULL_SDMA6_CONSTANT_FILL_DATA], n)) {
        return lull_cp_fault(cp);
    }
    cp->r->part = at + n;
    return n < left ? LULL_CP_MORE : LULL_CP_NEXT;
}

static lull_cp_fn *handler_of(uint32_t opcode)
{
    static const struct {
        uint32_t opcode;
        lull_cp_fn *fn;
    } handlers[] = {
        {LULL_SDMA6_NOP, ignore},
        {LULL_SDMA6_COPY_LINEAR, lull_sdma_copy_linear},
        {LULL_SDMA6_COPY_LINEAR_SUB_WINDOW, lull_sdma_linear_window},
        {LULL_SDMA6_COPY_TILED_SUB_WINDOW, lull_sdma_tiled_window},
        {LULL_SDMA6_COPY_T2T_SUB_WINDOW, lull_sdma_t2t_window},
        {LULL_SDMA6_WRITE_LINEAR, write_linear},
        {LULL_SDMA6_FENCE, fence},
        {LULL_SDMA6_TRAP, ignore}, // an interrupt that nobody waits for
        {LULL_SDMA6_POLL_REGMEM, poll_regmem},
        {LULL_SDMA6_COND_EXE, cond_exe},
        {LULL_SDMA6_ATOMIC, atomic},
        {LULL_SDMA6_CONSTANT_FILL, constant_fill},
        {LULL_SDMA6_TIMESTAMP_GET, timestamp},
        {LULL_SDMA6_TIMESTAMP_GET_GLOBAL, timestamp},
        {LULL_SDMA6_GCR_REQ, ignore}, // caches are coherent
    };
    for (size_t i = 0; i < sizeof handlers / sizeof handlers[0]; i++) {
        if (handlers[i].opcode == opcode) {
            return handlers[i].fn;
        }
    }
    return NULL;
}

/** Dwords of the packet beyond the least, by what its first dwords say. */
static uint32_t more_dwords(uint32_t opcode, const uint32_t *body)
{
    switch (opcode) {
    case LULL_SDMA6_NOP:
        return lull_field(body[0], LULL_SDMA6_NOP_HEADER__COUNT_MASK);
    case LULL_SDMA6_WRITE_LINEAR: // a count of 0 is one dword
        return lull_field(body[LULL_SDMA6_WRITE_LINEAR_COUNT],
                          LULL_SDMA6_WRITE_LINEAR_COUNT__COUNT_MASK);
    case LULL_SDMA6_COPY_TILED_SUB_WINDOW:
        return (body[0] & LULL_SDMA6_COPY_TILED_SUB_WINDOW_HEADER__DCC_MASK) != 0 ? META_DWORDS : 0;
    case LULL_SDMA6_COPY_T2T_SUB_WINDOW:
        return (body[0] & LULL_SDMA6_COPY_T2T_SUB_WINDOW_HEADER__DCC_MASK) != 0 ? META_DWORDS : 0;
    default:
        return 0;
    }
}

/** Read the packet whose header is at @p va: all of it that handlers look at. */
static bool fetch(struct lull_cp *cp, uint64_t va, uint32_t least)
{
    uint32_t *body = cp->g->body;
    if (!lull_vm_read(cp->vm, va, body, least * sizeof *body)) {
        return false;
    }
    const uint32_t more = more_dwords(cp->p.opcode, body);
    cp->p.body = body;
    cp->p.nbody = least + more;
    return more != META_DWORDS || cp->p.nbody > cp->ib->ndwords - cp->p.offset ||
           lull_vm_read(cp->vm, va + least * sizeof *body, body + least, more * sizeof *body);
}

enum lull_cp_result lull_sdma_packet(struct lull_cp *cp)
{
    struct lull_gpu_ib *ib = cp->ib;
    const uint32_t at = ib->at, left = ib->ndwords - at;
    const uint64_t va = ib->va + UINT64_C(4) * at;
    uint32_t header = 0;
    cp->p = (struct lull_pm4_packet){.offset = at, .type = 3};
    if (!lull_vm_read(cp->vm, va, &header, sizeof header)) {
        return lull_cp_fault(cp);
    }
    cp->p.opcode = lull_field(header, LULL_SDMA6_HEADER__OPCODE_MASK);
    const struct lull_pkt *pkt = lull_pkt_by_opcode(&lull_pkts_sdma6, 0, cp->p.opcode);
    lull_cp_fn *const fn = handler_of(cp->p.opcode);
    if (pkt == NULL || fn == NULL) {
        return lull_cp_bad(cp, "the model does not know this packet");
    }
    const uint32_t least = (uint32_t)pkt->least;
    if (least <= left && !fetch(cp, va, least)) {
        return lull_cp_fault(cp);
    }
    if (least > left || cp->p.nbody > left) {
        return lull_cp_bad(cp, "packet of %u dwords, %u left in the IB",
                           least > left ? least : cp->p.nbody, left);
    }
    ib->at = at + cp->p.nbody;
    const enum lull_cp_result result = fn(cp);
    if (result == LULL_CP_AGAIN || result == LULL_CP_MORE) {
        ib->at = at;
    } else {
        cp->r->part = 0;
    }
    return result;
}
