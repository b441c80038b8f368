// SPDX-License-Identifier: MIT
#include "instrument/rdna/unroll.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cur.h"

enum { MOST_WAVES = 1 << 24, RECORD_BYTES = 8 }; // RECORD_BYTES: of a record without values.

/** The records of a buffer. */
struct reader {
    const struct lull_rdna_instrumented *r;
    struct lull_cur cur; ///< At the next record.
    uint64_t end;        ///< Byte behind the last that has room.
    uint32_t waves;      ///< That have begun.
};

struct record {
    uint32_t id, wave;
    uint64_t exec;
    struct lull_cur bytes;
};

/** The next record. *ret_more false: there is none, or no room for all of it. */
LULL_MUST_USE static struct lull_error *next(struct reader *d, struct record *ret, bool *ret_more)
{
    const uint64_t at = (uint64_t)(d->cur.pos - d->cur.start);
    struct lull_cur c = d->cur;
    *ret_more = at + LULL_RDNA_HEADER <= d->end && lull_cur_left(&c) >= LULL_RDNA_HEADER;
    if (!*ret_more) {
        return NULL;
    }
    ret->id = lull_cur_u32(&c);
    ret->wave = lull_cur_u32(&c);
    ret->exec = lull_cur_u32(&c);
    const uint64_t hi = lull_cur_u32(&c);
    ret->exec |= d->r->lanes == 64 ? hi << 32 : 0;
    if (ret->id >= d->r->manifest.n || ret->wave >= d->waves || ret->wave >= MOST_WAVES) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "offset %" PRIu64 ": a record of instruction %" PRIu32
                              " and wave %" PRIu32 ", of %zu and %" PRIu32,
                              at, ret->id, ret->wave, d->r->manifest.n, d->waves);
    }
    const uint32_t bytes = d->r->layouts[ret->id].bytes;
    *ret_more = at + bytes <= d->end && lull_cur_left(&d->cur) >= bytes;
    ret->bytes = lull_cur_slice(&d->cur, at, bytes);
    if (*ret_more) {
        (void)lull_cur_take(&d->cur, bytes);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *note_wave(struct lull_rdna_unrolled *u, size_t *room,
                                                  const struct record *r)
{
    while (r->wave >= *room) {
        const size_t more = *room != 0 ? 2 * *room : 256;
        struct lull_rdna_wave *all = reallocarray(u->waves, more, sizeof *all);
        if (all == NULL) {
            return &lull_enomem;
        }
        for (size_t i = *room; i < more; i++) {
            all[i] = (struct lull_rdna_wave){0};
        }
        u->waves = all;
        *room = more;
    }
    u->waves[r->wave].lanes |= r->exec;
    u->nwaves = r->wave >= u->nwaves ? r->wave + 1 : u->nwaves;
    return NULL;
}

/** Numbers for all lanes. @return How many. */
static uint32_t number(struct lull_rdna_unrolled *u)
{
    uint32_t n = 0;
    for (size_t i = 0; i < u->nwaves; i++) {
        u->waves[i].first = n;
        n += (uint32_t)__builtin_popcountll(u->waves[i].lanes);
    }
    return n;
}

static uint32_t number_of(const struct lull_rdna_wave *w, unsigned lane)
{
    const uint64_t below = (UINT64_C(1) << lane) - 1;
    return w->first + (uint32_t)__builtin_popcountll(w->lanes & below);
}

static uint32_t value_at(const struct record *r, const struct lull_rdna_stored *s, unsigned lane)
{
    struct lull_cur bytes = r->bytes;
    struct lull_cur c = lull_cur_slice(&bytes, s->at + (s->vector ? 4 * (size_t)lane : 0), 4);
    const uint32_t v = lull_cur_u32(&c);
    return s->bits != 0 ? v >> s->shift & ((1U << s->bits) - 1) : v;
}

static void put_record(const struct lull_rdna_unrolled *u, const struct reader *d,
                       const struct record *r, struct lull_str *out)
{
    const struct lull_rdna_layout *l = &d->r->layouts[r->id];
    for (uint64_t left = r->exec; left != 0; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        lull_str_le32(out, number_of(&u->waves[r->wave], lane));
        lull_str_le32(out, r->id);
        for (uint32_t k = 0; k < l->nslots; k++) {
            lull_str_le32(out, value_at(r, &l->slots[k], lane));
        }
    }
}

LULL_MUST_USE static struct lull_error *unroll(const struct reader *from, uint64_t bytes,
                                               struct lull_rdna_unrolled *u)
{
    struct reader d = *from;
    struct record r = {0};
    size_t room = 0;
    bool more = true;
    struct lull_error *err = NULL;
    uint64_t size = 0;
    while (err == NULL && more) {
        err = next(&d, &r, &more);
        if (err == NULL && more) {
            err = note_wave(u, &room, &r);
            size += (uint64_t)__builtin_popcountll(r.exec) *
                    (RECORD_BYTES + 4 * (uint64_t)d.r->layouts[r.id].nslots);
        }
    }
    const uint64_t read = (uint64_t)(d.cur.pos - d.cur.start) - LULL_RDNA_RECORDS_AT;
    const uint64_t missing = bytes > read ? bytes - read : 0;
    if (err == NULL && size + missing > UINT32_MAX) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "%" PRIu64 " bytes of records: more than 4 GiB",
                             size + missing);
    }
    if (err != NULL) {
        return err;
    }
    lull_str_le32(&u->bytes, (uint32_t)(size + missing));
    lull_str_le32(&u->bytes, number(u));
    d = *from;
    for (more = true; err == NULL && more;) {
        err = next(&d, &r, &more);
        if (err == NULL && more) {
            put_record(u, &d, &r, &u->bytes);
        }
    }
    return err != NULL ? err : u->bytes.err;
}

struct lull_error *lull_rdna_unroll(struct lull_rdna_instrumented *r, const void *data,
                                    uint64_t size, struct lull_rdna_unrolled *ret)
{
    struct lull_rdna_unrolled u = {0};
    struct reader d = {.r = r, .cur = lull_cur_of(data, (size_t)size)};
    const uint32_t bytes = lull_cur_u32(&d.cur);
    d.waves = lull_cur_u32(&d.cur);
    (void)lull_cur_take(&d.cur, LULL_RDNA_RECORDS_AT - 8);
    struct lull_error *err = lull_cur_error(&d.cur, "the buffer");
    d.end = LULL_RDNA_RECORDS_AT + (uint64_t)(bytes < r->room ? bytes : r->room);
    err = err != NULL ? err : unroll(&d, bytes, &u);
    if (err != NULL) {
        lull_rdna_unrolled_done(&u);
        return err;
    }
    r->manifest.room = (uint32_t)(u.bytes.size - LULL_RECORDS_AT);
    r->manifest.bytes = (uint32_t)u.bytes.size;
    *ret = u;
    return NULL;
}

void lull_rdna_unrolled_done(struct lull_rdna_unrolled *u)
{
    lull_str_free(&u->bytes);
    free(u->waves);
    *u = (struct lull_rdna_unrolled){0};
}

bool lull_rdna_lane_of(const struct lull_rdna_unrolled *u, uint32_t invocation, uint32_t *ret_wave,
                       unsigned *ret_lane)
{
    for (size_t i = 0; i < u->nwaves; i++) {
        uint64_t lanes = u->waves[i].lanes;
        const uint32_t first = u->waves[i].first;
        if (invocation < first || invocation - first >= (uint32_t)__builtin_popcountll(lanes)) {
            continue;
        }
        for (uint32_t k = first; k < invocation; k++) {
            lanes &= lanes - 1;
        }
        *ret_wave = (uint32_t)i;
        *ret_lane = (unsigned)__builtin_ctzll(lanes);
        return true;
    }
    return false;
}
