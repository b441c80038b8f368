// SPDX-License-Identifier: MIT
#include "printf/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "printf/id.h"
#include "printf/plan.h"
#include "printf/table_priv.h"

struct lull_error *lull_printf_table_new(struct lull_printf_table **ret)
{
    struct lull_printf_table *t = calloc(1, sizeof *t);
    if (t == NULL) {
        return &lull_enomem;
    }
    t->user_data_offset = -1;
    *ret = t;
    return NULL;
}

void lull_printf_table_free(struct lull_printf_table *t)
{
    if (t != NULL) {
        free(t->strings.items);
        free(t->warnings.items);
        free(t->sources.items);
        free(t->slots);
        lull_arena_done(&t->arena);
        free(t);
    }
}

LULL_MUST_USE static struct lull_error *list_add(struct lull_printf_list *list, void *item)
{
    if (list->count == list->room) {
        const size_t room = list->room == 0 ? 16 : 2 * list->room;
        void **items = realloc(list->items, room * sizeof *items);
        if (items == NULL) {
            return &lull_enomem;
        }
        list->items = items;
        list->room = room;
    }
    list->items[list->count++] = item;
    return NULL;
}

char *lull_printf_keep(struct lull_printf_table *t, const char *text, size_t size)
{
    char *copy = lull_arena_calloc(&t->arena, size + 1, 1);
    if (copy != NULL && size > 0) {
        memcpy(copy, text, size);
    }
    return copy;
}

struct lull_error *lull_printf_warn(struct lull_printf_table *t, struct lull_str *message)
{
    enum { MOST = 1000 };
    struct lull_error *err = message->err;
    if (err == NULL && t->warnings.count < MOST) {
        char *copy = lull_printf_keep(t, lull_str_text(message), message->size);
        err = copy == NULL ? &lull_enomem : list_add(&t->warnings, copy);
    }
    lull_str_free(message);
    return err;
}

void lull_printf_quote(struct lull_str *to, const char *text, size_t size)
{
    enum { SHOWN = 40 };
    lull_str_add(to, "\"", 1);
    for (size_t i = 0; i < size && i < SHOWN; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c == '\n') {
            lull_str_add(to, "\\n", 2);
        } else if (c < ' ' || c == 0x7f || c == '"' || c == '\\') {
            lull_str_addf(to, "\\x%02x", c);
        } else {
            lull_str_add(to, &text[i], 1);
        }
    }
    lull_str_addf(to, "\"%s", size > SHOWN ? "..." : "");
}

struct lull_error *lull_printf_add_source(struct lull_printf_table *t, const char *name)
{
    char *copy = lull_printf_keep(t, name, strlen(name));
    return copy == NULL ? &lull_enomem : list_add(&t->sources, copy);
}

const char *lull_printf_table_source(const struct lull_printf_table *t, unsigned source)
{
    return source == 0 || source > t->sources.count ? "" : t->sources.items[source - 1];
}

unsigned lull_printf_record_dwords(unsigned records)
{
    return (records & LULL_PRINTF_DISPATCH) + ((records & LULL_PRINTF_WORKGROUP) != 0 ? 3u : 0) +
           ((records & LULL_PRINTF_WAVE) != 0) + ((records & LULL_PRINTF_LANE) != 0) +
           ((records & LULL_PRINTF_SITE) != 0) + ((records & LULL_PRINTF_PIPELINE) != 0);
}

size_t lull_printf_entry_dwords(const struct lull_printf_string *s)
{
    size_t n = 2 + (size_t)s->nscalars + lull_printf_record_dwords(s->records);
    for (size_t i = 0; i < s->nmask; i++) {
        n += (unsigned)__builtin_popcountll(s->mask64[i]);
    }
    return n;
}

// Where the search for id starts. Ids are hashes, but those of files may be anything.
static size_t slot_of(const struct lull_printf_table *t, uint64_t id)
{
    return (size_t)(id * 0x9e3779b97f4a7c15 >> 20) & (t->nslots - 1);
}

static void put_slot(struct lull_printf_table *t, size_t index)
{
    const struct lull_printf_string *s = t->strings.items[index];
    size_t i = slot_of(t, s->id);
    while (t->slots[i] != 0) {
        i = (i + 1) & (t->nslots - 1);
    }
    t->slots[i] = (uint32_t)index + 1;
}

LULL_MUST_USE static struct lull_error *grow(struct lull_printf_table *t)
{
    if (2 * (t->strings.count + 1) <= t->nslots) {
        return NULL;
    }
    const size_t n = t->nslots == 0 ? 64 : 2 * t->nslots;
    uint32_t *slots = calloc(n, sizeof *slots);
    if (slots == NULL) {
        return &lull_enomem;
    }
    free(t->slots);
    t->slots = slots;
    t->nslots = n;
    for (size_t i = 0; i < t->strings.count; i++) {
        put_slot(t, i);
    }
    return NULL;
}

size_t lull_printf_table_find(const struct lull_printf_table *t, uint64_t id,
                              const struct lull_printf_string **ret, size_t room)
{
    size_t n = 0;
    for (size_t i = t->nslots != 0 ? slot_of(t, id) : 0; t->nslots != 0 && t->slots[i] != 0;
         i = (i + 1) & (t->nslots - 1)) {
        const struct lull_printf_string *s = t->strings.items[t->slots[i] - 1];
        if (s->id == id) {
            if (n < room) {
                ret[n] = s;
            }
            n++;
        }
    }
    return n;
}

static bool same_text(const struct lull_printf_string *a, const struct lull_printf_string *b)
{
    return a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

static bool same_types(const struct lull_printf_string *a, const struct lull_printf_string *b)
{
    if (a->ntypes != b->ntypes || (a->types == NULL) != (b->types == NULL)) {
        return false;
    }
    for (size_t i = 0; i < a->ntypes; i++) {
        const struct lull_printf_type *x = &a->types[i], *y = &b->types[i];
        if (x->scalar != y->scalar || x->sign != y->sign || x->count != y->count) {
            return false;
        }
    }
    return true;
}

static bool same_scalars(const struct lull_printf_string *a, const struct lull_printf_string *b)
{
    return a->nscalars == b->nscalars && a->nmask == b->nmask &&
           (a->nmask == 0 || memcmp(a->mask64, b->mask64, a->nmask * sizeof *a->mask64) == 0);
}

static bool same_shape(const struct lull_printf_string *a, const struct lull_printf_string *b)
{
    return same_scalars(a, b) && same_types(a, b) && a->records == b->records && a->own == b->own &&
           a->stream == b->stream;
}

void lull_printf_show_shape(struct lull_str *to, const struct lull_printf_string *s)
{
    lull_str_addf(to, "(");
    for (size_t i = 0; i < s->ntypes; i++) {
        lull_str_addf(to, "%s", i > 0 ? ", " : "");
        lull_printf_type_name(to, &s->types[i]);
    }
    if (s->types == NULL && s->nscalars > 0) {
        lull_str_addf(to, "%" PRIu32 " scalar%s in %zu dwords", s->nscalars,
                      s->nscalars == 1 ? "" : "s",
                      lull_printf_entry_dwords(s) - 2 - lull_printf_record_dwords(s->records));
    }
    lull_str_addf(to, ")");
}

struct lull_error *lull_printf_warn_pair(struct lull_printf_table *t,
                                         const struct lull_printf_string *old,
                                         const struct lull_printf_string *s)
{
    if (same_text(old, s) && (old->literal || s->literal || old->stream != s->stream)) {
        return NULL; // a text that is printed by %s, too, or both ways
    }
    struct lull_str m = {0};
    if (s->source != 0) {
        lull_str_addf(&m, "%s: ", lull_printf_table_source(t, s->source));
    }
    lull_printf_quote(&m, s->text, s->size);
    lull_printf_show_shape(&m, s);
    if (same_text(old, s)) {
        lull_str_addf(&m, " has another shape of arguments than ");
    } else {
        lull_str_addf(&m, " and ");
        lull_printf_quote(&m, old->text, old->size);
    }
    lull_printf_show_shape(&m, old);
    if (old->source != 0 && old->source != s->source) {
        lull_str_addf(&m, " of %s", lull_printf_table_source(t, old->source));
    }
    lull_str_addf(&m, "%s 0x%012" PRIx64, same_text(old, s) ? ", id" : " have one id,", old->id);
    return lull_printf_warn(t, &m);
}

LULL_MUST_USE static struct lull_error *insert(struct lull_printf_table *t,
                                               struct lull_printf_string *s)
{
    const struct lull_printf_payload shape = {
        .types = s->types, .ntypes = s->ntypes, .mask64 = s->mask64, .nmask = s->nmask};
    s->dwords = lull_printf_entry_dwords(s);
    s->plan = s->literal ? NULL : lull_printf_plan_new(&t->arena, s->text, s->size, &shape);
    struct lull_error *err = grow(t);
    if (err == NULL) {
        err = list_add(&t->strings, s);
    }
    if (err == NULL) {
        put_slot(t, t->strings.count - 1);
    }
    return err;
}

struct lull_error *lull_printf_unite(struct lull_printf_table *t, struct lull_printf_string *s)
{
    const struct lull_printf_string *found[LULL_PRINTF_MAX_SAME_ID] = {0};
    const size_t n = lull_printf_table_find(t, s->id, found, LULL_PRINTF_MAX_SAME_ID);
    s->sources = s->source > 0 && s->source <= 64 ? (uint64_t)1 << (s->source - 1) : 0;
    for (size_t i = 0; i < n; i++) {
        if (same_text(found[i], s) && same_shape(found[i], s)) {
            ((struct lull_printf_string *)(uintptr_t)found[i])->sources |= s->sources;
            return NULL;
        }
    }
    if (n == LULL_PRINTF_MAX_SAME_ID) {
        ((struct lull_printf_string *)(uintptr_t)found[0])->more = true;
        struct lull_str m = {0};
        lull_str_addf(&m, "%s: more than %d strings have the id 0x%012" PRIx64,
                      lull_printf_table_source(t, s->source), LULL_PRINTF_MAX_SAME_ID, s->id);
        return lull_printf_warn(t, &m);
    }
    struct lull_error *err = n > 0 ? lull_printf_warn_pair(t, found[0], s) : NULL;
    return err != NULL ? err : insert(t, s);
}

struct lull_error *lull_printf_warn_shapes(struct lull_printf_table *t,
                                           const struct lull_printf_string *s)
{
    const struct lull_printf_string *found = NULL;
    const uint64_t id = lull_printf_id(s->text, s->size, 0);
    if (s->id == id || s->literal || lull_printf_table_find(t, id, &found, 1) == 0 ||
        !same_text(found, s)) {
        return NULL;
    }
    return lull_printf_warn_pair(t, found, s);
}

// Types into scalars and their mask.
LULL_MUST_USE static struct lull_error *flatten(struct lull_printf_table *t,
                                                struct lull_printf_string *s)
{
    uint64_t scalars = 0;
    for (size_t i = 0; i < s->ntypes && scalars <= LULL_PRINTF_MAX_DWORDS; i++) {
        scalars += s->types[i].count;
    }
    if (scalars > LULL_PRINTF_MAX_DWORDS) {
        return lull_error_new(LULL_ERR_INVALID, "more than %d dwords in one printf entry",
                              LULL_PRINTF_MAX_DWORDS);
    }
    s->nscalars = (uint32_t)scalars;
    uint64_t *mask = lull_arena_calloc(&t->arena, (s->nscalars + 63) / 64 + 1, sizeof *mask);
    if (mask == NULL) {
        return &lull_enomem;
    }
    size_t j = 0;
    for (size_t i = 0; i < s->ntypes; i++) {
        const uint64_t wide = lull_printf_scalar_dwords(s->types[i].scalar) == 2;
        for (uint32_t k = 0; k < s->types[i].count; k++, j++) {
            mask[j / 64] |= wide << j % 64;
            s->nmask = wide != 0 ? j / 64 + 1 : s->nmask;
        }
    }
    s->mask64 = mask;
    const size_t dwords = lull_printf_entry_dwords(s);
    if (dwords > LULL_PRINTF_MAX_DWORDS) {
        return lull_error_new(LULL_ERR_INVALID, "a printf entry of %zu dwords; the limit is %d",
                              dwords, LULL_PRINTF_MAX_DWORDS);
    }
    return NULL;
}

// Of the shape: the salt of strings whose own id is taken. Never 0.
static uint64_t salt_of(const struct lull_printf_string *s)
{
    uint64_t salt = s->records | (s->stream ? LULL_PRINTF_STREAM : 0);
    for (size_t i = 0; i < s->ntypes; i++) {
        const uint32_t type[3] = {s->types[i].scalar, s->types[i].sign, s->types[i].count};
        salt = lull_siphash(salt, i, type, sizeof type);
    }
    return salt | 1;
}

// An id for s: that of an equal string (true), or one that no other has.
static bool choose_id(const struct lull_printf_table *t, struct lull_printf_string *s,
                      const struct lull_printf_string **ret_taken_by)
{
    uint64_t salt = 0;
    for (;;) {
        const struct lull_printf_string *found[LULL_PRINTF_MAX_SAME_ID] = {0};
        s->id = lull_printf_id(s->text, s->size, salt);
        const size_t n = lull_printf_table_find(t, s->id, found, LULL_PRINTF_MAX_SAME_ID);
        if (n == 0) {
            return false;
        }
        for (size_t i = 0; i < n; i++) {
            if (same_text(found[i], s) && same_shape(found[i], s)) {
                return true;
            }
        }
        *ret_taken_by = *ret_taken_by == NULL ? found[0] : *ret_taken_by;
        salt = salt == 0 ? salt_of(s) : salt + 1;
    }
}

LULL_MUST_USE static struct lull_error *add(struct lull_printf_table *t, const char *text,
                                            size_t size, const struct lull_printf_type *types,
                                            size_t ntypes, int records, uint64_t *ret_id)
{
    const bool stream = records >= 0 && (records & LULL_PRINTF_STREAM) != 0;
    struct lull_printf_string *s = lull_arena_calloc(&t->arena, 1, sizeof *s);
    struct lull_printf_type *kept = lull_arena_calloc(&t->arena, ntypes + 1, sizeof *kept);
    const char *copy = lull_printf_keep(t, text, size);
    if (s == NULL || kept == NULL || copy == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < ntypes; i++) {
        kept[i] = types[i];
    }
    *s = (struct lull_printf_string){
        .text = copy,
        .size = size,
        .types = kept,
        .ntypes = ntypes,
        .records = records < 0 ? 0 : (unsigned)records & LULL_PRINTF_RECORD_ALL,
        .literal = records < 0,
        .stream = stream,
        .own = true};
    const struct lull_printf_string *taken_by = NULL;
    struct lull_error *err = flatten(t, s);
    if (err == NULL && !choose_id(t, s, &taken_by)) {
        if (taken_by != NULL) {
            err = lull_printf_warn_pair(t, taken_by, s);
        }
        err = err != NULL ? err : insert(t, s);
    }
    if (err == NULL) {
        *ret_id = s->id;
    }
    return err;
}

struct lull_error *lull_printf_table_add(struct lull_printf_table *t, const char *text, size_t size,
                                         const struct lull_printf_type *types, size_t ntypes,
                                         unsigned records, uint64_t *ret_id)
{
    return add(t, text, size, types, ntypes,
               (int)(records & (LULL_PRINTF_RECORD_ALL | LULL_PRINTF_STREAM)), ret_id);
}

struct lull_error *lull_printf_table_add_literal(struct lull_printf_table *t, const char *text,
                                                 size_t size, uint64_t *ret_id)
{
    return add(t, text, size, NULL, 0, -1, ret_id);
}

void lull_printf_table_set_user_data_offset(struct lull_printf_table *t, int64_t dwords)
{
    t->user_data_offset = dwords;
}

int64_t lull_printf_table_user_data_offset(const struct lull_printf_table *t)
{
    return t->user_data_offset;
}

size_t lull_printf_table_count(const struct lull_printf_table *t)
{
    return t->strings.count;
}

const struct lull_printf_string *lull_printf_table_at(const struct lull_printf_table *t, size_t i)
{
    return t->strings.items[i];
}

size_t lull_printf_table_warnings(const struct lull_printf_table *t)
{
    return t->warnings.count;
}

const char *lull_printf_table_warning(const struct lull_printf_table *t, size_t i)
{
    return t->warnings.items[i];
}
