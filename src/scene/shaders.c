// SPDX-License-Identifier: MIT
// The shaders of a scene as SPIR-V.
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "compile/glsl.h"
#include "compile/run.h"
#include "scene/scene.h"

enum {
    SPIRV_MAGIC = 0x07230203,
    HEADER_WORDS = 5,
    OP_STRING = 7, // SPIR-V specification, 3.52.2: OpString, result, literal.
};

/** In SPIR-V that a compiler made: the file that lines are of is @p to, not @p from. */
LULL_MUST_USE static struct lull_error *rename_source(struct lull_scene_shader *s, const char *from,
                                                      const char *to)
{
    const uint32_t *in = (const uint32_t *)(const void *)s->spirv;
    const size_t n = s->spirv_bytes / sizeof *in, text = strlen(to) / sizeof *in + 1;
    uint32_t *out = calloc(n + text, sizeof *out);
    size_t at = HEADER_WORDS, size = 0, written = HEADER_WORDS;
    if (out == NULL) {
        return &lull_enomem;
    }
    memcpy(out, in, (n < HEADER_WORDS ? n : HEADER_WORDS) * sizeof *in);
    for (; at < n && (size = in[at] >> 16) != 0 && size <= n - at; at += size) {
        const char *name = (const char *)&in[at + 2];
        const size_t room = (size - 2) * sizeof *in;
        if ((in[at] & UINT16_MAX) == OP_STRING && size > 2 && strnlen(name, room) < room &&
            strcmp(name, from) == 0 && text + 2 <= UINT16_MAX) {
            out[written] = (uint32_t)(text + 2) << 16 | OP_STRING;
            out[written + 1] = in[at + 1];
            memcpy(&out[written + 2], to, strlen(to));
            written += text + 2;
            from = ""; // It is there once.
        } else {
            memcpy(&out[written], &in[at], size * sizeof *in);
            written += size;
        }
    }
    if (at != n) {
        free(out);
        return NULL; // Not what a compiler made: it is as it was.
    }
    free(s->spirv);
    s->spirv = (uint8_t *)out;
    s->spirv_bytes = written * sizeof *out;
    return NULL;
}

/** GLSL of the scene @p path, by way of a file of its own. */
LULL_MUST_USE static struct lull_error *compile(struct lull_scene_shader *s, const char *stage,
                                                const char *path, const char *folder)
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
        err = err != NULL ? err : rename_source(s, file.text, path);
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
            shader->text != NULL ? compile(shader, stage, path, folder) : load(shader, stage);
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
