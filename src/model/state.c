// SPDX-License-Identifier: MIT
#include "model/state.h"

#include <stdlib.h>

#include "model/pages.h"

void lull_gpu_state_done(struct lull_gpu_state *s)
{
    free(s->bytes);
    lull_picture_free(s->memory);
    lull_picture_free(s->registers);
    *s = (struct lull_gpu_state){0};
}

const char *lull_gpu_state_differs(const struct lull_gpu_state *a, const struct lull_gpu_state *b,
                                   uint64_t *where)
{
    size_t at = 0;
    while (at < a->size && at < b->size && a->bytes[at] == b->bytes[at]) {
        at++;
    }
    *where = at;
    if (at < a->size || at < b->size) {
        return "state";
    }
    return !lull_picture_same(a->memory, b->memory, where)         ? "memory"
           : !lull_picture_same(a->registers, b->registers, where) ? "registers"
                                                                   : NULL;
}
