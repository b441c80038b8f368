// SPDX-License-Identifier: MIT
#include "debug/session/pipeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/engine.h"
#include "isa/rdna/ops.h"

enum {
    PIECE = 1024,        // bytes of code read at once
    MAX_CODE = 16 << 20, // bytes
    INSN_ROOM = 24,
};

#define FNV_START UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

struct lull_pipelines {
    struct lull_pipeline *all;
    size_t n, room;
};

void lull_pipelines_free(struct lull_pipelines *p)
{
    if (p != NULL) {
        free(p->all);
        free(p);
    }
}

/** Code as far as it was read. */
struct code {
    uint8_t *bytes;
    size_t size, room;
};

/* Have @p size bytes of code; false if memory ends before. */
LULL_MUST_USE static struct lull_error *need(struct lull_debug *d, uint64_t va, struct code *c,
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
        struct lull_error *err =
            d->target->ops->read(d->target, va + c->size, c->bytes + c->size, n);
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
LULL_MUST_USE static struct lull_error *measure(struct lull_debug *d, uint64_t va, struct code *c,
                                                struct lull_pipeline *p)
{
    uint64_t furthest = 0; // branch target, as an offset
    size_t at = 0;
    while (at < MAX_CODE) {
        struct lull_error *err = need(d, va, c, at + INSN_ROOM);
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

struct lull_error *lull_pipeline_at(struct lull_debug *d, uint64_t code_va,
                                    struct lull_pipeline **ret)
{
    struct lull_pipeline p = {.va = code_va};
    struct code c = {0};
    struct lull_error *err = measure(d, code_va, &c, &p);
    free(c.bytes);
    if (err == NULL && d->pipelines == NULL) {
        d->pipelines = calloc(1, sizeof *d->pipelines);
        err = d->pipelines == NULL ? &lull_enomem : NULL;
    }
    if (err != NULL) {
        return err;
    }
    snprintf(p.symbol, sizeof p.symbol, "cs_%08" PRIx32, (uint32_t)(p.hash >> 32));
    struct lull_pipelines *all = d->pipelines;
    for (size_t i = 0; i < all->n; i++) {
        if (all->all[i].va == code_va) {
            p.dispatches = all->all[i].hash == p.hash ? all->all[i].dispatches : 0;
            all->all[i] = p; // memory may have been used again for other code
            *ret = &all->all[i];
            return NULL;
        }
    }
    if (all->n == all->room) {
        size_t room = all->room == 0 ? 16 : 2 * all->room;
        struct lull_pipeline *more = realloc(all->all, room * sizeof *more);
        if (more == NULL) {
            return &lull_enomem;
        }
        all->all = more;
        all->room = room;
    }
    all->all[all->n] = p;
    *ret = &all->all[all->n++];
    return NULL;
}

const struct lull_pipeline *lull_pipeline_number(const struct lull_debug *d, size_t i)
{
    return d->pipelines != NULL && i < d->pipelines->n ? &d->pipelines->all[i] : NULL;
}

const struct lull_pipeline *lull_pipeline_of(const struct lull_debug *d, uint64_t va)
{
    const struct lull_pipeline *p = NULL;
    for (size_t i = 0; (p = lull_pipeline_number(d, i)) != NULL; i++) {
        if (va >= p->va && va - p->va < p->bytes) {
            return p;
        }
    }
    return NULL;
}

const struct lull_pipeline *lull_pipeline_by_symbol(const struct lull_debug *d, const char *name)
{
    const struct lull_pipeline *p = NULL;
    for (size_t i = 0; (p = lull_pipeline_number(d, i)) != NULL; i++) {
        if (strcmp(p->symbol, name) == 0) {
            return p;
        }
    }
    return NULL;
}

bool lull_debug_code(const struct lull_debug *d, uint64_t va, uint64_t *ret_start,
                     const char **ret_name)
{
    const struct lull_pipeline *p = lull_pipeline_of(d, va);
    if (p != NULL) {
        *ret_start = p->va;
        *ret_name = p->symbol;
        return true;
    }
    if (d->image == NULL || va < d->image_va || va - d->image_va >= lull_image_size(d->image)) {
        return false;
    }
    const struct lull_symbol *symbol = lull_image_symbol_at(d->image, va - d->image_va);
    if (symbol == NULL) {
        return false;
    }
    *ret_start = d->image_va + symbol->offset;
    *ret_name = symbol->name;
    return true;
}
