// SPDX-License-Identifier: MIT
// What two runs left in memory, compared.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cur.h"
#include "check/trace/part.h"

enum { DWORD = 4 };

/** What objects are told apart by: not addresses, which another driver chooses differently. */
enum key_kind { KEY_OBJECT, KEY_DESCRIPTOR, KEY_ADDRESS };

struct unit {
    enum key_kind kind;
    uint32_t object;
    uint64_t offset, time;
    uint32_t value, at;
    unsigned bytes;
    const struct lull_tr_store *store;
};

struct units {
    struct unit *all;
    size_t n, room;
};

/** Addresses of descriptors, rising. */
struct bases {
    uint64_t *all;
    size_t n;
};

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

LULL_MUST_USE static struct lull_error *bases_of(const struct lull_tr_run *r, struct bases *ret)
{
    ret->all = calloc(r->nstores + 1, sizeof *ret->all);
    if (ret->all == NULL) {
        return &lull_enomem;
    }
    size_t n = 0;
    for (size_t i = 0; i < r->nstores; i++) {
        if ((r->stores[i].flags & LULL_TRACE_DESCRIBED) != 0) {
            ret->all[n++] = r->stores[i].base;
        }
    }
    qsort(ret->all, n, sizeof *ret->all, by_number);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || ret->all[i] != ret->all[i - 1]) {
            ret->all[ret->n++] = ret->all[i];
        }
    }
    return NULL;
}

static void name_place(const struct lull_tr_run *r, const struct bases *b,
                       const struct lull_tr_store *s, struct unit *u)
{
    *u = (struct unit){.kind = KEY_ADDRESS, .offset = s->address, .time = s->time, .store = s};
    for (size_t i = 0; i < r->nobjects; i++) {
        const struct lull_tr_object *o = &r->objects[i];
        if (s->address >= o->va && s->address - o->va < o->size) {
            u->kind = KEY_OBJECT;
            u->object = (uint32_t)i;
            u->offset = s->address - o->va;
            return;
        }
    }
    if ((s->flags & LULL_TRACE_DESCRIBED) != 0 && b->n != 0) {
        const uint64_t *at = bsearch(&s->base, b->all, b->n, sizeof *b->all, by_number);
        u->kind = KEY_DESCRIPTOR;
        u->object = at != NULL ? (uint32_t)(at - b->all) : 0;
        u->offset = s->address - s->base;
    }
}

LULL_MUST_USE static struct lull_error *add(struct units *to, const struct unit *u)
{
    if (to->n == to->room) {
        const size_t room = 2 * to->room + 64;
        struct unit *all = reallocarray(to->all, room, sizeof *all);
        if (all == NULL) {
            return &lull_enomem;
        }
        to->all = all;
        to->room = room;
    }
    to->all[to->n++] = *u;
    return NULL;
}

/** Dwords of a store, or its bytes if they are no dwords. */
LULL_MUST_USE static struct lull_error *add_store(const struct lull_tr_run *r,
                                                  const struct bases *b,
                                                  const struct lull_tr_store *s, struct units *to)
{
    struct unit u = {0};
    struct lull_error *err = NULL;
    struct lull_cur c = lull_cur_of(s->data, s->bytes);
    const unsigned size = s->bytes % DWORD == 0 && s->address % DWORD == 0 ? DWORD : 1;
    name_place(r, b, s, &u);
    u.bytes = size;
    for (unsigned k = 0; err == NULL && k < s->bytes; k += size) {
        u.value = size == DWORD ? lull_cur_u32(&c) : lull_cur_u8(&c);
        u.at = k;
        err = add(to, &u);
        u.offset += size;
    }
    return err;
}

static int by_place(const struct unit *x, const struct unit *y)
{
    if (x->kind != y->kind) {
        return x->kind < y->kind ? -1 : 1;
    }
    if (x->object != y->object) {
        return x->object < y->object ? -1 : 1;
    }
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/** By place, then time, then lane: as they come. */
static int by_all(const void *a, const void *b)
{
    const struct unit *x = a, *y = b;
    const int place = by_place(x, y);
    if (place != 0) {
        return place;
    }
    if (x->time != y->time) {
        return x->time < y->time ? -1 : 1;
    }
    return (x->store > y->store) - (x->store < y->store);
}

/** The last store to each place, by place. */
LULL_MUST_USE static struct lull_error *last_of(const struct lull_tr_run *r, struct units *ret)
{
    struct bases b = {0};
    struct lull_error *err = bases_of(r, &b);
    for (size_t i = 0; err == NULL && i < r->nstores; i++) {
        if ((r->stores[i].flags & LULL_TRACE_LOCAL) == 0) {
            err = add_store(r, &b, &r->stores[i], ret);
        }
    }
    free(b.all);
    if (err != NULL || ret->n == 0) {
        return err;
    }
    qsort(ret->all, ret->n, sizeof *ret->all, by_all);
    size_t n = 0;
    for (size_t i = 0; i < ret->n; i++) {
        if (i + 1 == ret->n || by_place(&ret->all[i], &ret->all[i + 1]) != 0) {
            ret->all[n++] = ret->all[i];
        }
    }
    ret->n = n;
    return NULL;
}

static void say_place(const struct lull_tr_run *r, const struct unit *u, struct lull_str *out)
{
    if (u->kind == KEY_OBJECT && r->objects[u->object].name.size != 0) {
        const struct lull_tr_text *t = &r->objects[u->object].name;
        lull_str_printable(out, t->text, t->size);
        lull_str_addf(out, "+0x%" PRIx64, u->offset);
    } else if (u->kind == KEY_ADDRESS) {
        lull_str_addf(out, "0x%" PRIx64, u->offset);
    } else {
        lull_str_addf(out, "buffer %u+0x%" PRIx64, u->object, u->offset);
    }
}

/** A place that differs: is it the first so far? */
static void consider(const struct lull_tr_run *const runs[2], const struct unit *a,
                     const struct unit *b, struct lull_part_place *ret)
{
    const struct unit *one = a != NULL ? a : b;
    const struct lull_tr_store *before = ret->stored[0] ? &ret->store[0] : &ret->store[1];
    ret->differing++;
    if (ret->differing > 1 && before->time <= one->time) {
        return;
    }
    const struct unit *const both[2] = {a, b};
    lull_str_free(&ret->name);
    ret->name = (struct lull_str){0};
    say_place(a != NULL ? runs[0] : runs[1], one, &ret->name);
    ret->bytes = one->bytes;
    for (unsigned i = 0; i < 2; i++) {
        ret->stored[i] = both[i] != NULL;
        ret->value[i] = both[i] != NULL ? both[i]->value : 0;
        ret->at[i] = both[i] != NULL ? both[i]->at : 0;
        ret->store[i] = both[i] != NULL ? *both[i]->store : (struct lull_tr_store){0};
    }
}

static bool differs(const struct unit *a, const struct unit *b)
{
    const uint32_t flags = a->store->flags | b->store->flags;
    return (flags & LULL_TRACE_ATOMIC) == 0 && a->value != b->value;
}

struct lull_error *lull_part_memory(const struct lull_tr_run *const runs[2],
                                    struct lull_part_place *ret, bool *ret_any)
{
    struct units u[2] = {0};
    struct lull_error *err = last_of(runs[0], &u[0]);
    err = err != NULL ? err : last_of(runs[1], &u[1]);
    *ret = (struct lull_part_place){0};
    size_t i = 0, k = 0;
    while (err == NULL && (i < u[0].n || k < u[1].n)) {
        const int order = i == u[0].n ? 1 : k == u[1].n ? -1 : by_place(&u[0].all[i], &u[1].all[k]);
        const struct unit *a = order <= 0 ? &u[0].all[i++] : NULL;
        const struct unit *b = order >= 0 ? &u[1].all[k++] : NULL;
        ret->places++;
        if (a == NULL || b == NULL || differs(a, b)) {
            consider(runs, a, b, ret);
        }
    }
    free(u[0].all);
    free(u[1].all);
    *ret_any = ret->differing != 0;
    if (err == NULL && ret->name.err != NULL) {
        err = ret->name.err;
        ret->name.err = NULL;
    }
    return err;
}

const struct lull_tr_store *lull_part_writer(const struct lull_tr_run *r,
                                             const struct lull_tr_step *s,
                                             const uint32_t workgroup[3])
{
    const bool local = (s->memory & LULL_TRACE_LOCAL) != 0;
    for (size_t i = r->nstores; i > 0; i--) {
        const struct lull_tr_store *w = &r->stores[i - 1];
        const bool meets = w->address < s->address + s->bytes && s->address < w->address + w->bytes;
        if (w->time < s->time && meets && ((w->flags & LULL_TRACE_LOCAL) != 0) == local &&
            (!local || memcmp(w->workgroup, workgroup, sizeof w->workgroup) == 0)) {
            return w;
        }
    }
    return NULL;
}
