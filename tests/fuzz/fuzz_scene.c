// SPDX-License-Identifier: MIT
// A scene out of any text: no crash, no leak; what is read can be drawn in any part of it.
// Seeds: tests/fuzz/corpus/scene/.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "scene/scene.h"

/** What recorders rely on: indices are of things that are there. */
static void walk(const struct lull_scene *s)
{
    for (size_t i = 0; i < s->nsteps; i++) {
        const struct lull_scene_state *t = s->steps[i].state;
        for (unsigned k = 0; t != NULL && k < LULL_SCENE_NSTAGES; k++) {
            const uint32_t n = t->shader[k];
            const struct lull_scene_shader *shader = n != 0 ? &s->shaders[n - 1] : NULL;
            if (n > s->nshaders || (n != 0 && (shader->stage != k ||
                                               (shader->path == NULL) == (shader->text == NULL)))) {
                abort();
            }
        }
        for (uint32_t k = 0; t != NULL && k < t->nbindings; k++) {
            if (t->vertex_buffer[k] >= s->nbuffers) {
                abort();
            }
        }
        if (t != NULL && t->index_buffer != LULL_SCENE_NONE && t->index_buffer >= s->nbuffers) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_scene s = {0};
    struct lull_error *err = lull_scene_parse(&s, "f/x.scene", data, size);
    if (err != NULL) {
        if (strncmp(lull_error_message(err), "f/x.scene:", 10) != 0 || s.steps != NULL) {
            abort();
        }
        lull_error_free(err);
        return 0;
    }
    if (s.nsteps == 0 || s.width == 0 || s.height == 0 || s.layers == 0) {
        abort();
    }
    walk(&s);
    size_t draws = 0;
    for (size_t i = 0; i < s.nsteps; i++) {
        draws += lull_scene_draws(&s.steps[i]);
    }
    const size_t others = s.nsteps - draws;
    lull_scene_cut(&s, draws / 2);
    if (s.nsteps != others + draws / 2) {
        abort();
    }
    lull_scene_done(&s);
    return 0;
}
