// SPDX-License-Identifier: MIT
#include "debug/rdna/code.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "hw/hwreg_regs.h"
#include "isa/rdna/ops.h"

enum {
    MAX_INSN_BYTES = 24,
    PIECE = 1024,        ///< Bytes of code read at once.
    MAX_CODE = 16 << 20, ///< Bytes.
    MAX_INSNS = 1 << 16, ///< Looked at for s_endpgm.
    RETURN_SGPR = 30,    ///< s[30:31] at a call. Source: LLVM AMDGPUUsage, "Call Convention".
};

#define FNV_START UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

/* Bytes of code that can be read at @p va: near the end of a buffer fewer than asked for. */
LULL_MUST_USE static struct lull_error *read_code(struct lull_target *t, uint64_t va, uint8_t *code,
                                                  size_t *ret_size)
{
    struct lull_error *err = NULL;
    for (size_t size = MAX_INSN_BYTES; size >= 4; size -= 4) {
        lull_error_free(err);
        err = t->ops->read(t, va, code, size);
        if (err == NULL) {
            *ret_size = size;
            return NULL;
        }
    }
    return err;
}

bool lull_code_decode(struct lull_target *t, uint64_t va, struct lull_rdna_insn *ret)
{
    uint8_t code[MAX_INSN_BYTES] = {0};
    size_t size = 0;
    struct lull_error *err = read_code(t, va, code, &size);
    bool good = err == NULL && lull_rdna_decode(code, size, ret) > 0;
    lull_error_free(err);
    return good;
}

bool lull_code_at(struct lull_target *t, uint64_t va, struct lull_code_insn *ret)
{
    struct lull_rdna_insn in = {0};
    if (!lull_code_decode(t, va, &in)) {
        return false;
    }
    const bool call = in.op == LULL_RDNA_OP_S_SWAPPC_B64 || in.op == LULL_RDNA_OP_S_CALL_B64;
    ret->size = in.size;
    ret->kind = call                              ? LULL_CODE_CALL
                : in.op == LULL_RDNA_OP_S_BARRIER ? LULL_CODE_BARRIER
                : in.op == LULL_RDNA_OP_S_ENDPGM  ? LULL_CODE_END
                                                  : LULL_CODE_PLAIN;
    return true;
}

struct lull_error *lull_code_text(struct lull_target *t, uint64_t va, struct lull_rdna_print how,
                                  struct lull_str *out, unsigned *ret_size)
{
    uint8_t code[MAX_INSN_BYTES] = {0};
    size_t size = 0;
    struct lull_error *err = read_code(t, va, code, &size);
    if (err != NULL) {
        return err;
    }
    struct lull_rdna_insn in = {0};
    int n = lull_rdna_decode(code, size, &in);
    *ret_size = n > 0 ? (unsigned)n : 4;
    if (n > 0) {
        how.pc = va;
        lull_rdna_show(&in, &how, out);
    } else {
        uint32_t word = 0;
        memcpy(&word, code, sizeof word);
        lull_str_addf(out, ".long 0x%08" PRIx32 " (no instruction)", word);
    }
    return NULL;
}

/** Code as far as it was read. */
struct code {
    uint8_t *bytes;
    size_t size, room;
};

/* Have @p size bytes of code; false if memory ends before. */
LULL_MUST_USE static struct lull_error *need(struct lull_target *t, uint64_t va, struct code *c,
                                             size_t size)
{
    while (c->size < size) {
        if (c->size + PIECE > c->room) {
            size_t room = c->room == 0 ? (size_t)16 * PIECE : 2 * c->room;
            uint8_t *more = realloc(c->bytes, room);
            if (more == NULL) {
                return &lull_enomem;
            }
            c->bytes = more;
            c->room = room;
        }
        // To the end of a piece of the address space: what is mapped is so by pages.
        size_t n = PIECE - (va + c->size) % PIECE;
        struct lull_error *err = t->ops->read(t, va + c->size, c->bytes + c->size, n);
        if (err != NULL) {
            return err;
        }
        c->size += n;
    }
    return NULL;
}

static bool is_branch(const struct lull_rdna_insn *in)
{
    return in->enc == LULL_RDNA_SOPP &&
           lull_rdna_info(in)->type[LULL_RDNA_SLOT_IMM] == LULL_RDNA_T_REL16;
}

/* Where the code ends: behind the s_endpgm that no branch goes past, or at padding. */
LULL_MUST_USE static struct lull_error *measure(struct lull_target *t, uint64_t va, struct code *c,
                                                struct lull_code_extent *p)
{
    uint64_t furthest = 0; // branch target, as an offset
    size_t at = 0;
    while (at < MAX_CODE) {
        struct lull_error *err = need(t, va, c, at + MAX_INSN_BYTES);
        if (err != NULL && c->size < at + 4) {
            return err;
        }
        lull_error_free(err); // the last instructions in mapped memory
        struct lull_rdna_insn in = {0};
        if (lull_rdna_decode(c->bytes + at, c->size - at, &in) <= 0 ||
            in.op == LULL_RDNA_OP_S_CODE_END) {
            break;
        }
        at += in.size;
        p->ninsns++;
        uint64_t target = at + (uint64_t)(int64_t)in.imm * 4;
        if (is_branch(&in) && target < MAX_CODE && target > furthest) {
            furthest = target;
        }
        if (in.op == LULL_RDNA_OP_S_ENDPGM && furthest <= at) {
            break;
        }
    }
    p->bytes = (uint32_t)at;
    p->hash = FNV_START;
    for (size_t i = 0; i < at; i++) {
        p->hash = (p->hash ^ c->bytes[i]) * FNV_PRIME;
    }
    return NULL;
}

struct lull_error *lull_code_measure(struct lull_target *t, uint64_t va,
                                     struct lull_code_extent *ret)
{
    struct code c = {0};
    struct lull_code_extent extent = {0};
    struct lull_error *err = measure(t, va, &c, &extent);
    free(c.bytes);
    *ret = err == NULL ? extent : *ret;
    return err;
}

size_t lull_code_ends(struct lull_target *t, uint64_t va, uint64_t *ret, size_t room)
{
    size_t n = 0;
    uint64_t before = 0;
    bool gives_back = false;
    struct lull_rdna_insn in = {0};
    for (unsigned i = 0; i < MAX_INSNS && n < room && lull_code_decode(t, va, &in); i++) {
        if (in.op == LULL_RDNA_OP_S_CODE_END) {
            break;
        }
        if (in.op == LULL_RDNA_OP_S_ENDPGM) {
            ret[n++] = gives_back ? before : va;
        }
        gives_back = in.op == LULL_RDNA_OP_S_SENDMSG;
        before = gives_back ? va : 0;
        va += in.size;
    }
    return n;
}

size_t lull_code_before(struct lull_target *t, uint64_t start, uint64_t va, uint64_t *ret,
                        size_t room)
{
    size_t n = 0;
    for (uint64_t at = start; at < va;) {
        if (n == room) {
            memmove(ret, ret + 1, (room - 1) * sizeof *ret);
            n--;
        }
        ret[n++] = at;
        struct lull_rdna_insn in = {0};
        at += lull_code_decode(t, at, &in) ? in.size : 4;
    }
    return n;
}

struct lull_error *lull_code_return(struct lull_target *t, lull_wave_key wave, uint64_t *ret)
{
    uint64_t low = 0;
    uint64_t high = 0;
    struct lull_wave_reg reg = {.cls = LULL_REG_SGPR, .index = RETURN_SGPR};
    struct lull_error *err = t->ops->read_reg(t, wave, reg, &low);
    reg.index++;
    err = err != NULL ? err : t->ops->read_reg(t, wave, reg, &high);
    *ret = low | high << 32;
    return err;
}

bool lull_code_in_barrier(const struct lull_wave_info *wave)
{
    return (wave->status & LULL_HWREG_STATUS__IN_BARRIER_MASK) != 0;
}
