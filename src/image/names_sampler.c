// SPDX-License-Identifier: MIT
// Samplers that a descriptor set layout itself has.
#include <string.h>

#include "image/names_priv.h"

enum { WHOLE = 9, FLOATS = 4, NUMBERS = WHOLE + FLOATS, MOST_SAMPLERS = 4096 };

const struct lull_names_sampler *lull_names_samplers(struct lull_arena *arena, const json_t *list,
                                                     size_t n)
{
    struct lull_names_sampler *all = NULL;
    if (json_is_array(list) && n != 0 && n <= MOST_SAMPLERS &&
        json_array_size(list) == n * NUMBERS) {
        all = lull_arena_calloc(arena, n, sizeof *all);
    }
    for (size_t i = 0; all != NULL && i < n; i++) {
        struct lull_names_sampler *s = &all[i];
        uint32_t *const whole[WHOLE] = {&s->mag,     &s->min,     &s->mip,
                                        &s->wrap[0], &s->wrap[1], &s->wrap[2],
                                        &s->compare, &s->border,  &s->unnormalized};
        float *const floats[FLOATS] = {&s->bias, &s->min_lod, &s->max_lod, &s->anisotropy};
        for (size_t k = 0; k < NUMBERS; k++) {
            const json_t *v = json_array_get(list, i * NUMBERS + k);
            const json_int_t value = json_integer_value(v);
            const uint32_t bits = (uint32_t)value;
            if (!json_is_integer(v) || value < 0 || value > UINT32_MAX) {
                return NULL;
            }
            memcpy(k < WHOLE ? (void *)whole[k] : floats[k - WHOLE], &bits, sizeof bits);
        }
    }
    return all;
}
