// SPDX-License-Identifier: MIT
// Scalar loads.
#include "model/amd/mem/mem.h"
#include "hw/desc11_regs.h"
#include "hw/hwreg_regs.h"

enum { MAX_DWORDS = 16, DWORD_ALIGN = 3 };

/** Scalar destination @p dst of @p n dwords; TTMPs keep their value outside PRIV. */
static void put_scalars(struct lull_wave *w, unsigned dst, unsigned n, const uint32_t *v)
{
    const bool priv = (w->status & LULL_HWREG_STATUS__PRIV_MASK) != 0;
    if (dst == LULL_RDNA_NULL) {
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        const unsigned r = dst + i;
        const bool ttmp = r >= LULL_RDNA_TTMP0 && r < LULL_RDNA_NULL;
        if (r <= LULL_RDNA_EXEC + 1 && r != LULL_RDNA_NULL && (priv || !ttmp)) {
            w->sgpr[r] = v[i];
        }
    }
}

/** Dwords in the place of @p n SGPRs from @p dst on that anybody may write. The sizes are known, so
 * that it takes no call. */
static inline void copy_scalars(struct lull_wave *w, unsigned dst, unsigned n, const uint8_t *from)
{
    uint32_t *to = &w->sgpr[dst];
    switch (n) {
    case 1:
        memcpy(to, from, sizeof *to);
        break;
    case 2:
        memcpy(to, from, 2 * sizeof *to);
        break;
    case 4:
        memcpy(to, from, 4 * sizeof *to);
        break;
    case 8:
        memcpy(to, from, 8 * sizeof *to);
        break;
    default:
        memcpy(to, from, n * sizeof *to);
        break;
    }
}

/** Operand @p r; mostly an SGPR that anybody may read. */
static inline uint32_t scalar(const struct lull_wave *w, unsigned r)
{
    return r < LULL_RDNA_TTMP0 ? w->sgpr[r] : lull_mem_scalar(w, r);
}

static uint64_t scalar_pair(const struct lull_wave *w, unsigned r)
{
    return (uint64_t)scalar(w, (r + 1) & 127) << 32 | scalar(w, r);
}

static uint32_t soffset(const struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return in->soffset == LULL_RDNA_NONE ? 0 : scalar(w, in->soffset);
}

static enum lull_exec_result fetch(struct lull_wave *w, const struct lull_rdna_insn *in,
                                   uint64_t va, unsigned nread)
{
    const unsigned n = lull_mem_ops[in->op].bytes / 4u;
    const unsigned bytes = 4 * nread;
    // Mostly inside one page.
    const bool inside = va % LULL_PAGE_SIZE + bytes <= LULL_PAGE_SIZE;
    const uint8_t *host = inside && bytes != 0 ? lull_vm_host(w->vm, va, LULL_ACCESS_READ) : NULL;
    if (host != NULL && nread == n && in->dst + n <= LULL_RDNA_TTMP0) {
        copy_scalars(w, in->dst, n, host);
        return LULL_EXEC_NEXT;
    }
    uint32_t v[MAX_DWORDS] = {0};
    struct lull_refused refused = {0};
    if (host != NULL) {
        memcpy(v, host, bytes);
    } else if (!lull_vm_read(w->vm, va, v, bytes)) {
        lull_refused_note(&refused, w);
        return lull_refused_end(&refused, w);
    }
    put_scalars(w, in->dst, n, v);
    return LULL_EXEC_NEXT;
}

/** Base and offsets count in whole dwords: the low two bits of each are ignored. */
static unsigned load_place(const struct lull_wave *w, const struct lull_rdna_insn *in, uint64_t *va)
{
    const uint64_t align = ~(uint64_t)DWORD_ALIGN;
    *va = (scalar_pair(w, in->sbase) & align) + ((uint64_t)(int64_t)in->imm & align) +
          (soffset(w, in) & align);
    return lull_mem_ops[in->op].bytes / 4u;
}

static enum lull_exec_result load(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    uint64_t va = 0;
    const unsigned n = load_place(w, in, &va);
    return fetch(w, in, va, n);
}

/** Bytes of a buffer as scalar loads see it. */
static uint64_t buffer_bytes(const uint32_t desc[4])
{
    const uint64_t stride =
        (desc[1] & LULL_DESC11_BUF_WORD1__STRIDE_MASK) >> LULL_DESC11_BUF_WORD1__STRIDE_SHIFT;
    return stride == 0 ? desc[2] : stride * desc[2];
}

/** Where a buffer begins. @return its bytes. */
static uint64_t buffer_base(const struct lull_wave *w, const struct lull_rdna_insn *in,
                            uint64_t *ret)
{
    uint32_t room[4] = {0};
    const uint32_t *desc = &w->sgpr[in->sbase];
    if (in->sbase + 4 > LULL_RDNA_TTMP0) {
        for (unsigned i = 0; i < 4; i++) {
            room[i] = scalar(w, (in->sbase + i) & 127);
        }
        desc = room;
    }
    const uint64_t base =
        ((uint64_t)(desc[1] & LULL_DESC11_BUF_WORD1__BASE_ADDRESS_HI_MASK) << 32 | desc[0]) &
        ~(uint64_t)DWORD_ALIGN;
    const uint64_t high = base >> 47 != 0 ? UINT64_C(0xffff) << 48 : 0;
    *ret = base | high;
    return buffer_bytes(desc);
}

static unsigned buffer_place(const struct lull_wave *w, const struct lull_rdna_insn *in,
                             uint64_t *va)
{
    const unsigned n = lull_mem_ops[in->op].bytes / 4u;
    const uint64_t offset = ((uint64_t)(int64_t)in->imm + soffset(w, in)) & ~(uint64_t)DWORD_ALIGN;
    const uint64_t size = buffer_base(w, in, va);
    const uint64_t left = offset < size ? (size - offset) / 4 : 0; // Dwords that are all inside.
    *va += offset;
    return left < n ? (unsigned)left : n;
}

static enum lull_exec_result buffer_load(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    uint64_t va = 0;
    const unsigned n = buffer_place(w, in, &va);
    return fetch(w, in, va, n);
}

/** Only s_buffer_load_* has a resource of four dwords. */
static bool has_resource(const struct lull_rdna_insn *in)
{
    return lull_rdna_type_dwords[lull_rdna_ops[in->op].type[LULL_RDNA_SLOT_SBASE]] == 4;
}

unsigned lull_smem_dropped(const struct lull_wave *w, const struct lull_rdna_insn *in,
                           uint64_t *base, uint64_t *bytes)
{
    uint64_t va = 0;
    if (!has_resource(in)) {
        return 0;
    }
    *bytes = buffer_base(w, in, base);
    return lull_mem_ops[in->op].bytes / 4u - buffer_place(w, in, &va);
}

unsigned lull_smem_place(const struct lull_wave *w, const struct lull_rdna_insn *in, uint64_t *va)
{
    return has_resource(in) ? buffer_place(w, in, va) : load_place(w, in, va);
}

lull_exec_fn *lull_mem_smem_handler(const struct lull_rdna_insn *in)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    if (op->kind == LULL_MEM_CACHE) {
        return lull_mem_nothing;
    }
    if (op->kind != LULL_MEM_LOAD) {
        return NULL;
    }
    return has_resource(in) ? buffer_load : load;
}
