// SPDX-License-Identifier: MIT
// The shaders of a scene as SPIR-V.
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "compile/glsl.h"
#include "compile/run.h"
#include "scene/scene.h"

enum { SPIRV_MAGIC = 0x07230203 };

/** GLSL of the scene, by way of a file of its own. */
LULL_MUST_USE static struct lull_error *compile(struct lull_scene_shader *s, const char *stage,
                                                const char *folder)
{
    char *dir = NULL;
    struct lull_str file = {0}, include = {0};
    struct lull_error *err = lull_run_make_dir(&dir);
    if (err == NULL) {
        lull_str_addf(&file, "%s/scene", dir);
        lull_str_addf(&include, "-I%s", folder);
        err = file.err != NULL ? file.err : include.err;
    }
    if (err == NULL) {
        const char *const flags[] = {include.text};
        err = lull_run_write(file.text, s->text, strlen(s->text));
        if (err == NULL) {
            err = lull_compile_glsl_stage(file.text, stage, flags, 1, &s->spirv, &s->spirv_bytes);
        }
    }
    if (dir != NULL) {
        lull_run_remove_dir(dir);
    }
    free(dir);
    lull_str_free(&file);
    lull_str_free(&include);
    return err;
}

LULL_MUST_USE static struct lull_error *load(struct lull_scene_shader *s, const char *stage)
{
    uint32_t magic = 0;
    struct lull_error *err = lull_run_read(s->path, &s->spirv, &s->spirv_bytes);
    if (err == NULL && s->spirv_bytes >= sizeof magic) {
        memcpy(&magic, s->spirv, sizeof magic);
    }
    if (err != NULL || magic == SPIRV_MAGIC) {
        return err;
    }
    free(s->spirv);
    s->spirv = NULL;
    return lull_compile_glsl_stage(s->path, stage, NULL, 0, &s->spirv, &s->spirv_bytes);
}

static const char *name_of(enum lull_scene_stage stage)
{
    const struct lull_scene_word *w = lull_scene_stages;
    while (w->value != (uint32_t)stage) {
        w++;
    }
    return w->name;
}

struct lull_error *lull_scene_shaders(struct lull_scene *s, const char *path)
{
    const char *slash = strrchr(path, '/');
    lull_cleanup(lull_freep) char *folder =
        slash != NULL ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    if (folder == NULL) {
        return &lull_enomem;
    }
    bool used[LULL_SCENE_SHADERS + 1] = {false};
    for (size_t i = 0; i < s->nsteps; i++) {
        for (unsigned k = 0; s->steps[i].state != NULL && k < LULL_SCENE_NSTAGES; k++) {
            used[s->steps[i].state->shader[k]] = true;
        }
    }
    for (uint32_t i = 0; i < s->nshaders; i++) {
        struct lull_scene_shader *shader = &s->shaders[i];
        if (!used[i + 1] || shader->spirv != NULL) {
            continue;
        }
        const char *stage = name_of(shader->stage);
        struct lull_error *err =
            shader->text != NULL ? compile(shader, stage, folder) : load(shader, stage);
        if (err == NULL && shader->spirv_bytes % 4 != 0) {
            err =
                lull_error_new(LULL_ERR_BAD_DATA, "%zu bytes are not SPIR-V", shader->spirv_bytes);
        }
        if (err != NULL) {
            return lull_error_in(err, "%s:%u: shader '%s'", path, shader->line, stage);
        }
    }
    return NULL;
}
