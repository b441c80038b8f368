// SPDX-License-Identifier: MIT
#include "file/msgtree.h"

#include <string.h>

#include "file/msgpack_write.h"

static bool compound(const struct lull_msgtree *t)
{
    return t->m.kind == LULL_MSGPACK_ARRAY || t->m.kind == LULL_MSGPACK_MAP;
}

void lull_msgtree_append(struct lull_msgtree *t, struct lull_msgtree *item)
{
    if (t->last != NULL) {
        t->last->next = item;
    } else {
        t->first = item;
    }
    t->last = item;
    t->m.size++;
}

LULL_MUST_USE static struct lull_error *read_head(struct lull_arena *a, struct lull_cur *c,
                                                  struct lull_msgtree **ret)
{
    struct lull_msgtree *t = lull_arena_calloc(a, 1, sizeof *t);
    if (t == NULL) {
        return &lull_enomem;
    }
    const int n = lull_msgpack_next(c, &t->m);
    if (n < 0) {
        return lull_error_new(LULL_ERR_BAD_DATA, "%s at byte %zu",
                              n == LULL_MSGPACK_TRUNCATED ? "cut" : "reserved byte",
                              (size_t)(c->pos - c->start));
    }
    *ret = t;
    return NULL;
}

// A compound object that is being filled.
struct level {
    struct lull_msgtree *t;
    size_t left; // items or pairs still to come
};

// Leaves the key of a map's next pair in *key; keys are scalars.
LULL_MUST_USE static struct lull_error *read_key(struct lull_arena *a, struct lull_cur *c,
                                                 const struct lull_msgtree *map,
                                                 struct lull_msgtree **key)
{
    *key = NULL;
    if (map == NULL || map->m.kind != LULL_MSGPACK_MAP) {
        return NULL;
    }
    struct lull_error *err = read_head(a, c, key);
    if (err == NULL && compound(*key)) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "an array or map as key, before byte %zu",
                             (size_t)(c->pos - c->start));
    }
    return err;
}

struct lull_error *lull_msgtree_read(struct lull_arena *a, struct lull_cur *c,
                                     struct lull_msgtree **ret)
{
    struct level levels[LULL_MSGTREE_DEPTH];
    size_t depth = 0;
    struct lull_msgtree *top = NULL;
    *ret = NULL;
    do {
        struct level *in = depth > 0 ? &levels[depth - 1] : NULL;
        struct lull_msgtree *key = NULL, *t = NULL;
        struct lull_error *err = read_key(a, c, in != NULL ? in->t : NULL, &key);
        err = err != NULL ? err : read_head(a, c, &t);
        if (err != NULL) {
            return err;
        }
        t->key = key;
        top = top != NULL ? top : t;
        *ret = top;
        if (in != NULL) {
            lull_msgtree_append(in->t, t);
            in->left--;
        }
        const size_t items = compound(t) ? t->m.size : 0;
        if (items > 0) {
            if (depth == LULL_MSGTREE_DEPTH) {
                t->m.size = 0;
                return lull_error_new(LULL_ERR_BAD_DATA, "more than %d levels at byte %zu",
                                      LULL_MSGTREE_DEPTH, (size_t)(c->pos - c->start));
            }
            levels[depth++] = (struct level){.t = t, .left = items};
            t->m.size = 0; // counted again as they come
        }
        while (depth > 0 && levels[depth - 1].left == 0) {
            depth--;
        }
    } while (depth > 0);
    return NULL;
}

// No deeper than what was read, plus what the program builds.
void lull_msgtree_write(const struct lull_msgtree *t, struct lull_str *to)
{
    if (t->raw != NULL) {
        lull_str_add(to, t->raw->text, t->raw->size);
        return;
    }
    lull_msgpack_put(to, &t->m);
    for (const struct lull_msgtree *i = t->first; i != NULL; i = i->next) {
        if (t->m.kind == LULL_MSGPACK_MAP) {
            lull_msgpack_put(to, &i->key->m);
        }
        lull_msgtree_write(i, to);
    }
}

static uint64_t bits_of(double f)
{
    uint64_t bits = 0;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

bool lull_msgtree_equal(const struct lull_msgpack *a, const struct lull_msgpack *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    switch (a->kind) {
    case LULL_MSGPACK_NIL:
        return true;
    case LULL_MSGPACK_BOOL:
    case LULL_MSGPACK_UINT:
        return a->u == b->u;
    case LULL_MSGPACK_INT:
        return a->i == b->i;
    case LULL_MSGPACK_FLOAT:
        return bits_of(a->f) == bits_of(b->f);
    case LULL_MSGPACK_EXT:
        if (a->ext != b->ext) {
            return false;
        }
        break;
    case LULL_MSGPACK_STR:
    case LULL_MSGPACK_BIN:
        break;
    case LULL_MSGPACK_ARRAY:
    case LULL_MSGPACK_MAP:
        return a->size == 0 && b->size == 0;
    }
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

struct lull_msgtree *lull_msgtree_same(const struct lull_msgtree *t, const struct lull_msgtree *key)
{
    const bool map = t != NULL && t->m.kind == LULL_MSGPACK_MAP;
    struct lull_msgtree *i = map ? t->first : NULL;
    while (i != NULL && !lull_msgtree_equal(&i->key->m, &key->m)) {
        i = i->next;
    }
    return i;
}

struct lull_msgtree *lull_msgtree_get(const struct lull_msgtree *t, const char *key)
{
    const struct lull_msgtree k = {
        .m = {.kind = LULL_MSGPACK_STR, .data = (const uint8_t *)key, .size = strlen(key)}};
    return lull_msgtree_same(t, &k);
}

// Numbers before strings, as LLVM sorts them; other kinds stay where they are.
static bool before(const struct lull_msgpack *a, const struct lull_msgpack *b)
{
    if (a->kind != b->kind) {
        return a->kind < b->kind;
    }
    if (a->kind == LULL_MSGPACK_UINT) {
        return a->u < b->u;
    }
    if (a->kind != LULL_MSGPACK_STR) {
        return false;
    }
    const size_t size = a->size < b->size ? a->size : b->size;
    const int order = size != 0 ? memcmp(a->data, b->data, size) : 0;
    return order != 0 ? order < 0 : a->size < b->size;
}

void lull_msgtree_insert(struct lull_msgtree *t, struct lull_msgtree *key,
                         struct lull_msgtree *value)
{
    struct lull_msgtree *last = NULL;
    for (struct lull_msgtree *i = t->first; i != NULL && !before(&key->m, &i->key->m);
         i = i->next) {
        last = i;
    }
    value->key = key;
    value->next = last != NULL ? last->next : t->first;
    if (last != NULL) {
        last->next = value;
    } else {
        t->first = value;
    }
    t->last = value->next == NULL ? value : t->last;
    t->m.size++;
}

void lull_msgtree_remove(struct lull_msgtree *t, const char *key)
{
    const struct lull_msgtree *gone = lull_msgtree_get(t, key);
    struct lull_msgtree *last = NULL;
    for (struct lull_msgtree *i = gone != NULL ? t->first : NULL; i != NULL; i = i->next) {
        if (i != gone) {
            last = i;
            continue;
        }
        if (last != NULL) {
            last->next = i->next;
        } else {
            t->first = i->next;
        }
        t->last = t->last == i ? last : t->last;
        t->m.size--;
        return;
    }
}

static struct lull_msgtree *make(struct lull_arena *a, const struct lull_msgpack *m)
{
    struct lull_msgtree *t = lull_arena_calloc(a, 1, sizeof *t);
    if (t != NULL) {
        t->m = *m;
    }
    return t;
}

struct lull_msgtree *lull_msgtree_text(struct lull_arena *a, const char *text)
{
    return make(a, &(struct lull_msgpack){.kind = LULL_MSGPACK_STR,
                                          .data = (const uint8_t *)text,
                                          .size = strlen(text)});
}

struct lull_msgtree *lull_msgtree_uint(struct lull_arena *a, uint64_t value)
{
    return make(a, &(struct lull_msgpack){.kind = LULL_MSGPACK_UINT, .u = value});
}

struct lull_msgtree *lull_msgtree_number(struct lull_arena *a, struct lull_msgtree *t,
                                         const char *key)
{
    struct lull_msgtree *value = lull_msgtree_get(t, key);
    if (value != NULL) {
        return value;
    }
    struct lull_msgtree *k = lull_msgtree_text(a, key);
    value = lull_msgtree_uint(a, 0);
    if (k == NULL || value == NULL) {
        return NULL;
    }
    lull_msgtree_insert(t, k, value);
    return value;
}
