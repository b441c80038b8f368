// SPDX-License-Identifier: MIT
// What the program says about the order of its dispatches: barriers, and waits between submissions.
// Source: Vulkan specification, "Execution and Memory Dependencies", "Pipeline Stages".
#include <vulkan/vulkan_core.h>

#include "image/names_priv.h"
#include "image/names_value.h"

enum { MAX_BARRIERS = 65536, NUMBERS = 4 };

static const uint64_t graphics =
    VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT |
    VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT |
    VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT |
    VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT | VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT |
    VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT |
    VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT | VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT;
static const uint64_t compute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
static const uint64_t dispatches =
    VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT;
static const uint64_t transfer = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT |
                                 VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_CLEAR_BIT;
static const uint64_t writes = VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT |
                               VK_ACCESS_2_TRANSFER_WRITE_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
static const uint64_t shader_writes = VK_ACCESS_2_SHADER_WRITE_BIT |
                                      VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT |
                                      VK_ACCESS_2_MEMORY_WRITE_BIT;
static const uint64_t shader_reads =
    VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_UNIFORM_READ_BIT |
    VK_ACCESS_2_SHADER_SAMPLED_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_READ_BIT |
    VK_ACCESS_2_ACCELERATION_STRUCTURE_READ_BIT_KHR |
    VK_ACCESS_2_SHADER_BINDING_TABLE_READ_BIT_KHR | VK_ACCESS_2_DESCRIPTOR_BUFFER_READ_BIT_EXT |
    VK_ACCESS_2_MEMORY_READ_BIT;
static const uint64_t transfer_writes =
    VK_ACCESS_2_TRANSFER_WRITE_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
static const uint64_t transfer_reads = VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_MEMORY_READ_BIT;
static const uint64_t grid_reads =
    VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_2_MEMORY_READ_BIT;

/** Of which memory it is. */
LULL_MUST_USE static struct lull_error *read_part(const struct lull_names *n, const json_t *o,
                                                  struct lull_names_barrier *ret)
{
    const bool buffer = json_object_get(o, "buffer") != NULL;
    uint64_t handle = 0;
    if (!buffer && json_object_get(o, "image") == NULL) {
        return NULL;
    }
    struct lull_error *err = lull_names_handle_in(o, buffer ? "buffer" : "image", &handle);
    ret->part = buffer ? LULL_NAMES_BYTES : LULL_NAMES_ONE_IMAGE;
    ret->object =
        lull_names_get(&n->handles, buffer ? VK_OBJECT_TYPE_BUFFER : VK_OBJECT_TYPE_IMAGE, handle);
    ret->size = UINT64_MAX;
    if (err == NULL && buffer) {
        err = lull_names_u64(o, "offset", &ret->offset);
    }
    return err == NULL && json_object_get(o, "size") != NULL ? lull_names_u64(o, "size", &ret->size)
                                                             : err;
}

/** Where an event was set last. */
struct set {
    uint64_t number, stages;
};

/** The events that it waits for, if all of them are known: what is in front of any is. */
LULL_MUST_USE static struct lull_error *read_events(const struct lull_names *n, const json_t *list,
                                                    struct lull_names_barrier *ret)
{
    bool known = json_array_size(list) != 0;
    if (list != NULL && !json_is_array(list)) {
        return lull_names_bad("events", "a list");
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        uint64_t handle = 0;
        struct lull_error *err = lull_names_handle(json_array_get(list, i), "events", &handle);
        const struct set *s =
            err == NULL ? lull_names_get(&n->handles, VK_OBJECT_TYPE_EVENT, handle) : NULL;
        if (err != NULL) {
            return err;
        }
        known = known && s != NULL;
        ret->set = s != NULL && s->number > ret->set ? s->number : ret->set;
        ret->stages |= s != NULL ? s->stages : 0;
    }
    ret->event = known;
    return NULL;
}

/** An event is set, or reset, in its place among barriers. */
LULL_MUST_USE static struct lull_error *read_set(struct lull_names *n, const json_t *o,
                                                 uint64_t number)
{
    const bool sets = json_object_get(o, "set") != NULL;
    struct set *s = NULL;
    uint64_t handle = 0;
    struct lull_error *err = lull_names_handle_in(o, sets ? "set" : "reset", &handle);
    if (err == NULL && sets) {
        s = lull_names_make(n, 1, sizeof *s);
        err = s == NULL ? &lull_enomem : lull_names_u64(o, "stages", &s->stages);
    }
    if (s != NULL) {
        s->number = number;
    }
    return err != NULL ? err : lull_names_put(&n->handles, VK_OBJECT_TYPE_EVENT, handle, s);
}

struct lull_error *lull_names_read_event(struct lull_names *n, const json_t *o)
{
    uint64_t handle = 0;
    struct lull_error *err = lull_names_handle_in(o, "event", &handle);
    return err != NULL ? err : lull_names_put(&n->handles, VK_OBJECT_TYPE_EVENT, handle, NULL);
}

LULL_MUST_USE static struct lull_error *read_barrier(struct lull_names *n, const json_t *o,
                                                     struct lull_names_barrier *ret)
{
    uint64_t *const to[NUMBERS] = {&ret->from, &ret->made, &ret->to, &ret->seen};
    const json_t *part = json_array_get(o, NUMBERS);
    ret->number = n->nbarriers++;
    if (json_is_object(o)) {
        return read_set(n, o, ret->number);
    }
    if (json_array_size(o) > NUMBERS + 1 || (part != NULL && !json_is_object(part))) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "a barrier is not a list of %d numbers, and "
                              "what it is of",
                              NUMBERS);
    }
    for (size_t i = 0; i < NUMBERS; i++) {
        const json_t *v = json_array_get(o, i);
        if (!json_is_integer(v) || json_integer_value(v) < 0) {
            return lull_error_new(LULL_ERR_BAD_DATA, "a barrier is not a list of %d numbers",
                                  NUMBERS);
        }
        *to[i] = (uint64_t)json_integer_value(v);
    }
    struct lull_error *err = read_events(n, json_object_get(part, "events"), ret);
    return err != NULL ? err : read_part(n, part, ret);
}

struct lull_error *lull_names_read_barriers(struct lull_names *n, const json_t *list,
                                            struct lull_names_barriers *ret)
{
    const size_t count = json_array_size(list), all = ret->n + count;
    if (list == NULL) {
        return NULL;
    }
    if (!json_is_array(list) || all > MAX_BARRIERS) {
        return lull_error_new(LULL_ERR_BAD_DATA, "barriers are not a list of at most %d",
                              MAX_BARRIERS);
    }
    struct lull_names_barrier *at = lull_arena_calloc(&n->arena, all + 1, sizeof *at);
    if (at == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < ret->n; i++) {
        at[i] = ret->at[i];
    }
    for (size_t i = 0; i < count; i++) {
        struct lull_error *err = read_barrier(n, json_array_get(list, i), &at[ret->n + i]);
        if (err != NULL) {
            return err;
        }
    }
    *ret = (struct lull_names_barriers){at, all};
    return NULL;
}

/** Does what has reached @p stages come in front of what waits for stages @p of? */
static bool meets(uint64_t stages, uint64_t of)
{
    const uint64_t all = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT |
                         VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT |
                         VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT;
    if (stages == 0 || of == 0) {
        return false;
    }
    return (stages & of) != 0 || ((stages | of) & all) != 0 ||
           ((stages & graphics) != 0 && (of & graphics) != 0) ||
           ((stages & transfer) != 0 && (of & transfer) != 0);
}

/** What is asked: of whose stages and accesses. */
struct sides {
    uint64_t first, wrote; // Of the first: its stages, and how it writes.
    uint64_t then, reads;  // Of the second: its stages, and the accesses that it may be.
};

/** How far the first has come: stages that are behind it, and whether its writes are seen. */
struct reached {
    const struct lull_names *n;
    const struct lull_names_access *what;
    struct sides is;
    uint64_t stages, seen;
    uint64_t begin; // The number of the first barrier behind the first, of any kind.
    bool begun, made;
    bool early;     // It would be in front, if an event were not set before it.
    bool chained;   // By barriers one behind the other.
    bool accesses;  // A barrier has accesses, which are others.
    bool elsewhere; // One has the accesses, but of other memory.
};

/** The buffer that has byte @p address; NULL: not known. */
static const struct lull_names_object *buffer_at(const struct lull_names *n, uint64_t address)
{
    for (size_t i = 0; address != 0 && i < n->objects.count; i++) {
        const struct lull_names_object *o = n->objects.items[i];
        if (o->kind == LULL_NAMES_BUFFER && o->place != 0 && address >= o->place &&
            address - o->place < o->size) {
            return o;
        }
    }
    return NULL;
}

/** Is barrier @p b of the byte? If it is not known, it is. */
static bool covers(const struct reached *r, const struct lull_names_barrier *b)
{
    const struct lull_names_object *o = b->object;
    const uint64_t address = r->what->address;
    if (b->part == LULL_NAMES_WHOLE || o == NULL || address == 0) {
        return true;
    }
    if (b->part == LULL_NAMES_BYTES) {
        const uint64_t from = o->place + b->offset;
        return o->place == 0 ||
               (address >= from && address - from < b->size && address - o->place < o->size);
    }
    // How much of its memory an image has is not known.
    const struct lull_names_object *at = buffer_at(r->n, address);
    return at == NULL || (o->memory == at->memory && o->offset < at->offset + at->size);
}

static void step(struct reached *r, const struct lull_names_barrier *b)
{
    r->begin = r->begun ? r->begin : b->number;
    r->begun = true;
    const uint64_t from =
        r->is.first | VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT;
    const bool chain = meets(r->stages, b->from & ~(uint64_t)VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT);
    const bool direct = (b->from & from) != 0 && (!b->event || (b->stages & from) != 0);
    if (!direct && !chain) {
        return;
    }
    if (b->event && b->set < r->begin) {
        r->early = r->early || direct;
        return;
    }
    const bool made = (b->made & (direct ? r->is.wrote : writes)) != 0;
    r->stages |= b->to & ~(uint64_t)VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT;
    if (!covers(r, b)) {
        r->elsewhere = r->elsewhere || ((made || r->made) && (b->seen & r->is.reads) != 0);
        return;
    }
    r->chained = r->chained || !direct;
    r->accesses = r->accesses || (b->made != 0 && b->seen != 0);
    r->made = r->made || made;
    r->seen |= r->made ? b->seen : 0;
}

/** Barriers @p from up to @p end between two dispatches. */
static void steps(struct reached *r, const struct lull_names_barriers *b, size_t from, size_t end)
{
    for (size_t k = from; k < end && k < b->n; k++) {
        step(r, &b->at[k]);
    }
}

/** Barriers in front of dispatches @p from up to @p end. False: some are not known. */
static bool steps_over(struct reached *r, uint64_t from, uint64_t end)
{
    for (uint64_t i = from; i < end && i < r->n->dispatches.count; i++) {
        const struct lull_names_dispatch *d = r->n->dispatches.items[i];
        if (!d->order_known) {
            return false;
        }
        steps(r, &d->after, 0, SIZE_MAX);
    }
    return true;
}

/** What is behind a barrier to the second's stages. Whether a chain needs the second's accesses in
 * its last barrier the specification leaves open (KhronosGroup/Vulkan-Docs#2658): any will do. */
static enum lull_names_order order_of(const struct reached *r)
{
    const uint64_t waits =
        r->is.then | VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT;
    const bool seen = (r->seen & r->is.reads) != 0 || (r->chained && r->seen != 0);
    return (r->stages & waits) == 0 ? (r->early ? LULL_NAMES_EARLY : LULL_NAMES_UNORDERED)
           : seen || r->what->hazard == LULL_NAMES_AFTER ? LULL_NAMES_ORDERED
           : r->elsewhere                                ? LULL_NAMES_ELSEWHERE
           : r->accesses                                 ? LULL_NAMES_ACCESSES
                                                         : LULL_NAMES_NO_MEMORY;
}

/** From a wait for a semaphore on to a dispatch. */
struct waited {
    const struct reached *of;
    uint64_t number;
};

/** All that was signalled is made, and seen in the stages of the wait. */
static bool is_ordered(void *arg, uint64_t at, uint64_t stages)
{
    const struct waited *w = arg;
    struct reached r = {.n = w->of->n,
                        .what = w->of->what,
                        .is = w->of->is,
                        .stages = stages & ~(uint64_t)VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT,
                        .seen = UINT64_MAX,
                        .made = true};
    return !steps_over(&r, at, w->number + 1) || order_of(&r) == LULL_NAMES_ORDERED;
}

static enum lull_names_order order_between(struct reached *r, const struct lull_names_dispatch *a,
                                           const struct lull_names_dispatch *b)
{
    enum lull_names_order order = LULL_NAMES_QUEUES;
    struct waited waited = {r, b->number};
    uint64_t low = 0, value = 0;
    if (!a->order_known || !b->order_known || a->waits != b->waits) {
        return LULL_NAMES_ORDERED;
    }
    if (a->family == b->family && a->index == b->index) {
        order = steps_over(r, a->number + 1, b->number + 1) ? order_of(r) : LULL_NAMES_ORDERED;
    }
    if (order == LULL_NAMES_ORDERED || lull_names_each_wait(r->n, a, b, is_ordered, &waited)) {
        return LULL_NAMES_ORDERED;
    }
    return (order == LULL_NAMES_UNORDERED || order == LULL_NAMES_QUEUES) &&
                   lull_names_low(r->n, a, b, &low, &value)
               ? LULL_NAMES_LOW
               : order;
}

static uint64_t reads_of(const struct lull_names_access *what, uint64_t reads, uint64_t wrote)
{
    return reads | (what->hazard == LULL_NAMES_READ ? 0 : wrote);
}

enum lull_names_order lull_names_order(const struct lull_names *n,
                                       const struct lull_names_dispatch *a,
                                       const struct lull_names_dispatch *b,
                                       const struct lull_names_access *what)
{
    struct reached r = {
        .n = n,
        .what = what,
        .is = {compute, shader_writes, dispatches, reads_of(what, shader_reads, shader_writes)}};
    return order_between(&r, a, b);
}

static const uint64_t grids =
    VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT;

enum lull_names_order lull_names_order_grid(const struct lull_names *n,
                                            const struct lull_names_dispatch *a,
                                            const struct lull_names_dispatch *b, uint64_t address)
{
    const struct lull_names_access what = {.hazard = LULL_NAMES_READ, .address = address};
    struct reached r = {.n = n, .what = &what, .is = {compute, shader_writes, grids, grid_reads}};
    return order_between(&r, a, b);
}

struct lull_names_transfers lull_names_transfers_at(const struct lull_names *n, uint64_t number)
{
    const struct lull_names_dispatch *d =
        number < n->dispatches.count ? n->dispatches.items[number] : NULL;
    return d != NULL ? d->transfers : n->end_transfers;
}

/** Nothing is known of their order, or the host or a semaphore sees to it. */
static bool is_apart(const struct lull_names *n, uint64_t number,
                     const struct lull_names_transfer *t, const struct lull_names_dispatch *d)
{
    const struct lull_names_dispatch *at =
        number < n->dispatches.count ? n->dispatches.items[number] : NULL;
    return lull_names_waits_in(n, number < d->number ? number : d->number,
                               number < d->number ? d->number : number) ||
           !t->order_known || !d->order_known || t->waits != d->waits || t->family != d->family ||
           t->index != d->index || (at != NULL && !at->order_known);
}

/** Of transfer @p t at @p number, and dispatch @p d behind it. */
static enum lull_names_order behind_transfer(struct reached *r, uint64_t number,
                                             const struct lull_names_transfer *t,
                                             const struct lull_names_dispatch *d)
{
    const struct lull_names *n = r->n;
    const struct lull_names_dispatch *at =
        number < n->dispatches.count ? n->dispatches.items[number] : NULL;
    if (is_apart(n, number, t, d)) {
        return LULL_NAMES_ORDERED;
    }
    steps(r, at != NULL ? &at->after : &n->end, t->behind, SIZE_MAX);
    return steps_over(r, number + 1, d->number + 1) ? order_of(r) : LULL_NAMES_ORDERED;
}

enum lull_names_order lull_names_order_transfer(const struct lull_names *n, uint64_t number,
                                                const struct lull_names_transfer *t,
                                                const struct lull_names_dispatch *d,
                                                const struct lull_names_access *what)
{
    const struct lull_names_dispatch *at =
        number < n->dispatches.count ? n->dispatches.items[number] : NULL;
    struct reached r = {
        .n = n,
        .what = what,
        .is = {transfer, transfer_writes, dispatches, reads_of(what, shader_reads, shader_writes)}};
    if (d->number >= number) {
        return behind_transfer(&r, number, t, d);
    }
    r.is = (struct sides){compute, shader_writes, transfer,
                          reads_of(what, transfer_reads, transfer_writes)};
    if (is_apart(n, number, t, d) || !steps_over(&r, d->number + 1, number)) {
        return LULL_NAMES_ORDERED;
    }
    steps(&r, at != NULL ? &at->after : &n->end, 0, t->behind);
    return order_of(&r);
}

enum lull_names_order lull_names_order_transfer_grid(const struct lull_names *n, uint64_t number,
                                                     const struct lull_names_transfer *t,
                                                     const struct lull_names_dispatch *d,
                                                     uint64_t address)
{
    const struct lull_names_access what = {.hazard = LULL_NAMES_READ, .address = address};
    struct reached r = {
        .n = n, .what = &what, .is = {transfer, transfer_writes, grids, grid_reads}};
    return d->number >= number ? behind_transfer(&r, number, t, d) : LULL_NAMES_ORDERED;
}
