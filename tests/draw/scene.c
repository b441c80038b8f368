// SPDX-License-Identifier: MIT
// Scenes read: a line is a word and what it needs; errors are kept and end the reading.
#include "scene.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

enum { MAX_STEPS = 4096 };

#define NO_BUFFER UINT32_MAX

struct parse {
    struct scene *s;
    struct scene_state now; ///< What the next draw has.
    const char *path;
    unsigned line;
    char *rest; ///< Of the line, behind the words taken.
    struct lull_error *err;
};

static void complain(struct parse *p, const char *what, const char *word)
{
    if (p->err == NULL) {
        p->err = lull_error_new(LULL_ERR_INVALID, "%s:%u: %s%s%s", p->path, p->line, what,
                                word[0] != '\0' ? ": " : "", word);
    }
}

/** The next word; "" at the end of the line. */
static const char *peek(struct parse *p)
{
    p->rest += strspn(p->rest, " \t\r\n");
    return p->rest;
}

static const char *take(struct parse *p)
{
    char *word = p->rest + strspn(p->rest, " \t\r\n");
    const size_t n = strcspn(word, " \t\r\n");
    p->rest = word + n;
    if (p->rest[0] != '\0') {
        *p->rest++ = '\0';
    }
    if (n == 0) {
        complain(p, "the line ends where a word is needed", "");
    }
    return word;
}

static bool more(struct parse *p)
{
    return p->err == NULL && peek(p)[0] != '\0';
}

static uint32_t number(struct parse *p)
{
    const char *word = take(p);
    char *end = NULL;
    errno = 0;
    const long long v = strtoll(word, &end, 0);
    if (p->err == NULL && (end == word || *end != '\0' || v < INT32_MIN || v > UINT32_MAX)) {
        complain(p, "not a number of 32 bits", word);
    }
    return (uint32_t)v;
}

static uint32_t number_below(struct parse *p, uint32_t limit)
{
    const char *word = peek(p);
    const uint32_t v = number(p);
    if (v >= limit) {
        complain(p, "too large", word);
        return 0;
    }
    return v;
}

static float real(struct parse *p)
{
    const char *word = take(p);
    char *end = NULL;
    const float v = strtof(word, &end);
    if (p->err == NULL && (end == word || *end != '\0')) {
        complain(p, "not a number", word);
    }
    return v;
}

static uint32_t choice(struct parse *p, const struct scene_word *table)
{
    const char *word = take(p);
    const struct scene_word *found = scene_word(table, word);
    if (found == NULL) {
        complain(p, "not a word that can stand here", word);
        return table[0].value;
    }
    return found->value;
}

/** Skip @p word if it is the next one. */
static bool optional(struct parse *p, const char *word)
{
    const size_t n = strlen(word);
    const char *next = peek(p);
    if (strncmp(next, word, n) == 0 && strchr(" \t\r\n", next[n]) != NULL) {
        take(p);
        return true;
    }
    return false;
}

static const struct scene_format *format(struct parse *p)
{
    const char *word = take(p);
    const struct scene_format *f = scene_format(word);
    if (f == NULL) {
        complain(p, "not a format that scenes know", word);
        return scene_format("R8G8B8A8_UNORM");
    }
    return f;
}

static uint32_t buffer(struct parse *p)
{
    const char *word = take(p);
    for (uint32_t i = 0; i < p->s->nbuffers; i++) {
        if (strcmp(p->s->buffers[i].name, word) == 0) {
            return i;
        }
    }
    complain(p, "no such buffer", word);
    return 0;
}

static VkClearValue clear_value(struct parse *p, enum scene_class type)
{
    VkClearValue v = {0};
    if (type == SCENE_DEPTH) {
        v.depthStencil.depth = real(p);
        v.depthStencil.stencil = more(p) ? number(p) : 0;
        return v;
    }
    for (unsigned i = 0; i < 4; i++) {
        if (type == SCENE_FLOAT) {
            v.color.float32[i] = real(p);
        } else {
            v.color.uint32[i] = number(p);
        }
    }
    return v;
}

static void word_size(struct parse *p)
{
    p->s->width = number_below(p, 16384);
    p->s->height = number_below(p, 16384);
    for (unsigned i = 0; i < SCENE_VIEWPORTS; i++) {
        p->now.viewports[i] = (VkViewport){0, 0, (float)p->s->width, (float)p->s->height, 0, 1};
        p->now.scissors[i] = (VkRect2D){{0, 0}, {p->s->width, p->s->height}};
    }
}

static void word_target(struct parse *p)
{
    if (p->s->ntargets == SCENE_TARGETS) {
        complain(p, "more targets than 8", "");
        return;
    }
    struct scene_target *t = &p->s->targets[p->s->ntargets++];
    t->format = format(p);
    if (optional(p, "clear")) {
        t->clear = clear_value(p, t->format->type);
    }
}

static void word_depth(struct parse *p)
{
    p->s->depth.format = format(p);
    p->s->depth.clear.depthStencil.depth = 1;
    if (p->s->depth.format->type != SCENE_DEPTH) {
        complain(p, "not a format of depth", p->s->depth.format->name);
    }
    if (optional(p, "clear")) {
        p->s->depth.clear = clear_value(p, SCENE_DEPTH);
    }
}

/** Values of @p type ("f32", "u32", "u16", "u8") up to the end of the line. */
static size_t values(struct parse *p, const char *type, uint8_t *out, size_t room)
{
    size_t n = 0;
    const bool is_float = strcmp(type, "f32") == 0;
    const size_t bytes = type[0] != '\0' && strcmp(type + 1, "8") == 0    ? 1
                         : type[0] != '\0' && strcmp(type + 1, "16") == 0 ? 2
                                                                          : 4;
    while (more(p)) {
        uint32_t v = 0;
        if (is_float) {
            const float f = real(p);
            memcpy(&v, &f, sizeof v);
        } else {
            v = number(p);
        }
        if (n + bytes > room) {
            complain(p, "too many values", "");
            return n;
        }
        memcpy(out + n, &v, bytes); // little-endian
        n += bytes;
    }
    return n;
}

static const struct scene_word value_types[] = {{"f32", 0}, {"u32", 0},   {"i32", 0}, {"u16", 0},
                                                {"u8", 0},  {"zeros", 1}, {0}};

static void word_buffer(struct parse *p)
{
    enum { MAX_BYTES = 1 << 24 };
    if (p->s->nbuffers == SCENE_BUFFERS) {
        complain(p, "too many buffers", "");
        return;
    }
    struct scene_buffer *b = &p->s->buffers[p->s->nbuffers++];
    snprintf(b->name, sizeof b->name, "%s", take(p));
    const char *type = peek(p);
    if (choice(p, value_types) == 1) {
        b->size = number_below(p, MAX_BYTES);
        b->data = calloc(1, b->size + 1);
    } else {
        const size_t room = 4 * strlen(p->rest) + 4; // a value needs a byte of text at least
        b->data = calloc(1, room);
        b->size = b->data != NULL ? values(p, type, b->data, room) : 0;
    }
    if (b->data == NULL) {
        p->err = p->err != NULL ? p->err : &lull_enomem;
    } else if (b->size == 0) {
        complain(p, "a buffer of nothing", b->name);
    }
}

static void word_out(struct parse *p)
{
    p->s->buffers[buffer(p)].out = true;
}

static void word_bind(struct parse *p)
{
    static const struct scene_word types[] = {
        {"uniform", VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER},
        {"storage", VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
        {"texture", VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER},
        {0},
    };
    if (p->s->nresources == SCENE_RESOURCES) {
        complain(p, "too many bindings", "");
        return;
    }
    struct scene_resource *r = &p->s->resources[p->s->nresources++];
    r->binding = number_below(p, SCENE_RESOURCES);
    r->type = (VkDescriptorType)choice(p, types);
    r->buffer = buffer(p);
    if (r->type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER) {
        r->format = format(p);
        r->width = number_below(p, 4096);
        r->height = number_below(p, 4096);
        r->filter = (VkFilter)choice(p, scene_filters);
        if ((size_t)r->width * r->height * r->format->bytes > p->s->buffers[r->buffer].size) {
            complain(p, "the buffer is smaller than the texture", "");
        }
    }
}

static void word_spec(struct parse *p)
{
    const uint32_t id = number(p), value = number(p);
    uint32_t i = 0;
    while (i < p->now.nspecs && p->now.spec_id[i] != id) {
        i++;
    }
    if (i == SCENE_SPECS) {
        complain(p, "too many specialization constants", "");
        return;
    }
    p->now.nspecs = i == p->now.nspecs ? i + 1 : p->now.nspecs;
    p->now.spec_id[i] = id;
    p->now.spec_value[i] = value;
}

static void word_bias(struct parse *p)
{
    p->now.has_bias = !optional(p, "off");
    for (unsigned i = 0; i < 3 && p->now.has_bias != 0; i++) {
        p->now.bias[i] = real(p);
    }
}

static void word_bounds(struct parse *p)
{
    p->now.has_bounds = !optional(p, "off");
    for (unsigned i = 0; i < 2 && p->now.has_bounds != 0; i++) {
        p->now.bounds[i] = real(p);
    }
}

static void word_stencil(struct parse *p)
{
    enum { FRONT, BACK, BOTH, OFF };
    static const struct scene_word sides[] = {
        {"front", FRONT}, {"back", BACK}, {"both", BOTH}, {"off", OFF}, {0}};
    const uint32_t side = choice(p, sides);
    p->now.stencil_test = side != OFF;
    if (side == OFF) {
        return;
    }
    VkStencilOpState s = {0};
    s.compareOp = (VkCompareOp)choice(p, scene_compares);
    s.failOp = (VkStencilOp)choice(p, scene_stencil_ops);
    s.passOp = (VkStencilOp)choice(p, scene_stencil_ops);
    s.depthFailOp = (VkStencilOp)choice(p, scene_stencil_ops);
    s.reference = number(p);
    s.compareMask = number(p);
    s.writeMask = number(p);
    for (uint32_t i = 0; i < 2; i++) {
        if (side == BOTH || side == i) {
            p->now.stencil[i] = s;
        }
    }
}

static void word_blend(struct parse *p)
{
    VkPipelineColorBlendAttachmentState *b = &p->now.blend[number_below(p, SCENE_TARGETS)];
    b->blendEnable = !optional(p, "off");
    if (b->blendEnable == 0) {
        return;
    }
    b->srcColorBlendFactor = (VkBlendFactor)choice(p, scene_factors);
    b->colorBlendOp = (VkBlendOp)choice(p, scene_blend_ops);
    b->dstColorBlendFactor = (VkBlendFactor)choice(p, scene_factors);
    b->srcAlphaBlendFactor = b->srcColorBlendFactor;
    b->alphaBlendOp = b->colorBlendOp;
    b->dstAlphaBlendFactor = b->dstColorBlendFactor;
    if (more(p)) {
        b->srcAlphaBlendFactor = (VkBlendFactor)choice(p, scene_factors);
        b->alphaBlendOp = (VkBlendOp)choice(p, scene_blend_ops);
        b->dstAlphaBlendFactor = (VkBlendFactor)choice(p, scene_factors);
    }
}

static void word_mask(struct parse *p)
{
    VkPipelineColorBlendAttachmentState *b = &p->now.blend[number_below(p, SCENE_TARGETS)];
    b->colorWriteMask = number_below(p, 16);
}

static void word_logic(struct parse *p)
{
    p->now.has_logic = !optional(p, "off");
    if (p->now.has_logic != 0) {
        p->now.logic = (VkLogicOp)choice(p, scene_logic_ops);
    }
}

static void word_viewport(struct parse *p)
{
    const uint32_t i = number_below(p, SCENE_VIEWPORTS);
    p->now.nviewports = i + 1 > p->now.nviewports ? i + 1 : p->now.nviewports;
    float v[6] = {0};
    for (unsigned k = 0; k < 6; k++) {
        v[k] = real(p);
    }
    p->now.viewports[i] = (VkViewport){v[0], v[1], v[2], v[3], v[4], v[5]};
}

static void word_scissor(struct parse *p)
{
    const uint32_t i = number_below(p, SCENE_VIEWPORTS);
    p->now.nviewports = i + 1 > p->now.nviewports ? i + 1 : p->now.nviewports;
    p->now.scissors[i].offset.x = (int32_t)number(p);
    p->now.scissors[i].offset.y = (int32_t)number(p);
    p->now.scissors[i].extent.width = number(p);
    p->now.scissors[i].extent.height = number(p);
}

static void word_vertices(struct parse *p)
{
    if (p->now.nbindings == SCENE_BINDINGS) {
        complain(p, "too many vertex buffers", "");
        return;
    }
    const uint32_t i = p->now.nbindings++;
    p->now.vertex_buffer[i] = buffer(p);
    p->now.bindings[i] =
        (VkVertexInputBindingDescription){i, number(p), VK_VERTEX_INPUT_RATE_VERTEX};
    p->now.divisor[i] = 1;
    p->now.vertex_offset[i] = 0;
    if (optional(p, "instance")) {
        p->now.bindings[i].inputRate = VK_VERTEX_INPUT_RATE_INSTANCE;
        p->now.divisor[i] = number(p);
    }
    if (optional(p, "offset")) {
        p->now.vertex_offset[i] = number(p);
    }
}

static void word_attribute(struct parse *p)
{
    if (p->now.nattributes == SCENE_ATTRIBUTES) {
        complain(p, "too many attributes", "");
        return;
    }
    VkVertexInputAttributeDescription *a = &p->now.attributes[p->now.nattributes++];
    a->location = number_below(p, SCENE_ATTRIBUTES);
    a->binding = number_below(p, p->now.nbindings);
    a->format = format(p)->format;
    a->offset = number(p);
}

static void word_no_vertices(struct parse *p)
{
    p->now.nbindings = p->now.nattributes = 0;
}

static void word_index(struct parse *p)
{
    p->now.index_buffer = buffer(p);
    p->now.index_type = (VkIndexType)choice(p, scene_index_types);
}

static void word_push(struct parse *p)
{
    const char *type = peek(p);
    if (choice(p, value_types) == 1) {
        complain(p, "not a type of push constants", type);
    }
    p->now.npush = (uint32_t)values(p, type, p->now.push, sizeof p->now.push);
}

/** A new step, or one that does not matter after an error. */
static struct scene_step *step(struct parse *p, enum scene_step_kind kind)
{
    static const struct scene_step none;
    struct scene *s = p->s;
    if (s->steps == NULL) {
        s->steps = calloc(MAX_STEPS + 1, sizeof *s->steps);
    }
    if (s->steps == NULL) {
        p->err = p->err != NULL ? p->err : &lull_enomem;
        return NULL;
    }
    if (s->nsteps == MAX_STEPS) {
        complain(p, "too many draws", "");
    }
    struct scene_step *t = &s->steps[s->nsteps < MAX_STEPS ? s->nsteps++ : MAX_STEPS];
    *t = none;
    t->kind = kind;
    return t;
}

/** What draws take: "b" a buffer, "n" a number, in capitals those that may be left out: as 1, 0. */
static void draw(struct parse *p, enum scene_step_kind kind, const char *args)
{
    struct scene_step *t = step(p, kind);
    if (t == NULL) {
        return;
    }
    for (unsigned i = 0; args[i] != '\0'; i++) {
        if (args[i] == 'b') {
            t->args[i] = buffer(p);
        } else if (args[i] == 'n' || more(p)) {
            t->args[i] = number(p);
        } else {
            t->args[i] = args[i] == '1';
        }
    }
    t->state = malloc(sizeof *t->state);
    if (t->state == NULL) {
        p->err = p->err != NULL ? p->err : &lull_enomem;
        return;
    }
    *t->state = p->now;
}

static void word_query(struct parse *p)
{
    enum { PRECISE = VK_QUERY_TYPE_MAX_ENUM - 1, END = VK_QUERY_TYPE_MAX_ENUM };
    static const struct scene_word kinds[] = {
        {"occlusion", VK_QUERY_TYPE_OCCLUSION},
        {"precise", PRECISE},
        {"statistics", VK_QUERY_TYPE_PIPELINE_STATISTICS},
        {"feedback", VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT},
        {"generated", VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT},
        {"timestamp", VK_QUERY_TYPE_TIMESTAMP},
        {"end", END},
        {0},
    };
    const uint32_t kind = choice(p, kinds);
    struct scene_step *t = step(p, kind == END ? SCENE_QUERY_END : SCENE_QUERY_BEGIN);
    if (t != NULL) {
        t->args[0] = kind == PRECISE ? VK_QUERY_TYPE_OCCLUSION : kind;
        t->args[1] = kind == PRECISE ? VK_QUERY_CONTROL_PRECISE_BIT : 0;
        t->args[2] = more(p) ? number_below(p, SCENE_FEEDBACKS) : 0;
    }
}

static void word_condition(struct parse *p)
{
    const bool ends = optional(p, "end");
    struct scene_step *t = step(p, ends ? SCENE_CONDITION_END : SCENE_CONDITION_BEGIN);
    if (t != NULL && !ends) {
        t->args[0] = buffer(p);
        t->args[1] = number(p);
        t->args[2] = optional(p, "inverted");
    }
}

static void word_feedback(struct parse *p)
{
    const bool ends = optional(p, "end");
    struct scene_step *t = step(p, ends ? SCENE_FEEDBACK_END : SCENE_FEEDBACK_BEGIN);
    for (unsigned i = 0; t != NULL && !ends && i < SCENE_DRAW_ARGS; i++) {
        t->args[i] = i < 2 || i % 2 != 0 || more(p) ? buffer(p) : NO_BUFFER;
        if (t->args[i] == NO_BUFFER) {
            t->args[++i] = NO_BUFFER;
        }
    }
}

static void word_clear(struct parse *p)
{
    struct scene_step *t = step(p, SCENE_CLEAR);
    if (t == NULL) {
        return;
    }
    t->args[0] = optional(p, "depth") ? UINT32_MAX : number_below(p, p->s->ntargets);
    for (unsigned i = 1; i < 5; i++) {
        t->args[i] = number(p);
    }
    t->clear = clear_value(p, t->args[0] == UINT32_MAX ? SCENE_DEPTH
                                                       : p->s->targets[t->args[0]].format->type);
}

static void word_secondary(struct parse *p)
{
    p->s->secondary = choice(p, scene_switches) != 0;
}

static const struct {
    const char *word;
    void (*fn)(struct parse *p);
} lines[] = {
    {"size", word_size},
    {"target", word_target},
    {"depth", word_depth},
    {"buffer", word_buffer},
    {"out", word_out},
    {"bind", word_bind},
    {"spec", word_spec},
    {"bias", word_bias},
    {"bounds", word_bounds},
    {"stencil", word_stencil},
    {"blend", word_blend},
    {"mask", word_mask},
    {"logic", word_logic},
    {"viewport", word_viewport},
    {"scissor", word_scissor},
    {"vertices", word_vertices},
    {"attribute", word_attribute},
    {"no_vertices", word_no_vertices},
    {"index", word_index},
    {"push", word_push},
    {"query", word_query},
    {"condition", word_condition},
    {"feedback", word_feedback},
    {"clear", word_clear},
    {"secondary", word_secondary},
};

static const struct {
    const char *word;
    enum scene_step_kind kind;
    const char *args; ///< As draw() says: 1, 0: may be left out and are this then.
} draws[] = {
    {"draw", SCENE_DRAW, "n100"},
    {"draw_indexed", SCENE_DRAW_INDEXED, "n1000"},
    {"draw_indirect", SCENE_DRAW_INDIRECT, "bnnn"},
    {"draw_indexed_indirect", SCENE_DRAW_INDEXED_INDIRECT, "bnnn"},
    {"draw_indirect_count", SCENE_DRAW_INDIRECT_COUNT, "bnbnn"},
    {"draw_indexed_indirect_count", SCENE_DRAW_INDEXED_INDIRECT_COUNT, "bnbnn"},
    {"draw_mesh", SCENE_DRAW_MESH, "n11"},
    {"draw_feedback", SCENE_DRAW_FEEDBACK, "bn1"},
};

/** Words with one value of the state. */
static const struct {
    const char *word;
    const struct scene_word *table; ///< NULL: numbers.
    unsigned floats;                ///< So many; 0: one number or word.
    size_t at;                      ///< In struct scene_state.
} settings[] = {
#define AT(field) offsetof(struct scene_state, field)
    {"topology", scene_topologies, 0, AT(topology)},
    {"restart", scene_switches, 0, AT(restart)},
    {"patch", NULL, 0, AT(patch)},
    {"polygon", scene_polygons, 0, AT(polygon)},
    {"cull", scene_culls, 0, AT(cull)},
    {"front", scene_fronts, 0, AT(front)},
    {"provoking", scene_provoking, 0, AT(provoking)},
    {"line_mode", scene_line_modes, 0, AT(line_mode)},
    {"line_width", NULL, 1, AT(line_width)},
    {"depth_clamp", scene_switches, 0, AT(depth_clamp)},
    {"depth_clip", scene_switches, 0, AT(depth_clip)},
    {"negative_one", scene_switches, 0, AT(negative_one)},
    {"discard", scene_switches, 0, AT(discard)},
    {"sample_mask", NULL, 0, AT(sample_mask)},
    {"sample_shading", NULL, 1, AT(sample_shading)},
    {"alpha_to_coverage", scene_switches, 0, AT(alpha_to_coverage)},
    {"alpha_to_one", scene_switches, 0, AT(alpha_to_one)},
    {"depth_test", scene_switches, 0, AT(depth_test)},
    {"depth_write", scene_switches, 0, AT(depth_write)},
    {"depth_compare", scene_compares, 0, AT(depth_compare)},
    {"constants", NULL, 4, AT(constants)},
#undef AT
};

static bool setting(struct parse *p, const char *word)
{
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        if (strcmp(settings[i].word, word) == 0) {
            uint8_t *at = (uint8_t *)&p->now + settings[i].at;
            for (unsigned k = 0; k < settings[i].floats; k++) {
                const float f = real(p);
                memcpy(at + sizeof f * k, &f, sizeof f);
            }
            if (settings[i].floats == 0) {
                const uint32_t v =
                    settings[i].table != NULL ? choice(p, settings[i].table) : number(p);
                memcpy(at, &v, sizeof v);
            }
            return true;
        }
    }
    return false;
}

/** A number for the whole scene. */
static uint32_t *whole(struct scene *s, const char *word)
{
    return strcmp(word, "layers") == 0    ? &s->layers
           : strcmp(word, "samples") == 0 ? &s->samples
           : strcmp(word, "views") == 0   ? &s->views
                                          : NULL;
}

static void shader(struct parse *p, enum scene_stage stage)
{
    char *out = p->now.shader[stage];
    const char *file = take(p), *slash = strrchr(p->path, '/');
    const int folder = file[0] == '/' || slash == NULL ? 0 : (int)(slash - p->path) + 1;
    out[0] = '\0';
    if (strcmp(file, "none") != 0 &&
        snprintf(out, SCENE_PATH, "%.*s%s", folder, p->path, file) >= SCENE_PATH) {
        complain(p, "too long a path", file);
    }
}

static void line(struct parse *p)
{
    const char *word = take(p);
    const struct scene_word *stage = scene_word(scene_stages, word);
    uint32_t *n = whole(p->s, word);
    if (n != NULL) {
        *n = number_below(p, 4096);
        return;
    }
    if (stage != NULL) {
        shader(p, (enum scene_stage)stage->value);
        return;
    }
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (strcmp(lines[i].word, word) == 0) {
            lines[i].fn(p);
            return;
        }
    }
    for (size_t i = 0; i < sizeof draws / sizeof draws[0]; i++) {
        if (strcmp(draws[i].word, word) == 0) {
            draw(p, draws[i].kind, draws[i].args);
            return;
        }
    }
    if (!setting(p, word)) {
        complain(p, "not a word of scenes", word);
    }
}

static void start(struct parse *p)
{
    p->now.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    p->now.patch = 3;
    p->now.line_width = 1;
    p->now.depth_clip = SCENE_AUTO;
    p->now.sample_mask = UINT32_MAX;
    p->now.nviewports = 1;
    p->now.index_buffer = NO_BUFFER;
    for (unsigned i = 0; i < SCENE_TARGETS; i++) {
        p->now.blend[i].colorWriteMask = 15;
    }
    p->s->layers = p->s->samples = 1;
    p->rest = (char[]){"64 64"};
    word_size(p);
}

/** What no single line can know. */
static void whole_scene(struct parse *p)
{
    const struct scene *s = p->s;
    for (size_t i = 0; i < s->nsteps; i++) {
        const struct scene_state *t = s->steps[i].state;
        const enum scene_step_kind k = s->steps[i].kind;
        const bool indexed = k == SCENE_DRAW_INDEXED || k == SCENE_DRAW_INDEXED_INDIRECT ||
                             k == SCENE_DRAW_INDEXED_INDIRECT_COUNT;
        if (t == NULL) {
            continue;
        }
        if (t->shader[SCENE_VERT][0] == '\0' && t->shader[SCENE_MESH][0] == '\0') {
            complain(p, "a draw without a shader \"vert\" or \"mesh\"", "");
        }
        if (indexed && t->index_buffer == NO_BUFFER) {
            complain(p, "a draw of indices without \"index\"", "");
        }
    }
    if (s->nsteps == 0 || (s->ntargets == 0 && s->depth.format == NULL)) {
        complain(p, "a scene needs a target or depth, and a draw", "");
    }
}

void scene_done(struct scene *s)
{
    for (uint32_t i = 0; i < s->nbuffers; i++) {
        free(s->buffers[i].data);
    }
    for (size_t i = 0; i < s->nsteps; i++) {
        free(s->steps[i].state);
    }
    free(s->steps);
    *s = (struct scene){0};
}

struct lull_error *scene_read(struct scene *s, const char *path)
{
    *s = (struct scene){0};
    struct parse p = {.s = s, .path = path};
    lull_cleanup(lull_fclosep) FILE *f = fopen(path, "r");
    if (f == NULL) {
        return lull_error_os(errno, "%s", path);
    }
    lull_cleanup(lull_freep) char *text = NULL;
    size_t room = 0;
    start(&p);
    while (p.err == NULL && getline(&text, &room, f) >= 0) {
        p.line++;
        char *comment = strchr(text, '#');
        if (comment != NULL) {
            *comment = '\0';
        }
        p.rest = text;
        if (more(&p)) {
            line(&p);
        }
        if (more(&p)) {
            complain(&p, "too many words", p.rest);
        }
    }
    if (p.err == NULL) {
        whole_scene(&p);
    }
    if (p.err != NULL) {
        scene_done(s);
    }
    return p.err;
}
