// SPDX-License-Identifier: MIT
#include "model/fp/fp_host.h"

static _Thread_local bool held;
static _Thread_local uint64_t
    stands; // While held: MODE that begin() had last, plus 1; 0: not known.

#ifdef __SSE__
#include <xmmintrin.h>

// Bits of MXCSR. Source: Intel SDM volume 1, 10.2.3.
static _Thread_local uint32_t current; // While held: MXCSR, which is slow to read.

enum {
    MXCSR_FLAGS = 0x3f, // What has happened: nobody looks at them.
    MXCSR_DAZ = 1 << 6,
    MXCSR_MASK_ALL = 0x1f80,
    MXCSR_ROUND_SHIFT = 13,
    MXCSR_FTZ = 1 << 15,
};

uint32_t lull_fp_host_begin(uint32_t m)
{
    static const uint32_t round[] = {0, 2, 1, 3}; // MXCSR has down before up.
    uint32_t denorm = m >> LULL_FP_DENORM_F32_SHIFT & 3;
    const uint32_t saved = held ? current : _mm_getcsr();
    uint32_t v = MXCSR_MASK_ALL | round[m >> LULL_FP_ROUND_F32_SHIFT & 3] << MXCSR_ROUND_SHIFT;
    v |= denorm & 1 ? 0 : MXCSR_DAZ;
    v |= denorm & 2 ? 0 : MXCSR_FTZ;
    if (((saved ^ v) & ~(uint32_t)MXCSR_FLAGS) !=
        0) { // Writing it waits for all that is under way.
        _mm_setcsr(v);
        current = v;
    }
    stands = held ? (uint64_t)m + 1 : 0;
    return saved;
}

void lull_fp_host_end(uint32_t saved)
{
    _mm_setcsr(saved);
    current = saved;
    stands = 0;
}

static uint32_t now(void)
{
    current = _mm_getcsr();
    return current;
}

#else

uint32_t lull_fp_host_begin(uint32_t m)
{
    return m;
}

void lull_fp_host_end(uint32_t saved)
{
    (void)saved;
}

static uint32_t now(void)
{
    return 0;
}

#endif

void lull_fp_host_pause(uint32_t saved)
{
    if (!held) {
        lull_fp_host_end(saved);
    }
}

bool lull_fp_host_stands(uint32_t m)
{
    return stands == (uint64_t)m + 1;
}

uint32_t lull_fp_host_hold(void)
{
    const uint32_t ret = now();
    held = true;
    stands = 0;
    return ret;
}

void lull_fp_host_release(uint32_t saved)
{
    held = false;
    lull_fp_host_end(saved);
}
