// SPDX-License-Identifier: MIT
#include "model/amd/mem/mem.h"
#include "model/fp/fp.h"

static bool less_f(uint64_t a, uint64_t b, unsigned bytes, enum lull_fp_cmp cmp, uint32_t mode)
{
    return bytes == 4 ? lull_f32_cmp((uint32_t)a, (uint32_t)b, cmp, mode)
                      : lull_f64_cmp(a, b, cmp, mode);
}

static uint64_t add_f(uint64_t mem, uint64_t a, unsigned bytes, uint32_t mode)
{
    return bytes == 4 ? lull_f32_add((uint32_t)mem, (uint32_t)a, mode) : lull_f64_add(mem, a, mode);
}

static uint64_t condxchg(uint64_t mem, uint64_t a)
{
    const uint64_t top = UINT64_C(0x80000000);
    uint64_t out = 0;
    for (unsigned shift = 0; shift < 64; shift += 32) {
        const uint64_t half = a >> shift & UINT32_MAX;
        out |= ((half & top) != 0 ? half & ~top : mem >> shift & UINT32_MAX) << shift;
    }
    return out;
}

static uint64_t float_atomic(enum lull_mem_kind kind, unsigned bytes, uint64_t mem, uint64_t a,
                             uint64_t b, uint32_t mode)
{
    if (kind == LULL_MEM_MIN_F) {
        return less_f(a, mem, bytes, LULL_CMP_LT, mode) ? a : mem;
    }
    if (kind == LULL_MEM_MAX_F) {
        return less_f(a, mem, bytes, LULL_CMP_GT, mode) ? a : mem;
    }
    if (kind == LULL_MEM_CMPSWAP_F) {
        return less_f(mem, b, bytes, LULL_CMP_EQ, mode) ? a : mem;
    }
    return add_f(mem, a, bytes, mode);
}

/** Sign-extended, so that 64-bit comparison is right for both sizes. */
static int64_t as_signed(uint64_t v, unsigned bytes)
{
    return bytes == 4 ? (int64_t)(int32_t)(uint32_t)v : (int64_t)v;
}

uint64_t lull_mem_atomic(enum lull_mem_kind kind, unsigned bytes, uint64_t mem, uint64_t a,
                         uint64_t b, uint32_t mode)
{
    // Sums may carry beyond 4 bytes; the caller stores only the element.
    // clang-format off
    switch ((unsigned)kind) {
    case LULL_MEM_SWAP: return a;
    case LULL_MEM_CMPSWAP: return mem == b ? a : mem;
    case LULL_MEM_ADD: return mem + a;
    case LULL_MEM_SUB: return mem - a;
    case LULL_MEM_RSUB: return a - mem;
    case LULL_MEM_CSUB: return mem >= a ? mem - a : 0;
    case LULL_MEM_MIN_I: return as_signed(a, bytes) < as_signed(mem, bytes) ? a : mem;
    case LULL_MEM_MAX_I: return as_signed(a, bytes) > as_signed(mem, bytes) ? a : mem;
    case LULL_MEM_MIN_U: return a < mem ? a : mem;
    case LULL_MEM_MAX_U: return a > mem ? a : mem;
    case LULL_MEM_AND: return mem & a;
    case LULL_MEM_OR: return mem | a;
    case LULL_MEM_XOR: return mem ^ a;
    case LULL_MEM_MSKOR: return (mem & ~a) | b;
    case LULL_MEM_INC: return mem >= a ? 0 : mem + 1;
    case LULL_MEM_DEC: return mem == 0 || mem > a ? a : mem - 1;
    case LULL_MEM_WRAP: return mem >= a ? mem - a : mem + b;
    case LULL_MEM_CONDXCHG: return condxchg(mem, a);
    default: return float_atomic(kind, bytes, mem, a, b, mode);
    }
    // clang-format on
}
