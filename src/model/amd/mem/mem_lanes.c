// SPDX-License-Identifier: MIT
// The plain way: any mixture of address spaces, one lane after the other.
#include "model/amd/mem/kept.h"
#include "model/amd/mem/mem.h"

void lull_refused_note(struct lull_refused *r, const struct lull_wave *w)
{
    if (!r->any) {
        r->any = true;
        r->first = w->vm->fault;
    }
}

enum lull_exec_result lull_refused_end(const struct lull_refused *r, struct lull_wave *w)
{
    if (!r->any) {
        return LULL_EXEC_NEXT;
    }
    w->vm->fault = r->first;
    const bool page =
        r->first.permission != 0 || r->first.walker_error != 0 || r->first.mapping_error;
    if (page && w->host != NULL && w->host->vm_fault != NULL) {
        w->host->vm_fault(w);
    }
    return LULL_EXEC_MEMORY;
}

/** A violation that page tables do not know of. */
static bool violate(struct lull_wave *w, uint64_t va, uint32_t access)
{
    w->vm->fault = (struct lull_vm_fault){.va = va, .access = access};
    return false;
}

uint64_t lull_mem_swizzled(const struct lull_places *p, unsigned lane, uint32_t offset)
{
    const uint32_t within = offset % p->element;
    return p->address[lane] + (uint64_t)(offset - within) * p->stride + within;
}

/** Move one lane's bytes between @p buf and elements that are apart. */
static bool move_swizzled(struct lull_wave *w, const struct lull_places *p, unsigned lane,
                          uint32_t skip, unsigned bytes, uint8_t *buf, bool store)
{
    const uint32_t access = store ? LULL_ACCESS_WRITE : LULL_ACCESS_READ;
    const uint64_t first = (uint64_t)p->offset[lane] + skip;
    if (first + bytes > p->limit) {
        return violate(w, p->address[lane], access);
    }
    for (unsigned done = 0; done < bytes;) {
        const uint32_t at = (uint32_t)first + done;
        const unsigned left = p->element - at % p->element;
        const unsigned n = bytes - done < left ? bytes - done : left;
        const uint64_t va = lull_mem_swizzled(p, lane, at);
        const bool ok = store ? lull_vm_write(w->vm, va, buf + done, n)
                              : lull_vm_read(w->vm, va, buf + done, n);
        if (!ok) {
            return false;
        }
        done += n;
    }
    return true;
}

static bool in_lds(const struct lull_wave *w, uint64_t address, unsigned bytes)
{
    return w->wg->lds_size >= bytes && address <= w->wg->lds_size - bytes;
}

/** Read bytes @p skip to + @p bytes of what the lane's address names. @p buf is 0 before. */
static bool read_part(struct lull_wave *w, const struct lull_places *p, unsigned lane,
                      uint32_t skip, unsigned bytes, uint8_t *buf)
{
    const uint64_t address = p->address[lane] + skip;
    switch ((enum lull_space)p->space[lane]) {
    case LULL_SPACE_LDS:
        if (in_lds(w, address, bytes)) {
            memcpy(buf, w->wg->lds + address, bytes);
        }
        return true;
    case LULL_SPACE_SWIZZLED:
        return move_swizzled(w, p, lane, skip, bytes, buf, false);
    case LULL_SPACE_MEMORY:
        break;
    }
    return lull_vm_read(w->vm, address, buf, bytes);
}

static bool write_part(struct lull_wave *w, const struct lull_places *p, unsigned lane,
                       uint32_t skip, unsigned bytes, const uint8_t *buf)
{
    const uint64_t address = p->address[lane] + skip;
    uint8_t copy[4 * LULL_MEM_DWORDS] = {0};
    switch ((enum lull_space)p->space[lane]) {
    case LULL_SPACE_LDS:
        if (in_lds(w, address, bytes)) {
            memcpy(w->wg->lds + address, buf, bytes);
        }
        return true;
    case LULL_SPACE_SWIZZLED:
        memcpy(copy, buf, bytes);
        return move_swizzled(w, p, lane, skip, bytes, copy, true);
    case LULL_SPACE_MEMORY:
        break;
    }
    return lull_vm_write(w->vm, address, buf, bytes);
}

static bool all_valid(const struct lull_places *p, unsigned lane, unsigned bytes)
{
    const unsigned want = (1u << ((bytes + 3) / 4)) - 1;
    return (p->valid[lane] & want) == want;
}

bool lull_lane_read(struct lull_wave *w, const struct lull_places *p, unsigned lane, unsigned bytes,
                    uint32_t buf[LULL_MEM_DWORDS])
{
    memset(buf, 0, sizeof(buf[0]) * LULL_MEM_DWORDS);
    if (all_valid(p, lane, bytes)) {
        return read_part(w, p, lane, 0, bytes, (uint8_t *)buf);
    }
    for (unsigned d = 0; 4 * d < bytes; d++) {
        const unsigned n = bytes - 4 * d < 4 ? bytes - 4 * d : 4;
        if ((p->valid[lane] >> d & 1) != 0 &&
            !read_part(w, p, lane, 4 * d, n, (uint8_t *)(buf + d))) {
            return false;
        }
    }
    return true;
}

bool lull_lane_write(struct lull_wave *w, const struct lull_places *p, unsigned lane,
                     unsigned bytes, const uint32_t buf[LULL_MEM_DWORDS])
{
    if (all_valid(p, lane, bytes)) {
        return write_part(w, p, lane, 0, bytes, (const uint8_t *)buf);
    }
    for (unsigned d = 0; 4 * d < bytes; d++) {
        const unsigned n = bytes - 4 * d < 4 ? bytes - 4 * d : 4;
        if ((p->valid[lane] >> d & 1) != 0 &&
            !write_part(w, p, lane, 4 * d, n, (const uint8_t *)(buf + d))) {
            return false;
        }
    }
    return true;
}

/**
 * Host address of a naturally aligned dword or two for an atomic.
 *
 * @param[out] ret NULL: out of bounds, reads 0 and is not written.
 * @return False if refused.
 */
__attribute__((always_inline)) static inline bool atomic_place(struct lull_wave *w,
                                                               const struct lull_places *p,
                                                               unsigned lane, unsigned bytes,
                                                               uint8_t **ret)
{
    const uint32_t access = LULL_ACCESS_READ | LULL_ACCESS_WRITE | LULL_ACCESS_ATOMIC;
    uint64_t va = p->address[lane];
    *ret = NULL;
    if (!all_valid(p, lane, bytes)) {
        return true;
    }
    if (p->space[lane] == LULL_SPACE_SWIZZLED) {
        if ((uint64_t)p->offset[lane] + bytes > p->limit || bytes > p->element) {
            return violate(w, va, access);
        }
        va = lull_mem_swizzled(p, lane, p->offset[lane]);
    }
    if (va % bytes != 0) {
        return violate(w, p->space[lane] == LULL_SPACE_LDS ? w->vm->shared_base + va : va, access);
    }
    if (p->space[lane] == LULL_SPACE_LDS) {
        *ret = in_lds(w, va, bytes) ? w->wg->lds + va : NULL;
        return true;
    }
    *ret = lull_vm_host(w->vm, va, access);
    return *ret != NULL;
}

uint32_t lull_mem_extend(const struct lull_mem_op *op, uint32_t value)
{
    if (op->element == LULL_MEM_E_I8) {
        return (uint32_t)(int32_t)(int8_t)value;
    }
    if (op->element == LULL_MEM_E_I16) {
        return (uint32_t)(int32_t)(int16_t)value;
    }
    return value;
}

static void put_row(uint32_t *row, const uint32_t *v, uint64_t mask, uint32_t keep, unsigned shift)
{
    for (uint64_t m = mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        row[l] = (row[l] & keep) | (v[l] << shift & ~keep);
    }
}

void lull_rows_put(struct lull_wave *w, const struct lull_mem_op *op, unsigned dst,
                   unsigned ndwords, uint64_t mask, const struct lull_rows *rows)
{
    for (unsigned d = 0; d < ndwords; d++) {
        uint32_t *row = lull_vgpr(w, dst + d);
        if ((op->flags & LULL_MEM_F_D16HI) != 0) {
            put_row(row, rows->v[d], mask, 0x0000ffff, 16);
        } else if ((op->flags & LULL_MEM_F_D16) != 0) {
            put_row(row, rows->v[d], mask, 0xffff0000, 0);
        } else if (mask == lull_all_lanes(w)) {
            memcpy(row, rows->v[d], w->lanes * sizeof(row[0]));
        } else {
            put_row(row, rows->v[d], mask, 0, 0);
        }
    }
}

enum lull_exec_result lull_mem_load(struct lull_wave *w, const struct lull_mem_op *op,
                                    const struct lull_places *p, unsigned dst)
{
    struct lull_rows rows;
    struct lull_refused refused = {0};
    const unsigned ndwords = lull_mem_dwords(op);
    for (uint64_t m = p->mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        uint32_t buf[LULL_MEM_DWORDS] = {0};
        if (!lull_lane_read(w, p, l, op->bytes, buf)) {
            lull_refused_note(&refused, w);
        }
        buf[0] = lull_mem_extend(op, buf[0]);
        for (unsigned d = 0; d < ndwords; d++) {
            rows.v[d][l] = buf[d];
        }
    }
    if (!refused.any) {
        lull_rows_put(w, op, dst, ndwords, p->mask, &rows);
    }
    return lull_refused_end(&refused, w);
}

enum lull_exec_result lull_mem_load_lds(struct lull_wave *w, const struct lull_mem_op *op,
                                        const struct lull_places *p, uint32_t lds)
{
    struct lull_refused refused = {0};
    for (uint64_t m = p->mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        uint32_t buf[LULL_MEM_DWORDS] = {0};
        if (!lull_lane_read(w, p, l, op->bytes, buf)) {
            lull_refused_note(&refused, w);
            continue;
        }
        buf[0] = lull_mem_extend(op, buf[0]);
        const uint64_t at = (uint64_t)lds + 4 * l;
        if (in_lds(w, at, 4)) {
            memcpy(w->wg->lds + at, buf, 4);
        }
    }
    return lull_refused_end(&refused, w);
}

enum lull_exec_result lull_mem_store(struct lull_wave *w, const struct lull_mem_op *op,
                                     const struct lull_places *p, unsigned data)
{
    struct lull_refused refused = {0};
    const unsigned ndwords = lull_mem_dwords(op);
    const unsigned shift = (op->flags & LULL_MEM_F_D16HI) != 0 ? 16 : 0;
    for (uint64_t m = p->mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        uint32_t buf[LULL_MEM_DWORDS] = {0};
        for (unsigned d = 0; d < ndwords; d++) {
            buf[d] = lull_vgpr(w, data + d)[l] >> shift;
        }
        if (!lull_lane_write(w, p, l, op->bytes, buf)) {
            lull_refused_note(&refused, w);
        }
    }
    return lull_refused_end(&refused, w);
}

static uint64_t vgpr_value(const struct lull_wave *w, unsigned reg, unsigned lane, unsigned bytes)
{
    const uint64_t hi = bytes == 8 ? lull_vgpr(w, reg + 1)[lane] : 0;
    return hi << 32 | lull_vgpr(w, reg)[lane];
}

/** What is at @p host. */
static inline uint64_t value_at(const uint8_t *host, unsigned bytes)
{
    return bytes == 4 ? __atomic_load_n((const uint32_t *)(const void *)host, __ATOMIC_SEQ_CST)
                      : __atomic_load_n((const uint64_t *)(const void *)host, __ATOMIC_SEQ_CST);
}

/** Put @p value there if there is @p *old, in one step for all threads. If not, @p *old is what
 * there is. */
static inline bool replace(uint8_t *host, unsigned bytes, uint64_t *old, uint64_t value)
{
    if (bytes == 8) {
        return __atomic_compare_exchange_n((uint64_t *)(void *)host, old, value, false,
                                           __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
    uint32_t was = (uint32_t)*old;
    const bool done = __atomic_compare_exchange_n((uint32_t *)(void *)host, &was, (uint32_t)value,
                                                  false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    *old = was;
    return done;
}

/** What an atomic makes of @p old in memory or, with the wave's own MODE, in LDS. */
static inline uint64_t changed(const struct lull_wave *w, const struct lull_mem_op *op,
                               const struct lull_mem_regs *r, unsigned lane, uint64_t old, bool lds)
{
    const unsigned bytes = op->bytes;
    const uint32_t mode = lds ? w->mode : LULL_MEM_FLOAT_MODE;
    const uint64_t a = vgpr_value(w, r->a, lane, bytes);
    return op->kind == LULL_MEM_ADD ? old + a
                                    : lull_mem_atomic((enum lull_mem_kind)op->kind, bytes, old, a,
                                                      vgpr_value(w, r->b, lane, bytes), mode);
}

/** An atomic of @p bytes, which the caller knows, on each lane. */
__attribute__((always_inline)) static inline void rmw_lanes(struct lull_wave *w,
                                                            const struct lull_mem_op *op,
                                                            const struct lull_places *p,
                                                            const struct lull_mem_regs *r,
                                                            unsigned bytes, struct lull_rows *rows,
                                                            struct lull_refused *refused)
{
    for (uint64_t m = p->mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        uint8_t *host = NULL;
        uint64_t old = 0;
        if (!atomic_place(w, p, l, bytes, &host)) {
            lull_refused_note(refused, w);
        }
        if (host != NULL) {
            const bool lds = p->space[l] == LULL_SPACE_LDS;
            if (w->kept != NULL && r->last && !lds) {
                lull_kept_add(w->kept, (uint32_t *)(void *)host, &lull_vgpr(w, r->a)[l], 1);
            } else if (w->shared && !lds) {
                old = value_at(host, bytes);
                while (!replace(host, bytes, &old, changed(w, op, r, l, old, lds))) {
                }
            } else {
                memcpy(&old, host, bytes);
                const uint64_t value = changed(w, op, r, l, old, lds);
                memcpy(host, &value, bytes);
            }
        }
        rows->v[0][l] = (uint32_t)old;
        rows->v[1][l] = (uint32_t)(old >> 32);
    }
}

enum lull_exec_result lull_mem_rmw(struct lull_wave *w, const struct lull_mem_op *op,
                                   const struct lull_places *p, const struct lull_mem_regs *r)
{
    struct lull_rows rows;
    struct lull_refused refused = {0};
    if (op->bytes == 4) {
        rmw_lanes(w, op, p, r, 4, &rows, &refused);
    } else {
        rmw_lanes(w, op, p, r, 8, &rows, &refused);
    }
    if (r->returns && !refused.any) {
        lull_rows_put(w, op, r->dst, op->bytes / 4u, p->mask, &rows);
    }
    return lull_refused_end(&refused, w);
}

enum lull_exec_result lull_mem_run(struct lull_wave *w, const struct lull_mem_op *op,
                                   const struct lull_places *p, const struct lull_mem_regs *r)
{
    if (op->kind == LULL_MEM_LOAD) {
        return lull_mem_load(w, op, p, r->dst);
    }
    if (op->kind == LULL_MEM_STORE) {
        return lull_mem_store(w, op, p, r->a);
    }
    return lull_mem_rmw(w, op, p, r);
}
