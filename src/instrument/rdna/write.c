// SPDX-License-Identifier: MIT
// The code that makes a record. What it may use: struct lull_rdna_spare, and lane 0 of v0 to v3.
#include "instrument/rdna/write.h"

#include "hw/desc11_regs.h"

enum {
    NSGPRS = 106,
    LANE_BYTES = 4, // The stride of the descriptor: it adds the lane's number.
    MOST_OFFSET = 4095,
    WAVES_AT = 4, // In the buffer.
};

/** The lowest of @p n free SGPRs in a row from a multiple of @p n on; takes them. */
static bool take(uint64_t busy[2], unsigned n, unsigned *ret)
{
    for (unsigned i = 0; i + n <= NSGPRS; i += n) {
        bool ok = true;
        for (unsigned k = i; k < i + n; k++) {
            ok = ok && (busy[k / 64] >> k % 64 & 1) == 0;
        }
        for (unsigned k = i; ok && k < i + n; k++) {
            busy[k / 64] |= UINT64_C(1) << k % 64;
        }
        if (ok) {
            *ret = i;
            return true;
        }
    }
    return false;
}

struct lull_error *lull_rdna_spare_of(const struct lull_rdna_shader *s, struct lull_rdna_spare *ret)
{
    uint64_t busy[2] = {s->named[0], s->named[1]};
    bool ok = take(busy, 4, &ret->resource) && take(busy, 2, &ret->exec) &&
              take(busy, 2, &ret->exec_after) && take(busy, 1, &ret->scc) &&
              take(busy, 1, &ret->cursor) && take(busy, 1, &ret->moved) &&
              take(busy, 1, &ret->wave);
    for (unsigned i = 0; i < LULL_RDNA_SAVED; i++) {
        ok = ok && take(busy, 1, &ret->saved[i]);
    }
    return ok ? NULL
              : lull_error_new(
                    LULL_ERR_UNSUPPORTED,
                    "the shader uses %d of %d scalar registers: too few are left",
                    __builtin_popcountll(s->named[0]) + __builtin_popcountll(s->named[1]), NSGPRS);
}

/** One kind of values behind the others. @return The byte behind them. */
static uint32_t lay_out(const uint16_t *regs, struct lull_rdna_stored *slots, unsigned n,
                        bool vector, unsigned lanes, uint32_t at)
{
    for (unsigned i = 0; i < n; i++) {
        if ((regs[i] >= LULL_RDNA_VGPR0) == vector) {
            slots[i] = (struct lull_rdna_stored){.at = at, .vector = vector};
            at += vector ? 4 * lanes : 4;
        }
    }
    return (at + 15) / 16 * 16; // Scalars are stored four at once.
}

void lull_rdna_write_layout(struct lull_rdna_record *r, unsigned lanes)
{
    uint32_t at = LULL_RDNA_HEADER;
    at = lay_out(r->src, r->src_at, r->nsrc, false, lanes, at);
    at = lay_out(r->src, r->src_at, r->nsrc, true, lanes, at);
    at = lay_out(r->dst, r->dst_at, r->ndst, false, lanes, at);
    r->bytes = lay_out(r->dst, r->dst_at, r->ndst, true, lanes, at);
}

/** What is being written. */
struct writer {
    struct lull_rdna_emit *e;
    const struct lull_rdna_spare *s;
    unsigned exec;  // Where EXEC is as the shader has it now.
    uint32_t moved; // Bytes by which s->moved is behind s->cursor; 0: it is not set.
};

static void only_lane_0(struct writer *w)
{
    for (unsigned i = 0; i < LULL_RDNA_SAVED; i++) {
        lull_rdna_emit_two(w->e, LULL_RDNA_OP_V_READLANE_B32, w->s->saved[i], LULL_RDNA_VGPR0 + i,
                           LULL_RDNA_INT0);
    }
    lull_rdna_emit_move(w->e, LULL_RDNA_OP_S_MOV_B64, LULL_RDNA_EXEC, LULL_RDNA_INT0 + 1);
}

static void all_lanes(struct writer *w, unsigned exec)
{
    for (unsigned i = 0; i < LULL_RDNA_SAVED; i++) {
        lull_rdna_emit_two(w->e, LULL_RDNA_OP_V_WRITELANE_B32, LULL_RDNA_VGPR0 + i, w->s->saved[i],
                           LULL_RDNA_INT0);
    }
    lull_rdna_emit_move(w->e, LULL_RDNA_OP_S_MOV_B64, LULL_RDNA_EXEC, exec);
}

/** The place of byte @p at of the record. SCC changes. */
static struct lull_rdna_place place_of(struct writer *w, uint32_t at)
{
    at += LULL_RDNA_RECORDS_AT;
    if (at <= MOST_OFFSET) {
        return (struct lull_rdna_place){w->s->resource, w->s->cursor, at};
    }
    if (w->moved == 0 || at - w->moved > MOST_OFFSET || at < w->moved) {
        const struct lull_rdna_insn add = {
            .op = LULL_RDNA_OP_S_ADD_U32,
            .enc = LULL_RDNA_SOP2,
            .dst = (uint16_t)w->s->moved,
            .src = {(uint16_t)w->s->cursor, LULL_RDNA_LITERAL, LULL_RDNA_NONE},
            .literal = at};
        w->moved = at;
        lull_rdna_emit_insn(w->e, &add);
    }
    return (struct lull_rdna_place){w->s->resource, w->s->moved, at - w->moved};
}

/** Where a scalar register of the shader is meanwhile. */
static unsigned now_in(const struct writer *w, unsigned reg)
{
    return reg == LULL_RDNA_SCC                                 ? w->s->scc
           : reg == LULL_RDNA_EXEC || reg == LULL_RDNA_EXEC + 1 ? w->exec + reg - LULL_RDNA_EXEC
                                                                : reg;
}

static void store(struct writer *w, enum lull_rdna_op op, unsigned data, uint32_t at)
{
    const struct lull_rdna_place p = place_of(w, at);
    lull_rdna_emit_buffer(w->e, op, data, &p, false);
}

/** Scalars of @p regs, four at once, in lane 0. */
static void store_scalars(struct writer *w, const uint16_t *regs,
                          const struct lull_rdna_stored *slots, unsigned n)
{
    unsigned row = 0;
    uint32_t at = 0;
    for (unsigned i = 0; i < n; i++) {
        if (slots[i].vector) {
            continue;
        }
        at = row == 0 ? slots[i].at : at;
        lull_rdna_emit_move(w->e, LULL_RDNA_OP_V_MOV_B32, LULL_RDNA_VGPR0 + row,
                            now_in(w, regs[i]));
        if (++row == LULL_RDNA_SAVED) {
            store(w, LULL_RDNA_OP_BUFFER_STORE_B128, LULL_RDNA_VGPR0, at);
            row = 0;
        }
    }
    if (row != 0) {
        store(w, LULL_RDNA_OP_BUFFER_STORE_B128, LULL_RDNA_VGPR0, at);
    }
}

static void store_vectors(struct writer *w, const uint16_t *regs,
                          const struct lull_rdna_stored *slots, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (slots[i].vector) {
            store(w, LULL_RDNA_OP_BUFFER_STORE_B32, regs[i], slots[i].at);
        }
    }
}

static bool any_scalar(const struct lull_rdna_stored *slots, unsigned n)
{
    bool any = false;
    for (unsigned i = 0; i < n; i++) {
        any = any || !slots[i].vector;
    }
    return any;
}

/** Takes room for @p r, and stores its header. In lane 0. */
static void begin_record(struct writer *w, const struct lull_rdna_record *r)
{
    const struct lull_rdna_spare *s = w->s;
    const struct lull_rdna_place counter = {s->resource, LULL_RDNA_INT0, 0};
    lull_rdna_emit_literal(w->e, LULL_RDNA_OP_V_MOV_B32, LULL_RDNA_VGPR0, r->bytes);
    lull_rdna_emit_buffer(w->e, LULL_RDNA_OP_BUFFER_ATOMIC_ADD_U32, LULL_RDNA_VGPR0, &counter,
                          true);
    lull_rdna_emit_wait(w->e);
    lull_rdna_emit_move(w->e, LULL_RDNA_OP_V_READFIRSTLANE_B32, s->cursor, LULL_RDNA_VGPR0);
    lull_rdna_emit_literal(w->e, LULL_RDNA_OP_V_MOV_B32, LULL_RDNA_VGPR0, r->id);
    lull_rdna_emit_move(w->e, LULL_RDNA_OP_V_MOV_B32, LULL_RDNA_VGPR0 + 1, s->wave);
    lull_rdna_emit_move(w->e, LULL_RDNA_OP_V_MOV_B32, LULL_RDNA_VGPR0 + 2, w->exec);
    lull_rdna_emit_move(w->e, LULL_RDNA_OP_V_MOV_B32, LULL_RDNA_VGPR0 + 3, w->exec + 1);
    store(w, LULL_RDNA_OP_BUFFER_STORE_B128, LULL_RDNA_VGPR0, 0);
}

static void keep_scc(struct writer *w)
{
    lull_rdna_emit_two(w->e, LULL_RDNA_OP_S_CSELECT_B32, w->s->scc, LULL_RDNA_INT0 + 1,
                       LULL_RDNA_INT0);
}

static void give_scc_back(struct writer *w)
{
    lull_rdna_emit_two(w->e, LULL_RDNA_OP_S_CMP_LG_U32, LULL_RDNA_NONE, w->s->scc, LULL_RDNA_INT0);
}

/** The header of @p r and its sources; lanes are as the shader has them behind it. */
static void store_sources(struct writer *w, const struct lull_rdna_record *r)
{
    begin_record(w, r);
    store_scalars(w, r->src, r->src_at, r->nsrc);
    all_lanes(w, w->s->exec);
    store_vectors(w, r->src, r->src_at, r->nsrc);
}

void lull_rdna_write_prologue(struct lull_rdna_emit *e, const struct lull_rdna_spare *spare,
                              const struct lull_rdna_instrument *how,
                              const struct lull_rdna_record *r)
{
    struct writer w = {.e = e, .s = spare, .exec = spare->exec};
    const struct lull_rdna_place waves = {spare->resource, LULL_RDNA_INT0, WAVES_AT};
    const uint32_t hi = (uint32_t)(how->buffer >> 32) | LANE_BYTES
                                                            << LULL_DESC11_BUF_WORD1__STRIDE_SHIFT;
    const uint32_t word3 =
        LULL_DESC11_BUF_WORD3__ADD_TID_ENABLE_MASK | LULL_DESC11_BUF_WORD3__OOB_SELECT__RAW
                                                         << LULL_DESC11_BUF_WORD3__OOB_SELECT_SHIFT;
    lull_rdna_emit_address(e, spare->resource, (uint64_t)hi << 32 | (uint32_t)how->buffer);
    lull_rdna_emit_address(e, spare->resource + 2,
                           (uint64_t)word3 << 32 | (how->room + LULL_RDNA_RECORDS_AT));
    lull_rdna_emit_wait(e);
    lull_rdna_emit_move(e, LULL_RDNA_OP_S_MOV_B64, spare->exec, LULL_RDNA_EXEC);
    only_lane_0(&w);
    lull_rdna_emit_move(e, LULL_RDNA_OP_V_MOV_B32, LULL_RDNA_VGPR0, LULL_RDNA_INT0 + 1);
    lull_rdna_emit_buffer(e, LULL_RDNA_OP_BUFFER_ATOMIC_ADD_U32, LULL_RDNA_VGPR0, &waves, true);
    lull_rdna_emit_wait(e);
    lull_rdna_emit_move(e, LULL_RDNA_OP_V_READFIRSTLANE_B32, spare->wave, LULL_RDNA_VGPR0);
    store_sources(&w, r);
    lull_rdna_emit_wait(e);
}

void lull_rdna_write_before(struct lull_rdna_emit *e, const struct lull_rdna_spare *spare,
                            const struct lull_rdna_record *r)
{
    struct writer w = {.e = e, .s = spare, .exec = spare->exec};
    keep_scc(&w);
    lull_rdna_emit_wait(e);
    lull_rdna_emit_move(e, LULL_RDNA_OP_S_MOV_B64, spare->exec, LULL_RDNA_EXEC);
    only_lane_0(&w);
    store_sources(&w, r);
    give_scc_back(&w);
    lull_rdna_emit_wait(e);
}

void lull_rdna_write_after(struct lull_rdna_emit *e, const struct lull_rdna_spare *spare,
                           const struct lull_rdna_record *r)
{
    struct writer w = {.e = e, .s = spare, .exec = spare->exec_after};
    if (r->ndst == 0) {
        return;
    }
    keep_scc(&w);
    lull_rdna_emit_wait(e);
    lull_rdna_emit_move(e, LULL_RDNA_OP_S_MOV_B64, spare->exec_after, LULL_RDNA_EXEC);
    if (any_scalar(r->dst_at, r->ndst)) {
        only_lane_0(&w);
        store_scalars(&w, r->dst, r->dst_at, r->ndst);
        all_lanes(&w, spare->exec);
    } else {
        lull_rdna_emit_move(e, LULL_RDNA_OP_S_MOV_B64, LULL_RDNA_EXEC, spare->exec);
    }
    store_vectors(&w, r->dst, r->dst_at, r->ndst);
    lull_rdna_emit_move(e, LULL_RDNA_OP_S_MOV_B64, LULL_RDNA_EXEC, spare->exec_after);
    give_scc_back(&w);
    lull_rdna_emit_wait(e);
}
