// SPDX-License-Identifier: MIT
// Timeline semaphores: which submissions come behind which others by their values.
// Source: Vulkan specification, "Semaphore Signaling", "Semaphore Waiting".
#include <stdlib.h>

#include <vulkan/vulkan_core.h>

#include "image/names_priv.h"
#include "image/names_value.h"

enum { PARTS = 3, MOST = 1 << 20 };

/** A timeline semaphore. */
struct semaphore {
    uint64_t value; // At first.
    bool host;      // The host has signalled it: what that waited for is not known.
};

/** Of a batch, which has dispatches from at up to end: it waits for a value, in stages, or gives
 * one. */
struct lull_names_sync {
    uint32_t family, index;
    uint64_t at, end;
    bool signals;
    const struct semaphore *semaphore;
    uint64_t value, stages;
};

struct lull_error *lull_names_read_semaphore(struct lull_names *n, const json_t *o)
{
    struct semaphore *s = lull_names_make(n, 1, sizeof *s);
    uint64_t handle = 0;
    struct lull_error *err =
        s == NULL ? &lull_enomem : lull_names_handle_in(o, "semaphore", &handle);
    err = err != NULL ? err : lull_names_u64(o, "value", &s->value);
    return err != NULL ? err : lull_names_put(&n->handles, VK_OBJECT_TYPE_SEMAPHORE, handle, s);
}

struct lull_error *lull_names_read_signal(struct lull_names *n, const json_t *o)
{
    uint64_t handle = 0;
    struct lull_error *err = lull_names_handle_in(o, "semaphore", &handle);
    struct semaphore *s =
        err == NULL ? lull_names_get(&n->handles, VK_OBJECT_TYPE_SEMAPHORE, handle) : NULL;
    if (s != NULL) {
        s->host = true;
    }
    return err;
}

/** A list of semaphore, value and stages. *known: it is a timeline semaphore that is known. */
LULL_MUST_USE static struct lull_error *read_one(struct lull_names *n, const json_t *o,
                                                 const struct lull_names_sync *of, bool *known)
{
    uint64_t handle = 0;
    struct lull_names_sync *s = lull_names_make(n, 1, sizeof *s);
    if (s == NULL) {
        return &lull_enomem;
    }
    *s = *of;
    if (json_array_size(o) != PARTS) {
        return lull_names_bad("sync", "a list of semaphore, value and stages");
    }
    struct lull_error *err = lull_names_handle(json_array_get(o, 0), "sync", &handle);
    err = err != NULL ? err : lull_names_number(json_array_get(o, 1), "sync", INT64_MAX, &s->value);
    err =
        err != NULL ? err : lull_names_number(json_array_get(o, 2), "sync", INT64_MAX, &s->stages);
    s->semaphore =
        err == NULL ? lull_names_get(&n->handles, VK_OBJECT_TYPE_SEMAPHORE, handle) : NULL;
    *known = s->semaphore != NULL;
    return err == NULL && *known ? lull_names_add(&n->syncs, s) : err;
}

LULL_MUST_USE static struct lull_error *read_batch(struct lull_names *n, const json_t *o,
                                                   struct lull_names_sync of, bool *known)
{
    static const char *const keys[] = {"waits", "signals"};
    uint64_t at = 0, end = 0;
    struct lull_error *err = lull_names_u64(o, "at", &at);
    err = err != NULL ? err : lull_names_u64(o, "end", &end);
    of.end = of.at + end;
    of.at += at;
    for (unsigned i = 0; err == NULL && i < 2; i++) {
        const json_t *list = NULL;
        of.signals = i == 1;
        err = lull_names_list_in(o, keys[i], MOST, &list);
        for (size_t k = 0; err == NULL && k < json_array_size(list); k++) {
            bool one = false;
            err = read_one(n, json_array_get(list, k), &of, &one);
            *known = *known && (one || of.signals);
        }
    }
    return err;
}

struct lull_error *lull_names_read_sync(struct lull_names *n, const json_t *list,
                                        const struct lull_names_dispatch *of, bool *ret_known)
{
    struct lull_error *err = NULL;
    *ret_known = json_is_array(list);
    for (size_t i = 0; err == NULL && i < json_array_size(list); i++) {
        const struct lull_names_sync batch = {
            .family = of->family, .index = of->index, .at = n->dispatches.count};
        err = read_batch(n, json_array_get(list, i), batch, ret_known);
    }
    return err;
}

static const struct lull_names_sync *sync_at(const struct lull_names *n, size_t i)
{
    return n->syncs.items[i];
}

/** The signal that wait @p number comes behind for certain: of the values that are enough, the
 * least; what its own queue signals behind it is not. *known is false if that is not known; NULL:
 * none, it had the value at first. */
static const struct lull_names_sync *signal_of(const struct lull_names *n, size_t number,
                                               bool *known)
{
    const struct lull_names_sync *wait = sync_at(n, number), *best = NULL;
    for (size_t i = 0; i < n->syncs.count; i++) {
        const struct lull_names_sync *s = sync_at(n, i);
        const bool behind = i > number && s->family == wait->family && s->index == wait->index;
        if (s->signals && s->semaphore == wait->semaphore && s->value >= wait->value && !behind &&
            (best == NULL || s->value < best->value)) {
            best = s;
        }
    }
    const bool first = wait->semaphore->value >= wait->value;
    *known = !wait->semaphore->host && (first || best != NULL);
    return first ? NULL : best;
}

/** Is @p s on the queue of @p family and @p index, and signals behind dispatch @p number? */
static bool signals_behind(const struct lull_names_sync *s, uint32_t family, uint32_t index,
                           uint64_t number)
{
    return s->signals && s->family == family && s->index == index && s->end > number;
}

/** Does what signals @p by come behind the first, or behind a wait that does? */
static bool is_behind(const struct lull_names *n, const struct lull_names_dispatch *a,
                      const bool *reached, const struct lull_names_sync *by)
{
    if (signals_behind(by, a->family, a->index, a->number)) {
        return true;
    }
    for (size_t i = 0; i < n->syncs.count; i++) {
        const struct lull_names_sync *w = sync_at(n, i);
        if (reached[i] && by->family == w->family && by->index == w->index && by->at >= w->at) {
            return true;
        }
    }
    return false;
}

/** Waits that come behind @p a. False: some may, and it is not known. */
static bool reach(const struct lull_names *n, const struct lull_names_dispatch *a, bool *reached)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < n->syncs.count; i++) {
            const struct lull_names_sync *w = sync_at(n, i);
            bool known = true;
            const struct lull_names_sync *by =
                w->signals || reached[i] ? NULL : signal_of(n, i, &known);
            if (!known) {
                return false;
            }
            if (by != NULL && is_behind(n, a, reached, by)) {
                reached[i] = more = true;
            }
        }
    }
    return true;
}

bool lull_names_each_wait(const struct lull_names *n, const struct lull_names_dispatch *a,
                          const struct lull_names_dispatch *b,
                          bool (*fn)(void *arg, uint64_t at, uint64_t stages), void *arg)
{
    enum { MOST_SYNCS = 512 }; // Behind that all are taken for ordered: it takes their third power.
    bool *reached =
        n->syncs.count <= MOST_SYNCS ? calloc(n->syncs.count + 1, sizeof *reached) : NULL;
    bool ordered = reached == NULL || !reach(n, a, reached);
    for (size_t i = 0; !ordered && i < n->syncs.count; i++) {
        const struct lull_names_sync *w = sync_at(n, i);
        if (reached[i] && w->family == b->family && w->index == b->index && w->at <= b->number) {
            ordered = fn(arg, w->at, w->stages);
        }
    }
    free(reached);
    return ordered;
}

bool lull_names_waits_in(const struct lull_names *n, uint64_t from, uint64_t to)
{
    for (size_t i = 0; i < n->syncs.count; i++) {
        const struct lull_names_sync *w = sync_at(n, i);
        if (!w->signals && w->at >= from && w->at <= to) {
            return true;
        }
    }
    return false;
}

/** Does wait @p wait come behind @p a, or is that not known? */
static bool is_enough(const struct lull_names *n, size_t wait, const struct lull_names_dispatch *a)
{
    bool known = true;
    const struct lull_names_sync *by = signal_of(n, wait, &known);
    return !known || (by != NULL && signals_behind(by, a->family, a->index, a->number));
}

bool lull_names_low(const struct lull_names *n, const struct lull_names_dispatch *a,
                    const struct lull_names_dispatch *b, uint64_t *ret_waited, uint64_t *ret_value)
{
    bool found = false;
    for (size_t i = 0; i < n->syncs.count; i++) {
        const struct lull_names_sync *w = sync_at(n, i);
        if (w->signals || w->family != b->family || w->index != b->index || w->at > b->number ||
            is_enough(n, i, a)) {
            continue;
        }
        for (size_t k = 0; k < i; k++) { // What was submitted before.
            const struct lull_names_sync *s = sync_at(n, k);
            if (s->semaphore == w->semaphore && s->value > w->value &&
                signals_behind(s, a->family, a->index, a->number) &&
                (!found || w->value > *ret_waited ||
                 (w->value == *ret_waited && s->value < *ret_value))) {
                *ret_waited = w->value;
                *ret_value = s->value;
                found = true;
            }
        }
    }
    return found;
}
