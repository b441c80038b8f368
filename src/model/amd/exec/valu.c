// SPDX-License-Identifier: MIT
// Vector instructions: operands to lanes, lane function, result to registers. 32 lanes at a time.
#include <string.h>

#include "model/amd/exec/valu.h"

#include "isa/rdna/lanes.h"
#include "model/fp/fp.h"
#include "model/fp/fp_excp.h"
#include "model/fp/host_trans.h"

uint32_t lull_half_exec(const struct lull_wave *w, unsigned half)
{
    return w->sgpr[LULL_RDNA_EXEC + half];
}

bool lull_valu_dpp_known(const struct lull_rdna_insn *in)
{
    const uint32_t c = in->dpp_ctrl, top = c & ~15u;
    return in->dpp != LULL_RDNA_DPP16 || c <= LULL_DPP_QUAD_PERM_LAST || c == LULL_DPP_ROW_MIRROR ||
           c == LULL_DPP_ROW_HALF_MIRROR || top == LULL_DPP_ROW_SHARE ||
           top == LULL_DPP_ROW_XMASK ||
           ((top == LULL_DPP_ROW_SHL || top == LULL_DPP_ROW_SHR || top == LULL_DPP_ROW_ROR) &&
            (c & 15) != 0);
}

/** Lanes that lanes 0 to 31 read; -1: none. */
static void dpp_sources(const struct lull_rdna_insn *in, int8_t from[32])
{
    if (in->dpp == LULL_RDNA_DPP8) {
        for (int i = 0; i < 32; i++) {
            from[i] = (int8_t)lull_rdna_dpp8_lane(in->dpp_ctrl, i);
        }
        return;
    }
    for (int i = 0; i < 16; i++) { // Both rows do the same.
        const int f = lull_rdna_dpp16_lane(in->dpp_ctrl, i);
        from[i] = (int8_t)f;
        from[i + 16] = (int8_t)(f < 0 ? f : f + 16);
    }
}

/** Lanes that row_mask and bank_mask let write. */
static uint32_t dpp_masks(const struct lull_rdna_insn *in, unsigned half)
{
    uint32_t lanes = 0;
    if (in->row_mask == 15 && in->bank_mask == 15) {
        return UINT32_MAX;
    }
    for (unsigned i = 0; i < 32; i += 4) { // A bank is four lanes.
        lanes |= lull_rdna_dpp_on(in, 32 * half + i) ? UINT32_C(15) << i : 0;
    }
    return lanes;
}

/** @p v shuffled inside quads, all lanes being there: what derivatives do. */
static void permute_quads(uint32_t ctrl, const uint32_t *v, uint32_t to[32])
{
    const unsigned a = ctrl & 3, b = ctrl >> 2 & 3, c = ctrl >> 4 & 3, d = ctrl >> 6 & 3;
    for (unsigned i = 0; i < 32; i += 4) {
        to[i] = v[i + a];
        to[i + 1] = v[i + b];
        to[i + 2] = v[i + c];
        to[i + 3] = v[i + d];
    }
}

/** Whether @p ctrl moves rows by some lanes, all in one direction. */
static bool moves_rows(uint32_t ctrl)
{
    const uint32_t top = ctrl & ~15u;
    return top == LULL_DPP_ROW_SHL || top == LULL_DPP_ROW_SHR || top == LULL_DPP_ROW_ROR;
}

/** @p old with its rows moved, lanes that get nothing being 0, as are those that get it of a lane
 * that is off by @p exec. @return lanes that get something. */
static uint32_t move_rows(uint32_t ctrl, uint32_t exec, const uint32_t *old, uint32_t v[32])
{
    enum { ROW = LULL_RDNA_ROW };
    const uint32_t n = ctrl & 15, top = ctrl & ~15u;
    const unsigned first = top == LULL_DPP_ROW_SHL ? ROW + n : ROW - n;
    uint32_t valid = 0;
    for (unsigned r = 0; r < 32; r += ROW) {
        uint32_t around[3 * ROW] = {0}; // The row, and what is moved in on either side.
        const uint64_t on = exec >> r & 0xffff;
        const bool turns = top == LULL_DPP_ROW_ROR;
        memcpy(around + ROW, old + r, sizeof *old * ROW);
        if (turns) {
            memcpy(around, old + r, sizeof *old * ROW);
        }
        memcpy(v + r, around + first, sizeof *v * ROW);
        valid |= (uint32_t)((on << ROW | (turns ? on : 0)) >> first & 0xffff) << r;
    }
    for (unsigned i = 0; i < 32 && exec != UINT32_MAX; i++) {
        v[i] &= 0 - (valid >> i & 1);
    }
    return valid;
}

/** @p old shuffled by DPP. @return lanes whose destination may be written. */
static uint32_t dpp(const struct lull_rdna_insn *in, uint32_t exec, unsigned half,
                    const uint32_t *old, uint32_t v[32])
{
    const bool eight = in->dpp == LULL_RDNA_DPP8;
    uint32_t valid = 0;
    int8_t from[32];
    exec = in->fi ? UINT32_MAX : exec;
    if (!eight && in->dpp_ctrl <= LULL_DPP_QUAD_PERM_LAST && exec == UINT32_MAX) {
        permute_quads(in->dpp_ctrl, old, v);
        return dpp_masks(in, half);
    }
    const bool moved = !eight && moves_rows(in->dpp_ctrl);
    if (moved) {
        valid = move_rows(in->dpp_ctrl, exec, old, v);
    } else {
        dpp_sources(in, from);
    }
    for (unsigned i = 0; i < 32 && !moved; i++) {
        const uint32_t ok = from[i] >= 0 ? exec >> from[i] & 1 : 0;
        // An invalid source reads 0 with bound_ctrl (and always with DPP8), else the lane is left
        // alone.
        v[i] = old[from[i] & 31] & (0 - ok);
        valid |= ok << i;
    }
    const uint32_t masks = eight ? UINT32_MAX : dpp_masks(in, half);
    return masks & (eight || in->bound_ctrl ? UINT32_MAX : valid);
}

uint32_t lull_valu_shuffle(const struct lull_wave *w, const struct lull_uop *u, unsigned half,
                           uint32_t v[32])
{
    const unsigned r = u->in->src[0] - (unsigned)LULL_RDNA_VGPR0;
    return dpp(u->in, lull_half_exec(w, half), half, w->vgpr + (size_t)r * w->lanes + 32 * half, v);
}

static bool is_64(uint8_t type)
{
    return type == LULL_T_B64 || type == LULL_T_I64 || type == LULL_T_F64;
}

static bool is_16(uint8_t type)
{
    return type == LULL_T_B16 || type == LULL_T_F16 || type == LULL_T_BF16;
}

static bool is_v2f(uint8_t type)
{
    return type == LULL_T_V2F16 || type == LULL_T_V2BF16;
}

static bool is_v2(uint8_t type)
{
    return is_v2f(type) || type == LULL_T_V2I16;
}

/** Operand as it stands, before DPP and modifiers: in registers, or a scalar in @p room. */
static const uint32_t *fetch(const struct lull_wave *w, const struct lull_uop *u, unsigned op,
                             uint8_t type, unsigned half, struct lull_operand *room,
                             const uint32_t **hi)
{
    if (op >= LULL_RDNA_VGPR0) {
        const uint32_t *r = w->vgpr + (size_t)(op - LULL_RDNA_VGPR0) * w->lanes + 32 * half;
        *hi = is_64(type) ? r + w->lanes : NULL;
        return r;
    }
    const uint64_t v = lull_scalar_read(w, op, (enum lull_sem_type)type, u->literal);
    u->tools->fill(room->lo, (uint32_t)v);
    if (is_64(type)) {
        u->tools->fill(room->hi, (uint32_t)(v >> 32));
    }
    *hi = is_64(type) ? room->hi : NULL;
    return room->lo;
}

/** Halves of a packed operand by op_sel and op_sel_hi, with their signs; changed, in @p to. */
static const uint32_t *select_packed(const struct lull_uop *u, unsigned n, uint8_t type,
                                     const uint32_t *v, uint32_t to[32])
{
    const struct lull_rdna_insn *in = u->in;
    const unsigned low = 16 * (in->op_sel >> n & 1u), high = 16 * (in->op_sel_hi >> n & 1u);
    const bool f = is_v2f(type);
    const uint32_t flip = (f && (in->neg >> n & 1) != 0 ? 0x8000 : 0) |
                          (f && (in->neg_hi >> n & 1) != 0 ? 0x80000000 : 0);
    if (low == 0 && high == 16 && flip == 0) {
        return v;
    }
    u->tools->packed(to, v, low, high, flip);
    return to;
}

static const uint32_t *select_mix(const struct lull_uop *u, unsigned n, uint32_t mode,
                                  const uint32_t *v, uint32_t to[32])
{
    const struct lull_rdna_insn *in = u->in;
    const uint32_t keep = (in->neg_hi >> n & 1) != 0 ? 0x7fffffff : UINT32_MAX;
    const uint32_t flip = (in->neg >> n & 1) != 0 ? 0x80000000 : 0;
    if ((in->op_sel_hi >> n & 1) != 0) {
        u->tools->widen(to, v, 16 * (in->op_sel >> n & 1u), mode);
        v = to;
    }
    if (keep == UINT32_MAX && flip == 0) {
        return v;
    }
    u->tools->sign(to, v, keep, flip);
    return to;
}

/** Modifiers by width: the sign of a half, a dword or a pair; changed, it is in @p room. */
static void modify(const struct lull_uop *u, unsigned n, uint8_t type, struct lull_operand *room,
                   const uint32_t **lo, const uint32_t **hi)
{
    const struct lull_rdna_insn *in = u->in;
    const bool packed = in->enc == LULL_RDNA_VOP3P;
    if (packed && type != LULL_T_F32) {
        return;
    }
    const uint32_t sign = is_16(type) ? 0x8000 : 0x80000000;
    const uint32_t keep = !packed && (in->abs >> n & 1) != 0 ? ~sign : UINT32_MAX;
    const uint32_t flip = (in->neg >> n & 1) != 0 ? sign : 0;
    const unsigned shift = is_16(type) ? 16 * (in->op_sel >> n & 1u) : 0;
    if (keep == UINT32_MAX && flip == 0 && shift == 0) {
        return;
    }
    if (is_64(type)) {
        u->tools->sign(room->hi, *hi, keep, flip);
        *hi = room->hi;
    } else {
        u->tools->half(room->lo, *lo, shift, is_16(type) ? keep & 0xffff : keep, flip);
        *lo = room->lo;
    }
}

/** Source @p n with everything applied, at *lo and *hi, maybe in @p room. @return lanes that DPP
 * lets write. */
static uint32_t load(const struct lull_wave *w, const struct lull_uop *u, unsigned n, unsigned half,
                     struct lull_operand *room, const uint32_t **lo, const uint32_t **hi)
{
    const struct lull_rdna_insn *in = u->in;
    uint8_t type = lull_sem[in->op].src[n];
    uint32_t writes = UINT32_MAX;
    const bool half_float = type == LULL_T_MIX && (in->op_sel_hi >> n & 1) != 0;
    struct lull_operand shuffled;
    *lo = fetch(w, u, in->src[n], half_float ? LULL_T_F16 : type, half, room, hi);
    if (n == 0 && in->dpp != LULL_RDNA_NO_DPP) {
        writes = dpp(in, lull_half_exec(w, half), half, *lo, shuffled.lo);
        memcpy(room->lo, shuffled.lo, sizeof room->lo);
        *lo = room->lo;
    }
    if (type == LULL_T_MIX) {
        *lo = select_mix(u, n, w->mode, *lo, room->lo);
    } else if (is_v2(type) && in->enc == LULL_RDNA_VOP3P) {
        *lo = select_packed(u, n, type, *lo, room->lo);
    } else {
        modify(u, n, type, room, lo, hi);
    }
    return writes;
}

/** OMOD and CLAMP of floats; integers have lane functions of their own. */
static void finish(const struct lull_uop *u, uint32_t m, struct lull_operand *d)
{
    const struct lull_rdna_insn *in = u->in;
    if (in->omod == 0 && !in->clamp) {
        return;
    }
    if (lull_sem[in->op].d == LULL_T_F32) {
        u->tools->out_f32(d->lo, in->omod, in->clamp, m);
        return;
    }
    for (unsigned i = 0; i < 32; i++) {
        const uint64_t wide = d->lo[i] | (uint64_t)d->hi[i] << 32;
        uint64_t r = wide;
        switch ((enum lull_sem_type)lull_sem[in->op].d) {
        case LULL_T_F16:
            r = lull_f16_out((uint16_t)d->lo[i], in->omod, in->clamp, m);
            break;
        case LULL_T_F64:
            r = lull_f64_out(wide, in->omod, in->clamp, m);
            break;
        case LULL_T_V2F16:
            r = in->clamp ? lull_pk_f16_clamp(d->lo[i], m) : d->lo[i];
            break;
        case LULL_T_NONE:
        case LULL_T_B16:
        case LULL_T_BF16:
        case LULL_T_B32:
        case LULL_T_F32:
        case LULL_T_B64:
        case LULL_T_I64:
        case LULL_T_V2I16:
        case LULL_T_V2BF16:
        case LULL_T_MIX:
        case LULL_T_MASK:
        case LULL_T_WIDE:
            break;
        }
        d->lo[i] = (uint32_t)r;
        d->hi[i] = (uint32_t)(r >> 32);
    }
}

void lull_lanes_store(uint32_t *d, const uint32_t v[32], uint32_t mask)
{
    if (mask == UINT32_MAX) {
        memcpy(d, v, 32 * sizeof *d);
    } else {
        lull_tools_base.store(d, v, mask);
    }
}

static uint32_t mask_in(const struct lull_wave *w, const struct lull_rdna_insn *in, unsigned half)
{
    const struct lull_sem *sem = &lull_sem[in->op];
    if (sem->src[2] == LULL_T_MASK && in->src[2] != LULL_RDNA_NONE) {
        const unsigned op = in->src[2];
        return lull_is_sgpr(op)
                   ? w->sgpr[(op + (op == LULL_RDNA_NULL ? 0 : half)) & 127]
                   : (uint32_t)(lull_scalar_read(w, op, LULL_T_B64, in->literal) >> (32 * half));
    }
    return w->sgpr[LULL_RDNA_VCC + half];
}

unsigned lull_valu_mask_dst(const struct lull_rdna_insn *in)
{
    const struct lull_sem *sem = &lull_sem[in->op];
    if ((sem->flags & LULL_SEM_EXEC) != 0) {
        return LULL_RDNA_EXEC;
    }
    return sem->d == LULL_T_MASK ? in->dst : in->sdst;
}

static void write_mask(struct lull_wave *w, unsigned op, const uint32_t out[2])
{
    if (op == LULL_RDNA_NONE || op == LULL_RDNA_NULL) {
        return;
    }
    lull_sgpr_write(w, op, out[0]);
    if (w->lanes == 64) {
        lull_sgpr_write(w, op + 1, out[1]);
    }
}

/** Whether a result of 16 bits goes to the upper half of D. */
static bool goes_high(const struct lull_rdna_insn *in)
{
    const struct lull_sem *sem = &lull_sem[in->op];
    return (sem->flags & LULL_SEM_DHI) != 0 || (is_16(sem->d) && (in->op_sel & 8) != 0);
}

/** Operands of one half: where they stand, and room for those that are changed. */
struct operands {
    const uint32_t *lo[3], *hi[3];
    struct lull_operand d;
    struct lull_operand room[3];
};

/** Sources of one half, and the old value of D if it is one. @return lanes that may be written. */
static uint32_t operands(const struct lull_wave *w, const struct lull_uop *u, unsigned half,
                         struct operands *o)
{
    const struct lull_rdna_insn *in = u->in;
    const struct lull_sem *sem = &lull_sem[in->op];
    uint32_t mask = lull_half_exec(w, half);
    for (unsigned n = 0; n < 3; n++) {
        o->lo[n] = w->vgpr, o->hi[n] = NULL; // Those that are not there.
        if (sem->src[n] != LULL_T_NONE && sem->src[n] != LULL_T_MASK) {
            mask &= load(w, u, n, half, &o->room[n], &o->lo[n], &o->hi[n]);
        }
    }
    if ((sem->flags & LULL_SEM_DREAD) != 0) {
        const uint32_t *hi = NULL;
        const uint32_t *lo = fetch(w, u, in->dst, sem->d, half, &o->d, &hi);
        u->tools->half(o->d.lo, lo, is_16(sem->d) && goes_high(in) ? 16 : 0, UINT32_MAX, 0);
        if (hi != NULL) {
            memcpy(o->d.hi, hi, sizeof o->d.hi);
        }
    }
    return mask;
}

static void general_half(struct lull_wave *w, const struct lull_uop *u, unsigned half,
                         struct lull_lane_ctx *x)
{
    const struct lull_rdna_insn *in = u->in;
    const struct lull_sem *sem = &lull_sem[in->op];
    struct operands o;
    const uint32_t mask = operands(w, u, half, &o);
    x->off = ~mask;
    x->ah = o.hi[0], x->bh = o.hi[1], x->ch = o.hi[2];
    x->dh = is_64(sem->d) ? o.d.hi : NULL;
    u->lane(o.d.lo, o.lo[0], o.lo[1], o.lo[2], x);
    x->out &= mask;
    if (sem->d == LULL_T_MASK) {
        return;
    }
    finish(u, w->mode, &o.d);
    uint32_t *r = w->vgpr + (size_t)(in->dst - LULL_RDNA_VGPR0) * w->lanes + 32 * half;
    if (is_16(sem->d)) {
        (goes_high(in) ? u->tools->high : u->tools->low)(r, o.d.lo, mask);
    } else {
        u->tools->store(r, o.d.lo, mask);
    }
    if (is_64(sem->d)) {
        u->tools->store(r + w->lanes, o.d.hi, mask);
    }
}

enum lull_exec_result lull_valu_general(struct lull_wave *w, const struct lull_uop *u)
{
    const struct lull_rdna_insn *in = u->in;
    if (!lull_valu_dpp_known(in)) {
        return LULL_EXEC_ILLEGAL;
    }
    uint32_t ins[2] = {0}, outs[2] = {0};
    const unsigned halves = w->lanes / 32;
    for (unsigned h = 0; h < halves; h++) {
        ins[h] = mask_in(w, in, h);
    }
    for (unsigned h = 0; h < halves; h++) {
        struct lull_lane_ctx x = {
            .mode = w->mode, .literal = in->literal, .in = ins[h], .lane0 = 32 * h, .neg = in->neg};
        if (lull_half_exec(w, h) != 0) {
            general_half(w, u, h, &x);
        }
        outs[h] = x.out;
    }
    if (lull_sem[in->op].d == LULL_T_MASK || in->sdst != LULL_RDNA_NONE) {
        write_mask(w, lull_valu_mask_dst(in), outs);
    }
    return LULL_EXEC_NEXT;
}

/** Source @p n of either width; @p hi is set to its upper dwords. */
static const uint32_t *plain_pair(const struct lull_wave *w, const struct lull_uop *u, unsigned n,
                                  unsigned half, struct lull_operand *room, const uint32_t **hi)
{
    if ((u->pairs >> n & 1) == 0) {
        return lull_plain_source(w, u, n, half, room->lo);
    }
    if ((u->sgprs >> n & 1) == 0) {
        const uint32_t *lo = lull_plain_lanes(w, u, n, half);
        *hi = lo + w->lanes;
        return lo;
    }
    const uint64_t v = lull_s64(w, u, n, LULL_T_B64);
    u->tools->fill(room->lo, (uint32_t)v);
    u->tools->fill(room->hi, (uint32_t)(v >> 32));
    *hi = room->hi;
    return room->lo;
}

/** Compute one half and write its VGPRs. */
static void plain_half(struct lull_wave *w, const struct lull_uop *u, unsigned half, bool is_mask,
                       struct lull_lane_ctx *x)
{
    struct lull_operand room[3], t;
    const uint32_t mask = lull_half_exec(w, half);
    const uint32_t *a = plain_pair(w, u, 0, half, &room[0], &x->ah);
    const uint32_t *b = plain_pair(w, u, 1, half, &room[1], &x->bh);
    const uint32_t *c = plain_pair(w, u, 2, half, &room[2], &x->ch);
    uint32_t *d = w->vgpr + u->doff + 32 * half, *dh = d + w->lanes;
    x->dh = dh;
    if (is_mask || mask == UINT32_MAX) {
        u->lane(d, a, b, c, x);
        return;
    }
    x->dh = t.hi;
    if (u->reads_d) {
        memcpy(t.lo, d, sizeof t.lo);
    }
    u->lane(t.lo, a, b, c, x);
    u->tools->store(d, t.lo, mask);
    if ((u->pairs & LULL_UOP_PAIR_D) != 0) {
        u->tools->store(dh, t.hi, mask);
    }
}

/** Source @p n at *lo and *hi with neg and abs; changed, it is in @p room. */
static void sign_source(const struct lull_uop *u, unsigned n, struct lull_operand *room,
                        const uint32_t **lo, const uint32_t **hi)
{
    const struct lull_rdna_insn *in = u->in;
    if (((in->neg | in->abs) >> n & 1) == 0) {
        return;
    }
    const bool pair = (u->pairs >> n & 1) != 0;
    const uint32_t sign = is_16(lull_sem[in->op].src[n]) ? 0x8000 : 0x80000000;
    uint32_t *to = pair ? room->hi : room->lo;
    u->tools->sign(to, pair ? *hi : *lo, (in->abs >> n & 1) != 0 ? ~sign : UINT32_MAX,
                   (in->neg >> n & 1) != 0 ? sign : 0);
    *(pair ? hi : lo) = to;
}

/** As plain_half(), with signs of sources, omod and clamp. */
static void modified_half(struct lull_wave *w, const struct lull_uop *u, unsigned half,
                          bool is_mask, struct lull_lane_ctx *x)
{
    const struct lull_rdna_insn *in = u->in;
    struct lull_operand room[3], t;
    const uint32_t mask = lull_half_exec(w, half);
    const uint32_t **hi[3] = {&x->ah, &x->bh, &x->ch}, *s[3];
    for (unsigned n = 0; n < 3; n++) {
        s[n] = plain_pair(w, u, n, half, &room[n], hi[n]);
        sign_source(u, n, &room[n], &s[n], hi[n]);
    }
    uint32_t *d = w->vgpr + u->doff + 32 * half, *dh = d + w->lanes;
    const bool pair = (u->pairs & LULL_UOP_PAIR_D) != 0;
    if (is_mask || (mask == UINT32_MAX && in->omod == 0 && !in->clamp)) {
        x->dh = dh;
        u->lane(d, s[0], s[1], s[2], x);
        return;
    }
    if ((lull_sem[in->op].flags & LULL_SEM_DREAD) != 0) {
        memcpy(t.lo, d, sizeof t.lo);
        memcpy(t.hi, pair ? dh : d, sizeof t.hi);
    }
    x->dh = t.hi;
    u->lane(t.lo, s[0], s[1], s[2], x);
    if (!pair) {
        memset(t.hi, 0, sizeof t.hi);
    }
    finish(u, w->mode, &t);
    u->tools->store(d, t.lo, mask);
    if (pair) {
        u->tools->store(dh, t.hi, mask);
    }
}

typedef void half_fn(struct lull_wave *w, const struct lull_uop *u, unsigned half, bool is_mask,
                     struct lull_lane_ctx *x);

/** Both halves by @p fn, masks in and out. */
static inline enum lull_exec_result by_halves(struct lull_wave *w, const struct lull_uop *u,
                                              half_fn *fn)
{
    const struct lull_rdna_insn *in = u->in;
    const bool is_mask = lull_sem[in->op].d == LULL_T_MASK;
    uint32_t ins[2] = {0}, outs[2] = {0};
    const unsigned halves = w->lanes / 32;
    for (unsigned h = 0; u->reads_mask && h < halves; h++) {
        ins[h] = mask_in(w, in, h);
    }
    struct lull_lane_ctx x = {.mode = w->mode, .literal = in->literal, .neg = in->neg};
    for (unsigned h = 0; h < halves; h++) {
        const uint32_t exec = lull_half_exec(w, h);
        if (exec != 0) {
            x.in = ins[h], x.lane0 = 32 * h, x.off = ~exec, x.out = 0;
            fn(w, u, h, is_mask, &x);
            outs[h] = x.out & exec;
        }
    }
    if (is_mask || in->sdst != LULL_RDNA_NONE) {
        write_mask(w, lull_valu_mask_dst(in), outs);
    }
    return LULL_EXEC_NEXT;
}

enum lull_exec_result lull_valu_plain(struct lull_wave *w, const struct lull_uop *u)
{
    return by_halves(w, u, plain_half);
}

/** One half of lull_valu_masks(). @return the mask result of its lanes that are on. */
static uint32_t masks_half(const struct lull_wave *w, const struct lull_uop *u, unsigned half,
                           struct lull_lane_ctx *x)
{
    uint32_t room[3][32], t[32], *d = w->vgpr + u->doff + 32 * half;
    const uint32_t exec = lull_half_exec(w, half);
    const bool direct = exec == UINT32_MAX || !u->has_d;
    x->lane0 = 32 * half;
    x->off = ~exec;
    if (!direct && u->reads_d) {
        memcpy(t, d, sizeof t);
    }
    u->lane(direct ? d : t, lull_plain_source(w, u, 0, half, room[0]),
            lull_plain_source(w, u, 1, half, room[1]), lull_plain_source(w, u, 2, half, room[2]),
            x);
    if (!direct) {
        u->tools->store(d, t, exec);
    }
    return x->out & exec;
}

enum lull_exec_result lull_valu_masks(struct lull_wave *w, const struct lull_uop *u)
{
    struct lull_lane_ctx x = {.mode = w->mode, .literal = u->literal};
    const uint32_t *in = &w->sgpr[u->mask_in & 127];
    const uint32_t second = in[w->lanes / 32 - 1];
    uint32_t outs[2] = {0};
    x.in = in[0];
    if (lull_half_exec(w, 0) != 0) {
        outs[0] = masks_half(w, u, 0, &x);
    }
    x.in = second;
    if (w->lanes == 64 && lull_half_exec(w, 1) != 0) {
        outs[1] = masks_half(w, u, 1, &x);
    }
    write_mask(w, u->mask_out, outs);
    return LULL_EXEC_NEXT;
}

enum lull_exec_result lull_valu_modified(struct lull_wave *w, const struct lull_uop *u)
{
    return by_halves(w, u, modified_half);
}

/** Sources of one of the two operations of VOPD; scalars in @p room. */
__attribute__((always_inline)) static inline void dual_sources(const struct lull_wave *w,
                                                               const struct lull_uop *u,
                                                               unsigned op, const uint16_t src[2],
                                                               uint32_t room[2][32],
                                                               const uint32_t *s[2])
{
    const struct lull_sem *sem = &lull_sem[op];
    for (unsigned n = 0; n < 2; n++) {
        if (src[n] >= LULL_RDNA_VGPR0 && sem->src[n] != LULL_T_NONE) {
            s[n] = w->vgpr + (size_t)(src[n] - LULL_RDNA_VGPR0) * 32;
        } else if (sem->src[n] != LULL_T_NONE) {
            const enum lull_sem_type type = (enum lull_sem_type)sem->src[n];
            u->tools->fill(room[n], (uint32_t)lull_scalar_read(w, src[n], type, u->literal));
            s[n] = room[n];
        }
    }
}

/** One of the two operations of VOPD into @p t; its destination's old value is at @p d. */
static void dual_half(const struct lull_wave *w, const struct lull_uop *u, unsigned op,
                      const uint16_t src[2], const uint32_t *d, uint32_t t[32])
{
    const struct lull_sem *sem = &lull_sem[op];
    const uint32_t *s[2] = {d, d};
    uint32_t room[2][32];
    dual_sources(w, u, op, src, room, s);
    if ((sem->flags & LULL_SEM_DREAD) != 0) {
        memcpy(t, d, 32 * sizeof *t);
    }
    struct lull_lane_ctx x = {.mode = w->mode,
                              .literal = u->literal,
                              .in = w->sgpr[LULL_RDNA_VCC],
                              .off = ~lull_half_exec(w, 0)};
    lull_lanes_host()[op].fn(t, s[0], s[1], d, &x);
}

/** Both results are computed before either is written. Wave32 only. */
enum lull_exec_result lull_valu_dual(struct lull_wave *w, const struct lull_uop *u)
{
    const struct lull_rdna_insn *in = u->in;
    if (lull_sem[in->y.op].kind != LULL_SEM_LANES || in->y.dst < LULL_RDNA_VGPR0 ||
        w->lanes != 32) {
        return LULL_EXEC_ILLEGAL;
    }
    uint32_t *dx = w->vgpr + (size_t)(in->dst - LULL_RDNA_VGPR0) * 32;
    uint32_t *dy = w->vgpr + (size_t)(in->y.dst - LULL_RDNA_VGPR0) * 32;
    const uint32_t mask = lull_half_exec(w, 0);
    uint32_t x[32], y[32];
    if (mask == 0) {
        return LULL_EXEC_NEXT;
    }
    dual_half(w, u, in->op, in->src, dx, x);
    dual_half(w, u, in->y.op, in->y.src, dy, y);
    u->tools->store(dx, x, mask);
    u->tools->store(dy, y, mask);
    return LULL_EXEC_NEXT;
}

/** What OMOD raises: it rounds once more. */
static uint32_t omod_exceptions(const struct lull_rdna_insn *in, uint32_t m,
                                const struct lull_operand *d, unsigned i)
{
    const uint8_t type = lull_sem[in->op].d;
    if (in->omod == 0 || (type != LULL_T_F16 && type != LULL_T_F32 && type != LULL_T_F64)) {
        return 0;
    }
    return type == LULL_T_F16 ? lull_excp_f16_omod((uint16_t)d->lo[i], in->omod, m)
           : type == LULL_T_F32
               ? lull_excp_f32_omod(d->lo[i], in->omod, m)
               : lull_excp_f64_omod(d->lo[i] | (uint64_t)d->hi[i] << 32, in->omod, m);
}

static uint32_t half_exceptions(const struct lull_wave *w, const struct lull_uop *u, unsigned half)
{
    const struct lull_rdna_insn *in = u->in;
    struct operands o;
    memset(&o.d, 0, sizeof o.d);
    uint32_t each[32] = {0}, all = 0;
    const uint32_t mask = operands(w, u, half, &o);
    struct lull_lane_ctx x = {.mode = w->mode,
                              .literal = in->literal,
                              .in = mask_in(w, in, half),
                              .lane0 = 32 * half,
                              .neg = in->neg,
                              .ah = o.hi[0],
                              .bh = o.hi[1],
                              .ch = o.hi[2],
                              .dh = o.d.hi};
    lull_sem_excp[in->op](o.d.lo, each, o.lo[0], o.lo[1], o.lo[2], &x);
    for (unsigned i = 0; i < 32; i++) {
        all |= (mask >> i & 1) != 0 ? each[i] | omod_exceptions(in, w->mode, &o.d, i) : 0;
    }
    return all;
}

/** Of one of the two operations of VOPD. */
static uint32_t dual_exceptions(const struct lull_wave *w, const struct lull_uop *u, unsigned op,
                                const uint16_t src[2], unsigned dst)
{
    if (lull_sem_excp[op] == NULL || dst < LULL_RDNA_VGPR0 || w->lanes != 32) {
        return 0;
    }
    uint32_t room[2][32], t[32], each[32] = {0}, all = 0;
    const uint32_t *d = w->vgpr + (size_t)(dst - LULL_RDNA_VGPR0) * 32;
    const uint32_t *s[2] = {d, d};
    dual_sources(w, u, op, src, room, s);
    memcpy(t, d, sizeof t);
    struct lull_lane_ctx x = {.mode = w->mode, .literal = u->literal};
    lull_sem_excp[op](t, each, s[0], s[1], d, &x);
    for (unsigned i = 0; i < 32; i++) {
        all |= (lull_half_exec(w, 0) >> i & 1) != 0 ? each[i] : 0;
    }
    return all;
}

uint32_t lull_valu_exceptions(const struct lull_wave *w, const struct lull_uop *u)
{
    const struct lull_rdna_insn *in = u->in;
    if (in->enc == LULL_RDNA_VOPD) {
        return dual_exceptions(w, u, in->op, in->src, in->dst) |
               dual_exceptions(w, u, in->y.op, in->y.src, in->y.dst);
    }
    uint32_t all = 0;
    for (unsigned h = 0;
         lull_sem_excp[in->op] != NULL && lull_valu_dpp_known(in) && h < w->lanes / 32; h++) {
        all |= half_exceptions(w, u, h);
    }
    return all;
}
