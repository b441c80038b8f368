// SPDX-License-Identifier: MIT
// Interpolation (VINTERP), and LDS straight into a register (LDSDIR).
#include <string.h>

#include "model/amd/exec/valu.h"
#include "model/fp/fp.h"

enum {
    SIGN16 = 0x8000,
    // Lanes of a quad that hold P0, P10 and P20.
    LANE_P0 = 0,
    LANE_P10 = 1,
    LANE_P20 = 2,
    TO_ZERO = 3,
    M0_ADDRESS = 0xffff,
    M0_TYPE_SHIFT = 16,
    M0_TYPE_MASK = 7,
};

/** Types of lds_direct_load. */
enum { U8, U16, B32, NO_TYPE, I8, I16 };

/** Lane of its quad that an operand is read from; OWN: each lane its own. */
enum { OWN = 4 };

/** One operand of all lanes, as f32: the register itself, or @p room. */
static const uint32_t *operand(const struct lull_wave *w, const struct lull_rdna_insn *in,
                               unsigned n, unsigned from, bool half, uint32_t room[64])
{
    const unsigned op = in->src[n];
    const bool vgpr = op >= LULL_RDNA_VGPR0;
    const uint32_t neg = (in->neg >> n & 1) != 0 ? half ? SIGN16 : UINT32_C(0x80000000) : 0;
    const unsigned shift = half && (in->op_sel >> n & 1) != 0 ? 16 : 0;
    const unsigned step = from == OWN ? 1 : OWN;
    const uint32_t scalar =
        vgpr ? 0 : (uint32_t)lull_scalar_read(w, op, half ? LULL_T_F16 : LULL_T_F32, 0);
    const uint32_t *row = vgpr ? w->vgpr + (size_t)(op - LULL_RDNA_VGPR0) * w->lanes : NULL;
    const bool plain = row != NULL && !half;
    if (plain && from == OWN && neg == 0) {
        return row;
    }
    for (unsigned l = 0; plain && from == OWN && l < w->lanes; l++) {
        room[l] = row[l] ^ neg;
    }
    for (unsigned l = 0; plain && from != OWN && l < w->lanes; l += OWN) {
        const uint32_t v = row[l + from] ^ neg;
        const uint32_t quad[OWN] = {v, v, v, v};
        memcpy(room + l, quad, sizeof(quad));
    }
    for (unsigned l = 0; !plain && l < w->lanes; l += step) {
        uint32_t v = row == NULL ? scalar : row[from == OWN ? l : l + from];
        v = half ? lull_f32_from_f16((uint16_t)(v >> shift ^ neg), w->mode) : v ^ neg;
        for (unsigned k = 0; k < step; k++) {
            room[l + k] = v;
        }
    }
    return room;
}

/** What tells the six instructions apart. */
struct form {
    bool p2;      ///< The second step: P20 * J + what the first gave; else P10 * I + P0.
    bool half;    ///< Parameters are f16, and so is the result of the second step.
    bool to_zero; ///< Rounds toward zero, whatever MODE says.
};

static struct form form_of(unsigned op)
{
    switch (op) {
    case LULL_RDNA_OP_V_INTERP_P10_F32:
        return (struct form){0};
    case LULL_RDNA_OP_V_INTERP_P2_F32:
        return (struct form){.p2 = true};
    case LULL_RDNA_OP_V_INTERP_P10_F16_F32:
        return (struct form){.half = true};
    case LULL_RDNA_OP_V_INTERP_P2_F16_F32:
        return (struct form){.p2 = true, .half = true};
    case LULL_RDNA_OP_V_INTERP_P10_RTZ_F16_F32:
        return (struct form){.half = true, .to_zero = true};
    default:
        return (struct form){.p2 = true, .half = true, .to_zero = true};
    }
}

enum lull_exec_result lull_interp(struct lull_wave *w, const struct lull_uop *u)
{
    const struct lull_rdna_insn *in = u->in;
    const struct form f = form_of(in->op);
    const bool narrow = f.p2 && f.half;
    const struct lull_lane_fns *fma = &lull_lanes_host()[LULL_RDNA_OP_V_FMA_F32];
    uint32_t mode = w->mode, room[3][64], r[64];
    if (f.to_zero) {
        mode |= TO_ZERO << LULL_FP_ROUND_F32_SHIFT | TO_ZERO << LULL_FP_ROUND_F64_SHIFT;
    }
    const uint32_t *a = operand(w, in, 0, f.p2 ? LANE_P20 : LANE_P10, f.half, room[0]);
    const uint32_t *b = operand(w, in, 1, OWN, false, room[1]);
    const uint32_t *c = operand(w, in, 2, f.p2 ? OWN : LANE_P0, f.half && !f.p2, room[2]);
    for (unsigned l = 0; l < w->lanes; l += 32) {
        struct lull_lane_ctx x = {.mode = mode, .lane0 = l};
        (f.to_zero ? fma->soft : fma->fn)(r + l, a + l, b + l, c + l, &x);
    }
    for (unsigned l = 0; l < w->lanes && (narrow || in->clamp); l++) {
        r[l] = narrow ? lull_f16_out(lull_f16_from_f32(r[l], mode), 0, in->clamp, mode)
                      : lull_f32_out(r[l], 0, in->clamp, mode);
    }
    uint32_t *to = w->vgpr + (size_t)(in->dst - LULL_RDNA_VGPR0) * w->lanes;
    const uint64_t exec = lull_wave_exec(w);
    const bool high = narrow && (in->op_sel & 8) != 0;
    if (!narrow && exec == (w->lanes == 64 ? UINT64_MAX : UINT32_MAX)) {
        memcpy(to, r, w->lanes * sizeof(*to));
        return LULL_EXEC_NEXT;
    }
    for (unsigned l = 0; l < w->lanes; l++) {
        if ((exec >> l & 1) == 0) {
            continue;
        }
        to[l] = !narrow ? r[l]
                : high  ? (to[l] & UINT16_MAX) | r[l] << 16
                        : (to[l] & ~UINT32_C(0xffff)) | r[l];
    }
    return LULL_EXEC_NEXT;
}

/** M0 15:0: byte address in LDS, 18:16: type. Source: RDNA3 ISA guide 12.4, LDS direct load. */
enum lull_exec_result lull_lds_direct(struct lull_wave *w, const struct lull_uop *u)
{
    const struct lull_rdna_insn *in = u->in;
    const uint32_t m0 = w->sgpr[LULL_RDNA_M0], type = m0 >> M0_TYPE_SHIFT & M0_TYPE_MASK;
    const uint32_t at = m0 & M0_ADDRESS;
    uint32_t v = 0;
    if (in->dst >= LULL_RDNA_VGPR0 + w->nvgprs || type == (uint32_t)NO_TYPE ||
        type > (uint32_t)I16) {
        return LULL_EXEC_ILLEGAL;
    }
    const uint32_t bytes = type == (uint32_t)B32 ? 4 : (type & 1) != 0 ? 2 : 1;
    if (w->wg != NULL && at + bytes <= w->wg->lds_size) {
        memcpy(&v, w->wg->lds + at, bytes);
    }
    v = type == (uint32_t)I8    ? (uint32_t)(int8_t)v
        : type == (uint32_t)I16 ? (uint32_t)(int16_t)v
                                : v;
    uint32_t *to = w->vgpr + (size_t)(in->dst - LULL_RDNA_VGPR0) * w->lanes;
    for (unsigned l = 0; l < w->lanes; l++) {
        to[l] = (lull_wave_exec(w) >> l & 1) != 0 ? v : to[l];
    }
    return LULL_EXEC_NEXT;
}
