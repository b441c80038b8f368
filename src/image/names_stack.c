// SPDX-License-Identifier: MIT
// Who called Vulkan: stacks of the program, each written once and named by number.
#include "image/names_priv.h"

enum { MAX_FRAMES = 1024 };

LULL_MUST_USE static struct lull_error *read_frame(struct lull_names *n, const json_t *o,
                                                   struct lull_names_frame *ret)
{
    const char *module = json_string_value(json_object_get(o, "module"));
    if (module == NULL) {
        return lull_error_new(LULL_ERR_BAD_DATA, "'module' is not a string");
    }
    struct lull_error *err =
        lull_names_handle(json_object_get(o, "offset"), "offset", &ret->offset);
    return err != NULL ? err : lull_names_copy(n, module, &ret->module);
}

struct lull_error *lull_names_read_stack(struct lull_names *n, const json_t *o)
{
    const json_t *number = json_object_get(o, "stack"), *list = json_object_get(o, "frames");
    const size_t count = json_array_size(list);
    if (!json_is_integer(number) || json_integer_value(number) < 1) {
        return lull_error_new(LULL_ERR_BAD_DATA, "'stack' is not a number from 1 on");
    }
    if (!json_is_array(list) || count > MAX_FRAMES) {
        return lull_error_new(LULL_ERR_BAD_DATA, "'frames' is not a list of at most %d",
                              MAX_FRAMES);
    }
    struct lull_names_stack *stack = lull_arena_calloc(&n->arena, 1, sizeof *stack);
    struct lull_names_frame *frames = lull_arena_calloc(&n->arena, count + 1, sizeof *frames);
    if (stack == NULL || frames == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < count; i++) {
        struct lull_error *err = read_frame(n, json_array_get(list, i), &frames[i]);
        if (err != NULL) {
            return lull_error_in(err, "frame %zu", i);
        }
    }
    *stack = (struct lull_names_stack){.nframes = count, .frames = frames};
    return lull_names_put(&n->handles, LULL_NAMES_STACKS, (uint64_t)json_integer_value(number),
                          stack);
}

const struct lull_names_stack *lull_names_stack_of(const struct lull_names *n, const json_t *o)
{
    const json_t *number = json_object_get(o, "stack");
    return lull_names_get(&n->handles, LULL_NAMES_STACKS, (uint64_t)json_integer_value(number));
}
