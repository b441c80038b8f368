// SPDX-License-Identifier: MIT
#include "jit/scalar.h"

#include <string.h>

static bool is_64(uint8_t type)
{
    return type == LULL_T_B64 || type == LULL_T_I64 || type == LULL_T_F64;
}

static int32_t offset_of(unsigned sgpr)
{
    return (int32_t)(offsetof(struct lull_wave, sgpr) + 4 * (size_t)sgpr);
}

/** Source @p n. False: it is neither a register that stands in memory as it is read, nor a constant
 * that fits. */
static bool source(const struct lull_uop *u, unsigned n, int32_t *ret)
{
    const unsigned op = u->in->src[n];
    const bool wide = is_64(lull_sem[u->in->op].src[n]);
    if ((u->konst >> n & 1) != 0) {
        const int64_t v = (int64_t)u->value[n];
        *ret = (int32_t)(uint32_t)v;
        return !wide || (v >= INT32_MIN && v <= INT32_MAX);
    }
    *ret = offset_of(op);
    return lull_is_sgpr(op) && (!wide || (op != LULL_RDNA_NULL && op != LULL_RDNA_EXEC + 1));
}

static bool destination(const struct lull_uop *u, int32_t *ret)
{
    const unsigned d = u->in->dst, last = d + (is_64(lull_sem[u->in->op].d) ? 1 : 0);
    *ret = offset_of(d);
    return d != LULL_RDNA_NULL && last != LULL_RDNA_NULL && last <= LULL_RDNA_EXEC + 1;
}

/** Whether the code so far ends by storing ecx as SCC. */
static bool ends_with_scc(const struct lull_x86 *x)
{
    enum { SIZE = 6 }; // mov [rdi+disp32],ecx
    const uint32_t scc = offsetof(struct lull_wave, scc);
    return !x->full && x->len >= SIZE && memcmp(x->to + x->len - SIZE, "\x89\x8f", 2) == 0 &&
           memcmp(x->to + x->len - SIZE + 2, &scc, sizeof scc) == 0;
}

/** Bytes of comparison of SCC with 0 that @p code begins with, or 0. */
static unsigned scc_test(const uint8_t *code, unsigned size)
{
    enum { SIZE = 7 }; // cmp dword [rdi+disp32],0
    const uint32_t scc = offsetof(struct lull_wave, scc);
    return size >= SIZE && memcmp(code, "\x83\xbf", 2) == 0 &&
                   memcmp(code + 2, &scc, sizeof scc) == 0 && code[SIZE - 1] == 0
               ? SIZE
               : 0;
}

bool lull_jit_scalar_holes(const struct lull_uop *u, int32_t ret[LULL_JIT_HOLE_K + 1])
{
    const struct lull_sem *sem = &lull_sem[u->in->op];
    ret[LULL_JIT_HOLE_K] = u->in->imm;
    if (u->ttmp || u->fn != lull_sem_scalar[u->in->op] ||
        (sem->d != LULL_T_NONE && !destination(u, &ret[LULL_JIT_HOLE_D]))) {
        return false;
    }
    for (unsigned n = 0; n < 2; n++) {
        if (sem->src[n] != LULL_T_NONE && !source(u, n, &ret[LULL_JIT_HOLE_A + n])) {
            return false;
        }
    }
    return true;
}

bool lull_jit_emit_scalar(struct lull_x86 *x, const struct lull_uop *u)
{
    const struct lull_jit_stencil *s = &lull_jit_stencils[u->in->op][u->konst & 3];
    int32_t value[LULL_JIT_HOLE_K + 1] = {0};
    if (s->size == 0 || !lull_jit_scalar_holes(u, value)) {
        return false;
    }
    const uint8_t *code = lull_jit_stencil_code + s->code;
    const unsigned skip = ends_with_scc(x) ? scc_test(code, s->size) : 0;
    if (skip != 0) {
        lull_x86_bytes(x, "\x85\xc9", 2); // test ecx,ecx
    }
    const size_t at = x->len - skip;
    lull_x86_bytes(x, (const char *)code + skip, s->size - skip);
    for (unsigned i = 0; i < s->nholes && !x->full; i++) {
        const struct lull_jit_hole *h = &lull_jit_holes[s->holes + i];
        const uint32_t v = (uint32_t)value[h->which] + (uint32_t)(int32_t)h->plus;
        memcpy(x->to + at + h->at, &v, sizeof v);
    }
    return true;
}

int lull_jit_scc_condition(const struct lull_x86 *x)
{
    enum { SIZE = 9 }; // setcc cl; mov [rdi+disp32],ecx
    const uint32_t scc = offsetof(struct lull_wave, scc);
    if (x->full || x->len < SIZE) {
        return -1;
    }
    const uint8_t *end = x->to + x->len - SIZE;
    const bool stores = end[0] == 0x0f && end[1] >> 4 == 9 &&
                        memcmp(end + 2, "\xc1\x89\x8f", 3) == 0 &&
                        memcmp(end + 5, &scc, sizeof scc) == 0;
    return stores ? end[1] & 15 : -1;
}
