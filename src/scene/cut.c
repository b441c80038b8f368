// SPDX-License-Identifier: MIT
// A part of a scene.
#include <stdlib.h>

#include "scene/scene.h"

bool lull_scene_draws(const struct lull_scene_step *t)
{
    return t->state != NULL || t->kind == LULL_SCENE_CLEAR;
}

void lull_scene_cut(struct lull_scene *s, size_t n)
{
    size_t kept = 0, draws = 0;
    for (size_t i = 0; i < s->nsteps; i++) {
        if (lull_scene_draws(&s->steps[i]) && draws++ >= n) {
            free(s->steps[i].state);
        } else {
            s->steps[kept++] = s->steps[i];
        }
    }
    s->nsteps = kept;
}
