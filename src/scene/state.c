// SPDX-License-Identifier: MIT
// Lines of the state: what the next draw has.
#include <string.h>

#include "scene/parse.h"

enum {
    MAX_STRIDE = 2048,
    MAX_DIVISOR = 65535,
    MAX_VIEWPORT = 16384,
    MAX_PLACE = 32767,
    MAX_PATCH = 32
};

static void word_spec(struct scene_parse *p)
{
    const uint32_t id = scene_number(p), value = scene_number(p);
    uint32_t i = 0;
    while (i < p->now.nspecs && p->now.spec_id[i] != id) {
        i++;
    }
    if (i == LULL_SCENE_SPECS) {
        scene_complain(p, "too many specialization constants", "");
        return;
    }
    p->now.nspecs = i == p->now.nspecs ? i + 1 : p->now.nspecs;
    p->now.spec_id[i] = id;
    p->now.spec_value[i] = value;
}

static void word_bias(struct scene_parse *p)
{
    p->now.has_bias = !scene_optional(p, "off");
    for (unsigned i = 0; i < 3 && p->now.has_bias != 0; i++) {
        p->now.bias[i] = scene_finite(p);
    }
}

static void word_bounds(struct scene_parse *p)
{
    p->now.has_bounds = !scene_optional(p, "off");
    for (unsigned i = 0; i < 2 && p->now.has_bounds != 0; i++) {
        p->now.bounds[i] = scene_finite(p);
        if (!(p->now.bounds[i] >= 0 && p->now.bounds[i] <= 1)) {
            scene_complain(p, "bounds of depth are from 0 to 1", "");
        }
    }
}

static void word_stencil(struct scene_parse *p)
{
    enum { FRONT, BACK, BOTH, OFF };
    static const struct lull_scene_word sides[] = {
        {"front", FRONT}, {"back", BACK}, {"both", BOTH}, {"off", OFF}, {0}};
    const uint32_t side = scene_choice(p, sides);
    p->now.stencil_test = side != OFF;
    if (side == OFF) {
        return;
    }
    VkStencilOpState s = {0};
    s.compareOp = (VkCompareOp)scene_choice(p, lull_scene_compares);
    s.failOp = (VkStencilOp)scene_choice(p, lull_scene_stencil_ops);
    s.passOp = (VkStencilOp)scene_choice(p, lull_scene_stencil_ops);
    s.depthFailOp = (VkStencilOp)scene_choice(p, lull_scene_stencil_ops);
    s.reference = scene_number_in(p, 0, UINT8_MAX);
    s.compareMask = scene_number_in(p, 0, UINT8_MAX);
    s.writeMask = scene_number_in(p, 0, UINT8_MAX);
    for (uint32_t i = 0; i < 2; i++) {
        if (side == BOTH || side == i) {
            p->now.stencil[i] = s;
        }
    }
}

static void word_blend(struct scene_parse *p)
{
    VkPipelineColorBlendAttachmentState *b =
        &p->now.blend[scene_number_in(p, 0, LULL_SCENE_TARGETS - 1)];
    b->blendEnable = !scene_optional(p, "off");
    if (b->blendEnable == 0) {
        return;
    }
    b->srcColorBlendFactor = (VkBlendFactor)scene_choice(p, lull_scene_factors);
    b->colorBlendOp = (VkBlendOp)scene_choice(p, lull_scene_blend_ops);
    b->dstColorBlendFactor = (VkBlendFactor)scene_choice(p, lull_scene_factors);
    b->srcAlphaBlendFactor = b->srcColorBlendFactor;
    b->alphaBlendOp = b->colorBlendOp;
    b->dstAlphaBlendFactor = b->dstColorBlendFactor;
    if (scene_more(p)) {
        b->srcAlphaBlendFactor = (VkBlendFactor)scene_choice(p, lull_scene_factors);
        b->alphaBlendOp = (VkBlendOp)scene_choice(p, lull_scene_blend_ops);
        b->dstAlphaBlendFactor = (VkBlendFactor)scene_choice(p, lull_scene_factors);
    }
}

static void word_mask(struct scene_parse *p)
{
    VkPipelineColorBlendAttachmentState *b =
        &p->now.blend[scene_number_in(p, 0, LULL_SCENE_TARGETS - 1)];
    b->colorWriteMask = scene_number_in(p, 0, 15);
}

static void word_logic(struct scene_parse *p)
{
    p->now.has_logic = !scene_optional(p, "off");
    if (p->now.has_logic != 0) {
        p->now.logic = (VkLogicOp)scene_choice(p, lull_scene_logic_ops);
    }
}

static void word_viewport(struct scene_parse *p)
{
    const uint32_t i = scene_number_in(p, 0, LULL_SCENE_VIEWPORTS - 1);
    p->now.nviewports = i + 1 > p->now.nviewports ? i + 1 : p->now.nviewports;
    float v[6] = {0};
    for (unsigned k = 0; k < 6; k++) {
        v[k] = scene_finite(p);
    }
    const bool inside = v[0] >= -MAX_PLACE && v[0] <= MAX_PLACE && v[1] >= -MAX_PLACE &&
                        v[1] <= MAX_PLACE && v[2] > 0 && v[2] <= MAX_VIEWPORT && v[3] != 0 &&
                        v[3] >= -MAX_VIEWPORT && v[3] <= MAX_VIEWPORT;
    if (!inside || !(v[4] >= 0 && v[4] <= 1 && v[5] >= 0 && v[5] <= 1)) {
        scene_complain(p, "not a viewport: X Y WIDTH HEIGHT, and depths from 0 to 1", "");
    }
    p->now.viewports[i] = (VkViewport){v[0], v[1], v[2], v[3], v[4], v[5]};
}

static void word_scissor(struct scene_parse *p)
{
    const uint32_t i = scene_number_in(p, 0, LULL_SCENE_VIEWPORTS - 1);
    p->now.nviewports = i + 1 > p->now.nviewports ? i + 1 : p->now.nviewports;
    p->now.scissors[i].offset.x = (int32_t)scene_number_in(p, 0, MAX_VIEWPORT);
    p->now.scissors[i].offset.y = (int32_t)scene_number_in(p, 0, MAX_VIEWPORT);
    p->now.scissors[i].extent.width = scene_number_in(p, 0, MAX_VIEWPORT);
    p->now.scissors[i].extent.height = scene_number_in(p, 0, MAX_VIEWPORT);
}

static void word_shading_rate(struct scene_parse *p)
{
    p->now.rate.width = scene_number_in(p, 1, 4);
    p->now.rate.height = scene_number_in(p, 1, 4);
}

static void word_stipple(struct scene_parse *p)
{
    const bool off = scene_optional(p, "off");
    p->now.stipple_factor = off ? 0 : scene_number_in(p, 1, 256);
    p->now.stipple_pattern = off ? 0 : scene_number_in(p, 0, UINT16_MAX);
}

static void word_discard_rectangles(struct scene_parse *p)
{
    static const struct lull_scene_word modes[] = {
        {"inclusive", VK_DISCARD_RECTANGLE_MODE_INCLUSIVE_EXT},
        {"exclusive", VK_DISCARD_RECTANGLE_MODE_EXCLUSIVE_EXT},
        {0}};
    p->now.nrectangles = 0;
    p->now.has_rectangles = !scene_optional(p, "off");
    if (p->now.has_rectangles == 0) {
        return;
    }
    p->now.rectangle_mode = (VkDiscardRectangleModeEXT)scene_choice(p, modes);
    do {
        if (p->now.nrectangles == LULL_SCENE_RECTANGLES) {
            scene_complain(p, "more rectangles than 4", "");
            return;
        }
        VkRect2D *r = &p->now.rectangles[p->now.nrectangles++];
        r->offset.x = (int32_t)scene_number_in(p, 0, MAX_VIEWPORT);
        r->offset.y = (int32_t)scene_number_in(p, 0, MAX_VIEWPORT);
        r->extent.width = scene_number_in(p, 0, MAX_VIEWPORT);
        r->extent.height = scene_number_in(p, 0, MAX_VIEWPORT);
    } while (scene_more(p));
}

static void word_vertices(struct scene_parse *p)
{
    if (p->now.nbindings == LULL_SCENE_BINDINGS) {
        scene_complain(p, "too many vertex buffers", "");
        return;
    }
    const uint32_t i = p->now.nbindings++;
    p->now.vertex_buffer[i] = scene_buffer(p);
    p->now.bindings[i] = (VkVertexInputBindingDescription){i, scene_number_in(p, 0, MAX_STRIDE),
                                                           VK_VERTEX_INPUT_RATE_VERTEX};
    p->now.divisor[i] = 1;
    p->now.vertex_offset[i] = 0;
    if (scene_optional(p, "instance")) {
        p->now.bindings[i].inputRate = VK_VERTEX_INPUT_RATE_INSTANCE;
        p->now.divisor[i] = scene_number_in(p, 0, MAX_DIVISOR);
    }
    if (scene_optional(p, "offset")) {
        p->now.vertex_offset[i] =
            scene_number_in(p, 0, (uint32_t)p->s->buffers[p->now.vertex_buffer[i]].size - 1);
    }
}

static void word_attribute(struct scene_parse *p)
{
    if (p->now.nattributes == LULL_SCENE_ATTRIBUTES) {
        scene_complain(p, "too many attributes", "");
        return;
    }
    if (p->now.nbindings == 0) {
        scene_complain(p, "an attribute needs a line 'vertices' above", "");
        return;
    }
    VkVertexInputAttributeDescription *a = &p->now.attributes[p->now.nattributes++];
    a->location = scene_number_in(p, 0, LULL_SCENE_ATTRIBUTES - 1);
    a->binding = scene_number_in(p, 0, p->now.nbindings - 1);
    const struct lull_scene_format *f = scene_format(p);
    if (f->type == LULL_SCENE_DEPTH) {
        scene_complain(p, "not a format of vertices", f->name);
    }
    a->format = f->format;
    a->offset = scene_number_in(p, 0, MAX_STRIDE - 1);
    for (uint32_t i = 0; i + 1 < p->now.nattributes; i++) {
        if (p->now.attributes[i].location == a->location) {
            scene_complain(p, "this location has an attribute already", "");
        }
    }
}

static void word_no_vertices(struct scene_parse *p)
{
    p->now.nbindings = p->now.nattributes = 0;
}

static void word_index(struct scene_parse *p)
{
    p->now.index_buffer = scene_buffer(p);
    p->now.index_type = (VkIndexType)scene_choice(p, lull_scene_index_types);
}

static void word_push(struct scene_parse *p)
{
    const char *type = scene_peek(p);
    if (scene_choice(p, scene_value_types) == 1) {
        scene_complain(p, "not a type of push constants", type);
    }
    p->now.npush = (uint32_t)scene_values(p, type, p->now.push, sizeof p->now.push);
    if (p->now.npush % 4 != 0) {
        scene_complain(p, "push constants are a multiple of 4 bytes", "");
    }
}

/** Words with one value of the state; AT: where it goes. */
#define AT(field) offsetof(struct lull_scene_state, field)
static const struct {
    const char *word;
    const struct lull_scene_word *table; ///< NULL: numbers.
    size_t at;
    unsigned floats; ///< So many; 0: one number or word.
    uint32_t low, high;
} settings[] = {
    {"topology", lull_scene_topologies, AT(topology), 0, 0, 0},
    {"restart", lull_scene_switches, AT(restart), 0, 0, 0},
    {"patch", NULL, AT(patch), 0, 1, MAX_PATCH},
    {"polygon", lull_scene_polygons, AT(polygon), 0, 0, 0},
    {"cull", lull_scene_culls, AT(cull), 0, 0, 0},
    {"front", lull_scene_fronts, AT(front), 0, 0, 0},
    {"provoking", lull_scene_provoking, AT(provoking), 0, 0, 0},
    {"line_mode", lull_scene_line_modes, AT(line_mode), 0, 0, 0},
    {"line_width", NULL, AT(line_width), 1, 0, 0},
    {"interlock", lull_scene_switches, AT(interlock), 0, 0, 0},
    {"conservative", lull_scene_conservative, AT(conservative), 0, 0, 0},
    {"depth_clamp", lull_scene_switches, AT(depth_clamp), 0, 0, 0},
    {"depth_clip", lull_scene_switches, AT(depth_clip), 0, 0, 0},
    {"negative_one", lull_scene_switches, AT(negative_one), 0, 0, 0},
    {"discard", lull_scene_switches, AT(discard), 0, 0, 0},
    {"sample_mask", NULL, AT(sample_mask), 0, 0, UINT32_MAX},
    {"sample_shading", NULL, AT(sample_shading), 1, 0, 0},
    {"alpha_to_coverage", lull_scene_switches, AT(alpha_to_coverage), 0, 0, 0},
    {"alpha_to_one", lull_scene_switches, AT(alpha_to_one), 0, 0, 0},
    {"depth_test", lull_scene_switches, AT(depth_test), 0, 0, 0},
    {"depth_write", lull_scene_switches, AT(depth_write), 0, 0, 0},
    {"depth_compare", lull_scene_compares, AT(depth_compare), 0, 0, 0},
    {"constants", NULL, AT(constants), 4, 0, 0},
};

static bool setting(struct scene_parse *p, const char *word)
{
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        if (strcmp(settings[i].word, word) != 0) {
            continue;
        }
        uint8_t *at = (uint8_t *)&p->now + settings[i].at;
        for (unsigned k = 0; k < settings[i].floats; k++) {
            const float f = scene_finite(p);
            memcpy(at + sizeof f * k, &f, sizeof f);
        }
        if (settings[i].floats == 0) {
            const uint32_t v = settings[i].table != NULL
                                   ? scene_choice(p, settings[i].table)
                                   : scene_number_in(p, settings[i].low, settings[i].high);
            memcpy(at, &v, sizeof v);
        }
        return true;
    }
    return false;
}

static const struct {
    const char *word;
    void (*fn)(struct scene_parse *p);
} words[] = {
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
    {"stipple", word_stipple},
    {"discard_rectangles", word_discard_rectangles},
    {"shading_rate", word_shading_rate},
};

bool scene_line_state(struct scene_parse *p, const char *word)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i].word, word) == 0) {
            words[i].fn(p);
            return true;
        }
    }
    return setting(p, word);
}
