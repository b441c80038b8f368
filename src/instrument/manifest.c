// SPDX-License-Identifier: MIT
#include "instrument/manifest.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cur.h"

static const char magic[] = "lull-ir3-records 1";

enum { MOST_VALUES = 256 };

uint32_t lull_manifest_slices(const struct lull_manifest *m)
{
    const uint64_t all = m->slice != 0 ? m->room / ((uint64_t)m->slice + LULL_RECORDS_SLICE) : 0;
    return all != 0 ? (uint32_t)all - 1 : 0;
}

struct lull_error *lull_manifest_add(struct lull_manifest *m, uint32_t at, const char *text)
{
    if (m->n == m->space) {
        const size_t space = m->space != 0 ? 2 * m->space : 64;
        struct lull_recorded *all = reallocarray(m->all, space, sizeof *all);
        if (all == NULL) {
            return &lull_enomem;
        }
        m->all = all;
        m->space = space;
    }
    m->all[m->n] = (struct lull_recorded){.at = at, .text = strdup(text)};
    return m->all[m->n++].text != NULL ? NULL : &lull_enomem;
}

struct lull_error *lull_manifest_value(struct lull_manifest *m, const char *name, bool dst)
{
    struct lull_recorded *r = &m->all[m->n - 1];
    const uint32_t n = r->ndst + r->nsrc;
    char **names = reallocarray(r->names, n + 1u, sizeof *names);
    if (names == NULL) {
        return &lull_enomem;
    }
    r->names = names;
    r->names[n] = strdup(name);
    if (r->names[n] == NULL) {
        return &lull_enomem;
    }
    r->ndst += dst;
    r->nsrc += !dst;
    return NULL;
}

void lull_manifest_print(const struct lull_manifest *m, struct lull_str *out)
{
    lull_str_addf(out, "%s\ngpu %u\nbuffer 0x%" PRIx64 " %u %u\n", magic, m->gen, m->buffer,
                  m->room, m->bytes);
    if (m->slice != 0) {
        lull_str_addf(out, "slice %u\n", m->slice);
    }
    if (m->shader != NULL) {
        lull_str_addf(out, "shader %s\n", m->shader);
    }
    for (size_t i = 0; i < m->n; i++) {
        const struct lull_recorded *r = &m->all[i];
        lull_str_addf(out, "instruction %zu %u %s\n", i, r->at, r->text);
        for (uint32_t k = 0; k < r->ndst + r->nsrc; k++) {
            lull_str_addf(out, "%s %s\n", k < r->ndst ? "dst" : "src", r->names[k]);
        }
    }
}

/** A line that is being read. */
struct line {
    char *at;
    unsigned number;
};

static bool word(struct line *l, const char *w)
{
    const size_t size = strlen(w);
    const bool is = strncmp(l->at, w, size) == 0 && (l->at[size] == ' ' || l->at[size] == '\0');
    if (is) {
        l->at += size + (l->at[size] == ' ');
    }
    return is;
}

/** A number up to @p most, and the blank behind it. */
static bool number(struct line *l, uint64_t most, uint64_t *ret)
{
    char *end = l->at;
    const bool digit = *l->at >= '0' && *l->at <= '9';
    *ret = digit ? strtoull(l->at, &end, 0) : 0;
    l->at = end + (*end == ' ');
    return digit && (*end == ' ' || *end == '\0') && *ret <= most;
}

LULL_MUST_USE static struct lull_error *bad(const struct line *l, const char *what)
{
    return lull_error_new(LULL_ERR_BAD_DATA, "line %u: %s", l->number, what);
}

LULL_MUST_USE static struct lull_error *buffer(struct line *l, struct lull_manifest *m)
{
    uint64_t room = 0, bytes = 0;
    if (m->bytes != 0) {
        return bad(l, "a second buffer");
    }
    if (!number(l, UINT64_MAX, &m->buffer) || !number(l, UINT32_MAX, &room) ||
        !number(l, UINT32_MAX, &bytes) || room > bytes || bytes - room < LULL_RECORDS_AT) {
        return bad(l, "buffer needs an address, the bytes of records, and all its bytes");
    }
    m->room = (uint32_t)room;
    m->bytes = (uint32_t)bytes;
    return NULL;
}

LULL_MUST_USE static struct lull_error *slice(struct line *l, struct lull_manifest *m)
{
    uint64_t bytes = 0;
    const bool ok = number(l, m->room, &bytes) && bytes != 0;
    m->slice = (uint32_t)bytes;
    return ok && lull_manifest_slices(m) != 0
               ? NULL
               : bad(l, "slice needs its bytes, of which two fit into the buffer");
}

LULL_MUST_USE static struct lull_error *instruction(struct line *l, struct lull_manifest *m)
{
    uint64_t id = 0, at = 0;
    if (!number(l, UINT32_MAX, &id) || !number(l, UINT32_MAX, &at)) {
        return bad(l, "instruction needs its number, and that in the shader");
    }
    return id == m->n ? lull_manifest_add(m, (uint32_t)at, l->at)
                      : bad(l, "instructions are not numbered one after the other");
}

LULL_MUST_USE static struct lull_error *value(struct line *l, struct lull_manifest *m, bool dst)
{
    const struct lull_recorded *r = m->n > 0 ? &m->all[m->n - 1] : NULL;
    if (r == NULL || (dst && r->nsrc > 0) || r->ndst + r->nsrc >= MOST_VALUES) {
        return bad(l, "a value belongs behind its instruction, destinations first");
    }
    return lull_manifest_value(m, l->at, dst);
}

LULL_MUST_USE static struct lull_error *one_line(struct line *l, struct lull_manifest *m)
{
    uint64_t gen = 0;
    if (l->number == 1) {
        return strcmp(l->at, magic) == 0 ? NULL : bad(l, "it does not begin as a manifest does");
    } else if (word(l, "gpu")) {
        const bool ok = number(l, UINT16_MAX, &gen);
        m->gen = (unsigned)gen;
        return ok ? NULL : bad(l, "gpu needs a number");
    } else if (word(l, "buffer")) {
        return buffer(l, m);
    } else if (word(l, "slice")) {
        return slice(l, m);
    } else if (word(l, "shader")) {
        free(m->shader);
        m->shader = strdup(l->at);
        return m->shader != NULL ? NULL : &lull_enomem;
    } else if (word(l, "instruction")) {
        return instruction(l, m);
    } else if (word(l, "dst")) {
        return value(l, m, true);
    } else if (word(l, "src")) {
        return value(l, m, false);
    }
    return bad(l, "it begins with none of gpu, buffer, slice, shader, instruction, dst and src");
}

struct lull_error *lull_manifest_read(const char *text, size_t size, struct lull_manifest *ret)
{
    struct lull_manifest m = {0};
    struct lull_error *err = NULL;
    struct lull_cur c = lull_cur_of(text, size);
    unsigned n = 0;
    while (err == NULL && lull_cur_left(&c) > 0) {
        const uint8_t *end = memchr(c.pos, '\n', lull_cur_left(&c));
        const size_t length = end != NULL ? (size_t)(end - c.pos) : lull_cur_left(&c);
        char *copy = strndup((const char *)lull_cur_take(&c, length), length);
        struct line l = {copy, ++n};
        (void)lull_cur_take(&c, end != NULL);
        err = copy != NULL ? one_line(&l, &m) : &lull_enomem;
        free(copy);
    }
    if (err == NULL && (n == 0 || m.bytes == 0)) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "line %u: the line 'buffer' is missing", n + 1);
    }
    if (err != NULL) {
        lull_manifest_done(&m);
        return err;
    }
    *ret = m;
    return NULL;
}

void lull_manifest_done(struct lull_manifest *m)
{
    for (size_t i = 0; i < m->n; i++) {
        for (uint32_t k = 0; k < m->all[i].ndst + m->all[i].nsrc; k++) {
            free(m->all[i].names[k]);
        }
        free(m->all[i].names);
        free(m->all[i].text);
    }
    free(m->all);
    free(m->shader);
    *m = (struct lull_manifest){0};
}
