// SPDX-License-Identifier: MIT
// What the records stand in: maps by handle, lists, copies of texts; and complaints.
#include <stdlib.h>
#include <string.h>

#include "image/names_priv.h"

static size_t slot_of(const struct lull_names_map *m, uint64_t kind, uint64_t handle)
{
    uint64_t h = (handle ^ kind << 48) * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(h >> 20) & (m->room - 1);
    while (m->keys[at].kind != UINT64_MAX &&
           (m->keys[at].kind != kind || m->keys[at].handle != handle)) {
        at = (at + 1) & (m->room - 1);
    }
    return at;
}

void *lull_names_get(const struct lull_names_map *m, uint64_t kind, uint64_t handle)
{
    return m->room == 0 ? NULL : m->keys[slot_of(m, kind, handle)].value;
}

LULL_MUST_USE static struct lull_error *grow_map(struct lull_names_map *m)
{
    struct lull_names_map more = {.room = m->room != 0 ? 2 * m->room : 256};
    more.keys = calloc(more.room, sizeof *more.keys);
    if (more.keys == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < more.room; i++) {
        more.keys[i].kind = UINT64_MAX;
    }
    for (size_t i = 0; i < m->room; i++) {
        if (m->keys[i].kind != UINT64_MAX) {
            more.keys[slot_of(&more, m->keys[i].kind, m->keys[i].handle)] = m->keys[i];
            more.count++;
        }
    }
    free(m->keys);
    *m = more;
    return NULL;
}

struct lull_error *lull_names_put(struct lull_names_map *m, uint64_t kind, uint64_t handle,
                                  void *value)
{
    if (2 * (m->count + 1) > m->room) {
        struct lull_error *err = grow_map(m);
        if (err != NULL) {
            return err;
        }
    }
    struct lull_names_key *k = &m->keys[slot_of(m, kind, handle)];
    m->count += k->kind == UINT64_MAX;
    *k = (struct lull_names_key){.kind = kind, .handle = handle, .value = value};
    return NULL;
}

struct lull_error *lull_names_add(struct lull_names_list *l, void *item)
{
    if (l->count == l->room) {
        size_t room = 2 * l->room + 16;
        void **items = realloc(l->items, room * sizeof *items);
        if (items == NULL) {
            return &lull_enomem;
        }
        l->items = items;
        l->room = room;
    }
    l->items[l->count++] = item;
    return NULL;
}

struct lull_error *lull_names_copy(struct lull_names *n, const char *text, const char **ret)
{
    size_t size = strlen(text) + 1;
    char *copy = lull_arena_calloc(&n->arena, 1, size);
    if (copy == NULL) {
        return &lull_enomem;
    }
    memcpy(copy, text, size);
    *ret = copy;
    return NULL;
}

struct lull_error *lull_names_handle(const json_t *v, const char *key, uint64_t *ret)
{
    const char *text = json_string_value(v);
    char *end = NULL;
    if (text == NULL || text[0] != '0' || text[1] != 'x' || text[2] == '\0' || strlen(text) > 18) {
        return lull_error_new(LULL_ERR_BAD_DATA, "'%s' is not a handle \"0x...\"", key);
    }
    uint64_t value = strtoull(text + 2, &end, 16);
    if (*end != '\0' || text[2] == '-' || text[2] == '+' || text[2] == ' ') {
        return lull_error_new(LULL_ERR_BAD_DATA, "'%s' is not a handle \"0x...\"", key);
    }
    *ret = value;
    return NULL;
}

struct lull_error *lull_names_complain(struct lull_names *n, size_t line, struct lull_error *err)
{
    n->ncomplaints++;
    struct lull_names_complaint *c = n->complaints.count < LULL_NAMES_COMPLAINTS
                                         ? lull_arena_calloc(&n->arena, 1, sizeof *c)
                                         : NULL;
    struct lull_error *problem = NULL;
    if (c != NULL) {
        c->line = line;
        c->text = "";
        problem = lull_names_copy(n, lull_error_message(err), &c->text);
        if (problem == NULL) {
            problem = lull_names_add(&n->complaints, c);
        }
    }
    lull_error_free(err);
    return problem;
}
