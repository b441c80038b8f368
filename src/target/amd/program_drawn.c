// SPDX-License-Identifier: MIT
// What draws of programs draw: pixels and primitives, as the kernel counts them.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "target/amd/program_priv.h"

struct lull_error *lull_program_count_drawn(struct lull_target *base,
                                            const struct lull_drawn_range *range)
{
    struct program *p = lull_program(base);
    struct lull_control c = {.op = LULL_CONTROL_DRAWN};
    if (range != NULL) {
        c.match = range->surface ? 2 : 1;
        c.number = range->draw + p->first_draw;
        c.value = range->height << 16 | (range->width & UINT16_MAX);
    }
    return lull_debugfs_control(&p->debugfs, &c);
}

struct lull_error *lull_program_drawn_pixels(struct lull_target *base,
                                             struct lull_shaded_pixel *ret, size_t room,
                                             size_t *ret_n)
{
    struct program *p = lull_program(base);
    struct lull_drawn_pixel *all = calloc(room + 1, sizeof *all);
    *ret_n = 0;
    if (all == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = lull_debugfs_drawn_pixels(&p->debugfs, all, room, ret_n);
    for (size_t i = 0; err == NULL && i < *ret_n; i++) {
        ret[i] = (struct lull_shaded_pixel){
            .shaded = all[i].shaded,
            .draw =
                all[i].draw == UINT32_MAX ? UINT32_MAX : (uint32_t)(all[i].draw - p->first_draw),
            .prim = all[i].prim,
            .instance = all[i].instance,
        };
    }
    free(all);
    return err;
}

struct lull_error *lull_program_drawn_primitives(struct lull_target *base,
                                                 struct lull_exported_primitive *ret, size_t room,
                                                 size_t *ret_n)
{
    struct program *p = lull_program(base);
    struct lull_drawn_primitive *all = calloc(room + 1, sizeof *all);
    *ret_n = 0;
    if (all == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = lull_debugfs_drawn_primitives(&p->debugfs, all, room, ret_n);
    for (size_t i = 0; err == NULL && i < *ret_n; i++) {
        ret[i] = (struct lull_exported_primitive){.draw = all[i].draw - p->first_draw,
                                                  .prim = all[i].prim,
                                                  .instance = all[i].instance,
                                                  .corners = all[i].corners};
        memcpy(ret[i].pos, all[i].pos, sizeof ret[i].pos);
    }
    free(all);
    return err;
}
