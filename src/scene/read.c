// SPDX-License-Identifier: MIT
// Scenes read: a line is a word and what it needs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "compile/run.h"
#include "scene/parse.h"

enum { MAX_TEXT = 1 << 26 };

static void start(struct scene_parse *p)
{
    struct lull_scene_state *t = &p->now;
    t->topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    t->patch = 3;
    t->line_width = 1;
    t->depth_clip = LULL_SCENE_AUTO;
    t->sample_mask = UINT32_MAX;
    t->nviewports = 1;
    t->index_buffer = LULL_SCENE_NONE;
    for (unsigned i = 0; i < LULL_SCENE_TARGETS; i++) {
        t->blend[i].colorWriteMask = 15;
    }
    p->s->layers = p->s->samples = 1;
    p->s->width = p->s->height = 64;
    for (unsigned i = 0; i < LULL_SCENE_VIEWPORTS; i++) {
        t->viewports[i] = (VkViewport){0, 0, 64, 64, 0, 1};
        t->scissors[i] = (VkRect2D){{0, 0}, {64, 64}};
    }
}

static void one_line(struct scene_parse *p)
{
    char *comment = strchr(p->rest, '#');
    if (comment != NULL) {
        *comment = '\0';
    }
    if (!scene_more(p)) {
        return;
    }
    snprintf(p->text, sizeof p->text, "%s", p->rest);
    p->text[strcspn(p->text, "\r")] = '\0';
    const char *word = scene_take(p);
    if (!scene_line_whole(p, word) && !scene_line_state(p, word) && !scene_line_step(p, word)) {
        scene_complain(p, "not a word of scenes", word);
    }
    if (scene_more(p)) {
        scene_complain(p, "too many words", p->rest);
    }
}

void lull_scene_done(struct lull_scene *s)
{
    for (uint32_t i = 0; i < s->nbuffers; i++) {
        free(s->buffers[i].data);
    }
    for (uint32_t i = 0; i < s->nshaders; i++) {
        free(s->shaders[i].path);
        free(s->shaders[i].text);
        free(s->shaders[i].spirv);
    }
    for (size_t i = 0; i < s->nsteps; i++) {
        free(s->steps[i].state);
    }
    free(s->steps);
    *s = (struct lull_scene){0};
}

struct lull_error *lull_scene_parse(struct lull_scene *s, const char *path, const void *text,
                                    size_t size)
{
    *s = (struct lull_scene){0};
    if (size > MAX_TEXT) {
        return lull_error_new(LULL_ERR_BAD_DATA, "%s: %zu bytes are too many for a scene", path,
                              size);
    }
    const char *zero = size != 0 ? memchr(text, '\0', size) : NULL;
    if (zero != NULL) {
        return lull_error_new(LULL_ERR_BAD_DATA, "%s: byte %zu: not text", path,
                              (size_t)(zero - (const char *)text));
    }
    lull_cleanup(lull_freep) char *copy = malloc(size + 1);
    lull_cleanup(lull_freep) struct scene_parse *p = calloc(1, sizeof *p);
    if (copy == NULL || p == NULL) {
        return &lull_enomem;
    }
    if (size != 0) {
        memcpy(copy, text, size);
    }
    copy[size] = '\0';
    p->s = s;
    p->path = path;
    p->next = copy;
    start(p);
    while (p->err == NULL && scene_next_line(p)) {
        one_line(p);
    }
    if (p->err == NULL) {
        scene_check(p);
    }
    if (p->err != NULL) {
        lull_scene_done(s);
    }
    return p->err;
}

struct lull_error *lull_scene_read(struct lull_scene *s, const char *path)
{
    lull_cleanup(lull_freep) uint8_t *text = NULL;
    size_t size = 0;
    *s = (struct lull_scene){0};
    struct lull_error *err = lull_run_read(path, &text, &size);
    return err != NULL ? err : lull_scene_parse(s, path, text, size);
}
