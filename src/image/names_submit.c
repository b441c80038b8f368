// SPDX-License-Identifier: MIT
// Lines of kind "submit": dispatches and draws, and what is between them.
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include "image/names_priv.h"
#include "image/names_value.h"

enum { MAX_SETS = 1024, MAX_SLOTS = 1 << 20 };

LULL_MUST_USE static struct lull_error *read_sets(struct lull_names *n, const json_t *list,
                                                  struct lull_names_dispatch *d)
{
    uint64_t *sets = lull_names_make(n, json_array_size(list) + 1, sizeof *sets);
    struct lull_error *err = sets == NULL ? &lull_enomem : NULL;
    for (size_t i = 0; i < json_array_size(list) && err == NULL; i++) {
        const json_t *v = json_array_get(list, i);
        const char *text = json_string_value(v);
        if (text != NULL && strcmp(text, "push") == 0) {
            sets[i] = UINT64_MAX;
        } else if (!json_is_null(v)) {
            err = lull_names_handle(v, "sets", &sets[i]);
        }
    }
    d->sets = sets;
    d->nsets = json_array_size(list);
    return err;
}

LULL_MUST_USE static struct lull_error *read_labels(struct lull_names *n, const json_t *list,
                                                    struct lull_names_dispatch *d)
{
    const char **labels = lull_names_make(n, json_array_size(list) + 1, sizeof *labels);
    struct lull_error *err = labels == NULL ? &lull_enomem : NULL;
    for (size_t i = 0; i < json_array_size(list) && err == NULL; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        err = text == NULL ? lull_names_bad("labels", "a list of strings")
                           : lull_names_copy(n, text, &labels[i]);
    }
    d->labels = labels;
    d->nlabels = json_array_size(list);
    return err;
}

LULL_MUST_USE static struct lull_error *read_push(struct lull_names *n, const json_t *o,
                                                  struct lull_names_dispatch *d)
{
    size_t room = json_string_length(json_object_get(o, "push")) / 2;
    uint8_t *push = lull_names_make(n, room + 1, 1);
    if (push == NULL) {
        return &lull_enomem;
    }
    d->push = push;
    return lull_names_bytes(o, "push", push, room, &d->npush);
}

LULL_MUST_USE static struct lull_error *read_grid(const json_t *o, struct lull_names_dispatch *d)
{
    const json_t *indirect = json_object_get(o, "indirect");
    struct lull_error *err = NULL;
    if (indirect != NULL) {
        d->indirect = true;
        err = lull_names_handle_in(indirect, "buffer", &d->buffer);
        return err != NULL ? err : lull_names_u64(indirect, "offset", &d->offset);
    }
    err = lull_names_three(o, "grid", d->grid);
    if (err == NULL && json_object_get(o, "base") != NULL) {
        err = lull_names_three(o, "base", d->base);
    }
    return err;
}

// What dispatches and draws have.
LULL_MUST_USE static struct lull_error *read_work(struct lull_names *n, const json_t *o,
                                                  struct lull_names_dispatch *d)
{
    uint64_t pipeline = 0;
    const json_t *labels = NULL;
    struct lull_error *err = lull_names_handle_in(o, "cmd", &d->command_buffer);
    if (err == NULL) {
        err = lull_names_handle_in(o, "pipeline", &pipeline);
    }
    if (err == NULL) {
        err = read_grid(o, d);
    }
    if (err == NULL) {
        err = lull_names_list_in(o, "labels", MAX_SLOTS, &labels);
    }
    if (err == NULL) {
        err = read_labels(n, labels, d);
    }
    d->pipeline = lull_names_get(&n->handles, VK_OBJECT_TYPE_PIPELINE, pipeline);
    d->recorded = lull_names_stack_of(n, o);
    return err;
}

/** How much it moves: without a size, what its buffer has behind the offset. */
LULL_MUST_USE static struct lull_error *transfer_bytes(const struct lull_names *n, const json_t *o,
                                                       uint64_t *ret)
{
    const json_t *to = json_object_get(o, "to");
    uint64_t handle = 0, offset = 0;
    if (json_object_get(o, "size") != NULL) {
        return lull_names_u64(o, "size", ret);
    }
    struct lull_error *err = lull_names_handle_in(to, "buffer", &handle);
    err = err != NULL ? err : lull_names_u64(to, "offset", &offset);
    const struct lull_names_object *b = lull_names_get(&n->handles, VK_OBJECT_TYPE_BUFFER, handle);
    *ret = b != NULL && b->size > offset ? (b->size - offset) & ~UINT64_C(3) : 0;
    return err;
}

/** Those of @p list (NULL: none), which are of @p of's submission and behind @p barriers more than
 * they say, behind those that are in *ret. */
LULL_MUST_USE static struct lull_error *read_transfers(struct lull_names *n, const json_t *list,
                                                       const struct lull_names_dispatch *of,
                                                       size_t barriers,
                                                       struct lull_names_transfers *ret)
{
    const size_t count = json_array_size(list), all = ret->n + count;
    if (list == NULL) {
        return NULL;
    }
    if (!json_is_array(list) || all > MAX_SLOTS) {
        return lull_names_bad("transfers", "a list");
    }
    struct lull_names_transfer *at = lull_names_make(n, all + 1, sizeof *at);
    if (at == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < ret->n; i++) {
        at[i] = ret->at[i];
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *o = json_array_get(list, i);
        struct lull_names_transfer *t = &at[ret->n + i];
        uint64_t behind = 0;
        const char *call = NULL;
        *t = (struct lull_names_transfer){.waits = of->waits,
                                          .family = of->family,
                                          .index = of->index,
                                          .order_known = of->order_known};
        struct lull_error *err = transfer_bytes(n, o, &t->bytes);
        err = err != NULL ? err : lull_names_u64(o, "behind", &behind);
        err = err != NULL ? err : lull_names_text(o, "call", &call);
        err = err != NULL ? err : lull_names_copy(n, call, &t->call);
        if (err != NULL) {
            return err;
        }
        t->behind = barriers + behind;
    }
    *ret = (struct lull_names_transfers){at, all};
    return NULL;
}

/** What it has bound; older files say nothing of draws. */
LULL_MUST_USE static struct lull_error *read_bound(struct lull_names *n, const json_t *o,
                                                   struct lull_names_dispatch *d)
{
    const json_t *sets = NULL;
    struct lull_error *err = lull_names_list_in(o, "sets", MAX_SETS, &sets);
    err = err != NULL ? err : read_sets(n, sets, d);
    return err != NULL ? err : lull_names_read_bound(n, o, d);
}

LULL_MUST_USE static struct lull_error *read_draw(struct lull_names *n, const json_t *o,
                                                  struct lull_names_dispatch *d)
{
    struct lull_error *err = read_work(n, o, d);
    return err != NULL || json_object_get(o, "sets") == NULL ? err : read_bound(n, o, d);
}

LULL_MUST_USE static struct lull_error *read_dispatch(struct lull_names *n, const json_t *o,
                                                      struct lull_names_dispatch *d)
{
    struct lull_error *err = read_work(n, o, d);
    err = err != NULL ? err : read_bound(n, o, d);
    err = err != NULL ? err : read_push(n, o, d);
    const size_t before = n->end.n;
    d->after = n->end;
    d->transfers = n->end_transfers;
    n->end = (struct lull_names_barriers){0};
    n->end_transfers = (struct lull_names_transfers){0};
    err = err != NULL ? err : lull_names_read_barriers(n, json_object_get(o, "after"), &d->after);
    return err != NULL
               ? err
               : read_transfers(n, json_object_get(o, "transfers"), d, before, &d->transfers);
}

// One that cannot be understood is in the list all the same: the others keep their place.
LULL_MUST_USE static struct lull_error *read_list(struct lull_names *n, const json_t *list,
                                                  const struct lull_names_dispatch *of, bool draws)
{
    struct lull_names_list *to = draws ? &n->draws : &n->dispatches;
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < json_array_size(list); i++) {
        struct lull_names_dispatch *d = lull_names_make(n, 1, sizeof *d);
        if (d == NULL) {
            return &lull_enomem;
        }
        *d = *of;
        d->number = to->count;
        struct lull_error *wrong =
            (draws ? read_draw : read_dispatch)(n, json_array_get(list, i), d);
        if (wrong != NULL && lull_error_code(wrong) == LULL_ERR_BAD_DATA) {
            *d = *of;
            d->number = to->count;
            d->indirect = true; // It fits any grid.
            d->order_known = false;
            wrong = lull_names_complain(
                n, n->line, lull_error_in(wrong, "%s %zu", draws ? "draw" : "dispatch", i));
        }
        err = wrong != NULL ? wrong : lull_names_add(to, d);
    }
    return err;
}

struct lull_error *lull_names_read_submit(struct lull_names *n, const json_t *o)
{
    struct lull_names_dispatch of = {.submitted = lull_names_stack_of(n, o)};
    const json_t *list = NULL;
    struct lull_error *err = lull_names_u64(o, "n", &of.submit);
    if (err == NULL) {
        err = lull_names_u32(o, "family", &of.family);
    }
    if (err == NULL) {
        err = lull_names_u32(o, "index", &of.index);
    }
    if (err == NULL) {
        err = lull_names_list_in(o, "dispatches", SIZE_MAX, &list);
    }
    const json_t *waits = json_object_get(o, "waits"); // files of before have none
    of.order_known = json_is_boolean(waits);
    bool known = false;
    err = err != NULL ? err : lull_names_read_sync(n, json_object_get(o, "sync"), &of, &known);
    n->waits += json_is_true(waits) && !known;
    of.waits = n->waits;
    err = err != NULL ? err : read_list(n, list, &of, false);
    const size_t before = n->end.n;
    err = err != NULL ? err : lull_names_read_barriers(n, json_object_get(o, "end"), &n->end);
    err = err != NULL ? err
                      : read_transfers(n, json_object_get(o, "end_transfers"), &of, before,
                                       &n->end_transfers);
    if (err == NULL && json_object_get(o, "draws") != NULL) { // files of before have none
        err = lull_names_list_in(o, "draws", SIZE_MAX, &list);
        err = err != NULL ? err : read_list(n, list, &of, true);
    }
    return err;
}
