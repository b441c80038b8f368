// SPDX-License-Identifier: MIT
#include "file/spirv.h"

enum { MAX_DEPTH = 16, BITS = 8, BOOL_BYTES = 4, MOST = 1 << 20 };

static uint64_t up(uint64_t n, uint64_t align)
{
    return (n + align - 1) / align * align;
}

/** So many of @p each, with @p count elements at least, and at most. */
static struct lull_spirv_room times(struct lull_spirv_room each, uint64_t least, uint64_t most)
{
    const bool known = most != 0 && most <= MOST && each.most != 0 && each.most <= MOST;
    const bool high = each.least != 0 && least > UINT32_MAX / each.least;
    return (struct lull_spirv_room){.least = high ? UINT32_MAX : least * each.least,
                                    .most = known ? most * up(each.most, each.align) : 0,
                                    .align = known ? each.align : 1};
}

static struct lull_spirv_room room_of(const struct lull_spirv_type *t,
                                      const struct lull_spirv_specs *s, unsigned depth);

/** Of an array, a vector or a matrix. */
static struct lull_spirv_room elements(const struct lull_spirv_type *t,
                                       const struct lull_spirv_specs *s, unsigned depth)
{
    uint64_t given = 0;
    const bool has = t->count_spec != UINT32_MAX && s->value(s->ctx, t->count_spec, &given);
    const uint64_t least = has ? given : t->count_computed && s->n > 0 ? 0 : t->count;
    const uint64_t most = has ? given : t->count_computed ? 0 : t->count;
    return times(room_of(t->element, s, depth + 1), least, most);
}

/** Members one behind the other; a block's offsets are its own. */
static struct lull_spirv_room members(const struct lull_spirv_type *t,
                                      const struct lull_spirv_specs *s, unsigned depth)
{
    struct lull_spirv_room all = {.align = 1};
    bool known = !t->block;
    for (size_t i = 0; i < t->nmembers; i++) {
        const struct lull_spirv_room m = room_of(t->members[i].type, s, depth + 1);
        known = known && m.most != 0 && m.most <= MOST && all.most <= MOST;
        all.least += m.least;
        all.align = m.align > all.align ? m.align : all.align;
        all.most = known ? up(all.most, m.align) + m.most : 0;
    }
    all.least = all.least < UINT32_MAX ? all.least : UINT32_MAX;
    all.most = known ? up(all.most, all.align) : 0;
    return all;
}

static struct lull_spirv_room room_of(const struct lull_spirv_type *t,
                                      const struct lull_spirv_specs *s, unsigned depth)
{
    const struct lull_spirv_room none = {.align = 1};
    if (t == NULL || depth > MAX_DEPTH) {
        return none;
    }
    switch (t->kind) {
    case LULL_SPIRV_BOOL:
        return (struct lull_spirv_room){BOOL_BYTES, BOOL_BYTES, BOOL_BYTES};
    case LULL_SPIRV_INT:
    case LULL_SPIRV_FLOAT: {
        const uint64_t n = t->bits / BITS;
        return n != 0 ? (struct lull_spirv_room){n, n, n} : none;
    }
    case LULL_SPIRV_POINTER:
        return (struct lull_spirv_room){.least = t->size, .align = 1};
    case LULL_SPIRV_VECTOR:
    case LULL_SPIRV_MATRIX:
    case LULL_SPIRV_ARRAY:
        return elements(t, s, depth);
    case LULL_SPIRV_STRUCT:
        return members(t, s, depth);
    case LULL_SPIRV_VOID:
    case LULL_SPIRV_RUNTIME_ARRAY:
    case LULL_SPIRV_IMAGE:
    case LULL_SPIRV_SAMPLER:
    case LULL_SPIRV_SAMPLED_IMAGE:
    case LULL_SPIRV_ACCELERATION_STRUCTURE:
    case LULL_SPIRV_OTHER:
        break;
    }
    return none;
}

struct lull_spirv_room lull_spirv_room(const struct lull_spirv_type *t,
                                       const struct lull_spirv_specs *s)
{
    return room_of(t, s, 0);
}
