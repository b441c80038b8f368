// SPDX-License-Identifier: MIT
/** @file
 * What is done with 32 lanes besides computing: loops that the table of each kind of host
 * (gen/isa/sem/lanes.py) compiles for itself. See struct lull_lane_tools.
 */
#ifndef LULL_MODEL_AMD_EXEC_TOOLS_H
#define LULL_MODEL_AMD_EXEC_TOOLS_H

#include "model/amd/exec/uop.h"
#include "model/fp/host_trans.h"

static inline void lull_tool_store(uint32_t *d, const uint32_t *v, uint32_t mask)
{
    uint32_t r[32];
    for (unsigned i = 0; i < 32; i++) {
        r[i] = (mask & (uint32_t)1 << i) != 0 ? v[i] : d[i];
    }
    for (unsigned i = 0; i < 32; i++) {
        d[i] = r[i];
    }
}

static inline void lull_tool_low(uint32_t *d, const uint32_t *v, uint32_t mask)
{
    for (unsigned i = 0; i < 32; i++) {
        const uint32_t bits = (mask & (uint32_t)1 << i) != 0 ? 0xffff : 0;
        d[i] = (d[i] & ~bits) | (v[i] & bits);
    }
}

static inline void lull_tool_high(uint32_t *d, const uint32_t *v, uint32_t mask)
{
    for (unsigned i = 0; i < 32; i++) {
        const uint32_t bits = (mask & (uint32_t)1 << i) != 0 ? 0xffff0000 : 0;
        d[i] = (d[i] & ~bits) | (v[i] << 16 & bits);
    }
}

static inline void lull_tool_fill(uint32_t *d, uint32_t v)
{
    for (unsigned i = 0; i < 32; i++) {
        d[i] = v;
    }
}

static inline void lull_tool_sign(uint32_t *d, const uint32_t *v, uint32_t keep, uint32_t flip)
{
    for (unsigned i = 0; i < 32; i++) {
        d[i] = (v[i] & keep) ^ flip;
    }
}

static inline void lull_tool_half(uint32_t *d, const uint32_t *v, unsigned shift, uint32_t keep,
                                  uint32_t flip)
{
    for (unsigned i = 0; i < 32; i++) {
        d[i] = (v[i] >> shift & keep) ^ flip;
    }
}

static inline void lull_tool_packed(uint32_t *d, const uint32_t *v, unsigned low, unsigned high,
                                    uint32_t flip)
{
    for (unsigned i = 0; i < 32; i++) {
        d[i] = ((v[i] >> low & 0xffff) | (v[i] >> high & 0xffff) << 16) ^ flip;
    }
}

static inline void lull_tool_widen(uint32_t *d, const uint32_t *v, unsigned shift, uint32_t mode)
{
    uint32_t wide[32];
    int32_t bad = 0;
    for (unsigned i = 0; i < 32; i++) {
        wide[i] = lull_host_f32_from_f16((uint16_t)(v[i] >> shift), mode, &bad);
    }
    if (bad != 0) {
        for (unsigned i = 0; i < 32; i++) {
            wide[i] = lull_f32_from_f16((uint16_t)(v[i] >> shift), mode);
        }
    }
    memcpy(d, wide, sizeof wide);
}

static inline void lull_tool_clamp_f32(uint32_t *d, uint32_t mode)
{
    const bool zero = (mode & LULL_FP_DX10_CLAMP) != 0;
    for (unsigned i = 0; i < 32; i++) {
        const uint32_t a = d[i];
        const uint32_t most = lull_f32_pick((int32_t)a > 0x3f800000, 0x3f800000, a);
        const uint32_t r = lull_f32_pick((int32_t)a < 0, 0, most);
        d[i] = lull_f32_pick(lull_f32_is_nan(a), zero ? 0 : a, r);
    }
}

/** By MXCSR, where the host has it. Results that are denormal are flushed: else omod does nothing.
 */
static inline void lull_tool_omod_f32(uint32_t *d, unsigned omod, uint32_t mode)
{
    const bool keep = (mode >> LULL_FP_DENORM_F32_SHIFT & 2) != 0;
    if (keep || (mode & LULL_FP_IEEE) != 0) {
        return;
    }
    const float by = omod == 3 ? 0.5f : omod == 2 ? 4.0f : 2.0f;
    for (unsigned i = 0; i < 32; i++) {
        const uint32_t a = d[i], x = lull_f32_bits(lull_f32_value(a) * by);
        const uint32_t r = lull_f32_pick((x & ~LULL_SIGN) == 0, 0, x);
        d[i] = lull_f32_pick(lull_f32_is_nan(a), a, r);
    }
}

static inline void lull_tool_out_f32(uint32_t *d, unsigned omod, bool clamp, uint32_t mode)
{
    if (omod != 0 && lull_fp_host_ok(mode)) {
        lull_tool_omod_f32(d, omod, mode);
    } else if (omod != 0) {
        for (unsigned i = 0; i < 32; i++) {
            d[i] = lull_f32_out(d[i], omod, false, mode);
        }
    }
    if (clamp) {
        lull_tool_clamp_f32(d, mode);
    }
}

#endif
