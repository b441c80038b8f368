// SPDX-License-Identifier: MIT
#include "debug/code/code.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum {
    MAX_INSN_BYTES = 24,
    PIECE = 1024,        ///< Bytes of code read at once.
    MAX_CODE = 16 << 20, ///< Bytes.
    MAX_INSNS = 1 << 16, ///< Looked at for an end.
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

bool lull_code_decode(struct lull_target *t, uint64_t va, struct lull_insn_room *ret)
{
    const struct lull_arch_mode strict = {.gen = t->ops->gen};
    uint8_t code[MAX_INSN_BYTES] = {0};
    size_t size = 0;
    struct lull_error *err = read_code(t, va, code, &size);
    bool good = err == NULL && t->ops->arch->decode(&strict, code, size, ret) > 0;
    lull_error_free(err);
    return good;
}

bool lull_code_at(struct lull_target *t, uint64_t va, struct lull_code_insn *ret)
{
    struct lull_insn_room room;
    if (!lull_code_decode(t, va, &room)) {
        return false;
    }
    const struct lull_insn *in = lull_insn_in(&room);
    const struct lull_flow f = t->ops->arch->flow(in, va);
    ret->size = t->ops->arch->size(in);
    ret->kind = f.kind == LULL_FLOW_CALL  ? LULL_CODE_CALL
                : f.barrier               ? LULL_CODE_BARRIER
                : f.kind == LULL_FLOW_END ? LULL_CODE_END
                                          : LULL_CODE_PLAIN;
    return true;
}

struct lull_error *lull_code_text(struct lull_target *t, uint64_t va, struct lull_insn_print how,
                                  struct lull_str *out, unsigned *ret_size)
{
    uint8_t code[MAX_INSN_BYTES] = {0};
    size_t size = 0;
    struct lull_error *err = read_code(t, va, code, &size);
    if (err != NULL) {
        return err;
    }
    const struct lull_arch_mode strict = {.gen = t->ops->gen};
    how.pc = va;
    const unsigned n = lull_arch_show(t->ops->arch, &strict, &how, code, size, out);
    *ret_size = n > 0 ? n : t->ops->arch->align;
    if (n == 0) {
        uint64_t word = 0;
        memcpy(&word, code, t->ops->arch->align);
        lull_str_addf(out, "%s 0x%0*" PRIx64 " (no instruction)",
                      t->ops->arch->align == 4 ? ".long" : ".quad", 2 * t->ops->arch->align, word);
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

/* Where the code ends: behind the end that no branch goes past, or at padding. */
LULL_MUST_USE static struct lull_error *measure(struct lull_target *t, uint64_t va, struct code *c,
                                                struct lull_code_extent *p)
{
    const struct lull_arch *a = t->ops->arch;
    const struct lull_arch_mode strict = {.gen = t->ops->gen};
    uint64_t furthest = 0; // branch target, as an offset
    size_t at = 0;
    while (at < MAX_CODE) {
        struct lull_error *err = need(t, va, c, at + MAX_INSN_BYTES);
        if (err != NULL && c->size < at + 4) {
            return err;
        }
        lull_error_free(err); // the last instructions in mapped memory
        struct lull_insn_room room;
        if (a->decode(&strict, c->bytes + at, c->size - at, &room) <= 0) {
            break;
        }
        const struct lull_flow f = a->flow(lull_insn_in(&room), at);
        if (f.kind == LULL_FLOW_PAD) {
            break;
        }
        at += a->size(lull_insn_in(&room));
        p->ninsns++;
        const bool branch = f.kind == LULL_FLOW_JUMP || f.kind == LULL_FLOW_BRANCH;
        if (branch && f.known && f.target < MAX_CODE && f.target > furthest) {
            furthest = f.target;
        }
        if (f.kind == LULL_FLOW_END && furthest < at) {
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
    struct lull_insn_room in;
    for (unsigned i = 0; i < MAX_INSNS && n < room && lull_code_decode(t, va, &in); i++) {
        const struct lull_flow f = t->ops->arch->flow(lull_insn_in(&in), va);
        if (f.kind == LULL_FLOW_PAD) {
            break;
        }
        if (f.kind == LULL_FLOW_END) {
            ret[n++] = gives_back ? before : va;
        }
        gives_back = f.lets_go;
        before = gives_back ? va : 0;
        va += t->ops->arch->size(lull_insn_in(&in));
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
        struct lull_code_insn in = {0};
        at += lull_code_at(t, at, &in) ? in.size : t->ops->arch->align;
    }
    return n;
}

struct lull_error *lull_code_return(struct lull_target *t, lull_wave_key wave, uint64_t *ret)
{
    uint64_t low = 0;
    uint64_t high = 0;
    struct lull_wave_reg reg = {.cls = LULL_REG_SGPR, .index = t->ops->arch->return_reg};
    if (reg.index == LULL_ARCH_NO_REG) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "%s keeps no return address in registers",
                              t->ops->arch->name);
    }
    struct lull_error *err = t->ops->read_reg(t, wave, reg, &low);
    reg.index++;
    err = err != NULL ? err : t->ops->read_reg(t, wave, reg, &high);
    *ret = low | high << 32;
    return err;
}
