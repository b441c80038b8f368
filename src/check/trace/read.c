// SPDX-License-Identifier: MIT
#include "check/trace/read.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/cur.h"

enum { DWORD = 4, PAIR = 8 };

/** The array of @p n, with room for one more; NULL: no memory, and it is as it was. */
static void *with_room(void *all, size_t n, size_t unit)
{
    const bool full = (n & (n - 1)) == 0; // 0, 1, 2, 4 ...
    return full ? reallocarray(all, n == 0 ? 1 : 2 * n, unit) : all;
}

static struct lull_tr_text text(struct lull_cur *c)
{
    const uint32_t n = lull_cur_u32(c);
    const uint8_t *at = n <= LULL_TRACE_MAX_TEXT ? lull_cur_take(c, n) : NULL;
    c->bad = c->bad || n > LULL_TRACE_MAX_TEXT;
    return (struct lull_tr_text){.text = (const char *)at, .size = at != NULL ? n : 0};
}

LULL_MUST_USE static struct lull_error *object(struct lull_tr_run *r, struct lull_cur *c)
{
    struct lull_tr_object *all = with_room(r->objects, r->nobjects, sizeof *all);
    if (all == NULL) {
        return &lull_enomem;
    }
    r->objects = all;
    struct lull_tr_object *o = &all[r->nobjects];
    o->va = lull_cur_u64(c);
    o->size = lull_cur_u64(c);
    o->name = text(c);
    r->nobjects++;
    return NULL;
}

LULL_MUST_USE static struct lull_error *code(struct lull_tr_run *r, struct lull_cur *c)
{
    struct lull_tr_code *all = with_room(r->codes, r->ncodes, sizeof *all);
    if (all == NULL) {
        return &lull_enomem;
    }
    r->codes = all;
    struct lull_tr_code *o = &all[r->ncodes];
    o->pc = lull_cur_u64(c);
    o->line = lull_cur_u32(c);
    o->text = text(c);
    o->file = text(c);
    r->ncodes++;
    return NULL;
}

LULL_MUST_USE static struct lull_error *store(struct lull_tr_run *r, struct lull_cur *c)
{
    struct lull_tr_store head = {.time = lull_cur_u64(c)};
    head.pc = lull_cur_u64(c);
    head.dispatch = lull_cur_u32(c);
    for (unsigned i = 0; i < 3; i++) {
        head.workgroup[i] = lull_cur_u32(c);
    }
    const uint32_t first = lull_cur_u32(c);
    head.flags = lull_cur_u32(c);
    head.bytes = lull_cur_u32(c);
    head.base = lull_cur_u64(c);
    const uint64_t lanes = lull_cur_u64(c);
    if (head.bytes == 0 || head.bytes > LULL_TRACE_MAX_BYTES) {
        c->bad = true;
    }
    for (unsigned l = 0; l < LULL_TRACE_MAX_LANES && !c->bad; l++) {
        if ((lanes >> l & 1) == 0) {
            continue;
        }
        struct lull_tr_store *all = with_room(r->stores, r->nstores, sizeof *all);
        if (all == NULL) {
            return &lull_enomem;
        }
        r->stores = all;
        struct lull_tr_store *s = &all[r->nstores];
        *s = head;
        s->item = first + l;
        s->address = lull_cur_u64(c);
        s->data = lull_cur_take(c, (head.bytes + DWORD - 1) / DWORD * DWORD);
        r->nstores += !c->bad;
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *step(struct lull_tr_run *r, struct lull_cur *c)
{
    struct lull_tr_step *all = with_room(r->steps, r->nsteps, sizeof *all);
    if (all == NULL) {
        return &lull_enomem;
    }
    r->steps = all;
    struct lull_tr_step *s = &all[r->nsteps];
    *s = (struct lull_tr_step){.time = lull_cur_u64(c)};
    s->pc = lull_cur_u64(c);
    s->flags = lull_cur_u32(c);
    s->nreads = lull_cur_u32(c);
    s->nwrites = lull_cur_u32(c);
    if (s->nreads > LULL_TRACE_MAX_REGS || s->nwrites > LULL_TRACE_MAX_REGS) {
        c->bad = true;
        return NULL;
    }
    s->regs = lull_cur_take(c, (size_t)(s->nreads + s->nwrites) * PAIR);
    s->bytes = lull_cur_u32(c);
    if (s->bytes != 0) {
        s->memory = lull_cur_u32(c);
        s->address = lull_cur_u64(c);
        s->data = lull_cur_u32(c);
    }
    r->nsteps += !c->bad;
    return NULL;
}

LULL_MUST_USE static struct lull_error *arch(struct lull_tr_run *r, struct lull_cur *c)
{
    const size_t at = (size_t)(c->pos - c->start);
    const struct lull_tr_text t = text(c);
    char name[16] = "";
    if (!c->bad && t.size < sizeof name) {
        memcpy(name, t.text, t.size);
    }
    r->arch = lull_arch_named(name);
    return c->bad || r->arch != NULL
               ? NULL
               : lull_error_new(LULL_ERR_BAD_DATA,
                                "run trace: byte %zu: unknown instruction set '%s'", at, name);
}

static int by_pc(const void *a, const void *b)
{
    const struct lull_tr_code *x = a, *y = b;
    return (x->pc > y->pc) - (x->pc < y->pc);
}

/** Records up to the end. */
LULL_MUST_USE static struct lull_error *records(struct lull_tr_run *r, struct lull_cur *c)
{
    struct lull_error *err = NULL;
    bool end = false;
    while (err == NULL && !c->bad && !end) {
        const size_t at = (size_t)(c->pos - c->start);
        const uint32_t kind = lull_cur_u32(c);
        switch (kind) {
        case LULL_TRACE_OBJECT:
            err = object(r, c);
            break;
        case LULL_TRACE_CODE:
            err = code(r, c);
            break;
        case LULL_TRACE_STORE:
            err = store(r, c);
            break;
        case LULL_TRACE_STEP:
            err = step(r, c);
            break;
        case LULL_TRACE_ARCH:
            err = arch(r, c);
            break;
        case LULL_TRACE_END:
            r->time = lull_cur_u64(c);
            end = true;
            break;
        default:
            return c->bad
                       ? lull_cur_error(c, "run trace")
                       : lull_error_new(LULL_ERR_BAD_DATA,
                                        "run trace: byte %zu: unknown kind of record %u", at, kind);
        }
        if (err == NULL && c->bad) {
            return lull_error_new(LULL_ERR_BAD_DATA,
                                  "run trace: the record at byte %zu is damaged or cut off", at);
        }
    }
    if (err == NULL && lull_cur_left(c) != 0) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "run trace: %zu bytes behind its end",
                             lull_cur_left(c));
    }
    return err;
}

struct lull_error *lull_tr_parse(const void *data, size_t size, struct lull_tr_run *ret)
{
    struct lull_cur c = lull_cur_of(data, size);
    struct lull_tr_run r = {.arch = &lull_arch_rdna3};
    const uint8_t *magic = lull_cur_take(&c, strlen(LULL_TRACE_MAGIC));
    struct lull_error *err = NULL;
    if (magic == NULL || memcmp(magic, LULL_TRACE_MAGIC, strlen(LULL_TRACE_MAGIC)) != 0) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "byte 0: not a run trace of lull's");
    }
    err = err != NULL ? err : records(&r, &c);
    if (err != NULL) {
        lull_tr_done(&r);
        return err;
    }
    if (r.ncodes != 0) {
        qsort(r.codes, r.ncodes, sizeof *r.codes, by_pc);
    }
    *ret = r;
    return NULL;
}

void lull_tr_done(struct lull_tr_run *r)
{
    free(r->objects);
    free(r->codes);
    free(r->stores);
    free(r->steps);
    *r = (struct lull_tr_run){0};
}

const struct lull_tr_code *lull_tr_code_at(const struct lull_tr_run *r, uint64_t pc)
{
    const struct lull_tr_code key = {.pc = pc};
    return r->ncodes == 0 ? NULL : bsearch(&key, r->codes, r->ncodes, sizeof key, by_pc);
}

void lull_tr_reg(const struct lull_tr_step *s, uint32_t i, uint32_t *ret_reg, uint32_t *ret_value)
{
    struct lull_cur c = lull_cur_of(s->regs + (size_t)i * PAIR, PAIR);
    *ret_reg = lull_cur_u32(&c);
    *ret_value = lull_cur_u32(&c);
}
