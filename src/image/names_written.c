// SPDX-License-Identifier: MIT
// Descriptors: lines of kind "set", "write", "copy" and "place", and what a dispatch has bound.
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "image/names_priv.h"
#include "image/names_value.h"

enum { MAX_SLOTS = 1 << 20, MAX_WRITES = 1 << 24, MAX_DYNAMIC = 4096 };

/** What a descriptor was written with. */
struct lull_names_write {
    const struct lull_names_write *before; // Of the same set, earlier.
    size_t line;
    uint32_t set; // Of pushed ones.
    uint32_t binding, element, type;
    const struct lull_names_object *object; // NULL: none.
    uint64_t offset, range;                 // UINT64_MAX: to its end.
    uint32_t level, layer;                  // Of an image.
};

/** A VkDescriptorSet since it was allocated. */
struct lull_names_set {
    const struct lull_names_set_layout *layout; // NULL: not known.
    const struct lull_names_write *last;
};

/** What a dispatch has bound. */
struct lull_names_bound {
    size_t line; // Of its submission: what was written by then counts.
    const struct lull_names_set **sets;
    const json_int_t **offsets; // By set, as many as its dynamic descriptors; NULL: none.
    size_t *noffsets;
    const struct lull_names_write *pushed;
};

struct lull_error *lull_names_read_set(struct lull_names *n, const json_t *o)
{
    uint64_t set = 0, layout = 0;
    struct lull_names_set *to = lull_names_make(n, 1, sizeof *to);
    struct lull_error *err = to == NULL ? &lull_enomem : lull_names_handle_in(o, "set", &set);
    err = err != NULL ? err : lull_names_handle_in(o, "set_layout", &layout);
    if (err != NULL) {
        return err;
    }
    to->layout = lull_names_get(&n->handles, VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, layout);
    return lull_names_put(&n->handles, VK_OBJECT_TYPE_DESCRIPTOR_SET, set, to);
}

const struct lull_names_set_layout *lull_names_set(const struct lull_names *n, uint64_t set)
{
    const struct lull_names_set *s =
        lull_names_get(&n->handles, VK_OBJECT_TYPE_DESCRIPTOR_SET, set);
    return s != NULL ? s->layout : NULL;
}

struct lull_error *lull_names_read_place(struct lull_names *n, const json_t *o)
{
    const bool image = json_object_get(o, "image") != NULL;
    uint64_t handle = 0, address = 0, size = 0;
    struct lull_error *err = lull_names_handle_in(o, image ? "image" : "buffer", &handle);
    err = err != NULL ? err : lull_names_handle_in(o, "address", &address);
    if (err == NULL && image) {
        err = lull_names_u64(o, "size", &size);
    }
    struct lull_names_object *to =
        lull_names_get(&n->handles, image ? VK_OBJECT_TYPE_IMAGE : VK_OBJECT_TYPE_BUFFER, handle);
    if (err == NULL && to != NULL) {
        to->place = address;
        to->place_bytes = image ? size : to->size;
    }
    return err;
}

/** The binding behind @p binding that has descriptors; NULL: none, or not known. */
static const struct lull_names_slot *next_slot(const struct lull_names_set_layout *l,
                                               uint32_t binding, bool itself)
{
    const struct lull_names_slot *best = NULL;
    for (size_t i = 0; l != NULL && i < l->nslots; i++) {
        const struct lull_names_slot *s = &l->slots[i];
        const bool behind = itself ? s->binding >= binding : s->binding > binding;
        if (behind && s->count != 0 && (best == NULL || s->binding < best->binding)) {
            best = s;
        }
    }
    return best;
}

/** Elements behind a binding's last are the next binding's. Source: Vulkan 1.3, "Descriptor Set
 * Updates", consecutive binding updates. */
static void settle(const struct lull_names_set_layout *l, struct lull_names_write *w)
{
    const struct lull_names_slot *s = next_slot(l, w->binding, true);
    while (s != NULL && s->binding == w->binding && w->element >= s->count) {
        const struct lull_names_slot *next = next_slot(l, w->binding, false);
        if (next == NULL) {
            return;
        }
        w->element -= s->count;
        w->binding = next->binding;
        s = next;
    }
}

/** [handle, offset, range] */
LULL_MUST_USE static struct lull_error *read_one(const struct lull_names *n, const json_t *list,
                                                 struct lull_names_write *w)
{
    const bool image = w->type <= VK_DESCRIPTOR_TYPE_STORAGE_IMAGE ||
                       w->type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
    uint64_t handle = 0;
    struct lull_error *err = lull_names_handle(json_array_get(list, 0), "to", &handle);
    err =
        err != NULL ? err : lull_names_number(json_array_get(list, 1), "to", INT64_MAX, &w->offset);
    w->range = UINT64_MAX;
    if (err == NULL && json_array_size(list) > 2) {
        err = lull_names_number(json_array_get(list, 2), "to", INT64_MAX, &w->range);
    }
    w->object =
        lull_names_get(&n->handles, image ? VK_OBJECT_TYPE_IMAGE : VK_OBJECT_TYPE_BUFFER, handle);
    if (image) { // A level and a layer.
        w->level = (uint32_t)w->offset;
        w->layer = w->range != UINT64_MAX ? (uint32_t)w->range : 0;
        w->offset = 0;
        w->range = UINT64_MAX;
    }
    return err;
}

/** Descriptors of @p o become the last of those at *to. */
LULL_MUST_USE static struct lull_error *read_writes(struct lull_names *n, const json_t *o,
                                                    const struct lull_names_set_layout *l,
                                                    uint32_t set,
                                                    const struct lull_names_write **to)
{
    uint32_t binding = 0, element = 0, type = 0;
    const json_t *list = NULL;
    struct lull_error *err = lull_names_u32(o, "binding", &binding);
    err = err != NULL ? err : lull_names_u32(o, "element", &element);
    err = err != NULL ? err : lull_names_u32(o, "type", &type);
    err = err != NULL ? err : lull_names_list_in(o, "to", MAX_SLOTS, &list);
    for (size_t i = 0; err == NULL && i < json_array_size(list) && n->nwrites < MAX_WRITES; i++) {
        struct lull_names_write *w = lull_names_make(n, 1, sizeof *w);
        if (w == NULL) {
            return &lull_enomem;
        }
        *w = (struct lull_names_write){.before = *to,
                                       .line = n->line,
                                       .set = set,
                                       .binding = binding,
                                       .element = element + (uint32_t)i,
                                       .type = type};
        err = read_one(n, json_array_get(list, i), w);
        settle(l, w);
        *to = w;
        n->nwrites++;
    }
    return err;
}

struct lull_error *lull_names_read_write(struct lull_names *n, const json_t *o)
{
    uint64_t handle = 0;
    struct lull_error *err = lull_names_handle_in(o, "set", &handle);
    struct lull_names_set *s = lull_names_get(&n->handles, VK_OBJECT_TYPE_DESCRIPTOR_SET, handle);
    return err != NULL || s == NULL ? err : read_writes(n, o, s->layout, 0, &s->last);
}

/** Is it one of those that are copied? Then its element counts from the first. */
static bool is_copied(const struct lull_names_set *from, const struct lull_names_write *w,
                      uint32_t binding, uint32_t element, uint32_t count, uint32_t *ret)
{
    // Elements behind those of the binding go on in the next one.
    struct lull_names_write first = {.binding = binding, .element = element};
    settle(from->layout, &first);
    if (w->binding == first.binding) {
        *ret = w->element - first.element;
        return w->element >= first.element && *ret < count;
    }
    const struct lull_names_slot *s = next_slot(from->layout, first.binding, true);
    uint64_t at = s != NULL && s->count > first.element ? s->count - first.element : 0;
    while (s != NULL && s->binding < w->binding && at < count) {
        s = next_slot(from->layout, s->binding, false);
        if (s != NULL && s->binding == w->binding) {
            *ret = (uint32_t)at + w->element;
            return at + w->element < count;
        }
        at += s != NULL ? s->count : 0;
    }
    return false;
}

struct lull_error *lull_names_read_copy(struct lull_names *n, const json_t *o)
{
    uint64_t to = 0, from = 0;
    uint32_t at[5] = {0};
    static const char *const keys[] = {"binding", "element", "from_binding", "from_element",
                                       "count"};
    struct lull_error *err = lull_names_handle_in(o, "set", &to);
    err = err != NULL ? err : lull_names_handle_in(o, "from", &from);
    for (size_t i = 0; err == NULL && i < sizeof keys / sizeof keys[0]; i++) {
        err = lull_names_u32(o, keys[i], &at[i]);
    }
    struct lull_names_set *into = lull_names_get(&n->handles, VK_OBJECT_TYPE_DESCRIPTOR_SET, to);
    const struct lull_names_set *of =
        lull_names_get(&n->handles, VK_OBJECT_TYPE_DESCRIPTOR_SET, from);
    if (err != NULL || into == NULL || of == NULL) {
        return err;
    }
    // The newest are met first; they are to be the newest again.
    const struct lull_names_write *last = into->last;
    const struct lull_names_write **end = &into->last;
    for (const struct lull_names_write *w = of->last; w != NULL && n->nwrites < MAX_WRITES;
         w = w->before) {
        uint32_t element = 0;
        if (!is_copied(of, w, at[2], at[3], at[4], &element)) {
            continue;
        }
        struct lull_names_write *copy = lull_names_make(n, 1, sizeof *copy);
        if (copy == NULL) {
            *end = last;
            return &lull_enomem;
        }
        *copy = *w;
        copy->line = n->line;
        copy->binding = at[0];
        copy->element = at[1] + element;
        settle(into->layout, copy);
        *end = copy;
        end = &copy->before;
        n->nwrites++;
    }
    *end = last;
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_offsets(struct lull_names *n, const json_t *list,
                                                     struct lull_names_bound *b, size_t set)
{
    const size_t count = json_array_size(list);
    if (!json_is_array(list) || count > MAX_DYNAMIC) {
        return lull_names_bad("offsets", "a list of lists");
    }
    json_int_t *to = lull_names_make(n, count + 1, sizeof *to);
    for (size_t i = 0; to != NULL && i < count; i++) {
        to[i] = json_integer_value(json_array_get(list, i));
    }
    b->offsets[set] = to;
    b->noffsets[set] = to != NULL ? count : 0;
    return to != NULL ? NULL : &lull_enomem;
}

struct lull_error *lull_names_read_bound(struct lull_names *n, const json_t *o,
                                         struct lull_names_dispatch *d)
{
    struct lull_names_bound *b = lull_names_make(n, 1, sizeof *b);
    if (b == NULL) {
        return &lull_enomem;
    }
    b->line = n->line;
    b->sets = lull_names_make(n, d->nsets + 1, sizeof *b->sets);
    b->offsets = lull_names_make(n, d->nsets + 1, sizeof *b->offsets);
    b->noffsets = lull_names_make(n, d->nsets + 1, sizeof *b->noffsets);
    if (b->sets == NULL || b->offsets == NULL || b->noffsets == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < d->nsets; i++) {
        b->sets[i] = lull_names_get(&n->handles, VK_OBJECT_TYPE_DESCRIPTOR_SET, d->sets[i]);
    }
    const json_t *offsets = json_object_get(o, "offsets"), *list = json_object_get(o, "pushed");
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < json_array_size(offsets) && i < d->nsets; i++) {
        err = read_offsets(n, json_array_get(offsets, i), b, i);
    }
    for (size_t i = 0; err == NULL && i < json_array_size(list); i++) {
        uint32_t set = 0;
        const json_t *one = json_array_get(list, i);
        err = lull_names_u32(one, "set", &set);
        const struct lull_names_layout *l = d->pipeline != NULL ? d->pipeline->layout : NULL;
        const struct lull_names_set_layout *of = l != NULL && set < l->nsets ? l->sets[set] : NULL;
        err = err != NULL ? err : read_writes(n, one, of, set, &b->pushed);
    }
    d->bound = b;
    return err;
}

static bool is_dynamic(uint32_t type)
{
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
           type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

/** The dynamic offset of @p w; 0: it has none. */
static uint64_t dynamic_of(const struct lull_names_bound *b, size_t set,
                           const struct lull_names_write *w)
{
    const struct lull_names_set_layout *l = b->sets[set] != NULL ? b->sets[set]->layout : NULL;
    uint64_t at = w->element;
    for (size_t i = 0; l != NULL && i < l->nslots; i++) {
        const bool before = l->slots[i].binding < w->binding && is_dynamic(l->slots[i].type);
        at += before ? l->slots[i].count : 0;
    }
    return is_dynamic(w->type) && l != NULL && at < b->noffsets[set] ? (uint64_t)b->offsets[set][at]
                                                                     : 0;
}

/** What @p w is, unless a newer one is in *ret. */
static size_t add(const struct lull_names_write *w, uint32_t set, uint64_t dynamic,
                  struct lull_names_descriptor *ret, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (ret[i].set == set && ret[i].binding == w->binding && ret[i].element == w->element) {
            return n;
        }
    }
    const struct lull_names_object *o = w->object;
    const uint64_t offset = w->offset + dynamic;
    const uint64_t left = o != NULL && o->size > offset ? o->size - offset : 0;
    ret[n] = (struct lull_names_descriptor){.set = set,
                                            .binding = w->binding,
                                            .element = w->element,
                                            .type = w->type,
                                            .object = o,
                                            .offset = offset,
                                            .level = w->level,
                                            .layer = w->layer,
                                            .range = w->range != UINT64_MAX ? w->range : left};
    return n + 1;
}

size_t lull_names_descriptors(const struct lull_names_dispatch *d,
                              struct lull_names_descriptor *ret, size_t room)
{
    const struct lull_names_bound *b = d->bound;
    size_t n = 0;
    for (size_t i = 0; b != NULL && i < d->nsets; i++) {
        const struct lull_names_set *s = b->sets[i];
        for (const struct lull_names_write *w = s != NULL ? s->last : NULL; w != NULL && n < room;
             w = w->before) {
            n = w->line < b->line ? add(w, (uint32_t)i, dynamic_of(b, i, w), ret, n) : n;
        }
    }
    for (const struct lull_names_write *w = b != NULL ? b->pushed : NULL; w != NULL && n < room;
         w = w->before) {
        const bool there = w->set < d->nsets && d->sets[w->set] == UINT64_MAX;
        n = there ? add(w, w->set, 0, ret, n) : n;
    }
    return n;
}
