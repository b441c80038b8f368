// SPDX-License-Identifier: MIT
// Tables from MessagePack and from the notes of ELFs.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "file/elf.h"
#include "file/msgpack.h"
#include "printf/note.h"
#include "printf/table_priv.h"

enum {
    NT_AMDGPU_METADATA = 32,
};

// A string of the document, and where it stands among those with its id.
struct row {
    struct lull_printf_string *s;
    size_t number;
    size_t taken; // of the first row of an id: how many of its rows have their extras
};

// The document being read.
struct reader {
    struct lull_printf_table *t;
    struct lull_cur c;
    struct row *rows;
    size_t nrows, room;
};

LULL_MUST_USE static struct lull_error *bad(const struct reader *r, const char *what)
{
    return lull_error_new(LULL_ERR_BAD_DATA, "%s at byte %zu", what,
                          (size_t)(r->c.pos - r->c.start));
}

LULL_MUST_USE static struct lull_error *next(struct reader *r, struct lull_msgpack *ret)
{
    const int n = lull_msgpack_next(&r->c, ret);
    return n > 0 ? NULL : bad(r, n == LULL_MSGPACK_TRUNCATED ? "truncated" : "reserved byte");
}

LULL_MUST_USE static struct lull_error *expect(struct reader *r, enum lull_msgpack_kind kind,
                                               const char *what, struct lull_msgpack *ret)
{
    struct lull_error *err = next(r, ret);
    return err != NULL ? err : ret->kind == kind ? NULL : bad(r, what);
}

LULL_MUST_USE static struct lull_error *skip(struct reader *r)
{
    return lull_msgpack_skip(&r->c) == 0 ? NULL : bad(r, "malformed value");
}

// The value of a key that nobody asked for; the key may be anything.
LULL_MUST_USE static struct lull_error *skip_pair(struct reader *r, const struct lull_msgpack *key)
{
    return lull_msgpack_skip_rest(&r->c, key) == 0 ? skip(r) : bad(r, "malformed key");
}

LULL_MUST_USE static struct lull_error *warn_row(struct reader *r, size_t i, const char *what)
{
    struct lull_str m = {0};
    lull_str_addf(&m, "%s: string %zu %s",
                  lull_printf_table_source(r->t, (unsigned)r->t->sources.count), i, what);
    return lull_printf_warn(r->t, &m);
}

LULL_MUST_USE static struct lull_error *read_mask(struct reader *r, uint64_t **ret,
                                                  size_t *ret_words)
{
    struct lull_msgpack list = {0};
    struct lull_error *err = expect(r, LULL_MSGPACK_ARRAY, ".64bit_arguments is not a list", &list);
    if (err != NULL) {
        return err;
    }
    uint64_t *words = lull_arena_calloc(&r->t->arena, list.size + 1, sizeof *words);
    if (words == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; err == NULL && i < list.size; i++) {
        struct lull_msgpack m = {0};
        err = expect(r, LULL_MSGPACK_UINT, "word of .64bit_arguments is not a number", &m);
        words[i] = m.u;
    }
    *ret = words;
    *ret_words = list.size;
    return err;
}

// What a row of the plain list holds.
struct plain {
    bool has_id, has_text, has_count;
    uint64_t id, count;
    const uint8_t *text;
    size_t size;
    uint64_t *mask;
    size_t words;
};

LULL_MUST_USE static struct lull_error *read_plain_value(struct reader *r,
                                                         const struct lull_msgpack *key,
                                                         struct plain *p)
{
    struct lull_msgpack m = {0};
    struct lull_error *err = NULL;
    if (lull_msgpack_is(key, ".64bit_arguments")) {
        return read_mask(r, &p->mask, &p->words);
    }
    if (lull_msgpack_is(key, ".index")) {
        err = expect(r, LULL_MSGPACK_UINT, ".index is not a number", &m);
        p->has_id = true;
        p->id = m.u;
    } else if (lull_msgpack_is(key, ".argument_count")) {
        err = expect(r, LULL_MSGPACK_UINT, ".argument_count is not a number", &m);
        p->has_count = true;
        p->count = m.u;
    } else if (lull_msgpack_is(key, ".string")) {
        err = next(r, &m);
        if (err == NULL && m.kind != LULL_MSGPACK_STR && m.kind != LULL_MSGPACK_BIN) {
            err = bad(r, ".string is not text");
        }
        if (err != NULL) {
            return err;
        }
        p->has_text = true;
        p->text = m.data;
        p->size = m.size > 0 && m.data[m.size - 1] == '\0' ? m.size - 1 : m.size;
    } else {
        err = skip_pair(r, key);
    }
    return err;
}

// Words up to the last that says something of an argument; bits beyond the arguments are cleared.
static size_t mask_words(const struct plain *p)
{
    size_t n = (size_t)(p->count + 63) / 64;
    if (n <= p->words && n > 0 && p->count % 64 != 0) {
        p->mask[n - 1] &= ((uint64_t)1 << p->count % 64) - 1;
    }
    n = n < p->words ? n : p->words;
    while (n > 0 && p->mask[n - 1] == 0) {
        n--;
    }
    return n;
}

LULL_MUST_USE static struct lull_error *keep_row(struct reader *r, const struct plain *p)
{
    if (r->nrows == r->room) {
        const size_t room = r->room == 0 ? 16 : 2 * r->room;
        struct row *rows = realloc(r->rows, room * sizeof *rows);
        if (rows == NULL) {
            return &lull_enomem;
        }
        r->rows = rows;
        r->room = room;
    }
    struct lull_printf_string *s = lull_arena_calloc(&r->t->arena, 1, sizeof *s);
    const char *text = lull_printf_keep(r->t, (const char *)p->text, p->size);
    if (s == NULL || text == NULL) {
        return &lull_enomem;
    }
    *s = (struct lull_printf_string){.id = p->id,
                                     .text = text,
                                     .size = p->size,
                                     .nscalars = (uint32_t)p->count,
                                     .mask64 = p->mask,
                                     .nmask = mask_words(p),
                                     .source = (unsigned)r->t->sources.count};
    r->rows[r->nrows] = (struct row){.s = s, .number = r->nrows};
    r->nrows++;
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_plain_row(struct reader *r, size_t i)
{
    struct plain p = {0};
    struct lull_msgpack map = {0};
    struct lull_error *err = expect(r, LULL_MSGPACK_MAP, "not a map", &map);
    for (size_t k = 0; err == NULL && k < map.size; k++) {
        struct lull_msgpack key = {0};
        err = next(r, &key);
        if (err == NULL) {
            err = read_plain_value(r, &key, &p);
        }
    }
    if (err != NULL) {
        return lull_error_in(err, "string %zu", i);
    }
    if (!p.has_id || !p.has_text || !p.has_count) {
        return warn_row(r, i,
                        !p.has_id     ? "has no .index"
                        : !p.has_text ? "has no .string"
                                      : "has no .argument_count");
    }
    if (p.id >> 48 != 0) {
        return warn_row(r, i, "has an .index of more than 48 bits");
    }
    if (p.count > LULL_PRINTF_MAX_DWORDS - 2) {
        return warn_row(r, i, "has more arguments than an entry can hold");
    }
    return keep_row(r, &p);
}

LULL_MUST_USE static struct lull_error *read_list(struct reader *r,
                                                  struct lull_error *(*row)(struct reader *r,
                                                                            size_t i))
{
    struct lull_msgpack list = {0};
    struct lull_error *err = expect(r, LULL_MSGPACK_ARRAY, ".strings is not a list", &list);
    for (size_t i = 0; err == NULL && i < list.size; i++) {
        err = row(r, i);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *read_offset(struct reader *r)
{
    struct lull_msgpack m = {0};
    struct lull_error *err = expect(r, LULL_MSGPACK_UINT, ".user_data_offset is not a number", &m);
    if (err == NULL && m.u <= UINT32_MAX && r->t->user_data_offset < 0) {
        r->t->user_data_offset = (int64_t)m.u;
    } else if (err == NULL && r->t->user_data_offset != (int64_t)m.u) {
        struct lull_str w = {0};
        lull_str_addf(&w, "%s: .user_data_offset is %" PRIu64 ", and %" PRId64 " elsewhere",
                      lull_printf_table_source(r->t, (unsigned)r->t->sources.count), m.u,
                      r->t->user_data_offset);
        err = lull_printf_warn(r->t, &w);
    }
    return err;
}

// The value of one of the two keys.
LULL_MUST_USE static struct lull_error *read_value(struct reader *r, const struct lull_msgpack *key,
                                                   struct lull_error *(*row)(struct reader *r,
                                                                             size_t i))
{
    struct lull_msgpack m = {0};
    if (lull_msgpack_is(key, ".strings")) {
        return read_list(r, row);
    }
    if (lull_msgpack_is(key, ".user_data_offset")) {
        return read_offset(r);
    }
    if (!lull_msgpack_is(key, ".version")) {
        return skip_pair(r, key);
    }
    struct lull_error *err = expect(r, LULL_MSGPACK_UINT, ".version is not a number", &m);
    if (err == NULL && m.u != 1) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "version %" PRIu64 "; 1 is known", m.u);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *read_strings(struct reader *r,
                                                     struct lull_error *(*row)(struct reader *r,
                                                                               size_t i))
{
    struct lull_msgpack map = {0};
    struct lull_error *err = expect(r, LULL_MSGPACK_MAP, "not a map", &map);
    for (size_t i = 0; err == NULL && i < map.size; i++) {
        struct lull_msgpack key = {0};
        err = next(r, &key);
        if (err == NULL) {
            err = read_value(r, &key, row);
        }
    }
    return err;
}

static int by_id(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->s->id != y->s->id) {
        return x->s->id < y->s->id ? -1 : 1;
    }
    return x->number < y->number ? -1 : x->number > y->number;
}

// The next row with this id that has no extras yet, or NULL.
static struct lull_printf_string *take_row(struct reader *r, uint64_t id)
{
    size_t low = 0, high = r->nrows;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (r->rows[mid].s->id < id) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    if (low == r->nrows || r->rows[low].s->id != id) {
        return NULL;
    }
    const size_t i = low + r->rows[low].taken;
    if (i == r->nrows || r->rows[i].s->id != id) {
        return NULL;
    }
    r->rows[low].taken++;
    return r->rows[i].s;
}

// "s32,f32x4" for s. False: no such list, or it contradicts the plain row.
static bool parse_types(const char *text, size_t size, const struct lull_printf_string *s,
                        struct lull_printf_type *types, size_t *ret_count)
{
    size_t n = 0, scalar = 0;
    for (size_t at = 0; at < size; n++) {
        const char *comma = memchr(text + at, ',', size - at);
        const size_t end = comma != NULL ? (size_t)(comma - text) : size;
        if (!lull_printf_type_parse(text + at, end - at, &types[n]) ||
            types[n].count > s->nscalars - scalar) {
            return false;
        }
        const bool wide = lull_printf_scalar_dwords(types[n].scalar) == 2;
        for (uint32_t k = 0; k < types[n].count; k++, scalar++) {
            const uint64_t word = scalar / 64 < s->nmask ? s->mask64[scalar / 64] : 0;
            if ((word >> scalar % 64 & 1) != wide) {
                return false;
            }
        }
        at = end + 1;
    }
    *ret_count = n;
    return scalar == s->nscalars;
}

// A row of the extra list.
struct extra {
    struct lull_msgpack id, types, records, literal, stream;
};

LULL_MUST_USE static struct lull_error *attach(struct reader *r, size_t i, const struct extra *x)
{
    const struct lull_msgpack *types = &x->types;
    struct lull_printf_string *s = take_row(r, x->id.u);
    if (s == NULL) {
        return warn_row(r, i, "of " LULL_PRINTF_KEY_EXTRA " is not in " LULL_PRINTF_KEY_PLAIN);
    }
    size_t n = 1;
    for (size_t k = 0; k < types->size; k++) {
        n += types->data[k] == ',';
    }
    struct lull_printf_type *list = lull_arena_calloc(&r->t->arena, n, sizeof *list);
    if (list == NULL) {
        return &lull_enomem;
    }
    if (!parse_types((const char *)types->data, types->size, s, list, &n)) {
        return warn_row(
            r, i, "of " LULL_PRINTF_KEY_EXTRA " has types that contradict " LULL_PRINTF_KEY_PLAIN);
    }
    s->types = list;
    s->ntypes = n;
    s->records = (unsigned)x->records.u;
    s->literal = x->literal.u != 0;
    s->stream = x->stream.u != 0;
    s->own = true;
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_extra_value(struct reader *r,
                                                         const struct lull_msgpack *key,
                                                         struct extra *x)
{
    if (lull_msgpack_is(key, ".index")) {
        return expect(r, LULL_MSGPACK_UINT, ".index is not a number", &x->id);
    }
    if (lull_msgpack_is(key, ".types")) {
        return expect(r, LULL_MSGPACK_STR, ".types is not text", &x->types);
    }
    if (lull_msgpack_is(key, ".records")) {
        return expect(r, LULL_MSGPACK_UINT, ".records is not a number", &x->records);
    }
    if (lull_msgpack_is(key, ".literal")) {
        return expect(r, LULL_MSGPACK_BOOL, ".literal is not a truth value", &x->literal);
    }
    if (lull_msgpack_is(key, ".stream")) {
        return expect(r, LULL_MSGPACK_BOOL, ".stream is not a truth value", &x->stream);
    }
    return skip_pair(r, key);
}

LULL_MUST_USE static struct lull_error *read_extra_row(struct reader *r, size_t i)
{
    struct extra x = {0};
    struct lull_msgpack map = {0};
    struct lull_error *err = expect(r, LULL_MSGPACK_MAP, "not a map", &map);
    for (size_t k = 0; err == NULL && k < map.size; k++) {
        struct lull_msgpack key = {0};
        err = next(r, &key);
        err = err != NULL ? err : read_extra_value(r, &key, &x);
    }
    if (err != NULL) {
        return lull_error_in(err, "string %zu", i);
    }
    if (x.types.kind != LULL_MSGPACK_STR || x.id.kind != LULL_MSGPACK_UINT) {
        return warn_row(r, i, "of " LULL_PRINTF_KEY_EXTRA " has no .index or no .types");
    }
    if ((x.records.u & ~(uint64_t)LULL_PRINTF_RECORD_ALL) != 0) {
        return warn_row(r, i, "of " LULL_PRINTF_KEY_EXTRA " has .records that are not known");
    }
    return attach(r, i, &x);
}

// Both keys of a document; extras last, since they refer to the other. The first key's value alone
// is a document, too.
LULL_MUST_USE static struct lull_error *read_document(struct reader *r)
{
    struct lull_msgpack map = {0};
    struct lull_cur extra = {0};
    struct lull_error *err = expect(r, LULL_MSGPACK_MAP, "not a map", &map);
    for (size_t i = 0; err == NULL && i < map.size; i++) {
        struct lull_msgpack key = {0};
        err = next(r, &key);
        if (err != NULL) {
            break;
        }
        if (lull_msgpack_is(&key, LULL_PRINTF_KEY_PLAIN)) {
            err = lull_error_in(read_strings(r, read_plain_row), LULL_PRINTF_KEY_PLAIN);
        } else {
            extra = lull_msgpack_is(&key, LULL_PRINTF_KEY_EXTRA) ? r->c : extra;
            err = lull_msgpack_is(&key, ".strings") ? read_list(r, read_plain_row)
                                                    : skip_pair(r, &key);
        }
    }
    if (r->nrows > 0) {
        qsort(r->rows, r->nrows, sizeof *r->rows, by_id);
    }
    if (extra.pos != NULL && err == NULL) {
        r->c = extra;
        err = lull_error_in(read_strings(r, read_extra_row), LULL_PRINTF_KEY_EXTRA);
    }
    return err;
}

struct lull_error *lull_printf_table_read(struct lull_printf_table *t, const void *data,
                                          size_t size, const char *name, size_t *ret_count)
{
    struct reader r = {.t = t, .c = lull_cur_of(data, size)};
    struct lull_error *err = lull_printf_add_source(t, name);
    if (err != NULL) {
        return err;
    }
    err = read_document(&r);
    struct lull_error *second = NULL;
    for (size_t i = 0; second == NULL && i < r.nrows; i++) {
        second = lull_printf_unite(t, r.rows[i].s);
    }
    for (size_t i = 0; second == NULL && i < r.nrows; i++) {
        second = lull_printf_warn_shapes(t, r.rows[i].s);
    }
    if (ret_count != NULL) {
        *ret_count = r.nrows;
    }
    free(r.rows);
    if (err != NULL) {
        lull_error_free(second);
        return err;
    }
    return second;
}

// All metadata notes of one section or segment.
LULL_MUST_USE static struct lull_error *read_notes(struct lull_printf_table *t,
                                                   struct lull_cur notes, const char *name,
                                                   size_t *notes_seen, size_t *count)
{
    struct lull_elf_note note = {0};
    struct lull_error *err = NULL;
    int n = 0;
    while (err == NULL && (n = lull_elf_next_note(&notes, &note)) > 0) {
        if ((note.type == NT_AMDGPU_METADATA && strcmp(note.name, "AMDGPU") == 0) ||
            (note.type == LULL_PRINTF_NOTE_TYPE && strcmp(note.name, LULL_PRINTF_NOTE_NAME) == 0)) {
            size_t here = 0;
            err = lull_printf_table_read(t, note.data.pos, lull_cur_left(&note.data), name, &here);
            err = lull_error_in(err, "AMDGPU metadata");
            *count += here;
            ++*notes_seen;
        }
    }
    if (err == NULL && n < 0) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "malformed note at byte %zu",
                             (size_t)(notes.pos - notes.start));
    }
    return err;
}

LULL_MUST_USE static struct lull_error *load_elf(struct lull_printf_table *t, const void *data,
                                                 size_t size, const char *name, size_t *count)
{
    enum { PT_NOTE_TYPE = 4 };
    struct lull_elf elf = {0};
    size_t notes = 0;
    struct lull_error *err = lull_elf_parse(data, size, &elf);
    for (size_t i = 0; err == NULL && i < elf.nsections; i++) {
        if (elf.sections[i].type == LULL_ELF_NOTE) {
            err = read_notes(t, elf.sections[i].data, name, &notes, count);
        }
    }
    for (size_t i = 0; err == NULL && notes == 0 && i < elf.nsegments; i++) {
        if (elf.segments[i].type == PT_NOTE_TYPE) {
            err = read_notes(t, elf.segments[i].data, name, &notes, count);
        }
    }
    if (err == NULL && notes == 0) {
        err = lull_error_new(LULL_ERR_NOT_FOUND, "no AMDGPU metadata note");
    }
    lull_elf_done(&elf);
    return err;
}

struct lull_error *lull_printf_table_load(struct lull_printf_table *t, const void *data,
                                          size_t size, const char *name, size_t *ret_count)
{
    size_t count = 0;
    struct lull_error *err = size >= 4 && memcmp(data, "\177ELF", 4) == 0
                                 ? load_elf(t, data, size, name, &count)
                                 : lull_printf_table_read(t, data, size, name, &count);
    if (ret_count != NULL) {
        *ret_count = count;
    }
    return err;
}
