// SPDX-License-Identifier: MIT
// Lines of the whole scene: its picture, buffers, bindings, shaders.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/parse.h"

enum { MAX_SIZE = 4096, MAX_LAYERS = 64, MAX_BYTES = 1 << 24 };

static void word_size(struct scene_parse *p)
{
    p->s->width = scene_number_in(p, 1, MAX_SIZE);
    p->s->height = scene_number_in(p, 1, MAX_SIZE);
    for (unsigned i = 0; i < LULL_SCENE_VIEWPORTS; i++) {
        p->now.viewports[i] = (VkViewport){0, 0, (float)p->s->width, (float)p->s->height, 0, 1};
        p->now.scissors[i] = (VkRect2D){{0, 0}, {p->s->width, p->s->height}};
    }
}

static void word_layers(struct scene_parse *p)
{
    p->s->layers = scene_number_in(p, 1, MAX_LAYERS);
}

static void word_samples(struct scene_parse *p)
{
    static const struct lull_scene_word counts[] = {{"1", 1}, {"2", 2},   {"4", 4},
                                                    {"8", 8}, {"16", 16}, {0}};
    p->s->samples = scene_choice(p, counts);
}

static void word_views(struct scene_parse *p)
{
    enum { MOST = 63 };
    p->s->views = scene_number_in(p, 0, MOST);
}

static void word_secondary(struct scene_parse *p)
{
    p->s->secondary = scene_choice(p, lull_scene_switches) != 0;
}

static void word_target(struct scene_parse *p)
{
    if (p->s->ntargets == LULL_SCENE_TARGETS) {
        scene_complain(p, "more targets than 8", "");
        return;
    }
    struct lull_scene_target *t = &p->s->targets[p->s->ntargets++];
    t->format = scene_format(p);
    if (t->format->type == LULL_SCENE_DEPTH) {
        scene_complain(p, "not a format of colours", t->format->name);
    }
    if (scene_optional(p, "clear")) {
        t->clear = scene_clear_value(p, t->format->type);
    }
}

static void word_depth(struct scene_parse *p)
{
    struct lull_scene_target *d = &p->s->depth;
    d->format = scene_format(p);
    d->clear.depthStencil.depth = 1;
    if (d->format->type != LULL_SCENE_DEPTH) {
        scene_complain(p, "not a format of depth", d->format->name);
    }
    if (scene_optional(p, "clear")) {
        d->clear = scene_clear_value(p, LULL_SCENE_DEPTH);
    }
}

/** Results are files with these names. */
static void buffer_name(struct scene_parse *p, struct lull_scene_buffer *b)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const char *name = scene_take(p);
    if (strlen(name) >= sizeof b->name || name[strspn(name, good)] != '\0') {
        scene_complain(p, "not a name of up to 31 letters, digits and _", name);
    }
    for (uint32_t i = 0; i + 1 < p->s->nbuffers; i++) {
        if (strcmp(p->s->buffers[i].name, name) == 0) {
            scene_complain(p, "there is a buffer of this name", name);
        }
    }
    static const char *const results[] = {"target", "depth", "stencil", "queries"};
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++) {
        if (strncmp(name, results[i], strlen(results[i])) == 0) {
            scene_complain(p, "results have this name", name);
        }
    }
    snprintf(b->name, sizeof b->name, "%s", name);
}

static void word_buffer(struct scene_parse *p)
{
    if (p->s->nbuffers == LULL_SCENE_BUFFERS) {
        scene_complain(p, "more buffers than 32", "");
        return;
    }
    struct lull_scene_buffer *b = &p->s->buffers[p->s->nbuffers++];
    buffer_name(p, b);
    const char *type = scene_peek(p);
    if (scene_choice(p, scene_value_types) == 1) {
        b->size = scene_number_in(p, 1, MAX_BYTES);
        b->data = calloc(1, b->size + 1);
    } else {
        const size_t room = 4 * strlen(p->rest) + 4; // a value needs a byte of text at least
        b->data = calloc(1, room);
        b->size = b->data != NULL ? scene_values(p, type, b->data, room) : 0;
    }
    if (b->data == NULL) {
        scene_fail(p, &lull_enomem);
    } else if (b->size == 0 || b->size > MAX_BYTES) {
        scene_complain(p, "a buffer has 1 byte to 16 MiB", b->name);
    }
}

static void word_out(struct scene_parse *p)
{
    p->s->buffers[scene_buffer(p)].out = true;
}

static void word_bind(struct scene_parse *p)
{
    static const struct lull_scene_word types[] = {
        {"uniform", VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER},
        {"storage", VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
        {"texture", VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER},
        {0},
    };
    const uint32_t n = p->s->nresources;
    const uint32_t binding = scene_number_in(p, 0, LULL_SCENE_RESOURCES - 1);
    for (uint32_t i = 0; i < n; i++) {
        if (p->s->resources[i].binding == binding) {
            scene_complain(p, "this binding is bound already", "");
            return;
        }
    }
    struct lull_scene_resource *r = &p->s->resources[p->s->nresources++]; // there are no more
    r->binding = binding;
    r->type = (VkDescriptorType)scene_choice(p, types);
    r->buffer = scene_buffer(p);
    if (p->err == NULL && r->type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER) {
        r->format = scene_format(p);
        r->width = scene_number_in(p, 1, MAX_SIZE);
        r->height = scene_number_in(p, 1, MAX_SIZE);
        r->filter = (VkFilter)scene_choice(p, lull_scene_filters);
        if ((size_t)r->width * r->height * r->format->bytes > p->s->buffers[r->buffer].size) {
            scene_complain(p, "the buffer is smaller than the texture", "");
        }
        if (r->format->type == LULL_SCENE_DEPTH) {
            scene_complain(p, "not a format of colours", r->format->name);
        }
    }
}

/** GLSL up to a line "end"; the lines above it are empty, "#version" is added where it lacks. */
static char *inline_text(struct scene_parse *p)
{
    static const char version[] = "#version 460\n";
    const unsigned first = p->line;
    const char *at = p->next;
    size_t size = 0;
    const size_t room = first + sizeof version + (at != NULL ? strlen(at) : 0) + 1;
    char *text = calloc(1, room + 1);
    if (text == NULL) {
        scene_fail(p, &lull_enomem);
        return NULL;
    }
    memset(text, '\n', first);
    size = first;
    const bool has_version = at != NULL && strncmp(at + strspn(at, " \t\r\n"), "#version", 8) == 0;
    if (!has_version) { // in the place of the line that begins it
        memcpy(text + first - 1, version, sizeof version);
        size = first - 1 + sizeof version - 1;
    }
    while (scene_next_line(p)) {
        const char *word = scene_peek(p);
        if (strncmp(word, "end", 3) == 0 && word[3 + strspn(word + 3, " \t\r")] == '\0') {
            p->rest += strlen(p->rest);
            return text;
        }
        const size_t n = strlen(p->rest);
        memcpy(text + size, p->rest, n);
        text[size + n] = '\n';
        size += n + 1;
    }
    free(text);
    p->line = first;
    scene_complain(p, "GLSL without its end: a line 'end'", "");
    return NULL;
}

/** The path beside the scene. */
static char *beside(struct scene_parse *p, const char *file)
{
    const char *slash = strrchr(p->path, '/');
    const size_t folder = file[0] == '/' || slash == NULL ? 0 : (size_t)(slash - p->path) + 1;
    const size_t size = folder + strlen(file) + 1;
    char *path = malloc(size);
    if (path == NULL) {
        scene_fail(p, &lull_enomem);
        return NULL;
    }
    memcpy(path, p->path, folder);
    memcpy(path + folder, file, size - folder);
    return path;
}

static void shader(struct scene_parse *p, enum lull_scene_stage stage)
{
    const char *file = scene_take(p);
    p->now.shader[stage] = 0;
    if (p->err != NULL || strcmp(file, "none") == 0) {
        return;
    }
    struct lull_scene_shader s = {.stage = stage, .line = p->line};
    if (strcmp(file, "glsl") == 0) {
        if (scene_more(p)) {
            scene_complain(p, "GLSL begins in the line behind 'glsl'", "");
            return;
        }
        s.text = inline_text(p);
    } else {
        s.path = beside(p, file);
    }
    for (uint32_t i = 0; s.path != NULL && i < p->s->nshaders; i++) {
        const struct lull_scene_shader *old = &p->s->shaders[i];
        if (old->stage == stage && old->path != NULL && strcmp(old->path, s.path) == 0) {
            p->now.shader[stage] = i + 1;
            free(s.path);
            return;
        }
    }
    if (p->err == NULL && p->s->nshaders == LULL_SCENE_SHADERS) {
        scene_complain(p, "more shaders than 64", "");
    }
    if (p->err != NULL) {
        free(s.path);
        free(s.text);
        return;
    }
    p->s->shaders[p->s->nshaders++] = s;
    p->now.shader[stage] = p->s->nshaders;
}

static const struct {
    const char *word;
    void (*fn)(struct scene_parse *p);
} words[] = {
    {"size", word_size},           {"layers", word_layers}, {"samples", word_samples},
    {"views", word_views},         {"target", word_target}, {"depth", word_depth},
    {"buffer", word_buffer},       {"out", word_out},       {"bind", word_bind},
    {"secondary", word_secondary},
};

bool scene_line_whole(struct scene_parse *p, const char *word)
{
    const struct lull_scene_word *stage = lull_scene_word(lull_scene_stages, word);
    if (stage != NULL) {
        shader(p, (enum lull_scene_stage)stage->value);
        return true;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i].word, word) == 0) {
            words[i].fn(p);
            return true;
        }
    }
    return false;
}
