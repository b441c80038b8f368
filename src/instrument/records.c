// SPDX-License-Identifier: MIT
#include "instrument/records.h"

#include <stdlib.h>
#include <string.h>

#include "base/cur.h"

enum { HALF_EXPONENT = 0x7c00, EXPONENT = 0x7f800000, DOUBLE_EXPONENT = 0x7ff00000 };

LULL_MUST_USE static struct lull_error *put(struct lull_dump *d, size_t *room,
                                            struct lull_dump_record r)
{
    if (d->n == *room) {
        *room = *room != 0 ? 2 * *room : 1024;
        struct lull_dump_record *all = reallocarray(d->all, *room, sizeof *all);
        if (all == NULL) {
            return &lull_enomem;
        }
        d->all = all;
    }
    d->all[d->n++] = r;
    return NULL;
}

/** Records in @p bytes from @p c on; @p room: see put(). */
LULL_MUST_USE static struct lull_error *records(struct lull_dump *d, struct lull_cur c,
                                                uint64_t bytes, size_t *room)
{
    const uint8_t *const begin = c.pos;
    struct lull_error *err = NULL;
    while (err == NULL && (uint64_t)(c.pos - begin) < bytes) {
        const uint32_t at = (uint32_t)(c.pos - c.start);
        struct lull_dump_record r = {.at = at};
        r.invocation = lull_cur_u32(&c);
        r.insn = lull_cur_u32(&c);
        err = lull_cur_error(&c, "the record");
        if (err == NULL && r.insn >= d->m->n) {
            err = lull_error_new(LULL_ERR_BAD_DATA,
                                 "offset %u: a record of instruction %u; the manifest has %zu", at,
                                 r.insn, d->m->n);
        } else if (err == NULL && r.invocation >= d->invocations) {
            err = lull_error_new(LULL_ERR_BAD_DATA,
                                 "offset %u: a record of invocation %u, of which %u have begun", at,
                                 r.invocation, d->invocations);
        }
        if (err == NULL) {
            const struct lull_recorded *i = &d->m->all[r.insn];
            (void)lull_cur_take(&c, 4 * ((size_t)i->ndst + i->nsrc));
            err = lull_cur_error(&c, "the record");
        }
        err = err != NULL ? err : put(d, room, r);
    }
    if (err == NULL) {
        d->missing -= (uint64_t)(c.pos - begin);
    }
    return err;
}

/** All slices of which the first @p taken have an invocation. */
LULL_MUST_USE static struct lull_error *slices(struct lull_dump *d, struct lull_cur c,
                                               uint32_t taken)
{
    const uint32_t all = lull_manifest_slices(d->m), n = taken < all ? taken : all;
    struct lull_error *err = NULL;
    size_t room = 0;
    d->sliceless = taken - n;
    for (uint32_t i = 0; err == NULL && i < n; i++) {
        const size_t at = (size_t)(c.pos - c.start);
        const uint32_t there = lull_cur_u32(&c), wanted = lull_cur_u32(&c);
        const uint64_t bytes = wanted > there ? wanted : there;
        err = lull_cur_error(&c, "the slice");
        if (err == NULL && there > d->m->slice) {
            err = lull_error_new(LULL_ERR_BAD_DATA,
                                 "offset %zu: a slice with %u bytes of records; it has room for %u",
                                 at, there, d->m->slice);
        }
        d->written += bytes / 4;
        d->missing += bytes;
        err = err != NULL ? err : records(d, c, there, &room);
        (void)lull_cur_take(&c, d->m->slice);
    }
    return err;
}

struct lull_error *lull_dump_of(const struct lull_manifest *m, const void *data, uint64_t size,
                                struct lull_dump *ret)
{
    struct lull_dump d = {.m = m, .data = data, .size = size};
    struct lull_cur c = lull_cur_of(data, (size_t)size);
    const uint32_t bytes = lull_cur_u32(&c);
    size_t room = 0;
    d.invocations = lull_cur_u32(&c);
    struct lull_error *err = lull_cur_error(&c, "the buffer");
    d.written = LULL_RECORDS_AT / 4;
    if (err == NULL && m->slice != 0) {
        err = slices(&d, c, bytes);
    } else if (err == NULL) {
        d.written += bytes / 4;
        d.missing = bytes;
        err = records(&d, c, bytes < m->room ? bytes : m->room, &room);
    }
    if (err != NULL) {
        lull_dump_done(&d);
        return err;
    }
    *ret = d;
    return NULL;
}

void lull_dump_done(struct lull_dump *d)
{
    free(d->all);
    *d = (struct lull_dump){0};
}

static int by_invocation(const void *a, const void *b)
{
    const struct lull_dump_record *x = a, *y = b;
    const int order = (x->invocation > y->invocation) - (x->invocation < y->invocation);
    return order != 0 ? order : (x->at > y->at) - (x->at < y->at);
}

void lull_dump_sort(struct lull_dump *d)
{
    if (d->n > 1) {
        qsort(d->all, d->n, sizeof *d->all, by_invocation);
    }
}

uint32_t lull_dump_value(const struct lull_dump *d, const struct lull_dump_record *r, uint32_t k)
{
    struct lull_cur c = lull_cur_of(d->data, (size_t)d->size);
    struct lull_cur at = lull_cur_slice(&c, (uint64_t)r->at + 8 + 4 * (uint64_t)k, 4);
    return lull_cur_u32(&at);
}

static bool ends_in(const char *text, size_t size, const char *end)
{
    const size_t n = strlen(end);
    return size >= n && memcmp(text + size - n, end, n) == 0;
}

/** Does the instruction @p text write floats? */
static bool is_float(const char *text)
{
    static const char *const sfu[] = {"rcp", "rsq",  "log2", "exp2",  "sin",
                                      "cos", "sqrt", "hrsq", "hlog2", "hexp2"};
    while (*text == '(') {
        text += strcspn(text, ")");
        text += *text == ')';
        text += strspn(text, " ");
    }
    const size_t size = strcspn(text, " ");
    bool is = ends_in(text, size, ".f") || ends_in(text, size, "f32") || ends_in(text, size, "f16");
    for (size_t i = 0; i < sizeof sfu / sizeof sfu[0]; i++) {
        is = is || (size == strlen(sfu[i]) && memcmp(text, sfu[i], size) == 0);
    }
    return is && strncmp(text, "cmps", 4) != 0 && strncmp(text, "cmpv", 4) != 0;
}

/** Bits of the floats that gfx1100's instruction @p text writes; 0: it writes none. */
static unsigned rdna_float_bits(const char *text)
{
    static const char *const suffixes[] = {"_dpp", "_e32", "_e64"};
    static const struct {
        const char *name;
        unsigned bits;
    } types[] = {{"f16", 16}, {"f32", 32}, {"f64", 64}};
    size_t size = strcspn(text, " ");
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        size -= ends_in(text, size, suffixes[i]) ? strlen(suffixes[i]) : 0;
    }
    const bool converts = strncmp(text, "v_cvt_", 6) == 0; // To the type that stands first.
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const bool is = converts ? strncmp(text + 6, types[i].name, 3) == 0
                                 : ends_in(text, size, types[i].name);
        if (is && strncmp(text, "v_", 2) == 0 && strncmp(text, "v_cmp", 5) != 0 &&
            strncmp(text, "v_frexp_exp", 11) != 0) {
            return types[i].bits;
        }
    }
    return 0;
}

/** Is value @p k of @p r a float that is not a number? */
static bool is_nan(const struct lull_dump *d, const struct lull_dump_record *r, uint32_t k)
{
    const struct lull_recorded *insn = &d->m->all[r->insn];
    const uint32_t v = lull_dump_value(d, r, k);
    if (d->m->gen != LULL_GPU_GFX1100) {
        const bool half = insn->names[k][0] == 'h';
        return is_float(insn->text) &&
               (half ? (v & 0x7fff) > HALF_EXPONENT : (v & INT32_MAX) > EXPONENT);
    }
    const unsigned bits = insn->names[k][0] == 'v' ? rdna_float_bits(insn->text) : 0;
    if (bits == 64) { // Dwords in pairs: that with the exponent is the second.
        const uint32_t low = k % 2 == 1 ? lull_dump_value(d, r, k - 1) : 0;
        return k % 2 == 1 && ((v & INT32_MAX) > DOUBLE_EXPONENT ||
                              ((v & INT32_MAX) == DOUBLE_EXPONENT && low != 0));
    }
    return bits == 16   ? (v & 0x7fff) > HALF_EXPONENT
           : bits == 32 ? (v & INT32_MAX) > EXPONENT
                        : false;
}

bool lull_dump_nan(const struct lull_dump *d, size_t *ret, uint32_t *ret_value)
{
    for (size_t i = 0; i < d->n; i++) {
        for (uint32_t k = 0; k < d->m->all[d->all[i].insn].ndst; k++) {
            if (is_nan(d, &d->all[i], k)) {
                *ret = i;
                *ret_value = k;
                return true;
            }
        }
    }
    return false;
}

/** Are the instructions the same: text, and names of values? */
static bool same(const struct lull_recorded *a, const struct lull_recorded *b)
{
    bool is = strcmp(a->text, b->text) == 0 && a->ndst == b->ndst && a->nsrc == b->nsrc;
    for (uint32_t k = 0; is && k < a->ndst + a->nsrc; k++) {
        is = strcmp(a->names[k], b->names[k]) == 0;
    }
    return is;
}

bool lull_dump_differ(const struct lull_dump *a, const struct lull_dump *b, size_t *ret,
                      uint32_t *ret_value)
{
    *ret_value = UINT32_MAX;
    for (size_t i = 0; i < a->n && i < b->n; i++) {
        const struct lull_dump_record *x = &a->all[i], *y = &b->all[i];
        const struct lull_recorded *xi = &a->m->all[x->insn], *yi = &b->m->all[y->insn];
        *ret = i;
        if (x->invocation != y->invocation || !same(xi, yi)) {
            return true;
        }
        for (uint32_t k = 0; k < xi->ndst + xi->nsrc; k++) {
            if (lull_dump_value(a, x, k) != lull_dump_value(b, y, k)) {
                *ret_value = k;
                return true;
            }
        }
    }
    *ret = a->n < b->n ? a->n : b->n;
    return a->n != b->n;
}

void lull_dump_print(const struct lull_dump *d, const struct lull_dump_record *r,
                     struct lull_str *out)
{
    const struct lull_recorded *i = &d->m->all[r->insn];
    lull_str_addf(out, "[%u/%u]: %s\n", r->invocation, r->insn, i->text);
    for (uint32_t k = 0; k < i->ndst + i->nsrc; k++) {
        const uint32_t v = lull_dump_value(d, r, k);
        float f = 0;
        memcpy(&f, &v, sizeof f);
        lull_str_addf(out, v == 0 ? "%s%s(%s)=%08x /* %f */" : "%s%s(%s)=0x%06x /* %f */",
                      k > 0 ? " " : "", k < i->ndst ? "dst" : "src", i->names[k], v, (double)f);
    }
    lull_str_addf(out, "\n");
}
