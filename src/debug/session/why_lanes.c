// SPDX-License-Identifier: MIT
// Which lane an instruction reads that looks at others.
#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/session/why_priv.h"
#include "isa/rdna/lanes.h"
#include "isa/rdna/ops.h"

enum { DWORD = 4, HALF = 32, SGPRS = 106 };

/* A scalar operand's value; false: not known. */
static bool scalar(struct lull_debug *d, const struct lull_debug_wave *w,
                   const struct lull_rdna_insn *in, unsigned operand, uint32_t *ret)
{
    uint64_t v = 0;
    const unsigned s = in->src[operand];
    if (s >= LULL_RDNA_INT0 && s <= LULL_RDNA_INT_LAST) {
        *ret = s <= LULL_RDNA_INT64 ? s - LULL_RDNA_INT0 : (uint32_t)(LULL_RDNA_INT64 - (int)s);
        return true;
    }
    if (s == LULL_RDNA_LITERAL) {
        *ret = in->literal;
        return true;
    }
    if (s >= LULL_RDNA_INT0) {
        return false;
    }
    struct lull_error *err = lull_debug_read_reg(d, w, LULL_REG_SGPR, s, 0, &v);
    *ret = (uint32_t)v;
    const bool good = err == NULL;
    lull_error_free(err);
    return good;
}

static bool vector(struct lull_debug *d, const struct lull_debug_wave *w, unsigned reg,
                   unsigned lane, uint32_t *ret)
{
    uint64_t v = 0;
    struct lull_error *err =
        lull_debug_read_reg(d, w, LULL_REG_VGPR, reg - LULL_RDNA_VGPR0, lane, &v);
    *ret = (uint32_t)v;
    const bool good = err == NULL;
    lull_error_free(err);
    return good;
}

/* v_permlane16_b32 and v_permlanex16_b32: the selectors are two scalars. */
static int permlane(struct lull_debug *d, const struct lull_debug_wave *w,
                    const struct lull_rdna_insn *in, unsigned lane)
{
    uint32_t low = 0, high = 0;
    const unsigned cross = in->op == LULL_RDNA_OP_V_PERMLANEX16_B32 ? LULL_RDNA_ROW : 0;
    if (!scalar(d, w, in, 1, &low) || !scalar(d, w, in, 2, &high)) {
        return -1;
    }
    const uint64_t select = low | (uint64_t)high << 32;
    return (int)(((lane & ~15u) ^ cross) + (unsigned)(select >> (4 * (lane & 15)) & 15));
}

/* ds_permute_b32: the last lane that sends to @p lane. */
static int sender(struct lull_debug *d, const struct lull_debug_wave *w,
                  const struct lull_rdna_insn *in, unsigned lane)
{
    int from = -1;
    for (unsigned l = lane & ~(HALF - 1u); l < (lane | (HALF - 1u)) + 1; l++) {
        uint32_t to = 0;
        if ((w->info.exec >> l & 1) != 0 && vector(d, w, in->vaddr, l, &to) &&
            (to + (uint32_t)in->imm) / DWORD % HALF == lane % HALF) {
            from = (int)l;
        }
    }
    return from;
}

static struct lull_why_lane ds(struct lull_debug *d, const struct lull_debug_wave *w,
                               const struct lull_rdna_insn *in, unsigned lane)
{
    struct lull_why_lane r = {.crosses = true, .from = -1, .reg = in->vdata};
    uint32_t at = 0;
    if (in->op == LULL_RDNA_OP_DS_SWIZZLE_B32) {
        r.reg = in->vaddr;
        r.from = (int)((lane & HALF) | lull_rdna_swizzle_lane(lane % HALF, (uint16_t)in->imm));
    } else if (in->op == LULL_RDNA_OP_DS_PERMUTE_B32) {
        r.from = sender(d, w, in, lane);
    } else if (vector(d, w, in->vaddr, lane, &at)) {
        r.from = (int)((lane & HALF) | ((at + (uint32_t)in->imm) / DWORD % HALF));
    }
    r.needs_on = true;
    return r;
}

struct lull_why_lane lull_why_lane(struct lull_debug *d, const struct lull_debug_wave *w,
                                   const struct lull_rdna_insn *in, unsigned lane)
{
    struct lull_why_lane r = {.crosses = true, .from = -1, .reg = in->src[0]};
    uint32_t v = 0;
    switch (in->op) {
    case LULL_RDNA_OP_V_READFIRSTLANE_B32:
        r.from = w->info.exec != 0 ? __builtin_ctzll(w->info.exec) : 0;
        return r;
    case LULL_RDNA_OP_V_READLANE_B32:
        r.from = scalar(d, w, in, 1, &v) ? (int)(v & (w->info.lanes - 1u)) : -1;
        return r;
    case LULL_RDNA_OP_V_PERMLANE16_B32:
    case LULL_RDNA_OP_V_PERMLANEX16_B32:
        r.from = permlane(d, w, in, lane);
        r.needs_on = (in->op_sel & 1) == 0;
        return r;
    case LULL_RDNA_OP_V_PERMLANE64_B32:
        r.from = (int)(w->info.lanes == 64 ? lane ^ HALF : lane);
        return r;
    case LULL_RDNA_OP_DS_SWIZZLE_B32:
    case LULL_RDNA_OP_DS_PERMUTE_B32:
    case LULL_RDNA_OP_DS_BPERMUTE_B32:
        return ds(d, w, in, lane);
    default:
        break;
    }
    if (in->dpp == LULL_RDNA_NO_DPP) {
        return (struct lull_why_lane){.from = (int)lane, .reg = in->src[0]};
    }
    r.from = in->dpp == LULL_RDNA_DPP8 ? lull_rdna_dpp8_lane(in->dpp_ctrl, (int)lane)
                                       : lull_rdna_dpp16_lane(in->dpp_ctrl, (int)lane);
    r.needs_on = !in->fi;
    return r;
}

bool lull_why_dpp_keeps(const struct lull_rdna_insn *in, unsigned lane, uint64_t exec)
{
    if (in->dpp != LULL_RDNA_DPP16) {
        return false;
    }
    const int from = lull_rdna_dpp16_lane(in->dpp_ctrl, (int)lane);
    const bool valid = from >= 0 && (in->fi || (exec >> from & 1) != 0);
    return !lull_rdna_dpp_on(in, lane) || (!valid && !in->bound_ctrl);
}
