// SPDX-License-Identifier: MIT
// What the program says about the order of its dispatches: barriers, and waits between submissions.
// Source: Vulkan specification, "Execution and Memory Dependencies", "Pipeline Stages".
#include <vulkan/vulkan_core.h>

#include "image/names_priv.h"

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

LULL_MUST_USE static struct lull_error *read_barrier(const json_t *o,
                                                     struct lull_names_barrier *ret)
{
    uint64_t *const to[NUMBERS] = {&ret->from, &ret->made, &ret->to, &ret->seen};
    for (size_t i = 0; i < NUMBERS; i++) {
        const json_t *v = json_array_get(o, i);
        if (!json_is_integer(v) || json_integer_value(v) < 0 || json_array_size(o) != NUMBERS) {
            return lull_error_new(LULL_ERR_BAD_DATA, "a barrier is not a list of %d numbers",
                                  NUMBERS);
        }
        *to[i] = (uint64_t)json_integer_value(v);
    }
    return NULL;
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
        struct lull_error *err = read_barrier(json_array_get(list, i), &at[ret->n + i]);
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

/** How far the first has come: stages that are behind it, and whether its writes are seen. */
struct reached {
    uint64_t stages;
    bool made, seen;
};

/** @p first: stages that the first is of. */
static void step(struct reached *r, uint64_t first, const struct lull_names_barrier *b)
{
    const uint64_t from =
        first | VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT;
    const bool chain = meets(r->stages, b->from & ~(uint64_t)VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT);
    if ((b->from & from) == 0 && !chain) {
        return;
    }
    r->stages |= b->to & ~(uint64_t)VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT;
    r->made = r->made || (b->made & writes) != 0;
    r->seen = r->seen || (r->made && b->seen != 0);
}

/** Barriers @p from up to @p end between two dispatches. */
static void steps(struct reached *r, uint64_t first, const struct lull_names_barriers *b,
                  size_t from, size_t end)
{
    for (size_t k = from; k < end && k < b->n; k++) {
        step(r, first, &b->at[k]);
    }
}

/** Barriers in front of dispatches @p from up to @p end. False: some are not known. */
static bool steps_over(const struct lull_names *n, struct reached *r, uint64_t first, uint64_t from,
                       uint64_t end)
{
    for (uint64_t i = from; i < end && i < n->dispatches.count; i++) {
        const struct lull_names_dispatch *d = n->dispatches.items[i];
        if (!d->order_known) {
            return false;
        }
        steps(r, first, &d->after, 0, SIZE_MAX);
    }
    return true;
}

/** What is behind a barrier to stages @p then. */
static enum lull_names_order order_of(const struct reached *r, uint64_t then)
{
    const uint64_t waits =
        then | VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT;
    return (r->stages & waits) == 0 ? LULL_NAMES_UNORDERED
           : r->seen                ? LULL_NAMES_ORDERED
                                    : LULL_NAMES_NO_MEMORY;
}

/** Of what @p b does in stages @p then. */
static enum lull_names_order order_at(const struct lull_names *n,
                                      const struct lull_names_dispatch *a,
                                      const struct lull_names_dispatch *b, uint64_t then)
{
    struct reached r = {0};
    if (!a->order_known || !b->order_known || a->waits != b->waits) {
        return LULL_NAMES_ORDERED;
    }
    if (a->family != b->family || a->index != b->index) {
        return LULL_NAMES_QUEUES;
    }
    return steps_over(n, &r, compute, a->number + 1, b->number + 1) ? order_of(&r, then)
                                                                    : LULL_NAMES_ORDERED;
}

enum lull_names_order lull_names_order(const struct lull_names *n,
                                       const struct lull_names_dispatch *a,
                                       const struct lull_names_dispatch *b)
{
    return order_at(n, a, b, dispatches);
}

enum lull_names_order lull_names_order_grid(const struct lull_names *n,
                                            const struct lull_names_dispatch *a,
                                            const struct lull_names_dispatch *b)
{
    return order_at(n, a, b,
                    VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT);
}

struct lull_names_transfers lull_names_transfers_at(const struct lull_names *n, uint64_t number)
{
    const struct lull_names_dispatch *d =
        number < n->dispatches.count ? n->dispatches.items[number] : NULL;
    return d != NULL ? d->transfers : n->end_transfers;
}

enum lull_names_order lull_names_order_transfer(const struct lull_names *n, uint64_t number,
                                                const struct lull_names_transfer *t,
                                                const struct lull_names_dispatch *d)
{
    const struct lull_names_dispatch *at =
        number < n->dispatches.count ? n->dispatches.items[number] : NULL;
    const struct lull_names_barriers *here = at != NULL ? &at->after : &n->end;
    struct reached r = {0};
    if (!t->order_known || !d->order_known || t->waits != d->waits || t->family != d->family ||
        t->index != d->index || (at != NULL && !at->order_known)) {
        return LULL_NAMES_ORDERED;
    }
    if (d->number >= number) {
        steps(&r, transfer, here, t->behind, SIZE_MAX);
        return steps_over(n, &r, transfer, number + 1, d->number + 1) ? order_of(&r, dispatches)
                                                                      : LULL_NAMES_ORDERED;
    }
    if (!steps_over(n, &r, compute, d->number + 1, number)) {
        return LULL_NAMES_ORDERED;
    }
    steps(&r, compute, here, 0, t->behind);
    return order_of(&r, transfer);
}
