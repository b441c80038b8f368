// SPDX-License-Identifier: MIT
// Vector instructions: operands to lanes, lane function, result to registers. 32 lanes at a time.
#include <string.h>

#include "model/amd/exec/valu.h"
#include "model/fp/fp.h"
#include "model/fp/fp_excp.h"
#include "model/fp/host_trans.h"

// DPP16's dpp_ctrl. Source: RDNA3 ISA guide, DPP16 controls.
enum {
    DPP_QUAD_PERM_LAST = 0xff,
    DPP_ROW_SHL = 0x100, ///< + 1..15
    DPP_ROW_SHR = 0x110,
    DPP_ROW_ROR = 0x120,
    DPP_ROW_MIRROR = 0x140,
    DPP_ROW_HALF_MIRROR = 0x141,
    DPP_ROW_SHARE = 0x150, ///< + lane
    DPP_ROW_XMASK = 0x160,
};

uint32_t lull_half_exec(const struct lull_wave *w, unsigned half)
{
    return w->sgpr[LULL_RDNA_EXEC + half];
}

/** Lane of the same row that lane @p i reads, or -1. */
static inline int dpp16_lane(uint32_t ctrl, int i)
{
    const int n = (int)(ctrl & 15), row = i & ~15, lane = i & 15;
    if (ctrl <= DPP_QUAD_PERM_LAST) {
        return (i & ~3) | (int)(ctrl >> (2 * (i & 3)) & 3);
    }
    switch (ctrl & ~15u) {
    case DPP_ROW_SHL:
        return lane + n < 16 ? row + lane + n : -1;
    case DPP_ROW_SHR:
        return lane >= n ? row + lane - n : -1;
    case DPP_ROW_ROR:
        return row + ((lane - n) & 15);
    case DPP_ROW_MIRROR:
        return ctrl == DPP_ROW_MIRROR ? row + 15 - lane : (i & ~7) | (7 - (i & 7));
    case DPP_ROW_SHARE:
        return row + n;
    case DPP_ROW_XMASK:
        return row + (lane ^ n);
    default:
        return -1;
    }
}

static bool dpp_known(const struct lull_rdna_insn *in)
{
    const uint32_t c = in->dpp_ctrl, top = c & ~15u;
    return in->dpp != LULL_RDNA_DPP16 || c <= DPP_QUAD_PERM_LAST || c == DPP_ROW_MIRROR ||
           c == DPP_ROW_HALF_MIRROR || top == DPP_ROW_SHARE || top == DPP_ROW_XMASK ||
           ((top == DPP_ROW_SHL || top == DPP_ROW_SHR || top == DPP_ROW_ROR) && (c & 15) != 0);
}

/** Lanes that lanes 0 to 31 read; -1: none. */
static void dpp_sources(const struct lull_rdna_insn *in, int8_t from[32])
{
    if (in->dpp == LULL_RDNA_DPP8) {
        for (int i = 0; i < 32; i++) {
            from[i] = (int8_t)((i & ~7) | (int)(in->dpp_ctrl >> (3 * (i & 7)) & 7));
        }
        return;
    }
    for (int i = 0; i < 16; i++) { // Both rows do the same.
        const int f = dpp16_lane(in->dpp_ctrl, i);
        from[i] = (int8_t)f;
        from[i + 16] = (int8_t)(f < 0 ? f : f + 16);
    }
}

/** Lanes that row_mask and bank_mask let write. */
static uint32_t dpp_masks(const struct lull_rdna_insn *in, unsigned half)
{
    uint32_t lanes = 0;
    for (unsigned bank = 0; bank < 8; bank++) {
        const bool on = (in->row_mask >> (2 * half + bank / 4) & 1) != 0 &&
                        (in->bank_mask >> (bank & 3) & 1) != 0;
        lanes |= on ? UINT32_C(15) << (4 * bank) : 0;
    }
    return lanes;
}

/** Shuffle @p v inside quads, all lanes being there: what derivatives do. */
static void permute_quads(uint32_t ctrl, uint32_t v[32])
{
    const unsigned a = ctrl & 3, b = ctrl >> 2 & 3, c = ctrl >> 4 & 3, d = ctrl >> 6 & 3;
    for (unsigned i = 0; i < 32; i += 4) {
        const uint32_t quad[4] = {v[i + a], v[i + b], v[i + c], v[i + d]};
        memcpy(v + i, quad, sizeof quad);
    }
}

/** Shuffle @p v by DPP. @return lanes whose destination may be written. */
static uint32_t dpp(const struct lull_rdna_insn *in, uint32_t exec, unsigned half, uint32_t v[32])
{
    const bool eight = in->dpp == LULL_RDNA_DPP8;
    uint32_t old[32], valid = 0;
    int8_t from[32];
    exec = in->fi ? UINT32_MAX : exec;
    if (!eight && in->dpp_ctrl <= DPP_QUAD_PERM_LAST && exec == UINT32_MAX) {
        permute_quads(in->dpp_ctrl, v);
        return dpp_masks(in, half);
    }
    memcpy(old, v, sizeof old);
    dpp_sources(in, from);
    for (unsigned i = 0; i < 32; i++) {
        const uint32_t ok = from[i] >= 0 ? exec >> from[i] & 1 : 0;
        // An invalid source reads 0 with bound_ctrl (and always with DPP8), else the lane is left
        // alone.
        v[i] = old[from[i] & 31] & (0 - ok);
        valid |= ok << i;
    }
    const uint32_t masks = eight ? UINT32_MAX : dpp_masks(in, half);
    return masks & (eight || in->bound_ctrl ? UINT32_MAX : valid);
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

/** Operand as it stands, before DPP and modifiers. */
static void fetch(const struct lull_wave *w, unsigned op, uint8_t type, uint32_t literal,
                  unsigned half, struct lull_operand *o)
{
    if (op >= LULL_RDNA_VGPR0) {
        const uint32_t *r = w->vgpr + (size_t)(op - LULL_RDNA_VGPR0) * w->lanes + 32 * half;
        memcpy(o->lo, r, sizeof o->lo);
        if (is_64(type)) {
            memcpy(o->hi, r + w->lanes, sizeof o->hi);
        }
        return;
    }
    const uint64_t v = lull_scalar_read(w, op, (enum lull_sem_type)type, literal);
    for (unsigned i = 0; i < 32; i++) {
        o->lo[i] = (uint32_t)v;
        o->hi[i] = (uint32_t)(v >> 32);
    }
}

/** Halves of a packed operand by op_sel and op_sel_hi, with their signs. */
static void select_packed(const struct lull_rdna_insn *in, unsigned n, uint8_t type, uint32_t v[32])
{
    const unsigned low = 16 * (in->op_sel >> n & 1u), high = 16 * (in->op_sel_hi >> n & 1u);
    const bool f = is_v2f(type);
    const uint32_t flip = (f && (in->neg >> n & 1) != 0 ? 0x8000 : 0) |
                          (f && (in->neg_hi >> n & 1) != 0 ? 0x80000000 : 0);
    for (unsigned i = 0; i < 32; i++) {
        v[i] = ((v[i] >> low & 0xffff) | (v[i] >> high & 0xffff) << 16) ^ flip;
    }
}

/** f16 of one half to f32. */
static void widen(uint32_t v[32], unsigned shift, uint32_t mode)
{
    uint32_t wide[32];
    int32_t bad = 0;
    for (unsigned i = 0; i < 32; i++) {
        wide[i] = lull_host_f32_from_f16((uint16_t)(v[i] >> shift), mode, &bad);
    }
    for (unsigned i = 0; i < 32; i++) {
        v[i] = bad != 0 ? lull_f32_from_f16((uint16_t)(v[i] >> shift), mode) : wide[i];
    }
}

static void select_mix(const struct lull_rdna_insn *in, unsigned n, uint32_t mode, uint32_t v[32])
{
    const uint32_t keep = (in->neg_hi >> n & 1) != 0 ? 0x7fffffff : UINT32_MAX;
    const uint32_t flip = (in->neg >> n & 1) != 0 ? 0x80000000 : 0;
    if ((in->op_sel_hi >> n & 1) != 0) {
        widen(v, 16 * (in->op_sel >> n & 1u), mode);
    }
    for (unsigned i = 0; i < 32; i++) {
        v[i] = (v[i] & keep) ^ flip;
    }
}

/** Modifiers by width: the sign of a half, a dword or a pair. */
static void modify(const struct lull_rdna_insn *in, unsigned n, uint8_t type,
                   struct lull_operand *o)
{
    const bool packed = in->enc == LULL_RDNA_VOP3P;
    if (packed && type != LULL_T_F32) {
        return;
    }
    const uint32_t sign = is_16(type) ? 0x8000 : 0x80000000;
    const uint32_t keep = !packed && (in->abs >> n & 1) != 0 ? ~sign : UINT32_MAX;
    const uint32_t flip = (in->neg >> n & 1) != 0 ? sign : 0;
    uint32_t *v = is_64(type) ? o->hi : o->lo;
    const unsigned shift = is_16(type) ? 16 * (in->op_sel >> n & 1u) : 0;
    const uint32_t mask = is_16(type) ? 0xffff : UINT32_MAX;
    for (unsigned i = 0; i < 32; i++) {
        v[i] = ((v[i] >> shift & mask) & keep) ^ flip;
    }
}

/** Source @p n with everything applied. @return lanes that DPP lets write. */
static uint32_t load(const struct lull_wave *w, const struct lull_rdna_insn *in, unsigned n,
                     unsigned half, struct lull_operand *o)
{
    uint8_t type = lull_sem[in->op].src[n];
    uint32_t writes = UINT32_MAX;
    const bool half_float = type == LULL_T_MIX && (in->op_sel_hi >> n & 1) != 0;
    fetch(w, in->src[n], half_float ? LULL_T_F16 : type, in->literal, half, o);
    if (n == 0 && in->dpp != LULL_RDNA_NO_DPP) {
        writes = dpp(in, lull_half_exec(w, half), half, o->lo);
    }
    if (type == LULL_T_MIX) {
        select_mix(in, n, w->mode, o->lo);
    } else if (is_v2(type) && in->enc == LULL_RDNA_VOP3P) {
        select_packed(in, n, type, o->lo);
    } else {
        modify(in, n, type, o);
    }
    return writes;
}

/** OMOD and CLAMP of floats; integers have lane functions of their own. */
static void finish(const struct lull_rdna_insn *in, uint32_t m, struct lull_operand *d)
{
    if (in->omod == 0 && !in->clamp) {
        return;
    }
    for (unsigned i = 0; i < 32; i++) {
        const uint64_t wide = d->lo[i] | (uint64_t)d->hi[i] << 32;
        uint64_t r = wide;
        switch ((enum lull_sem_type)lull_sem[in->op].d) {
        case LULL_T_F32:
            r = lull_f32_out(d->lo[i], in->omod, in->clamp, m);
            break;
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

static void store_half(uint32_t *d, const uint32_t v[32], uint32_t mask, bool high)
{
    for (unsigned i = 0; i < 32; i++) {
        if ((mask >> i & 1) != 0) {
            d[i] = high ? (d[i] & 0xffff) | v[i] << 16 : (d[i] & 0xffff0000) | (v[i] & 0xffff);
        }
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

/** Register pair for the mask result of @p in. */
static unsigned mask_dst(const struct lull_rdna_insn *in)
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

/** Sources of one half, and the old value of D if it is one. @return lanes that may be written. */
__attribute__((always_inline)) static inline uint32_t operands(const struct lull_wave *w,
                                                               const struct lull_rdna_insn *in,
                                                               unsigned half,
                                                               struct lull_operand s[3],
                                                               struct lull_operand *d)
{
    const struct lull_sem *sem = &lull_sem[in->op];
    uint32_t mask = lull_half_exec(w, half);
    for (unsigned n = 0; n < 3; n++) {
        if (sem->src[n] != LULL_T_NONE && sem->src[n] != LULL_T_MASK) {
            mask &= load(w, in, n, half, &s[n]);
        }
    }
    if ((sem->flags & LULL_SEM_DREAD) != 0) {
        const bool high = is_16(sem->d) && goes_high(in);
        fetch(w, in->dst, sem->d, 0, half, d);
        for (unsigned i = 0; i < 32; i++) {
            d->lo[i] = high ? d->lo[i] >> 16 : d->lo[i];
        }
    }
    return mask;
}

static void general_half(struct lull_wave *w, const struct lull_uop *u, unsigned half,
                         struct lull_lane_ctx *x)
{
    const struct lull_rdna_insn *in = u->in;
    const struct lull_sem *sem = &lull_sem[in->op];
    struct lull_operand s[3] = {0}, d = {0};
    const uint32_t mask = operands(w, in, half, s, &d);
    x->ah = s[0].hi, x->bh = s[1].hi, x->ch = s[2].hi, x->dh = d.hi;
    u->lane(d.lo, s[0].lo, s[1].lo, s[2].lo, x);
    x->out &= mask;
    if (sem->d == LULL_T_MASK) {
        return;
    }
    finish(in, w->mode, &d);
    uint32_t *r = w->vgpr + (size_t)(in->dst - LULL_RDNA_VGPR0) * w->lanes + 32 * half;
    if (is_16(sem->d)) {
        store_half(r, d.lo, mask, goes_high(in));
    } else {
        lull_lanes_store(r, d.lo, mask);
    }
    if (is_64(sem->d)) {
        lull_lanes_store(r + w->lanes, d.hi, mask);
    }
}

enum lull_exec_result lull_valu_general(struct lull_wave *w, const struct lull_uop *u)
{
    const struct lull_rdna_insn *in = u->in;
    if (!dpp_known(in)) {
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
        general_half(w, u, h, &x);
        outs[h] = x.out;
    }
    if (lull_sem[in->op].d == LULL_T_MASK || in->sdst != LULL_RDNA_NONE) {
        write_mask(w, mask_dst(in), outs);
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
    if ((lull_sem[u->in->op].flags & LULL_SEM_DREAD) != 0) {
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
    finish(in, w->mode, &t);
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
    for (unsigned h = 0; h < halves; h++) {
        struct lull_lane_ctx x = {
            .mode = w->mode, .literal = in->literal, .in = ins[h], .lane0 = 32 * h, .neg = in->neg};
        fn(w, u, h, is_mask, &x);
        outs[h] = x.out & lull_half_exec(w, h);
    }
    if (is_mask || in->sdst != LULL_RDNA_NONE) {
        write_mask(w, mask_dst(in), outs);
    }
    return LULL_EXEC_NEXT;
}

enum lull_exec_result lull_valu_plain(struct lull_wave *w, const struct lull_uop *u)
{
    return by_halves(w, u, plain_half);
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
    struct lull_lane_ctx x = {.mode = w->mode, .literal = u->literal, .in = w->sgpr[LULL_RDNA_VCC]};
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

static uint32_t half_exceptions(const struct lull_wave *w, const struct lull_rdna_insn *in,
                                unsigned half)
{
    struct lull_operand s[3] = {0}, d = {0};
    uint32_t each[32] = {0}, all = 0;
    const uint32_t mask = operands(w, in, half, s, &d);
    struct lull_lane_ctx x = {.mode = w->mode,
                              .literal = in->literal,
                              .in = mask_in(w, in, half),
                              .lane0 = 32 * half,
                              .neg = in->neg,
                              .ah = s[0].hi,
                              .bh = s[1].hi,
                              .ch = s[2].hi,
                              .dh = d.hi};
    lull_sem_excp[in->op](d.lo, each, s[0].lo, s[1].lo, s[2].lo, &x);
    for (unsigned i = 0; i < 32; i++) {
        all |= (mask >> i & 1) != 0 ? each[i] | omod_exceptions(in, w->mode, &d, i) : 0;
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
    for (unsigned h = 0; lull_sem_excp[in->op] != NULL && dpp_known(in) && h < w->lanes / 32; h++) {
        all |= half_exceptions(w, in, h);
    }
    return all;
}
