// SPDX-License-Identifier: MIT
#include "instrument/rdna/emit.h"

#include <stdlib.h>
#include <string.h>

#include "isa/rdna/ops.h"

// All counters of s_waitcnt_depctr at 0; bits that are no counter's are set, as assemblers do.
enum { ALL_DONE = 0x60 };

void lull_rdna_emit_done(struct lull_rdna_emit *e)
{
    free(e->words);
    lull_error_free(e->err);
    *e = (struct lull_rdna_emit){0};
}

void lull_rdna_emit_words(struct lull_rdna_emit *e, const void *words, size_t n)
{
    if (e->err == NULL && e->n + n > e->space) {
        const size_t space = 2 * e->space + n + 64;
        uint32_t *more = reallocarray(e->words, space, sizeof *more);
        e->err = more == NULL ? &lull_enomem : NULL;
        e->words = more != NULL ? more : e->words;
        e->space = more != NULL ? space : e->space;
    }
    if (e->err == NULL && n != 0) {
        memcpy(e->words + e->n, words, 4 * n);
        e->n += n;
    }
}

void lull_rdna_emit_insn(struct lull_rdna_emit *e, const struct lull_rdna_insn *in)
{
    uint32_t words[LULL_RDNA_MAX_MADE];
    const unsigned n = lull_rdna_encode(in, words);
    if (n == 0 && e->err == NULL) {
        e->err = lull_error_new(LULL_ERR_UNSUPPORTED, "%s cannot be made in encoding %u",
                                lull_rdna_info(in)->name, in->enc);
    }
    lull_rdna_emit_words(e, words, n);
}

/** The only encoding among those that @p op has and lull_rdna_encode() makes. */
static uint8_t encoding_of(enum lull_rdna_op op)
{
    static const uint8_t order[] = {LULL_RDNA_SOP1, LULL_RDNA_SOP2, LULL_RDNA_SOPC, LULL_RDNA_SOPP,
                                    LULL_RDNA_SOPK, LULL_RDNA_VOP1, LULL_RDNA_VOP3};
    for (unsigned i = 0; i < sizeof order; i++) {
        if ((lull_rdna_ops[op].encs >> order[i] & 1) != 0) {
            return order[i];
        }
    }
    return LULL_RDNA_MUBUF;
}

static struct lull_rdna_insn plain(enum lull_rdna_op op)
{
    return (struct lull_rdna_insn){.op = (uint16_t)op,
                                   .enc = encoding_of(op),
                                   .dst = LULL_RDNA_NONE,
                                   .sdst = LULL_RDNA_NONE,
                                   .src = {LULL_RDNA_NONE, LULL_RDNA_NONE, LULL_RDNA_NONE},
                                   .vaddr = LULL_RDNA_NONE,
                                   .vdata = LULL_RDNA_NONE};
}

void lull_rdna_emit_move(struct lull_rdna_emit *e, enum lull_rdna_op op, unsigned dst, unsigned src)
{
    struct lull_rdna_insn in = plain(op);
    in.dst = (uint16_t)dst;
    in.src[0] = (uint16_t)src;
    lull_rdna_emit_insn(e, &in);
}

void lull_rdna_emit_literal(struct lull_rdna_emit *e, enum lull_rdna_op op, unsigned dst,
                            uint32_t value)
{
    struct lull_rdna_insn in = plain(op);
    in.dst = (uint16_t)dst;
    in.src[0] = LULL_RDNA_LITERAL;
    in.literal = value;
    lull_rdna_emit_insn(e, &in);
}

void lull_rdna_emit_imm(struct lull_rdna_emit *e, enum lull_rdna_op op, unsigned dst, int32_t imm)
{
    struct lull_rdna_insn in = plain(op);
    in.dst = (uint16_t)dst;
    in.imm = imm;
    lull_rdna_emit_insn(e, &in);
}

void lull_rdna_emit_two(struct lull_rdna_emit *e, enum lull_rdna_op op, unsigned dst, unsigned a,
                        unsigned b)
{
    struct lull_rdna_insn in = plain(op);
    in.dst = (uint16_t)dst;
    in.src[0] = (uint16_t)a;
    in.src[1] = (uint16_t)b;
    lull_rdna_emit_insn(e, &in);
}

void lull_rdna_emit_buffer(struct lull_rdna_emit *e, enum lull_rdna_op op, unsigned data,
                           const struct lull_rdna_place *at, bool returns)
{
    struct lull_rdna_insn in = plain(op);
    in.vdata = (uint16_t)data;
    in.sbase = (uint16_t)at->resource;
    in.soffset = (uint16_t)at->soffset;
    in.imm = (int32_t)at->offset;
    in.glc = returns;
    lull_rdna_emit_insn(e, &in);
}

void lull_rdna_emit_wait(struct lull_rdna_emit *e)
{
    lull_rdna_emit_imm(e, LULL_RDNA_OP_S_WAITCNT, LULL_RDNA_NONE, 0);
    lull_rdna_emit_imm(e, LULL_RDNA_OP_S_WAITCNT_VSCNT, LULL_RDNA_NULL, 0);
    lull_rdna_emit_imm(e, LULL_RDNA_OP_S_WAITCNT_DEPCTR, LULL_RDNA_NONE, ALL_DONE);
}

void lull_rdna_emit_address(struct lull_rdna_emit *e, unsigned lo, uint64_t address)
{
    lull_rdna_emit_literal(e, LULL_RDNA_OP_S_MOV_B32, lo, (uint32_t)address);
    lull_rdna_emit_literal(e, LULL_RDNA_OP_S_MOV_B32, lo + 1, (uint32_t)(address >> 32));
}
