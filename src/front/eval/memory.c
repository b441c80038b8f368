// SPDX-License-Identifier: MIT
// Loads and stores, of words and of bytes that lie as the module says.
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/eval/priv.h"

enum { ADDRESS_BYTES = 8, TRUTH_BYTES = 4, MOST_BYTES = 8 };

/** Bytes of a number in memory. */
static unsigned size_of(const struct lull_fr_type *t)
{
    return t->kind == LULL_FR_POINTER ? ADDRESS_BYTES
           : t->kind == LULL_FR_BOOL  ? TRUTH_BYTES
                                      : t->bits / 8;
}

/** Bytes of a matrix in a struct: as its member says. */
static uint64_t matrix_bytes(const struct lull_fr_type *t, const struct lull_fr_decor *d)
{
    return (uint64_t)d->matrix_stride * (d->row_major ? t->element->count : t->count);
}

uint64_t lull_ev_bytes(const struct lull_fr_type *t)
{
    uint64_t most = 0;
    switch ((int)t->kind) {
    case LULL_FR_BOOL:
    case LULL_FR_INT:
    case LULL_FR_FLOAT:
    case LULL_FR_POINTER:
        return size_of(t);
    case LULL_FR_VECTOR:
        return (uint64_t)t->count * size_of(t->element);
    case LULL_FR_ARRAY:
        return (uint64_t)t->count * t->stride;
    case LULL_FR_STRUCT:
        for (uint32_t i = 0; i < t->count; i++) {
            const struct lull_fr_decor *d = &t->decor[i];
            const struct lull_fr_type *part = t->members[i];
            const uint64_t size =
                part->kind == LULL_FR_MATRIX ? matrix_bytes(part, d) : lull_ev_bytes(part);
            const uint64_t end = d->offset + size;
            most = d->offset != LULL_FR_NONE && end > most ? end : most;
        }
        return most;
    default:
        return 0;
    }
}

/** Is there something of a buffer behind a descriptor in memory? */
struct lull_error *lull_ev_resolve(struct lull_ev *ev, const struct lull_fr_type *t,
                                   struct lull_ev_pointer *p)
{
    struct lull_ev_buffer b = {0};
    if (p->space != LULL_EV_BINDING || t->kind != LULL_FR_STRUCT || ev->host.buffer == NULL) {
        return NULL;
    }
    struct lull_error *err = ev->host.buffer(ev->host.arg, (uint32_t)(p->at >> 32), (uint32_t)p->at,
                                             (uint32_t)p->end, &b);
    if (err == NULL) {
        *p = (struct lull_ev_pointer){.space = LULL_EV_MEMORY, .at = b.va, .end = b.va + b.bytes};
    }
    return err;
}

/** Bytes to or from memory. @p store: they are to go there. */
LULL_MUST_USE static struct lull_error *bytes(struct lull_ev *ev, const struct lull_ev_pointer *p,
                                              uint8_t *data, size_t n, bool store)
{
    const bool in = p->end == 0 || (p->at <= p->end && p->end - p->at >= n);
    if (p->space == LULL_EV_GROUP_BYTES) {
        if (p->at > ev->ngroup_bytes || ev->ngroup_bytes - p->at < n) {
            return lull_ev_bad(ev, "behind the workgroup's memory");
        }
        memcpy(store ? ev->group_bytes + p->at : data, store ? data : ev->group_bytes + p->at, n);
        return NULL;
    }
    if (p->space == LULL_EV_PUSH) {
        if (store || p->at > ev->d.push_bytes || ev->d.push_bytes - p->at < n) {
            return lull_ev_bad(ev, store ? "push constants cannot be written"
                                         : "behind the push constants");
        }
        memcpy(data, ev->d.push + p->at, n);
        return NULL;
    }
    if (p->space != LULL_EV_MEMORY) {
        return lull_ev_bad(ev, "an access through a pointer to nothing");
    }
    if (!in) {
        if (!store) {
            memset(data, 0, n);
        }
        return NULL;
    }
    return store ? ev->host.write(ev->host.arg, p->at, data, n)
                 : ev->host.read(ev->host.arg, p->at, data, n);
}

/** One number in memory. */
LULL_MUST_USE static struct lull_error *number(struct lull_ev *ev, const struct lull_ev_pointer *p,
                                               const struct lull_fr_type *t, uint64_t *v,
                                               bool store)
{
    uint8_t data[MOST_BYTES] = {0};
    const unsigned n = size_of(t);
    if (n == 0 || n > MOST_BYTES) {
        return lull_ev_refuse(ev, "memory of such a type");
    }
    const bool pointer = t->kind == LULL_FR_POINTER;
    struct lull_ev_pointer to = pointer ? lull_ev_unpack(v) : (struct lull_ev_pointer){0};
    if (store && pointer && to.space != LULL_EV_MEMORY && to.space != LULL_EV_NULL) {
        return lull_ev_refuse(ev, "a pointer that is not an address in memory");
    }
    if (store) {
        memcpy(data, pointer ? &to.at : v, n); // little-endian
        return bytes(ev, p, data, n, true);
    }
    struct lull_error *err = bytes(ev, p, data, n, false);
    uint64_t bits = 0;
    memcpy(&bits, data, n);
    if (pointer) {
        to = (struct lull_ev_pointer){.space = LULL_EV_MEMORY, .at = bits};
        lull_ev_pack(&to, v);
    } else {
        *v = t->kind == LULL_FR_BOOL ? bits != 0 : bits;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *laid_out(struct lull_ev *ev,
                                                 const struct lull_ev_pointer *p,
                                                 const struct lull_fr_type *t, uint64_t *v,
                                                 bool store);

/** All parts of a composite. */
LULL_MUST_USE static struct lull_error *parts(struct lull_ev *ev, const struct lull_ev_pointer *p,
                                              const struct lull_fr_type *t, uint64_t *v, bool store)
{
    struct lull_error *err = NULL;
    for (uint32_t i = 0; i < t->count && err == NULL; i++) {
        struct lull_ev_pointer part = *p;
        const struct lull_fr_type *type = t->element;
        if (t->kind == LULL_FR_STRUCT) {
            const struct lull_fr_decor *d = &t->decor[i];
            type = t->members[i];
            part.at += d->offset;
            part.stride = d->matrix_stride;
            part.row_major = d->row_major;
            if (d->offset == LULL_FR_NONE) {
                return lull_ev_bad(ev, "a member without an offset");
            }
        } else if (t->kind == LULL_FR_ARRAY) {
            part.at += (uint64_t)t->stride * i;
        } else if (t->kind == LULL_FR_MATRIX) {
            part.at += (uint64_t)(p->row_major ? size_of(type->element) : p->stride) * i;
        } else { // VECTOR
            part.at += (uint64_t)(p->row_major ? p->stride : size_of(type)) * i;
        }
        err = laid_out(ev, &part, type, v, store);
        v += lull_ev_words(type);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *laid_out(struct lull_ev *ev,
                                                 const struct lull_ev_pointer *p,
                                                 const struct lull_fr_type *t, uint64_t *v,
                                                 bool store)
{
    switch ((int)t->kind) {
    case LULL_FR_BOOL:
    case LULL_FR_INT:
    case LULL_FR_FLOAT:
    case LULL_FR_POINTER:
        return number(ev, p, t, v, store);
    case LULL_FR_VECTOR:
    case LULL_FR_MATRIX:
    case LULL_FR_ARRAY:
    case LULL_FR_STRUCT:
        return t->kind == LULL_FR_ARRAY && t->stride == 0
                   ? lull_ev_bad(ev, "an array without a stride")
                   : parts(ev, p, t, v, store);
    default:
        return lull_ev_refuse(ev, "memory of such a type");
    }
}

/** Words of a lane or of the workgroup; NULL: not there. */
static uint64_t *words_at(struct lull_ev *ev, const struct lull_ev_pointer *p, uint64_t n,
                          uint32_t lane)
{
    const bool group = p->space == LULL_EV_GROUP;
    const size_t room = group ? ev->group_words : ev->lane_words;
    if (p->at > p->end || p->end > room || p->end - p->at < n) {
        return NULL;
    }
    return (group ? ev->group_memory : ev->lane_memory + ev->lane_words * lane) + p->at;
}

/** Either way. */
LULL_MUST_USE static struct lull_error *transfer(struct lull_ev *ev,
                                                 const struct lull_ev_pointer *from,
                                                 const struct lull_fr_type *t, uint32_t lane,
                                                 uint64_t *v, bool store)
{
    struct lull_ev_pointer p = *from;
    if (p.space == LULL_EV_LANE || p.space == LULL_EV_GROUP) {
        const uint64_t n = lull_ev_words(t);
        uint64_t *at = words_at(ev, &p, n, lane);
        if (at == NULL) {
            memset(v, 0, store ? 0 : n * sizeof *v);
        } else {
            memcpy(store ? at : v, store ? v : at, n * sizeof *v);
        }
        return NULL;
    }
    struct lull_error *err = lull_ev_resolve(ev, t, &p);
    if (err == NULL && p.space == LULL_EV_BINDING && t->kind == LULL_FR_OTHER && !store) {
        lull_ev_pack(&p, v);
        if (t->op == SpvOpTypeSampledImage) { // the sampler is in the same descriptor
            lull_ev_pack(&p, v + LULL_EV_POINTER);
        }
        return NULL;
    }
    return err != NULL ? err : laid_out(ev, &p, t, v, store);
}

struct lull_error *lull_ev_load(struct lull_ev *ev, const struct lull_ev_pointer *p,
                                const struct lull_fr_type *t, uint32_t lane, uint64_t *ret)
{
    return transfer(ev, p, t, lane, ret, false);
}

struct lull_error *lull_ev_store(struct lull_ev *ev, const struct lull_ev_pointer *p,
                                 const struct lull_fr_type *t, uint32_t lane, const uint64_t *v)
{
    return transfer(ev, p, t, lane, (uint64_t *)(uintptr_t)v, true);
}
