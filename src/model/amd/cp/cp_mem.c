// SPDX-License-Identifier: MIT
// Packets that move data, wait for it, or go on according to it.
#include "model/amd/cp/cp.h"
#include "model/amd/gpu/gpu_spi.h"

#include <string.h>

enum {
    REG_DWORDS = 4,   // bytes of a register; packets number them in dwords
    ATOMIC_64 = 0x20, // TC_OP: 64-bit forms
    ATOMIC_NO_RETURN = 0x40,
    DMA_PART = LULL_CP_PART, // a multiple of 64
};

static uint64_t address(const uint32_t *lo)
{
    return lo[0] | (uint64_t)lo[1] << 32;
}

/** @p nbytes of the job's GDS at byte @p at; NULL: it has not as many. */
static uint8_t *gds_at(struct lull_cp *cp, uint64_t at, uint32_t nbytes)
{
    struct lull_gds g;
    lull_gpu_gds(cp->g, cp->r->head->job.vmid, &g);
    return nbytes <= g.size && at <= g.size - nbytes ? g.mem + at : NULL;
}

static enum lull_cp_result gds_failed(struct lull_cp *cp, uint64_t at, uint32_t nbytes)
{
    struct lull_gds g;
    lull_gpu_gds(cp->g, cp->r->head->job.vmid, &g);
    return lull_cp_bad(cp, "%u bytes of GDS at 0x%llx: the job has %u", nbytes,
                       (unsigned long long)at, g.size);
}

/** Write registers or memory: @p va is a dword number if @p reg. */
bool lull_cp_put(struct lull_cp *cp, uint64_t va, const void *buf, size_t size)
{
    const bool ok = lull_vm_write(cp->vm, va, buf, size);
    if (ok) {
        lull_gpu_wrote(cp->g, cp->r, cp->vm->vmid, va, size, NULL, false);
    }
    return ok;
}

static bool store(struct lull_cp *cp, bool reg, uint64_t va, const uint32_t *data, unsigned ndwords,
                  bool *privileged)
{
    *privileged = false;
    if (!reg) {
        return lull_cp_put(cp, va, data, ndwords * sizeof *data);
    }
    for (unsigned i = 0; i < ndwords; i++) {
        if (!lull_cp_write_reg(cp, (uint32_t)(va + i) * REG_DWORDS, data[i])) {
            *privileged = true;
            return false;
        }
    }
    return true;
}

static enum lull_cp_result store_failed(struct lull_cp *cp, uint64_t va, bool privileged)
{
    if (privileged) {
        return lull_cp_bad(cp, "register 0x%x is not for command buffers",
                           (uint32_t)va * REG_DWORDS);
    }
    return lull_cp_fault(cp);
}

/** Observers are told of @p bytes at @p to, which were copied or not. */
static void tell(const struct lull_cp *cp, uint64_t to, const uint64_t *from, uint64_t bytes)
{
    const struct lull_transfer t = {.space = cp->vm->vmid,
                                    .launches = cp->r->ndispatches != 0 ? cp->r->launch_id + 1 : 0,
                                    .to = to,
                                    .from = from != NULL ? *from : 0,
                                    .bytes = bytes,
                                    .copies = from != NULL};
    for (struct lull_observer *o = cp->g->observer; o != NULL; o = o->next) {
        if (o->transfer != NULL) {
            o->transfer(o, &t);
        }
    }
}

static enum lull_cp_result write_data(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    const uint32_t control = body[LULL_PM4_WRITE_DATA_CONTROL];
    const uint32_t dst = lull_field(control, LULL_PM4_WRITE_DATA_CONTROL__DST_SEL_MASK);
    const bool one_address =
        (control & LULL_PM4_WRITE_DATA_CONTROL__WR_ONE_ADDR_MASK) != 0; // 1: do not increment
    const bool reg = dst == LULL_PM4_WRITE_DATA_CONTROL__DST_SEL__REG;
    const unsigned n = cp->p.nbody - LULL_PM4_WRITE_DATA_DATA;
    if (dst == LULL_PM4_WRITE_DATA_CONTROL__DST_SEL__GDS && !one_address) {
        const uint64_t at = address(&body[LULL_PM4_WRITE_DATA_DST_LO]);
        uint8_t *gds = gds_at(cp, at, n * REG_DWORDS);
        if (gds == NULL) {
            return gds_failed(cp, at, n * REG_DWORDS);
        }
        memcpy(gds, &body[LULL_PM4_WRITE_DATA_DATA], (size_t)n * REG_DWORDS);
        return LULL_CP_NEXT;
    }
    if (!reg && dst != LULL_PM4_WRITE_DATA_CONTROL__DST_SEL__MEM_GRBM &&
        dst != LULL_PM4_WRITE_DATA_CONTROL__DST_SEL__GL2 &&
        dst != LULL_PM4_WRITE_DATA_CONTROL__DST_SEL__MEM) {
        return lull_cp_bad(cp, "destination %u", dst);
    }
    const uint64_t va = reg ? body[LULL_PM4_WRITE_DATA_DST_LO]
                            : address(&body[LULL_PM4_WRITE_DATA_DST_LO]) & ~UINT64_C(3);
    bool privileged = false;
    for (unsigned i = 0; i < (one_address ? n : 1); i++) {
        if (!store(cp, reg, va, &body[LULL_PM4_WRITE_DATA_DATA + i], one_address ? 1 : n,
                   &privileged)) {
            return store_failed(cp, va, privileged);
        }
    }
    if (!reg) {
        tell(cp, va, NULL, (uint64_t)(one_address ? 1 : n) * REG_DWORDS);
    }
    return LULL_CP_NEXT;
}

/** COPY_DATA's source. False: *result says how it ended. */
static bool copy_source(struct lull_cp *cp, uint32_t data[2], unsigned n,
                        enum lull_cp_result *result)
{
    const uint32_t *body = cp->p.body;
    const uint32_t src =
        lull_field(body[LULL_PM4_COPY_DATA_CONTROL], LULL_PM4_COPY_DATA_CONTROL__SRC_SEL_MASK);
    const uint64_t va = address(&body[LULL_PM4_COPY_DATA_SRC_LO]);
    const uint32_t nbytes = n * REG_DWORDS;
    const uint8_t *gds = NULL;
    uint64_t clock = 0;
    switch (src) {
    case LULL_PM4_COPY_DATA_CONTROL__SRC_SEL__GDS:
        gds = gds_at(cp, va, nbytes);
        if (gds == NULL) {
            *result = gds_failed(cp, va, nbytes);
            return false;
        }
        memcpy(data, gds, nbytes);
        return true;
    case LULL_PM4_COPY_DATA_CONTROL__SRC_SEL__REG:
    case LULL_PM4_COPY_DATA_CONTROL__SRC_SEL__PERF:
        for (unsigned i = 0; i < n; i++) {
            data[i] = lull_cp_read_reg(cp, (body[LULL_PM4_COPY_DATA_SRC_LO] + i) * REG_DWORDS);
        }
        return true;
    case LULL_PM4_COPY_DATA_CONTROL__SRC_SEL__MEM:
    case LULL_PM4_COPY_DATA_CONTROL__SRC_SEL__GL2:
        if (!lull_vm_read(cp->vm, va, data, n * sizeof *data)) {
            *result = lull_cp_fault(cp);
            return false;
        }
        return true;
    case LULL_PM4_COPY_DATA_CONTROL__SRC_SEL__IMM:
        memcpy(data, &body[LULL_PM4_COPY_DATA_SRC_LO], n * sizeof *data);
        return true;
    case LULL_PM4_COPY_DATA_CONTROL__SRC_SEL__ATOMIC_RETURN:
        data[0] = (uint32_t)cp->r->atomic_return;
        data[1] = (uint32_t)(cp->r->atomic_return >> 32);
        return true;
    case LULL_PM4_COPY_DATA_CONTROL__SRC_SEL__TIMESTAMP:
        clock = lull_gpu_clock(cp->g);
        data[0] = (uint32_t)clock;
        data[1] = (uint32_t)(clock >> 32);
        return true;
    default:
        *result = lull_cp_bad(cp, "source %u", src);
        return false;
    }
}

static enum lull_cp_result copy_data(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    const uint32_t control = body[LULL_PM4_COPY_DATA_CONTROL];
    const uint32_t dst = lull_field(control, LULL_PM4_COPY_DATA_CONTROL__DST_SEL_MASK);
    const unsigned n = (control & LULL_PM4_COPY_DATA_CONTROL__COUNT_SEL_MASK) != 0 ? 2 : 1;
    const bool reg = dst == LULL_PM4_COPY_DATA_CONTROL__DST_SEL__REG ||
                     dst == LULL_PM4_COPY_DATA_CONTROL__DST_SEL__PERF;
    const bool gds = dst == LULL_PM4_COPY_DATA_CONTROL__DST_SEL__GDS;
    uint32_t data[2] = {0};
    enum lull_cp_result result = LULL_CP_NEXT;
    if (!reg && !gds && dst != LULL_PM4_COPY_DATA_CONTROL__DST_SEL__MEM_GRBM &&
        dst != LULL_PM4_COPY_DATA_CONTROL__DST_SEL__GL2 &&
        dst != LULL_PM4_COPY_DATA_CONTROL__DST_SEL__MEM) {
        return lull_cp_bad(cp, "destination %u", dst);
    }
    if (!copy_source(cp, data, n, &result)) {
        return result;
    }
    const uint64_t va =
        reg ? body[LULL_PM4_COPY_DATA_DST_LO] : address(&body[LULL_PM4_COPY_DATA_DST_LO]);
    bool privileged = false;
    if (gds) {
        uint8_t *to = gds_at(cp, va, n * REG_DWORDS);
        if (to != NULL) {
            memcpy(to, data, n * sizeof *data);
        }
        return to != NULL ? LULL_CP_NEXT : gds_failed(cp, va, n * REG_DWORDS);
    }
    if (!store(cp, reg, va, data, n, &privileged)) {
        return store_failed(cp, va, privileged);
    }
    return LULL_CP_NEXT;
}

/** One side of a DMA. */
struct side {
    uint64_t va; ///< Of memory; or number of a register.
    bool reg;    ///< Registers, not memory.
    bool same;   ///< The address stays: each dword comes from there, or goes there.
};

bool lull_cp_copy(struct lull_cp *cp, uint64_t dst, uint64_t src, uint32_t nbytes)
{
    uint8_t chunk[LULL_PAGE_SIZE] = {0};
    for (uint32_t at = 0; at < nbytes;) {
        uint32_t n = nbytes - at;
        n = n < sizeof chunk ? n : (uint32_t)sizeof chunk; // a multiple of 4 but for the last
        if (!lull_vm_read(cp->vm, src + at, chunk, n) ||
            !lull_vm_write(cp->vm, dst + at, chunk, n)) {
            return false;
        }
        at += n;
    }
    lull_gpu_wrote(cp->g, cp->r, cp->vm->vmid, dst, nbytes, &src, false);
    return true;
}

bool lull_cp_fill(struct lull_cp *cp, uint64_t dst, uint32_t value, uint32_t nbytes)
{
    uint8_t chunk[LULL_PAGE_SIZE] = {0};
    for (uint32_t i = 0; i < sizeof chunk; i++) {
        chunk[i] = (uint8_t)(value >> 8 * (i % 4));
    }
    for (uint32_t at = 0; at < nbytes;) {
        const uint32_t left = nbytes - at;
        const uint32_t n = left < sizeof chunk ? left : (uint32_t)sizeof chunk;
        if (!lull_vm_write(cp->vm, dst + at, chunk, n)) {
            return false;
        }
        at += n;
    }
    lull_gpu_wrote(cp->g, cp->r, cp->vm->vmid, dst, nbytes, NULL, true);
    return true;
}

/** Dword for dword from byte @p at on: registers, and addresses that stay. */
static enum lull_cp_result dma_dwords(struct lull_cp *cp, struct side dst, struct side src,
                                      uint32_t at, uint32_t nbytes)
{
    for (uint32_t i = at / REG_DWORDS; i < (at + nbytes) / REG_DWORDS; i++) {
        const uint32_t unit = src.reg ? 1 : REG_DWORDS;
        const uint64_t from = src.va + (src.same ? 0 : (uint64_t)i * unit);
        const uint64_t to = dst.va + (dst.same ? 0 : (uint64_t)i * (dst.reg ? 1 : REG_DWORDS));
        uint32_t value = 0;
        bool privileged = false;
        if (src.reg) {
            value = lull_cp_read_reg(cp, (uint32_t)from * REG_DWORDS);
        } else if (!lull_vm_read(cp->vm, from, &value, sizeof value)) {
            return lull_cp_fault(cp);
        }
        if (!store(cp, dst.reg, to, &value, 1, &privileged)) {
            return store_failed(cp, to, privileged);
        }
    }
    return LULL_CP_NEXT;
}

/** A DMA from or to GDS, which is small: at once. */
static enum lull_cp_result dma_gds(struct lull_cp *cp, bool from, bool to, uint32_t nbytes)
{
    const uint32_t *body = cp->p.body;
    const uint64_t src = address(&body[LULL_PM4_DMA_DATA_SRC_LO]);
    const uint64_t dst = address(&body[LULL_PM4_DMA_DATA_DST_LO]);
    const bool fill =
        lull_field(body[LULL_PM4_DMA_DATA_CONTROL], LULL_PM4_DMA_DATA_CONTROL__SRC_SEL_MASK) ==
        LULL_PM4_DMA_DATA_CONTROL__SRC_SEL__DATA;
    const uint32_t special =
        LULL_PM4_DMA_DATA_COMMAND__SAS_MASK | LULL_PM4_DMA_DATA_COMMAND__SAIC_MASK |
        LULL_PM4_DMA_DATA_COMMAND__DAS_MASK | LULL_PM4_DMA_DATA_COMMAND__DAIC_MASK;
    uint8_t *a = from ? gds_at(cp, src, nbytes) : NULL;
    uint8_t *b = to ? gds_at(cp, dst, nbytes) : NULL;
    if ((body[LULL_PM4_DMA_DATA_COMMAND] & special) != 0) {
        return lull_cp_bad(cp, "command 0x%08x", body[LULL_PM4_DMA_DATA_COMMAND]);
    }
    if ((from && a == NULL) || (to && b == NULL)) {
        return gds_failed(cp, from && a == NULL ? src : dst, nbytes);
    }
    for (uint32_t i = 0; fill && i < nbytes; i++) {
        b[i] = (uint8_t)(body[LULL_PM4_DMA_DATA_SRC_LO] >> 8 * (i % REG_DWORDS));
    }
    if (from && to) {
        memmove(b, a, nbytes);
    }
    const bool ok = from && !to            ? lull_cp_put(cp, dst, a, nbytes)
                    : to && !from && !fill ? lull_vm_read(cp->vm, src, b, nbytes)
                                           : true;
    return ok ? LULL_CP_NEXT : lull_cp_fault(cp);
}

/** Others get their turn between parts. The packet ends with its last part, so CP_SYNC and the
 * 0-byte DMA that waits have nothing to wait for. */
static enum lull_cp_result dma_data(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    const uint32_t control = body[LULL_PM4_DMA_DATA_CONTROL];
    const uint32_t command = body[LULL_PM4_DMA_DATA_COMMAND];
    const uint32_t src_sel = lull_field(control, LULL_PM4_DMA_DATA_CONTROL__SRC_SEL_MASK);
    const uint32_t dst_sel = lull_field(control, LULL_PM4_DMA_DATA_CONTROL__DST_SEL_MASK);
    const uint32_t nbytes = lull_field(command, LULL_PM4_DMA_DATA_COMMAND__BYTE_COUNT_MASK);
    const struct side src = {
        .va = address(&body[LULL_PM4_DMA_DATA_SRC_LO]),
        .reg = (command & LULL_PM4_DMA_DATA_COMMAND__SAS_MASK) != 0,
        .same = (command & LULL_PM4_DMA_DATA_COMMAND__SAIC_MASK) != 0,
    };
    const struct side dst = {
        .va = address(&body[LULL_PM4_DMA_DATA_DST_LO]),
        .reg = (command & LULL_PM4_DMA_DATA_COMMAND__DAS_MASK) != 0,
        .same = (command & LULL_PM4_DMA_DATA_COMMAND__DAIC_MASK) != 0,
    };
    const uint32_t at = cp->r->part;
    if (dst_sel == LULL_PM4_DMA_DATA_CONTROL__DST_SEL__NOWHERE || at >= nbytes) {
        return LULL_CP_NEXT; // a prefetch, or only a wait (or the packet changed meanwhile)
    }
    const bool from_gds = src_sel == LULL_PM4_DMA_DATA_CONTROL__SRC_SEL__GDS;
    const bool to_gds = dst_sel == LULL_PM4_DMA_DATA_CONTROL__DST_SEL__GDS;
    if (from_gds || to_gds) {
        return dma_gds(cp, from_gds, to_gds, nbytes);
    }
    const bool fill = src_sel == LULL_PM4_DMA_DATA_CONTROL__SRC_SEL__DATA;
    if ((fill && (dst.reg || dst.same)) || (src.reg && (nbytes % REG_DWORDS) != 0)) {
        return lull_cp_bad(cp, "command 0x%08x", command);
    }
    const bool single = !fill && (src.reg || src.same || dst.reg || dst.same);
    const uint32_t most = single ? DMA_PART / 16 : DMA_PART;
    const uint32_t left = nbytes - at, n = left < most ? left : most;
    enum lull_cp_result result = LULL_CP_NEXT;
    if (single) {
        result = dma_dwords(cp, dst, src, at, n);
    } else if (!(fill ? lull_cp_fill(cp, dst.va + at, body[LULL_PM4_DMA_DATA_SRC_LO], n)
                      : lull_cp_copy(cp, dst.va + at, src.va + at, n))) {
        result = lull_cp_fault(cp);
    } else {
        const uint64_t from = src.va + at;
        tell(cp, dst.va + at, fill ? NULL : &from, n);
    }
    cp->r->part = at + n;
    return result == LULL_CP_NEXT && n < left ? LULL_CP_MORE : result;
}

bool lull_cp_compare(uint32_t function, uint64_t value, uint64_t ref)
{
    switch (function) {
    case LULL_PM4_WAIT_REG_MEM_CONTROL__FUNCTION__LESS:
        return value < ref;
    case LULL_PM4_WAIT_REG_MEM_CONTROL__FUNCTION__LESS_EQUAL:
        return value <= ref;
    case LULL_PM4_WAIT_REG_MEM_CONTROL__FUNCTION__EQUAL:
        return value == ref;
    case LULL_PM4_WAIT_REG_MEM_CONTROL__FUNCTION__NOT_EQUAL:
        return value != ref;
    case LULL_PM4_WAIT_REG_MEM_CONTROL__FUNCTION__GREATER_EQUAL:
        return value >= ref;
    case LULL_PM4_WAIT_REG_MEM_CONTROL__FUNCTION__GREATER:
        return value > ref;
    default:
        return true;
    }
}

/** WAIT_REG_MEM and WAIT_REG_MEM64, whose reference and mask have @p n dwords. */
static enum lull_cp_result wait(struct lull_cp *cp, unsigned n)
{
    const uint32_t *body = cp->p.body;
    const uint32_t control = body[LULL_PM4_WAIT_REG_MEM_CONTROL];
    const uint32_t function = lull_field(control, LULL_PM4_WAIT_REG_MEM_CONTROL__FUNCTION_MASK);
    const uint32_t operation = lull_field(control, LULL_PM4_WAIT_REG_MEM_CONTROL__OPERATION_MASK);
    const uint32_t *ref = &body[LULL_PM4_WAIT_REG_MEM_REFERENCE], *mask = ref + n;
    uint32_t value[2] = {0};
    if (operation == LULL_PM4_WAIT_REG_MEM_CONTROL__OPERATION__WRITE_WAIT_WRITE) {
        return lull_cp_bad(cp, "operation %u writes registers", operation);
    }
    if (lull_field(control, LULL_PM4_WAIT_REG_MEM_CONTROL__MEM_SPACE_MASK) ==
        LULL_PM4_WAIT_REG_MEM_CONTROL__MEM_SPACE__REG) {
        for (unsigned i = 0; i < n; i++) {
            value[i] = lull_cp_read_reg(cp, (body[LULL_PM4_WAIT_REG_MEM_POLL_LO] + i) * REG_DWORDS);
        }
    } else if (!lull_vm_read(cp->vm, address(&body[LULL_PM4_WAIT_REG_MEM_POLL_LO]) & ~UINT64_C(3),
                             value, n * sizeof *value)) {
        return lull_cp_fault(cp);
    }
    uint64_t v = value[0] & mask[0], r = ref[0];
    if (n == 2) {
        v |= (uint64_t)(value[1] & mask[1]) << 32;
        r |= (uint64_t)ref[1] << 32;
    }
    return lull_cp_compare(function, v, r) ? LULL_CP_NEXT : LULL_CP_AGAIN;
}

static enum lull_cp_result wait_reg_mem(struct lull_cp *cp)
{
    return wait(cp, 1);
}

static enum lull_cp_result wait_reg_mem64(struct lull_cp *cp)
{
    return wait(cp, 2);
}

/** RELEASE_MEM with data of GDS: DATA_LO has the first dword in 15:0, how many in 31:16. Source:
 * Mesa 22.3.6 sid.h, EOP_DATA_GDS. */
static enum lull_cp_result release_gds(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    const uint32_t data = body[LULL_PM4_RELEASE_MEM_DATA_LO];
    const uint32_t at = (data & 0xffff) * REG_DWORDS, nbytes = (data >> 16) * REG_DWORDS;
    const uint8_t *gds = gds_at(cp, at, nbytes);
    if (gds == NULL) {
        return gds_failed(cp, at, nbytes);
    }
    return lull_cp_put(cp, address(&body[LULL_PM4_RELEASE_MEM_ADDR_LO]), gds, nbytes)
               ? LULL_CP_NEXT
               : lull_cp_fault(cp);
}

/** The event comes after all work so far: the model lets the packet wait for the waves. */
static enum lull_cp_result release_mem(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    const uint32_t select =
        lull_field(body[LULL_PM4_RELEASE_MEM_CONTROL], LULL_PM4_RELEASE_MEM_CONTROL__DATA_SEL_MASK);
    const uint64_t va = address(&body[LULL_PM4_RELEASE_MEM_ADDR_LO]);
    uint64_t value = address(&body[LULL_PM4_RELEASE_MEM_DATA_LO]);
    size_t size = sizeof value;
    switch (select) {
    case LULL_PM4_RELEASE_MEM_CONTROL__DATA_SEL__NONE:
        size = 0;
        break;
    case LULL_PM4_RELEASE_MEM_CONTROL__DATA_SEL__DATA32:
        size = sizeof(uint32_t);
        break;
    case LULL_PM4_RELEASE_MEM_CONTROL__DATA_SEL__DATA64:
        break;
    case LULL_PM4_RELEASE_MEM_CONTROL__DATA_SEL__TIMESTAMP:
    case LULL_PM4_RELEASE_MEM_CONTROL__DATA_SEL__SYSTEM_CLOCK:
        value = lull_gpu_clock(cp->g);
        break;
    case LULL_PM4_RELEASE_MEM_CONTROL__DATA_SEL__GDS:
        break;
    default:
        return lull_cp_bad(cp, "data select %u", select);
    }
    if (!lull_spi_idle(cp->r)) {
        return LULL_CP_AGAIN;
    }
    if (select == LULL_PM4_RELEASE_MEM_CONTROL__DATA_SEL__GDS) {
        return release_gds(cp);
    }
    return lull_cp_put(cp, va, &value, size) ? LULL_CP_NEXT : lull_cp_fault(cp);
}

enum lull_cp_result lull_cp_skip(struct lull_cp *cp, uint32_t n)
{
    const uint32_t left = cp->ib->ndwords - cp->ib->at;
    if (n > left) {
        return lull_cp_bad(cp, "skips %u dwords, %u left in the IB", n, left);
    }
    cp->ib->at += n;
    return LULL_CP_NEXT;
}

/** Skip the next n dwords if the dword in memory is 0. */
static enum lull_cp_result cond_exec(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    const uint32_t n =
        lull_field(body[LULL_PM4_COND_EXEC_EXEC_COUNT], LULL_PM4_COND_EXEC_EXEC_COUNT__DWORDS_MASK);
    uint32_t value = 0;
    if (!lull_vm_read(cp->vm, address(&body[LULL_PM4_COND_EXEC_ADDR_LO]) & ~UINT64_C(3), &value,
                      sizeof value)) {
        return lull_cp_fault(cp);
    }
    return value == 0 ? lull_cp_skip(cp, n) : LULL_CP_NEXT;
}

/** Skip the next n dwords if they are for other GPUs: this is number 0 of one. */
static enum lull_cp_result pred_exec(struct lull_cp *cp)
{
    const uint32_t control = cp->p.body[LULL_PM4_PRED_EXEC_CONTROL];
    const uint32_t gpus = lull_field(control, LULL_PM4_PRED_EXEC_CONTROL__DEVICE_SELECT_MASK);
    return (gpus & 1) == 0
               ? lull_cp_skip(cp, lull_field(control, LULL_PM4_PRED_EXEC_CONTROL__EXEC_COUNT_MASK))
               : LULL_CP_NEXT;
}

/** Write one dword if a comparison holds; never waits. */
static enum lull_cp_result cond_write(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    const uint32_t control = body[LULL_PM4_COND_WRITE_CONTROL];
    const uint32_t space = lull_field(control, LULL_PM4_COND_WRITE_CONTROL__WRITE_SPACE_MASK);
    uint32_t value = 0;
    if (space > LULL_PM4_COND_WRITE_CONTROL__WRITE_SPACE__MEM) {
        return lull_cp_bad(cp, "write space %u", space);
    }
    if ((control & LULL_PM4_COND_WRITE_CONTROL__POLL_SPACE_MASK) == 0) {
        value = lull_cp_read_reg(cp, body[LULL_PM4_COND_WRITE_POLL_LO] * REG_DWORDS);
    } else if (!lull_vm_read(cp->vm, address(&body[LULL_PM4_COND_WRITE_POLL_LO]) & ~UINT64_C(3),
                             &value, sizeof value)) {
        return lull_cp_fault(cp);
    }
    if (!lull_cp_compare(lull_field(control, LULL_PM4_COND_WRITE_CONTROL__FUNCTION_MASK),
                         value & body[LULL_PM4_COND_WRITE_MASK],
                         body[LULL_PM4_COND_WRITE_REFERENCE])) {
        return LULL_CP_NEXT;
    }
    const bool reg = space == LULL_PM4_COND_WRITE_CONTROL__WRITE_SPACE__REG;
    const uint64_t va = reg ? body[LULL_PM4_COND_WRITE_WRITE_LO]
                            : address(&body[LULL_PM4_COND_WRITE_WRITE_LO]) & ~UINT64_C(3);
    bool privileged = false;
    if (!store(cp, reg, va, &body[LULL_PM4_COND_WRITE_WRITE_DATA], 1, &privileged)) {
        return store_failed(cp, va, privileged);
    }
    return LULL_CP_NEXT;
}

static enum lull_cp_result set_predication(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    const uint32_t control = body[LULL_PM4_SET_PREDICATION_CONTROL];
    const uint32_t op = lull_field(control, LULL_PM4_SET_PREDICATION_CONTROL__PRED_OP_MASK);
    const bool if_true = (control & LULL_PM4_SET_PREDICATION_CONTROL__PRED_BOOL_MASK) != 0;
    uint64_t value = 0;
    if (op == LULL_PM4_SET_PREDICATION_CONTROL__PRED_OP__CLEAR) {
        cp->r->predicate_skip = false;
        return LULL_CP_NEXT;
    }
    if (op != LULL_PM4_SET_PREDICATION_CONTROL__PRED_OP__BOOL64 &&
        op != LULL_PM4_SET_PREDICATION_CONTROL__PRED_OP__BOOL32) {
        return lull_cp_bad(cp, "operation %u needs graphics counters", op);
    }
    const size_t size = op == LULL_PM4_SET_PREDICATION_CONTROL__PRED_OP__BOOL64 ? 8 : 4;
    if (!lull_vm_read(cp->vm, address(&body[LULL_PM4_SET_PREDICATION_ADDR_LO]) & ~UINT64_C(3),
                      &value, size)) {
        return lull_cp_fault(cp);
    }
    cp->r->predicate_skip = (value != 0) != if_true;
    return LULL_CP_NEXT;
}

/** Wait until somebody sets VALID in the packet itself. */
static enum lull_cp_result rewind_ib(struct lull_cp *cp)
{
    return (cp->p.body[0] & LULL_PM4_REWIND_CONTROL__VALID_MASK) != 0 ? LULL_CP_NEXT
                                                                      : LULL_CP_AGAIN;
}

/** Sign-extend a value of 32 or 64 bits. */
static int64_t signed_value(uint64_t v, bool wide)
{
    return wide ? (int64_t)v : (int32_t)(uint32_t)v;
}

/** New value for an integer atomic of 32 bits or, @p wide, 64. False: unknown operation. */
static bool atomic(uint32_t op, bool wide, uint64_t old, uint64_t src, uint64_t cmp, uint64_t *ret)
{
    switch (op) {
    case LULL_PM4_ATOMIC_MEM_CONTROL__ATOMIC__SWAP_RTN_32:
        *ret = src;
        return true;
    case LULL_PM4_ATOMIC_MEM_CONTROL__ATOMIC__CMPSWAP_RTN_32:
        *ret = old == cmp ? src : old;
        return true;
    case LULL_PM4_ATOMIC_MEM_CONTROL__ATOMIC__ADD_RTN_32:
        *ret = old + src;
        return true;
    case LULL_PM4_ATOMIC_MEM_CONTROL__ATOMIC__SUB_RTN_32:
        *ret = old - src;
        return true;
    case LULL_PM4_ATOMIC_MEM_CONTROL__ATOMIC__SMIN_RTN_32:
        *ret = signed_value(src, wide) < signed_value(old, wide) ? src : old;
        return true;
    case LULL_PM4_ATOMIC_MEM_CONTROL__ATOMIC__UMIN_RTN_32:
        *ret = src < old ? src : old;
        return true;
    case LULL_PM4_ATOMIC_MEM_CONTROL__ATOMIC__SMAX_RTN_32:
        *ret = signed_value(src, wide) > signed_value(old, wide) ? src : old;
        return true;
    case LULL_PM4_ATOMIC_MEM_CONTROL__ATOMIC__UMAX_RTN_32:
        *ret = src > old ? src : old;
        return true;
    case LULL_PM4_ATOMIC_MEM_CONTROL__ATOMIC__AND_RTN_32:
        *ret = old & src;
        return true;
    case LULL_PM4_ATOMIC_MEM_CONTROL__ATOMIC__OR_RTN_32:
        *ret = old | src;
        return true;
    case LULL_PM4_ATOMIC_MEM_CONTROL__ATOMIC__XOR_RTN_32:
        *ret = old ^ src;
        return true;
    case LULL_PM4_ATOMIC_MEM_CONTROL__ATOMIC__INC_RTN_32:
        *ret = old >= src ? 0 : old + 1;
        return true;
    case LULL_PM4_ATOMIC_MEM_CONTROL__ATOMIC__DEC_RTN_32:
        *ret = old == 0 || old > src ? src : old - 1;
        return true;
    default:
        return false;
    }
}

enum lull_cp_result lull_cp_atomic(struct lull_cp *cp, const struct lull_cp_atomic *a)
{
    const bool wide = (a->op & ATOMIC_64) != 0;
    const uint64_t mask = wide ? UINT64_MAX : UINT32_MAX;
    const size_t size = wide ? 8 : 4;
    const uint64_t src = a->src & mask, cmp = a->cmp & mask;
    uint64_t old = 0, value = 0;
    if (a->va % size != 0) {
        return lull_cp_bad(cp, "address 0x%llx is not aligned", (unsigned long long)a->va);
    }
    if (!lull_vm_read(cp->vm, a->va, &old, size)) {
        return lull_cp_fault(cp);
    }
    if (!atomic(a->op & ~(uint32_t)(ATOMIC_64 | ATOMIC_NO_RETURN), wide, old, src, cmp, &value)) {
        return lull_cp_bad(cp, "operation 0x%02x", a->op);
    }
    if (a->loop && old != cmp) {
        return LULL_CP_AGAIN;
    }
    if (!lull_cp_put(cp, a->va, &value, size)) {
        return lull_cp_fault(cp);
    }
    cp->r->atomic_return = old;
    return LULL_CP_NEXT;
}

static enum lull_cp_result atomic_mem(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    const uint32_t control = body[LULL_PM4_ATOMIC_MEM_CONTROL];
    const struct lull_cp_atomic a = {
        .op = lull_field(control, LULL_PM4_ATOMIC_MEM_CONTROL__ATOMIC_MASK),
        .va = address(&body[LULL_PM4_ATOMIC_MEM_ADDR_LO]),
        .src = address(&body[LULL_PM4_ATOMIC_MEM_SRC_DATA_LO]),
        .cmp = address(&body[LULL_PM4_ATOMIC_MEM_CMP_DATA_LO]),
        .loop = lull_field(control, LULL_PM4_ATOMIC_MEM_CONTROL__COMMAND_MASK) ==
                LULL_PM4_ATOMIC_MEM_CONTROL__COMMAND__LOOP,
    };
    return lull_cp_atomic(cp, &a);
}

const struct lull_cp_handler lull_cp_mem_handlers[256] = {
    [LULL_PM4_WRITE_DATA] = {write_data, 4},
    [LULL_PM4_COPY_DATA] = {copy_data, 5},
    [LULL_PM4_DMA_DATA] = {dma_data, 6},
    [LULL_PM4_WAIT_REG_MEM] = {wait_reg_mem, 6},
    [LULL_PM4_WAIT_REG_MEM64] = {wait_reg_mem64, 8},
    [LULL_PM4_RELEASE_MEM] = {release_mem, 6},
    [LULL_PM4_COND_EXEC] = {cond_exec, 4},
    [LULL_PM4_PRED_EXEC] = {pred_exec, 1},
    [LULL_PM4_COND_WRITE] = {cond_write, 8},
    [LULL_PM4_SET_PREDICATION] = {set_predication, 3},
    [LULL_PM4_REWIND] = {rewind_ib, 1},
    [LULL_PM4_ATOMIC_MEM] = {atomic_mem, 8},
};
