// SPDX-License-Identifier: MIT
#include "file/record_program.h"

#include <stdlib.h>
#include <string.h>

#include "base/cur.h"

static const char magic[] = "lullrec2";

enum kind { DISPATCH = 1, RANGE, PAGES, NAME, END };
enum flags { WRITABLE = 1, EXECUTABLE = 2, VRAM = 4 };
enum { MOST_VA_BITS = 48, MOST_RANGE_BITS = 40 };

bool lull_record_is_program(const void *data, size_t size)
{
    return size >= strlen(magic) && memcmp(data, magic, strlen(magic)) == 0;
}

/* Writing. */

static void put_all(struct lull_str *s, const uint32_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        lull_str_le32(s, v[i]);
    }
}

void lull_record_put_dispatch(const struct lull_record_dispatch *d, struct lull_str *out)
{
    lull_str_add(out, magic, strlen(magic));
    lull_str_le32(out, DISPATCH);
    lull_str_le32(out, d->ring);
    lull_str_le64(out, d->job);
    lull_str_le64(out, d->code_va);
    lull_str_le64(out, d->scratch_va);
    put_all(out, d->rsrc, 3);
    lull_str_le32(out, d->initiator);
    lull_str_le32(out, d->tmpring);
    put_all(out, d->grid, 3);
    put_all(out, d->block, 3);
    put_all(out, d->start, 3);
    put_all(out, d->cus, sizeof d->cus / sizeof d->cus[0]);
    put_all(out, d->user_data, sizeof d->user_data / sizeof d->user_data[0]);
    lull_str_le64(out, d->seed);
    lull_str_le32(out, d->has_wave);
    lull_str_le32(out, d->hw_id1);
    put_all(out, d->workgroup, 3);
    lull_str_le64(out, d->executed);
}

void lull_record_put_range(const struct lull_record_range *r, struct lull_str *out)
{
    lull_str_le32(out, RANGE);
    lull_str_le64(out, r->va);
    lull_str_le64(out, r->size);
    lull_str_le32(out, (r->writable ? WRITABLE : 0u) | (r->executable ? EXECUTABLE : 0u) |
                           (r->vram ? VRAM : 0u));
}

void lull_record_put_pages(uint64_t va, uint64_t size, struct lull_str *out)
{
    lull_str_le32(out, PAGES);
    lull_str_le64(out, va);
    lull_str_le64(out, size);
}

void lull_record_put_name(const char *name, uint64_t size, struct lull_str *out)
{
    lull_str_le32(out, NAME);
    lull_str_le32(out, (uint32_t)strlen(name));
    lull_str_add(out, name, strlen(name));
    lull_str_le64(out, size);
}

void lull_record_put_end(struct lull_str *out)
{
    lull_str_le32(out, END);
}

/* Reading. */

/** Room for one more of @p size bytes in a list of @p n. */
LULL_MUST_USE static struct lull_error *need(void **list, size_t size, size_t n, size_t *room)
{
    const size_t more = n < *room ? 0 : *room == 0 ? 16 : 2 * *room;
    void *all = more != 0 ? reallocarray(*list, more, size) : *list;
    if (all == NULL) {
        return &lull_enomem;
    }
    *list = all;
    *room = more != 0 ? more : *room;
    return NULL;
}

static void take_all(struct lull_cur *c, uint32_t *ret, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ret[i] = lull_cur_u32(c);
    }
}

static void dispatch(struct lull_record_program *r, struct lull_cur *c)
{
    struct lull_record_dispatch *d = &r->d;
    d->ring = lull_cur_u32(c);
    d->job = lull_cur_u64(c);
    d->code_va = lull_cur_u64(c);
    d->scratch_va = lull_cur_u64(c);
    take_all(c, d->rsrc, 3);
    d->initiator = lull_cur_u32(c);
    d->tmpring = lull_cur_u32(c);
    take_all(c, d->grid, 3);
    take_all(c, d->block, 3);
    take_all(c, d->start, 3);
    take_all(c, d->cus, sizeof d->cus / sizeof d->cus[0]);
    take_all(c, d->user_data, sizeof d->user_data / sizeof d->user_data[0]);
    d->seed = lull_cur_u64(c);
    d->has_wave = lull_cur_u32(c) != 0;
    d->hw_id1 = lull_cur_u32(c);
    take_all(c, d->workgroup, 3);
    d->executed = lull_cur_u64(c);
    c->bad = c->bad || r->has_dispatch;
    r->has_dispatch = true;
}

LULL_MUST_USE static struct lull_error *range(struct lull_record_program *r, struct lull_cur *c)
{
    struct lull_record_range m = {.va = lull_cur_u64(c), .size = lull_cur_u64(c)};
    const uint32_t flags = lull_cur_u32(c);
    m.writable = (flags & WRITABLE) != 0;
    m.executable = (flags & EXECUTABLE) != 0;
    m.vram = (flags & VRAM) != 0;
    // Addresses are of 48 bits, and signed.
    const uint64_t top = m.va >> (MOST_VA_BITS - 1);
    const struct lull_record_range *before = r->nranges != 0 ? &r->ranges[r->nranges - 1] : NULL;
    c->bad = c->bad || m.size == 0 || (m.va | m.size) % LULL_RECORD_PAGE != 0 ||
             m.size > UINT64_C(1) << MOST_RANGE_BITS || m.va + m.size < m.va ||
             (top != 0 && top != UINT64_MAX >> (MOST_VA_BITS - 1)) ||
             (before != NULL && m.va < before->va + before->size) ||
             r->nranges == LULL_RECORD_RANGES;
    if (c->bad) {
        return NULL;
    }
    struct lull_error *err =
        need((void **)&r->ranges, sizeof *r->ranges, r->nranges, &r->ranges_room);
    if (err == NULL) {
        r->ranges[r->nranges++] = m;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *pages(struct lull_record_program *r, struct lull_cur *c)
{
    struct lull_record_pages p = {.va = lull_cur_u64(c), .size = lull_cur_u64(c)};
    const struct lull_record_range *m = r->nranges != 0 ? &r->ranges[r->nranges - 1] : NULL;
    c->bad = c->bad || m == NULL || p.va < m->va || p.va - m->va > m->size ||
             p.size > m->size - (p.va - m->va) || (p.va | p.size) % LULL_RECORD_PAGE != 0 ||
             p.size == 0 || p.size > lull_cur_left(c);
    if (c->bad) {
        return NULL;
    }
    p.bytes = lull_cur_take(c, (size_t)p.size);
    struct lull_error *err = need((void **)&r->pages, sizeof *r->pages, r->npages, &r->pages_room);
    if (err == NULL) {
        r->pages[r->npages++] = p;
    }
    return err;
}

/** Nobody's record says which folder something is written to. */
static bool is_plain(const char *name, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const bool digit = name[i] >= '0' && name[i] <= '9';
        const bool letter = name[i] >= 'a' && name[i] <= 'z';
        if (!digit && !letter && ((name[i] != '.' && name[i] != '-') || i == 0)) {
            return false;
        }
    }
    return size != 0;
}

LULL_MUST_USE static struct lull_error *name(struct lull_record_program *r, struct lull_cur *c)
{
    enum { LONGEST = 64 };
    struct lull_record_name n = {.name_size = lull_cur_u32(c)};
    n.name = n.name_size <= LONGEST ? (const char *)lull_cur_take(c, n.name_size) : NULL;
    c->bad = c->bad || n.name == NULL || !is_plain(n.name, n.name_size) ||
             r->nnames == LULL_RECORD_NAMES;
    n.size = c->bad ? 0 : lull_cur_u64(c);
    c->bad = c->bad || n.size > lull_cur_left(c);
    if (c->bad) {
        return NULL;
    }
    n.bytes = lull_cur_take(c, (size_t)n.size);
    struct lull_error *err = need((void **)&r->names, sizeof *r->names, r->nnames, &r->names_room);
    if (err == NULL) {
        r->names[r->nnames++] = n;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *part(struct lull_record_program *r, struct lull_cur *c,
                                             bool *ret_end)
{
    switch (lull_cur_u32(c)) {
    case DISPATCH:
        dispatch(r, c);
        return NULL;
    case RANGE:
        return range(r, c);
    case PAGES:
        return pages(r, c);
    case NAME:
        return name(r, c);
    case END:
        *ret_end = true;
        return NULL;
    default:
        c->bad = true;
        return NULL;
    }
}

struct lull_error *lull_record_program_parse(const void *data, size_t size,
                                             struct lull_record_program *ret)
{
    struct lull_cur c = lull_cur_of(data, size);
    bool end = false;
    *ret = (struct lull_record_program){0};
    if (!lull_record_is_program(data, size)) {
        return lull_error_new(LULL_ERR_BAD_DATA, "byte 0: not a record of a program's dispatch");
    }
    (void)lull_cur_take(&c, strlen(magic));
    struct lull_error *err = NULL;
    size_t at = 0;
    while (err == NULL && !c.bad && !end) {
        at = (size_t)(c.pos - c.start);
        err = part(ret, &c, &end);
    }
    if (err == NULL && c.bad) {
        err = lull_error_new(LULL_ERR_BAD_DATA,
                             "record: what begins at byte %zu is damaged or cut off", at);
    } else if (err == NULL && lull_cur_left(&c) != 0) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "record: byte %zu: something is behind its end",
                             (size_t)(c.pos - c.start));
    } else if (err == NULL && !ret->has_dispatch) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "record: byte %zu: no dispatch", strlen(magic));
    }
    if (err != NULL) {
        lull_record_program_done(ret);
    }
    return err;
}

void lull_record_program_done(struct lull_record_program *r)
{
    free(r->ranges);
    free(r->pages);
    free(r->names);
    *r = (struct lull_record_program){0};
}
