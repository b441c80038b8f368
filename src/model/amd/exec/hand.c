// SPDX-License-Identifier: MIT
// Instructions that are no function of one lane: across lanes, registers by number, 128 bits.
#include <string.h>

#include "model/amd/exec/matrix.h"
#include "model/amd/exec/valu.h"
#include "model/rdna_sem_fns.h"

static uint32_t *vgpr(const struct lull_wave *w, unsigned op)
{
    return w->vgpr + (size_t)(op - LULL_RDNA_VGPR0) * w->lanes;
}

/** Whether VGPR @p op is one of the wave's. */
static bool has_vgpr(const struct lull_wave *w, unsigned op)
{
    return op >= LULL_RDNA_VGPR0 && op - LULL_RDNA_VGPR0 < w->nvgprs;
}

/** Lane @p lane of a source that may be scalar. */
static uint32_t lane_of(const struct lull_wave *w, const struct lull_rdna_insn *in, unsigned n,
                        unsigned lane)
{
    const unsigned op = in->src[n];
    return op >= LULL_RDNA_VGPR0 ? vgpr(w, op)[lane]
                                 : (uint32_t)lull_scalar_read(w, op, LULL_T_B32, in->literal);
}

static bool is_on(const struct lull_wave *w, unsigned lane)
{
    return (lull_wave_exec(w) >> lane & 1) != 0;
}

static enum lull_exec_result readlane(struct lull_wave *w, const struct lull_uop *u)
{
    const unsigned lane = lull_s32(w, u, 1, LULL_T_B32) & (w->lanes - 1);
    lull_sgpr_write(w, u->in->dst, lane_of(w, u->in, 0, lane));
    return LULL_EXEC_NEXT;
}

/** The first lane that is on; lane 0 if none is. */
static enum lull_exec_result readfirstlane(struct lull_wave *w, const struct lull_uop *u)
{
    const uint64_t exec = lull_wave_exec(w);
    const unsigned lane = exec == 0 ? 0 : (unsigned)__builtin_ctzll(exec);
    lull_sgpr_write(w, u->in->dst, lane_of(w, u->in, 0, lane));
    return LULL_EXEC_NEXT;
}

static enum lull_exec_result writelane(struct lull_wave *w, const struct lull_uop *u)
{
    const unsigned lane = lull_s32(w, u, 1, LULL_T_B32) & (w->lanes - 1);
    vgpr(w, u->in->dst)[lane] = lull_s32(w, u, 0, LULL_T_B32);
    return LULL_EXEC_NEXT;
}

/** op_sel 0: read from lanes that are off, too; op_sel 1 (bound_ctrl): else read 0, not keep. */
static enum lull_exec_result permlane16(struct lull_wave *w, const struct lull_uop *u)
{
    const struct lull_rdna_insn *in = u->in;
    const uint64_t select = lull_s32(w, u, 1, LULL_T_B32) | (uint64_t)lull_s32(w, u, 2, LULL_T_B32)
                                                                << 32;
    const unsigned cross = in->op == LULL_RDNA_OP_V_PERMLANEX16_B32 ? 16 : 0;
    uint32_t old[64];
    for (unsigned i = 0; i < w->lanes; i++) {
        old[i] = lane_of(w, in, 0, i);
    }
    for (unsigned i = 0; i < w->lanes; i++) {
        const unsigned from = ((i & ~15u) ^ cross) + (unsigned)(select >> (4 * (i & 15)) & 15);
        const bool valid = (in->op_sel & 1) != 0 || is_on(w, from);
        if (is_on(w, i) && (valid || (in->op_sel & 2) != 0)) {
            vgpr(w, in->dst)[i] = valid ? old[from] : 0;
        }
    }
    return LULL_EXEC_NEXT;
}

/** Swaps the halves of a wave64; does nothing in wave32. */
static enum lull_exec_result permlane64(struct lull_wave *w, const struct lull_uop *u)
{
    uint32_t old[64] = {0};
    for (unsigned i = 0; w->lanes == 64 && i < 64; i++) {
        old[i] = lane_of(w, u->in, 0, i);
    }
    for (unsigned i = 0; w->lanes == 64 && i < 64; i++) {
        if (is_on(w, i)) {
            vgpr(w, u->in->dst)[i] = old[i ^ 32];
        }
    }
    return LULL_EXEC_NEXT;
}

static enum lull_exec_result swap_registers(struct lull_wave *w, unsigned first, unsigned second)
{
    if (!has_vgpr(w, first) || !has_vgpr(w, second)) {
        return LULL_EXEC_ILLEGAL;
    }
    for (unsigned half = 0; half < w->lanes / 32; half++) {
        uint32_t *a = vgpr(w, first) + 32 * half, *b = vgpr(w, second) + 32 * half;
        const uint32_t mask = lull_half_exec(w, half);
        uint32_t old[32];
        memcpy(old, a, sizeof old);
        lull_lanes_store(a, b, mask);
        lull_lanes_store(b, old, mask);
    }
    return LULL_EXEC_NEXT;
}

static enum lull_exec_result swap(struct lull_wave *w, const struct lull_uop *u)
{
    return swap_registers(w, u->in->dst, u->in->src[0]);
}

/** Halves, which op_sel names: bit 0 of the source, bit 3 of the destination. */
static enum lull_exec_result swap_halves(struct lull_wave *w, const struct lull_uop *u)
{
    const struct lull_rdna_insn *in = u->in;
    const unsigned from = 16 * (in->op_sel & 1u), to = 16 * (in->op_sel >> 3 & 1u);
    if (!has_vgpr(w, in->dst) || !has_vgpr(w, in->src[0])) {
        return LULL_EXEC_ILLEGAL;
    }
    uint32_t *a = vgpr(w, in->dst), *b = vgpr(w, in->src[0]);
    for (unsigned i = 0; i < w->lanes; i++) {
        const uint32_t x = a[i] >> to & UINT16_MAX, y = b[i] >> from & UINT16_MAX;
        if (is_on(w, i)) { // the registers may be one
            a[i] = (a[i] & ~((uint32_t)UINT16_MAX << to)) | y << to;
            b[i] = (b[i] & ~((uint32_t)UINT16_MAX << from)) | x << from;
        }
    }
    return LULL_EXEC_NEXT;
}

/** M0 9:0 moves the source, 25:16 the destination. */
static enum lull_exec_result swaprel(struct lull_wave *w, const struct lull_uop *u)
{
    const uint32_t m0 = w->sgpr[LULL_RDNA_M0];
    return swap_registers(w, u->in->dst + (m0 >> 16 & 0x3ff), u->in->src[0] + (m0 & 0x3ff));
}

/** v_movrel*: by M0, the source, the destination, or both with one or two offsets. */
static enum lull_exec_result movrel(struct lull_wave *w, const struct lull_uop *u)
{
    const struct lull_rdna_insn *in = u->in;
    const uint32_t m0 = w->sgpr[LULL_RDNA_M0];
    const bool two = in->op == LULL_RDNA_OP_V_MOVRELSD_2_B32;
    const uint32_t s = in->op == LULL_RDNA_OP_V_MOVRELD_B32 ? 0 : two ? m0 & 0x3ff : m0;
    const uint32_t d = in->op == LULL_RDNA_OP_V_MOVRELS_B32 ? 0 : two ? m0 >> 16 & 0x3ff : m0;
    struct lull_rdna_insn moved = *in;
    if (in->dpp != LULL_RDNA_NO_DPP || d >= w->nvgprs || !has_vgpr(w, in->dst + d)) {
        return LULL_EXEC_ILLEGAL;
    }
    if (in->src[0] >= LULL_RDNA_VGPR0) {
        if (s >= w->nvgprs || !has_vgpr(w, in->src[0] + s)) {
            return LULL_EXEC_ILLEGAL;
        }
        moved.src[0] = (uint16_t)(in->src[0] + s);
    }
    uint32_t *r = vgpr(w, in->dst + d);
    for (unsigned i = 0; i < w->lanes; i++) {
        if (is_on(w, i)) {
            r[i] = lane_of(w, &moved, 0, i);
        }
    }
    return LULL_EXEC_NEXT;
}

static enum lull_exec_result s_movrel(struct lull_wave *w, const struct lull_uop *u)
{
    const struct lull_rdna_insn *in = u->in;
    const uint32_t m0 = w->sgpr[LULL_RDNA_M0];
    const bool two = in->op == LULL_RDNA_OP_S_MOVRELSD_2_B32;
    const bool from = in->op == LULL_RDNA_OP_S_MOVRELS_B32 || in->op == LULL_RDNA_OP_S_MOVRELS_B64;
    const bool wide = in->op == LULL_RDNA_OP_S_MOVRELS_B64 || in->op == LULL_RDNA_OP_S_MOVRELD_B64;
    const uint64_t s = (uint64_t)in->src[0] + (two ? m0 & 0x3ff : from ? m0 : 0);
    const uint64_t d = (uint64_t)in->dst + (two ? m0 >> 16 & 0x3ff : from ? 0 : m0);
    if (d >= LULL_RDNA_M0 || ((two || from) && s >= LULL_RDNA_M0)) {
        return LULL_EXEC_ILLEGAL;
    }
    const uint64_t v =
        lull_scalar_read(w, (unsigned)s, wide ? LULL_T_B64 : LULL_T_B32, in->literal);
    if (wide) {
        lull_sgpr_write64(w, (unsigned)d, v);
    } else {
        lull_sgpr_write(w, (unsigned)d, (uint32_t)v);
    }
    return LULL_EXEC_NEXT;
}

/** Dword @p n of a source of up to 128 bits. */
static uint32_t dword_of(const struct lull_wave *w, const struct lull_rdna_insn *in, unsigned src,
                         unsigned n, unsigned lane)
{
    const unsigned op = in->src[src];
    if (op >= LULL_RDNA_VGPR0) {
        return vgpr(w, op + n)[lane];
    }
    return lull_is_sgpr(op) ? w->sgpr[(op + n) & 127] : n == 0 ? lane_of(w, in, src, lane) : 0;
}

static enum lull_exec_result mqsad_u32(struct lull_wave *w, const struct lull_uop *u)
{
    const struct lull_rdna_insn *in = u->in;
    for (unsigned i = 0; i < w->lanes; i++) {
        const uint64_t a = dword_of(w, in, 0, 0, i) | (uint64_t)dword_of(w, in, 0, 1, i) << 32;
        const uint32_t b = dword_of(w, in, 1, 0, i);
        uint32_t r[4];
        for (unsigned n = 0; n < 4; n++) {
            r[n] = lull_msad_u8((uint32_t)(a >> (8 * n)), b) + dword_of(w, in, 2, n, i);
        }
        for (unsigned n = 0; is_on(w, i) && n < 4; n++) {
            vgpr(w, in->dst + n)[i] = r[n];
        }
    }
    return LULL_EXEC_NEXT;
}

lull_uop_fn *lull_hand_handler(const struct lull_rdna_insn *in)
{
    static const struct {
        enum lull_rdna_op op;
        lull_uop_fn *fn;
    } table[] = {
        {LULL_RDNA_OP_V_READLANE_B32, readlane},
        {LULL_RDNA_OP_V_READFIRSTLANE_B32, readfirstlane},
        {LULL_RDNA_OP_V_WRITELANE_B32, writelane},
        {LULL_RDNA_OP_V_PERMLANE16_B32, permlane16},
        {LULL_RDNA_OP_V_PERMLANEX16_B32, permlane16},
        {LULL_RDNA_OP_V_PERMLANE64_B32, permlane64},
        {LULL_RDNA_OP_V_SWAP_B16, swap_halves},
        {LULL_RDNA_OP_V_SWAP_B32, swap},
        {LULL_RDNA_OP_V_SWAPREL_B32, swaprel},
        {LULL_RDNA_OP_V_MOVRELD_B32, movrel},
        {LULL_RDNA_OP_V_MOVRELS_B32, movrel},
        {LULL_RDNA_OP_V_MOVRELSD_B32, movrel},
        {LULL_RDNA_OP_V_MOVRELSD_2_B32, movrel},
        {LULL_RDNA_OP_S_MOVRELS_B32, s_movrel},
        {LULL_RDNA_OP_S_MOVRELS_B64, s_movrel},
        {LULL_RDNA_OP_S_MOVRELD_B32, s_movrel},
        {LULL_RDNA_OP_S_MOVRELD_B64, s_movrel},
        {LULL_RDNA_OP_S_MOVRELSD_2_B32, s_movrel},
        {LULL_RDNA_OP_V_MQSAD_U32_U8, mqsad_u32},
        {LULL_RDNA_OP_V_WMMA_F32_16X16X16_F16, lull_wmma},
        {LULL_RDNA_OP_V_WMMA_F32_16X16X16_BF16, lull_wmma},
        {LULL_RDNA_OP_V_WMMA_F16_16X16X16_F16, lull_wmma},
        {LULL_RDNA_OP_V_WMMA_BF16_16X16X16_BF16, lull_wmma},
        {LULL_RDNA_OP_V_WMMA_I32_16X16X16_IU8, lull_wmma},
        {LULL_RDNA_OP_V_WMMA_I32_16X16X16_IU4, lull_wmma},
        {LULL_RDNA_OP_V_INTERP_P10_F32, lull_interp},
        {LULL_RDNA_OP_V_INTERP_P2_F32, lull_interp},
        {LULL_RDNA_OP_V_INTERP_P10_F16_F32, lull_interp},
        {LULL_RDNA_OP_V_INTERP_P2_F16_F32, lull_interp},
        {LULL_RDNA_OP_V_INTERP_P10_RTZ_F16_F32, lull_interp},
        {LULL_RDNA_OP_V_INTERP_P2_RTZ_F16_F32, lull_interp},
        {LULL_RDNA_OP_LDS_DIRECT_LOAD, lull_lds_direct},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].op == in->op) {
            return table[i].fn;
        }
    }
    return NULL;
}
